//! The agents of a project: ours, as the user's configuration changed them, and the user's own.

use indexmap::IndexMap;
use praxis_config::{AgentConfig, AgentMode, Loaded};
use praxis_policy::{Authority, BuiltIn, Ceiling, Layout, finish, for_custom_agent};
use praxis_proto::Rule;
use serde_json::{Map, Value};

/// A named configuration: prompt, model, rules, mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// The name.
    pub name: String,
    /// When to use it.
    pub description: Option<String>,
    /// Who may start it.
    pub mode: AgentMode,
    /// Not shown in lists.
    pub hidden: bool,
    /// Whether it comes with Praxis.
    pub built_in: bool,
    /// What it may do.
    pub authority: Authority,
    /// Its own model, as `provider/model`.
    pub model: Option<String>,
    /// The model's variant.
    pub variant: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Its system prompt.
    pub prompt: Option<String>,
    /// After how many steps it must answer in text.
    pub steps: Option<u32>,
    /// The colour clients show.
    pub color: Option<String>,
    /// Further options for the provider.
    pub options: Map<String, Value>,
}

impl Agent {
    /// Whether a session may start with it.
    pub fn is_primary(&self) -> bool {
        self.mode != AgentMode::Subagent
    }
}

/// Why there is no such agent, or it cannot be used so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// Nobody of that name.
    #[error("there is no agent `{name}`; there {}{}", told(.available), hint(.suggestion))]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        available: Vec<String>,
        /// The name that may have been meant.
        suggestion: Option<String>,
    },
    /// `default_agent` names one that cannot be the default.
    #[error("`default_agent` is `{name}`, which is {why}; choose a visible primary agent")]
    NotADefault {
        /// The name.
        name: String,
        /// Why it cannot be.
        why: &'static str,
    },
}

fn told(names: &[String]) -> String {
    format!("are {}", names.join(", "))
}

fn hint(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!(". Did you mean `{name}`?")).unwrap_or_default()
}

/// All agents of a project.
#[derive(Debug, Clone)]
pub struct Agents {
    agents: IndexMap<String, Agent>,
    default: String,
}

impl Agents {
    /// Puts rules together: the defaults, the agent's own, the user's general ones, the user's for this agent.
    pub fn assemble(loaded: &Loaded, layout: &Layout) -> Result<Self, AgentError> {
        let empty = AgentConfig::default();
        let mut agents = IndexMap::new();
        for kind in BuiltIn::ALL {
            let config = loaded.agents().get(kind.name()).unwrap_or(&empty);
            if config.disable != Some(true) {
                agents.insert(kind.name().to_owned(), built_in(kind, config, loaded, layout));
            }
        }
        for (name, config) in loaded.agents() {
            if BuiltIn::named(name).is_none() && config.disable != Some(true) {
                agents.insert(name.clone(), custom(name, config, loaded, layout));
            }
        }
        agents.sort_keys();
        let default = default_agent(&agents, loaded.config.default_agent.as_deref())?;
        if let Some(index) = agents.get_index_of(&default) {
            agents.move_index(index, 0);
        }
        Ok(Self { agents, default })
    }

    /// All of them, the default first, then by name.
    pub fn all(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }

    /// The one a session starts with.
    pub fn default_name(&self) -> &str {
        &self.default
    }

    /// One by name; `None` is the default.
    pub fn get(&self, name: Option<&str>) -> Result<&Agent, AgentError> {
        let name = name.unwrap_or(&self.default);
        self.agents.get(name).ok_or_else(|| AgentError::Unknown {
            name: name.to_owned(),
            available: self.all().filter(|agent| !agent.hidden).map(|agent| agent.name.clone()).collect(),
            suggestion: self.closest(name),
        })
    }

    fn closest(&self, name: &str) -> Option<String> {
        let near = |known: &&String| strsim::osa_distance(known, name) <= 2;
        self.agents.keys().filter(near).min_by_key(|known| strsim::osa_distance(known, name)).cloned()
    }
}

