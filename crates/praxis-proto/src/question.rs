//! Questions a model puts to the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallRef, SessionId};

/// One choice of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// Short text to pick, one to five words.
    pub label: String,
    /// What picking it means.
    pub description: String,
}

/// One question with its choices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The whole question, as a sentence.
    pub question: String,
    /// A very short label for it, at most 30 characters.
    pub header: String,
    /// The choices.
    pub options: Vec<Choice>,
    /// Whether more than one choice may be picked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple: Option<bool>,
}

/// The labels picked, one list for each question; an empty list is an unanswered question.
pub type Answers = Vec<Vec<String>>;

/// Questions waiting for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionRequest {
    /// `que_…`
    pub id: String,
    /// The session that asks.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
    /// The questions, in order.
    pub questions: Vec<Question>,
    /// The call that asks, if it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<CallRef>,
}
