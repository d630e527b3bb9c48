//! Stores that are newer, damaged, cut short or empty: told, never made worse, and repaired as far as can be.

use std::path::{Path, PathBuf};

use praxis_testkit::{Format, ModelServer, Project};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::{run, scripted, told};

const PAGE: usize = 4_096;

fn path(project: &Project) -> PathBuf {
    project.home().join(".local/share/praxis/praxis.db")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    path.with_file_name(format!("praxis.db{ending}"))
}

/// A project with several sessions, and their store.
fn filled() -> (Project, PathBuf) {
    let project = scripted(r#"{ "turns": ["Hello."], "after": "repeat" }"#);
    for n in 0..12 {
        let message = format!("{n} {}", "many words ".repeat(600));
        told(&run(&project, &[&message]), 0, &["Hello."]);
    }
    let path = path(&project);
    told(&project.run(&["session", "doctor", "--repair"]), 0, &["Nothing is wrong"]);
    assert!(!beside(&path, "-wal").exists(), "whoever closes the store last moves the log into it");
    (project, path)
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, &bytes).unwrap();
    bytes
}

fn sessions(project: &Project) -> usize {
    project.run(&["session", "list", "--json", "--limit", "1000"]).json().as_array().unwrap().len()
}

#[test]
fn a_newer_store_is_not_touched() {
    let (project, path) = filled();
    // The version stands at this place of every SQLite file.
    let newer = change(&path, |bytes| bytes[60..64].copy_from_slice(&99_u32.to_be_bytes()));
    for arguments in [
        &["run", "--script", "script.yaml", "x"][..],
        &["run", "-c", "--script", "script.yaml", "x"],
        &["session", "list"],
        &["session", "doctor"],
        &["session", "doctor", "--repair"],
    ] {
        told(&project.run(arguments), 1, &["has version 99", "use a newer praxis"]);
        assert_eq!(std::fs::read(&path).unwrap(), newer, "{arguments:?}");
    }
}

/// Told by everybody and not made worse, and after a repair there is a store that works. Gives what was saved.
fn is_told_and_repaired(project: &Project, path: &Path, context: &str) -> usize {
    let damaged = std::fs::read(path).unwrap();
    for arguments in [&["run", "--script", "script.yaml", "x"][..], &["session", "search", "words"]] {
        told(&project.run(arguments), 1, &["is damaged", "`praxis session doctor`"]);
        assert_eq!(std::fs::read(path).unwrap(), damaged, "{context} {arguments:?}");
    }
    is_repaired(project, path, context)
}

/// Found by the doctor, kept, and as much of it as can be read saved into a store that works.
fn is_repaired(project: &Project, path: &Path, context: &str) -> usize {
    let damaged = std::fs::read(path).unwrap();
    told(&project.run(&["session", "doctor"]), 1, &["(damaged)", "praxis session doctor --repair"]);
    assert_eq!(std::fs::read(path).unwrap(), damaged, "{context}");

    let repair = project.run(&["session", "doctor", "--repair", "--json"]);
    let repaired: Value =
        serde_json::from_str(&repair.stdout).unwrap_or_else(|e| panic!("{context} {e} {repair:?}"));
    let aside = repaired["aside"].as_str().unwrap_or_else(|| panic!("{context} {repaired}"));
    assert_eq!(std::fs::read(aside).unwrap(), damaged, "{context}: the damaged store is kept");
    let count = |is: bool| {
        let findings = repaired["findings"].as_array().unwrap();
        findings.iter().filter(|finding| finding["repaired"] == json!(is)).count()
    };
    assert_eq!(sessions(project), count(true), "{context}: {repaired:#}");
    assert_eq!(repair.code, i32::from(count(false) > 0), "{context}: {repaired:#}");
    told(&project.run(&["session", "doctor"]), 0, &["Nothing is wrong"]);
    told(&run(project, &["x"]), 0, &["Hello."]);
    count(true)
}

