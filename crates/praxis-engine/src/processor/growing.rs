//! Texts, thoughts and arguments while they grow.

use std::sync::Arc;

use praxis_llm::Metadata;
use praxis_proto::{CallId, PartBody, Span, ToolPart};
use praxis_store::StoreError;
use serde_json::{Map, Value};

use super::call::Call;
use super::{MOST_CALLS, Processor};
use crate::doom::fingerprint;
use crate::hooks::TextPlace;

impl Processor {
    pub(super) async fn start(&mut self, id: String, body: PartBody) -> Result<(), StoreError> {
        if self.open.contains_key(&id) {
            return Ok(());
        }
        self.add(body).await?;
        self.open.insert(id, self.parts.len() - 1);
        Ok(())
    }

    pub(super) async fn grow(&mut self, id: &str, delta: String) -> Result<(), StoreError> {
        let Some(part) = self.open.get(id).and_then(|index| self.parts[*index].as_mut()) else {
            return Ok(());
        };
        match &mut part.body {
            PartBody::Text(text) => text.text.push_str(&delta),
            PartBody::Reasoning(thought) => thought.text.push_str(&delta),
            _ => return Ok(()),
        }
        self.record.grown(part, delta).await
    }

    pub(super) async fn end(&mut self, id: &str, metadata: Metadata) -> Result<(), StoreError> {
        let Some(index) = self.open.remove(id) else { return Ok(()) };
        let Some(mut part) = self.parts[index].take() else { return Ok(()) };
        let end = Some(self.record.now());
        match &mut part.body {
            PartBody::Text(text) => {
                text.time = text.time.map(|time| Span { end, ..time });
                text.metadata = given(metadata).or_else(|| text.metadata.take());
                let place = TextPlace { session: &part.session, message: &part.message, part: &part.id };
                self.bench.hooks.text(place, &mut text.text).await;
            }
            PartBody::Reasoning(thought) => {
                thought.time.end = end;
                thought.metadata = given(metadata).or_else(|| thought.metadata.take());
            }
            _ => {}
        }
        let stored = self.record.part(&part).await;
        self.parts[index] = Some(part);
        stored
    }

    pub(super) async fn await_call(&mut self, id: String, tool: String) -> Result<(), StoreError> {
        if self.pending.contains_key(&id) {
            return Ok(());
        }
        // Some servers give several calls of an answer the same id, and then could not tell their results apart.
        let own = match self.begun.contains_key(&id) {
            true => self.record.mint.call(),
            false => CallId::from_raw(id.clone()),
        };
        self.add(PartBody::Tool(ToolPart::new(own, tool))).await?;
        self.pending.insert(id, self.parts.len() - 1);
        Ok(())
    }

    pub(super) async fn arguments(&mut self, id: &str, delta: &str) -> Result<(), StoreError> {
        let Some(part) = self.pending.get(id).and_then(|index| self.parts[*index].as_mut()) else {
            return Ok(());
        };
        if let PartBody::Tool(tool) = &mut part.body
            && tool.arguments(delta)
        {
            return self.record.arguments(&part.id, delta).await;
        }
        Ok(())
    }

    /// The arguments are whole: the call begins while the stream goes on.
    pub(super) async fn call(
        &mut self,
        id: String,
        tool: String,
        input: Value,
        metadata: Metadata,
    ) -> Result<(), StoreError> {
        let print = fingerprint(&tool, &input);
        if !self.pending.contains_key(&id) && self.begun.get(&id) == Some(&print) {
            // Told twice; what it does is done once.
            return Ok(());
        }
        self.await_call(id.clone(), tool.clone()).await?;
        self.begun.insert(id.clone(), print);
        let Some(index) = self.pending.remove(&id) else { return Ok(()) };
        let Some(mut part) = self.parts[index].take() else { return Ok(()) };
        let tool = self.bench.name_of(&tool);
        if let PartBody::Tool(call) = &mut part.body {
            call.tool.clone_from(&tool);
            call.metadata = given(metadata);
            call.start(input.clone(), self.record.now());
        }
        // Before it runs, so that a crash leaves word of it.
        self.record.part(&part).await?;
        self.called += 1;
        let over = self.called > MOST_CALLS;
        let call = Call {
            index,
            part,
            tool,
            input,
            over,
            record: self.record.clone(),
            bench: Arc::clone(&self.bench),
        };
        self.calls.spawn(call.run());
        Ok(())
    }
}

pub(super) fn given(metadata: Metadata) -> Option<Map<String, Value>> {
    (!metadata.is_empty()).then_some(metadata.0)
}
