//! A session as people read it.

use std::fmt::Write;

use praxis_proto::{Message, MessageWithParts, PartBody, ToolPart, ToolState};
use praxis_store::Transfer;

use super::since;

/// The whole session: what was said, what was done, what went wrong.
pub(super) fn write(whole: &Transfer) -> String {
    let session = &whole.info;
    let mut text = format!(
        "{}\n{}  {}  {}  ${:.4}\n",
        plain(&session.title),
        session.id,
        plain(&session.directory),
        since(session.time.updated),
        session.cost
    );
    for message in &whole.messages {
        let said = one(message);
        if !said.is_empty() {
            // Writing into a string cannot fail.
            let _ = write!(text, "\n{said}");
        }
    }
    text.trim_end().to_owned()
}

fn one(message: &MessageWithParts) -> String {
    let mut text = String::new();
    let from_user = matches!(message.info, Message::User(_));
    for part in &message.parts {
        let said = match &part.body {
            PartBody::Text(said) if said.ignored == Some(true) || said.synthetic == Some(true) => continue,
            PartBody::Text(said) if from_user => behind("> ", &said.text),
            PartBody::Text(said) => behind("", &said.text),
            PartBody::Reasoning(thought) if !thought.text.trim().is_empty() => behind("~ ", &thought.text),
            PartBody::File(file) => format!("+ {}\n", plain(file.filename.as_deref().unwrap_or(&file.mime))),
            PartBody::Tool(call) => done(call),
            PartBody::Subtask(task) => format!("@ {} {}\n", plain(&task.agent), plain(&task.description)),
            PartBody::Compaction(_) => "— the history before this was summed up —\n".to_owned(),
            _ => continue,
        };
        text.push_str(&said);
    }
    if let Message::Assistant(answer) = &message.info
        && let Some(error) = &answer.error
    {
        text.push_str(&behind("! ", error.message()));
    }
    text
}

fn done(call: &ToolPart) -> String {
    let (mark, rest) = match call.state() {
        ToolState::Pending(_) | ToolState::Running(_) => ("…", String::new()),
        ToolState::Completed(done) => ("✓", done.title.clone()),
        ToolState::Error(failed) => ("✗", format!("— {}", failed.error)),
    };
    let rest = plain(rest.lines().next().unwrap_or_default());
    format!("{mark} {} {rest}", plain(&call.tool)).trim_end().to_owned() + "\n"
}

fn behind(mark: &str, text: &str) -> String {
    text.trim_end().lines().map(|line| format!("{mark}{}\n", plain(line))).collect()
}

/// Text that cannot do anything to a terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}
