//! Extensions that take part in the calls of a session.

use std::path::Path;

use praxis_proto::{Action, CallId, PermissionRequest, Report, SessionId};
use praxis_testkit::Format;
use praxis_tools::registry::Definition;
use praxis_tools::{Extension, HookFailure, Hooked, Hooks, ToolCall};
use serde_json::{Value, json};

use crate::lab::Plan;

/// Has a say in everything that calls do.
struct Warden;

impl Extension for Warden {
    fn name(&self) -> &str {
        "warden"
    }
}

impl Hooks for Warden {
    fn definition<'a>(&'a self, definition: &'a mut Definition) -> Hooked<'a> {
        Box::pin(async move {
            definition.description = format!("Watched: {}", definition.name);
            Ok(())
        })
    }

    fn before<'a>(&'a self, call: &'a ToolCall, arguments: &'a mut Value) -> Hooked<'a> {
        Box::pin(async move {
            assert!(call.session.as_str().starts_with("ses_") && !call.call.as_str().is_empty());
            if arguments["filePath"] == "secret.txt" {
                return Err(HookFailure("secrets stay secret".into()));
            }
            if arguments["filePath"] == "old.txt" {
                arguments["filePath"] = json!("new.txt");
            }
            Ok(())
        })
    }

    fn after<'a>(&'a self, call: &'a ToolCall, arguments: &'a Value, report: &'a mut Report) -> Hooked<'a> {
        Box::pin(async move {
            let about = arguments["filePath"].as_str().unwrap_or("nothing");
            report.output = format!("{} of {about}: {}", call.tool, report.output.trim());
            Ok(())
        })
    }

    fn shell_env<'a>(
        &'a self,
        directory: &'a Path,
        _: &'a SessionId,
        _: &'a CallId,
    ) -> Hooked<'a, Vec<(String, String)>> {
        let name = directory.file_name().unwrap().to_string_lossy().into_owned();
        Box::pin(async { Ok(vec![("FOLDER".to_owned(), name)]) })
    }

    fn permission<'a>(&'a self, request: &'a PermissionRequest) -> Hooked<'a, Option<Action>> {
        let answer = match request.patterns[0].as_str() {
            "echo $FOLDER" => Some(Action::Allow),
            "date" => Some(Action::Deny),
            _ => None,
        };
        Box::pin(async move { Ok(answer) })
    }
}

const SCRIPT: &str = "
turns:
  - calls:
      - { tool: read, args: { filePath: old.txt } }
      - { tool: read, args: { filePath: secret.txt } }
      - { tool: bash, args: { command: 'echo $FOLDER', description: Tells } }
      - { tool: bash, args: { command: date, description: Tells } }
  - say: Done.
";

#[tokio::test(flavor = "multi_thread")]
async fn every_hook_of_calls_takes_part() {
    let plan = Plan::new(SCRIPT).over(Format::Chat).config(json!({ "permission": { "bash": "ask" } }));
    let lab = plan.file("new.txt", "new\n").file("secret.txt", "x\n").call_hook(Warden).start().await;
    lab.prompt("look").await;
    let request = lab.server().request(1);
    let tools = request.body["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| {
        let function = &tool["function"];
        function["description"].as_str() == Some(&format!("Watched: {}", function["name"].as_str().unwrap()))
    }));
    insta::assert_snapshot!(lab.transcript().await, @r"
    > look
    ✓ read read of new.txt: <path>[project]/new.txt</path>
    ✗ read secrets stay secret
    ✓ bash bash of nothing: project
    ✗ bash The user rejected permission to use this tool, with this feedback: the extension `warden` does not allow this
    Done.
    ");
}
