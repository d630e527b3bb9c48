//! `praxis agent`.

use serde_json::json;

use crate::project;

#[test]
fn agents_come_from_us_from_json_and_from_markdown() {
    let project = project()
        .file("praxis.json", r#"{"agent":{"build":{"model":"a/b"},"general":{"disable":true},"zed":{"mode":"primary"}}}"#)
        .file(".praxis/agents/team/review.md", "---\ndescription: Reads: carefully\nmode: subagent\npermission:\n  edit: deny\n---\n\nBe kind.\n");
    let listed = project.run(&["agent", "list", "--json"]).json();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["build", "explore", "plan", "team/review", "zed"]);
    assert_eq!(listed[0]["model"], "a/b");

    let review = project.run(&["agent", "show", "team/review", "--json"]).json();
    assert_eq!(
        (&review["description"], &review["mode"], &review["prompt"], &review["native"]),
        (&json!("Reads: carefully"), &json!("subagent"), &json!("Be kind."), &json!(false))
    );
    let arguments = ["permission", "check", "--permission", "edit", "--agent", "team/review"];
    let answer = project.run(&arguments).json();
    assert_eq!(answer["action"], "deny");
    assert!(answer["rule"]["file"].as_str().unwrap().ends_with("review.md"));
}

#[test]
fn hidden_agents_show_on_request_and_an_unknown_one_is_explained() {
    let project = project();
    assert!(!project.run(&["agent", "list"]).stdout.contains("compaction"));
    assert!(project.run(&["agent", "list", "--all"]).stdout.contains("compaction"));
    let wrong = project.run(&["agent", "show", "paln"]);
    assert_eq!(wrong.code, 2);
    assert_eq!(
        wrong.stderr,
        "error: there is no agent `paln`; there are build, explore, general, plan. Did you mean `plan`?\n"
    );
    let shown = project.run(&["agent", "show", "plan"]).stdout;
    assert!(shown.contains("Ceiling `agent plan`, which no rule can loosen:\n  deny   edit *\n"), "{shown}");
}

#[test]
fn the_default_agent_can_be_chosen() {
    let project = project().file("praxis.json", r#"{"default_agent":"plan"}"#);
    let answer = project.run(&["permission", "check", "--permission", "edit"]).json();
    assert_eq!(answer["action"], "deny");
    assert!(project.run(&["agent", "list"]).stdout.starts_with("plan "));
}
