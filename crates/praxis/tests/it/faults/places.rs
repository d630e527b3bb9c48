//! Folders that are gone when a run looks for them.

use std::os::unix::ffi::OsStrExt;

use praxis_testkit::{Format, ModelServer};
use serde_json::json;
use tokio::task::block_in_place;

use super::{run, scripted, told};
use crate::project;

#[test]
fn a_session_whose_folder_is_gone_goes_on_elsewhere() {
    let project = scripted("[Hello.]").file("sub/keep", "");
    let sub = project.directory().join("sub").display().to_string();
    told(&run(&project, &["--cwd", &sub, "first"]), 0, &["Hello."]);
    std::fs::remove_dir_all(&sub).unwrap();
    told(&run(&project, &["--cwd", &sub, "-c", "second"]), 2, &["could not open", &sub]);
    told(&run(&project, &["-s", "last", "second"]), 0, &["this session began in", &sub, "Hello."]);
    told(&project.run(&["session", "show", "last"]), 0, &["> first", "> second"]);
}

#[test]
fn in_a_current_folder_that_is_gone_commands_say_so() {
    let project = project();
    let program = project.command(&[]).get_program().to_owned();
    for (arguments, code, text) in [
        ("run hello", 2, "the current directory is gone"),
        ("session list", 2, "`praxis session list --all` looks everywhere"),
        ("session list --all", 0, "There is no session"),
    ] {
        let line = format!("mkdir gone && cd gone && rmdir ../gone && exec \"$0\" {arguments}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).arg(&program).current_dir(project.directory()).env("HOME", project.home());
        told(&praxis_testkit::Live::start(shell).finish(), code, &[text]);
    }
}

#[test]
fn in_a_folder_whose_name_is_no_text_commands_run() {
    let project = scripted("[{ call: { bash: { command: touch made } } }, Made.]");
    let folder = project.directory().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    let script = project.directory().join("script.yaml").display().to_string();
    let mut command = project.command(&["run", "--auto", "--script", &script, "make it"]);
    command.current_dir(&folder);
    told(&praxis_testkit::Live::start(command).finish(), 0, &["Made.", "✓ bash touch made"]);
    assert!(folder.join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_goes_during_a_run_is_told_to_the_model_and_the_run_ends_in_order() {
    let calls = json!([
        { "tool": "bash", "args": { "command": "pwd", "description": "Where" } },
        { "tool": "read", "args": { "filePath": "a.txt" } },
        { "tool": "edit", "args": { "filePath": "a.txt", "oldString": "x", "newString": "y" } },
        { "tool": "grep", "args": { "pattern": "x" } },
        { "tool": "glob", "args": { "pattern": "*" } },
    ]);
    let turns = json!([{ "parts": [{ "hold": "here" }, { "calls": calls }] }, "It is gone."]);
    let server = ModelServer::play(&turns.to_string()).await;
    let mut config = crate::run::wires::config(Format::Chat, &server.url());
    config["permission"] = json!({ "bash": "allow" });
    let project = project().file("work/a.txt", "x\n").file("work/praxis.json", config.to_string());
    let work = project.directory().join("work");
    let live = project.start(&["run", "--cwd", &work.display().to_string(), "look"]);
    server.until_held("here").await;
    std::fs::remove_dir_all(&work).unwrap();
    server.pass("here");
    let ended = block_in_place(|| live.finish());
    told(&ended, 0, &["It is gone.", "✗ bash pwd", "✗ read a.txt", "✗ edit a.txt"]);
    assert!(!work.exists(), "{ended:?}");
    let asked = server.request(1);
    assert!(asked.result_of("bash").contains("work"), "the folder is named: {}", asked.result_of("bash"));
    told(&block_in_place(|| project.run(&["session", "doctor"])), 0, &["Nothing is wrong"]);
}
