//! What is left when a run is killed.

use std::io::Read;
use std::process::{Command, Stdio};

use praxis_testkit::Project;

use super::{run, scripted, stored};

/// A project whose run was killed in the middle of a call.
fn killed() -> Project {
    let script = "
- { when: { user: go on }, expect: { anywhere: begin }, say: We go on. }
- { say: I will wait., call: { bash: { command: 'echo here > pipe; sleep 600', description: Waits } } }
";
    let project = scripted(script).file("praxis.json", r#"{"permission":{"bash":"allow"}}"#);
    let pipe = project.directory().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = project
        .command(&["run", "--script", "script.yaml", "begin"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = String::new();
    // Opens only when the command does, so it runs now.
    std::fs::File::open(&pipe).unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "here\n");
    child.kill().unwrap();
    child.wait().unwrap();
    project
}

#[test]
fn a_run_that_was_killed_goes_on_with_its_call_closed() {
    let project = killed();
    let again = run(&project, &["--continue", "go on"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "We go on.\n"), "{again:?}");
    let parts = stored(&project)["messages"][1]["parts"].clone();
    let call = parts.as_array().unwrap().iter().find(|part| part["type"] == "tool").unwrap();
    assert_eq!(
        (&call["state"]["status"], &call["state"]["metadata"]["interrupted"]),
        (&"error".into(), &true.into())
    );
}

#[test]
fn what_was_cut_off_is_finished_without_a_new_message() {
    let project =
        killed().file("script.yaml", "[{ expect: { user: begin, result: { of: bash } }, say: Done now. }]");
    let again = run(&project, &["--continue"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, "Done now.\n"), "{again:?}");
    let nothing = run(&project, &["--continue"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""), "{nothing:?}");
    assert!(nothing.stderr.contains("nothing was left to answer"), "{}", nothing.stderr);
}
