//! What every command has in common.

use crate::project;

#[test]
fn version_help_and_completions() {
    let project = project();
    let version = project.run(&["--version"]);
    assert_eq!(
        (version.code, version.stdout.as_str()),
        (0, concat!("praxis ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    let help = project.run(&["--help"]);
    assert!(help.code == 0 && help.stdout.contains("praxis demo"), "{help:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = project.run(&["completion", shell]);
        assert!(script.code == 0 && script.stdout.contains("permission"), "{shell}");
    }
}

#[test]
fn wrong_usage_ends_with_two_and_says_what_is_possible() {
    let project = project();
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["tool", "run"],
        &["tool", "run", "read", "--ask", "maybe"],
        &["permission", "check"],
        &["permission", "revoke"],
        &["models", "openai", "--refresh"],
        &["auth", "logout"],
        &["completion", "tcsh"],
    ] {
        let run = project.run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains("Usage:") || run.stderr.contains("possible values"), "{}", run.stderr);
    }
}

#[test]
fn nothing_is_written_by_looking() {
    let project = project();
    for arguments in [
        &["tool", "list"][..],
        &["agent", "list"],
        &["command", "list"],
        &["config", "show"],
        &["config", "path"],
        &["permission", "list"],
        &["permission", "log"],
        &["permission", "check", "--permission", "edit"],
        &["models"],
        &["models", "--all"],
        &["auth", "list"],
        &["session", "list"],
        &["session", "search", "x"],
        &["session", "doctor"],
    ] {
        assert_eq!(project.run(arguments).code, 0, "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(project.directory()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let run = project().run(&["tool", "list", "--cwd", "/no/such/folder"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: could not open /no/such/folder: No such file or directory (os error 2)\n");
}

#[test]
fn a_configuration_file_is_meant_from_where_the_command_is_typed() {
    let project = project().file("x.json", r#"{"model":"a/b"}"#).file("sub/y.json", "{}");
    let run = project.run(&["config", "show", "--cwd", "sub", "--config", "x.json"]);
    assert_eq!(run.json()["model"], "a/b");
}

#[test]
fn what_goes_on_inside_is_told_on_request_and_what_goes_wrong_always() {
    let project = project().file("a.txt", "x").home_file(".local/state/praxis", "a file in the way");
    let read = ["tool", "run", "read", "--input", r#"{"filePath":"a.txt"}"#];
    let run = project.run(&read);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("permission decisions cannot be logged"), "{}", run.stderr);
    let project = project.variable("PRAXIS_LOG", "debug");
    assert!(project.run(&read).stderr.contains("call completed"));
}
