//! Prompts that wait until what is under way has ended. Each is stored from the beginning, marked as waiting, and has a
//! run of its own when its turn comes; so a crash loses none, and nobody is answered out of turn.

use std::sync::Arc;

use praxis_proto::MessageId;

use crate::engine::Inner;
use crate::outcome::{Ended, Limits};
use crate::record::Record;
use crate::run::Run;
use crate::runner::{Door, Held, Next, Queued};

/// Begins the run of the prompt that waits longest, and says whether there was one. Cancelled work takes all that wait
/// with it: what they say stays in the conversation, for the next prompt to come back to.
pub(crate) async fn follow(
    engine: &Arc<Inner>,
    held: &Held,
    door: &mut Door,
    record: &Record,
    ended: &Ended,
) -> bool {
    while let Some(Queued { message, next }) = door.queue.pop_front() {
        match record.promote(&message).await {
            Err(error) => drop(next.sender.send_replace(Some(Err(error.into())))),
            Ok(_) if *ended == Ended::Cancelled => next.cancel(),
            Ok(_) => {
                Run::start(engine, held, door, record.clone(), next);
                return true;
            }
        }
    }
    false
}

/// Takes up prompts that a crash left waiting; whoever sent them is gone.
pub(crate) fn recall(door: &mut Door, stored: &[MessageId], limits: Limits) {
    let known = |message: &MessageId| door.queue.iter().any(|queued| queued.message == *message);
    let left: Vec<MessageId> = stored.iter().filter(|message| !known(message)).cloned().collect();
    for message in left.into_iter().rev() {
        door.queue.push_front(Queued { message, next: Next::new(limits) });
    }
}
