//! Whose printed calls are calls, and whose are only quoted.

use praxis_llm::provider::Resolved;
use praxis_llm::retry::Policy;
use praxis_llm::turn::{Chain, Model};
use praxis_llm::{AssistantPart, Message, Metadata, Output, Request, ToolResult};
use praxis_os::HttpStreams;
use praxis_testkit::{Format, ModelServer};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::lab::user;
use crate::served::{hello, resolved, told};

const PRINTED: &str = r#"<tool_call>{"name": "read", "arguments": {"filePath": "a"}}</tool_call>"#;

/// A server that says each of these, one a turn; `CALL` makes a real call.
async fn says(answers: &[&str]) -> ModelServer {
    let turn = |answer: &&str| match *answer {
        "CALL" => json!({ "call": { "read": { "filePath": "a" } } }),
        text => json!({ "say": text }),
    };
    ModelServer::play(&json!({ "turns": answers.iter().map(turn).collect::<Vec<_>>() }).to_string()).await
}

async fn ask(model: &Model, request: &Request) -> String {
    let mut heard = Vec::new();
    model.stream(request, &mut heard, &CancellationToken::new()).await.unwrap();
    told(&heard)
}

fn chat(server: &ModelServer) -> Resolved {
    resolved(Format::Chat, &server.url())
}

fn model(resolved: &Resolved) -> Model {
    Model::new(resolved.clone(), &HttpStreams::default())
}

/// A conversation in which a call was made.
fn called(metadata: Metadata) -> Vec<Message> {
    let call = AssistantPart::Call {
        id: "c1".into(),
        name: "read".into(),
        input: json!({ "filePath": "a" }).into(),
        metadata,
    };
    let result = ToolResult { id: "c1".into(), name: "read".into(), output: Output::Text("one".into()) };
    vec![user("hello"), Message::Assistant(vec![call]), Message::Tool(vec![result]), user("go on")]
}

#[tokio::test]
async fn a_server_on_this_machine_may_print_calls_until_it_makes_one() {
    let server = says(&[PRINTED, "CALL", PRINTED, PRINTED]).await;
    let resolved = chat(&server);
    assert_eq!(ask(&model(&resolved), &hello()).await, " [call read] [ToolCalls]");
    assert_eq!(ask(&model(&resolved), &hello()).await, " [call read] [ToolCalls]");
    let text = format!("{PRINTED} [Stop]");
    assert_eq!(ask(&model(&resolved), &hello()).await, text);
    // Another model of that server has the same template engine behind it.
    let mut other = resolved.clone();
    other.target.wire_model = "m-2".into();
    assert_eq!(ask(&model(&other), &hello()).await, text);
}

#[tokio::test]
async fn a_model_that_is_said_not_to_make_calls_prints_them_until_it_makes_one() {
    let server = says(&["CALL", PRINTED, PRINTED, "CALL", PRINTED]).await;
    let native = chat(&server);
    let mut printing = native.clone();
    printing.model.tool_call = false;
    printing.target.wire_model = "m-2".into();
    assert_eq!(ask(&model(&native), &hello()).await, " [call read] [ToolCalls]");
    assert_eq!(ask(&model(&printing), &hello()).await, " [call read] [ToolCalls]");
    let request = Request { messages: called(Metadata::default()), ..hello() };
    assert_eq!(ask(&model(&printing), &request).await, " [call read] [ToolCalls]");
    assert_eq!(ask(&model(&printing), &hello()).await, " [call read] [ToolCalls]");
    assert_eq!(ask(&model(&printing), &hello()).await, format!("{PRINTED} [Stop]"));
}

#[tokio::test]
async fn a_call_in_the_conversation_was_the_first() {
    let server = says(&[PRINTED, PRINTED, PRINTED]).await;
    let model = model(&chat(&server));
    let text = format!("{PRINTED} [Stop]");
    let request = Request { messages: called(Metadata::default()), ..hello() };
    assert_eq!(ask(&model, &request).await, text);

    let chain = Chain::new(model, Policy::default());
    for summed_up in [false, true] {
        let mut conversation = chain.told();
        if summed_up {
            conversation.had_native_calls();
        } else {
            conversation.say(called(Metadata::default()));
        }
        let mut heard = Vec::new();
        let cancel = CancellationToken::new();
        chain.go_on(&mut conversation, &hello(), &mut heard, &cancel).await.unwrap();
        assert_eq!(told(&heard), text);
    }
}

#[tokio::test]
async fn a_call_that_was_printed_or_made_by_somebody_else_was_not_the_first() {
    let server = says(&[PRINTED]).await;
    let request = Request { messages: called(Metadata::not_native()), ..hello() };
    assert_eq!(ask(&model(&chat(&server)), &request).await, " [call read] [ToolCalls]");
}

#[tokio::test]
async fn a_fenced_block_is_never_a_call() {
    let fenced = format!("```json\n{PRINTED}\n```");
    let server = says(&[&fenced]).await;
    assert_eq!(ask(&model(&chat(&server)), &hello()).await, format!("{fenced} [Stop]"));
}
