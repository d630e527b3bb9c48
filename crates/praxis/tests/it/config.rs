//! `praxis config`, and what a wrong configuration does to every command.

use serde_json::json;

use crate::project;

#[test]
fn both_names_are_read_and_ours_wins() {
    let project = project()
        .home_file(".config/opencode/opencode.json", r#"{"model":"a/global","username":"ada"}"#)
        .file("opencode.json", r#"{"model":"a/theirs","share":"manual"}"#)
        .file("praxis.json", r#"{"model":"a/ours",}"#);
    assert_eq!(
        project.run(&["config", "show"]).json(),
        json!({ "model": "a/ours", "username": "ada", "share": "manual" })
    );
    let paths = project.run(&["config", "path", "--json"]).json();
    let sources: Vec<&str> =
        paths["sources"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
    assert_eq!(sources.len(), 3);
    assert!(sources[2].ends_with("praxis.json"));
}

#[test]
fn mistakes_are_found_with_their_place_and_nothing_runs() {
    for (content, told) in [
        (
            &b"{\n  \"model\": \"a/b\"\n  \"share\": \"auto\"\n}"[..],
            "praxis.json:2:17: expected a comma before the next entry",
        ),
        (
            b"{ \"permission\": { \"bash\": { \"*\": \"alow\" } } }",
            "praxis.json:1:34: `permission.bash.*`: expected allow, ask or deny, found `alow`; did you mean `allow`?",
        ),
        (b"{ \"agent\": { \"x\": { \"temperature\": \"hot\" } } }", "`agent.x.temperature`"),
        (b"{ \"model\": \"\xff\" }", "praxis.json"),
        (b"[1]", "praxis.json:1:1"),
        (b"{ \"default_agent\": \"explore\" }", "which is a subagent"),
    ] {
        let project = project().file("praxis.json", content);
        for command in
            [&["config", "show"][..], &["tool", "list"], &["permission", "check", "--permission", "edit"]]
        {
            let run = project.run(command);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{command:?}");
            assert!(run.stderr.contains(told), "{told}\n---\n{}", run.stderr);
        }
    }
}

#[test]
fn comments_and_trailing_commas_are_fine_and_doubts_are_warnings() {
    let project = project().file(
        "praxis.json",
        "{\n  // a comment\n  \"share\": \"auto\",\n  \"share\": \"manual\", /* twice */\n  \"modle\": \"a/b\",\n}",
    );
    let run = project.run(&["config", "show"]);
    assert_eq!((run.code, &run.json()["share"]), (0, &json!("manual")));
    assert!(run.stderr.contains("praxis.json:4: `share` is there twice"), "{}", run.stderr);
    assert!(
        run.stderr.contains("praxis.json:5: unknown key `modle` is ignored; did you mean `model`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn secrets_are_not_shown() {
    let project = project()
        .variable("KEY", "s3cret")
        .file("praxis.json", r#"{"provider":{"x":{"options":{"apiKey":"{env:KEY}"}}}}"#);
    let run = project.run(&["config", "show"]);
    assert!(run.code == 0 && !run.stdout.contains("s3cret") && run.stdout.contains("[hidden]"), "{run:?}");
}

#[test]
fn limits_come_from_the_configuration() {
    let project = project().file("praxis.json", r#"{"tool_output":{"max_lines":10}}"#);
    let todos: Vec<_> = (0..50)
        .map(|n| json!({ "content": n.to_string(), "status": "pending", "priority": "low" }))
        .collect();
    let run = project.run(&["tool", "run", "todowrite", "--input", &json!({ "todos": todos }).to_string()]);
    assert!(run.json()["output"].as_str().unwrap().contains("...242 lines truncated..."), "{}", run.stdout);
}

#[test]
fn the_schema_is_one_and_knows_our_keys() {
    let schema = project().run(&["config", "schema"]).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for key in ["permission", "agent", "mcp", "tool_output", "experimental"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
}
