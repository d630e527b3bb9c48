//! What happens in the session, as somebody who looks over its shoulder would see it.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use praxis_proto::{
    Completed, Event, Part, PartBody, PartId, PermissionRequest, ReplyKind, ToolPart, ToolState,
};
use serde_json::Value;

use super::page::{Look, Page};

/// Lines of an output that are shown.
const SHOWN: usize = 12;

/// Turns events into lines, and remembers what the end of the demo needs.
pub(super) struct Show<W> {
    pub(super) page: Page<W>,
    /// The project's folder with a slash, which is left out of what is shown.
    folder: String,
    /// Parts whose growing text is for people.
    texts: HashSet<PartId>,
    /// The last change to a file.
    pub(super) diff: Option<String>,
    /// What the last command printed, where it ended well.
    pub(super) passed: Option<String>,
    /// Whether the user refused something.
    pub(super) refused: bool,
}

impl<W: Write> Show<W> {
    pub(super) fn new(page: Page<W>, project: &Path) -> Self {
        let folder = format!("{}/", project.display());
        Self { page, folder, texts: HashSet::new(), diff: None, passed: None, refused: false }
    }

    /// Shows one event. Questions are the caller's.
    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::PartUpdated { part, .. } => self.part(part),
            Event::PartDelta { part, delta, .. } if self.texts.contains(part) => self.page.grow(delta),
            Event::PermissionReplied(replied) => {
                self.refused |= replied.reply == ReplyKind::Reject;
                Ok(())
            }
            // Everything else is either kept by the store or told by the outcome.
            _ => Ok(()),
        }
    }

    /// A question that nobody is there for, and the answer it gets.
    pub(super) fn answered_for_you(&mut self, request: &PermissionRequest) -> io::Result<()> {
        let patterns = request.patterns.join(", ");
        self.page.line(Look::Strong, &format!("? Allow `{}` on: {patterns}", request.permission))?;
        self.page.prose(
            "Yes, once: nobody is at a terminal, so the demo answers for you. It does so in its own folder only.",
        )
    }

    fn part(&mut self, part: &Part) -> io::Result<()> {
        match &part.body {
            PartBody::Text(text) => {
                // A part that is whole at once is the user's, and they know what they said.
                if text.text.is_empty() {
                    self.page.gap()?;
                    self.texts.insert(part.id.clone());
                }
                Ok(())
            }
            PartBody::Tool(call) => self.call(call),
            _ => Ok(()),
        }
    }

    fn call(&mut self, call: &ToolPart) -> io::Result<()> {
        match call.state() {
            ToolState::Pending(_) | ToolState::Running(_) => self.page.rest(),
            ToolState::Completed(done) => self.completed(&call.tool, done),
            ToolState::Error(failed) => {
                self.page.line(Look::Bad, &format!("✗ {}", call.tool))?;
                self.lines(&failed.error)
            }
        }
    }

    fn completed(&mut self, tool: &str, done: &Completed) -> io::Result<()> {
        let exit = done.metadata.get("exit").and_then(Value::as_i64).unwrap_or(0);
        let (mark, look) = if exit == 0 { ("✓", Look::Good) } else { ("✗", Look::Bad) };
        let told = if exit == 0 { String::new() } else { format!(" (exit code {exit})") };
        self.page.line(look, &format!("{mark} {tool}{}{told}", subject(tool, done)))?;
        match tool {
            "bash" => {
                let output = text(done, "output");
                self.lines(&output)?;
                self.passed = (exit == 0).then_some(output);
                Ok(())
            }
            "read" => self.lines(&text(done, "preview")),
            "todowrite" => self.lines(&todos(done)),
            "edit" => {
                self.diff = Some(text(done, "diff").replace(&self.folder, ""));
                Ok(())
            }
            _ => self.lines(&done.output),
        }
    }

    fn lines(&mut self, text: &str) -> io::Result<()> {
        let text = text.replace(&self.folder, "");
        let mut lines = text.lines().filter(|line| !line.is_empty());
        for line in lines.by_ref().take(SHOWN) {
            self.page.line(Look::Faint, &format!("  {line}"))?;
        }
        match lines.count() {
            0 => Ok(()),
            more => self.page.line(Look::Faint, &format!("  … {more} more lines")),
        }
    }
}

/// What a call was about: what was asked for, rather than what came.
fn subject(tool: &str, done: &Completed) -> String {
    let given = |key: &str| done.input.get(key).and_then(Value::as_str).unwrap_or(&done.title);
    match tool {
        "bash" => format!(" {}", given("command")),
        "grep" => format!(" {}", given("pattern")),
        "read" => format!(" {}", given("filePath")),
        "edit" => {
            let count = |key: &str| done.metadata.get("filediff").and_then(|diff| diff[key].as_u64());
            let (more, fewer) = (count("additions").unwrap_or(0), count("deletions").unwrap_or(0));
            format!(" {} (+{more} -{fewer})", given("filePath"))
        }
        _ => String::new(),
    }
}

fn text(done: &Completed, key: &str) -> String {
    done.metadata.get(key).and_then(Value::as_str).unwrap_or(&done.output).to_owned()
}

/// The list with a box before each task.
fn todos(done: &Completed) -> String {
    let field = |todo: &Value, name: &str| todo[name].as_str().unwrap_or_default().to_owned();
    let line = |todo: &Value| {
        let tick = match &*field(todo, "status") {
            "completed" => 'x',
            "in_progress" => '>',
            _ => ' ',
        };
        format!("[{tick}] {}", field(todo, "content"))
    };
    let list = done.metadata.get("todos").and_then(Value::as_array);
    list.into_iter().flatten().map(line).collect::<Vec<_>>().join("\n")
}
