//! A run for programs.

use serde_json::{Value, json};

use super::{lines, run, scripted};

const SCRIPT: &str = "
- think: Hm.
  say: I will look.
  call: { read: { filePath: a.txt } }
  usage: { input: 100, output: 5 }
- { say: There is one line., usage: { input: 200, output: 7 } }
";

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).collect()
}

#[test]
fn every_line_is_one_object_and_stdout_has_nothing_else() {
    let project = scripted(SCRIPT).file("a.txt", "one\n");
    let run = run(&project, &["--format", "json", "--thinking", "look"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let lines = lines(&run);
    assert_eq!(
        kinds(&lines),
        [
            "session_start",
            "step_start",
            "reasoning",
            "text",
            "tool_use",
            "step_finish",
            "step_start",
            "text",
            "step_finish",
            "result"
        ]
    );
    let session = lines[0]["session"]["id"].clone();
    for line in &lines {
        let names: Vec<&str> = line.as_object().unwrap().keys().take(3).map(String::as_str).collect();
        assert_eq!(names, ["type", "timestamp", "sessionID"]);
        assert_eq!(line["sessionID"], session);
        assert!(line["timestamp"].is_u64());
    }
    assert_eq!(lines[3]["part"]["text"], "I will look.");
    assert_eq!(lines[4]["part"]["state"]["status"], "completed");
    let mut result = lines[9].as_object().unwrap().clone();
    result.retain(|name, _| !["type", "timestamp", "sessionID"].contains(&name.as_str()));
    assert_eq!(
        Value::Object(result),
        json!({ "text": "There is one line.", "finish": "stop", "steps": 2, "cost": 0.0,
            "tokens": { "total": 312, "input": 300, "output": 12, "reasoning": 0, "cache": { "read": 0, "write": 0 } }, "exit": 0 })
    );
}

/// A line with what differs from run to run taken out, and the session and the call's report left to other tests.
fn shape(line: &Value) -> String {
    let mut line = line.clone();
    for part in ["part", "session", "permission"] {
        for id in ["id", "sessionID", "messageID"] {
            if let Some(id) = line.get_mut(part).and_then(|part| part.get_mut(id)) {
                *id = json!("…");
            }
        }
        for time in ["start", "end", "created", "updated"] {
            let place = |line: &Value| line.pointer(&format!("/{part}/time/{time}")).is_some();
            if place(&line) {
                line[part]["time"][time] = json!(0);
            }
        }
    }
    (line["timestamp"], line["sessionID"]) = (json!(0), json!("…"));
    line.to_string()
}

#[test]
fn the_lines_have_the_shapes_that_programs_know() {
    let project = scripted(SCRIPT).file("a.txt", "one\n");
    let all = lines(&run(&project, &["--format", "json", "--thinking", "look"]));
    let shapes: Vec<String> = [1, 2, 3, 5].iter().map(|number| shape(&all[*number])).collect();
    insta::assert_snapshot!(shapes.join("\n"), @r#"
    {"type":"step_start","timestamp":0,"sessionID":"…","part":{"id":"…","sessionID":"…","messageID":"…","type":"step-start"}}
    {"type":"reasoning","timestamp":0,"sessionID":"…","part":{"id":"…","sessionID":"…","messageID":"…","type":"reasoning","text":"Hm.","time":{"start":0,"end":0}}}
    {"type":"text","timestamp":0,"sessionID":"…","part":{"id":"…","sessionID":"…","messageID":"…","type":"text","text":"I will look.","time":{"start":0,"end":0}}}
    {"type":"step_finish","timestamp":0,"sessionID":"…","part":{"id":"…","sessionID":"…","messageID":"…","type":"step-finish","reason":"tool-calls","cost":0.0,"tokens":{"total":105,"input":100,"output":5,"reasoning":0,"cache":{"read":0,"write":0}}}}
    "#);
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&all[4]), ["type", "timestamp", "sessionID", "part"]);
    assert_eq!(names(&all[4]["part"]), ["id", "sessionID", "messageID", "type", "callID", "tool", "state"]);
    assert_eq!(names(&all[4]["part"]["state"]), ["status", "input", "output", "title", "metadata", "time"]);

    let failed = run(&scripted("[{ fail: { status: 400, message: no } }]"), &["--format", "json", "x"]);
    let all = lines(&failed);
    let error = all.iter().find(|line| line["type"] == "error").unwrap();
    assert_eq!(names(error), ["type", "timestamp", "sessionID", "error"]);
    assert_eq!(
        (names(&error["error"]), &error["error"]["name"]),
        (vec!["name".into(), "data".into()], &json!("APIError"))
    );
}

#[test]
fn thoughts_are_left_out_unless_they_are_asked_for() {
    let project = scripted(SCRIPT).file("a.txt", "one\n");
    let run = run(&project, &["--format", "json", "look"]);
    assert!(!kinds(&lines(&run)).contains(&"reasoning"));
}

#[test]
fn questions_and_failures_are_told() {
    let script = "[{ call: { bash: { command: touch made, description: Makes it } } }, Made.]";
    let project = scripted(script).file("praxis.json", r#"{"permission":{"bash":"ask"}}"#);
    let refused = run(&project, &["--format", "json", "make it"]);
    assert_eq!(refused.code, 3);
    let all = lines(&refused);
    let permission = all.iter().find(|line| line["type"] == "permission").unwrap();
    assert_eq!(
        (&permission["permission"]["permission"], &permission["reply"]),
        (&json!("bash"), &json!("reject"))
    );
    assert_eq!(all.last().unwrap()["exit"], 3);

    let failed =
        run(&scripted("[{ fail: { status: 400, message: no such thing } }]"), &["--format", "json", "x"]);
    let all = lines(&failed);
    let error = all.iter().find(|line| line["type"] == "error").unwrap();
    assert!(error["error"]["data"]["message"].as_str().unwrap().contains("no such thing"), "{error}");
    assert_eq!((failed.code, &all.last().unwrap()["exit"]), (1, &json!(1)));
}

#[test]
fn where_nobody_answers_a_call_that_goes_in_circles_fails_and_the_run_goes_on() {
    let call = "{ call: { read: { filePath: a.txt } } }";
    let told =
        "{ expect: { result: { of: read, text: again and again, error: true } }, say: Then without it. }";
    let project = scripted(&format!("[{call}, {call}, {call}, {told}]")).file("a.txt", "one\n");
    let run = run(&project, &["--format", "json", "read it"]);
    assert_eq!(run.code, 0, "{run:?}");
    let all = lines(&run);
    let permission = all.iter().find(|line| line["type"] == "permission").unwrap();
    assert_eq!(
        (&permission["permission"]["permission"], &permission["reply"]),
        (&json!("doom_loop"), &json!("reject"))
    );
    assert_eq!(all.last().unwrap()["text"], "Then without it.");
}

#[test]
fn what_cannot_begin_ends_with_a_result_too() {
    let refused = run(&scripted("[Hello.]"), &["--format", "json", "--command", "grete"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    let all = lines(&refused);
    assert_eq!(kinds(&all), ["session_start", "error", "result"]);
    assert_eq!(all[2]["exit"], 2);
}

#[test]
fn what_cannot_begin_leaves_no_session_behind() {
    let project = scripted("[{ say: First. }, { say: Second. }]")
        .file("praxis.json", r#"{"command":{"nothing":{"template":" "},"runs":{"template":"!`echo hi`"}}}"#);
    assert_eq!(run(&project, &["begin"]).code, 0);
    for (command, code, told) in
        [("grete", 2, "grete"), ("nothing", 2, "the prompt says nothing"), ("runs", 3, "not approved")]
    {
        let refused = run(&project, &["--command", command]);
        assert_eq!(refused.code, code, "{refused:?}");
        assert!(refused.stderr.contains(told), "{refused:?}");
    }
    let stored = project.run(&["session", "list", "--json"]).json();
    assert_eq!(stored.as_array().unwrap().len(), 1, "{stored}");
}

#[test]
fn an_answer_fits_its_schema() {
    let script = "[{ say: Here., call: { StructuredOutput: { count: 3 } } }]";
    let schema = r#"{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}"#;
    let text = run(&scripted(script).file("s.json", schema), &["--schema", "s.json", "count"]);
    assert_eq!((text.code, text.stdout.as_str()), (0, "{\n  \"count\": 3\n}\n"), "{text:?}");
    assert!(text.stderr.starts_with("Here.\n"), "{}", text.stderr);
    let json =
        run(&scripted(script).file("s.json", schema), &["--schema", "s.json", "--format", "json", "count"]);
    assert_eq!(lines(&json).last().unwrap()["structured"], json!({ "count": 3 }));
}

#[test]
fn a_schema_that_nothing_can_be_held_to_is_refused_before_anything_begins() {
    for (schema, told) in [
        (r#"{"type":"objekt"}"#, "there is no type `objekt`"),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/A"}}}"##,
            "`$ref` names `#/$defs/A`, which is not in the schema",
        ),
    ] {
        let run = run(&scripted("[No.]").file("s.json", schema), &["--schema", "s.json", "count"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(run.stderr.contains(told), "{run:?}");
    }
}

#[test]
fn a_long_answer_is_whole_however_slowly_it_is_read() {
    let script = "[{ say: { text: 'word ', times: 20000 } }]";
    let run = run(&scripted(script), &["talk"]);
    assert_eq!((run.code, run.stdout.len()), (0, 20_000 * 5 + 1), "{}", run.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_failure_worth_a_word() {
    use std::process::Stdio;
    let project = scripted("[{ say: { text: 'word ', times: 20000 } }]");
    let mut command = project.command(&["run", "--script", "script.yaml", "talk"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(1), ""));
}
