//! What a stored session must hold, against what the model sent and the program told.

use std::time::{Duration, Instant};

use praxis_testkit::{Said, Sent};
use serde_json::{Value, json};

/// Text that may be lost by age, and by size.
const AGE: Duration = Duration::from_millis(250);
const BYTES: usize = 4_096;
/// What lies between the server's write and the program's: two sockets, and a machine that does other things too.
const ON_THE_WAY: Duration = Duration::from_millis(500);

/// Text that was sent before the kill and is not stored.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Loss {
    pub(super) bytes: usize,
    /// How long before the kill the oldest of it was sent.
    pub(super) age: Duration,
}

/// All parts of an exported session.
pub(crate) fn parts(whole: &Value) -> impl Iterator<Item = &Value> {
    list(&whole["messages"]).iter().flat_map(|message| list(&message["parts"]))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Calls have settled, texts have ended, answers are complete.
pub(crate) fn nothing_is_open(whole: &Value, context: &str) {
    for message in list(&whole["messages"]).iter().filter(|message| message["info"]["role"] == "assistant") {
        assert!(message["info"]["time"]["completed"].is_u64(), "{context}: {:#}", message["info"]);
    }
    for part in parts(whole) {
        let is_settled = match part["type"].as_str() {
            Some("tool") => ["completed", "error"].contains(&part["state"]["status"].as_str().unwrap()),
            Some("reasoning") => part["time"]["end"].is_u64(),
            Some("text") => part["time"]["start"].is_null() || part["time"]["end"].is_u64(),
            _ => true,
        };
        assert!(is_settled, "{context}: {part:#}");
    }
}

/// Whoever was told of a part finds it as it was told.
pub(super) fn what_was_told_is_stored(whole: &Value, heard: &[Said], context: &str) {
    let told = heard.iter().filter_map(|said| match said {
        Said::Out(line) => serde_json::from_str::<Value>(line).ok(),
        Said::Err(_) => None,
    });
    for part in told.map(|line| line["part"].clone()).filter(Value::is_object) {
        let stored = parts(whole).find(|stored| stored["id"] == part["id"]);
        assert_eq!(stored, Some(&part), "{context}");
    }
}

/// What a session has used is the sum of its steps.
pub(super) fn totals_add_up(whole: &Value, context: &str) {
    let steps = || parts(whole).filter(|part| part["type"] == "step-finish");
    let sum =
        |pointer: &str| steps().map(|step| step.pointer(pointer).unwrap().as_u64().unwrap()).sum::<u64>();
    let tokens = json!({
        "input": sum("/tokens/input"), "output": sum("/tokens/output"), "reasoning": sum("/tokens/reasoning"),
        "cache": { "read": sum("/tokens/cache/read"), "write": sum("/tokens/cache/write") },
    });
    assert_eq!(whole["info"]["tokens"], tokens, "{context}");
    let cost: f64 = steps().map(|step| step["cost"].as_f64().unwrap()).sum();
    let kept = whole["info"]["cost"].as_f64().unwrap();
    assert!((cost - kept).abs() < 1e-9, "{context}: {cost} {kept}");
}

/// Every answer holds what was sent of it, without a gap; only the end of the last may be missing, within the bound.
pub(super) fn texts_are_what_was_sent(whole: &Value, sent: &[Sent], killed: Instant, context: &str) -> Loss {
    let answers: Vec<&Value> =
        list(&whole["messages"]).iter().filter(|message| message["info"]["role"] == "assistant").collect();
    let mut loss = Loss::default();
    for (request, answer) in answers.iter().enumerate() {
        for (kind, letter) in [("reasoning", b'r'), ("text", b'w')] {
            let stored: String = list(&answer["parts"])
                .iter()
                .filter(|part| part["type"] == kind)
                .filter_map(|part| part["text"].as_str())
                .collect();
            let stored: Vec<&str> = stored.split_whitespace().collect();
            let spoken = spoken(sent, request, letter);
            let begins = stored.len() <= spoken.len()
                && stored.iter().zip(&spoken).all(|(stored, (_, spoken))| stored == spoken);
            assert!(begins, "{context}: {kind} of answer {request} is not what was sent: {stored:?}");
            let lost: Vec<_> = spoken[stored.len()..].iter().filter(|(at, _)| *at <= killed).collect();
            assert!(lost.is_empty() || request + 1 == answers.len(), "{context}: {kind} of answer {request}");
            let on_disk = lost.iter().filter(|(at, _)| *at + ON_THE_WAY < killed);
            let (mut late, mut bytes) = (Duration::ZERO, 0);
            for (at, word) in on_disk {
                late = late.max(killed - *at);
                bytes += word.len() + 1;
            }
            assert!(
                late <= AGE + ON_THE_WAY && bytes <= BYTES,
                "{context}: {bytes} bytes, {late:?} old, are lost"
            );
            loss.bytes += lost.iter().map(|(_, word)| word.len() + 1).sum::<usize>();
            loss.age = lost.iter().map(|(at, _)| killed - *at).fold(loss.age, Duration::max);
        }
    }
    loss
}

/// The words of an answer, and when they were sent.
fn spoken(sent: &[Sent], request: usize, letter: u8) -> Vec<(Instant, String)> {
    let mut words = Vec::new();
    for piece in sent.iter().filter(|piece| piece.request == request) {
        let text = String::from_utf8_lossy(&piece.bytes);
        let is_word = |word: &&str| {
            word.as_bytes().first() == Some(&letter)
                && word.get(1..6).is_some_and(|n| n.parse::<u32>().is_ok())
        };
        words.extend(text.split(['"', ' ']).filter(is_word).map(|word| (piece.at, word.to_owned())));
    }
    words
}
