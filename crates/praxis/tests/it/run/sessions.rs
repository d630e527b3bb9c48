//! Going on with a session, copies of it, and what is sent.

use praxis_testkit::Project;
use serde_json::{Value, json};

use super::{run, scripted, stored};

fn sessions(project: &Project) -> Vec<Value> {
    project.run(&["session", "list", "--json"]).json().as_array().unwrap().clone()
}

const TALK: &str = "
- { when: { anywhere: second }, expect: { anywhere: first }, say: Both. }
- { when: { user: first }, say: One. }
";

#[test]
fn a_session_goes_on_and_a_copy_leaves_it_alone() {
    let project = scripted(TALK);
    assert_eq!(run(&project, &["first"]).stdout, "One.\n");
    let before = sessions(&project);
    assert_eq!((before.len(), &before[0]["title"]), (1, &json!("first")));

    let forked = run(&project, &["--continue", "--fork", "second"]);
    assert_eq!((forked.code, forked.stdout.as_str()), (0, "Both.\n"), "{forked:?}");
    let after = sessions(&project);
    assert_eq!((after.len(), &after[0]["title"]), (2, &json!("first (fork #1)")));
    let id = before[0]["id"].as_str().unwrap();
    assert_eq!(project.run(&["session", "export", id]).json()["messages"].as_array().unwrap().len(), 2);
    assert_eq!(stored(&project)["messages"].as_array().unwrap().len(), 4);

    let again = run(&project, &["--session", id, "second"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "Both.\n"), "{again:?}");
    assert_eq!(sessions(&project).len(), 2);
    assert_eq!(stored(&project)["info"]["id"], id);
}

#[test]
fn a_copy_is_as_its_original_was() {
    let project = scripted(TALK);
    assert_eq!(run(&project, &["--agent", "plan", "first"]).code, 0);
    let original = stored(&project)["info"].clone();
    assert_eq!(run(&project, &["-c", "--fork", "--title", "Copy", "second"]).stdout, "Both.\n");
    let copy = stored(&project)["info"].clone();
    assert_eq!((&original["agent"], &copy["title"]), (&json!("plan"), &json!("Copy")));
    for same in ["agent", "model", "permission", "directory", "projectID"] {
        assert_eq!(copy[same], original[same], "{same}");
    }
    assert!(copy["id"] != original["id"] && copy["slug"] != original["slug"]);
}

