//! The built-in tools, on real files.

use praxis_proto::{Action, Event};
use praxis_tools::ToolError;
use praxis_tools::builtin::SearchService;
use praxis_tools::registry::Switches;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::lab::Lab;

#[tokio::test]
async fn read_shows_numbered_lines_and_asks_for_the_relative_path() {
    let lab = Lab::open().start();
    lab.file("src/a.txt", "one\ntwo\n");
    let report = lab.call("read", json!({ "filePath": "src/a.txt" })).await.outcome.unwrap();
    let path = lab.path("src/a.txt");
    assert_eq!(report.title, "src/a.txt");
    assert_eq!(
        report.output,
        format!(
            "<path>{path}</path>\n<type>file</type>\n<content>\n1: one\n2: two\n\n(End of file - total 2 lines)\n</content>"
        )
    );
    assert_eq!(
        serde_json::Value::Object(report.metadata),
        json!({
            "preview": "one\ntwo",
            "truncated": false,
            "loaded": [],
            "display": {
                "type": "file", "path": path, "text": "one\ntwo",
                "lineStart": 1, "lineEnd": 2, "totalLines": 2, "truncated": false,
            },
        })
    );
    lab.output("read", json!({ "filePath": path })).await;
    assert_eq!(lab.asked(), ["read: src/a.txt", "read: src/a.txt"]);
}

#[tokio::test]
async fn read_pages() {
    let lab = Lab::open().start();
    let text: String = (1..=100).map(|n| format!("line{n}\n")).collect();
    lab.file("a.txt", text);
    let page = lab.output("read", json!({ "filePath": "a.txt", "limit": 10 })).await;
    assert!(page.contains("Showing lines 1-10 of 100") && page.contains("Use offset=11"), "{page}");
    let page = lab.output("read", json!({ "filePath": "a.txt", "offset": "10", "limit": 5 })).await;
    assert!(
        page.contains("10: line10\n") && page.contains("14: line14\n") && !page.contains("15: "),
        "{page}"
    );
    let told = lab.error("read", json!({ "filePath": "a.txt", "offset": 101 })).await;
    assert_eq!(told, "Offset 101 is out of range for this file (100 lines)");
    assert!(lab.error("read", json!({ "filePath": "a.txt", "offset": -1 })).await.contains("[\"offset\"]"));
}

#[tokio::test]
async fn read_refuses_what_it_cannot_show() {
    let lab = Lab::open().start();
    lab.file("nul.txt", "a\0b");
    lab.file("module.wasm", "plain text");
    lab.file("empty", "");
    for name in ["nul.txt", "module.wasm"] {
        let told = lab.error("read", json!({ "filePath": name })).await;
        assert_eq!(told, format!("Cannot read binary file: {}", lab.path(name)));
    }
    assert!(
        lab.output("read", json!({ "filePath": "empty" })).await.contains("(End of file - total 0 lines)")
    );
    assert!(lab.error("read", json!({ "filePath": "empty", "offset": 2 })).await.contains("out of range"));
    assert!(lab.error("read", json!({ "filePath": "" })).await.contains("filePath is required"));
    assert!(lab.error("read", json!({ "filePath": "a\0b" })).await.contains("could not open"));
    assert!(
        lab.error("read", json!({ "filePath": "/dev/zero" }))
            .await
            .contains("not a regular file but a device")
    );
}

#[tokio::test]
async fn read_of_a_missing_file_asks_first_and_then_suggests() {
    let lab = Lab::open().start();
    lab.file("Config.toml", "");
    let told = lab.error("read", json!({ "filePath": "config" })).await;
    assert_eq!(
        told,
        format!(
            "File not found: {}\n\nDid you mean one of these?\n{}",
            lab.path("config"),
            lab.path("Config.toml")
        )
    );
    assert_eq!(lab.asked(), ["read: config"]);
    let denied = Lab::open().rule("read", "hidden/*", Action::Deny).start();
    denied.file("hidden/secret.txt", "");
    assert!(!denied.error("read", json!({ "filePath": "hidden/secret" })).await.contains("secret.txt"));
}

#[tokio::test]
async fn read_outside_asks_for_the_real_folder_first_also_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let real = outside.path().canonicalize().unwrap();
    std::fs::write(real.join("note.txt"), "far away").unwrap();
    let lab = Lab::open().start();
    std::os::unix::fs::symlink(&real, lab.project.path().join("link")).unwrap();
    lab.output("read", json!({ "filePath": "link/note.txt" })).await;
    let file = real.join("note.txt").display().to_string();
    assert_eq!(lab.asked(), [format!("external_directory: {}/*", real.display()), format!("read: {file}")]);

    let closed = Lab::open().rule("external_directory", "*", Action::Deny).start();
    closed.error("read", json!({ "filePath": "../outside.txt" })).await;
    assert_eq!(closed.asked().len(), 1, "a denied folder is not read");
}

