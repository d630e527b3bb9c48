//! What holds for any conversation that is prepared for any target.

use std::collections::HashSet;
use std::sync::Arc;

use praxis_llm::normalise::{INTERRUPTED, normalise};
use praxis_llm::{
    AssistantPart, Media, Message, Metadata, Output, Request, SystemBlock, Target, ToolResult, UserPart,
};
use proptest::prelude::*;
use serde_json::json;

use crate::lab::target;

fn targets() -> Vec<Target> {
    let pairs = [
        ("@ai-sdk/anthropic", "claude-sonnet-4-5"),
        ("@ai-sdk/openai", "gpt-5"),
        ("@ai-sdk/google", "gemini-3-pro"),
        ("@ai-sdk/mistral", "devstral-medium"),
        ("@ai-sdk/openai-compatible", "deepseek-chat"),
        ("@ai-sdk/amazon-bedrock", "anthropic.claude-sonnet-4"),
        ("@openrouter/ai-sdk-provider", "qwen/qwen3-coder"),
    ];
    pairs.map(|(npm, model)| target(npm, model)).to_vec()
}

fn prepared(messages: &[Message], target: &Target) -> Vec<Message> {
    let mut request = Request { messages: messages.to_vec(), ..Request::default() };
    normalise(&mut request, target);
    request.messages
}

fn any_text() -> impl Strategy<Value = Arc<str>> {
    prop_oneof!["[a-z]{1,4}", Just(String::new()), Just(" \n".to_owned()), Just("a\0b".to_owned())]
        .prop_map(Arc::from)
}

fn any_id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a.b", "a:b", "", "toolu_01AAAAAA", "toolu_01AAAABB", "a_1"])
        .prop_map(str::to_owned)
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    let signed = |family: &str| Metadata::default().with(family, "signature", "s");
    prop::sample::select(vec![Metadata::default(), signed("anthropic"), signed("openai"), signed("google")])
}

fn any_media() -> impl Strategy<Value = Media> {
    let mimes = prop::sample::select(vec!["image/png", "application/pdf", "audio/wav", "text/x-odd"]);
    let data = prop::sample::select(vec!["", "AAAA"]);
    (mimes, data).prop_map(|(mime, data)| Media { mime: mime.into(), data: data.into(), name: None })
}

fn any_message() -> impl Strategy<Value = Message> {
    let user = prop_oneof![any_text().prop_map(UserPart::Text), any_media().prop_map(UserPart::Media)];
    let part = prop_oneof![
        (any_text(), any_metadata()).prop_map(|(text, metadata)| AssistantPart::Text { text, metadata }),
        (any_text(), any_metadata()).prop_map(|(text, metadata)| AssistantPart::Reasoning { text, metadata }),
        (any_id(), any_text(), any_metadata()).prop_map(|(id, text, metadata)| AssistantPart::Call {
            id,
            name: "read".to_owned(),
            input: Arc::new(json!({"path": &*text})),
            metadata,
        }),
    ];
    let output = prop_oneof![
        any_text().prop_map(Output::Text),
        any_text().prop_map(Output::Error),
        (any_text(), prop::collection::vec(any_media(), 0..3))
            .prop_map(|(text, media)| Output::Content { text, media }),
    ];
    let result =
        (any_id(), output).prop_map(|(id, output)| ToolResult { id, name: "Read".to_owned(), output });
    prop_oneof![
        prop::collection::vec(user, 0..3).prop_map(Message::User),
        prop::collection::vec(part, 0..4).prop_map(Message::Assistant),
        prop::collection::vec(result, 0..4).prop_map(Message::Tool),
        any_text().prop_map(|text| Message::Note(text.to_string())),
    ]
}

pub(crate) fn any_history() -> impl Strategy<Value = Vec<Message>> {
    prop::collection::vec(any_message(), 0..14)
}

fn call_ids(message: &Message) -> Vec<&str> {
    let Message::Assistant(parts) = message else { return Vec::new() };
    let ids = parts.iter().filter_map(|part| match part {
        AssistantPart::Call { id, .. } => Some(id.as_str()),
        _ => None,
    });
    ids.collect()
}

/// Whether a message is the same, or differs in results that had not come by then.
fn is_kept(before: &Message, after: &Message) -> bool {
    let (Message::Tool(before), Message::Tool(after)) = (before, after) else { return before == after };
    let kept = |(before, after): (&ToolResult, &ToolResult)| {
        before == after || before.id == after.id && before.output == Output::Error(INTERRUPTED.into())
    };
    before.len() == after.len() && before.iter().zip(after).all(kept)
}

