//! Files that only a person may change, whatever rules, grants and standing answers say.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use praxis_testkit::{Project, Run, Terminal};
use serde_json::{Value, json};

use crate::project;

/// A project with something at each protected place, whose user allows everything.
fn open() -> Project {
    let project = project()
        .home_file(
            ".config/praxis/praxis.json",
            r#"{"permission":{"*":"allow","external_directory":"allow"}}"#,
        )
        .home_file(".bashrc", "old\n")
        .home_file("dotfiles/zshrc", "old\n")
        .home_file(".local/share/praxis/notes", "old\n")
        .file(".git/config", "old\n")
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".git/hooks/pre-commit", "old\n")
        .file("scripts/hook.sh", "old\n")
        .file("praxis.jsonc", "{}\n// old\n")
        .file("opencode.json", "{}\n")
        .file(".praxis/notes.txt", "old\n")
        .file(".opencode/notes.txt", "old\n")
        .file(".claude/settings.json", "old\n")
        .file("sub/.git/config", "old\n")
        .file("plain.txt", "old\n");
    symlink(project.home().join("dotfiles/zshrc"), project.home().join(".zshrc")).unwrap();
    symlink("../../scripts/hook.sh", project.directory().join(".git/hooks/post-merge")).unwrap();
    symlink(".git/config", project.directory().join("innocent.txt")).unwrap();
    symlink(".git", project.directory().join("folder")).unwrap();
    project
}

/// Paths as a model may spell them; `~` is the home folder.
const PROTECTED: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/hooks/new",
    ".GIT/config",
    "sub/.git/config",
    "sub/../.git/config",
    "./sub/./.././.git/hooks/pre-commit",
    "innocent.txt",
    "folder/config",
    "folder/hooks/new",
    "scripts/hook.sh",
    "praxis.json",
    "praxis.jsonc",
    "PRAXIS.JSON",
    "sub/opencode.jsonc",
    "opencode.json",
    ".praxis/notes.txt",
    ".praxis/agent/new.md",
    ".praxis/plans/new.sh",
    ".opencode/notes.txt",
    ".claude/settings.json",
    ".claude/commands/new.md",
    "~/.bashrc",
    "~/.profile",
    "~/.zshrc",
    "~/dotfiles/zshrc",
    "~/.config/fish/config.fish",
    "~/.ssh/authorized_keys",
    "~/.gitconfig",
    "~/.config/praxis/praxis.json",
    "~/.local/share/praxis/notes",
    "../home/.bashrc",
];

fn spelled(project: &Project, path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(below) => project.home().join(below).to_string_lossy().into_owned(),
        None => path.to_owned(),
    }
}

/// What each tool needs to change a file, or to make it.
fn calls(project: &Project, path: &str) -> [(&'static str, Value); 3] {
    let path = spelled(project, path);
    let old = fs::read_to_string(project.directory().join(&path)).ok();
    let first = old.as_deref().and_then(|text| text.lines().last()).unwrap_or_default().to_owned();
    let patch = match &old {
        Some(_) => format!("*** Update File: {path}\n@@\n-{first}\n+evil"),
        None => format!("*** Add File: {path}\n+evil"),
    };
    [
        ("write", json!({ "filePath": path, "content": "evil\n" })),
        ("edit", json!({ "filePath": path, "oldString": first, "newString": "evil\n" })),
        ("apply_patch", json!({ "patchText": format!("*** Begin Patch\n{patch}\n*** End Patch") })),
    ]
}

fn tool(project: &Project, tool: &str, input: &Value, more: &[&str]) -> Run {
    project.run(&[&["tool", "run", tool, "--input", &input.to_string()], more].concat())
}

/// All that is in the project and in the home folder but for what the program keeps for itself.
fn everything(project: &Project) -> Vec<(String, Vec<u8>)> {
    fn below(folder: &Path, all: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() && !entry.is_symlink() {
                below(&entry, all);
            } else if !entry.to_string_lossy().contains("/state/") {
                all.push((entry.to_string_lossy().into_owned(), fs::read(&entry).unwrap_or_default()));
            }
        }
    }
    let mut all = Vec::new();
    below(&project.directory(), &mut all);
    below(&project.home(), &mut all);
    all.sort();
    all
}

#[test]
fn no_rule_and_no_standing_answer_changes_a_protected_file() {
    let project = open();
    let before = everything(&project);
    for path in PROTECTED {
        for (name, input) in calls(&project, path) {
            // Whoever nobody answers for differs from whom a standing answer serves, but not from path to path.
            let modes = [&["--ask", "allow"][..], &["--ask", "print"], &[]];
            for more in &modes[..if *path == PROTECTED[0] { modes.len() } else { 1 }] {
                let run = tool(&project, name, &input, more);
                let told = run.json()["error"].as_str().unwrap_or_default().to_owned();
                assert_eq!(run.code, 1, "{name} {path} {more:?}: {run:?}");
                assert!(
                    told.to_lowercase().contains("this would change `") && told.contains("person"),
                    "{name} {path}: {told}"
                );
            }
        }
    }
    assert_eq!(everything(&project), before);
}

