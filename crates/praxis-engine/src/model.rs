//! Which model answers, and everything a request to it needs beside the conversation.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use praxis_config::Config;
use praxis_llm::options::{self, OUTPUT_CAP};
use praxis_llm::provider::{Asked, Choice, ProviderError, Providers, Resolved};
use praxis_llm::retry::Policy;
use praxis_llm::script::{Player, Script, ScriptError};
use praxis_llm::turn::{Chain, Model};
use praxis_llm::{Sampling, Secret, Usage, cost};
use praxis_os::HttpStreams;
use praxis_proto::{CacheTokens, MessageModel, Session, SessionId, Tokens};
use serde_json::Value;

use crate::Agent;
use crate::hooks::Params;
use crate::system::ModelFacts;

/// The provider whose models are scripts.
pub const SCRIPTED: &str = "scripted";
/// The provider that numbers its sessions itself.
const HOSTED: [&str; 2] = ["opencode", "opencode-go"];

/// Why a model cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The provider, the model or its key is missing.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// There is no such script.
    #[error(
        "there is no script `{name}`; name its file in `provider.scripted.options.scripts.{name}` or with --script"
    )]
    NoScript {
        /// What was asked for.
        name: String,
    },
    /// The script's file cannot be read.
    #[error("could not read the script {}: {source}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The script is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
}

/// All models that can be asked: those of providers, and scripts.
pub struct Models {
    providers: Providers,
    http: HttpStreams,
    policy: Policy,
    recent: Vec<Choice>,
    files: HashMap<String, PathBuf>,
    players: Mutex<HashMap<String, Arc<Player>>>,
    resolved: Mutex<HashMap<Choice, Arc<Resolved>>>,
}

impl Models {
    /// The models of these providers.
    pub fn new(providers: Providers) -> Self {
        Self {
            providers,
            http: HttpStreams::default(),
            policy: Policy::default(),
            recent: Vec::new(),
            files: HashMap::new(),
            players: Mutex::default(),
            resolved: Mutex::default(),
        }
    }

    /// Models used lately, the newest first; one of them is the default where none is configured.
    #[must_use]
    pub fn with_recent(self, recent: Vec<Choice>) -> Self {
        Self { recent, ..self }
    }

    /// How often and how long a failed request is made again.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// A script that answers as `scripted/NAME`.
    #[must_use]
    pub fn with_script(self, name: &str, script: Script) -> Self {
        self.with_player(name, Arc::new(Player::new(script)))
    }

    /// The same where the caller keeps the player, to look at what was asked.
    #[must_use]
    pub fn with_player(self, name: &str, player: Arc<Player>) -> Self {
        lock(&self.players).insert(name.to_owned(), player);
        self
    }

    /// The scripts that the configuration names; their files are read when they are asked.
    #[must_use]
    pub fn with_scripts_of(mut self, config: &Config, root: &Path) -> Self {
        let scripts =
            config.provider.get(SCRIPTED).and_then(|provider| provider.options.other.get("scripts"));
        let files = scripts.and_then(Value::as_object).into_iter().flatten();
        let files = files.filter_map(|(name, file)| Some((name.clone(), root.join(file.as_str()?))));
        self.files.extend(files);
        self
    }

    /// The providers.
    pub fn providers(&self) -> &Providers {
        &self.providers
    }

    /// The model for a new user message: the one asked for, else the agent's, else the session's, else the default.
    pub(crate) fn choose(
        &self,
        asked: Option<&MessageModel>,
        variant: Option<&str>,
        agent: &Agent,
        session: &Session,
    ) -> Result<MessageModel, ModelError> {
        let of_agent = agent.model.as_deref().map(Choice::parse).transpose()?;
        let of_session = session.model.as_ref();
        let choice = match (asked, &of_agent, of_session) {
            (Some(asked), _, _) => Choice { provider: asked.provider.clone(), model: asked.model.clone() },
            (None, Some(own), _) => own.clone(),
            (None, None, Some(last)) => Choice { provider: last.provider.clone(), model: last.id.clone() },
            (None, None, None) => self.providers.default_model(&self.recent)?,
        };
        // An agent's variant is for the agent's own model.
        let own = agent.variant.as_deref().filter(|name| {
            of_agent.as_ref() == Some(&choice)
                && self.resolve(&choice).is_ok_and(|resolved| resolved.variants.contains_key(*name))
        });
        let variant = variant.or(asked.and_then(|asked| asked.variant.as_deref())).or(own);
        Ok(MessageModel {
            provider: choice.provider,
            model: choice.model,
            variant: variant.filter(|name| *name != "default").map(str::to_owned),
        })
    }

    /// The model for small work beside another; none if there is none of its own.
    pub(crate) fn small(&self, beside: &Choice) -> Option<Choice> {
        self.providers.small_model(&beside.provider)
    }

