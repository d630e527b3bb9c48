//! Stored messages as the model reads them.

use std::sync::Arc;

use praxis_llm::normalise::{INTERRUPTED, of_another_model};
use praxis_llm::{AssistantPart, Media, Message as Said, Metadata, Output, ToolResult, UserPart};
use praxis_proto::{AssistantMessage, Failure, FilePart, Part, PartBody, ToolPart, ToolState};
use serde_json::{Map, Value};

/// What stands in the place of an output that was pruned.
const PRUNED: &str =
    "(This output is no longer kept in the conversation. Call the tool again if you need it.)";
/// What stands in the place of a request for a compaction.
const SUMMED_UP: &str = "Sum up our work up to here.";
/// Files whose content is in the text beside them already.
const TOLD_AS_TEXT: [&str; 2] = ["text/plain", "application/x-directory"];

/// A user message, and the note that goes with it.
pub(super) fn user(parts: &[Part], note: Option<&str>, out: &mut Vec<Said>) {
    let mut said: Vec<UserPart> = parts.iter().filter_map(|part| from_user(&part.body)).collect();
    if said.is_empty() {
        return;
    }
    said.extend(note.map(|note| UserPart::Text(note.into())));
    out.push(Said::User(said));
}

fn from_user(body: &PartBody) -> Option<UserPart> {
    let text = |text: &str| Some(UserPart::Text(text.into()));
    match body {
        PartBody::Text(part) if part.ignored != Some(true) && !part.text.is_empty() => text(&part.text),
        PartBody::File(file) if !TOLD_AS_TEXT.contains(&file.mime.as_str()) => {
            Some(UserPart::Media(media(file)?))
        }
        PartBody::Compaction(_) => text(SUMMED_UP),
        // Until there are subagents, whoever answers does the work.
        PartBody::Subtask(subtask) => text(&subtask.prompt),
        _ => None,
    }
}

/// An answer with the results of its calls; `same` says that the model that reads it has written it.
pub(super) fn answer(message: &AssistantMessage, parts: &[Part], same: bool, out: &mut Vec<Said>) {
    if !is_worth_telling(message, parts) {
        return;
    }
    let signed = same && parts.iter().any(|part| is_signed(&part.body));
    let (mut said, mut results) = (Vec::new(), Vec::new());
    for part in parts {
        match &part.body {
            PartBody::StepStart(_) => give(&mut said, &mut results, same, out),
            PartBody::Text(text) if !text.text.is_empty() || signed => said.push(AssistantPart::Text {
                // Signed thoughts keep their places only if nothing between them goes.
                text: if text.text.is_empty() { " ".into() } else { text.text.as_str().into() },
                metadata: metadata(text.metadata.as_ref()),
            }),
            PartBody::Reasoning(thought) => said.push(AssistantPart::Reasoning {
                text: thought.text.as_str().into(),
                metadata: metadata(thought.metadata.as_ref()),
            }),
            PartBody::Tool(tool) => {
                let (call, result) = pair(tool);
                said.push(call);
                results.push(result);
            }
            _ => {}
        }
    }
    give(&mut said, &mut results, same, out);
}

fn give(said: &mut Vec<AssistantPart>, results: &mut Vec<ToolResult>, same: bool, out: &mut Vec<Said>) {
    let (mut said, results) = (std::mem::take(said), std::mem::take(results));
    if !same {
        of_another_model(&mut said);
    }
    if said.is_empty() {
        return;
    }
    out.push(Said::Assistant(said));
    if !results.is_empty() {
        out.push(Said::Tool(results));
    }
}

/// A failed answer is left out, unless something came of it: words before somebody stopped it, or calls that ran. A
/// call must not be forgotten, or the model would make it again.
fn is_worth_telling(message: &AssistantMessage, parts: &[Part]) -> bool {
    let Some(error) = &message.error else { return true };
    // A text may have begun and have no word yet; providers refuse an answer that says nothing.
    let is_work = |part: &Part| match &part.body {
        PartBody::Text(text) => !text.text.trim().is_empty(),
        PartBody::Tool(_) => true,
        _ => false,
    };
    let ran = |part: &Part| matches!(&part.body, PartBody::Tool(tool) if !never_ran(tool));
    match error {
        Failure::Aborted { .. } => parts.iter().any(is_work),
        _ => parts.iter().any(ran),
    }
}

