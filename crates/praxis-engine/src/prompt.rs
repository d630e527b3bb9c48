//! What the user sends, and the user message that is made of it: attachments read, mentions followed, notes added.

mod address;
mod attach;
mod expand;
pub mod mention;
mod resource;

use std::path::Path;

use indexmap::IndexMap;
use praxis_proto::{
    Action, AgentPart, AnswerFormat, Created, FilePart, MessageId, MessageModel, Part, PartBody, PartId,
    SessionId, SessionRule, SubtaskPart, TextPart, UserMessage,
};
use serde::{Deserialize, Serialize};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

pub(crate) use address::file_url;
pub use resource::{NoResources, ResourceContent, Resources};

use self::expand::Expander;
use crate::{Agent, Workbench};

/// Parts of one prompt.
pub const MOST_PARTS: usize = 256;
/// Bytes of what the user wrote, all texts of one prompt together.
pub const MOST_TEXT: usize = 4 << 20;

/// What the user sends, as clients write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptInput {
    /// The session.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The id the message shall have.
    #[serde(rename = "messageID", default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The model that shall answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<MessageModel>,
    /// The agent that shall answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model's variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// When it is said to the model, where something is under way.
    #[serde(default)]
    pub delivery: Delivery,
    /// Only store the message; nobody answers.
    #[serde(default)]
    pub no_reply: bool,
    /// More system text for this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What form the answer must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<AnswerFormat>,
    /// Tools that are switched on or off, which become the session's rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<IndexMap<String, bool>>,
    /// What was written and attached.
    pub parts: Vec<PromptPart>,
}

impl PromptInput {
    /// A prompt of these parts for the session's usual agent and model.
    pub fn new(session: SessionId, parts: Vec<PromptPart>) -> Self {
        Self {
            session,
            message: None,
            model: None,
            agent: None,
            variant: None,
            delivery: Delivery::Steer,
            no_reply: false,
            system: None,
            format: None,
            tools: None,
            parts,
        }
    }

    /// A prompt of one text.
    pub fn text(session: SessionId, text: impl Into<String>) -> Self {
        Self::new(session, vec![PromptPart::text(text)])
    }
}

/// When a prompt is said to a model that is at work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// Between two steps of the run that is under way, which goes on from there.
    #[default]
    Steer,
    /// In a run of its own, when what is under way has ended.
    Queue,
}

/// One piece of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptPart {
    /// The id the part shall have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<PartId>,
    /// What it is.
    #[serde(flatten)]
    pub body: PromptBody,
    /// Who put it there.
    #[serde(skip)]
    pub by: Attached,
}

/// What a piece of a prompt is, by its `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum PromptBody {
    /// Text.
    Text(TextPart),
    /// A file, a folder or a server's resource.
    File(FilePart),
    /// An agent that is named.
    Agent(AgentPart),
    /// Work for a subagent.
    Subtask(SubtaskPart),
}

/// Who attached something, which decides whether reading it needs a permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Attached {
    /// The user, who may read what they like.
    #[default]
    ByUser,
    /// A template, which may name what the agent may read.
    ByTemplate,
}

impl PromptPart {
    /// A text of the user.
    pub fn text(text: impl Into<String>) -> Self {
        PromptBody::Text(TextPart { text: text.into(), ..TextPart::default() }).into()
    }

    /// A file or folder that the user attached, by its absolute path.
    pub fn file(path: &Path) -> Self {
        let mime = if path.is_dir() { "application/x-directory" } else { "text/plain" };
        let filename = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let (mime, url) = (mime.to_owned(), file_url(path));
        PromptBody::File(FilePart { mime, filename, url, source: None, extra: Map::new() }).into()
    }
}

impl From<PromptBody> for PromptPart {
    fn from(body: PromptBody) -> Self {
        Self { id: None, body, by: Attached::ByUser }
    }
}