fn default_agent(agents: &IndexMap<String, Agent>, configured: Option<&str>) -> Result<String, AgentError> {
    if let Some(name) = configured {
        let why = match agents.get(name) {
            None => "no agent",
            Some(agent) if agent.hidden => "hidden",
            Some(agent) if !agent.is_primary() => "a subagent",
            Some(_) => return Ok(name.to_owned()),
        };
        return Err(AgentError::NotADefault { name: name.to_owned(), why });
    }
    let usable = |agent: &&Agent| agent.is_primary() && !agent.hidden;
    let build = agents.get(BuiltIn::Build.name()).filter(usable);
    let chosen = build.or_else(|| agents.values().find(usable));
    chosen.map(|agent| agent.name.clone()).ok_or(AgentError::NotADefault {
        name: BuiltIn::Build.name().to_owned(),
        why: "disabled, as all others are",
    })
}

fn built_in(kind: BuiltIn, config: &AgentConfig, loaded: &Loaded, layout: &Layout) -> Agent {
    let (mode, hidden, description) = match kind {
        BuiltIn::Build => {
            (AgentMode::Primary, false, "The default agent: works with all tools, as the rules allow.")
        }
        BuiltIn::Plan => (AgentMode::Primary, false, "Looks and plans; changes nothing but plan files."),
        BuiltIn::General => (
            AgentMode::Subagent,
            false,
            "A helper for questions and work that take several steps; start several to work side by side.",
        ),
        BuiltIn::Explore => (
            AgentMode::Subagent,
            false,
            "A fast helper that only looks: finds files by pattern, searches code, answers where and how things are done.",
        ),
        BuiltIn::Compaction => (AgentMode::Primary, true, "Shortens long sessions."),
        BuiltIn::Title => (AgentMode::Primary, true, "Names sessions."),
        BuiltIn::Summary => (AgentMode::Primary, true, "Sums up changes."),
    };
    let authority = authority(kind.rules(layout), config, loaded, layout);
    let ceilings = kind.ceiling(layout).into_iter().chain(ceilings(kind.name(), loaded));
    Agent {
        mode: config.mode.unwrap_or(mode),
        hidden: config.hidden.unwrap_or(hidden),
        built_in: true,
        description: config.description.clone().or_else(|| Some(description.to_owned())),
        authority: ceilings.fold(authority, Authority::under),
        temperature: config.temperature.or((kind == BuiltIn::Title).then_some(0.5)),
        ..plain(kind.name(), config)
    }
}

fn custom(name: &str, config: &AgentConfig, loaded: &Loaded, layout: &Layout) -> Agent {
    let authority = authority(for_custom_agent(layout), config, loaded, layout);
    Agent { authority: ceilings(name, loaded).fold(authority, Authority::under), ..plain(name, config) }
}

/// What no rule loosens for an agent: managed configuration, and a project that nobody trusts, which may narrow.
fn ceilings(agent: &str, loaded: &Loaded) -> impl Iterator<Item = Ceiling> {
    let limits = [
        ("managed configuration", loaded.managed.for_agent(agent)),
        ("project configuration (not trusted)", loaded.narrowing.for_agent(agent)),
    ];
    limits.into_iter().filter(|(_, rules)| !rules.is_empty()).map(|(name, rules)| Ceiling::new(name, rules))
}

/// What comes straight from the configuration.
fn plain(name: &str, config: &AgentConfig) -> Agent {
    Agent {
        name: name.to_owned(),
        description: config.description.clone(),
        mode: config.mode.unwrap_or(AgentMode::All),
        hidden: config.hidden.unwrap_or(false),
        built_in: false,
        authority: Authority::nobody(),
        model: config.model.clone(),
        variant: config.variant.clone(),
        temperature: config.temperature,
        top_p: config.top_p,
        prompt: config.prompt.clone(),
        steps: config.steps,
        color: config.color.as_ref().map(|color| color.as_str().to_owned()),
        options: config.options.clone(),
    }
}

fn authority(own: Vec<Rule>, config: &AgentConfig, loaded: &Loaded, layout: &Layout) -> Authority {
    let rules =
        own.into_iter().chain(loaded.rules.iter().cloned()).chain(config.rules.iter().cloned()).collect();
    Authority::new(finish(rules, layout))
}
