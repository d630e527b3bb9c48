//! Agents, modes and commands as markdown.

use praxis_config::{AgentMode, CommandConfig};

use crate::lab::Lab;

#[test]
fn an_agent_has_fields_a_prompt_and_rules_with_lines() {
    let lab = Lab::new().file(
        "project/.opencode/agent/team/reviewer.md",
        "---\ndescription: Reviews code\nmode: subagent\ntemperature: 0.2\nreasoningEffort: high\npermission:\n  edit: deny\n  bash:\n    \"*\": ask\n    \"git diff*\": allow\n---\n\nYou review.\n",
    );
    let loaded = lab.load();
    let agent = &loaded.agents()["team/reviewer"];
    assert_eq!(agent.name, "team/reviewer");
    assert_eq!(agent.description.as_deref(), Some("Reviews code"));
    assert_eq!(agent.prompt.as_deref(), Some("You review."));
    assert_eq!((agent.mode, agent.temperature), (Some(AgentMode::Subagent), Some(0.2)));
    assert_eq!(agent.options["reasoningEffort"], "high");
    let rules: Vec<_> = agent.rules.iter().map(|rule| lab.clean(rule)).collect();
    assert_eq!(
        rules,
        [
            "project/.opencode/agent/team/reviewer.md:7 `edit *`",
            "project/.opencode/agent/team/reviewer.md:9 `bash *`",
            "project/.opencode/agent/team/reviewer.md:10 `bash git diff*`",
        ]
    );
}

#[test]
fn markdown_lies_over_the_json_of_its_directory_and_under_the_next_one() {
    let lab = Lab::new()
        .file(
            "project/.opencode/opencode.json",
            r#"{"agent": {"a": {"model": "json/m", "temperature": 0.5}}}"#,
        )
        .file("project/.opencode/agents/a.md", "---\nmodel: md/m\n---\nouter")
        .file("project/app/.praxis/agent/a.md", "inner")
        .file("home/.config/opencode/agent/a.md", "---\nsteps: 4\n---\nglobal");
    let loaded = lab.load();
    let agent = &loaded.agents()["a"];
    assert_eq!(agent.model.as_deref(), Some("md/m"));
    assert_eq!((agent.temperature, agent.steps), (Some(0.5), Some(4)));
    assert_eq!(agent.prompt.as_deref(), Some("inner"));
}

#[test]
fn colons_and_windows_line_ends_are_read() {
    let lab = Lab::new().file(
        "project/.praxis/agents/helper.md",
        "---\r\ndescription: Use it when: things break\r\nmodel: ollama/qwen3:8b\r\n---\r\nHelp.\r\nNow.\r\n",
    );
    let loaded = lab.load();
    let agent = &loaded.agents()["helper"];
    assert_eq!(agent.description.as_deref(), Some("Use it when: things break"));
    assert_eq!(agent.model.as_deref(), Some("ollama/qwen3:8b"));
    assert_eq!(agent.prompt.as_deref(), Some("Help.\r\nNow."));
}

#[test]
fn a_name_in_the_front_matter_counts() {
    let lab = Lab::new().file("project/.praxis/agent/file.md", "---\nname: critic\n---\nx");
    assert_eq!(lab.load().agents().keys().collect::<Vec<_>>(), ["critic"]);
    let lab = Lab::new().file("project/.praxis/agent/file.md", "---\nname: 3\n---\nx");
    insta::assert_snapshot!(lab.failure(), @"project/.praxis/agent/file.md:2:7: `name`: expected a string that is not empty, found a number");
}