#[test]
fn a_store_with_a_broken_page_gives_back_the_other_sessions() {
    let (project, path) = filled();
    let pages = std::fs::metadata(&path).unwrap().len() as usize / PAGE;
    // The last pages hold what was said last.
    change(&path, |bytes| bytes[(pages - 2) * PAGE..(pages - 1) * PAGE].fill(0xA5));
    let saved = is_repaired(&project, &path, "a broken page");
    assert!(saved >= 6, "{saved} of 12 sessions were saved");
}

#[test]
fn a_store_whose_beginning_is_overwritten_gives_back_its_sessions() {
    let (project, path) = filled();
    change(&path, |bytes| bytes[..100].fill(0xA5));
    assert_eq!(is_told_and_repaired(&project, &path, "a broken head"), 12);
}

#[test]
fn a_store_that_was_cut_short_is_kept_and_replaced() {
    let (project, path) = filled();
    change(&path, |bytes| bytes.truncate(bytes.len() / 2 / PAGE * PAGE + 100));
    is_told_and_repaired(&project, &path, "half a store");
    let (project, path) = filled();
    change(&path, |bytes| bytes.truncate(PAGE));
    assert_eq!(is_told_and_repaired(&project, &path, "one page"), 0);
}

#[test]
fn a_file_that_is_no_store_is_kept_and_replaced() {
    let project = scripted(r#"{ "turns": ["Hello."], "after": "repeat" }"#);
    let project = project.home_file(".local/share/praxis/praxis.db", "words and no store\n".repeat(1_000));
    let path = path(&project);
    assert_eq!(is_told_and_repaired(&project, &path, "words"), 0);
}

#[test]
fn an_empty_file_is_a_new_store_unless_a_log_lies_beside_it() {
    let (project, path) = filled();
    change(&path, Vec::clear);
    assert_eq!(sessions(&project), 0);
    told(&run(&project, &["x"]), 0, &["Hello."]);

    let (project, path) = filled();
    let log = b"a log that may hold the only copy of something".to_vec();
    std::fs::write(beside(&path, "-wal"), &log).unwrap();
    change(&path, Vec::clear);
    is_told_and_repaired(&project, &path, "an empty file with a log");
    let kept: Vec<_> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with("-wal"))
        .filter(|path| std::fs::read(path).unwrap() == log)
        .collect();
    assert_eq!(kept.len(), 1, "the log is kept with its store");
}

#[test]
fn a_folder_in_the_place_of_the_store_is_named() {
    let project = scripted("[Hello.]").home_file(".local/share/praxis/praxis.db/file", "");
    told(&run(&project, &["x"]), 1, &["praxis.db", "it is a folder", "PRAXIS_DB"]);
    told(&project.run(&["session", "doctor"]), 1, &["it is a folder"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_kill_leaves_only_in_the_log_is_found_without_its_index_and_missed_without_harm() {
    for lost in [&["-shm"][..], &["-wal", "-shm"]] {
        let server = ModelServer::play("[{ parts: [{ say: Hel }, { hold: here }] }]").await;
        let config = crate::run::wires::config(Format::Chat, &server.url()).to_string();
        let (project, path) = block_in_place(filled);
        let project = project.file("praxis.json", config);
        let live = project.start(&["run", "in the log"]);
        server.until_held("here").await;
        drop(live.kill());
        for ending in lost {
            std::fs::remove_file(beside(&path, ending)).unwrap();
        }
        let is_there = !lost.contains(&"-wal");
        assert_eq!(block_in_place(|| sessions(&project)), 12 + usize::from(is_there), "{lost:?}");
        let last = block_in_place(|| project.run(&["session", "show", "last"]));
        told(&last, 0, &["> "]);
        assert_eq!(last.stdout.contains("in the log"), is_there, "{lost:?}");
        told(&block_in_place(|| project.run(&["session", "doctor"])), 0, &["Nothing is wrong"]);
    }
}
