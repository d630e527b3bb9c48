//! `praxis run`.

mod crash;
mod people;
mod programs;
mod quoted;
mod sessions;
pub(crate) mod wires;

use std::fs::File;
use std::process::Stdio;

use praxis_testkit::{Project, Run};
use serde_json::{Value, json};

use crate::project;

/// A project in which `script.yaml` answers.
fn scripted(script: &str) -> Project {
    project().file("script.yaml", script)
}

/// Runs the script on a prompt.
fn run(project: &Project, more: &[&str]) -> Run {
    project.run(&[&["run", "--script", "script.yaml"], more].concat())
}

/// The lines of a run in JSON; every one must be an object.
fn lines(run: &Run) -> Vec<Value> {
    let line = |line: &str| -> Value {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"))
    };
    run.stdout.lines().map(line).collect()
}

/// The last session as it is stored.
fn stored(project: &Project) -> Value {
    project.run(&["session", "export", "last"]).json()
}

#[test]
fn the_answer_is_on_stdout_and_everything_else_on_stderr() {
    let script = "
- say: I will look.
  call: { read: { filePath: a.txt } }
- { expect: { result: { of: read, text: one } }, say: There is one line., usage: { input: 120, output: 7 } }
";
    let project = scripted(script).file("a.txt", "one\n");
    let run = run(&project, &["what is in a.txt?"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "I will look.\nThere is one line.\n"), "{run:?}");
    let (calls, sum) = run.stderr.split_once('\n').unwrap();
    assert_eq!(calls, "✓ read a.txt");
    assert!(sum.starts_with("2 steps · 120 in, 7 out · "), "{sum}");
}

#[test]
fn an_answer_that_is_not_whole_or_not_there_is_pointed_out() {
    for (turn, code, stdout, said) in [
        ("{ say: Half of, finish: length }", 0, "Half of\n", "! the answer reached the model's length limit"),
        ("{ think: Hm. }", 0, "", "! the model said nothing"),
        ("{ say: Well, finish: error }", 1, "Well\n", "error: the provider ended the answer with an error"),
    ] {
        let run = run(&scripted(&format!("[{turn}]")), &["go"]);
        assert_eq!((run.code, run.stdout.as_str()), (code, stdout), "{run:?}");
        assert!(run.stderr.starts_with(said), "{run:?}");
    }
}

#[test]
fn what_cannot_be_told_beside_the_answer_does_not_end_the_run() {
    let script =
        "[{ call: { read: { filePath: a.txt } } }, { expect: { result: { of: read } }, say: Done. }]";
    let project = scripted(script).file("a.txt", "one\n");
    let mut command = project.command(&["run", "--script", "script.yaml", "go"]);
    command.stdin(Stdio::null()).stderr(File::options().write(true).open("/dev/full").unwrap());
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"Done.\n"[..]));
}

#[test]
fn a_rule_is_tested_with_a_script() {
    // As README.md shows it.
    let script = "
turns:
  - call: { edit: { filePath: Cargo.lock, oldString: a, newString: b } }
  - expect: { result: { of: edit, text: is denied by } }
    say: The rule holds.
";
    let held = scripted(script).file("Cargo.lock", "a\n").file(
        "praxis.json",
        json!({ "permission": { "edit": { "*": "allow", "*.lock": "deny" } } }).to_string(),
    );
    let run_held = run(&held, &["change the lock file"]);
    assert_eq!((run_held.code, run_held.stdout.as_str()), (0, "The rule holds.\n"), "{run_held:?}");
    assert_eq!(std::fs::read_to_string(held.directory().join("Cargo.lock")).unwrap(), "a\n");

    let broken = scripted(script).file("Cargo.lock", "a\n");
    let run_broken = run(&broken, &["change the lock file"]);
    assert_eq!(run_broken.code, 1, "{run_broken:?}");
    assert!(run_broken.stderr.contains("is denied by"), "{}", run_broken.stderr);
}