#[test]
fn what_is_not_yaml_is_skipped_and_wrong_fields_are_errors() {
    let lab = Lab::new()
        .file("project/.praxis/agent/odd.md", "---\nmodel: [a\n---\nx")
        .file("project/.praxis/agent/fine.md", "x");
    assert_eq!(lab.load().agents().keys().collect::<Vec<_>>(), ["fine"]);
    let warnings = lab.warnings();
    assert!(warnings[0].starts_with("project/.praxis/agent/odd.md:"), "{warnings:?}");
    assert!(warnings[0].ends_with("the front matter is not valid YAML; the file is skipped"));

    let lab = Lab::new()
        .file("project/.praxis/agent/bad.md", "---\nsteps: many\n---\nx")
        .file("project/.praxis/command/bad.md", "---\nsubtask: 1\n---\nx");
    insta::assert_snapshot!(lab.failure(), @r"
    project/.praxis/command/bad.md:2:10: `command.bad.subtask`: expected true or false, found a number
    project/.praxis/agent/bad.md:2:8: `agent.bad.steps`: expected a whole number, found a string
    ");
}

#[test]
fn modes_are_primary_flat_and_skipped_when_wrong() {
    let lab = Lab::new()
        .file("project/.opencode/mode/focus.md", "---\nmode: subagent\n---\nFocus.")
        .file("project/.opencode/modes/deep/no.md", "no")
        .file("project/.opencode/modes/wrong.md", "---\nhidden: 3\n---\nx");
    let loaded = lab.load();
    assert_eq!(loaded.agents().keys().collect::<Vec<_>>(), ["focus"]);
    assert_eq!(loaded.agents()["focus"].mode, Some(AgentMode::Primary));
    assert_eq!(
        lab.warnings(),
        [
            "project/.opencode/modes/wrong.md:1: this mode is skipped: project/.opencode/modes/wrong.md:2:9: `mode.wrong.hidden`: expected true or false, found a number"
        ]
    );
}

#[test]
fn commands_come_from_files_and_json() {
    let lab = Lab::new()
        .file(
            "project/praxis.json",
            r#"{"command": {"test": {"template": "Run the tests", "subtask": true}}}"#,
        )
        .file(
            "project/.opencode/commands/git/commit.md",
            "---\ndescription: Commit\nagent: build\n---\nCommit $ARGUMENTS\n",
        )
        .file("project/.opencode/command/.hidden.md", "dot");
    let loaded = lab.load();
    assert_eq!(loaded.commands().keys().collect::<Vec<_>>(), ["test", ".hidden", "git/commit"]);
    assert_eq!(
        loaded.commands()["git/commit"],
        CommandConfig {
            name: "git/commit".into(),
            template: "Commit $ARGUMENTS".into(),
            description: Some("Commit".into()),
            agent: Some("build".into()),
            ..CommandConfig::default()
        }
    );
    let lab = Lab::new().file("project/praxis.json", r#"{"command": {"test": {"description": "x"}}}"#);
    insta::assert_snapshot!(lab.failure(), @"project/praxis.json:1:22: `command.test`: `template` is missing; add it");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_loops_survived() {
    let lab = Lab::new().file("shared/linked.md", "linked").file("project/.praxis/agent/own.md", "own");
    let agents = lab.path("project/.praxis/agent");
    std::os::unix::fs::symlink(lab.path("shared/linked.md"), agents.join("alias.md")).unwrap();
    std::os::unix::fs::symlink(&agents, agents.join("loop")).unwrap();
    std::os::unix::fs::symlink(lab.path("shared"), agents.join("team")).unwrap();
    std::os::unix::fs::symlink(lab.path("nowhere"), agents.join("dangling.md")).unwrap();
    assert_eq!(lab.load().agents().keys().collect::<Vec<_>>(), ["alias", "own", "team/linked"]);
    assert_eq!(
        lab.warnings(),
        ["project/.praxis/agent/dangling.md:1: this link leads nowhere; it is skipped"]
    );
}

#[test]
fn a_definition_may_have_one_mebibyte_and_no_more() {
    let most = 1024 * 1024;
    Lab::new().file("project/.praxis/agent/a.md", "x".repeat(most)).load();
    let failure = Lab::new().file("project/.praxis/agent/a.md", "x".repeat(most + 1)).failure();
    assert!(failure.contains("it is larger than 1024 KiB"), "{failure}");
}
