//! Commands of the user, from the draft to the settled call.

use praxis_proto::ToolState;

use super::*;
use crate::lab::{Lab, NOW, clock, model, session};

fn drafted(workbench: &Workbench, command: &str) -> UserShell {
    let input = ShellInput {
        session: session(),
        message: None,
        agent: workbench.agents.get(Some("plan")).unwrap(),
        model: model(),
        command: command.to_owned(),
    };
    UserShell::draft(workbench, input, NOW)
}

fn state(part: &Part) -> Value {
    let PartBody::Tool(tool) = &part.body else { panic!("{part:?}") };
    serde_json::to_value(tool.state()).unwrap()
}

async fn run(workbench: &Workbench, command: &str) -> UserShell {
    let agent = workbench.agents.get(Some("plan")).unwrap();
    let drafted = drafted(workbench, command);
    drafted.run(workbench, agent, &clock(), &CancellationToken::new(), |_| {}).await
}

#[test]
fn the_records_say_who_ran_what() {
    let lab = Lab::new();
    let workbench = lab.open();
    let shell = drafted(&workbench, "ls");
    assert_eq!(shell.answer.parent, shell.user.id);
    assert_eq!((&shell.note.message, &shell.call.message), (&shell.user.id, &shell.answer.id));
    assert_eq!(
        (shell.answer.agent.as_str(), shell.answer.provider.as_str(), shell.answer.model.as_str()),
        ("plan", "scripted", "lab")
    );
    assert_eq!(
        serde_json::to_value(&shell.note.body).unwrap(),
        json!({ "type": "text", "synthetic": true, "text": "The user ran this command in the shell themselves:" })
    );
    assert_eq!(
        state(&shell.call),
        json!({ "status": "running", "input": { "command": "ls" }, "time": { "start": NOW } })
    );
}

#[tokio::test]
async fn both_streams_and_the_exit_code_are_told_and_no_rule_is_in_the_way() {
    let lab = Lab::new().file("praxis.json", r#"{"permission":{"bash":"deny"}}"#);
    let done = run(&lab.open(), "echo $TERM; pwd; echo oops >&2; exit 2").await;
    let output = format!(
        "dumb\n{}\noops\n\n\n<shell_metadata>\nThe command ended with exit code 2\n</shell_metadata>",
        lab.directory().display()
    );
    let shown = format!("dumb\n{}\noops\n", lab.directory().display());
    assert_eq!(
        state(&done.call),
        json!({ "status": "completed", "input": { "command": "echo $TERM; pwd; echo oops >&2; exit 2" },
            "title": "echo $TERM; pwd; echo oops >&2; exit 2", "output": output,
            "metadata": { "output": shown, "exit": 2, "truncated": false },
            "time": { "start": NOW, "end": NOW + 5 } })
    );
    assert_eq!(done.answer.time.completed, Some(NOW + 5));
}

#[tokio::test]
async fn long_output_is_bounded_and_saved() {
    let lab = Lab::new();
    let done = run(&lab.open(), "seq 1 100000").await;
    let state = state(&done.call);
    let output = state["output"].as_str().unwrap();
    assert!(output.starts_with("...output truncated...\n\nFull output saved to: ") && output.len() < 60_000);
    let saved = std::fs::read_to_string(state["metadata"]["outputPath"].as_str().unwrap()).unwrap();
    assert_eq!(saved.lines().count(), 100_000);
}

#[tokio::test]
async fn a_command_that_is_stopped_keeps_what_it_had_said() {
    let lab = Lab::new();
    let workbench = lab.open();
    let agent = workbench.agents.get(None).unwrap();
    let cancel = CancellationToken::new();
    let mut views = Vec::new();
    let seen = |part: &Part| {
        views.push(state(part)["metadata"]["output"].clone());
        cancel.cancel();
    };
    let done =
        drafted(&workbench, "echo begun; sleep 600").run(&workbench, agent, &clock(), &cancel, seen).await;
    assert_eq!(views, ["begun\n"]);
    let PartBody::Tool(tool) = &done.call.body else { panic!() };
    let ToolState::Completed(completed) = tool.state() else { panic!("{tool:?}") };
    assert_eq!(completed.output, "begun\n\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>");
}

#[tokio::test]
async fn managed_rules_bind_the_user_too() {
    let lab = Lab::new();
    let mut workbench = lab.open();
    workbench.loaded.managed.rules =
        vec![praxis_proto::Rule::built_in("test", "bash", "rm *", praxis_proto::Action::Deny)];
    let state = state(&run(&workbench, "rm -rf x").await.call);
    assert_eq!(state["status"], "error");
    assert!(state["error"].as_str().unwrap().contains("managed configuration"), "{state}");
}
