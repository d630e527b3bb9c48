//! What the steps that answer one user message have in common.

use std::collections::HashSet;
use std::sync::Arc;

use praxis_llm::provider::Choice;
use praxis_llm::turn::{Chain, Told};
use praxis_llm::{Request, SystemBlock, ToolChoice, ToolSpec};
use praxis_proto::{CallId, MessageId, Origin, Rule, Session, SessionId, SessionRule, UserMessage};
use praxis_tools::registry::{ModelRef, Scene};
use praxis_tools::{CxParts, Offer};
use tokio_util::sync::CancellationToken;

use crate::Agent;
use crate::engine::Inner;
use crate::hooks::{Asking, Params};
use crate::lanes::Lanes;
use crate::model::{Answerer, Size};
use crate::outcome::EngineError;
use crate::structured::Structured;
use crate::system::{self, SystemInput};

/// Who answers a user message, with which tools, told what.
pub(super) struct Stage {
    pub(super) user: UserMessage,
    pub(super) session: Session,
    pub(super) agent: Agent,
    pub(super) answerer: Answerer,
    pub(super) offer: Offer,
    pub(super) cx: CxParts,
    pub(super) lanes: Arc<Lanes>,
    pub(super) structured: Option<Structured>,
    /// Whether the model has to be told that its answer is missing.
    pub(super) reminded: bool,
    /// The beginning of every request, the same through all steps.
    system: Vec<SystemBlock>,
    /// The same while extensions have changed what was lent of it.
    unchanged: Option<Vec<SystemBlock>>,
    tools: Vec<ToolSpec>,
    params: Params,
    chain: Option<Chain>,
}

impl Stage {
    /// Puts together what the answer to a message needs.
    pub(super) async fn set(
        engine: &Inner,
        session: &SessionId,
        user: UserMessage,
    ) -> Result<Self, EngineError> {
        let workbench = &engine.workbench;
        let session = engine.store.session(session).await?;
        let agent = workbench.agents.get(Some(&user.agent))?.clone();
        let choice = Choice { provider: user.model.provider.clone(), model: user.model.model.clone() };
        let answerer = engine.models.get(&choice)?;
        let rules: Vec<Rule> = session.permission.iter().flatten().map(rule).collect();
        let authority = agent.authority.followed_by(&rules);
        let off: HashSet<String> =
            user.tools.iter().flatten().filter(|(_, on)| !**on).map(|(tool, _)| tool.clone()).collect();
        let model = ModelRef { provider: choice.provider.clone(), model: choice.model.clone() };
        let scene = Scene { authority: authority.clone(), off, ..workbench.scene(&agent, Some(model)) };
        let offer = workbench.registry.resolve(&scene).await;
        let structured = Structured::of(user.format.as_ref());

        let setting = engine.setting(&session.id).await;
        let input = SystemInput {
            agent: &agent,
            model: answerer.facts(),
            setting: &setting,
            servers: &[],
            skills: &[],
            structured: structured.is_some(),
            system: user.system.as_deref(),
        };
        let system = system::blocks(&input);
        let params = answerer.params(&session.id, &agent, user.model.variant.as_deref(), Size::Full);
        let cx = CxParts {
            session: session.id.clone(),
            message: MessageId::from_raw(""),
            call: CallId::from_raw(""),
            agent: agent.name.clone(),
            authority,
            instance: Arc::clone(&workbench.instance),
            permissions: Arc::clone(&workbench.permissions),
            bus: workbench.bus.clone(),
            cancel: CancellationToken::new(),
        };
        Ok(Self {
            tools: specs(&offer, structured.as_ref()),
            user,
            session,
            agent,
            answerer,
            offer,
            cx,
            lanes: Arc::default(),
            structured,
            reminded: false,
            system,
            unchanged: None,
            params,
            chain: None,
        })
    }

    pub(super) fn user(&self) -> &UserMessage {
        &self.user
    }

    /// Whether what the model was told for an earlier message can be kept.
    pub(super) fn goes_on_with(&self, told: &Told) -> bool {
        self.answerer.chain(&self.agent.name, &[]).suits(told, &self.params.options)
    }

    /// The next request, without its conversation. The last one offers no tools.
    pub(super) fn request(&mut self, last: bool) -> Request {
        let answer = self.structured.as_ref().map(|structured| structured.tool.clone());
        let (system, tools) = match last {
            true => (self.system.clone(), answer.into_iter().collect()),
            false => (std::mem::take(&mut self.system), std::mem::take(&mut self.tools)),
        };
        let tool_choice = match (&self.structured, last) {
            (Some(_), _) => ToolChoice::Required,
            (None, true) => ToolChoice::None,
            (None, false) => ToolChoice::Auto,
        };
        Request {
            system,
            tools,
            tool_choice,
            sampling: self.params.sampling,
            options: self.params.options.clone(),
            ..Request::default()
        }
    }

    /// Takes back what [`Stage::request`] lent.
    pub(super) fn give_back(&mut self, system: Vec<SystemBlock>, tools: Vec<ToolSpec>) {
        (self.system, self.tools) = (self.unchanged.take().unwrap_or(system), tools);
    }

    /// Lets extensions change how the request is made.
    pub(super) async fn hooked(&mut self, engine: &Inner, request: &mut Request) {
        if engine.hooks.is_empty() {
            return;
        }
        let options = std::mem::take(&mut request.options);
        let mut params = Params { sampling: request.sampling, options };
        engine.hooks.params(self.asking(), &mut params).await;
        (request.sampling, request.options) = (params.sampling, params.options);
        let system = request.system.clone();
        let system = engine.hooks.system_blocks(&self.session.id, &self.answerer.choice, system).await;
        self.unchanged = Some(std::mem::replace(&mut request.system, system));
    }

    /// The way to the model, with its headers.
    pub(super) async fn chain(&mut self, engine: &Inner) -> Chain {
        if let Some(chain) = &self.chain {
            return chain.clone();
        }
        let mut headers = self.answerer.headers(&self.session);
        engine.hooks.headers(self.asking(), &mut headers).await;
        let chain = self.answerer.chain(&self.agent.name, &headers);
        // Extensions may want other headers for every request.
        if engine.hooks.is_empty() {
            self.chain = Some(chain.clone());
        }
        chain
    }

    fn asking(&self) -> Asking<'_> {
        Asking {
            session: &self.session.id,
            agent: &self.agent.name,
            model: &self.answerer.choice,
            message: &self.user,
        }
    }
}

fn specs(offer: &Offer, structured: Option<&Structured>) -> Vec<ToolSpec> {
    let known = offer.definitions().map(|definition| ToolSpec {
        name: definition.name.clone(),
        description: definition.description.as_str().into(),
        parameters: Arc::new(definition.parameters.clone()),
    });
    let mut specs: Vec<ToolSpec> =
        known.chain(structured.map(|structured| structured.tool.clone())).collect();
    specs.sort_by(|a, b| a.name.cmp(&b.name));
    specs
}

fn rule(given: &SessionRule) -> Rule {
    Rule {
        permission: given.permission.clone(),
        pattern: given.pattern.clone(),
        action: given.action,
        origin: Origin::Session,
    }
}
