//! What a machine can do to a run: full disks, folders that vanish, stores that are odd, sizes nobody expects.

mod disk;
mod inside;
mod places;
mod sizes;
mod store;
mod together;

use praxis_testkit::{Project, Run};

use crate::project;

/// A project in which `script.yaml` answers and commands may run.
fn scripted(script: &str) -> Project {
    project().file("script.yaml", script).file("praxis.json", r#"{"permission":{"bash":"allow"}}"#)
}

/// Runs the script.
fn run(project: &Project, more: &[&str]) -> Run {
    project.run(&[&["run", "--script", "script.yaml"], more].concat())
}

/// Fails unless the program said all this and ended with that code.
fn told(run: &Run, code: i32, texts: &[&str]) {
    assert_eq!(run.code, code, "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text) || run.stdout.contains(text), "`{text}` is not in {run:#?}");
    }
}
