//! Messages and parts: whole again when read, big texts apart, appended text in time.

use praxis_proto::{MessageId, PartBody, PartId, Report, ToolState};
use praxis_store::{Cut, Detail, Field, Store, StoreError};
use serde_json::json;

use crate::lab::{Lab, NOW, answer, call, growing, part, step, text, user};

#[tokio::test]
async fn what_was_put_is_read_again_and_replaced_where_it_stands() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    let first = user(&id, "msg_2", NOW);
    let second = answer(&id, "msg_1", Some(NOW));
    for message in [&first, &second] {
        lab.store.put_message(&lease, message.clone()).await.unwrap();
    }
    let mut calling = call();
    calling.arguments("{\"a\":");
    let bodies = [
        text("hello"),
        PartBody::Tool(calling),
        step(0.5, 1),
        PartBody::Other(serde_json::from_value(json!({ "type": "hologram", "x": 1 })).unwrap()),
    ];
    let parts: Vec<_> = bodies
        .into_iter()
        .zip(["prt_4", "prt_3", "prt_2", "prt_1"])
        .map(|(body, n)| part(&id, "msg_1", n, body))
        .collect();
    for one in &parts {
        lab.store.put_part(&lease, one.clone()).await.unwrap();
    }
    lab.store.put_message(&lease, first.clone()).await.unwrap();
    lab.store.put_part(&lease, parts[0].clone()).await.unwrap();
    let history = lab.history(&id).await;
    assert_eq!(history.iter().map(|one| &one.info).collect::<Vec<_>>(), [&first, &second]);
    assert_eq!(history[1].parts, parts);
    assert_eq!(lab.store.message(&id, second.id()).await.unwrap(), history[1]);
    let missing = lab.store.message(&id, &MessageId::from_raw("msg_9")).await;
    assert!(matches!(missing, Err(StoreError::NoMessage { .. })));
}

#[tokio::test]
async fn pages_go_from_the_newest_to_the_oldest() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    for n in 0..7 {
        lab.store.put_message(&lease, user(&id, &format!("msg_{n}"), NOW)).await.unwrap();
        lab.store
            .put_part(&lease, part(&id, &format!("msg_{n}"), &format!("prt_{n}"), text("x")))
            .await
            .unwrap();
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = lab.store.history(&id, Cut { before, limit: 3, ..Cut::default() }).await.unwrap();
        assert!(page.messages.iter().all(|one| one.parts.len() == 1));
        seen.push(page.messages.iter().map(|one| one.info.id().to_string()).collect::<Vec<_>>().join(" "));
        before = page.messages.first().map(|one| one.info.id().clone());
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, ["msg_4 msg_5 msg_6", "msg_1 msg_2 msg_3", "msg_0"]);
}

#[tokio::test]
async fn big_texts_are_kept_once_and_a_light_page_leaves_them_out() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    // Over a piece's end, with characters of more than one byte.
    let big = "é".repeat(600_000) + "end";
    let mut done = call();
    done.start(json!({ "command": big }), NOW);
    done.complete(Report::new("t", big.clone()).with("diff", big.clone()), Vec::new(), NOW);
    let whole = part(&id, "msg_1", "prt_1", PartBody::Tool(done));
    lab.store.put_part(&lease, whole.clone()).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", text(&big))).await.unwrap();
    assert_eq!(lab.history(&id).await[0].parts[0], whole);

    let light = lab.store.history(&id, Cut { detail: Detail::Light, ..Cut::default() }).await.unwrap();
    let places: Vec<String> =
        light.left_out.iter().map(|one| format!("{} {}", one.owner, one.pointer)).collect();
    assert_eq!(
        places,
        ["prt_1 /state/input/command", "prt_1 /state/output", "prt_1 /state/metadata/diff", "prt_2 /text"]
    );
    assert_eq!(lab.store.text(&light.left_out[1]).await.unwrap(), big);
    let PartBody::Text(empty) = &light.messages[0].parts[1].body else { panic!() };
    assert_eq!(empty.text, "");

    let blobs = || -> i64 {
        let file = rusqlite::Connection::open(lab.path()).unwrap();
        file.query_row("SELECT count(*) FROM blob", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(blobs(), 1);
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", text("small"))).await.unwrap();
    assert_eq!(blobs(), 1);
    lab.store.remove_part(&lease, &PartId::from_raw("prt_1")).await.unwrap();
    assert_eq!(blobs(), 0);
}

#[tokio::test]
async fn appended_text_is_read_at_once_and_superseded_by_the_whole_part() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", growing("a"))).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", PartBody::Tool(call()))).await.unwrap();
    let (words, arguments) = (PartId::from_raw("prt_1"), PartId::from_raw("prt_2"));
    for piece in ["b", "ç", "d"] {
        lab.store.append(&lease, &words, Field::Text, piece).await.unwrap();
        lab.store.append(&lease, &arguments, Field::Arguments, piece).await.unwrap();
    }
    let parts = lab.history(&id).await.remove(0).parts;
    assert_eq!(parts[0].body, growing("abçd"));
    let PartBody::Tool(pending) = &parts[1].body else { panic!() };
    let ToolState::Pending(pending) = pending.state() else { panic!() };
    assert_eq!(pending.raw, "bçd");

    lab.store.put_part(&lease, part(&id, "msg_1", "prt_3", text("no times"))).await.unwrap();
    lab.store.append(&lease, &PartId::from_raw("prt_3"), Field::Text, " but growing").await.unwrap();
    lab.store.append(&lease, &PartId::from_raw("prt_9"), Field::Text, "to nothing").await.unwrap();
    assert_eq!(lab.history(&id).await[0].parts[2].body, text("no times but growing"));

    // Still open, and whole: what was appended before is in it already.
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", growing("abçde"))).await.unwrap();
    assert_eq!(lab.history(&id).await[0].parts[0].body, growing("abçde"));

    lab.store.append(&lease, &words, Field::Text, "late").await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", text("done"))).await.unwrap();
    assert_eq!(lab.history(&id).await[0].parts[0].body, text("done"));
}

