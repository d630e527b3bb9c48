//! Conversations that are told piece by piece, as sessions tell them.

use std::sync::Arc;

use praxis_llm::normalise::normalise;
use praxis_llm::retry::Policy;
use praxis_llm::script::{Player, Script};
use praxis_llm::turn::{Chain, Model, Told};
use praxis_llm::wire::{Anthropic, Chat, Gemini, Responses, Wire};
use praxis_llm::{Message, Metadata, Output, Request, SystemBlock, Target};
use praxis_testkit::{Format, ModelServer};
use proptest::prelude::*;
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

use crate::histories::any_history;
use crate::lab::{call, result, target, text, tool, user};
use crate::served::model;

fn pairs() -> Vec<(Box<dyn Wire>, Target)> {
    vec![
        (Box::new(Anthropic), target("@ai-sdk/anthropic", "claude-sonnet-4-5")),
        (Box::new(Anthropic), target("", "other")),
        (Box::new(Chat::default()), target("@ai-sdk/openai-compatible", "deepseek-chat")),
        (Box::new(Chat::default()), target("@openrouter/ai-sdk-provider", "anthropic/claude-sonnet-4")),
        (Box::new(Chat::default()), target("@ai-sdk/mistral", "devstral-medium")),
        (Box::new(Responses::default()), target("@ai-sdk/openai", "gpt-5")),
        (Box::new(Gemini::default()), target("@ai-sdk/google", "gemini-3-pro")),
    ]
}

fn bytes(lowered: praxis_llm::wire::Lowered) -> String {
    String::from_utf8(lowered.into_pieces().concat()).unwrap()
}

/// Where the conversation may be cut: not between calls and their results.
fn is_cut(message: Option<&Message>) -> bool {
    !matches!(message, Some(Message::Tool(_)))
}

proptest! {
    #[test]
    fn what_is_written_piece_by_piece_is_what_is_written_at_once(
        history in any_history(),
        cuts in prop::collection::vec(any::<bool>(), 40),
        stored in any::<bool>(),
    ) {
        for (wire, target) in pairs() {
            let mut request = Request {
                system: vec![SystemBlock("Be brief.".into()), SystemBlock("It is Monday.".into())],
                messages: [history.clone(), history.clone(), history.clone()].concat(),
                tools: vec![tool("read")],
                options: Map::from_iter([("store".to_owned(), json!(stored))]),
                ..Request::default()
            };
            normalise(&mut request, &target);
            let mut conversation = wire.conversation(&request.options, &target);
            let messages = std::mem::take(&mut request.messages);
            for at in 0..messages.len() {
                conversation.push(&messages[at]);
                if !cuts[at % cuts.len()] || !is_cut(messages.get(at + 1)) {
                    continue;
                }
                conversation.seal();
                let pieces = conversation.lower(&request);
                request.messages = messages[..=at].to_vec();
                let whole = wire.lower(&request, &target);
                prop_assert_eq!(&pieces.warnings, &whole.warnings);
                prop_assert_eq!(&pieces.headers, &whole.headers);
                prop_assert_eq!(bytes(pieces), bytes(whole));
            }
        }
    }
}

/// Steps whose ids are not what servers take, and would be the same if each were renamed for itself.
fn steps() -> Vec<Vec<Message>> {
    let step = |id: &str| {
        let calls = vec![text("I\0look"), call(id, json!({"filePath": "a"}), Metadata::default())];
        vec![Message::Assistant(calls), Message::Tool(vec![result(id, Output::Text("1".into()))])]
    };
    let mut steps = vec![vec![user("go")]];
    steps.extend(["a.b", "a:b", "a.b", "a_b"].map(step));
    steps
}

async fn go_on(chain: &Chain, told: &mut Told, messages: Vec<Message>) {
    let request = Request { messages, tools: vec![tool("read")], ..Request::default() };
    chain.go_on(told, &request, &mut Vec::new(), &CancellationToken::new()).await.unwrap();
}

#[tokio::test]
async fn a_server_reads_the_same_whether_it_is_told_in_pieces_or_at_once() {
    for format in Format::ALL {
        let server = ModelServer::play("{ turns: [{ say: ok }], after: repeat }").await;
        let chain = Chain::new(model(format, &server.url()), Policy::default());
        let (mut told, mut all) = (chain.told(), Vec::new());
        for step in steps() {
            all.extend(step.clone());
            told.say(step);
            go_on(&chain, &mut told, Vec::new()).await;
            go_on(&chain, &mut chain.told(), all.clone()).await;
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 10);
        for pair in requests.chunks(2) {
            assert_eq!(pair[0].body, pair[1].body, "{format:?}");
            assert!(pair[0].header("content-length").is_some(), "{:?}", pair[0].headers);
            assert_eq!(pair[0].header("transfer-encoding"), None);
        }
    }
}

#[tokio::test]
async fn the_messages_of_a_request_are_not_kept() {
    for format in Format::ALL {
        let server = ModelServer::play("{ turns: [{ say: ok }], after: repeat }").await;
        let chain = Chain::new(model(format, &server.url()), Policy::default());
        let mut told = chain.told();
        told.say(steps().concat());
        go_on(&chain, &mut told, Vec::new()).await;
        go_on(&chain, &mut told, vec![user("for once")]).await;
        go_on(&chain, &mut told, Vec::new()).await;
        let requests = server.requests();
        assert!(requests[1].body.to_string().contains("for once"));
        assert_eq!(requests[0].body, requests[2].body);
    }
}

#[tokio::test]
async fn another_model_that_takes_the_turn_is_told_everything() {
    let first = ModelServer::play("turns: [{ say: ok }, { fail: { status: 529 } }]").await;
    let spare = ModelServer::play("{ turns: [{ say: ok }], after: repeat }").await;
    let policy = Policy { most: 0, ..Policy::default() };
    let chain = Chain::new(model(Format::Anthropic, &first.url()), policy);
    let chain = chain.or(model(Format::Chat, &spare.url()));
    let mut told = chain.told();
    told.say([user("one")]);
    go_on(&chain, &mut told, Vec::new()).await;
    told.say([user("two")]);
    go_on(&chain, &mut told, Vec::new()).await;
    let expected = json!([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]);
    assert_eq!(spare.request(0).body["messages"], expected);
}

#[test]
fn what_one_model_was_told_suits_no_other() {
    let player = Player::new(Script::parse("script", "turns: [{ say: ok }]").unwrap());
    let scripted = Chain::new(Model::scripted(Arc::new(player)), Policy::default());
    let [claude, gpt] = [Format::Anthropic, Format::Responses].map(|format| {
        Chain::new(model(format, "http://127.0.0.1:1"), Policy { most: 0, ..Policy::default() })
    });
    let options = Map::new();
    let mut told = claude.told();
    assert!(claude.suits(&told, &options) && gpt.suits(&told, &options) && scripted.suits(&told, &options));
    told.say([user("one")]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let cancel = CancellationToken::new();
    let asked = |chain: &Chain, told: &mut Told| {
        runtime.block_on(chain.go_on(told, &Request::default(), &mut Vec::new(), &cancel)).unwrap_err()
    };
    asked(&claude, &mut told);
    assert!(claude.suits(&told, &options) && !gpt.suits(&told, &options) && !scripted.suits(&told, &options));
    let silent = Map::from_iter([("sendReasoning".to_owned(), json!(false))]);
    assert!(!claude.suits(&told, &silent));
    assert!(asked(&gpt, &mut told).message.contains("written for another model"));
}