#[test]
fn where_nobody_answers_a_question_ends_the_run() {
    let script = "
- { say: I will., call: { bash: { command: touch made, description: Makes it } } }
- Made.
";
    let config = json!({ "permission": { "bash": "ask" } }).to_string();
    let project = scripted(script).file("praxis.json", &config);
    let refused = run(&project, &["make it"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (3, "I will.\n"), "{refused:?}");
    for told in ["`bash` on touch made needs a yes, and nobody is here", "stopped: a permission was rejected"]
    {
        assert!(refused.stderr.contains(told), "{told}\n{}", refused.stderr);
    }
    assert!(!project.directory().join("made").exists());

    let project = scripted(script).file("praxis.json", &config);
    let allowed = run(&project, &["--auto", "make it"]);
    assert_eq!((allowed.code, allowed.stdout.as_str()), (0, "I will.\nMade.\n"), "{allowed:?}");
    assert!(project.directory().join("made").exists());
}

#[test]
fn limits_end_a_run_with_four() {
    let script = "
- { call: { read: { filePath: a.txt } } }
- { say: Never said. }
";
    let project = scripted(script).file("a.txt", "one\n");
    let limited = run(&project, &["--max-steps", "1", "read it"]);
    assert_eq!((limited.code, limited.stdout.as_str()), (4, ""), "{limited:?}");
    assert!(limited.stderr.contains("stopped: the limit of 1 steps was reached"), "{}", limited.stderr);

    let stalled = scripted("[{ say: x, delay_ms: 60000 }]");
    let late = run(&stalled, &["--timeout", "1", "hurry"]);
    assert_eq!(late.code, 4, "{late:?}");
    assert!(late.stderr.contains("did not end within 1s"), "{}", late.stderr);
}

#[test]
fn a_failed_call_is_one_line_and_the_run_goes_on() {
    let script = "
- { calls: [{ tool: bash, args: { command: exit 3, description: Fails } }, { tool: read, args: { filePath: none.txt } }] }
- Neither worked.
";
    let project =
        scripted(script).file("praxis.json", json!({ "permission": { "bash": "allow" } }).to_string());
    let run = run(&project, &["try"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "Neither worked.\n"), "{run:?}");
    let mut calls: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with('✗')).collect();
    calls.sort_unstable();
    assert_eq!(calls.len(), 2, "{}", run.stderr);
    assert_eq!(calls[0], "✗ bash exit 3 — exit code 3");
    assert!(calls[1].starts_with("✗ read none.txt — "), "{}", calls[1]);
}

#[test]
fn a_tool_that_does_not_exist_is_no_success_and_a_task_list_is_shown() {
    let script = "
- { call: { frobnicate: { x: 1 } } }
- { call: { todowrite: { todos: [{ content: Look, status: completed, priority: high }, { content: Do, status: in_progress, priority: low }] } } }
- Done.
";
    let run = run(&scripted(script), &["try"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "Done.\n"), "{run:?}");
    let (shown, _) = run.stderr.trim_end().rsplit_once('\n').unwrap();
    let (unknown, todos) = shown.split_once('\n').unwrap();
    assert!(unknown.starts_with("✗ frobnicate — there is no such tool here. Available tools: "), "{unknown}");
    assert_eq!(todos, "✓ todowrite 1 todos\n  [x] Look\n  [>] Do");
}

#[test]
fn what_cannot_be_attached_is_told_before_the_answer_that_lacks_it() {
    let project =
        scripted("[{ call: { glob: { pattern: '*.none' } } }, Yes.]").file("a.bin", [0, 159, 146, 150]);
    let run = run(&project, &["--file", "a.bin", "look"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "Yes.\n"), "{run:?}");
    let first = run.stderr.lines().next().unwrap();
    assert!(first.starts_with("! `a.bin` is not attached: "), "{}", run.stderr);
}

