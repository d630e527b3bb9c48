//! The tool system for an embedder: a folder, some rules, some tools, and calls.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use praxis_policy::Authority;
use praxis_proto::{Mint, Rule, SessionId};
use praxis_text::Limits;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::registry::{Done, Fixed, Scene, SourceKind};
use crate::{
    Attendance, Bus, Cx, CxParts, Instance, NoGrants, Offer, OutputStore, Permissions, PermissionsParts,
    Registry, Tool, system_clock,
};

/// What a [`Standalone`] is made of, while it is put together.
pub struct StandalonePlan {
    folder: PathBuf,
    rules: Vec<Rule>,
    tools: Fixed,
    attendance: Attendance,
}

impl StandalonePlan {
    /// Adds a rule; the last match wins, and what no rule matches is a question.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.tools = self.tools.tool(tool);
        self
    }

    /// Somebody listens to [`Standalone::bus`] and answers through [`Standalone::permissions`]. Without this a
    /// question is refused at once.
    #[must_use]
    pub fn attended(mut self) -> Self {
        self.attendance = Attendance::Attended;
        self
    }

    /// Puts everything together.
    pub async fn open(self) -> io::Result<Standalone> {
        let clock = system_clock();
        let mint = Arc::new(Mint::new({
            let clock = Arc::clone(&clock);
            move || clock()
        }));
        let bus = Bus::default();
        let permissions = Permissions::open(PermissionsParts {
            mint: Arc::clone(&mint),
            bus: bus.clone(),
            store: Arc::new(NoGrants),
            clock,
            attendance: self.attendance,
            observers: Vec::new(),
            hooks: Vec::new(),
        })?;
        let authority = Authority::new(self.rules);
        let outputs = std::env::temp_dir().join("praxis").join("tool-output");
        let registry =
            Registry::new(OutputStore::new(outputs, Arc::clone(&mint), Limits::default())).with(self.tools);
        Ok(Standalone {
            offer: registry.resolve(&Scene::for_agent(authority.clone())).await,
            instance: Arc::new(Instance::open(&self.folder, None)?),
            session: mint.session(),
            permissions: Arc::new(permissions),
            authority,
            bus,
            mint,
        })
    }
}

/// Tools, rules and one session, without configuration files, a model or an engine.
pub struct Standalone {
    offer: Offer,
    instance: Arc<Instance>,
    authority: Authority,
    permissions: Arc<Permissions>,
    bus: Bus,
    mint: Arc<Mint>,
    session: SessionId,
}

impl Standalone {
    /// Tools that work in `folder`.
    pub fn in_folder(folder: impl AsRef<Path>) -> StandalonePlan {
        StandalonePlan {
            folder: folder.as_ref().to_owned(),
            rules: Vec::new(),
            tools: Fixed::new("standalone", SourceKind::Custom),
            attendance: Attendance::Unattended,
        }
    }

    /// What a model would be told.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Where questions and progress are published.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Where questions are answered.
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// Makes one call, which `cancel` can stop.
    pub async fn call_until(&self, tool: &str, arguments: Value, cancel: CancellationToken) -> Done {
        self.offer.call(tool, arguments, &self.cx(cancel)).await
    }

    pub(crate) fn cx(&self, cancel: CancellationToken) -> Cx {
        Cx::new(CxParts {
            session: self.session.clone(),
            message: self.mint.message(),
            call: self.mint.call(),
            agent: "standalone".to_owned(),
            authority: self.authority.clone(),
            instance: Arc::clone(&self.instance),
            permissions: Arc::clone(&self.permissions),
            bus: self.bus.clone(),
            cancel,
        })
    }

    /// Makes one call.
    pub async fn call(&self, tool: &str, arguments: Value) -> Done {
        self.call_until(tool, arguments, CancellationToken::new()).await
    }
}
