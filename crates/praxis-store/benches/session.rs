//! How long one step's writes take, and opening a long session. Budget: under 100 ms with 50,000 parts.

#![expect(clippy::unwrap_used, reason = "a benchmark may fail where it stands")]

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use divan::Bencher;
use praxis_proto::PartId;
use praxis_store::{Clock, Cut, Detail, Draft, Existing, Field, Lease, SqliteStore, Store, Transfer};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

fn clock() -> Clock {
    Arc::new(|| 1_790_000_000_000)
}

fn block<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}

/// A store with one session in it that is taken for writing.
struct Bench {
    _folder: tempfile::TempDir,
    store: SqliteStore,
    lease: Lease,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("praxis.db"), clock()).unwrap();
    let id = block(store.create(Draft { directory: "/w".into(), ..Draft::default() })).unwrap().id;
    let lease = block(store.open(&id)).unwrap().lease;
    block(store.put_message(&lease, serde_json::from_value(message(id.as_str(), "msg_1")).unwrap())).unwrap();
    Bench { _folder: folder, store, lease }
}

fn message(session: &str, id: &str) -> Value {
    json!({ "role": "assistant", "id": id, "sessionID": session, "time": { "created": 1, "completed": 2 },
        "parentID": "msg_0", "modelID": "m", "providerID": "p", "mode": "build", "agent": "build",
        "path": { "cwd": "/w", "root": "/" }, "cost": 0.0,
        "tokens": { "input": 1, "output": 1, "reasoning": 0, "cache": { "read": 0, "write": 0 } } })
}

fn call(session: &str, message: &str, id: &str, output: &str) -> Value {
    json!({ "id": id, "sessionID": session, "messageID": message, "type": "tool", "callID": id, "tool": "read",
        "state": { "status": "completed", "input": { "filePath": "/w/src/main.rs" }, "output": output,
            "title": "src/main.rs", "metadata": { "preview": "x", "truncated": false }, "time": { "start": 1, "end": 2 } } })
}

/// Message by message, one call at a time: what a step waits for.
#[divan::bench(args = [200, 10_000, 50_000])]
fn put_part(bencher: Bencher, bytes: usize) {
    let bench = bench();
    let session = bench.lease.session().to_string();
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            let output = number.to_string() + &"x".repeat(bytes);
            serde_json::from_value(call(&session, "msg_1", &format!("prt_{number:08}"), &output)).unwrap()
        })
        .bench_local_values(|part| block(bench.store.put_part(&bench.lease, part)).unwrap());
}

#[divan::bench]
fn append(bencher: Bencher) {
    let bench = bench();
    let part = json!({ "id": "prt_1", "sessionID": bench.lease.session(), "messageID": "msg_1", "type": "reasoning",
        "text": "", "time": { "start": 1 } });
    block(bench.store.put_part(&bench.lease, serde_json::from_value(part).unwrap())).unwrap();
    let id = PartId::from_raw("prt_1");
    bencher.bench_local(|| block(bench.store.append(&bench.lease, &id, Field::Text, "some words ")).unwrap());
}

/// 2,500 messages with 20 parts each.
static LONG: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("praxis.db");
    let session = "ses_long";
    let output = "fn main() {}\n".repeat(30);
    let one = |n: usize| {
        let id = format!("msg_{n:05}");
        let parts: Vec<Value> =
            (0..20).map(|part| call(session, &id, &format!("prt_{n:05}_{part:02}"), &output)).collect();
        json!({ "info": message(session, &id), "parts": parts })
    };
    let messages: Vec<Value> = (0..2_500).map(one).collect();
    let info =
        json!({ "id": session, "directory": "/w", "title": "long", "time": { "created": 1, "updated": 1 } });
    let transfer: Transfer = serde_json::from_value(json!({ "info": info, "messages": messages })).unwrap();
    let store = SqliteStore::open(&path, clock()).unwrap();
    block(store.import(transfer, Existing::Keep)).unwrap();
    drop(store);
    (folder, path)
});

/// From nothing to being able to answer: the file, the lease, the newest page.
#[divan::bench]
fn open_50000_parts(bencher: Bencher) {
    let path = &LONG.1;
    bencher.bench_local(|| {
        let store = SqliteStore::open(path, clock()).unwrap();
        let id = block(store.find("last")).unwrap();
        let opened = block(store.open(&id)).unwrap();
        let page = block(store.history(&id, Cut::default())).unwrap();
        assert!(page.more && opened.recovered.is_empty());
    });
}

/// The same, and every part of it read and decoded.
#[divan::bench]
fn open_and_read_50000_parts(bencher: Bencher) {
    let path = &LONG.1;
    bencher.bench_local(|| {
        let store = SqliteStore::open(path, clock()).unwrap();
        let id = block(store.find("last")).unwrap();
        let _opened = block(store.open(&id)).unwrap();
        let cut = Cut { before: None, limit: usize::MAX, detail: Detail::Light };
        let page = block(store.history(&id, cut)).unwrap();
        assert_eq!(page.messages.len(), 2_500);
    });
}
