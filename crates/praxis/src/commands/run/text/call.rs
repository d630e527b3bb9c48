//! A call on the screen: one line, and what it changed.

use praxis_proto::{ToolPart, ToolState};
use serde_json::{Map, Value};

use crate::paint::{Lines, Paint, Tone, harmless};

/// Changed lines of a file that are shown.
const SHOWN: usize = 20;
/// Characters of a line that are looked at; a terminal shows fewer.
const MOST_CHARS: usize = 300;
/// The tool that answers for tools that do not exist.
const INVALID: &str = praxis_tools::builtin::INVALID;
/// Arguments that tell best what a call is about.
const TELLING: [&str; 9] =
    ["command", "filePath", "path", "pattern", "url", "query", "name", "description", "prompt"];

/// What a call is about, on one line.
pub(super) fn label(tool: &ToolPart) -> String {
    let about = match tool.state() {
        ToolState::Completed(done) if tool.tool == INVALID => return one_line(&given(&done.input, "tool")),
        ToolState::Pending(_) => String::new(),
        ToolState::Running(running) => match running.title.as_deref().filter(|title| !title.is_empty()) {
            Some(title) => title.to_owned(),
            None => about(&running.input),
        },
        ToolState::Completed(done) if done.title.is_empty() => about(&done.input),
        ToolState::Completed(done) => done.title.clone(),
        ToolState::Error(failed) => about(&failed.input),
    };
    one_line(&format!("{} {about}", tool.tool))
}

/// A settled call: how it went, and what it changed.
pub(super) fn lines(tool: &ToolPart, paint: Paint) -> Vec<String> {
    let label = label(tool);
    let trouble = match tool.state() {
        ToolState::Error(failed) => Some(one_line(&failed.error)),
        ToolState::Completed(done) if tool.tool == INVALID => Some(one_line(&given(&done.input, "error"))),
        ToolState::Completed(done) => ended(&done.metadata),
        ToolState::Pending(_) | ToolState::Running(_) => None,
    };
    let (mark, tone, line) = match trouble {
        Some(trouble) => ("✗", Tone::Bad, paint.fit(&format!("✗ {label} — {trouble}"))),
        None => ("✓", Tone::Good, paint.fit(&format!("✓ {label}"))),
    };
    let rest = line.strip_prefix(mark).unwrap_or_default();
    let mut lines = vec![format!("{}{rest}", paint.tone(tone, mark))];
    if let ToolState::Completed(done) = tool.state() {
        let more = match done.metadata.get("diff").and_then(Value::as_str) {
            Some(diff) => changes(diff),
            None => todos(&done.metadata),
        };
        lines.extend(more.into_iter().map(|(tone, line)| paint.tone(tone, &paint.fit(&line))));
    }
    lines
}

/// How a command ended that did not end well.
fn ended(metadata: &Map<String, Value>) -> Option<String> {
    let exit = metadata.get("exit")?;
    match (exit.as_i64(), metadata.get("signal").and_then(Value::as_i64)) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, Some(signal)) => Some(format!("ended by signal {signal}")),
        // It goes on in the background.
        (None, None) if metadata.contains_key("job") => None,
        (None, None) => Some("stopped".to_owned()),
    }
}

/// The task list, with a box before each task.
fn todos(metadata: &Map<String, Value>) -> Vec<(Tone, String)> {
    let list = metadata.get("todos").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let line = |todo: &Value| {
        let tick = match todo["status"].as_str() {
            Some("completed") => 'x',
            Some("in_progress") => '>',
            Some("cancelled") => '-',
            _ => ' ',
        };
        (Tone::Quiet, format!("  [{tick}] {}", one_line(todo["content"].as_str().unwrap_or_default())))
    };
    let mut lines: Vec<(Tone, String)> = list.iter().take(SHOWN).map(line).collect();
    if list.len() > SHOWN {
        lines.push((Tone::Quiet, format!("  … {} more tasks", list.len() - SHOWN)));
    }
    lines
}

fn given(input: &Map<String, Value>, name: &str) -> String {
    input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn about(input: &Map<String, Value>) -> String {
    let told = TELLING.iter().find_map(|name| input.get(*name)?.as_str());
    told.unwrap_or_default().to_owned()
}

/// The first line, harmless.
fn one_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    harmless(&line.chars().take(MOST_CHARS).collect::<String>(), Lines::One)
}

/// The lines that came and went, without what is around them.
fn changes(diff: &str) -> Vec<(Tone, String)> {
    let (mut shown, mut more, mut in_hunk) = (Vec::new(), 0_usize, false);
    for line in diff.lines() {
        let tone = match line.as_bytes().first() {
            Some(b'@') => {
                in_hunk = true;
                continue;
            }
            Some(b'+') if in_hunk => Tone::Good,
            Some(b'-') if in_hunk => Tone::Bad,
            Some(b' ' | b'\\') | None => continue,
            // The name of the next file, and what stands between it and the first hunk.
            Some(_) => {
                in_hunk = false;
                continue;
            }
        };
        if shown.len() < SHOWN {
            let line: String = line.chars().take(MOST_CHARS).collect();
            shown.push((tone, format!("  {}", harmless(&line, Lines::One))));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        shown.push((Tone::Quiet, format!("  … {more} more lines")));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(diff: &str) -> Vec<String> {
        changes(diff).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn only_what_came_and_went_is_shown() {
        let diff = "Index: a\n=====\n--- a\n+++ a\n@@ -1,3 +1,3 @@\n same\n--- was a comment\n+++ is one\n\\ No newline\n\
                    Index: b\n=====\n--- b\n+++ b\n@@ -0,0 +1 @@\n+new\u{1b}[2J\n";
        assert_eq!(plain(diff), ["  --- was a comment", "  +++ is one", "  +new\u{fffd}[2J"]);
        assert_eq!(plain(""), [""; 0]);
    }

    #[test]
    fn a_large_change_is_counted() {
        let lines = |count: usize| format!("@@ -0,0 +1 @@\n{}", "+x\n".repeat(count));
        assert_eq!(plain(&lines(SHOWN)).len(), SHOWN);
        assert_eq!(plain(&lines(SHOWN + 2)).last().unwrap(), "  … 2 more lines");
    }
}
