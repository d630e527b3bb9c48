//! A disk that is full, and one that cannot be written.

use serde_json::{Value, json};

use super::inside::Inside;
use super::{run, scripted, told};
use crate::project;

/// Steps whose results are stored until the disk is full.
fn filling() -> String {
    let mut turns =
        vec![json!({ "say": "One.", "call": { "write": { "filePath": "made.txt", "content": "whole\n" } } })];
    for n in 0..12 {
        let command = format!("seq {n} 9000");
        turns.push(json!({ "call": { "bash": { "command": command, "description": "Counts" } } }));
    }
    turns.push(json!({ "when": { "user": "go on" }, "expect": { "anywhere": "One." }, "say": "Going on." }));
    Value::Array(turns).to_string()
}

#[test]
fn a_disk_that_fills_up_ends_the_run_and_when_there_is_space_it_goes_on() {
    let project = scripted(&filling());
    let data = project.home().join(".local/share");
    let Some(inside) = Inside::small_disk(&data, 512) else { return };
    let full = inside.run(&project, &["run", "--script", "script.yaml", "begin"]);
    told(&full, 1, &["One.", "the disk that holds", "is full; free some space and try again"]);
    assert_eq!(std::fs::read_to_string(project.directory().join("made.txt")).unwrap(), "whole\n");

    // Nothing can be written, and everything can be read.
    told(&inside.run(&project, &["session", "show", "last"]), 0, &["> begin", "One.", "✓ write made.txt"]);
    assert_eq!(inside.run(&project, &["session", "list", "--json"]).json().as_array().unwrap().len(), 1);
    let again = inside.run(&project, &["run", "--continue", "--script", "script.yaml", "go on"]);
    told(&again, 1, &["is full; free some space"]);

    inside.shell(&format!("mount -o remount,size=32m '{}'", data.display()));
    let again = inside.run(&project, &["run", "--continue", "--script", "script.yaml", "go on"]);
    told(&again, 0, &["Going on."]);
    told(&inside.run(&project, &["session", "doctor"]), 0, &["Nothing is wrong"]);
    let whole = inside.run(&project, &["session", "export", "last"]).json();
    crate::crash::kept::nothing_is_open(&whole, "a full disk");
}

#[test]
fn on_a_disk_that_is_full_from_the_start_nothing_begins() {
    let project = scripted("[Hello.]");
    let data = project.home().join(".local/share");
    let Some(inside) = Inside::small_disk(&data, 24) else { return };
    told(
        &inside.run(&project, &["run", "--script", "script.yaml", "begin"]),
        1,
        &["is full; free some space"],
    );
    inside.shell(&format!("mount -o remount,size=8m '{}'", data.display()));
    told(&inside.run(&project, &["run", "--script", "script.yaml", "begin"]), 0, &["Hello."]);
    told(&inside.run(&project, &["session", "doctor"]), 0, &["Nothing is wrong"]);
}

#[test]
fn a_file_that_does_not_fit_stays_as_it_was_and_the_model_is_told() {
    let big = "x".repeat(300_000);
    let script = json!([
        { "call": { "write": { "filePath": "small/new.txt", "content": big } } },
        { "expect": { "result": { "of": "write", "text": "pace" } },
          "call": { "write": { "filePath": "small/old.txt", "content": big } } },
        { "expect": { "result": { "of": "write", "text": "pace" } }, "say": "It is full." },
    ]);
    let project = scripted(&script.to_string());
    let small = project.directory().join("small");
    let Some(inside) = Inside::small_disk(&small, 64) else { return };
    inside.shell(&format!("echo old > '{}/old.txt'", small.display()));
    let told_so = inside.run(&project, &["run", "--script", "script.yaml", "write it"]);
    told(&told_so, 0, &["It is full.", "✗ write small/new.txt", "✗ write small/old.txt"]);
    inside.shell(&format!(
        "cd '{}' && test \"$(ls -A)\" = old.txt && test \"$(cat old.txt)\" = old",
        small.display()
    ));
}

#[test]
fn in_a_home_that_cannot_be_written_sessions_are_read_and_a_run_says_what_to_do() {
    let project = scripted("[Hello.]");
    told(&run(&project, &["begin"]), 0, &["Hello."]);
    let home = project.home().display().to_string();
    let line = format!("mount --bind '{home}' '{home}' && mount -o remount,bind,ro '{home}'");
    let Some(inside) = Inside::mount(&line) else { return };
    told(
        &inside.run(&project, &["run", "--script", "script.yaml", "again"]),
        1,
        &["cannot be written", "PRAXIS_DB"],
    );
    told(
        &inside.run(&project, &["run", "-c", "--script", "script.yaml", "again"]),
        1,
        &["cannot be written"],
    );
    told(&inside.run(&project, &["session", "show", "last"]), 0, &["> begin", "Hello."]);
    told(&inside.run(&project, &["session", "doctor"]), 0, &["Nothing is wrong"]);
    told(&inside.run(&project, &["session", "doctor", "--repair"]), 1, &["cannot be written"]);

    let elsewhere = project.directory().join("store.db").display().to_string();
    let project = project.variable("PRAXIS_DB", &elsewhere);
    let there = inside.run(&project, &["run", "--script", "script.yaml", "again"]);
    told(&there, 0, &["Hello."]);
}

#[test]
fn what_cannot_be_logged_is_said_once() {
    let call = json!({ "bash": { "command": "ls", "description": "Lists" } });
    let other = json!({ "bash": { "command": "ls -a", "description": "Lists" } });
    let project = scripted(&json!([{ "call": call }, { "call": other }, "Done."]).to_string());
    // A file where the folder of the log should be.
    let project = project.home_file(".local/state", "");
    let done = run(&project, &["begin"]);
    told(&done, 0, &["Done."]);
    assert_eq!(done.stderr.matches("permission decisions cannot be logged").count(), 1, "{}", done.stderr);
}

#[test]
fn a_home_that_is_a_file_is_named() {
    let project = project().file("script.yaml", "[Hello.]").home_file("file", "");
    let home = project.home().join("file").display().to_string();
    let project = project.variable("HOME", &home);
    told(&run(&project, &["begin"]), 1, &[&home]);
}