#[tokio::test]
async fn todos_are_replaced_published_and_read_back() {
    let lab = Lab::open().switches(Switches { todoread: true, ..Switches::default() }).start();
    let mut listener = lab.bus.subscribe();
    let todos = json!([
        { "content": "a", "status": "completed", "priority": "high", "id": "dropped" },
        { "content": "b", "status": "pending", "priority": "low" },
    ]);
    let report = lab.call("todowrite", json!({ "todos": todos })).await.outcome.unwrap();
    assert_eq!(report.title, "1 todos");
    let kept = json!([
        { "content": "a", "status": "completed", "priority": "high" },
        { "content": "b", "status": "pending", "priority": "low" },
    ]);
    assert_eq!(report.output, serde_json::to_string_pretty(&kept).unwrap());
    assert_eq!(report.metadata["todos"], kept);
    assert!(matches!(listener.try_recv(), Ok(Event::TodoUpdated { todos, .. }) if todos.len() == 2));
    assert_eq!(lab.output("todoread", json!({})).await, report.output);
    assert_eq!(lab.call("todowrite", json!({ "todos": [] })).await.outcome.unwrap().output, "[]");
    assert_eq!(lab.output("todoread", json!({})).await, "[]");
    assert_eq!(lab.asked()[..2], ["todowrite: *", "todoread: *"]);
}

#[tokio::test]
async fn a_rejected_todo_list_leaves_the_old_one() {
    let switches = Switches { todoread: true, ..Switches::default() };
    let lab = Lab::open().rule("todowrite", "*", Action::Ask).switches(switches).unattended().start();
    assert!(lab.call("todowrite", json!({ "todos": [] })).await.outcome.is_err());
    assert_eq!(lab.output("todoread", json!({})).await, "[]");
}

fn question() -> serde_json::Value {
    json!({ "questions": [
        { "question": "Which way?", "header": "Way", "options": [{ "label": "Left", "description": "l" }], "custom": true },
        { "question": "And then?", "header": "Then", "options": [], "multiple": true },
    ] })
}

#[tokio::test]
async fn a_question_waits_for_its_answers() {
    let lab = Lab::open().start();
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("question", question()), async {
        let Event::QuestionAsked(request) = listener.recv().await.unwrap() else { panic!() };
        assert!(request.id.starts_with("que_"));
        assert_eq!(lab.questions.pending().len(), 1);
        assert!(lab.questions.reply(&request.id, vec![vec!["Left".into(), "Up".into()]]));
        assert!(!lab.questions.reply(&request.id, vec![]));
    });
    let report = done.outcome.unwrap();
    assert_eq!(report.title, "Asked 2 questions");
    assert_eq!(
        report.output,
        "The user answered: \"Which way?\"=\"Left, Up\", \"And then?\"=\"Unanswered\". Go on with these answers in mind."
    );
    assert_eq!(report.metadata["answers"], json!([["Left", "Up"]]));
    assert!(lab.asked().is_empty(), "a question needs no leave to be asked");
}

#[tokio::test]
async fn a_dismissed_question_stops_the_run() {
    let lab = Lab::open().start();
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("question", question()), async {
        let Event::QuestionAsked(request) = listener.recv().await.unwrap() else { panic!() };
        assert!(lab.questions.reject(&request.id));
        assert!(matches!(listener.recv().await, Ok(Event::QuestionRejected { .. })));
    });
    let error = done.outcome.unwrap_err();
    assert_eq!(error.to_string(), "The user dismissed this question");
    assert!(error.stops_the_run());
    assert!(lab.error("question", json!({ "questions": [] })).await.contains("between 1 and 20"));
}

fn batching() -> Lab {
    let lab = Lab::open().switches(Switches { batch: true, ..Switches::default() }).start();
    lab.file("a.txt", "content of a");
    lab
}

