//! `praxis permission`.

use serde_json::json;

use crate::project;

fn check(
    project: &praxis_testkit::Project,
    permission: &str,
    pattern: &str,
    more: &[&str],
) -> serde_json::Value {
    let arguments = ["permission", "check", "--permission", permission, "--pattern", pattern];
    project.run(&[&arguments[..], more].concat()).json()
}

#[test]
fn check_names_the_rule_with_its_file_and_line() {
    let project = project().file(
        "praxis.jsonc",
        "{\n  // mine\n  \"permission\": {\n    \"edit\": {\n      \"*.lock\": \"deny\",\n    },\n  },\n}",
    );
    let answer = check(&project, "edit", "Cargo.lock", &[]);
    let file = project.directory().join("praxis.jsonc");
    assert_eq!(
        answer,
        json!({
            "action": "deny",
            "rule": {
                "permission": "edit", "pattern": "*.lock", "action": "deny",
                "source": format!("{}:5", file.display()), "file": file, "line": 5,
            },
            "ceiling": null,
        })
    );
    assert_eq!(check(&project, "edit", "src/main.rs", &[])["action"], "allow");
    assert_eq!(check(&project, "read", ".env", &[])["action"], "ask");
}

#[test]
fn several_patterns_must_all_be_allowed() {
    let project = project();
    let run = project.run(&[
        "permission",
        "check",
        "--permission",
        "read",
        "--pattern",
        "a.rs",
        ".env",
        "--agent",
        "build",
    ]);
    let answer = run.json();
    assert_eq!((&answer["action"], &answer["rule"]["pattern"]), (&json!("ask"), &json!("*.env")));
    assert_eq!(answer["patterns"][0]["action"], "allow");
    let repeated =
        project.run(&["permission", "check", "--permission", "read", "--pattern", "a", "--pattern", ".env"]);
    assert_eq!(repeated.json()["action"], "ask");
}

#[test]
fn no_configuration_loosens_plan_or_explore() {
    for config in [
        r#"{"permission":"allow"}"#,
        r#"{"permission":{"edit":"allow"}}"#,
        r#"{"permission":{"edit":{"*":"allow"}},"agent":{"plan":{"permission":{"edit":"allow"}},"explore":{"permission":"allow"}}}"#,
        r#"{"tools":{"edit":true,"write":true}}"#,
    ] {
        let project = project().file("opencode.json", config);
        for agent in ["plan", "explore"] {
            let answer = check(&project, "edit", "src/main.rs", &["--agent", agent]);
            assert_eq!(answer["action"], "deny", "{agent} {config}");
            assert_eq!(answer["ceiling"]["name"], format!("agent {agent}"), "{config}");
        }
        assert_eq!(check(&project, "edit", ".opencode/plans/x.md", &["--agent", "plan"])["action"], "allow");
    }
}

#[test]
fn managed_rules_hold_over_everything() {
    let managed = tempfile_dir();
    std::fs::write(managed.join("praxis.json"), r#"{"permission":{"webfetch":"deny"}}"#).unwrap();
    let project = project()
        .variable("PRAXIS_MANAGED_DIR", managed.to_str().unwrap())
        .file("praxis.json", r#"{"agent":{"free":{"permission":{"webfetch":"allow"}}}}"#);
    let answer = check(&project, "webfetch", "https://example.org", &["--agent", "free"]);
    assert_eq!(
        (&answer["action"], &answer["ceiling"]["name"]),
        (&json!("deny"), &json!("managed configuration"))
    );
    std::fs::remove_dir_all(managed).unwrap();
}

fn tempfile_dir() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!(
        "praxis-managed-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn explain_tells_the_story() {
    let project = project().file("praxis.json", "{\"permission\":{\"edit\":\"allow\"}}");
    let run = project.run(&[
        "permission",
        "explain",
        "--permission",
        "edit",
        "--pattern",
        "a.rs",
        "--agent",
        "plan",
    ]);
    let file = project.directory().join("praxis.json");
    assert_eq!(
        run.stdout,
        format!(
            "May the agent `plan` do `edit` on `a.rs`?\n\
             \n\
             Rules that match, the last one wins:\n\
             \u{20} allow  * *     built-in defaults\n\
             \u{20} deny   edit *  built-in agent plan\n\
             → allow  edit *  {}:1\n\
             \n\
             The ceiling `agent plan` leaves at most: deny by `edit *`\n\
             \n\
             Denied, by the ceiling `agent plan`, built-in agent plan `edit *`.\n",
            file.display()
        )
    );
    let json =
        project.run(&["permission", "explain", "--permission", "edit", "--pattern", "a.rs", "--json"]).json();
    assert_eq!(json["decision"]["action"], "allow");
    assert_eq!(json["matching"].as_array().unwrap().len(), 2);
}

#[test]
fn every_decision_is_logged_with_its_rule() {
    let project = project().file("a.txt", "x");
    project.run(&["tool", "run", "read", "--input", r#"{"filePath":"a.txt"}"#]);
    let log = project.run(&["permission", "log", "--json"]).json();
    assert_eq!(
        (&log["permission"], &log["patterns"], &log["action"], &log["rule"]["pattern"]),
        (&json!("read"), &json!(["a.txt"]), &json!("allow"), &json!("*"))
    );
    let text = project.run(&["permission", "log"]).stdout;
    assert!(text.contains("allow  read  a.txt  built-in defaults"), "{text}");

    let project = project.file(".env", "KEY=1");
    project.run(&["tool", "run", "read", "--input", r#"{"filePath":".env"}"#, "--ask", "deny"]);
    let text = project.run(&["permission", "log", "--last", "2"]).stdout;
    assert!(
        text.contains("ask     read  .env  built-in defaults\n")
            && text.contains("reject  read  .env  your answer"),
        "{text}"
    );
}

#[test]
fn rules_that_cannot_mean_what_they_say_are_told_at_load() {
    let project = project().file(
        "praxis.json",
        "{\"permission\":{\"bash\":{\"rm *\":\"deny\",\"*\":\"ask\"},\"external_directory\":\"allow\"}}",
    );
    let run = project.run(&["permission", "check", "--permission", "bash", "--pattern", "rm x"]);
    assert_eq!(run.json()["action"], "ask");
    assert!(run.stderr.contains("the rule `bash rm *` = deny is shadowed"), "{}", run.stderr);
    assert!(run.stderr.contains("the rule `external_directory *` = allow is broad"), "{}", run.stderr);
}

#[test]
fn damaged_grants_stop_the_work_and_say_what_to_do() {
    let project = project().file("a.txt", "x").home_file(".local/share/praxis/grants.json", "{ not json");
    let run = project.run(&["tool", "run", "read", "--input", r#"{"filePath":"a.txt"}"#]);
    assert!(
        run.code == 1 && run.stderr.contains("grants.json is damaged") && run.stderr.contains("move it away"),
        "{run:?}"
    );
}
