//! Order is the order of saying, whatever clocks and ids say.

use std::sync::atomic::Ordering;

use praxis_proto::Mint;
use praxis_store::Store;
use proptest::prelude::*;

use crate::lab::{Lab, NOW, clock, part, text, user};

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each step may move the clock anywhere, and every few steps another process goes on with a mint of its own.
    #[test]
    fn history_keeps_the_order_of_saying_when_the_clock_goes_back(jumps in prop::collection::vec(-5_000_000_i64..5_000_000, 1..20)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        runtime.block_on(async {
            let lab = Lab::new();
            let (id, lease) = lab.session().await;
            drop(lease);
            let mut said = Vec::new();
            for chunk in jumps.chunks(3) {
                let mint = { let clock = clock(&lab.time); Mint::new(move || (clock)()) };
                let opened = lab.store.open(&id).await.unwrap();
                opened.newest.iter().for_each(|newest| mint.stay_behind(newest));
                for jump in chunk {
                    let now = NOW.saturating_add_signed(*jump);
                    lab.time.store(now, Ordering::SeqCst);
                    let message = mint.message();
                    lab.store.put_message(&opened.lease, user(&id, message.as_str(), now)).await.unwrap();
                    for _ in 0..2 {
                        let one = part(&id, message.as_str(), mint.part().as_str(), text("x"));
                        lab.store.put_part(&opened.lease, one).await.unwrap();
                    }
                    said.push(message);
                }
            }
            let history = lab.history(&id).await;
            let read: Vec<_> = history.iter().map(|one| one.info.id().clone()).collect();
            assert_eq!(read, said);
            assert!(read.is_sorted(), "clients sort by id");
            assert!(history.iter().all(|one| one.parts.is_sorted_by(|a, b| a.id < b.id)));
        });
    }
}

#[tokio::test]
async fn a_message_can_be_put_behind_those_that_came_after_it() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    for name in ["msg_1", "msg_2", "msg_3"] {
        lab.store.put_message(&lease, user(&id, name, 1)).await.unwrap();
        for number in 0..2 {
            let part = part(&id, name, &format!("prt_{name}_{number}"), text("x"));
            lab.store.put_part(&lease, part).await.unwrap();
        }
    }
    lab.store.put_message_last(&lease, user(&id, "msg_1", 9)).await.unwrap();
    lab.store.put_message_last(&lease, user(&id, "msg_1", 9)).await.unwrap();
    lab.store.put_message(&lease, user(&id, "msg_4", 10)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_late", text("y"))).await.unwrap();
    let history = lab.history(&id).await;
    let told: Vec<String> = history
        .iter()
        .map(|one| {
            let parts: Vec<&str> = one.parts.iter().map(|part| part.id.as_str()).collect();
            format!("{} at {}: {}", one.info.id(), one.info.created(), parts.join(" "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "msg_2 at 1: prt_msg_2_0 prt_msg_2_1",
            "msg_3 at 1: prt_msg_3_0 prt_msg_3_1",
            "msg_1 at 9: prt_msg_1_0 prt_msg_1_1 prt_late",
            "msg_4 at 10: ",
        ]
    );
    let missing = lab.store.put_message_last(&lease, user(&id, "msg_9", 1)).await;
    assert!(missing.is_err());
}
