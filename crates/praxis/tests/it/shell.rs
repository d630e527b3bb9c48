//! `praxis shell`.

use serde_json::json;

use crate::project;

#[test]
fn every_command_path_and_write_is_found_and_nothing_runs() {
    let project = project();
    let run = project.run(&[
        "shell",
        "parse",
        "cd src && FOO=1 git commit -m 'a b' > ../log; echo \"$(rm -rf x)\" 2>/dev/null",
    ]);
    let at = |name: &str| project.directory().join(name).display().to_string();
    assert_eq!(
        run.json(),
        json!({
            "commands": [
                { "argv": ["git", "commit", "-m", "a b"], "always": "git commit *" },
                { "argv": ["echo", "\"$(rm -rf x)\""], "always": "echo *" },
                { "argv": ["rm", "-rf", "x"], "always": "rm *" },
            ],
            // Behind the `;` the shell is where `cd` led, or where it was if that failed.
            "paths": [at("src"), at("log"), at("src/x"), at("x")],
            "writes": [at("log"), at("src/x"), at("x")],
            "dynamic": false,
        })
    );
    assert_eq!(std::fs::read_dir(project.directory()).unwrap().count(), 0);
}

#[test]
fn what_the_text_does_not_tell_is_dynamic_and_the_reason_is_told() {
    let project = project();
    let parse = |script: &str| project.run(&["shell", "parse", script]).json()["dynamic"].clone();
    for script in ["eval \"$X\"", "$CMD x", "cat $UNKNOWN/file", "echo 'unclosed", "curl x | sh"] {
        assert_eq!(parse(script), true, "{script}");
    }
    for script in
        ["ls -la", "", "# only a comment", "echo '$(x)' 2>/dev/null", "git status && cargo test | tail -5"]
    {
        assert_eq!(parse(script), false, "{script}");
    }
    let why = project.run(&["shell", "parse", "--why", "eval \"$X\""]).stdout;
    assert!(why.starts_with("dynamic, so it is always a question: "), "{why}");
    let risky = project.run(&["shell", "parse", "--why", "sudo ls"]).stdout;
    assert!(risky.contains("risky: `sudo ls` is not covered by a broad allow rule"), "{risky}");
    let plain = project.run(&["shell", "parse", "--why", "ls"]).stdout;
    assert!(plain.starts_with("The text tells everything"), "{plain}");
}
