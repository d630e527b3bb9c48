//! What people get wrong, and what they read then.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::lab::Lab;

#[test]
fn all_broken_sources_are_told_at_once() {
    let lab = Lab::new()
        .file("home/.config/praxis/praxis.json", "{\n  \"model\": \"a/b\"\n  \"share\": \"auto\"\n}")
        .file(
            "project/praxis.json",
            "{\n  \"agent\": {\n    \"review\": { \"temperature\": \"hot\" }\n  }\n}",
        )
        .file("project/.praxis/praxis.jsonc", b"{\n\"model\": \"\xff\"\n}")
        .file("project/app/.praxis/agent/bad.md", "---\nmodel: a/b\nhidden: perhaps\n---\nx")
        .var("PRAXIS_CONFIG", "LAB/missing.json")
        .var("PRAXIS_CONFIG_CONTENT", "{\"share\": }");
    insta::assert_snapshot!(lab.failure(), @r#"
    home/.config/praxis/praxis.json:2:17: expected a comma before the next entry
     2 |   "model": "a/b"
       |                 ^
    could not read `missing.json`: No such file or directory (os error 2); check that the file exists and may be read
    project/praxis.json:3:32: `agent.review.temperature`: expected a number, found a string
    project/.praxis/praxis.jsonc:2:11: this byte is not UTF-8; save the file as UTF-8
     2 | "model": "
       |           ^
    project/app/.praxis/agent/bad.md:3:9: `agent.bad.hidden`: expected true or false, found a string
    PRAXIS_CONFIG_CONTENT:1:11: this closing brace has no opening one, or a value is missing
     1 | {"share": }
       |           ^
    "#);
}

#[test]
fn unknown_keys_are_ignored_with_a_hint() {
    let lab = Lab::new().file(
        "project/praxis.json",
        "{\n  \"modle\": \"a/b\",\n  \"theme\": \"dark\",\n  \"agent\": {\n    \"a\": {\"promt\": \"x\"}\n  },\n  \"tool_output\": {\"max_line\": 1}\n}",
    );
    assert_eq!(
        lab.warnings(),
        [
            "project/praxis.json:2: unknown key `modle` is ignored; did you mean `model`?",
            "project/praxis.json:5: `agent.a.promt` is passed on as an option; did you mean `prompt`?",
            "project/praxis.json:7: unknown key `tool_output.max_line` is ignored; did you mean `max_lines`?",
        ]
    );
}

#[test]
fn a_colour_has_a_form() {
    let lab = Lab::new()
        .file("project/praxis.json", r##"{"agent": {"a": {"color": "#12345"}, "b": {"color": "accent"}}}"##);
    insta::assert_snapshot!(lab.failure(), @"project/praxis.json:1:27: `agent.a.color`: expected a colour such as `#ff8800` or one of primary, secondary, accent, success, warning, error, info");
}

#[test]
fn a_file_may_have_eight_mebibytes_and_no_more() {
    let most = 8 * 1024 * 1024;
    let padded = |size: usize| format!("{{}}{}", " ".repeat(size - 2));
    Lab::new().file("project/praxis.json", padded(most)).load();
    let failure = Lab::new().file("project/praxis.json", padded(most + 1)).failure();
    assert!(failure.contains("it is larger than 8192 KiB"), "{failure}");
}

#[test]
fn a_directory_in_the_place_of_a_file_is_an_error() {
    let failure = Lab::new().file("project/praxis.json/x", "").failure();
    assert!(
        failure.starts_with("could not read `project/praxis.json`: it is not a regular file"),
        "{failure}"
    );
}

#[test]
fn a_byte_order_mark_and_an_empty_file_are_fine() {
    let lab = Lab::new()
        .file("project/opencode.json", "")
        .file("project/praxis.json", "\u{feff}{\"model\": \"a/b\"}");
    assert_eq!(lab.load().config.model.as_deref(), Some("a/b"));
}

#[test]
fn a_broken_managed_file_is_never_skipped() {
    let failure = Lab::new().file("etc/praxis.json", "{\"permission\": {\"bash\": deny}}").failure();
    assert!(failure.starts_with("etc/praxis.json:1:25: this does not belong here"), "{failure}");
}

/// Objects made of keys that mean something, with values that often do not.
fn configuration() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..70_000).prop_map(Value::from),
        prop_oneof!["allow", "ask", "local", "primary", "./x.ts", "p@1", ""].prop_map(Value::from),
    ];
    let key = "permission|agent|mode|tools|plugin|instructions|reference|references|mcp|type|command|options|\
               maxSteps|steps|bash|\\*|a|lsp|compaction|auto|autoshare|share|provider|models|";
    leaf.prop_recursive(5, 60, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_configuration_breaks_the_loader(first in configuration(), second in configuration()) {
        let lab = Lab::new()
            .file("project/praxis.json", json!({"agent": first}).to_string())
            .var("PRAXIS_CONFIG_CONTENT", &second.to_string());
        if let Err(error) = lab.try_load() {
            prop_assert!(!error.problems.is_empty());
        }
    }
}
