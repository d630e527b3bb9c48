//! `praxis session`.

use praxis_testkit::Project;
use serde_json::{Value, json};

use crate::project;

/// A session as OpenCode exports it, made in `directory`.
fn exported(id: &str, directory: &str) -> Value {
    let part = |id_of: &str, message: &str, body: Value| {
        let mut part = json!({ "id": id_of, "sessionID": id, "messageID": message });
        part.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        part
    };
    let tokens = json!({ "input": 10, "output": 5, "reasoning": 0, "cache": { "read": 0, "write": 0 } });
    json!({
        "info": { "id": id, "slug": "calm-otter", "projectID": "global", "directory": directory, "cost": 0.25,
            "tokens": tokens, "title": "Rename the \u{1b}[31mparser", "version": "1", "time": { "created": 1_790_000_000_000_u64, "updated": 1_790_000_000_000_u64 } },
        "messages": [
            { "info": { "role": "user", "id": "msg_1", "sessionID": id, "time": { "created": 1_790_000_000_000_u64 },
                "agent": "build", "model": { "providerID": "p", "modelID": "m" } },
              "parts": [part("prt_1", "msg_1", json!({ "type": "text", "text": "rename it\nplease" })),
                part("prt_2", "msg_1", json!({ "type": "text", "text": "a reminder", "synthetic": true }))] },
            { "info": { "role": "assistant", "id": "msg_2", "sessionID": id, "time": { "created": 1, "completed": 2 },
                "error": { "name": "MessageAbortedError", "data": { "message": "stopped" } },
                "parentID": "msg_1", "modelID": "m", "providerID": "p", "mode": "build", "agent": "build",
                "path": { "cwd": "/w", "root": "/" }, "cost": 0.25, "tokens": tokens },
              "parts": [
                part("prt_3", "msg_2", json!({ "type": "reasoning", "text": "where is it", "time": { "start": 1, "end": 2 } })),
                part("prt_4", "msg_2", json!({ "type": "tool", "callID": "c", "tool": "grep", "state": { "status": "completed",
                    "input": {}, "output": "o", "title": "parser", "metadata": {}, "time": { "start": 1, "end": 2 } } })),
                part("prt_5", "msg_2", json!({ "type": "tool", "callID": "d", "tool": "edit", "state": { "status": "error",
                    "input": {}, "error": "no such file\nreally", "time": { "start": 1, "end": 2 } } })),
                part("prt_6", "msg_2", json!({ "type": "text", "text": "Renamed the tokenizer." })),
                part("prt_7", "msg_2", json!({ "type": "step-finish", "reason": "stop", "cost": 0.25, "tokens": tokens })),
            ] },
        ],
    })
}

/// A project whose store has one session.
fn with_session() -> Project {
    let project = project();
    let directory = project.directory().display().to_string();
    let project = project.file("s.json", exported("ses_abc1", &directory).to_string());
    let run = project.run(&["session", "import", "s.json"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "ses_abc1 with 2 messages: Rename the \u{fffd}[31mparser\n"),
        "{run:?}"
    );
    project
}

#[test]
fn a_transcript_shows_what_was_said_and_done_and_cannot_harm_a_terminal() {
    let project = with_session();
    let run = project.run(&["session", "show", "last"]);
    let expected = format!(
        "Rename the \u{fffd}[31mparser
ses_abc1  {}  2026-09-21 14:13:20Z  $0.2500

> rename it
> please

~ where is it
✓ grep parser
✗ edit — no such file
Renamed the tokenizer.
! stopped
",
        project.directory().display()
    );
    assert_eq!((run.code, run.stdout.as_str()), (0, expected.as_str()));
}

