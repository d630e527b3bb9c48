//! Which source wins.

use praxis_config::{Share, Source};
use serde_json::json;

use crate::lab::Lab;

/// Every source of plain configuration, the weakest first.
const LADDER: [&str; 28] = [
    "home/.config/opencode/config.json",
    "home/.config/opencode/opencode.json",
    "home/.config/opencode/opencode.jsonc",
    "home/.config/opencode/praxis.json",
    "home/.config/praxis/config.json",
    "home/.config/praxis/opencode.json",
    "home/.config/praxis/praxis.json",
    "home/.config/praxis/praxis.jsonc",
    "named.json", // PRAXIS_CONFIG
    "project/opencode.json",
    "project/opencode.jsonc",
    "project/praxis.json",
    "project/praxis.jsonc",
    "project/app/opencode.json",
    "project/app/praxis.json",
    "home/.opencode/opencode.json",
    "home/.praxis/praxis.json",
    "project/.opencode/opencode.json",
    "project/.opencode/praxis.jsonc",
    "project/.praxis/opencode.json",
    "project/app/.opencode/opencode.json",
    "project/app/.praxis/praxis.json",
    "directory/praxis.json", // PRAXIS_CONFIG_DIR
    "CONTENT",               // PRAXIS_CONFIG_CONTENT
    "extra.json",            // --config
    "etc/opencode.json",
    "etc/opencode.jsonc",
    "etc/praxis.json",
];

fn with(lab: Lab, source: &str) -> Lab {
    let content = json!({ "model": source }).to_string();
    match source {
        "CONTENT" => lab.var("PRAXIS_CONFIG_CONTENT", &content),
        "named.json" => lab.file(source, content).var("PRAXIS_CONFIG", "LAB/named.json"),
        "directory/praxis.json" => lab.file(source, content).var("PRAXIS_CONFIG_DIR", "LAB/directory"),
        "extra.json" => lab.file(source, content).extra(source),
        _ => lab.file(source, content),
    }
}

#[test]
fn each_source_beats_the_one_before_it() {
    for pair in LADDER.windows(2) {
        let lab = with(with(Lab::new(), pair[1]), pair[0]);
        assert_eq!(lab.load().config.model.as_deref(), Some(pair[1]), "{} against {}", pair[1], pair[0]);
    }
    let all = LADDER.into_iter().fold(Lab::new(), with);
    assert_eq!(all.load().config.model.as_deref(), LADDER.last().copied());
    assert_eq!(all.load().sources.len(), LADDER.len());
}

#[test]
fn without_any_file_there_are_defaults() {
    let loaded = Lab::new().load();
    assert_eq!(loaded.config.username.as_deref(), Some("ada"));
    assert_eq!(loaded.to_json(), json!({"username": "ada"}));
    assert!(loaded.rules.is_empty() && loaded.warnings.is_empty() && loaded.sources.is_empty());
}

#[test]
fn project_configuration_can_be_left_out() {
    let lab = Lab::new()
        .file("home/.config/praxis/praxis.json", r#"{"model": "global/a"}"#)
        .file("home/.praxis/praxis.json", r#"{"small_model": "home/b"}"#)
        .file("project/praxis.json", "{ broken")
        .file("project/.praxis/praxis.json", r#"{"model": "project/c"}"#)
        .file("project/.praxis/agent/a.md", "hello")
        .var("OPENCODE_DISABLE_PROJECT_CONFIG", "1");
    let loaded = lab.load();
    assert_eq!(loaded.config.model.as_deref(), Some("global/a"));
    assert_eq!(loaded.config.small_model.as_deref(), Some("home/b"));
    assert!(loaded.agents().is_empty());
}

#[test]
fn every_value_knows_its_place() {
    let lab = Lab::new()
        .file("home/.config/praxis/praxis.json", "{\n  \"agent\": {\"review\": {\"temperature\": 0.1}}\n}")
        .file("project/praxis.json", "{\n\n  \"agent\": {\"review\": {\"model\": \"a/b\"}}\n}")
        .var("PRAXIS_CONFIG_CONTENT", r#"{"share": "disabled"}"#);
    let loaded = lab.load();
    let origin = |path: &str| loaded.origin_of(path).map(|origin| lab.clean(origin));
    assert_eq!(origin("agent.review.temperature").as_deref(), Some("home/.config/praxis/praxis.json:2"));
    assert_eq!(origin("agent.review.model").as_deref(), Some("project/praxis.json:3"));
    assert_eq!(origin("share").as_deref(), Some("PRAXIS_CONFIG_CONTENT"));
    assert_eq!(origin("agent.review.prompt"), None);
    assert_eq!(loaded.config.share, Some(Share::Disabled));
    assert_eq!(loaded.sources.last(), Some(&Source::Variable("PRAXIS_CONFIG_CONTENT".into())));
}

#[test]
fn lists_of_instructions_and_plugins_grow_from_layer_to_layer() {
    let lab = Lab::new()
        .file(
            "home/.config/praxis/praxis.json",
            r#"{"instructions": ["a.md"], "plugin": ["p@1", "./own.ts"]}"#,
        )
        .file(
            "project/praxis.json",
            r#"{"instructions": ["b.md", "a.md"], "plugin": ["p@2", ["./own.ts", {"x": 1}]]}"#,
        );
    let config = lab.load().config;
    assert_eq!(config.instructions, ["a.md", "b.md"]);
    let plugins: Vec<_> = config.plugin.iter().map(|plugin| lab.clean(plugin.spec())).collect();
    assert_eq!(plugins, ["home/.config/praxis/own.ts", "p@2", "project/own.ts"]);
}

#[test]
fn the_home_directory_may_be_the_project() {
    let lab = Lab::new().file("home/.praxis/praxis.json", r#"{"instructions": ["x"]}"#);
    let home = lab.path("home");
    let request = praxis_config::Request {
        directory: home.clone(),
        worktree: home,
        extra_file: None,
        trust: praxis_config::Trust::Everything,
    };
    let loaded = praxis_config::load(&lab.surroundings(), &request).unwrap();
    assert_eq!(loaded.sources.len(), 1);
}

#[test]
fn secrets_are_hidden_when_shown_and_there_when_used() {
    let lab = Lab::new()
        .file("key.txt", "sk-123\n")
        .file("named.json", r#"{"provider": {"p": {"options": {"apiKey": "{file:key.txt}", "custom": 1}}}}"#)
        .var("PRAXIS_CONFIG", "LAB/named.json");
    let loaded = lab.load();
    let options = &loaded.config.provider["p"].options;
    assert_eq!((options.api_key.as_deref(), options.other["custom"].as_u64()), (Some("sk-123"), Some(1)));
    assert_eq!(loaded.to_json()["provider"]["p"]["options"], json!({"apiKey": "[hidden]", "custom": 1}));
}

#[test]
fn reading_changes_no_file() {
    let text = "{ \"model\": \"a/b\" }";
    let lab = Lab::new().file("project/praxis.json", text);
    lab.load();
    assert_eq!(std::fs::read_to_string(lab.path("project/praxis.json")).unwrap(), text);
    assert_eq!(std::fs::read_dir(lab.path("home")).unwrap().count(), 0);
}
