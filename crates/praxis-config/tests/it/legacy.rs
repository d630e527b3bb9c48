//! Older spellings.

use praxis_config::{AgentMode, Share};

use crate::lab::Lab;

#[test]
fn tool_switches_become_rules_below_the_explicit_ones() {
    let lab = Lab::new().file(
        "project/opencode.json",
        r#"{
  "tools": { "write": false, "bash": false, "mymcp_*": false, "read": true },
  "permission": { "bash": { "git *": "allow" }, "read": "ask" },
  "agent": { "a": { "tools": { "multiedit": false }, "permission": { "edit": "ask" } }, "b": { "tools": { "patch": true } } }
}"#,
    );
    assert_eq!(
        lab.rules(),
        [
            "project/opencode.json:2 `edit *` deny",
            "project/opencode.json:2 `bash *` deny",
            "project/opencode.json:3 `bash git *` allow",
            "project/opencode.json:2 `mymcp_* *` deny",
            "project/opencode.json:3 `read *` ask",
        ]
    );
    let loaded = lab.load();
    let rules = |name: &str| -> Vec<String> {
        loaded.agents()[name]
            .rules
            .iter()
            .map(|rule| format!("{} {}", rule.permission, rule.action))
            .collect()
    };
    assert_eq!((rules("a"), rules("b")), (vec!["edit ask".to_owned()], vec!["edit allow".to_owned()]));
}

#[test]
fn modes_are_primary_agents() {
    let lab = Lab::new()
        .file(
            "home/.config/opencode/opencode.json",
            r#"{"mode": {"plan": {"model": "a/b", "temperature": 0.1}}}"#,
        )
        .file("project/praxis.json", r#"{"agent": {"plan": {"model": "c/d"}}}"#);
    let loaded = lab.load();
    let plan = &loaded.agents()["plan"];
    assert_eq!(plan.mode, Some(AgentMode::Primary));
    assert_eq!((plan.model.as_deref(), plan.temperature), (Some("c/d"), Some(0.1)));
    assert!(loaded.config.mode.is_empty());
}

#[test]
fn old_names_of_keys_are_read() {
    let lab = Lab::new()
        .file(
            "home/.config/opencode/opencode.json",
            r#"{"autoshare": true, "reference": {"a": "../a", "b": "../b"}, "agent": {"x": {"steps": 5}}}"#,
        )
        .file("project/praxis.json", r#"{"references": {"b": {"path": "../c"}}, "agent": {"x": {"name": "x", "maxSteps": 9, "reasoningEffort": "high"}}}"#);
    let loaded = lab.load();
    assert_eq!(loaded.config.share, Some(Share::Auto));
    assert_eq!(loaded.config.references.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(loaded.agents()["x"].steps, Some(9));
    assert_eq!(
        serde_json::Value::from(loaded.agents()["x"].options.clone()),
        serde_json::json!({"reasoningEffort": "high"})
    );
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

#[test]
fn an_explicit_share_beats_the_old_switch() {
    let lab = Lab::new()
        .file("home/.config/opencode/opencode.json", r#"{"share": "disabled"}"#)
        .file("project/praxis.json", r#"{"autoshare": true}"#);
    assert_eq!(lab.load().config.share, Some(Share::Disabled));
}

#[test]
fn variables_switch_compaction_off() {
    let lab = Lab::new()
        .file("project/praxis.json", r#"{"compaction": {"auto": true, "prune": true, "reserved": 7}}"#)
        .var("OPENCODE_DISABLE_AUTOCOMPACT", "true")
        .var("PRAXIS_DISABLE_PRUNE", "1");
    let compaction = lab.load().config.compaction;
    assert_eq!((compaction.auto, compaction.prune, compaction.reserved), (Some(false), Some(false), Some(7)));
}
