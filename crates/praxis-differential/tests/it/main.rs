//! The analysis of scripts held against what shells do, a short run of it.
//!
//! `PRAXIS_DIFFERENTIAL=1000000` in the environment makes it a long one.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(clippy::expect_used, reason = "a test may fail where it stands")]

use std::process::{Command, Output};

/// Enough to meet every corner of the grammar, little enough to wait for.
const SCRIPTS: u64 = 3_000;
/// Of a hundred scripts, so many must be known, whole or in their programs: where all is doubtful, nothing is tested.
const KNOWN: f64 = 40.0;

fn run(arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_praxis-differential"))
        .args(arguments)
        .output()
        .expect("the program runs");
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output, text)
}

/// The numbers before ` % known whole` and ` % in their programs`, together.
fn share(text: &str) -> Option<f64> {
    let before = |mark: &str| text.rsplit_once(mark)?.0.rsplit(' ').next()?.parse::<f64>().ok();
    Some(before(" % known whole")? + before(" % in their programs")?)
}

#[test]
fn whatever_a_script_does_was_listed_or_doubted() {
    let scripts = std::env::var("PRAXIS_DIFFERENTIAL").unwrap_or_else(|_| SCRIPTS.to_string());
    let (output, text) = run(&["--scripts", &scripts, "--seed", "11"]);
    assert!(output.status.success(), "{text}");
    assert!(share(&text) > Some(KNOWN), "{text}");
}

#[test]
fn an_analysis_that_leaves_something_out_is_caught() {
    for lost in ["command", "path"] {
        let (output, text) = run(&["--scripts", "300", "--seed", "12", "--most", "1", "--forget", lost]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("FAILURE"), "{text}");
    }
}

#[test]
fn a_script_that_starts_many_processes_or_never_ends_is_stopped() {
    for script in ["while :; do :; done", "f() { f | f & }; f", "sleep 9 & while ls; do ls; done"] {
        let (output, text) = run(&["--script", script]);
        assert!(output.status.success(), "{text}");
    }
}

#[test]
fn the_jail_holds() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file");
    let script = format!("> '{}'; exec 3<> /dev/tcp/127.0.0.1/9; kill -9 -1", file.display());
    let (_, text) = run(&["--script", &script]);
    assert!(text.contains("luck 7"), "{text}");
    assert!(!file.exists());
}

#[test]
fn what_happens_is_seen() {
    let (_, text) = run(&["--script", "cd src && cat f > ../new; (env ls a*)"]);
    let seen = [
        r#"Open { path: "/w/p/new", write: true }"#,
        r#"Run { file: "/bin/cat", argv: ["cat", "f"], cwd: "/w/p/src" }"#,
        r#"Run { file: "/bin/env", argv: ["env", "ls", "a.txt"], cwd: "/w/p/src" }"#,
        r#"Run { file: "/bin/ls", argv: ["ls", "a.txt"], cwd: "/w/p/src" }"#,
    ];
    for event in seen {
        assert!(text.contains(event), "{event} is missing in {text}");
    }
}