/// A number in what a message says, to know it again.
fn numbered(messages: &mut [Message]) {
    for (number, message) in messages.iter_mut().enumerate() {
        let text = format!("#{number}");
        match message {
            Message::User(parts) => parts.push(UserPart::Text(text.into())),
            Message::Assistant(parts) => {
                parts.push(AssistantPart::Text { text: text.into(), metadata: Metadata::default() });
            }
            Message::Note(note) => *note = text,
            Message::Tool(_) => {}
        }
    }
}

fn number(message: &Message) -> Option<usize> {
    let text = match message {
        Message::User(parts) => match parts.last() {
            Some(UserPart::Text(text)) => text.to_string(),
            _ => return None,
        },
        Message::Assistant(parts) => match parts.last() {
            Some(AssistantPart::Text { text, .. }) => text.to_string(),
            _ => return None,
        },
        Message::Note(text) => text.clone(),
        Message::Tool(_) => return None,
    };
    text.strip_prefix('#')?.parse().ok()
}

proptest! {
    #[test]
    fn twice_is_the_same_as_once(history in any_history()) {
        for target in targets() {
            let once = prepared(&history, &target);
            prop_assert_eq!(prepared(&once, &target), once);
        }
    }

    #[test]
    fn every_call_has_its_result_right_behind_it_and_an_id_of_its_own(history in any_history()) {
        for target in targets() {
            let messages = prepared(&history, &target);
            let mut seen = HashSet::new();
            let mut wanted: Vec<&str> = Vec::new();
            for message in &messages {
                if let Message::Tool(results) = message {
                    let ids: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
                    prop_assert_eq!(&ids, &wanted);
                    prop_assert!(!ids.is_empty());
                    wanted.clear();
                    continue;
                }
                prop_assert!(wanted.is_empty(), "calls without results: {:?}", wanted);
                wanted = call_ids(message);
                for id in &wanted {
                    prop_assert!(seen.insert(*id), "{} twice", id);
                }
            }
            prop_assert!(wanted.is_empty());
        }
    }

    #[test]
    fn no_message_overtakes_another_and_none_is_lost(mut history in any_history()) {
        numbered(&mut history);
        for target in targets() {
            let numbers: Vec<usize> = prepared(&history, &target).iter().filter_map(number).collect();
            let meant: Vec<usize> = history.iter().filter_map(number).collect();
            prop_assert_eq!(numbers, meant);
        }
    }

    #[test]
    fn a_growing_history_keeps_its_beginning(history in any_history(), at in any::<prop::sample::Index>()) {
        let at = at.index(history.len() + 1);
        for target in targets() {
            let before = prepared(&history[..at], &target);
            let after = prepared(&history, &target);
            prop_assert!(before.len() <= after.len());
            for (before, after) in before.iter().zip(&after) {
                prop_assert!(is_kept(before, after), "{:?} became {:?}", before, after);
            }
        }
    }
}

#[test]
fn an_interrupted_history_is_made_whole() {
    let call = |id: &str, metadata| AssistantPart::Call {
        id: id.to_owned(),
        name: "read".to_owned(),
        input: Arc::new(json!({"path": "a"})),
        metadata,
    };
    let foreign = || Metadata::default().with("openai", "itemId", "fc_1");
    let thought = AssistantPart::Reasoning { text: " ".into(), metadata: Metadata::default() };
    let result = |id: &str, output| ToolResult { id: id.to_owned(), name: "read".to_owned(), output };
    let two = || Output::Text("two".into());
    let mut request = Request {
        system: vec![SystemBlock("be\0brief".into())],
        messages: vec![
            Message::User(vec![UserPart::Text("read both".into())]),
            Message::Assistant(vec![thought, call("fs.read:0", foreign()), call("fs.read:1", foreign())]),
            Message::User(vec![UserPart::Text("faster".into()), UserPart::Text("".into())]),
            Message::Tool(vec![result("fs.read:1", two()), result("gone", two())]),
        ],
        ..Request::default()
    };
    normalise(&mut request, &target("@ai-sdk/anthropic", "claude-sonnet-4-5"));
    assert_eq!(&*request.system[0].0, "be\u{fffd}brief");
    let meant = vec![
        Message::User(vec![UserPart::Text("read both".into())]),
        Message::Assistant(vec![
            call("fs_read_0", Metadata::default()),
            call("fs_read_1", Metadata::default()),
        ]),
        Message::Tool(vec![
            result("fs_read_0", Output::Error(INTERRUPTED.into())),
            result("fs_read_1", two()),
        ]),
        Message::User(vec![UserPart::Text("faster".into())]),
    ];
    assert_eq!(request.messages, meant);
}
