//! What fits, what does not, and how the difference reads.

use std::sync::Arc;

use praxis_llm::script::{Role, Seen};
use praxis_llm::{
    AssistantPart, Event, Message, Metadata, Output, Request, SystemBlock, ToolResult, ToolSpec, UserPart,
};
use serde_json::json;

use super::player;

/// A conversation with two calls that have been answered, one of them with an error.
fn request() -> Request {
    let user = |text: &str| Message::User(vec![UserPart::Text(text.into())]);
    let text = |text: &str| AssistantPart::Text { text: text.into(), metadata: Metadata::default() };
    let call = |id: &str, name: &str| AssistantPart::Call {
        id: id.into(),
        name: name.into(),
        input: Arc::new(json!({})),
        metadata: Metadata::default(),
    };
    let result = |id: &str, name: &str, output| ToolResult { id: id.into(), name: name.into(), output };
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: "".into(),
        parameters: Arc::new(json!({"type": "object"})),
    };
    Request {
        system: vec![SystemBlock("You are Praxis.".into()), SystemBlock("Be brief.".into())],
        messages: vec![
            user("hello"),
            Message::Assistant(vec![text("Hi.")]),
            user("add three lines"),
            Message::Assistant(vec![text("I will."), call("c1", "read"), call("c2", "edit")]),
            Message::Tool(vec![
                result("c1", "read", Output::Text("one\ntwo".into())),
                result("c2", "edit", Output::Error("denied by rule".into())),
            ]),
        ],
        tools: vec![tool("edit"), tool("read")],
        ..Request::default()
    }
}

/// What an expectation says about the request; nothing if it fits.
fn difference(expect: &str) -> String {
    let player = player(&format!("turns:\n  - say: before\n  - expect: {expect}\n    say: Done\n"));
    let seen = Seen::of(&request()).of_model("m-1");
    player.turn(&seen);
    match player.turn(&seen).events().pop() {
        Some(Event::Error { message, code }) => {
            assert_eq!(code.as_deref(), Some("script_mismatch"));
            assert_eq!(player.complaint().as_deref(), Some(message.as_str()));
            message
        }
        _ => {
            assert_eq!(player.complaint(), None);
            String::new()
        }
    }
}

#[test]
fn a_request_is_seen_without_its_wire() {
    let mut request = request();
    request.messages.push(Message::Note("be quick".into()));
    request.messages.push(Message::User(vec![UserPart::Text("go on".into())]));
    let seen = Seen::of(&request).by_agent("build");
    let messages: Vec<(Role, &str)> = seen.messages.iter().map(|m| (m.role, m.text.as_str())).collect();
    assert_eq!(
        messages,
        [
            (Role::User, "hello"),
            (Role::Assistant, "Hi."),
            (Role::User, "add three lines"),
            (Role::Assistant, "I will."),
            (Role::Tool, ""),
            (Role::User, "be quick\ngo on"),
        ]
    );
    assert_eq!((seen.system.as_str(), seen.agent.as_deref()), ("You are Praxis.\nBe brief.", Some("build")));
    let results: Vec<_> =
        seen.results.iter().map(|r| (r.tool.as_str(), r.text.as_str(), r.is_error)).collect();
    assert_eq!(results, [("read", "one\ntwo", Some(false)), ("edit", "denied by rule", Some(true))]);
}

#[test]
fn results_that_the_model_has_answered_are_not_new() {
    let mut request = request();
    let text = AssistantPart::Text { text: "Done.".into(), metadata: Metadata::default() };
    request.messages.push(Message::Assistant(vec![text]));
    assert_eq!(Seen::of(&request).results, []);
}

#[test]
fn each_condition_can_be_met() {
    for expect in [
        "{}",
        "{ user: add }",
        "{ user: [add, lines] }",
        "{ user: { equals: add three lines } }",
        "{ user: { regex: '^add \\w+ lines$', lacks: two } }",
        "{ system: brief }",
        "{ anywhere: denied by rule }",
        "{ model: m-1 }",
        "{ tools: [read], without: [bash] }",
        "{ tools: edit }",
        "{ result: two }",
        "{ result: [{ of: read, text: one, error: false, id: c1 }, { of: edit, error: true }] }",
        "{ result_of: [read, edit] }",
        "{ messages: 5 }",
    ] {
        assert_eq!(difference(expect), "", "{expect}");
    }
}

#[test]
fn each_condition_that_is_not_met_is_told() {
    let expectations = [
        "{ user: [add two, lines] }",
        "{ user: { equals: add two lines, lacks: three, regex: '^x' } }",
        "{ system: verbose }",
        "{ anywhere: { lacks: denied } }",
        "{ model: m-2 }",
        "{ agent: build }",
        "{ agent: { lacks: plan } }",
        "{ tools: [read, bash, glob], without: [edit] }",
        "{ tools: none }",
        "{ result: three }",
        "{ result: { of: read, error: true, id: c9, text: { lacks: one } } }",
        "{ result_of: bash }",
        "{ messages: 2 }",
    ];
    insta::assert_snapshot!(expectations.map(difference).join("\n"), @r#"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the last user text should contain "add two"
        but it is "add three lines"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the last user text should not contain "three"
        but it is "add three lines"
      the last user text should be "add two lines"
        but it is "add three lines"
      the last user text should match the pattern `^x`
        but it is "add three lines"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the system text should contain "verbose"
        but it is "You are Praxis.\nBe brief."
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the conversation should not contain "denied"
        but it is "hello\nHi.\nadd three lines\nI will.\n\none\ntwo\ndenied by rule"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the model should contain "m-2"
        but it is "m-1"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the agent should contain "build"
        but it is not known here
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the agent should be known
        but it is not known here
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the list of tools should have `bash`, `glob` and should not have `edit`
        but it is `edit`, `read`
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the list of tools should be none
        but it is `edit`, `read`
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the list of new results should have one that should contain "three"
        but it is one of `read`: "one\ntwo"; an error of `edit`: "denied by rule"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the list of new results should have one of `read` with the id `c9` that is an error that should not contain "one"
        but it is one of `read`: "one\ntwo"; an error of `edit`: "denied by rule"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the list of new results should have one of `bash`
        but it is one of `read`: "one\ntwo"; an error of `edit`: "denied by rule"
    the request is not what the script expects at turn 2 (s.yaml:3:5)
      the number of messages should be 2
        but it is 5
    "#);
}

#[test]
fn long_texts_are_shown_by_their_ends() {
    let player = player("- { expect: { user: end }, say: a }");
    let mut seen = Seen::default();
    seen.user(&"é".repeat(1_000));
    let message = format!("{:?}", player.turn(&seen).fault);
    assert!(message.contains("… 700 characters …") && message.len() < 1_000, "{message}");
}
