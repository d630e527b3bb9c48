//! What must hold for any bytes of any wire.

use super::Reader;
use crate::Event;
use crate::wire::Raise;

/// Reads any bytes at a cut chosen by the first of them. Panics if the cut makes a difference, if the answer does not have
/// exactly one end, or if a call is raised whose arguments did not end.
#[doc(hidden)]
pub fn fuzz(raise: &dyn Fn() -> Box<dyn Raise>, data: &[u8]) {
    let Some((&cut, body)) = data.split_first() else { return };
    let size = usize::from(cut) % 11 + 1;
    let whole = read(raise(), body, body.len().max(1));
    assert_eq!(whole, read(raise(), body, size), "chunks of {size} make a difference");

    let ends = |event: &Event| matches!(event, Event::FinishStep { .. } | Event::Error { .. });
    assert_eq!(whole.iter().filter(|event| ends(event)).count(), 1, "one end");
    assert!(whole.last().is_some_and(ends), "the end is last");
    for (at, event) in whole.iter().enumerate() {
        let Event::ToolCall { tool_call_id, .. } = event else { continue };
        let ended = |event: &Event| matches!(event, Event::ToolInputEnd { id } if id == tool_call_id);
        assert!(whole[..at].iter().any(ended), "a call whose arguments did not end");
    }
}

fn read(raise: Box<dyn Raise>, body: &[u8], size: usize) -> Vec<Event> {
    let (mut reader, mut events) = (Reader::new(raise), Vec::new());
    body.chunks(size).for_each(|chunk| reader.push(chunk, &mut events));
    reader.end(&mut events);
    events
}
