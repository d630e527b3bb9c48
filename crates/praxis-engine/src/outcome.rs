//! How a run ends, and what it may use.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use praxis_proto::{AssistantMessage, Failure, SessionId};
use praxis_store::StoreError;

use crate::command::CommandError;
use crate::prompt::PromptError;
use crate::runner::MOST_WAITING;
use crate::{AgentError, ModelError};

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The last answer, if there is any.
    pub message: Option<AssistantMessage>,
    /// Why the run ended.
    pub ended: Ended,
    /// How many answers it took.
    pub steps: u32,
    /// What they cost, in US dollars.
    pub cost: f64,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The model has said what it had to say.
    Done,
    /// It failed; the message says the same.
    Failed(Box<Failure>),
    /// The user refused a permission, or dismissed a question, and said nothing more.
    Blocked,
    /// The user stopped it.
    Cancelled,
    /// A limit was reached.
    Limit(Limit),
}

/// A limit that ended a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// So many answers.
    Steps(u32),
    /// So many US dollars.
    Budget(f64),
    /// So much time.
    Deadline(Duration),
    /// The same call of this tool again and again, always with the same result.
    Loop {
        /// The tool.
        tool: String,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(steps) => write!(f, "the limit of {steps} steps was reached"),
            Self::Budget(dollars) => write!(f, "the budget of ${dollars} is used up"),
            Self::Deadline(time) => write!(f, "the run did not end within {time:?}"),
            Self::Loop { tool } => {
                write!(f, "the same call of `{tool}` was made again and again with the same result")
            }
        }
    }
}

/// What a run may use; nothing is limited unless it is named.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// The most answers.
    pub steps: Option<u32>,
    /// The most money, in US dollars.
    pub budget: Option<f64>,
    /// The longest time.
    pub deadline: Option<Duration>,
}

/// Why the engine could not do something. Cheap to clone, for all who wait for one run hear the same.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The store refused.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// There is no such agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The model cannot be asked.
    #[error(transparent)]
    Model(Arc<ModelError>),
    /// The prompt cannot be taken.
    #[error(transparent)]
    Prompt(Arc<PromptError>),
    /// The slash command does not run.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Something else is under way in the session.
    #[error("session `{0}` is busy; wait until it is idle, or cancel what it does")]
    Busy(SessionId),
    /// Too many prompts wait already.
    #[error("{MOST_WAITING} prompts wait in session `{0}` already; wait until some are answered, or cancel")]
    Full(SessionId),
    /// The id is taken.
    #[error("session `{session}` has a message `{id}` already; leave the id out, or make a new one")]
    Taken {
        /// The session.
        session: SessionId,
        /// The id.
        id: String,
    },
    /// There is nothing to answer.
    #[error("session `{0}` has no message to answer; send a prompt first")]
    Empty(SessionId),
    /// Our own fault.
    #[error("the run of session `{0}` crashed; what was stored of it is kept. Please report this")]
    Crashed(SessionId),
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl From<ModelError> for EngineError {
    fn from(error: ModelError) -> Self {
        Self::Model(Arc::new(error))
    }
}

impl From<PromptError> for EngineError {
    fn from(error: PromptError) -> Self {
        Self::Prompt(Arc::new(error))
    }
}

/// Why a run is being stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    User,
    Deadline(Duration),
}

impl Why {
    pub(crate) fn told(self) -> String {
        match self {
            Self::User => "the user cancelled the run".to_owned(),
            Self::Deadline(time) => Limit::Deadline(time).to_string(),
        }
    }

    pub(crate) fn ended(self) -> Ended {
        match self {
            Self::User => Ended::Cancelled,
            Self::Deadline(time) => Ended::Limit(Limit::Deadline(time)),
        }
    }
}
