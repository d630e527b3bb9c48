//! `praxis debug`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::project;

fn body(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../praxis-llm/tests/streams");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn stream(provider: &str, input: &str) -> praxis_testkit::Run {
    project().run_with_input(&["debug", "stream", "--provider", provider], input)
}

#[test]
fn each_format_is_told_in_the_same_words() {
    for (provider, name, call) in [
        ("anthropic", "anthropic_thinking_tools.sse", "read"),
        ("openai", "chat_openai_tools.sse", "read"),
        ("openai-responses", "responses_reasoning_tools.sse", "read"),
        ("google", "gemini_thinking_tools.sse", "read"),
    ] {
        let run = stream(provider, &body(name));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{provider}");
        let mut calls = Vec::new();
        for line in run.stdout.lines() {
            assert!(line.starts_with(r#"{"type":""#), "{line}");
            let event: Value = serde_json::from_str(line).unwrap();
            assert!(event.get("metadata").is_none(), "{line}");
            if event["type"] == "tool-call" {
                assert!(event["toolCallId"].is_string() && event["input"].is_object(), "{line}");
                calls.push(event["toolName"].as_str().unwrap().to_owned());
            }
        }
        assert!(calls.iter().any(|name| name == call), "{provider}: {}", run.stdout);
        let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
        assert_eq!((&last["type"], &last["finishReason"]), (&"finish-step".into(), &"tool-calls".into()));
        let usage: Vec<&String> = last["usage"].as_object().unwrap().keys().collect();
        assert_eq!(
            usage,
            [
                "inputTokens",
                "outputTokens",
                "totalTokens",
                "reasoningTokens",
                "cachedInputTokens",
                "cacheWriteTokens"
            ]
        );
    }
}

#[test]
fn a_short_answer_line_by_line() {
    let run = stream(
        "openai",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n\
         data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}\n\n\
         data: [DONE]\n\n",
    );
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.stdout, @r#"
    {"type":"text-start","id":"txt-0"}
    {"type":"text-delta","id":"txt-0","delta":"Hi"}
    {"type":"text-end","id":"txt-0"}
    {"type":"finish-step","finishReason":"stop","usage":{"inputTokens":3,"outputTokens":1,"totalTokens":4,"reasoningTokens":null,"cachedInputTokens":null,"cacheWriteTokens":null}}
    "#);
}

#[test]
fn what_is_no_answer_ends_in_an_error_and_with_one() {
    let overloaded = body("anthropic_overloaded.sse");
    let text = body("anthropic_text.sse");
    for provider in ["anthropic", "openai", "openai-responses", "google"] {
        for input in
            ["", "<html><title>Bad Gateway</title></html>", "data: {\n\n", "\0\u{fffd}", "{}", &text[..200]]
        {
            let run = stream(provider, input);
            let last = run.stdout.lines().last().unwrap_or_default();
            assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{provider} {input:?}: {}", run.stdout);
            assert!(last.starts_with(r#"{"type":"error","message":""#), "{provider} {input:?}: {last}");
        }
    }
    let run = stream("anthropic", &overloaded);
    assert_eq!(run.stdout.lines().last(), Some(r#"{"type":"error","message":"Overloaded"}"#));
}

#[test]
fn an_unknown_provider_is_wrong_usage() {
    let run = stream("bedrock", "");
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("[possible values: anthropic, openai, openai-responses, google]"),
        "{}",
        run.stderr
    );
}

#[test]
fn events_are_printed_while_the_answer_comes() {
    let project = project();
    let mut child = project
        .command(&["debug", "stream", "--provider", "openai"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut line = String::new();
    input.write_all(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n").unwrap();
    output.read_line(&mut line).unwrap();
    output.read_line(&mut line).unwrap();
    assert!(line.ends_with("\"delta\":\"Hi\"}\n"), "{line}");
    // Behind the end nothing is waited for.
    input
        .write_all(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
        .unwrap();
    assert!(child.wait().unwrap().success());
}