#[tokio::test]
async fn a_batch_runs_its_calls_and_reports_each() {
    let lab = batching();
    let report = lab
        .call(
            "batch",
            json!({ "tool_calls": [
                { "tool": "read", "parameters": { "filePath": "a.txt" } },
                { "tool": "read", "parameters": { "filePath": "none.txt" } },
                { "tool": "batch", "parameters": { "tool_calls": [] } },
                { "tool": "nonsense", "parameters": {} },
                { "tool": "read", "parameters": { "filePath": 5 } },
            ] }),
        )
        .await
        .outcome
        .unwrap();
    assert_eq!(report.title, "1 of 5 calls succeeded");
    for token in [
        "[1] read: completed\n<path>",
        "1: content of a",
        "[2] read: error\nFile not found",
        "[3] batch: error\nA batch cannot hold a batch",
        "[4] nonsense: error\nUnknown tool: nonsense. Tools that can be batched: bash, edit, glob, grep, job, question, read, todowrite, write",
        "[5] read: error\nThe read tool was called with invalid arguments: Expected a string, got 5 at [\"filePath\"].",
    ] {
        assert!(report.output.contains(token), "{token}\n---\n{}", report.output);
    }
    assert_eq!(
        (&report.metadata["totalCalls"], &report.metadata["successful"], &report.metadata["failed"]),
        (&json!(5), &json!(1), &json!(4))
    );
    assert_eq!(report.metadata["details"][1], json!({ "tool": "read", "success": false }));
}

#[tokio::test]
async fn a_batch_runs_ten_calls_and_no_more() {
    let lab = batching();
    let calls: Vec<_> =
        (0..12).map(|_| json!({ "tool": "read", "parameters": { "filePath": "a.txt" } })).collect();
    let report = lab.call("batch", json!({ "tool_calls": calls })).await.outcome.unwrap();
    assert_eq!(report.title, "10 of 12 calls succeeded");
    assert!(report.output.contains("[11] read: error\nOnly 10 calls run in one batch"), "{}", report.output);
    assert_eq!(lab.asked().len(), 10);
    assert!(lab.error("batch", json!({ "tool_calls": [] })).await.contains("at least 1 items"));
}

#[tokio::test]
async fn calls_of_a_batch_run_side_by_side_and_each_asks_for_itself() {
    let lab = Lab::open()
        .rule("read", "*", Action::Ask)
        .switches(Switches { batch: true, ..Switches::default() })
        .start();
    lab.file("a.txt", "a");
    lab.file("b.txt", "b");
    let mut listener = lab.bus.subscribe();
    let calls = json!({ "tool_calls": [
        { "tool": "read", "parameters": { "filePath": "a.txt" } },
        { "tool": "read", "parameters": { "filePath": "b.txt" } },
    ] });
    let (done, ()) = tokio::join!(lab.call("batch", calls), async {
        let mut asked = 0;
        while asked < 2 {
            if let Ok(Event::PermissionAsked(request)) = listener.recv().await {
                assert!(request.tool.unwrap().call.as_str().starts_with("call_1/"));
                asked += 1;
            }
        }
        // Both wait at once, or this would never be reached; one "no" ends the batch and the run.
        let pending = lab.permissions.pending();
        assert_eq!(pending.len(), 2);
        lab.permissions.reply(&pending[0].id, praxis_proto::Reply::Reject(None)).unwrap();
    });
    assert!(matches!(done.outcome, Err(ToolError::Refused(_))));
}

/// A search service on loopback that answers once and tells what it was asked.
async fn search_service(status: &str, body: &str) -> (SearchService, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let reply =
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"}}}") {
            assert_ne!(socket.read_buf(&mut seen).await.unwrap(), 0);
        }
        socket.write_all(reply.as_bytes()).await.unwrap();
        String::from_utf8(seen).unwrap()
    });
    (SearchService::new(Some(url), Some("s3cret".into())), task)
}

fn searching(search: SearchService) -> Lab {
    Lab::open().switches(Switches { codesearch: true, ..Switches::default() }).search(search).start()
}

#[tokio::test]
async fn a_code_search_asks_for_its_query_and_shows_what_was_found() {
    let body =
        r#"data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fn main() {}"}]}}"#;
    let (search, service) = search_service("200 OK", body).await;
    let lab = searching(search);
    let report = lab.call("codesearch", json!({ "query": "rust main" })).await.outcome.unwrap();
    assert_eq!((report.title.as_str(), report.output.as_str()), ("Code search: rust main", "fn main() {}"));
    assert_eq!(lab.asked(), ["codesearch: rust main"]);
    let asked = service.await.unwrap();
    assert!(asked.contains("x-api-key: s3cret") && asked.contains(r#""tokensNum":5000"#), "{asked}");
}

#[tokio::test]
async fn a_code_search_that_fails_says_so_and_keeps_the_key() {
    let (search, _service) = search_service("503 Busy", "").await;
    assert_eq!(format!("{search:?}").find("s3cret"), None);
    let lab = searching(search);
    let told = lab.error("codesearch", json!({ "query": "x" })).await;
    assert_eq!(told, "The code search answered with status 503");
    let told = lab.error("codesearch", json!({ "query": "x", "tokensNum": 10 })).await;
    assert!(told.contains(r#"at least 1000, got 10 at ["tokensNum"]"#), "{told}");
}