/// Why there is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// No part says anything.
    #[error("the prompt says nothing; write a text, or attach a file")]
    Empty,
    /// More parts than we take.
    #[error("the prompt has {0} parts, and {MOST_PARTS} are the most; attach a folder instead of its files")]
    TooManyParts(usize),
    /// More text than we take.
    #[error(
        "the prompt has {0} bytes of text, and {MOST_TEXT} are the most; put it into a file and name that"
    )]
    TooLong(usize),
}

/// Who answers, with what, and when it was asked.
#[derive(Debug, Clone)]
pub struct Standing<'a> {
    /// The agent that answers.
    pub agent: &'a Agent,
    /// The model that answers.
    pub model: MessageModel,
    /// Now, in milliseconds since the Unix epoch.
    pub now: u64,
    /// Stops the reading of attachments.
    pub cancel: CancellationToken,
}

/// A user message ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Drafted {
    /// The message.
    pub message: UserMessage,
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// The rules that replace the session's, where the prompt switched tools.
    pub rules: Option<Vec<SessionRule>>,
    /// Attachments that could not be had; the message says so too.
    pub problems: Vec<String>,
}

/// Makes user messages.
pub struct Drafter<'a> {
    workbench: &'a Workbench,
    resources: &'a dyn Resources,
}

impl<'a> Drafter<'a> {
    /// Makes messages in this project; no server has resources.
    pub fn new(workbench: &'a Workbench) -> Self {
        Self { workbench, resources: &NoResources }
    }

    /// Reads the resources of servers with this.
    #[must_use]
    pub fn with_resources(self, resources: &'a dyn Resources) -> Self {
        Self { resources, ..self }
    }

    /// Makes the message of a prompt. What cannot be attached becomes a note in it.
    pub async fn draft(&self, input: PromptInput, standing: Standing<'_>) -> Result<Drafted, PromptError> {
        check(&input.parts)?;
        let Standing { agent, model, now, cancel } = standing;
        let PromptInput { session, message, system, format, tools, parts, variant, .. } = input;
        let mint = &self.workbench.mint;
        let message = message.unwrap_or_else(|| mint.message());
        let mut expander =
            Expander::new(self.workbench, self.resources, agent, session.clone(), message.clone(), cancel);
        for part in parts {
            expander.take(part).await;
        }
        let (bodies, problems) = expander.done();
        let part = |(id, body): (Option<PartId>, PartBody)| Part {
            id: id.unwrap_or_else(|| mint.part()),
            session: session.clone(),
            message: message.clone(),
            body,
        };
        let parts = bodies.into_iter().map(part).collect();
        let rules = tools.as_ref().map(session_rules);
        let model = MessageModel { variant: variant.or(model.variant), ..model };
        let message = UserMessage {
            id: message,
            session,
            time: Created { created: now },
            format,
            summary: None,
            agent: agent.name.clone(),
            model,
            system,
            tools,
            extra: Map::new(),
        };
        Ok(Drafted { message, parts, rules, problems })
    }
}

fn check(parts: &[PromptPart]) -> Result<(), PromptError> {
    if parts.len() > MOST_PARTS {
        return Err(PromptError::TooManyParts(parts.len()));
    }
    // A request without a word of the user's is refused by every provider.
    if parts.iter().all(|part| matches!(&part.body, PromptBody::Text(text) if text.text.trim().is_empty())) {
        return Err(PromptError::Empty);
    }
    let bytes = parts.iter().map(|part| match &part.body {
        PromptBody::Text(text) => text.text.len(),
        PromptBody::Subtask(subtask) => subtask.prompt.len(),
        PromptBody::File(_) | PromptBody::Agent(_) => 0,
    });
    match bytes.sum() {
        bytes if bytes > MOST_TEXT => Err(PromptError::TooLong(bytes)),
        _ => Ok(()),
    }
}

/// The rules that the older `tools` map stands for, in its order.
pub fn session_rules(tools: &IndexMap<String, bool>) -> Vec<SessionRule> {
    let rule = |(tool, on): (&String, &bool)| SessionRule {
        permission: tool.clone(),
        pattern: "*".to_owned(),
        action: if *on { Action::Allow } else { Action::Deny },
    };
    tools.iter().map(rule).collect()
}

#[cfg(test)]
mod tests;
