//! What the doctor finds, and what is right afterwards.

use praxis_proto::{PartBody, ToolState};
use praxis_store::{Filter, Repair, SqliteStore, Store, StoreError};
use serde_json::json;

use crate::lab::{Lab, NOW, answer, call, clock, part, step, text, user};

#[tokio::test]
async fn a_sound_store_has_nothing_to_tell() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", text(&"big ".repeat(9_000)))).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", step(0.1, 1))).await.unwrap();
    // The open message belongs to a run that is alive: the lease says so.
    assert_eq!(lab.store.examine(Repair::No).await.unwrap(), []);
}

#[tokio::test]
async fn every_kind_of_wrong_is_found_told_and_put_right() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    let mut running = call();
    running.start(json!({}), NOW);
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", PartBody::Tool(running))).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", text(&"big ".repeat(9_000)))).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_3", step(0.1, 1))).await.unwrap();
    drop(lease);
    lab.sql(
        "PRAGMA foreign_keys = OFF;
         DELETE FROM blob_piece;
         UPDATE session SET cost = 7;
         DELETE FROM words;
         INSERT INTO blob VALUES ('aa', 1); INSERT INTO blob_piece VALUES ('bb', 0, x'00');
         INSERT INTO todo VALUES ('ses_gone', 0, 'c', 's', 'p');",
    );
    let kinds = |findings: &[praxis_store::Finding]| -> Vec<String> {
        findings
            .iter()
            .map(|finding| format!("{}{}", finding.kind, if finding.repaired { "!" } else { "" }))
            .collect()
    };
    let seen = lab.store.examine(Repair::No).await.unwrap();
    assert_eq!(
        kinds(&seen),
        ["orphan", "dangling", "missing-text", "unused-text", "unused-text", "totals", "unsearchable"]
    );
    let fixed = lab.store.examine(Repair::Yes).await.unwrap();
    assert_eq!(
        kinds(&fixed),
        ["orphan!", "dangling!", "missing-text!", "unused-text!", "unused-text!", "totals!", "unsearchable!"]
    );
    assert_eq!(lab.store.examine(Repair::No).await.unwrap(), []);

    let parts = lab.history(&id).await.remove(0).parts;
    let PartBody::Tool(call) = &parts[0].body else { panic!() };
    assert!(matches!(call.state(), ToolState::Error(_)));
    assert_eq!(parts[1].body, text("[36000 bytes were lost]"));
    assert_eq!(lab.store.session(&id).await.unwrap().cost, 0.1);
}

#[tokio::test]
async fn a_damaged_store_is_left_alone_until_it_is_rescued_and_then_kept_aside() {
    let lab = Lab::new();
    for n in 0..40 {
        let (id, lease) = lab.session().await;
        lab.store.put_message(&lease, user(&id, "msg_1", NOW)).await.unwrap();
        lab.store
            .put_part(&lease, part(&id, "msg_1", "prt_1", text(&format!("{n} ").repeat(2_000))))
            .await
            .unwrap();
    }
    let (path, time, folder) = (lab.path(), lab.time, lab.folder);
    drop(lab.store);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 16_384].fill(0xA5);
    std::fs::write(&path, &bytes).unwrap();

    assert!(matches!(SqliteStore::check_file(&path), Err(StoreError::Corrupt { .. })));
    let (findings, aside) = SqliteStore::rescue(&path, clock(&time)).await.unwrap();
    assert!(
        findings.iter().any(|finding| finding.repaired) && findings.iter().any(|finding| !finding.repaired)
    );
    assert_eq!(std::fs::read(&aside).unwrap(), bytes);
    let store = SqliteStore::open(&path, clock(&time)).unwrap();
    let saved = store.list(Filter::default()).await.unwrap().len();
    assert_eq!(saved, findings.iter().filter(|finding| finding.repaired).count());
    assert_eq!(store.examine(Repair::No).await.unwrap(), []);
    drop(folder);
}