#[test]
fn other_files_and_plans_need_no_word() {
    for path in
        ["plain.txt", "new.txt", ".github/workflows/x.yml", ".gitignore", ".praxis/plans/x.md", "~/notes.md"]
    {
        for at in 0..3 {
            let project = open();
            let (name, input) = calls(&project, path).into_iter().nth(at).unwrap();
            let run = tool(&project, name, &input, &[]);
            assert_eq!(run.code, 0, "{name} {path}: {run:?}");
        }
    }
    let plan = json!({ "filePath": ".opencode/plans/x.md", "content": "1. look\n" });
    let run = tool(&open(), "write", &plan, &["--agent", "plan"]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_patch_with_one_protected_file_among_others_changes_none() {
    let project = open();
    let before = everything(&project);
    for patch in [
        "*** Add File: a.txt\n+new\n*** Update File: .git/config\n@@\n-old\n+evil",
        "*** Delete File: .git/config",
        "*** Update File: plain.txt\n*** Move to: .git/hooks/new\n@@\n-old\n+evil",
        "*** Update File: .git/hooks/pre-commit\n*** Move to: away.txt\n@@\n-old\n+evil",
    ] {
        let input = json!({ "patchText": format!("*** Begin Patch\n{patch}\n*** End Patch") });
        let run = tool(&project, "apply_patch", &input, &["--ask", "allow"]);
        assert!(run.code == 1 && run.stdout.contains("person"), "{patch}: {run:?}");
    }
    assert_eq!(everything(&project), before);
}

const SCRIPT: &str = "
- call: { write: { filePath: praxis.json, content: \"evil\\n\" } }
- { say: Well. }
";

#[test]
fn a_run_that_says_yes_to_everything_does_not_say_yes_to_this() {
    let project = open().file("script.yaml", SCRIPT);
    for auto in [&[][..], &["--auto"]] {
        let run = project.run(&[&["run", "--script", "script.yaml", "go"], auto].concat());
        assert!(!project.directory().join("praxis.json").exists(), "{run:?}");
        assert!(run.stderr.contains("this would change `praxis.json`"), "{run:?}");
    }
}

#[test]
fn a_person_is_shown_the_difference_and_asked_each_time() {
    let project = open().file("script.yaml", SCRIPT);
    let ask = |answer: &str| {
        let mut terminal = Terminal::start(project.command(&["run", "--script", "script.yaml", "go"]));
        terminal.expect("! This would change `praxis.json`, which is the configuration of Praxis.");
        terminal.expect("+evil").expect("y  yes, once").expect("or say what to do instead");
        let (_, screen) = {
            terminal.type_line(answer);
            terminal.finish()
        };
        assert!(!screen.contains("always in this project"), "{screen}");
        project.directory().join("praxis.json").exists()
    };
    for no in ["n", "a", "e", "always", ""] {
        assert!(!ask(no), "{no:?}");
    }
    assert!(ask("y"));
    fs::remove_file(project.directory().join("praxis.json")).unwrap();
    assert!(!ask("n"), "a yes holds once");
}

#[test]
fn a_grant_for_all_edits_does_not_cover_it() {
    let project = project()
        .home_file(".config/praxis/praxis.json", r#"{"permission":{"edit":"ask"}}"#)
        .file("first.yaml", "[{ call: { write: { filePath: a.txt, content: one } } }, { say: Done. }]")
        .file("script.yaml", SCRIPT);
    let mut terminal = Terminal::start(project.command(&["run", "--script", "first.yaml", "go"]));
    terminal.expect("everything like it").expect("instead").type_line("e");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && project.directory().join("a.txt").exists(), "{screen}");
    let granted = tool(&project, "write", &json!({ "filePath": "b.txt", "content": "x" }), &[]);
    assert_eq!(granted.code, 0, "the grant holds for others: {granted:?}");
    let run =
        tool(&project, "write", &json!({ "filePath": "praxis.json", "content": "x" }), &["--ask", "allow"]);
    assert!(run.code == 1 && !project.directory().join("praxis.json").exists(), "{run:?}");
}

#[test]
fn in_a_home_folder_that_is_the_project_keys_are_asked_for_and_not_searched() {
    let project = project()
        .home_file(".ssh/id_ed25519", "needle\n")
        .home_file(".aws/credentials", "needle\n")
        .home_file(".cargo/credentials.toml", "needle\n")
        .home_file("notes.txt", "needle\n");
    let home = project.home().to_string_lossy().into_owned();
    let at_home = |name: &str, input: Value| tool(&project, name, &input, &["--cwd", &home]);
    for path in [".ssh/id_ed25519", ".aws/credentials", ".cargo/credentials.toml"] {
        let run = at_home("read", json!({ "filePath": path }));
        assert!(run.code == 1 && !run.stdout.contains("needle"), "{path}: {run:?}");
    }
    assert_eq!(at_home("read", json!({ "filePath": "notes.txt" })).code, 0);
    let found = at_home("grep", json!({ "pattern": "needle" }));
    assert!(found.stdout.contains("Found 1 matches") && found.stdout.contains("notes.txt"), "{found:?}");
    for pattern in ["**/*", ".ssh/*", ".aws/**", "**/.cargo/*"] {
        let listed = at_home("glob", json!({ "pattern": pattern }));
        assert!(!listed.stdout.contains("/.ssh/id") && !listed.stdout.contains("/credentials"), "{listed:?}");
    }
    let named = at_home("grep", json!({ "pattern": "needle", "path": ".ssh" }));
    assert!(named.code == 1 && !named.stdout.contains("id_ed25519"), "{named:?}");
}
