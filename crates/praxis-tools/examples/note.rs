//! A tool in one file: registers `note`, asks a permission and calls it.
//!
//! `cargo run -p praxis-tools --example note`

use praxis_os::Existing;
use praxis_proto::{Action, Rule};
use praxis_tools::{Ask, Cx, Report, Standalone, Tool, ToolError};
use serde_json::json;

/// Append one line to a note file in the project.
///
/// Use it for facts worth keeping between turns, not for source code.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    /// File name, for example `decisions.md`.
    file: String,
    /// One line, without a line break.
    line: String,
}

struct Note;

impl Tool for Note {
    type Input = Input;

    const NAME: &'static str = "note";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        if input.line.contains('\n') {
            return Err(ToolError::misuse("`line` has a line break; call `note` once per line"));
        }
        let path = cx
            .instance()
            .resolve(&input.file)
            .map_err(|e| ToolError::misuse(format!("`{}` is no file name: {e}", input.file)))?;
        cx.ask_outside(&path).await?;

        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let text = format!("{old}{}\n", input.line);
        let ask = Ask::edit(cx.instance(), &path).with("diff", format!("+{}", input.line));
        let grant = cx.ask(ask).await?;
        cx.write(&grant, &path, text.as_bytes(), Existing::Replace)?;
        Ok(Report::new(input.file, format!("{} lines", text.lines().count())))
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows its result")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("praxis-note-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;

    // What the user would write as `"edit": { "*": "allow", "*.lock": "deny" }`.
    let rule = |pattern: &str, action| Rule::built_in("example", "edit", pattern, action);
    let tools = Standalone::in_folder(&folder)
        .rule(rule("*", Action::Allow))
        .rule(rule("*.lock", Action::Deny))
        .tool(Note)
        .open()
        .await?;

    for arguments in [
        json!({ "file": "decisions.md", "line": "Tabs are out." }),
        json!({ "file": "Cargo.lock", "line": "oops" }),
        json!({ "file": 7 }),
    ] {
        match tools.call("note", arguments).await.outcome {
            Ok(report) => println!("{}: {}", report.title, report.output),
            Err(error) => println!("refused: {error}"),
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
