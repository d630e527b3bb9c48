//! Instruction files.

use praxis_config::{Instruction, Instructions, nearby};

use crate::lab::Lab;

fn found(lab: &Lab, configured: &[&str]) -> Vec<String> {
    let configured: Vec<String> =
        configured.iter().map(|entry| entry.replace("LAB", &lab.path("").display().to_string())).collect();
    Instructions::discover(&lab.surroundings(), &lab.path("project/app"), &lab.path("project"), &configured)
        .into_iter()
        .map(|instruction| match instruction {
            Instruction::File(path) => lab.relative(&path),
            Instruction::Url(url) => url,
        })
        .collect()
}

#[test]
fn all_files_of_the_first_name_count_nearest_first() {
    let lab = Lab::new()
        .file("AGENTS.md", "outside the worktree")
        .file("project/AGENTS.md", "root")
        .file("project/app/AGENTS.md", "near")
        .file("project/app/CLAUDE.md", "other name");
    assert_eq!(found(&lab, &[]), ["project/app/AGENTS.md", "project/AGENTS.md"]);
}

#[test]
fn a_name_that_exists_only_further_up_still_comes_first() {
    let lab = Lab::new().file("project/AGENTS.md", "root").file("project/app/CLAUDE.md", "near");
    assert_eq!(found(&lab, &[]), ["project/AGENTS.md"]);
}

#[test]
fn other_names_are_read_unless_switched_off() {
    let lab = Lab::new().file("project/app/CLAUDE.md", "c").file("project/CONTEXT.md", "x");
    assert_eq!(found(&lab, &[]), ["project/app/CLAUDE.md"]);
    let lab = lab.var("OPENCODE_DISABLE_CLAUDE_CODE", "1");
    assert_eq!(found(&lab, &[]), ["project/CONTEXT.md"]);
    assert_eq!(Instructions::names(&lab.surroundings()), ["AGENTS.md", "CONTEXT.md"]);
}

#[test]
fn of_the_global_files_the_first_counts() {
    let lab = Lab::new().file("home/.claude/CLAUDE.md", "claude");
    assert_eq!(found(&lab, &[]), ["home/.claude/CLAUDE.md"]);
    let lab = lab.file("home/.config/opencode/AGENTS.md", "theirs");
    assert_eq!(found(&lab, &[]), ["home/.config/opencode/AGENTS.md"]);
    let lab = lab.file("home/.config/praxis/AGENTS.md", "ours").file("project/AGENTS.md", "project");
    assert_eq!(found(&lab, &[]), ["home/.config/praxis/AGENTS.md", "project/AGENTS.md"]);
    let quiet =
        Lab::new().file("home/.claude/CLAUDE.md", "claude").var("PRAXIS_DISABLE_CLAUDE_CODE_PROMPT", "true");
    assert!(found(&quiet, &[]).is_empty());
}

#[test]
fn configured_paths_globs_and_addresses() {
    let lab = Lab::new()
        .file("project/docs/b.md", "")
        .file("project/docs/a.md", "")
        .file("project/docs/deep/c.md", "")
        .file("project/docs/a.txt", "")
        .file("project/app/docs/z.md", "")
        .file("project/node_modules/p/docs/n.md", "")
        .file("home/rules.md", "")
        .file("abs/one.md", "");
    assert_eq!(
        found(&lab, &["docs/*.md", "~/rules.md", "LAB/abs/*.md", "https://example.org/x.md", "missing.md"]),
        [
            "project/app/docs/z.md",
            "project/docs/a.md",
            "project/docs/b.md",
            "home/rules.md",
            "abs/one.md",
            "https://example.org/x.md"
        ]
    );
    assert_eq!(
        found(&lab, &["**/docs/**/*.md"]),
        ["project/app/docs/z.md", "project/docs/a.md", "project/docs/b.md", "project/docs/deep/c.md"]
    );
}

#[test]
fn a_file_reached_twice_is_listed_once() {
    let lab = Lab::new().file("project/AGENTS.md", "x");
    #[cfg(unix)]
    std::os::unix::fs::symlink(lab.path("project/AGENTS.md"), lab.path("project/also.md")).unwrap();
    assert_eq!(found(&lab, &["AGENTS.md", "also.md", "*.md"]), ["project/AGENTS.md"]);
}

#[test]
fn files_come_with_the_instructions_of_their_directories() {
    let lab = Lab::new()
        .file("project/AGENTS.md", "")
        .file("project/app/AGENTS.md", "")
        .file("project/app/src/CLAUDE.md", "")
        .file("project/app/src/deep/AGENTS.md", "")
        .file("project/app/src/deep/CLAUDE.md", "")
        .file("project/application/src/AGENTS.md", "");
    let names = Instructions::names(&lab.surroundings());
    let near = |file: &str| -> Vec<String> {
        let paths = nearby(&lab.path(file), &lab.path("project/app"), names);
        paths.iter().map(|path| lab.relative(path)).collect()
    };
    assert_eq!(
        near("project/app/src/deep/x/main.rs"),
        ["project/app/src/deep/AGENTS.md", "project/app/src/CLAUDE.md"]
    );
    assert_eq!(near("project/app/src/deep/AGENTS.md"), ["project/app/src/CLAUDE.md"]);
    assert!(near("project/app/main.rs").is_empty());
    assert!(near("project/application/src/main.rs").is_empty());
}
