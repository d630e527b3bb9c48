//! `praxis tool run bash`: real commands, their ends and what they leave behind.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use praxis_testkit::Project;
use serde_json::{Value, json};

use crate::project;

/// Far more than anything here takes, and far less than what would happen if it hung.
const SOON: Duration = Duration::from_secs(20);

fn run(project: &Project, input: &Value) -> Value {
    let run = project
        .run_with_input(&["tool", "run", "bash", "--input", "-", "--ask", "allow"], &input.to_string());
    run.json()
}

fn output(project: &Project, command: &str) -> Value {
    run(project, &json!({ "command": command }))
}

/// A pipe that stays open as long as some process of a command holds it.
struct Alive(std::path::PathBuf);

impl Alive {
    fn new(project: &Project) -> Self {
        let path = project.directory().join("alive");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        Self(path)
    }

    /// Waits for the first line that a holder writes.
    fn first_line(&self) -> (String, BufReader<File>) {
        let mut reader = BufReader::new(File::open(&self.0).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        (line.trim().to_owned(), reader)
    }
}

/// Waits until no process holds the pipe any more.
fn all_gone(mut reader: BufReader<File>) {
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
}

fn spawn(project: &Project, input: &Value) -> Child {
    let input = input.to_string();
    let mut command = project.command(&["tool", "run", "bash", "--input", &input, "--ask", "allow"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
}

#[test]
fn both_streams_come_in_the_order_in_which_they_were_written() {
    let script = "for i in 1 2 3 4 5 6 7 8; do echo out $i; echo err $i >&2; done; exit 42";
    let told = output(&project(), script);
    let expected: String = (1..=8).map(|i| format!("out {i}\nerr {i}\n")).collect();
    let text = told["output"].as_str().unwrap();
    assert!(text.starts_with(&expected), "{text}");
    assert!(text.contains("ended with exit code 42"), "{text}");
    assert_eq!((&told["status"], &told["metadata"]["exit"]), (&json!("completed"), &json!(42)));
    assert_eq!(told["metadata"]["output"], expected);
    assert_eq!(told["metadata"]["truncated"], false);
}

#[test]
fn nothing_said_is_told_as_nothing() {
    let told = output(&project(), "true");
    assert_eq!(told["output"], "(no output)");
    assert_eq!(told["title"], "true");
}

#[test]
fn a_command_is_over_when_it_ends_although_its_children_hold_the_pipe() {
    let project = project();
    let alive = Alive::new(&project);
    let started = Instant::now();
    let child = spawn(&project, &json!({ "command": "exec 9>alive; echo up >&9; sleep 1000 & echo ok" }));
    let (line, reader) = alive.first_line();
    let done = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(started.elapsed() < SOON);
    assert_eq!(line, "up");
    assert_eq!(told["metadata"]["output"], "ok\n");
    assert_eq!(told["metadata"]["job"], "job_1");
    assert!(told["output"].as_str().unwrap().contains("What it started still runs, as `job_1`"));
    // And with Praxis it goes.
    all_gone(reader);
}

#[test]
fn nothing_outlives_praxis_when_it_is_killed_not_even_what_forked_twice_into_a_session_of_its_own() {
    let project = project();
    let alive = Alive::new(&project);
    let script = "exec 9>alive; (setsid sh -c 'setsid sleep 1000 & sleep 1000' &); trap '' TERM HUP INT; echo up >&9; \
                  while :; do sleep 1000; done";
    let mut child = spawn(&project, &json!({ "command": script }));
    let (_, reader) = alive.first_line();
    child.kill().unwrap();
    child.wait().unwrap();
    all_gone(reader);
}

#[test]
fn nothing_outlives_praxis_when_it_ends_by_a_signal_that_it_does_not_handle() {
    let project = project();
    let alive = Alive::new(&project);
    let mut child = spawn(&project, &json!({ "command": "exec 9>alive; echo up >&9; sleep 1000" }));
    let (_, reader) = alive.first_line();
    signal(&child, "-TERM");
    child.wait().unwrap();
    all_gone(reader);
}

#[test]
fn a_command_past_its_time_is_stopped_with_everything_it_started_even_if_it_ignores_the_request() {
    let project = project();
    let alive = Alive::new(&project);
    let script = "exec 9>alive; trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1000; done' & \
                  echo before; echo up >&9; while :; do sleep 1000; done";
    let started = Instant::now();
    let child = spawn(&project, &json!({ "command": script, "timeout": 300 }));
    let (_, reader) = alive.first_line();
    let done = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    all_gone(reader);
    assert!(started.elapsed() < SOON);
    let text = told["output"].as_str().unwrap();
    assert!(text.starts_with("before\n"), "{text}");
    assert!(text.contains("shell tool terminated command after exceeding timeout 300 ms"), "{text}");
    assert!(text.contains("retry with a larger timeout value in milliseconds"), "{text}");
    assert_eq!(told["metadata"]["exit"], Value::Null);
}

#[test]
fn a_command_that_is_asked_to_end_may_say_its_last_words() {
    let script = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    let told = run(&project(), &json!({ "command": script, "timeout": 200 }));
    let text = told["metadata"]["output"].as_str().unwrap();
    assert!(text.starts_with("up\n") && text.ends_with("bye\n"), "{told}");
}

#[test]
fn an_interrupt_stops_the_command_and_keeps_what_it_had_said() {
    let project = project();
    let alive = Alive::new(&project);
    let script = "echo before; exec 9>alive; trap '' TERM; echo up >&9; while :; do sleep 1000; done";
    let child = spawn(&project, &json!({ "command": script }));
    let (_, reader) = alive.first_line();
    let asked = Instant::now();
    signal(&child, "-INT");
    let done = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5));
    all_gone(reader);
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let text = told["output"].as_str().unwrap();
    assert!(text.starts_with("before\n") && text.contains("User aborted the command"), "{told}");
    assert_eq!(done.status.code(), Some(130));
}

#[test]
fn a_command_may_close_its_output_and_live_on() {
    let told = output(&project(), "echo x; exec 1>&- 2>&-; sleep 0.2; exit 7");
    assert_eq!((&told["metadata"]["output"], &told["metadata"]["exit"]), (&json!("x\n"), &json!(7)));
}

#[test]
fn a_signal_is_told_by_its_name() {
    let told = output(&project(), "kill -KILL $$");
    assert_eq!((&told["metadata"]["exit"], &told["metadata"]["signal"]), (&Value::Null, &json!(9)));
    assert!(told["output"].as_str().unwrap().contains("was ended by signal 9 (SIGKILL)"), "{told}");
}

#[test]
fn long_output_is_shown_with_both_ends_and_saved_whole() {
    let project = project();
    let told = output(&project, "seq 1 2100");
    let text = told["output"].as_str().unwrap();
    let path = told["metadata"]["outputPath"].as_str().unwrap();
    assert!(text.starts_with(&format!("...output truncated...\n\nFull output saved to: {path}\n\n1\n2\n")));
    assert!(text.contains("\n\n...100 lines truncated...\n\n") && text.ends_with("\n2099\n2100\n"), "{text}");
    let expected: String = (1..=2100).map(|n| format!("{n}\n")).collect();
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    assert_eq!(told["metadata"]["truncated"], true);
}

#[test]
fn one_long_line_is_cut_between_characters() {
    let told =
        output(&project(), "for i in $(seq 1 500); do printf '%0100d' 0 | tr 0 x; printf 'ééééé€€€'; done");
    let text = told["output"].as_str().unwrap();
    assert!(told["metadata"]["truncated"] == true && text.len() < 60_000);
    assert!(!text.contains('\u{fffd}') && text.ends_with("€€€"), "{}", &text[text.len() - 100..]);
}

#[test]
fn output_without_end_stays_bounded_until_the_time_is_over() {
    let told = run(&project(), &json!({ "command": "yes", "timeout": 400 }));
    assert!(told["output"].as_str().unwrap().len() < 60_000);
    assert_eq!(told["metadata"]["truncated"], true);
    assert!(told["output"].as_str().unwrap().contains("exceeding timeout 400 ms"));
}

#[test]
fn bytes_that_are_no_text_are_marked() {
    let told = output(&project(), r"printf 'a\377b\000c'");
    assert_eq!(told["output"], "a\u{fffd}b\u{fffd}c");
}

#[test]
fn input_is_empty_and_a_missing_terminal_is_told() {
    let project = project();
    assert_eq!(output(&project, "cat; wc -c")["metadata"]["output"], "0\n");
    let told = output(&project, "read -r x < /dev/tty");
    assert!(told["output"].as_str().unwrap().contains("wanted a terminal; there is none"), "{told}");
}

#[test]
fn commands_see_the_environment_without_our_secrets() {
    let project = project()
        .variable("ANTHROPIC_API_KEY", "sk-secret")
        .variable("OPENAI_API_KEY", "sk-kept")
        .variable("OPENCODE_SERVER_PASSWORD", "hunter2")
        .variable("MINE", "seen")
        .file(
            "praxis.json",
            r#"{ "shell_tool": { "environment": { "keep": ["OPENAI_API_KEY"], "drop": ["HIDDEN"], "set": { "ADDED": "1" } } } }"#,
        )
        .variable("HIDDEN", "x");
    let told = output(
        &project,
        "echo $MINE,$ADDED,$PRAXIS,$OPENAI_API_KEY,$ANTHROPIC_API_KEY,$OPENCODE_SERVER_PASSWORD,$HIDDEN; \
         cat /proc/$PPID/environ 2>/dev/null",
    );
    assert_eq!(told["metadata"]["output"], "seen,1,1,sk-kept,,,\n");
}

#[test]
fn a_shell_that_speaks_another_language_is_replaced_and_the_text_says_by_which() {
    let project = project().file("praxis.json", r#"{ "shell": "fish" }"#);
    assert_eq!(output(&project, "echo ${BASH_VERSION:+bash}")["metadata"]["output"], "bash\n");
    let shown = project.run(&["tool", "show", "bash"]);
    assert!(shown.stdout.contains("The shell is bash on linux"), "{}", shown.stdout);
}

#[test]
fn the_usual_time_can_be_set_and_is_told() {
    let project = project().variable("OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS", "150");
    let shown = project.run(&["tool", "show", "bash"]);
    assert!(shown.stdout.contains("commands will time out after 150ms"), "{}", shown.stdout);
    let told = output(&project, "sleep 60");
    assert!(told["output"].as_str().unwrap().contains("exceeding timeout 150 ms"), "{told}");
}

#[test]
fn a_command_past_its_time_can_go_on_as_a_job() {
    let project = project().file("praxis.json", r#"{ "shell_tool": { "on_timeout": "background" } }"#);
    let told = run(&project, &json!({ "command": "echo up; sleep 60", "timeout": 100 }));
    let text = told["output"].as_str().unwrap();
    assert!(text.starts_with("up\n") && text.contains("runs in the background as `job_1`"), "{text}");
}

#[test]
fn bad_input_is_refused_with_the_way_on() {
    let project = project().file("file.txt", "");
    let long = format!("echo {}", "x".repeat(1 << 20));
    for (input, told) in [
        (json!({ "command": "  \n" }), "The command is empty"),
        (json!({ "command": "echo a\0b" }), "NUL byte"),
        (json!({ "command": long }), "write it to a file and run that"),
        (json!({ "command": "ls", "workdir": "nowhere" }), "`workdir` nowhere does not exist"),
        (json!({ "command": "ls", "workdir": "file.txt" }), "`workdir` file.txt is not a folder"),
        (json!({ "command": "ls", "timeout": 0 }), "timeout"),
        (json!({ "command": "ls", "timeout": -5 }), "timeout"),
        (json!({ "command": "ls", "timeout": 7_200_000 }), "run what takes longer with `background`"),
        (json!({ "timeout": 5 }), r#"Missing key at ["command"]"#),
    ] {
        let found = run(&project, &input);
        assert_eq!(found["status"], "error", "{found}");
        assert!(found["error"].as_str().unwrap().contains(told), "{found}");
    }
}

#[test]
fn a_folder_can_be_chosen() {
    let project = project().file("sub/a.txt", "");
    assert_eq!(run(&project, &json!({ "command": "ls", "workdir": "sub" }))["metadata"]["output"], "a.txt\n");
}
