//! A tool in one file: registers `note`, asks a permission and calls it.
//!
//! `cargo run -p praxis-tools --example note`

use std::sync::Arc;

use praxis_proto::{Action, CallId, Mint, Rule};
use praxis_text::Limits;
use praxis_tools::registry::{Fixed, Scene, SourceKind};
use praxis_tools::{
    Ask, Attendance, Authority, Bus, Cx, CxParts, Instance, NoGrants, OutputStore, Permissions,
    PermissionsParts, Registry, Report, Tool, ToolError, system_clock,
};
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
        cx.write(&grant, text.as_bytes())?;
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
    let authority = Authority::new(vec![rule("*", Action::Allow), rule("*.lock", Action::Deny)]);

    let (clock, bus) = (system_clock(), Bus::default());
    let mint = Arc::new(Mint::new({
        let clock = Arc::clone(&clock);
        move || clock()
    }));
    let permissions = Permissions::open(PermissionsParts {
        mint: Arc::clone(&mint),
        bus: bus.clone(),
        store: Arc::new(NoGrants),
        clock,
        attendance: Attendance::Unattended,
        observers: vec![],
        hooks: vec![],
    })?;
    let outputs = OutputStore::new(folder.join("outputs"), Arc::clone(&mint), Limits::default());
    let registry = Registry::new(outputs).with(Fixed::new("example", SourceKind::Custom).tool(Note));
    let offer = registry.resolve(&Scene::for_agent(authority.clone())).await;
    let cx = Cx::new(CxParts {
        session: mint.session(),
        message: mint.message(),
        call: CallId::from_raw("call_1"),
        agent: "build".into(),
        authority,
        instance: Arc::new(Instance::open(&folder, None)?),
        permissions: Arc::new(permissions),
        bus,
        cancel: Default::default(),
    });

    for arguments in [
        json!({ "file": "decisions.md", "line": "Tabs are out." }),
        json!({ "file": "Cargo.lock", "line": "oops" }),
        json!({ "file": 7 }),
    ] {
        match offer.call("note", arguments, &cx).await.outcome {
            Ok(report) => println!("{}: {}", report.title, report.output),
            Err(error) => println!("refused: {error}"),
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
