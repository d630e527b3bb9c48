//! Each piece of a prompt becomes one or more parts, in order.

use std::collections::HashSet;

use praxis_policy::disabled;
use praxis_proto::{
    AgentPart, Event, Failure, FilePart, FileSource, MessageId, PartBody, PartId, SessionId, TextPart,
};
use praxis_tools::registry::{Offer, Reach, Scene};
use praxis_tools::{Cx, Report};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::attach::Attachments;
use super::{Attached, PromptBody, PromptPart, Resources, mention};
use crate::{Agent, CallSetting, Workbench};

/// Bytes of text that attachments bring into one message.
const MOST_TEXT: usize = 2 << 20;
/// Bytes of media, as they are sent.
const MOST_MEDIA: usize = 48 << 20;

type Bodies = Vec<(Option<PartId>, PartBody)>;

/// Makes parts, and keeps count of what they hold.
pub(super) struct Expander<'a> {
    pub(super) workbench: &'a Workbench,
    pub(super) resources: &'a dyn Resources,
    agent: &'a Agent,
    session: SessionId,
    message: MessageId,
    cancel: CancellationToken,
    offer: Option<Offer>,
    attached: HashSet<String>,
    text: usize,
    media: usize,
    bodies: Bodies,
    problems: Vec<String>,
}

impl<'a> Expander<'a> {
    pub(super) fn new(
        workbench: &'a Workbench,
        resources: &'a dyn Resources,
        agent: &'a Agent,
        session: SessionId,
        message: MessageId,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            workbench,
            resources,
            agent,
            session,
            message,
            cancel,
            offer: None,
            attached: HashSet::new(),
            text: 0,
            media: 0,
            bodies: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The parts and what went wrong.
    pub(super) fn done(self) -> (Bodies, Vec<String>) {
        (self.bodies, self.problems)
    }

    /// Takes the next piece.
    pub(super) async fn take(&mut self, part: PromptPart) {
        let is_new = match &part.body {
            PromptBody::File(_) | PromptBody::Agent(_) => self.attached.insert(mention::identity(&part)),
            PromptBody::Text(_) | PromptBody::Subtask(_) => true,
        };
        if !is_new {
            return;
        }
        let PromptPart { id, body, by } = part;
        match body {
            PromptBody::Text(text) => self.bodies.push((id, PartBody::Text(text))),
            PromptBody::Subtask(subtask) => self.bodies.push((id, PartBody::Subtask(subtask))),
            PromptBody::Agent(agent) => self.name_agent(id, agent),
            PromptBody::File(file) => self.attach(id, file, by).await,
        }
    }

    fn name_agent(&mut self, id: Option<PartId>, named: AgentPart) {
        let name = named.name.clone();
        self.bodies.push((id, PartBody::Agent(named)));
        let Ok(agent) = self.workbench.agents.get(Some(&name)) else {
            return self.note(format!("The user named an agent `{name}`, and there is none of that name."));
        };
        let denied = disabled("task", &self.agent.authority);
        let anyway =
            if denied { " It is there because the user named it, whatever your rules say." } else { "" };
        let name = &agent.name;
        self.note(format!(
            "The user named the agent `{name}`: hand it what the message wants of it with the `task` tool, \
             with `subagent_type` \"{name}\".{anyway}"
        ));
    }

    async fn attach(&mut self, id: Option<PartId>, file: FilePart, by: Attached) {
        let name = shown_name(&file);
        let attached = Attachments { file: &file, by, name: &name };
        match attached.read(self).await {
            Ok(pieces) => self.add(id, &name, pieces),
            Err(why) => self.fail(&name, &why),
        }
    }

    /// Adds what an attachment gave, unless it is more than a message can hold.
    fn add(&mut self, id: Option<PartId>, name: &str, pieces: Vec<PartBody>) {
        let (mut text, mut media) = (self.text, self.media);
        for piece in &pieces {
            match piece {
                PartBody::Text(part) => text += part.text.len(),
                PartBody::File(part) if part.url.starts_with("data:") => media += part.url.len(),
                _ => {}
            }
        }
        if text > MOST_TEXT || media > MOST_MEDIA {
            return self.fail(name, "the attachments before it leave no room for it in this message");
        }
        (self.text, self.media) = (text, media);
        // The client's id goes to the first part that is the attachment itself.
        let mut id = id;
        for piece in pieces {
            let id = if matches!(piece, PartBody::File(_)) { id.take() } else { None };
            self.bodies.push((id, piece));
        }
    }

    fn fail(&mut self, name: &str, why: &str) {
        self.note(format!("The user attached `{name}`, and it could not be had: {why}"));
        let problem = format!("`{name}` is not attached: {why}");
        let error = Failure::Unknown { message: problem.clone(), reference: None };
        self.workbench.bus.publish(Event::SessionError {
            session: Some(self.session.clone()),
            error: Some(Box::new(error)),
        });
        self.problems.push(problem);
    }

    fn note(&mut self, text: String) {
        self.bodies.push((None, synthetic(text)));
    }

    /// Calls the read tool, as the user who attached the file or as the agent whose template did.
    pub(super) async fn call_read(&mut self, arguments: Value, by: Attached) -> Result<Report, String> {
        let offer = match &self.offer {
            Some(offer) => offer.clone(),
            None => {
                let scene =
                    Scene { reach: Reach::Everything, ..Scene::for_agent(self.agent.authority.clone()) };
                self.offer.insert(self.workbench.registry.resolve(&scene).await).clone()
            }
        };
        offer.call("read", arguments, &self.cx(by)).await.outcome.map_err(|error| error.to_string())
    }

    /// The context of whoever attached something.
    pub(super) fn cx(&self, by: Attached) -> Cx {
        let authority = match by {
            Attached::ByUser => self.workbench.users_authority("the user attached it"),
            Attached::ByTemplate => self.agent.authority.clone(),
        };
        let setting = CallSetting {
            session: self.session.clone(),
            message: self.message.clone(),
            call: self.workbench.mint.call(),
            cancel: self.cancel.clone(),
        };
        self.workbench.cx(&Agent { authority, ..self.agent.clone() }, setting)
    }
}

/// A text that the program adds for the model.
pub(super) fn synthetic(text: String) -> PartBody {
    PartBody::Text(TextPart { text, synthetic: Some(true), ..TextPart::default() })
}

/// How an attachment is called in notes.
fn shown_name(file: &FilePart) -> String {
    let by_source = || match &file.source {
        Some(FileSource::File { path, .. } | FileSource::Symbol { path, .. }) => Some(path.clone()),
        Some(FileSource::Resource { uri, .. }) => Some(uri.clone()),
        None => None,
    };
    let by_url = || {
        let url = file.url.split('?').next().unwrap_or_default();
        let short: String = url.chars().take(200).collect();
        if url.starts_with("data:") { "attachment".to_owned() } else { short }
    };
    file.filename.clone().filter(|name| !name.is_empty()).or_else(by_source).unwrap_or_else(by_url)
}
