//! The sandbox as a user switches it on: through the configuration, around the shell tool.

use praxis_testkit::Project;
use serde_json::{Value, json};

use crate::project;

fn run(project: &Project, command: &str) -> Value {
    let input = json!({ "command": command }).to_string();
    project.run_with_input(&["tool", "run", "bash", "--input", "-", "--ask", "allow"], &input).json()
}

fn text(told: &Value) -> &str {
    told["output"].as_str().unwrap_or_else(|| panic!("{told}"))
}

/// Whether this kernel can hold files at all; without, there is nothing to test but that it is said.
fn has_landlock(project: &Project) -> bool {
    project.run(&["doctor", "--json"]).stdout.contains("Landlock ABI")
}

#[test]
fn a_folder_can_be_opened_and_another_closed() {
    let config =
        r#"{ "sandbox": { "writable": ["~/cache"], "readable": ["~/plain"], "unreadable": ["secret"] } }"#;
    let project = project()
        .file("praxis.json", config)
        .file("secret/key", "hunter2")
        .home_file("cache/a", "")
        .home_file("plain", "plain");
    if !has_landlock(&project) {
        return;
    }
    assert_eq!(run(&project, "echo x > ~/cache/b && cat ~/plain")["metadata"]["output"], "plain");
    assert!(project.home().join("cache/b").exists());
    let told = run(&project, "cat secret/*");
    assert!(!text(&told).contains("hunter2"), "{told}");
}

#[test]
fn the_network_is_open_unless_it_is_closed() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    assert_eq!(run(&project(), &script)["metadata"]["output"], "connected\n");
    let closed = project().file("praxis.json", r#"{ "sandbox": { "network": "deny" } }"#);
    if !has_landlock(&closed) {
        return;
    }
    let told = run(&closed, &script);
    assert!(!text(&told).starts_with("connected") && text(&told).contains("network"), "{told}");
}

#[test]
fn a_command_that_computes_for_ever_runs_out_of_its_limit() {
    let project = project().file("praxis.json", r#"{ "sandbox": { "limits": { "cpu_seconds": 1 } } }"#);
    let told = run(&project, "while :; do :; done");
    assert!(text(&told).contains("SIGXCPU") || text(&told).contains("SIGKILL"), "{told}");
}

#[test]
fn a_file_without_end_runs_out_of_its_limit() {
    let project = project().file("praxis.json", r#"{ "sandbox": { "limits": { "file_size_mb": 1 } } }"#);
    let told = run(&project, "head -c 5000000 /dev/zero > big; wc -c < big");
    assert!(text(&told).contains("1048576"), "{told}");
}

#[test]
fn a_fork_bomb_is_held_by_its_limit_and_nothing_of_it_stays() {
    let project = project().file("praxis.json", r#"{ "sandbox": { "limits": { "processes": 100 } } }"#);
    let held = project.run(&["doctor", "--json"]).stdout;
    if held.contains("the limit of processes") {
        // Here only the user's own limit could hold it, or nothing.
        return;
    }
    // The bomb holds the pipe: when it is at its end, all of it is gone.
    let pipe = project.directory().join("alive");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let input = json!({ "command": "exec 9>alive; :(){ :|:& };:; sleep 1000", "timeout": 1500 }).to_string();
    let mut command = project.command(&["tool", "run", "bash", "--input", &input, "--ask", "allow"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut held = std::fs::File::open(&pipe).unwrap();
    let done = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(text(&told).contains("exceeding timeout 1500 ms"), "{told}");
    std::io::Read::read_to_end(&mut held, &mut Vec::new()).unwrap();
}

#[test]
fn contained_commands_need_no_question_where_the_user_says_so() {
    let config =
        r#"{ "permission": { "bash": { "*": "ask", "rm *": "deny" } }, "sandbox": { "auto_allow": true } }"#;
    let project = project().file("praxis.json", config);
    if !has_landlock(&project) {
        return;
    }
    let call = |command: &str| {
        let input = json!({ "command": command }).to_string();
        project.run_with_input(&["tool", "run", "bash", "--input", "-", "--ask", "deny"], &input).json()
    };
    assert_eq!(call("echo quiet")["metadata"]["output"], "quiet\n");
    assert_eq!(call("eval \"echo dynamic\"")["metadata"]["output"], "dynamic\n");
    assert!(call("rm x")["error"].as_str().unwrap().contains("denied by"));
    assert!(call("cat /etc/hostname")["error"].as_str().unwrap().contains("rejected"));
    // Not for an agent that only looks.
    let input = json!({ "command": "touch x" }).to_string();
    let arguments = ["tool", "run", "bash", "--input", &input, "--ask", "deny", "--agent", "plan"];
    assert_eq!(project.run(&arguments).json()["status"], "error");
}

#[test]
fn the_doctor_tells_what_holds_and_what_is_off() {
    let off = project().home_file(".config/praxis/praxis.json", r#"{ "sandbox": "off" }"#);
    let told = off.run(&["doctor"]);
    assert!(told.code == 0 && told.stdout.contains("guarded: no command outlives Praxis"), "{told:?}");
    assert!(told.stdout.contains("off by your own configuration"), "{told:?}");
    let found = project().run(&["doctor", "--json"]).json();
    let sandbox = found.as_array().unwrap().iter().find(|one| one["name"] == "sandbox").unwrap();
    assert!(sandbox["told"].as_str().unwrap().contains("network"), "{sandbox}");
}
