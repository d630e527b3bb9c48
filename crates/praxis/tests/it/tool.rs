//! `praxis tool`.

use praxis_testkit::Terminal;
use serde_json::{Value, json};

use crate::project;

/// Which of the tools whose presence depends on something are listed.
fn names(listed: &Value) -> Vec<&str> {
    const OF: [&str; 9] =
        ["apply_patch", "batch", "codesearch", "edit", "question", "read", "todoread", "todowrite", "write"];
    let all = listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    all.filter(|name| OF.contains(name)).collect()
}

#[test]
fn a_tool_runs_and_prints_one_object_with_its_asks() {
    let project = project().file("README.md", "hello\n");
    let run =
        project.run(&["tool", "run", "read", "--input", r#"{"filePath":"README.md"}"#, "--ask", "print"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout.lines().count(), 1);
    let mut object = run.json();
    let output = object["output"].take();
    assert!(output.as_str().unwrap().contains("1: hello"));
    object["metadata"].take();
    assert_eq!(
        object,
        json!({
            "status": "completed", "title": "README.md", "output": null, "metadata": null, "attachments": [],
            "error": null,
            "asks": [{ "permission": "read", "patterns": ["README.md"], "always": ["*"] }],
        })
    );
}

#[test]
fn arguments_come_from_the_line_a_file_or_standard_input() {
    let project = project().file("a.txt", "text of a").file("in.json", r#"{"filePath":"a.txt"}"#);
    for (input, typed) in
        [("@in.json", ""), ("-", r#"{"filePath":"a.txt"}"#), (r#"{"filePath":"a.txt"}"#, "")]
    {
        let run = project.run_with_input(&["tool", "run", "read", "--input", input], typed);
        assert!(run.code == 0 && run.stdout.contains("text of a"), "{input}: {run:?}");
    }
}

#[test]
fn bad_input_is_told_apart_from_a_tool_that_fails() {
    let project = project();
    for (input, told) in [("{", "the input is not JSON"), ("@none.json", "could not open none.json")] {
        let run = project.run(&["tool", "run", "read", "--input", input]);
        assert!(run.code == 2 && run.stdout.is_empty() && run.stderr.contains(told), "{run:?}");
    }
    for (input, told) in [
        (r#"{"filePath":"none"}"#, "File not found"),
        (r#"{"filePath":5}"#, r#"Expected a string, got 5 at ["filePath"]"#),
        ("[]", "Expected an object, got []"),
        ("{}", r#"Missing key at ["filePath"]"#),
    ] {
        let run = project.run(&["tool", "run", "read", "--input", input]);
        let object = run.json();
        assert_eq!(
            (run.code, &object["status"], &object["output"]),
            (1, &json!("error"), &json!("")),
            "{input}"
        );
        assert!(object["error"].as_str().unwrap().contains(told), "{object}");
    }
}

#[test]
fn ten_megabytes_of_arguments_are_no_problem() {
    let project = project();
    let input =
        json!({ "todos": [{ "content": "x".repeat(10 << 20), "status": "pending", "priority": "low" }] });
    let run = project.run_with_input(&["tool", "run", "todowrite", "--input", "-"], &input.to_string());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let object = run.json();
    assert_eq!(object["metadata"]["truncated"], true);
    let saved = object["metadata"]["outputPath"].as_str().unwrap();
    assert!(std::fs::metadata(saved).unwrap().len() > 10 << 20);
    let output = object["output"].as_str().unwrap();
    assert!(output.len() < 60_000 && output.contains("The tool call succeeded but the output was truncated"));
}

#[test]
fn an_unknown_tool_is_wrong_usage_and_a_near_miss_is_understood() {
    let project = project().file("a.txt", "x");
    let run = project.run(&["tool", "run", "frobnicate"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with("error: there is no tool `frobnicate`; there are apply_patch, bash, batch,"),
        "{}",
        run.stderr
    );
    assert_eq!(project.run(&["tool", "run", "Read", "--input", r#"{"filePath":"a.txt"}"#]).code, 0);
}

#[test]
fn questions_are_answered_by_the_flag_and_refused_without_one() {
    let project = project().file(".env", "KEY=1");
    let read = ["tool", "run", "read", "--input", r#"{"filePath":".env"}"#];
    let with = |ask: &'static str| project.run(&[&read[..], &["--ask", ask]].concat());
    assert_eq!((with("allow").code, with("print").code), (0, 0));
    let denied = with("deny");
    assert_eq!(denied.code, 1);
    assert_eq!(denied.json()["error"], "The user rejected permission to use this tool.");
    assert_eq!(denied.json()["asks"][0]["patterns"], json!([".env"]));
    let nobody = project.run(&read);
    assert_eq!(nobody.code, 1);
    assert!(nobody.json()["error"].as_str().unwrap().contains("nobody can give one here"));
}

#[test]
fn what_the_rules_deny_stays_denied_and_the_line_is_named() {
    let project = project()
        .file("secret/key", "hunter2")
        .file("praxis.json", "{\n  \"permission\": {\n    \"read\": { \"secret/*\": \"deny\" }\n  }\n}");
    for ask in ["allow", "print"] {
        let run =
            project.run(&["tool", "run", "read", "--input", r#"{"filePath":"secret/key"}"#, "--ask", ask]);
        assert_eq!(run.code, 1);
        let told = run.json()["error"].as_str().unwrap().to_owned();
        assert!(told.ends_with("praxis.json:3 `read secret/*`"), "{told}");
        assert!(!run.stdout.contains("hunter2"));
    }
}

#[test]
fn a_person_at_the_terminal_is_asked_and_an_always_is_remembered() {
    let project = project().file(".env", "KEY=lighthouse");
    let read = ["tool", "run", "read", "--input", r#"{"filePath":".env"}"#];
    let mut terminal = Terminal::start(project.command(&read));
    terminal.expect("Allow `read` on:").expect(".env").expect("instead:").type_line("a");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && screen.contains("KEY=lighthouse"), "{screen}");

    let again = project.run(&read);
    assert!(again.code == 0 && again.stdout.contains("KEY=lighthouse"), "{again:?}");
    let listed = project.run(&["permission", "list", "--json"]).json();
    assert_eq!((&listed[0]["permission"], &listed[0]["pattern"]), (&json!("read"), &json!(".env")));

    assert_eq!(project.run(&["permission", "revoke", "read", ".env"]).stdout, "Taken back: read .env\n");
    assert_eq!(project.run(&read).code, 1);
    let nothing = project.run(&["permission", "revoke", "read"]);
    assert!(nothing.code == 1 && nothing.stderr.contains("there is no such grant"), "{nothing:?}");
}

#[test]
fn a_no_at_the_terminal_can_say_what_to_do_instead() {
    let project = project().file(".env", "KEY=1");
    let mut terminal =
        Terminal::start(project.command(&["tool", "run", "read", "--input", r#"{"filePath":".env"}"#]));
    terminal.expect("instead:").type_line("read .env.example");
    let (code, screen) = terminal.finish();
    assert!(code == 1 && screen.contains("with this feedback: read .env.example"), "{screen}");
}

#[test]
fn ctrl_c_at_a_question_ends_with_130() {
    let project = project().file(".env", "KEY=1");
    let mut terminal =
        Terminal::start(project.command(&["tool", "run", "read", "--input", r#"{"filePath":".env"}"#]));
    terminal.expect("instead:").interrupt();
    let (code, screen) = terminal.finish();
    assert!(code == 130 && screen.contains("Tool execution aborted"), "{code} {screen}");
}

#[test]
fn a_model_asks_and_the_command_line_answers() {
    let question = json!({ "questions": [{
        "question": "Which way?", "header": "Way",
        "options": [{ "label": "Left", "description": "the short one" }, { "label": "Right", "description": "the long one" }],
    }] })
    .to_string();
    let project = project();
    let run = ["tool", "run", "question", "--input", &question];
    let answered = project.run_with_input(&run, "2\n");
    assert_eq!(answered.json()["metadata"]["answers"], json!([["Right"]]));
    assert!(answered.stderr.contains("1  Left: the short one"), "{}", answered.stderr);
    let dismissed = project.run(&run);
    assert_eq!((dismissed.code, &dismissed.json()["error"]), (1, &json!("The user dismissed this question")));
    let forbidden = project.run_with_input(&[&run[..], &["--agent", "general"]].concat(), "2\n");
    assert!(forbidden.json()["error"].as_str().unwrap().contains("question is denied by built-in defaults"));
}

#[test]
fn lists_follow_model_agent_and_switches() {
    let project = project().file(
        "on.json",
        r#"{"experimental":{"batch_tool":true,"todoread_tool":true,"codesearch_tool":true}}"#,
    );
    let list = |more: &[&str]| project.run(&[&["tool", "list", "--json"][..], more].concat()).json();
    assert_eq!(names(&list(&[])), ["edit", "question", "read", "todowrite", "write"]);
    assert_eq!(
        names(&list(&["--config", "on.json"])),
        ["batch", "codesearch", "edit", "question", "read", "todoread", "todowrite", "write"]
    );
    assert_eq!(names(&list(&["--agent", "explore"])), ["read"]);
    assert_eq!(names(&list(&["--agent", "general"])), ["edit", "read", "write"]);
    assert_eq!(names(&list(&["--model", "openai/gpt-5"])), ["apply_patch", "question", "read", "todowrite"]);
    assert!(list(&[])[0]["parameters"]["properties"]["command"]["description"].is_string());
    let wrong = project.run(&["tool", "list", "--model", "gpt-5"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("write provider/model"), "{wrong:?}");
}

#[test]
fn the_older_tools_map_switches_tools_on_too() {
    let project =
        project().file("opencode.json", r#"{"tools":{"todoread":true,"batch":true,"todowrite":false}}"#);
    assert_eq!(
        names(&project.run(&["tool", "list", "--json"]).json()),
        ["batch", "edit", "question", "read", "todoread", "write"]
    );
}

#[test]
fn show_tells_what_a_model_reads_or_why_it_does_not() {
    let project = project();
    let shown = project.run(&["tool", "show", "read"]);
    assert!(
        shown.stdout.starts_with("read\n\nRead a file or a folder") && shown.stdout.contains("\"filePath\"")
    );
    assert_eq!(project.run(&["tool", "show", "read", "--json"]).json()["name"], "read");
    let off = project.run(&["tool", "show", "batch"]);
    assert!(off.code == 2 && off.stderr.contains("\"batch_tool\": true"), "{off:?}");
}

#[test]
fn a_spill_folder_that_cannot_be_written_fails_the_call_with_what_fits() {
    let project = project().home_file(".local/share/praxis/tool-output", "a file in the way");
    let todos: Vec<Value> = (0..1_000)
        .map(|n| json!({ "content": format!("task {n}"), "status": "pending", "priority": "low" }))
        .collect();
    let run = project.run_with_input(
        &["tool", "run", "todowrite", "--input", "-"],
        &json!({ "todos": todos }).to_string(),
    );
    assert_eq!(run.code, 1);
    let told = run.json()["error"].as_str().unwrap().to_owned();
    for token in ["could not be saved", "Make that folder writable", "task 0", "task 999"] {
        assert!(told.contains(token), "{token}: {told}");
    }
}
