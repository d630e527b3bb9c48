//! Commands of a project, from the file to the prompt.

use praxis_proto::{Event, Reply};
use serde_json::{Value, json};

use super::*;
use crate::lab::{Lab, draft, model, session};

fn caller() -> Caller {
    Caller {
        session: session(),
        agent: Some("build".into()),
        model: Some(model()),
        parts: Vec::new(),
        cancel: CancellationToken::new(),
    }
}

async fn run(workbench: &Workbench, name: &str, arguments: &str) -> Result<Prepared, CommandError> {
    prepare(workbench, workbench.commands.get(name)?, arguments, caller()).await
}

fn json_of(lab: &Lab, prepared: &Prepared) -> Value {
    let text = serde_json::to_string(&prepared.parts).unwrap();
    let parts: Value = serde_json::from_str(&lab.plain(&text)).unwrap();
    json!({ "agent": prepared.agent, "model": prepared.model, "parts": parts })
}

#[tokio::test]
async fn a_users_command_runs_its_shell_commands_and_attaches_what_it_names() {
    let template = "---\nagent: plan\nmodel: a/b/c\n---\n\nExplain @src/a.rs to $1.\n\
                    Branch: !`printf 'main\\n'; echo no >&2; exit 3`, !`echo $ARGUMENTS`.\n";
    let lab =
        Lab::new().home_file(".config/praxis/commands/explain.md", template).file("src/a.rs", "fn a() {}\n");
    let prepared = run(&lab.open(), "/explain", "\"my boss\"").await.unwrap();
    assert_eq!(
        json_of(&lab, &prepared),
        json!({
            "agent": "plan", "model": { "providerID": "a", "modelID": "b/c" },
            "parts": [
                { "type": "text", "text": "Explain @src/a.rs to my boss.\nBranch: main, my boss." },
                { "type": "file", "mime": "text/plain", "filename": "src/a.rs", "url": "file:///project/src/a.rs",
                  "source": { "type": "file", "path": "/project/src/a.rs",
                    "text": { "value": "@src/a.rs", "start": 8, "end": 17 } } },
            ],
        })
    );
    assert_eq!(prepared.parts[1].by, Attached::ByTemplate);
}