#[test]
fn input_that_does_not_end_is_waited_for_in_so_many_words() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let project = scripted("[{ expect: { user: late }, say: Yes. }]");
    let mut command = project.command(&["run", "--script", "script.yaml", "look"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut told).unwrap();
    assert!(told.starts_with("note: reading standard input to its end"), "{told}");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"late\n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"Yes.\n");
}

#[test]
fn a_model_that_fails_is_told_and_ends_with_one() {
    let run = run(&scripted("[{ fail: { status: 400, message: no such thing } }]"), &["try"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run:?}");
    assert!(run.stderr.contains("error: ") && run.stderr.contains("no such thing"), "{}", run.stderr);
}

#[test]
fn without_a_model_there_are_three_ways_on() {
    // Nobody listens there, whatever runs on this machine.
    let nowhere = ["OLLAMA_HOST", "LMSTUDIO_HOST", "LLAMACPP_HOST", "VLLM_HOST"];
    let project = nowhere.iter().fold(project(), |project, name| project.variable(name, "127.0.0.1:1"));
    let run = project.run(&["run", "hello"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    for way in ["no model can be used yet", "praxis auth login", "praxis models --local", "praxis demo"] {
        assert!(run.stderr.contains(way), "{way}\n{}", run.stderr);
    }
    assert_eq!(project.run(&["session", "list", "--all", "--json"]).json(), json!([]));
}

/// A provider with two models, of which one has variants.
const MINE: &str = r#"{ "provider": { "mine": { "options": { "baseURL": "http://127.0.0.1:1/v1" }, "models": {
    "a": {}, "b": { "variants": { "high": {}, "low": {} } } } } } }"#;

#[test]
fn wrong_usage_begins_nothing() {
    let project = scripted("[Hello.]")
        .file("praxis.json", MINE)
        .file("bad.json", "[]")
        .file("bad.yaml", "- { sya: x }");
    for (arguments, told) in [
        (&["run"][..], "say what to do"),
        (&["run", "--fork", "x"], "--fork copies a session"),
        (&["run", "--continue", "x"], "there is no session in this directory yet"),
        (&["run", "-c", "x"], "there is no session in this directory yet"),
        (&["run", "--attach", "http://127.0.0.1:1", "x"], "--attach is about a server"),
        (&["run", "--port", "1", "x"], "--port is about a server"),
        (&["run", "-p", "secret", "x"], "--password is about a server"),
        (&["run", "--share", "x"], "praxis session export"),
        (&["run", "--title", "Greeting"], "`Greeting` was taken for the title"),
        (&["run", "--script", "script.yaml", "--file", "/dev/null", "x"], "neither a file nor a folder"),
        (&["run", "--dir", "none", "x"], "could not open none"),
        (&["run", "--session", "ses_none", "x"], "there is no session"),
        (&["run", "--file", "none.txt", "x"], "could not attach none.txt"),
        (&["run", "--schema", "bad.json", "x"], "a JSON Schema is an object"),
        (&["run", "--script", "none.yaml", "x"], "could not read the script none.yaml"),
        (&["run", "--script", "bad.yaml", "x"], "sya"),
        (&["run", "--model", "gpt", "x"], "is no model"),
        (&["run", "--model", "nobody/x", "x"], "there is no provider `nobody`"),
        (&["run", "--script", "script.yaml", "--agent", "buidl", "x"], "there is no agent `buidl`"),
        (&["run", "--script", "script.yaml", "--agent", "general", "x"], "is a subagent"),
        (&["run", "--model", "mine/a", "--variant", "high", "x"], "`mine/a` has no variants"),
        (&["run", "--model", "mine/b", "--variant", "hi", "x"], "has no variant `hi`; it has high, low"),
        (&["run", "--budget", "0", "x"], "--budget"),
        (&["run", "--max-steps", "0", "x"], "--max-steps"),
    ] {
        let run = project.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?} {run:?}");
        assert!(run.stderr.contains(told), "{arguments:?}: {told}\n{}", run.stderr);
    }
    assert_eq!(project.run(&["session", "list", "--all", "--json"]).json(), json!([]));
}