#[test]
fn a_session_is_copied_without_a_run() {
    let project = scripted(TALK);
    run(&project, &["first"]);
    run(&project, &["-c", "second"]);
    let original = stored(&project);
    let before = original["messages"][2]["info"]["id"].as_str().unwrap();
    let forked = project.run(&["session", "fork", "last", "--before", before]);
    assert_eq!(forked.code, 0, "{forked:?}");
    let copy = project.run(&["session", "export", forked.stdout.trim()]).json();
    assert_eq!(copy["messages"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&copy["info"]["title"], &copy["info"]["agent"], &copy["info"]["permission"]),
        (&json!("first (fork #1)"), &original["info"]["agent"], &original["info"]["permission"])
    );
    let wrong = project.run(&["session", "fork", "last", "--before", "msg_none"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("there is no message `msg_none` in this session"), "{}", wrong.stderr);
}

#[test]
fn a_session_can_be_renamed_on_the_way_and_needs_somebody_who_answers() {
    let project = scripted(TALK);
    run(&project, &["first"]);
    assert_eq!(run(&project, &["-c", "second", "--title", "Both of them"]).code, 0);
    assert_eq!(stored(&project)["info"]["title"], "Both of them");
    let gone = project.run(&["run", "-c", "third"]);
    assert_eq!(gone.code, 2, "{gone:?}");
    assert!(gone.stderr.contains("a script answered last in this session"), "{}", gone.stderr);
    assert_eq!(stored(&project)["messages"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_piped_in_and_attached_reaches_the_model() {
    let script = r#"[{ expect: { user: ["why?\nthe log", attached text] }, say: Because. }]"#;
    let project = scripted(script).file("notes.txt", "attached text\n");
    let arguments = ["run", "--script", "script.yaml", "--file", "notes.txt", "why?"];
    let run = project.run_with_input(&arguments, "the log\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "Because.\n"), "{run:?}");
}

#[test]
fn what_the_words_name_is_attached_and_what_is_piped_in_names_nothing() {
    let script = r#"
- expect: { user: { contains: ["see @notes.txt, @dir and me@notes.txt.", "1: noted", "inside.txt"], lacks: secret } }
  say: Seen.
"#;
    let project = scripted(script)
        .file("notes.txt", "noted\n")
        .file("dir/inside.txt", "in\n")
        .file("other.txt", "secret\n");
    let words = "see @notes.txt, @dir and me@notes.txt.";
    let run = project.run_with_input(&["run", "--script", "script.yaml", words], "@other.txt\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, "Seen.\n"), "{run:?}");
    let user = &stored(&project)["messages"][0]["parts"];
    let files = user.as_array().unwrap().iter().filter(|part| part["type"] == "file").count();
    assert_eq!(files, 2, "{user}");
}

#[test]
fn what_is_named_and_attached_is_attached_once() {
    let script = "[{ expect: { user: noted }, say: Seen. }]";
    let project = scripted(script).file("notes.txt", "noted\n");
    assert_eq!(run(&project, &["--file", "notes.txt", "see @notes.txt"]).code, 0);
    let text = stored(&project)["messages"][0]["parts"].to_string();
    assert_eq!(text.matches("1: noted").count(), 1, "{text}");
}

#[test]
fn a_command_takes_the_message_as_its_arguments() {
    let config = json!({ "command": { "greet": { "template": "Greet $1 and then $2." } } }).to_string();
    let script = "[{ expect: { user: Greet Ann Lee and then Bob. }, say: Hello. }]";
    let project = scripted(script).file("praxis.json", config);
    let greeted = run(&project, &["--command", "greet", "Ann Lee", "Bob"]);
    assert_eq!((greeted.code, greeted.stdout.as_str()), (0, "Hello.\n"), "{greeted:?}");
    assert_eq!(stored(&project)["info"]["title"], "/greet \"Ann Lee\" Bob");
    let typed = run(&project, &["/greet Ann"]);
    assert!(
        typed.stderr.starts_with("hint: `/greet` is sent as text; `praxis run --command greet`"),
        "{typed:?}"
    );
    let unknown = run(&project, &["--command", "grete", "x"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.stderr.contains("grete"), "{}", unknown.stderr);
}

#[test]
fn a_command_of_the_project_attaches_files_and_runs_what_was_approved() {
    let template = "---\ndescription: Looks\n---\nLook at @notes.txt for $1, then $2. All: $ARGUMENTS. Log: !`echo from-shell`\n";
    let script = r#"
- expect: { user: ["for a, then b c. All: a b c. Log: from-shell", note text] }
  say: Good.
"#;
    let project = scripted(script).file(".praxis/command/look.md", template).file("notes.txt", "note text\n");
    let arguments = ["--command", "look", "a", "b", "c"];
    let refused = run(&project, &arguments);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.stderr.contains("runs `echo from-shell`, which was not approved"), "{}", refused.stderr);
    let approved = run(&project, &[&["--auto"], &arguments[..]].concat());
    assert_eq!((approved.code, approved.stdout.as_str()), (0, "Good.\n"), "{approved:?}");
}

#[test]
fn task_lists_belong_to_their_sessions() {
    let begin = "
- { call: { todowrite: { todos: [{ content: Look, status: pending, priority: high }] } } }
- Begun.
";
    let on = "
- { call: { todoread: {} } }
- { expect: { result: { of: todoread, text: Look } }, say: It is there. }
";
    let project = scripted(begin)
        .file("on.yaml", on)
        .file("praxis.json", r#"{ "experimental": { "todoread_tool": true } }"#);
    assert_eq!(run(&project, &["begin"]).stdout, "Begun.\n");
    let on = project.run(&["run", "--script", "on.yaml", "--continue", "go on"]);
    assert_eq!((on.code, on.stdout.as_str()), (0, "It is there.\n"), "{on:?}");
    let other = project.run(&["run", "--script", "on.yaml", "go on"]);
    assert_eq!(other.code, 1, "{other:?}");
}

#[test]
fn a_title_is_given_or_made_of_the_message() {
    let project = scripted("[Hello.]");
    run(&project, &["hello there", "--title", "Greeting"]);
    assert_eq!(stored(&project)["info"]["title"], "Greeting");
    let project = scripted("[Hello.]");
    run(&project, &["hello there", "--title"]);
    assert_eq!(stored(&project)["info"]["title"], "hello there");
}

#[test]
fn sessions_add_up() {
    let script = "
- { call: { read: { filePath: a.txt } }, usage: { input: 100, output: 5 } }
- { call: { read: { filePath: none.txt } }, usage: { input: 100, output: 5 } }
- { say: Done., usage: { input: 200, output: 7 } }
";
    let project = scripted(script).file("a.txt", "one\n");
    assert_eq!(run(&project, &["read"]).code, 0);
    let expected = json!({
        "sessions": 1, "messages": 4, "calls": 2, "cost": 0.0,
        "tokens": { "input": 400, "output": 17, "reasoning": 0, "cache": { "read": 0, "write": 0 } },
        "tools": { "read": { "calls": 2, "failed": 1 } },
        "models": { "scripted/script": { "messages": 3, "cost": 0.0,
            "tokens": { "input": 400, "output": 17, "reasoning": 0, "cache": { "read": 0, "write": 0 } } } },
    });
    for arguments in
        [&["stats", "--json"][..], &["stats", "--json", "--days", "1"], &["stats", "--json", "--project"]]
    {
        assert_eq!(project.run(arguments).json(), expected, "{arguments:?}");
    }
    let text = project.run(&["stats"]).stdout;
    assert!(text.contains("tool calls  2\n") && text.contains("read  2      1"), "{text}");
    let elsewhere = project.home().display().to_string();
    assert_eq!(project.run(&["stats", "--json", "--project", "--cwd", &elsewhere]).json()["sessions"], 0);
}
