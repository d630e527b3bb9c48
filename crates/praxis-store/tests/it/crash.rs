//! `kill -9` at any moment, and several processes on one store.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use praxis_proto::{Mint, PartBody, PartId, Report, ToolState};
use praxis_store::{Cut, Field, Repair, SqliteStore, Store, StoreError};
use serde_json::json;

use crate::lab::{Lab, NOW, answer, call, clock, draft, growing, part, say, step};

/// Kills in the plain test run; `PRAXIS_STORE_KILLS` asks for more.
const KILLS: usize = 50;

fn child(name: &str, lab: &Lab, session: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env("PRAXIS_STORE_TEST", lab.path())
        .env("PRAXIS_STORE_SESSION", session)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the parent may rely on from now on; on a line of its own, whatever the test harness prints.
fn acknowledge(line: &str) {
    say(&format!("\nack {line}"));
}

#[test]
fn after_a_kill_at_any_moment_everything_acknowledged_is_there_and_nothing_is_open() {
    let kills =
        std::env::var("PRAXIS_STORE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lab = Lab::new();
    let id = runtime.block_on(lab.store.create(draft("/a"))).unwrap().id;
    let mut random = Mint::seeded(|| NOW, 7);
    let mut slowest = std::time::Duration::ZERO;
    for round in 0..kills {
        let mut victim = child("crash::victim", &lab, id.as_str());
        let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map_while(Result::ok);
        // Any number of acknowledgements may have been seen; the victim does not wait for us.
        let patience = pick(&mut random, 60);
        let mut seen: Vec<String> = Vec::new();
        for line in lines {
            if let Some(acknowledged) = line.strip_prefix("ack ") {
                seen.push(acknowledged.to_owned());
            }
            if seen.len() >= patience {
                break;
            }
        }
        victim.kill().unwrap();
        victim.wait().unwrap();

        let begun = std::time::Instant::now();
        let store = lab.again();
        let opened = runtime.block_on(store.open(&id)).unwrap();
        slowest = slowest.max(begun.elapsed());
        let page =
            runtime
                .block_on(store.history(
                    &id,
                    Cut { limit: usize::MAX, detail: praxis_store::Detail::Light, before: None },
                ))
                .unwrap();
        assert!(page.messages.iter().all(|one| !one.info.is_open()), "round {round}");
        let parts: std::collections::HashMap<String, &PartBody> = page
            .messages
            .iter()
            .flat_map(|one| &one.parts)
            .map(|part| (part.id.to_string(), &part.body))
            .collect();
        assert!(parts.values().all(|body| !body.is_open()), "round {round}");
        for line in &seen {
            let (part, what) = line.split_once(' ').unwrap();
            let body = parts.get(part).unwrap_or_else(|| panic!("round {round}: {line} is lost"));
            match (what, body) {
                ("completed", PartBody::Tool(call)) => {
                    assert!(matches!(call.state(), ToolState::Completed(_)))
                }
                ("running", PartBody::Tool(call)) => {
                    assert!(matches!(call.state(), ToolState::Completed(_) | ToolState::Error(_)));
                }
                ("step", PartBody::StepFinish(_)) => {}
                (flushed, PartBody::Text(said)) => {
                    let length: usize = flushed.parse().unwrap();
                    assert!(
                        said.text.len() >= length && said.text.bytes().all(|byte| byte == b'x'),
                        "{}",
                        said.text.len()
                    );
                }
                other => panic!("round {round}: {other:?}"),
            }
        }
        drop(opened);
    }
    assert_eq!(runtime.block_on(lab.store.examine(Repair::No)).unwrap(), []);
    say(&format!("slowest start after a kill: {slowest:?}"));
}

fn pick(random: &mut Mint, most: usize) -> usize {
    random.part().as_str().bytes().rev().take(5).fold(0_usize, |sum, byte| sum * 31 + usize::from(byte))
        % most
}

#[tokio::test]
async fn victim() {
    let Some(path) = std::env::var_os("PRAXIS_STORE_TEST") else { return };
    let store = SqliteStore::open(path.as_ref(), Arc::new(|| NOW)).unwrap();
    let id = store.find(&std::env::var("PRAXIS_STORE_SESSION").unwrap()).await.unwrap();
    let opened = store.open(&id).await.unwrap();
    let mint = Mint::new(|| NOW);
    opened.newest.iter().for_each(|newest| mint.stay_behind(newest));
    let lease = &opened.lease;
    loop {
        let message = mint.message();
        store.put_message(lease, answer(&id, message.as_str(), None)).await.unwrap();
        let said = mint.part();
        store.put_part(lease, part(&id, message.as_str(), said.as_str(), growing(""))).await.unwrap();
        for n in 1..=4 {
            store.append(lease, &said, Field::Text, &"x".repeat(1_000)).await.unwrap();
            if n % 2 == 0 {
                store.flush().await.unwrap();
                acknowledge(&format!("{said} {}", n * 1_000));
            }
        }
        let calling = mint.part();
        let mut running = call();
        store
            .put_part(lease, part(&id, message.as_str(), calling.as_str(), PartBody::Tool(running.clone())))
            .await
            .unwrap();
        running.start(json!({ "command": "ls" }), NOW);
        store
            .put_part(lease, part(&id, message.as_str(), calling.as_str(), PartBody::Tool(running.clone())))
            .await
            .unwrap();
        acknowledge(&format!("{calling} running"));
        running.complete(Report::new("ls", "y".repeat(40_000)), Vec::new(), NOW);
        store
            .put_part(lease, part(&id, message.as_str(), calling.as_str(), PartBody::Tool(running)))
            .await
            .unwrap();
        acknowledge(&format!("{calling} completed"));
        let done = mint.part();
        store.put_part(lease, part(&id, message.as_str(), done.as_str(), step(0.001, 1))).await.unwrap();
        acknowledge(&format!("{done} step"));
        store.put_message(lease, answer(&id, message.as_str(), Some(NOW))).await.unwrap();
    }
}

#[test]
fn several_processes_write_at_once_and_each_session_has_one_writer() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let lab = Lab::new();
    let shared = runtime.block_on(lab.store.create(draft("/a"))).unwrap().id;
    let held = runtime.block_on(lab.store.open(&shared)).unwrap();
    let children: Vec<Child> = (0..4).map(|_| child("crash::writer", &lab, shared.as_str())).collect();
    for mut one in children {
        assert!(one.wait().unwrap().success());
    }
    drop(held);
    let sessions = runtime.block_on(lab.store.list(praxis_store::Filter::default())).unwrap();
    assert_eq!(sessions.len(), 5);
    for session in sessions.iter().filter(|session| session.id != shared) {
        assert_eq!((session.cost, session.tokens.input), (0.5, 50), "{}", session.id);
    }
    assert_eq!(runtime.block_on(lab.store.examine(Repair::No)).unwrap(), []);
}

#[tokio::test]
async fn writer() {
    let Some(path) = std::env::var_os("PRAXIS_STORE_TEST") else { return };
    let store = SqliteStore::open(path.as_ref(), Arc::new(|| NOW)).unwrap();
    let shared = store.find(&std::env::var("PRAXIS_STORE_SESSION").unwrap()).await.unwrap();
    assert!(matches!(store.open(&shared).await, Err(StoreError::InUse { process: Some(_), .. })));
    assert_eq!(store.session(&shared).await.unwrap().id, shared, "reading is always possible");
    let id = store.create(draft("/a")).await.unwrap().id;
    let opened = store.open(&id).await.unwrap();
    store.put_message(&opened.lease, answer(&id, "msg_1", Some(NOW))).await.unwrap();
    for n in 0..50 {
        store
            .put_part(&opened.lease, part(&id, "msg_1", &format!("prt_{n:02}"), step(0.01, 1)))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_text_of_a_crashed_answer_is_kept_and_its_arguments_too() {
    let lab = Lab::new();
    let (id, lease) = lab.session().await;
    lab.store.put_message(&lease, answer(&id, "msg_1", None)).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_1", growing("begun"))).await.unwrap();
    lab.store.put_part(&lease, part(&id, "msg_1", "prt_2", PartBody::Tool(call()))).await.unwrap();
    lab.store.append(&lease, &PartId::from_raw("prt_1"), Field::Text, " and more").await.unwrap();
    lab.store.append(&lease, &PartId::from_raw("prt_2"), Field::Arguments, "{\"com").await.unwrap();
    lab.store.flush().await.unwrap();
    let (path, time, folder) = (lab.path(), lab.time, lab.folder);
    drop((lease, lab.store));

    let store = SqliteStore::open(&path, clock(&time)).unwrap();
    let opened = store.open(&id).await.unwrap();
    let ids = |ids: &[PartId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (ids(&opened.recovered.texts), ids(&opened.recovered.calls)),
        (vec!["prt_1".into()], vec!["prt_2".into()])
    );
    assert_eq!(opened.recovered.messages.len(), 1);
    let message = store.history(&id, Cut::default()).await.unwrap().messages.remove(0);
    assert_eq!(
        serde_json::to_value(&message).unwrap().pointer("/info/error").unwrap(),
        &json!({ "name": "MessageAbortedError", "data": { "message": "the program ended before the answer did" } })
    );
    assert_eq!(
        serde_json::to_value(&message.parts).unwrap(),
        json!([
            { "id": "prt_1", "sessionID": id, "messageID": "msg_1", "type": "text", "text": "begun and more", "time": { "start": NOW, "end": NOW } },
            { "id": "prt_2", "sessionID": id, "messageID": "msg_1", "type": "tool", "callID": "call_1", "tool": "bash",
              "state": { "status": "error", "input": {}, "error": "the program ended before this call did; whether it took effect is not known",
                "metadata": { "interrupted": true, "raw": "{\"com" }, "time": { "start": NOW, "end": NOW } } },
        ])
    );
    drop(opened);
    assert!(store.open(&id).await.unwrap().recovered.is_empty());
    let found = store.search("begun more", 5).await.unwrap();
    assert_eq!(found[0].part, Some(PartId::from_raw("prt_1")));
    drop(folder);
}
