//! Puts questions to the user.

use std::sync::Arc;
use std::time::Duration;

use praxis_policy::Refusal;
use praxis_proto::{Action, Question};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{Cx, Questions, Report, Tool, ToolError};

/// A form with more questions than this is not a question any more.
const MOST_QUESTIONS: usize = 20;

/// Ask the user something you cannot find out yourself, and wait for the answer.
///
/// Use it to settle unclear wishes, to choose between ways with real consequences, or to get a preference. Do not ask
/// what the code, the files or the instructions already say.
///
/// - Give each question two to five choices; put the one you recommend first and add "(Recommended)" to its label.
/// - The user can always type an answer of their own, so do not add a choice like "Other".
/// - Set `multiple` when several choices may hold at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The questions, in order.
    questions: Vec<Question>,
}

/// The `question` tool.
pub struct AskUser {
    questions: Arc<Questions>,
}

impl AskUser {
    /// Asks through `questions`.
    pub fn new(questions: Arc<Questions>) -> Self {
        Self { questions }
    }
}

impl Tool for AskUser {
    type Input = Input;

    const NAME: &'static str = "question";

    async fn run(&self, Input { questions }: Input, cx: &Cx) -> Result<Report, ToolError> {
        if questions.is_empty() || questions.len() > MOST_QUESTIONS {
            let count = questions.len();
            return Err(ToolError::misuse(format!(
                "Ask between 1 and {MOST_QUESTIONS} questions at once, not {count}"
            )));
        }
        // Asking needs no leave, but an agent that must not ask cannot.
        let decision = cx.authority().decide(Self::NAME, "*", &[]);
        if decision.action == Action::Deny {
            return Err(Refusal::Denied(Box::new((Self::NAME.to_owned(), decision))).into());
        }
        let answers = self.questions.ask(questions.clone(), cx).await?;
        let unanswered = Vec::new();
        let pairs: Vec<String> = questions
            .iter()
            .enumerate()
            .map(|(index, question)| match answers.get(index).unwrap_or(&unanswered) {
                labels if labels.is_empty() => format!("\"{}\"=\"Unanswered\"", question.question),
                labels => format!("\"{}\"=\"{}\"", question.question, labels.join(", ")),
            })
            .collect();
        let count = questions.len();
        let title = format!("Asked {count} question{}", if count > 1 { "s" } else { "" });
        let output = format!("The user answered: {}. Go on with these answers in mind.", pairs.join(", "));
        Ok(Report::new(title, output).with("answers", json!(answers)))
    }

    /// People take their time.
    fn deadline(&self) -> Option<Duration> {
        None
    }
}