#[tokio::test]
async fn text_that_grows_is_stored_in_time_without_being_asked_for() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", growing(""))).await.unwrap();
    let words = PartId::from_raw("prt_1");
    let stored = || -> (i64, i64) {
        let file = rusqlite::Connection::open(lab.path()).unwrap();
        file.query_row("SELECT count(*), coalesce(sum(length(body)), 0) FROM delta", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap()
    };
    for _ in 0..200 {
        lab.store.append(&lease, &words, Field::Text, "twelve bytes").await.unwrap();
    }
    assert!(stored().0 <= 1, "small pieces wait to be stored together");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while stored().1 < 2_400 && std::time::Instant::now() < deadline {
        std::thread::yield_now();
    }
    let (rows, bytes) = stored();
    assert!(bytes == 2_400 && rows <= 10, "{rows} rows, {bytes} bytes");
    lab.store.append(&lease, &words, Field::Text, &"x".repeat(4 * 1_024)).await.unwrap();
    assert_eq!(stored().1, 2_400 + 4 * 1_024);
}

#[tokio::test]
async fn a_settled_call_cannot_be_opened_again() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    let mut running = call();
    running.start(json!({}), NOW);
    let mut failed = running.clone();
    failed.fail("no", NOW);
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", PartBody::Tool(failed.clone()))).await.unwrap();
    let again = lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", PartBody::Tool(running))).await;
    assert!(matches!(again, Err(StoreError::Settled(_))), "{again:?}");
    assert_eq!(lab.history(&id).await[0].parts[0].body, PartBody::Tool(failed));
}

#[tokio::test]
async fn one_piece_of_work_that_fails_takes_no_other_along() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    let good =
        (0..50).map(|n| lab.store.put_part(&lease, part(&id, "msg_1", &format!("prt_{n:02}"), text("x"))));
    let bad =
        (0..50).map(|n| lab.store.put_part(&lease, part(&id, "msg_9", &format!("prt_x{n}"), text("x"))));
    let mut results = Vec::new();
    for (good, bad) in good.zip(bad) {
        results.push(tokio::join!(good, bad));
    }
    assert!(
        results.iter().all(|(good, bad)| good.is_ok() && matches!(bad, Err(StoreError::NoMessage { .. })))
    );
    assert_eq!(lab.history(&id).await[0].parts.len(), 50);
}

#[tokio::test]
async fn a_lease_is_for_one_session_only() {
    let lab = Lab::new();
    let (_, lease) = lab.session().await;
    let (other, _held) = lab.session().await;
    let wrong = lab.store.put_message(&lease, user(&other, "msg_1", NOW)).await;
    assert!(matches!(wrong, Err(StoreError::Invalid(_))));
}

/// With `PRAXIS_STORE_BYTES=1000000000` it is a gigabyte, which takes four of memory and of disk.
#[tokio::test]
async fn a_huge_report_is_stored_and_others_are_not_kept_waiting() {
    let size = std::env::var("PRAXIS_STORE_BYTES").map_or(50_000_000, |bytes| bytes.parse().unwrap());
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
    let mut done = call();
    done.start(json!({}), NOW);
    done.complete(Report::new("t", "x".repeat(size)), Vec::new(), NOW);
    let big = lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", PartBody::Tool(done)));
    let small = async {
        let mut slowest = std::time::Duration::ZERO;
        for n in 0..50 {
            let begun = std::time::Instant::now();
            lab.store.put_part(&lease, part(&id, "msg_1", &format!("prt_s{n}"), text("x"))).await.unwrap();
            slowest = slowest.max(begun.elapsed());
            tokio::task::yield_now().await;
        }
        slowest
    };
    let (stored, slowest) = tokio::join!(big, small);
    stored.unwrap();
    crate::lab::say(&format!("slowest of the others: {slowest:?}"));
    let light = lab.store.history(&id, Cut { detail: Detail::Light, ..Cut::default() }).await.unwrap();
    assert_eq!(light.left_out[0].bytes, size as u64);
    assert_eq!(lab.store.text(&light.left_out[0]).await.unwrap().len(), size);
}
