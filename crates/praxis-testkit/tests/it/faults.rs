//! Everything that can go wrong goes wrong as it was told to.

use praxis_testkit::{Client, Format, ModelServer, Reply};
use serde_json::json;

async fn fails(fault: &str) -> Option<Reply> {
    let server = ModelServer::play(&format!("- {{ say: Hello, fail: {fault} }}")).await;
    Client::connect(server.address()).await.post(&Format::Anthropic.path("m"), &json!({})).await
}

#[tokio::test]
async fn an_answer_is_cut_at_the_byte() {
    let whole = {
        let server = ModelServer::play("- Hello").await;
        Client::connect(server.address())
            .await
            .post(&Format::Anthropic.path("m"), &json!({}))
            .await
            .unwrap()
            .text()
    };
    for after in [0, 1, 100, whole.len() - 1, whole.len()] {
        let reply = fails(&format!("{{ cut_after_bytes: {after} }}")).await.unwrap();
        assert_eq!((reply.text().as_str(), reply.is_whole), (&whole[..after], false), "after {after}");
    }
}

#[tokio::test]
async fn headers_say_when_to_try_again() {
    let reply = fails("{ status: 429, retry_after_seconds: 3, headers: { x-limit: 0 } }").await.unwrap();
    assert_eq!(
        (reply.status, reply.header("retry-after"), reply.header("x-limit")),
        (429, Some("3"), Some("0"))
    );
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let reply = fails("{ status: 529, retry_after_ms: 1500 }").await.unwrap();
    assert_eq!((reply.status, reply.header("retry-after-ms")), (529, Some("1500")));
    let reply = fails("{ status: 503, retry_after_date: 60, body: busy }").await.unwrap();
    assert!(reply.header("retry-after").unwrap().ends_with(" GMT"));
    assert_eq!(reply.text(), "busy");
}

#[tokio::test]
async fn answers_that_are_none() {
    let reply = fails("html").await.unwrap();
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(reply.text().starts_with("<!doctype html>"));

    let reply = fails("{ content_type: application/octet-stream }").await.unwrap();
    assert_eq!(reply.header("content-type"), Some("application/octet-stream"));
    assert!(reply.text().contains("Hello"));

    let reply = fails("{ garbage_after_bytes: 7 }").await.unwrap();
    assert!(reply.is_whole && reply.text().starts_with("event: \0") && reply.text().contains('\u{fffd}'));

    assert_eq!(fails("close").await, None);
    assert_eq!(fails("tls").await, None);
}

#[tokio::test]
async fn a_body_drips() {
    let server = ModelServer::play("- { say: é, drip_bytes: 1 }").await;
    let mut client = Client::connect(server.address()).await;
    let reply = client.post(&Format::Gemini.path("m"), &json!({})).await.unwrap();
    assert!(reply.chunks.iter().all(|chunk| chunk.len() == 1), "{:?}", reply.chunks);
    assert!(reply.text().contains("\"text\":\"é\""));
}

#[tokio::test]
async fn an_answer_stalls_until_the_client_goes() {
    let server = ModelServer::play("- { say: Hello, fail: { stall_after_bytes: 5 } }").await;
    let mut client = Client::connect(server.address()).await;
    client.send(&Format::Chat.path("m"), &json!({})).await;
    client.head().await.unwrap();
    assert_eq!(client.chunk().await.unwrap(), b"data:");
    drop(client);
    server.until_gone(1).await;
}

#[tokio::test]
#[should_panic(expected = "the last user text should contain \"bye\"")]
async fn a_mismatch_fails_the_test_even_if_the_program_hid_it() {
    let server = ModelServer::play("- { expect: { user: bye }, say: Bye }").await;
    Client::connect(server.address()).await.post(&Format::Chat.path("m"), &json!({})).await;
    server.finish();
}

#[tokio::test]
#[should_panic(expected = "turns of the script were not played")]
async fn turns_that_were_not_played_fail_the_test() {
    ModelServer::play("[one]").await.finish();
}