    /// A model, ready to be asked.
    pub(crate) fn get(&self, choice: &Choice) -> Result<Answerer, ModelError> {
        if choice.provider == SCRIPTED {
            let model = Model::scripted(self.player(&choice.model)?);
            return Ok(Answerer { choice: choice.clone(), resolved: None, model, policy: self.policy });
        }
        let resolved = self.resolve(choice)?;
        let model = Model::new((*resolved).clone(), &self.http);
        Ok(Answerer { choice: choice.clone(), resolved: Some(resolved), model, policy: self.policy })
    }

    fn resolve(&self, choice: &Choice) -> Result<Arc<Resolved>, ProviderError> {
        if let Some(known) = lock(&self.resolved).get(choice) {
            return Ok(Arc::clone(known));
        }
        let resolved = Arc::new(self.providers.resolve(choice)?);
        lock(&self.resolved).insert(choice.clone(), Arc::clone(&resolved));
        Ok(resolved)
    }

    fn player(&self, name: &str) -> Result<Arc<Player>, ModelError> {
        if let Some(player) = lock(&self.players).get(name) {
            return Ok(Arc::clone(player));
        }
        let path = self.files.get(name).ok_or_else(|| ModelError::NoScript { name: name.to_owned() })?;
        let text = std::fs::read_to_string(path)
            .map_err(|source| ModelError::Unread { path: path.clone(), source })?;
        let player = Arc::new(Player::new(Script::parse(&path.to_string_lossy(), &text)?));
        Ok(Arc::clone(lock(&self.players).entry(name.to_owned()).or_insert(player)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A model, ready to be asked.
#[derive(Clone)]
pub(crate) struct Answerer {
    pub(crate) choice: Choice,
    /// None for a script.
    pub(crate) resolved: Option<Arc<Resolved>>,
    model: Model,
    policy: Policy,
}

/// For what a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// For the work itself.
    Full,
    /// For small work beside it.
    Small,
}

impl Answerer {
    /// What the system text says of it.
    pub(crate) fn facts(&self) -> ModelFacts<'_> {
        let name = self.resolved.as_ref().map_or(&*self.choice.model, |resolved| &*resolved.model.name);
        ModelFacts { provider: &self.choice.provider, id: &self.choice.model, name }
    }

    /// How it is asked by an agent.
    pub(crate) fn params(
        &self,
        session: &SessionId,
        agent: &Agent,
        variant: Option<&str>,
        size: Size,
    ) -> Params {
        let own = Sampling { temperature: agent.temperature, top_p: agent.top_p, ..Sampling::default() };
        let Some(resolved) = &self.resolved else {
            return Params { sampling: own, options: agent.options.clone() };
        };
        let own = Sampling {
            max_output_tokens: Some(options::max_output_tokens(resolved.model.limit.output, OUTPUT_CAP)),
            ..own
        };
        let small = size == Size::Small;
        let asked = Asked { session: session.as_str(), small, agent: &agent.options, variant };
        Params {
            sampling: options::sampling(&resolved.subject(), resolved.model.temperature, own),
            options: resolved.options_for(asked),
        }
    }

    /// Headers that tell a provider which requests belong together.
    pub(crate) fn headers(&self, session: &Session) -> Vec<(String, String)> {
        if HOSTED.contains(&&*self.choice.provider) || self.resolved.is_none() {
            return Vec::new();
        }
        let own =
            ["x-session-affinity", "x-session-id"].map(|name| (name.to_owned(), session.id.to_string()));
        let parent = session.parent.as_ref().map(|id| ("x-parent-session-id".to_owned(), id.to_string()));
        own.into_iter().chain(parent).collect()
    }

    /// The way to it, for an agent and with these headers. What cannot be a header is left out.
    pub(crate) fn chain(&self, agent: &str, headers: &[(String, String)]) -> Chain {
        let model =
            headers.iter().fold(
                self.model.clone().for_agent(agent),
                |model, (name, value)| match Secret::new(value) {
                    Ok(value) => model.with_header(name, value),
                    Err(_) => model,
                },
            );
        Chain::new(model, self.policy)
    }

    /// What an answer used, and what that costs.
    pub(crate) fn bill(&self, usage: &Usage) -> (Tokens, cost::Money) {
        let split = cost::Tokens::from(usage);
        let prices = self.resolved.as_ref().and_then(|resolved| resolved.model.cost.as_ref());
        let money = prices.map(|prices| prices.of(&split)).unwrap_or_default();
        let cost::Tokens { total, input, output, reasoning, cache } = split;
        let cache = CacheTokens { read: cache.read, write: cache.write };
        (Tokens { total, input, output, reasoning, cache }, money)
    }

    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }
}
