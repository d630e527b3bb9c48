//! Rules: order, places, ceilings.

use crate::lab::Lab;

#[test]
fn order_is_kept_on_both_levels() {
    let lab = Lab::new().file(
        "project/praxis.json",
        r#"{
  "permission": {
    "webfetch": "deny",
    "bash": {
      "*": "ask",
      "git *": "allow",
      "git push *": "deny"
    },
    "*": "allow",
    "edit": { "~/notes/*": "ask", "b*": "deny", "a*": "allow" }
  }
}"#,
    );
    assert_eq!(
        lab.rules(),
        [
            "project/praxis.json:3 `webfetch *` deny",
            "project/praxis.json:5 `bash *` ask",
            "project/praxis.json:6 `bash git *` allow",
            "project/praxis.json:7 `bash git push *` deny",
            "project/praxis.json:9 `* *` allow",
            "project/praxis.json:10 `edit home/notes/*` ask",
            "project/praxis.json:10 `edit b*` deny",
            "project/praxis.json:10 `edit a*` allow",
        ]
    );
}

#[test]
fn a_later_layer_adds_patterns_and_keeps_the_order() {
    let lab = Lab::new()
        .file(
            "home/.config/praxis/praxis.json",
            r#"{"permission": {"bash": "ask", "edit": {"*": "allow", "x": "deny"}}}"#,
        )
        .file(
            "project/praxis.json",
            r#"{"permission": {"read": "deny", "edit": {"*": "ask"}, "bash": {"git *": "allow"}}}"#,
        );
    assert_eq!(
        lab.rules(),
        [
            "home/.config/praxis/praxis.json:1 `bash *` ask",
            "project/praxis.json:1 `bash git *` allow",
            "project/praxis.json:1 `edit *` ask",
            "home/.config/praxis/praxis.json:1 `edit x` deny",
            "project/praxis.json:1 `read *` deny",
        ]
    );
}

#[test]
fn a_later_plain_action_closes_what_patterns_had_opened() {
    let lab = Lab::new()
        .file(
            "home/.config/praxis/praxis.json",
            r#"{"permission": {"bash": {"*": "ask", "git *": "allow"}}}"#,
        )
        .file("project/praxis.json", r#"{"permission": {"bash": "deny"}}"#);
    assert_eq!(lab.rules(), ["project/praxis.json:1 `bash *` deny"]);
}

#[test]
fn one_action_for_everything() {
    let lab = Lab::new()
        .file("project/praxis.json", r#"{"permission": "ask"}"#)
        .file("project/app/praxis.json", r#"{"permission": {"edit": "deny"}}"#);
    assert_eq!(lab.rules(), ["project/praxis.json:1 `* *` ask", "project/app/praxis.json:1 `edit *` deny"]);
}

#[test]
fn managed_rules_are_ordinary_rules_and_a_list_of_their_own() {
    let lab =
        Lab::new().file("project/praxis.json", r#"{"permission": {"bash": "allow", "read": "ask"}}"#).file(
            "etc/opencode.json",
            r#"{"permission": {"bash": {"curl *": "deny"}}, "tools": {"webfetch": false}}"#,
        );
    let loaded = lab.load();
    let managed: Vec<_> = loaded.managed.rules.iter().map(|rule| lab.clean(rule)).collect();
    assert_eq!(managed, ["etc/opencode.json:1 `webfetch *`", "etc/opencode.json:1 `bash curl *`"]);
    assert_eq!(
        lab.rules(),
        [
            "etc/opencode.json:1 `webfetch *` deny",
            "project/praxis.json:1 `bash *` allow",
            "etc/opencode.json:1 `bash curl *` deny",
            "project/praxis.json:1 `read *` ask",
        ]
    );
}

#[test]
fn the_variable_comes_last() {
    let lab = Lab::new()
        .file("project/praxis.json", r#"{"permission": {"bash": "ask"}}"#)
        .var("OPENCODE_PERMISSION", r#"{"bash": {"ls *": "allow"}, "edit": "deny"}"#);
    assert_eq!(
        lab.rules(),
        [
            "project/praxis.json:1 `bash *` ask",
            "OPENCODE_PERMISSION `bash ls *` allow",
            "OPENCODE_PERMISSION `edit *` deny"
        ]
    );
}

#[test]
fn a_variable_that_is_no_json_is_ignored_with_a_warning() {
    let lab = Lab::new().var("PRAXIS_PERMISSION", "bash: deny");
    assert_eq!(
        lab.warnings(),
        ["PRAXIS_PERMISSION: this is not JSON and is ignored: expected value at line 1 column 1"]
    );
}

#[test]
fn what_is_no_rule_is_an_error_with_its_place() {
    let lab = Lab::new()
        .file(
            "project/praxis.json",
            "{\n  \"permission\": {\n    \"bash\": {\"rm *\": \"dney\", \"\": \"ask\"},\n    \"edit\": 3,\n    \"webfetch\": {\"*\": \"ask\"},\n    \"\": \"deny\"\n  }\n}",
        )
        .file("project/app/praxis.json", r#"{"agent": {"a": {"permission": "never"}}, "mode": {"m": {"permission": {"read": []}}}}"#);
    insta::assert_snapshot!(lab.failure(), @r"
    project/praxis.json:3:22: `permission.bash.rm *`: expected allow, ask or deny, found `dney`; did you mean `deny`?
    project/praxis.json:3:30: `permission.bash.`: a pattern needs a text; use `*` for all
    project/praxis.json:4:13: `permission.edit`: expected allow, ask or deny, found a number
    project/praxis.json:5:17: `permission.webfetch`: this permission takes one action (allow, ask or deny) and no patterns
    project/praxis.json:6:5: `permission.`: a permission needs a name; use `*` for all
    project/app/praxis.json:1:32: `agent.a.permission`: expected allow, ask or deny, found `never`
    project/app/praxis.json:1:81: `mode.m.permission.read`: expected allow, ask or deny, found a list
    ");
}