#[test]
fn export_and_import_are_a_round_trip_and_nothing_is_overwritten() {
    let project = with_session();
    let whole = project.run(&["session", "export", "ses_a"]).json();
    assert_eq!(whole, exported("ses_abc1", &project.directory().display().to_string()));
    assert_eq!(project.run(&["session", "show", "ses_abc1", "--json"]).json(), whole);

    assert_eq!(project.run(&["session", "export", "last", "--out", "out.json"]).code, 0);
    let again = project.run(&["session", "export", "last", "--out", "out.json"]);
    assert_eq!(
        (again.code, again.stderr.as_str()),
        (2, "error: out.json is there already; name another file\n")
    );
    let refused = project.run(&["session", "import", "out.json"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("there is a session `ses_abc1` already; use --replace"),
        "{}",
        refused.stderr
    );
    assert_eq!(project.run(&["session", "import", "out.json", "--replace"]).code, 0);
    assert_eq!(project.run(&["session", "export", "last"]).json(), whole);

    let broken = project.run_with_input(&["session", "import", "-"], "{\"info\":{}}");
    assert_eq!(broken.code, 2);
    assert!(
        broken.stderr.contains("standard input is no exported session: missing field"),
        "{}",
        broken.stderr
    );
}

#[test]
fn sessions_are_listed_for_this_directory_and_found_by_what_was_said() {
    let project = with_session().file("t.json", exported("ses_xyz", "/elsewhere").to_string());
    assert_eq!(project.run(&["session", "import", "t.json"]).code, 0);
    let ids = |arguments: &[&str], field: &str| -> Vec<String> {
        let rows = project.run(arguments).json();
        rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["session", "list", "--json"], "id"), ["ses_abc1"]);
    assert_eq!(ids(&["session", "list", "--json", "--all"], "id"), ["ses_abc1", "ses_xyz"]);
    assert_eq!(ids(&["session", "list", "--json", "--all", "--limit", "1"], "id"), ["ses_abc1"]);
    assert_eq!(ids(&["session", "search", "TOKEN", "--json"], "partID"), ["prt_6", "prt_6"]);
    assert_eq!(project.run(&["session", "search", "never said"]).stdout, "It was never said.\n");
    let unknown = project.run(&["session", "show", "ses_nope"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("there is no session `ses_nope`"), "{}", unknown.stderr);
    assert!(
        project
            .run(&["session", "show", "ses_"])
            .stderr
            .contains("`ses_` fits ses_abc1, ses_xyz; give more of the id")
    );
}

#[test]
fn deleting_wants_a_yes() {
    let project = with_session();
    let unsure = project.run(&["session", "delete", "ses_abc1"]);
    assert_eq!(
        (unsure.code, unsure.stderr.as_str()),
        (2, "error: deleting cannot be undone; say --yes if you mean it\n")
    );
    let sure = project.run(&["session", "delete", "ses_abc1", "--yes"]);
    assert_eq!((sure.code, sure.stdout.as_str()), (0, "Deleted: ses_abc1\n"));
    assert_eq!(project.run(&["session", "list", "--all"]).stdout, "There is no session.\n");
}

#[test]
fn the_doctor_tells_what_is_wrong_and_saves_what_can_be_read() {
    let project = with_session();
    let healthy = project.run(&["session", "doctor"]);
    let path = project.home().join(".local/share/praxis/praxis.db");
    assert_eq!((healthy.code, healthy.stdout), (0, format!("Nothing is wrong with {}.\n", path.display())));

    let sound = std::fs::read(&path).unwrap();
    std::fs::write(
        &path,
        "this is not a database, but it is long enough for one header ................................",
    )
    .unwrap();
    for command in ["list", "show"] {
        let arguments =
            if command == "list" { vec!["session", "list"] } else { vec!["session", "show", "last"] };
        let run = project.run(&arguments);
        assert_eq!(run.code, 1);
        assert!(
            run.stderr.contains("is damaged") && run.stderr.contains("praxis session doctor"),
            "{}",
            run.stderr
        );
    }
    let ill = project.run(&["session", "doctor"]);
    assert_eq!(ill.code, 1);
    assert!(ill.stdout.contains("(damaged)") && ill.stderr.contains("--repair"), "{ill:?}");
    let cured = project.run(&["session", "doctor", "--repair"]);
    assert_eq!(cured.code, 1, "what cannot be saved is no success: {cured:?}");
    for told in
        ["The damaged store is kept as ", "Nothing of it could be saved; a new store takes its place."]
    {
        assert!(cured.stdout.contains(told), "{}", cured.stdout);
    }
    assert_eq!(project.run(&["session", "list", "--all"]).stdout, "There is no session.\n");

    std::fs::write(&path, sound).unwrap();
    let elsewhere = project.variable("PRAXIS_DB", "here.db");
    assert_eq!(elsewhere.run(&["session", "list", "--json"]).stdout, "[]\n");
}