#[tokio::test]
async fn a_project_command_runs_nothing_before_it_was_approved() {
    let lab = Lab::new()
        .file("praxis.json", r#"{"permission":{"bash":"allow"}}"#)
        .file(".praxis/command/bad.md", "!`touch owned` and !`echo two`");
    let workbench = lab.open();
    let fingerprint = workbench.commands.get("bad").unwrap().fingerprint();
    let error = run(&workbench, "bad", "").await.unwrap_err();
    let told = error.to_string();
    assert!(matches!(error, CommandError::NotApproved { .. }), "{told}");
    assert!(told.contains("touch owned\necho two") && told.contains(&fingerprint), "{told}");
    assert!(!lab.directory().join("owned").exists());

    let rule = format!(r#"{{"permission":{{"bash":{{"*":"allow","{fingerprint}":"allow"}}}}}}"#);
    let lab = lab.file("praxis.json", rule);
    let prepared = run(&lab.open(), "bad", "").await.unwrap();
    assert_eq!(prepared.parts, [PromptPart::text("and two")]);
    assert!(lab.directory().join("owned").exists());
}

#[tokio::test]
async fn one_approval_holds_until_the_text_changes() {
    let lab = Lab::new().attended().file(".praxis/command/ok.md", "!`echo one` !`echo two`");
    let workbench = lab.open();
    let mut events = workbench.bus.subscribe();
    let answering = async {
        loop {
            if let Event::PermissionAsked(request) = events.recv().await.unwrap() {
                workbench.permissions.reply(&request.id, Reply::Always(None)).unwrap();
                return request;
            }
        }
    };
    // A command that asks nothing must fail here, not wait for a question.
    let both = async { tokio::join!(run(&workbench, "ok", ""), answering) };
    let (prepared, request) = tokio::time::timeout(Duration::from_secs(20), both).await.unwrap();
    assert_eq!(prepared.unwrap().parts, [PromptPart::text("one two")]);
    assert_eq!(request.permission, "bash");
    assert_eq!(request.patterns, [workbench.commands.get("ok").unwrap().fingerprint()]);
    assert_eq!(request.metadata["command"], "echo one\necho two");
    // Nobody answers this one: the approval was stored.
    assert_eq!(run(&lab.open(), "ok", "").await.unwrap().parts, [PromptPart::text("one two")]);

    let lab = Lab { attendance: praxis_tools::Attendance::Unattended, ..lab };
    let lab = lab.file(".praxis/command/ok.md", "!`echo one` !`echo three`");
    assert!(matches!(run(&lab.open(), "ok", "").await, Err(CommandError::NotApproved { .. })));
}

#[tokio::test]
async fn subagents_get_a_subtask_and_the_caller_keeps_agent_and_model() {
    let config = json!({ "command": {
        "scout": { "template": "Find $1", "description": "Find it", "agent": "explore", "model": "x/y", "variant": "low" },
        "here": { "template": "Find $1", "agent": "explore", "subtask": false },
        "apart": { "template": "Do $1", "subtask": true },
        "lost": { "template": "x", "agent": "nobody" },
        "odd": { "template": "x", "model": "nomodel" },
    } });
    let lab = Lab::new().file("praxis.json", config.to_string());
    let workbench = lab.open();
    let scout = run(&workbench, "scout", "a b").await.unwrap();
    assert_eq!(
        json_of(&lab, &scout),
        json!({ "agent": "build", "model": model(), "parts": [{ "type": "subtask", "prompt": "Find a b",
            "description": "Find it", "agent": "explore", "command": "scout",
            "model": { "providerID": "x", "modelID": "y", "variant": "low" } }] })
    );
    let here = run(&workbench, "here", "a").await.unwrap();
    assert_eq!((here.agent.as_deref(), &here.parts[0]), (Some("explore"), &PromptPart::text("Find a")));
    let apart = run(&workbench, "apart", "it").await.unwrap();
    assert_eq!(json_of(&lab, &apart)["parts"][0]["agent"], "build");
    assert!(matches!(run(&workbench, "lost", "").await, Err(CommandError::Agent { .. })));
    assert!(matches!(run(&workbench, "odd", "").await, Err(CommandError::Model { .. })));
    assert!(matches!(run(&workbench, "none", "").await, Err(CommandError::Unknown { .. })));
}

#[tokio::test]
async fn what_the_caller_attached_or_typed_is_theirs() {
    let lab = Lab::new()
        .file(
            "praxis.json",
            r#"{"command":{"c":{"template":"@a.txt @b.txt $ARGUMENTS"}},"permission":{"read":"deny"}}"#,
        )
        .file("a.txt", "A\n")
        .file("b.txt", "B\n")
        .file("c.txt", "C\n");
    let workbench = lab.open();
    let attached = mention::parts("@a.txt", &Lookup::of(&workbench));
    let caller = Caller { parts: attached, ..caller() };
    let command = workbench.commands.get("c").unwrap();
    let prepared = prepare(&workbench, command, "(@c.txt)", caller).await.unwrap();
    let by: Vec<(&str, Attached)> =
        prepared.parts[1..].iter().map(|part| (mention::written(part).unwrap(), part.by)).collect();
    assert_eq!(
        by,
        [("@b.txt", Attached::ByTemplate), ("@c.txt", Attached::ByUser), ("@a.txt", Attached::ByUser)]
    );
    let drafted = draft(&workbench, prepared.parts).await;
    assert_eq!(drafted.problems.len(), 1, "{:?}", drafted.problems);
}

#[test]
fn a_command_has_a_most_of_text_and_of_scripts() {
    let command = |template: String| Command {
        name: "c".into(),
        description: None,
        template,
        agent: None,
        model: None,
        variant: None,
        subtask: None,
        origin: CommandOrigin::BuiltIn,
    };
    assert!(pieces(&command("!`x`".repeat(MOST_SCRIPTS)), "").is_ok());
    let many = pieces(&command("!`x`".repeat(MOST_SCRIPTS + 1)), "").unwrap_err();
    assert_eq!(
        many.to_string(),
        "the command `/c` cannot run: it has 65 shell commands, and 64 are the most"
    );
    let long = "y".repeat(MOST_TEXT / 1_000);
    assert!(pieces(&command("$ARGUMENTS".repeat(990)), &long).is_ok());
    assert!(pieces(&command("$ARGUMENTS".repeat(1_000)), &long).is_err());
}

#[tokio::test]
async fn a_cancelled_command_ends() {
    let lab = Lab::new().home_file(".config/praxis/command/slow.md", "!`sleep 600`");
    let workbench = lab.open();
    let caller = caller();
    let cancel = caller.cancel.clone();
    let command = workbench.commands.get("slow").unwrap();
    let stop = async { cancel.cancel() };
    let (ended, ()) = tokio::join!(prepare(&workbench, command, "", caller), stop);
    assert_eq!(ended, Err(CommandError::Cancelled("slow".into())));
}

#[test]
fn our_own_commands_can_be_replaced_and_tell_where_they_come_from() {
    let lab = Lab::new()
        .home_file(".config/opencode/command/team/ship.md", "Ship it")
        .file(".opencode/commands/review.md", "---\ndescription: Ours\n---\nLook");
    let workbench = lab.open();
    let told = |command: &Command| {
        let file = command.origin.file().map(|file| lab.plain(&file.to_string_lossy())).unwrap_or_default();
        format!("{} {} {file} {:?}", command.name, command.origin.word(), command.hints())
    };
    let all: Vec<String> = workbench.commands.all().map(told).collect();
    assert_eq!(
        all,
        [
            "init built-in  [\"$ARGUMENTS\"]",
            "review project /project/.opencode/commands/review.md []",
            "team/ship user /home/.config/opencode/command/team/ship.md []",
        ]
    );
}