/// Its arguments never became whole.
fn never_ran(tool: &ToolPart) -> bool {
    match tool.state() {
        ToolState::Pending(_) => true,
        ToolState::Error(failed) => failed.input.is_empty() && is_interrupted(failed.metadata.as_ref()),
        ToolState::Running(_) | ToolState::Completed(_) => false,
    }
}

/// A call and its result, always both.
fn pair(tool: &ToolPart) -> (AssistantPart, ToolResult) {
    let (input, output) = match tool.state() {
        ToolState::Completed(done) if done.time.compacted.is_some() => {
            (&done.input, Output::Text(PRUNED.into()))
        }
        ToolState::Completed(done) => {
            let files = done.attachments.iter().flatten().filter_map(|part| match &part.body {
                PartBody::File(file) => media(file),
                _ => None,
            });
            let media: Vec<Media> = files.collect();
            let text: Arc<str> = done.output.as_str().into();
            let output = if media.is_empty() { Output::Text(text) } else { Output::Content { text, media } };
            (&done.input, output)
        }
        ToolState::Error(failed) => {
            let partial = failed.metadata.as_ref().filter(|_| is_interrupted(failed.metadata.as_ref()));
            let partial = partial.and_then(|metadata| metadata.get("output")).and_then(Value::as_str);
            let output = match partial.filter(|text| !text.is_empty()) {
                Some(text) => Output::Text(text.into()),
                None => Output::Error(failed.error.as_str().into()),
            };
            (&failed.input, output)
        }
        ToolState::Running(running) => (&running.input, Output::Error(INTERRUPTED.into())),
        ToolState::Pending(pending) => (&pending.input, Output::Error(INTERRUPTED.into())),
    };
    let (id, name) = (tool.call.as_str().to_owned(), tool.tool.clone());
    let call = AssistantPart::Call {
        id: id.clone(),
        name: name.clone(),
        input: Arc::new(Value::Object(input.clone())),
        metadata: metadata(tool.metadata.as_ref()),
    };
    (call, ToolResult { id, name, output })
}

/// Whether it is a call of ours whose result the model has not read.
pub(super) fn is_live(body: &PartBody) -> bool {
    let PartBody::Tool(tool) = body else { return false };
    let flagged = |metadata: Option<&Map<String, Value>>, key: &str| {
        metadata.and_then(|fields| fields.get(key)) == Some(&Value::Bool(true))
    };
    if flagged(tool.metadata.as_ref(), "providerExecuted") {
        return false;
    }
    match tool.state() {
        ToolState::Error(failed) => !flagged(failed.metadata.as_ref(), "interrupted"),
        ToolState::Pending(_) | ToolState::Running(_) | ToolState::Completed(_) => true,
    }
}

/// Whether it is a call that a model made as its wire format has it.
pub(super) fn is_native(body: &PartBody) -> bool {
    matches!(body, PartBody::Tool(tool) if !metadata(tool.metadata.as_ref()).is_not_native())
}

fn is_interrupted(metadata: Option<&Map<String, Value>>) -> bool {
    metadata.and_then(|fields| fields.get("interrupted")) == Some(&Value::Bool(true))
}

fn is_signed(body: &PartBody) -> bool {
    let PartBody::Reasoning(thought) = body else { return false };
    thought.metadata.as_ref().and_then(|fields| fields.get("anthropic")?.get("signature")).is_some()
}

fn metadata(stored: Option<&Map<String, Value>>) -> Metadata {
    Metadata(stored.cloned().unwrap_or_default())
}

/// Only what is in a data address reaches the model.
fn media(file: &FilePart) -> Option<Media> {
    let (head, data) = file.url.strip_prefix("data:")?.split_once(',')?;
    let mime = if file.mime.is_empty() { head.split(';').next()?.to_owned() } else { file.mime.clone() };
    Some(Media { mime, data: data.into(), name: file.filename.clone() })
}
