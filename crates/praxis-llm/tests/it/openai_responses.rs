//! Requests of Responses as they are sent.

use praxis_llm::{
    AssistantPart, Message, Metadata, Output, OutputSchema, Request, Sampling, SystemBlock, ToolChoice,
    UserPart,
};
use serde_json::json;

use crate::lab::{call, picture, result, text, tool, user};
use crate::openai_requests::{compatible, messages, options, responses, shown, thought, to};

#[test]
fn responses_request() {
    let sealed = |item: &str| Metadata::default().with("openai", "itemId", item);
    let request = Request {
        system: vec![SystemBlock("Be brief.".into()), SystemBlock("It is Monday.".into())],
        messages: vec![
            Message::User(vec![UserPart::Text("Look".into()), UserPart::Media(picture())]),
            Message::Assistant(vec![
                thought("Plan.", sealed("rs_1")),
                thought("Read.", sealed("rs_1").with("openai", "encryptedContent", "gAAA1")),
                thought("Not sealed.", sealed("rs_2")),
                text("Reading."),
                call("call_1", json!({"filePath": "a"}), sealed("fc_1")),
                call("call_2", json!("{\"filePath\":"), Metadata::default()),
            ]),
            Message::Tool(vec![
                result("call_1", Output::Content { text: "seen".into(), media: vec![picture()] }),
                result("call_2", Output::Error("not JSON".into())),
            ]),
            Message::Note("3 < 4".to_owned()),
            Message::Assistant(vec![
                text("Done."),
                thought("", sealed("rs_3").with("openai", "encryptedContent", "gAAA3")),
            ]),
            user("Thanks"),
        ],
        tools: vec![tool("read")],
        tool_choice: ToolChoice::Tool("read".to_owned()),
        sampling: Sampling { temperature: Some(0.1), max_output_tokens: Some(900), ..Sampling::default() },
        output_schema: Some(OutputSchema {
            name: "answer".to_owned(),
            schema: json!({"type": "object"}).into(),
        }),
        options: options(json!({
            "reasoningEffort": "medium", "reasoningSummary": "auto", "textVerbosity": "low", "serviceTier": "flex",
            "promptCacheKey": "ses_1", "store": false, "include": ["reasoning.encrypted_content"], "oddity": 1,
        })),
        ..Request::default()
    };
    insta::assert_snapshot!(shown(&responses(&request, &to("openai", "@ai-sdk/openai", "gpt-5"))), @r##"
    /responses
    ! `temperature` is not sent, since models that think refuse it
    ! `oddity` is not sent, since this wire format has no such field
    model: "gpt-5"
    input: {"role":"developer","content":"Be brief."}
    input: {"role":"developer","content":"It is Monday."}
    input: {"role":"user","content":[{"type":"input_text","text":"Look"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}
    input: {"type":"reasoning","summary":[{"type":"summary_text","text":"Plan."},{"type":"summary_text","text":"Read."}],"encrypted_content":"gAAA1"}
    input: {"role":"assistant","content":[{"type":"output_text","text":"Reading."}]}
    input: {"type":"function_call","call_id":"call_1","name":"read","arguments":"{\"filePath\":\"a\"}"}
    input: {"type":"function_call","call_id":"call_2","name":"read","arguments":"{\"invalid\":\"{\\\"filePath\\\":\"}"}
    input: {"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"seen"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}
    input: {"type":"function_call_output","call_id":"call_2","output":"not JSON"}
    input: {"role":"developer","content":"3 < 4"}
    input: {"role":"assistant","content":[{"type":"output_text","text":"Done."}]}
    input: {"role":"user","content":[{"type":"input_text","text":"Thanks"}]}
    tools: {"type":"function","name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{"filePath":{"type":"string"},"limit":{"type":["integer","null"]}},"required":["filePath"],"additionalProperties":false},"strict":false}
    tool_choice: {"type":"function","name":"read"}
    max_output_tokens: 900
    reasoning: {"effort":"medium","summary":"auto"}
    text: {"verbosity":"low","format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":false}}
    include: "reasoning.encrypted_content"
    store: false
    stream: true
    service_tier: "flex"
    prompt_cache_key: "ses_1"
    "##);
}

#[test]
fn responses_with_a_server_that_keeps_items_refers_to_them_once() {
    let kept = |item: &str| Metadata::default().with("openai", "itemId", item);
    let request = Request {
        messages: vec![
            user("Go"),
            Message::Assistant(vec![
                thought("One.", kept("rs_1")),
                thought("Two.", kept("rs_1")),
                AssistantPart::Text { text: "Yes.".into(), metadata: kept("msg_1") },
                call("call_1", json!({}), kept("fc_1")),
            ]),
            Message::Tool(vec![result("call_1", Output::Text("ok".into()))]),
        ],
        options: options(json!({"store": true, "instructions": "Be brief."})),
        ..Request::default()
    };
    insta::assert_snapshot!(shown(&responses(&request, &to("openai", "@ai-sdk/openai", "gpt-5"))), @r##"
    /responses
    model: "gpt-5"
    input: {"role":"user","content":[{"type":"input_text","text":"Go"}]}
    input: {"type":"item_reference","id":"rs_1"}
    input: {"type":"item_reference","id":"msg_1"}
    input: {"type":"item_reference","id":"fc_1"}
    input: {"type":"function_call_output","call_id":"call_1","output":"ok"}
    store: true
    stream: true
    instructions: "Be brief."
    "##);
}

#[test]
fn responses_media_that_may_not_stand_in_a_result_follows_it() {
    let request = Request {
        messages: vec![
            Message::Assistant(vec![call("c", json!({}), Metadata::default())]),
            Message::Tool(vec![result("c", Output::Content { text: "seen".into(), media: vec![picture()] })]),
        ],
        ..Request::default()
    };
    insta::assert_snapshot!(messages(&responses(&request, &compatible("lmstudio", "qwen3-vl"))), @r##"
    {"type":"function_call","call_id":"c","name":"read","arguments":"{}"}
    {"type":"function_call_output","call_id":"c","output":"seen"}
    {"role":"user","content":[{"type":"input_text","text":"Media from the tool results above:"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}
    "##);
}
