//! From a prompt to the user message that is stored.

use praxis_proto::{
    Event, Failure, Message, MessageId, MessageModel, Part, PartBody, Session, SessionId, SessionModel,
    TextPart,
};
use praxis_store::{Change, Cut, StoreError};
use praxis_tools::{ImageLimits, fit_picture};
use tokio_util::sync::CancellationToken;

use super::{Engine, Inner};
use crate::outcome::EngineError;
use crate::prompt::{Drafted, Drafter, PromptInput, Standing};

/// Messages looked through for the model that was asked last.
const LOOKED_BACK: usize = 50;

impl Engine {
    /// Makes the user message of a prompt, and brings the session's agent, model and rules up to date.
    pub(super) async fn draft(
        &self,
        input: PromptInput,
        cancel: CancellationToken,
    ) -> Result<Drafted, EngineError> {
        let Inner { workbench, store, models, clock, .. } = &*self.inner;
        let session = store.session(&input.session).await?;
        let agent = workbench.agents.get(input.agent.as_deref().or(session.agent.as_deref()));
        let agent = agent.inspect_err(|error| self.told(&session.id, error))?;
        let last = match (&input.model, &agent.model, &session.model) {
            (None, None, None) => self.last_model(&session.id).await?,
            _ => None,
        };
        let asked = input.model.as_ref().or(last.as_ref());
        let model = models.choose(asked, input.variant.as_deref(), agent, &session);
        let model = model.inspect_err(|error| self.told(&session.id, error))?;
        let standing = Standing { agent, model, now: clock(), cancel };
        let mut drafted = Drafter::new(workbench).draft(input, standing).await?;
        self.inner.hooks.message(&mut drafted.message, &mut drafted.parts).await;
        if !self.inner.hooks.is_empty() {
            let (parts, images) = (std::mem::take(&mut drafted.parts), workbench.images);
            let fitting = tokio::task::spawn_blocking(move || fitted(parts, &images));
            drafted.parts = fitting.await.map_err(|_| EngineError::Crashed(session.id.clone()))?;
        }
        self.keep_up(&session, &drafted).await?;
        Ok(drafted)
    }

    /// The model of the newest user message, for a session that does not say which one it used last.
    async fn last_model(&self, session: &SessionId) -> Result<Option<MessageModel>, EngineError> {
        let cut = Cut { limit: LOOKED_BACK, ..Cut::default() };
        let page = self.inner.store.history(session, cut).await?;
        Ok(page.messages.into_iter().rev().find_map(|message| match message.info {
            Message::User(user) => Some(user.model),
            Message::Assistant(_) => None,
        }))
    }

    async fn keep_up(&self, session: &Session, drafted: &Drafted) -> Result<(), EngineError> {
        let MessageModel { provider, model, variant } = drafted.message.model.clone();
        let model = Some(SessionModel { id: model, provider, variant });
        let agent = Some(drafted.message.agent.clone());
        let mut changes = Vec::new();
        if session.model != model {
            changes.push(Change::Model(model));
        }
        if session.agent != agent {
            changes.push(Change::Agent(agent));
        }
        changes.extend(drafted.rules.clone().map(|rules| Change::Permission(Some(rules))));
        if changes.is_empty() {
            return Ok(());
        }
        let changed = self.inner.store.change(&session.id, changes).await?;
        self.inner.workbench.bus.publish(Event::SessionUpdated(changed.into()));
        Ok(())
    }

    /// Refuses ids of the client's own that are taken: what has them would be overwritten.
    pub(super) async fn check_ids(
        &self,
        session: &SessionId,
        message: Option<&MessageId>,
    ) -> Result<(), EngineError> {
        let Some(message) = message else { return Ok(()) };
        match self.inner.store.message(session, message).await {
            Err(StoreError::NoMessage { .. }) => {
                // Clients sort by id: what answers it must sort behind it.
                self.inner.workbench.mint.stay_behind(message.as_str());
                Ok(())
            }
            Err(error) => Err(error.into()),
            Ok(_) => Err(EngineError::Taken { session: session.clone(), id: message.to_string() }),
        }
    }

    fn told(&self, session: &SessionId, problem: &dyn ToString) {
        let failure = Failure::Unknown { message: problem.to_string(), reference: None };
        let (session, error) = (Some(session.clone()), Some(Box::new(failure)));
        self.inner.workbench.bus.publish(Event::SessionError { session, error });
    }
}

/// Extensions may add pictures of any size and kind; those that no model can be shown become a note.
fn fitted(mut parts: Vec<Part>, limits: &ImageLimits) -> Vec<Part> {
    for part in &mut parts {
        let PartBody::File(file) = &mut part.body else { continue };
        if !file.mime.starts_with("image/") || !file.url.starts_with("data:") {
            continue;
        }
        match fit_picture(&file.mime, &file.url, limits) {
            Ok(None) => {}
            Ok(Some((mime, url))) => (file.mime, file.url) = (mime, url),
            Err(why) => {
                let text = format!("A picture of the user is left out: {why}");
                let note = TextPart { text, synthetic: Some(true), ..TextPart::default() };
                part.body = PartBody::Text(note);
            }
        }
    }
    parts
}
