//! What was asked of a model, as a script sees it: the same over every wire format.

use std::collections::HashMap;

use crate::{AssistantPart, Message, Output, Request, UserPart};

/// A request, reduced to what conditions look at.
///
/// Wire formats cut a conversation into messages in different ways, so neighbours of one role are one message here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The system text.
    pub system: String,
    /// The conversation.
    pub messages: Vec<SeenMessage>,
    /// The names of the tools that are offered.
    pub tools: Vec<String>,
    /// The results behind the last message of the model: those that it has not seen yet.
    pub results: Vec<SeenResult>,
    /// The model, where it is known.
    pub model: Option<String>,
    /// The agent, where it is known: wire formats do not tell.
    pub agent: Option<String>,
    /// Which tool each call is of, for formats whose results do not say.
    pub calls: HashMap<String, String>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMessage {
    /// Whose.
    pub role: Role,
    /// Its text; that of calls and results is not part of it.
    pub text: String,
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user's.
    User,
    /// The model's.
    Assistant,
    /// Results of calls.
    Tool,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenResult {
    /// The call; empty where the format has no ids.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// What came.
    pub text: String,
    /// Whether it is said to be an error; not all formats can say so.
    pub is_error: Option<bool>,
}

impl Seen {
    /// What a script sees of a request.
    pub fn of(request: &Request) -> Self {
        let mut seen = Self::default();
        seen.ask(request);
        for message in &request.messages {
            seen.message(message);
        }
        seen
    }

    /// The system text and the tools are those of a request.
    pub(crate) fn ask(&mut self, request: &Request) {
        let blocks: Vec<&str> = request.system.iter().map(|block| &*block.0).collect();
        self.system = blocks.join("\n");
        self.tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
    }

    /// The same, knowing the agent that asks.
    #[must_use]
    pub fn by_agent(self, agent: impl Into<String>) -> Self {
        Self { agent: Some(agent.into()), ..self }
    }

    /// The same, knowing the model that is asked.
    #[must_use]
    pub fn of_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// Adds text of the user.
    pub fn user(&mut self, text: &str) {
        self.push(Role::User, text);
    }

    /// Adds text of the model.
    pub fn assistant(&mut self, text: &str) {
        self.push(Role::Assistant, text);
        self.results.clear();
    }

    /// Adds a call of the model.
    pub fn call(&mut self, id: &str, tool: &str) {
        self.assistant("");
        self.calls.insert(id.to_owned(), tool.to_owned());
    }

    /// Adds the result of a call; the tool is known from the call if it is not given.
    pub fn result(&mut self, id: &str, tool: Option<&str>, text: &str, is_error: Option<bool>) {
        self.push(Role::Tool, "");
        let tool = tool.or_else(|| self.calls.get(id).map(String::as_str)).unwrap_or_default().to_owned();
        self.results.push(SeenResult { id: id.to_owned(), tool, text: text.to_owned(), is_error });
    }

    /// The last text of the user.
    pub fn last_user(&self) -> &str {
        let last = self.messages.iter().rfind(|message| message.role == Role::User);
        last.map_or("", |message| &message.text)
    }

    fn push(&mut self, role: Role, text: &str) {
        match self.messages.last_mut() {
            Some(last) if last.role == role => {
                if !last.text.is_empty() && !text.is_empty() {
                    last.text.push('\n');
                }
                last.text.push_str(text);
            }
            _ => self.messages.push(SeenMessage { role, text: text.to_owned() }),
        }
    }

    pub(crate) fn message(&mut self, message: &Message) {
        match message {
            Message::User(parts) => {
                self.user("");
                for part in parts {
                    if let UserPart::Text(text) = part {
                        self.user(text);
                    }
                }
            }
            Message::Assistant(parts) => {
                self.assistant("");
                for part in parts {
                    match part {
                        AssistantPart::Text { text, .. } => self.assistant(text),
                        AssistantPart::Call { id, name, .. } => self.call(id, name),
                        AssistantPart::Reasoning { .. } => {}
                    }
                }
            }
            Message::Tool(results) => {
                for result in results {
                    let (text, is_error) = match &result.output {
                        Output::Text(text) | Output::Content { text, .. } => (text, false),
                        Output::Error(text) => (text, true),
                    };
                    self.result(&result.id, Some(&result.name), text, Some(is_error));
                }
            }
            Message::Note(note) => self.user(note),
        }
    }
}
