//! Calls and results as pairs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::{AssistantPart, Message, Output, ToolResult};

/// The result of a call that has none.
pub const INTERRUPTED: &str = "The tool was interrupted before it gave a result.";

/// Calls of one message that have no result yet and go by the same id.
#[derive(Default)]
struct Waiting {
    /// Where the results of that message are.
    at: usize,
    places: VecDeque<usize>,
}

/// Puts behind each assistant message the results of its calls, in their order, and tells of a call without a result
/// that it was interrupted. What stood between a call and its result comes behind both; a result without a call is
/// dropped.
///
/// Some servers count the ids of calls from 0 in each answer: a result belongs to the latest message with its id.
pub(super) fn pair(messages: Vec<Message>) -> Vec<Message> {
    let mut paired = Vec::with_capacity(messages.len());
    let mut waiting: HashMap<String, Waiting> = HashMap::new();
    for message in messages {
        match message {
            Message::Tool(results) => {
                for result in results {
                    settle(result, &mut waiting, &mut paired);
                }
            }
            Message::Assistant(parts) => {
                let results: Vec<ToolResult> = parts.iter().filter_map(interrupted).collect();
                paired.push(Message::Assistant(parts));
                if results.is_empty() {
                    continue;
                }
                wait(&results, paired.len(), &mut waiting);
                paired.push(Message::Tool(results));
            }
            Message::User(_) | Message::Note(_) => paired.push(message),
        }
    }
    paired
}

fn interrupted(part: &AssistantPart) -> Option<ToolResult> {
    let AssistantPart::Call { id, name, .. } = part else { return None };
    let output = Output::Error(Arc::from(INTERRUPTED));
    Some(ToolResult { id: id.clone(), name: name.clone(), output })
}

fn wait(results: &[ToolResult], at: usize, waiting: &mut HashMap<String, Waiting>) {
    for (place, result) in results.iter().enumerate() {
        let calls = waiting.entry(result.id.clone()).or_default();
        if calls.at != at {
            *calls = Waiting { at, places: VecDeque::new() };
        }
        calls.places.push_back(place);
    }
}

/// Puts a result to its call, under the name that the call gave the tool: some wires pair by name.
fn settle(result: ToolResult, waiting: &mut HashMap<String, Waiting>, paired: &mut [Message]) {
    let Some(calls) = waiting.get_mut(&result.id) else { return };
    let Some(place) = calls.places.pop_front() else { return };
    let Some(Message::Tool(results)) = paired.get_mut(calls.at) else { return };
    if let Some(empty) = results.get_mut(place) {
        empty.output = result.output;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metadata, UserPart};

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| AssistantPart::Call {
            id: (*id).into(),
            name: "read".into(),
            input: Arc::default(),
            metadata: Metadata::default(),
        };
        Message::Assistant(ids.iter().map(call).collect())
    }

    fn result(id: &str, text: &str) -> ToolResult {
        ToolResult { id: id.into(), name: "read".into(), output: Output::Text(text.into()) }
    }

    fn lost(id: &str) -> ToolResult {
        ToolResult { id: id.into(), name: "read".into(), output: Output::Error(INTERRUPTED.into()) }
    }

    fn user(text: &str) -> Message {
        Message::User(vec![UserPart::Text(text.into())])
    }

    #[test]
    fn results_come_in_the_order_of_their_calls() {
        let given = vec![calls(&["a", "b"]), Message::Tool(vec![result("b", "2"), result("a", "1")])];
        let meant = vec![calls(&["a", "b"]), Message::Tool(vec![result("a", "1"), result("b", "2")])];
        assert_eq!(pair(given), meant);
    }

    #[test]
    fn what_came_between_a_call_and_its_result_comes_behind_both() {
        let given = vec![
            calls(&["a", "b"]),
            Message::Tool(vec![result("a", "1")]),
            user("wait"),
            Message::Note("plan".into()),
            Message::Tool(vec![result("b", "2")]),
        ];
        let meant = vec![
            calls(&["a", "b"]),
            Message::Tool(vec![result("a", "1"), result("b", "2")]),
            user("wait"),
            Message::Note("plan".into()),
        ];
        assert_eq!(pair(given), meant);
    }

    #[test]
    fn a_call_without_a_result_was_interrupted() {
        let given = vec![calls(&["a", "b"]), Message::Tool(vec![result("b", "2")]), user("go on")];
        let meant = vec![calls(&["a", "b"]), Message::Tool(vec![lost("a"), result("b", "2")]), user("go on")];
        assert_eq!(pair(given), meant);
    }

    #[test]
    fn a_result_without_a_call_and_a_second_result_are_dropped() {
        let given = vec![
            Message::Tool(vec![result("a", "too early")]),
            calls(&["a"]),
            Message::Tool(vec![result("a", "1"), result("x", "?")]),
            Message::Tool(vec![result("a", "again")]),
        ];
        assert_eq!(pair(given), vec![calls(&["a"]), Message::Tool(vec![result("a", "1")])]);
    }

    #[test]
    fn an_id_used_again_means_the_latest_call() {
        let given = vec![
            calls(&["a", "a"]),
            Message::Tool(vec![result("a", "1"), result("a", "2")]),
            calls(&["a"]),
            calls(&["a"]),
            Message::Tool(vec![result("a", "4")]),
        ];
        let meant = vec![
            calls(&["a", "a"]),
            Message::Tool(vec![result("a", "1"), result("a", "2")]),
            calls(&["a"]),
            Message::Tool(vec![lost("a")]),
            calls(&["a"]),
            Message::Tool(vec![result("a", "4")]),
        ];
        assert_eq!(pair(given), meant);
    }

    #[test]
    fn a_result_goes_by_the_name_of_its_call() {
        let mut named = result("a", "1");
        named.name = "Read".into();
        let paired = pair(vec![calls(&["a"]), Message::Tool(vec![named])]);
        assert_eq!(paired, vec![calls(&["a"]), Message::Tool(vec![result("a", "1")])]);
    }
}
