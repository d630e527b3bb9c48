//! What can go wrong on the way to a model, and what is said about it.

use std::time::Duration;

use praxis_llm::failure::{Class, Failure, RetryAfter};
use praxis_llm::turn::Model;
use praxis_llm::{Secret, SecretError};
use praxis_os::HttpStreams;
use praxis_testkit::{Format, ModelServer};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::served::{KEY, ask, canned, failure, hello, http, model, request, resolved};

/// The failure that this answer makes.
async fn refused(status: u16, headers: &str, body: &str) -> Failure {
    let (address, server) = canned(http(status, headers, body)).await;
    let failure = failure(Format::Anthropic, &format!("http://{address}")).await;
    server.abort();
    failure
}

#[tokio::test]
async fn every_class_is_known_by_status_code_or_words() {
    for (status, body, class, retryable) in [
        (
            401,
            r#"{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            Class::Auth,
            false,
        ),
        (403, "", Class::Auth, false),
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#,
            Class::Auth,
            false,
        ),
        (402, "{}", Class::Quota, false),
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            Class::Quota,
            false,
        ),
        (400, r#"{"error":{"message":"Your credit balance is too low"}}"#, Class::Quota, false),
        (429, r#"{"error":{"message":"too many tokens per minute"}}"#, Class::Rate, true),
        (529, r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, Class::Overload, true),
        (500, "oops", Class::Overload, true),
        (504, "", Class::Timeout, true),
        (408, "", Class::Timeout, true),
        (413, "", Class::Overflow, false),
        (400, r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#, Class::Overflow, false),
        (400, r#"{"error":{"code":"context_length_exceeded","message":"no"}}"#, Class::Overflow, false),
        (500, r#"{"error":"the request exceeds the available context size"}"#, Class::Overflow, false),
        (400, r#"{"error":{"code":"content_filter","message":"no"}}"#, Class::ContentFilter, false),
        (400, r#"{"error":{"type":"invalid_request_error","message":"bad"}}"#, Class::BadRequest, false),
        (400, r#"{"detail":"Server error: overloaded"}"#, Class::BadRequest, true),
        (409, "{}", Class::BadRequest, true),
        (404, "[]", Class::BadRequest, false),
        (307, "", Class::BadRequest, false),
    ] {
        let failure = refused(status, "", body).await;
        assert_eq!((failure.class, failure.retryable), (class, retryable), "{status} {body}: {failure:?}");
        assert_eq!(failure.status, Some(status));
    }
}

#[tokio::test]
async fn the_provider_has_the_last_word_on_retries() {
    assert!(refused(400, "x-should-retry: true\r\n", "{}").await.retryable);
    assert!(!refused(500, "x-should-retry: false\r\n", "{}").await.retryable);
}

#[tokio::test]
async fn every_form_of_header_arrives() {
    let waits = |ms| Some(RetryAfter::In(Duration::from_millis(ms)));
    for (header, body, expected) in [
        ("retry-after-ms: 12.5", "", Some(RetryAfter::In(Duration::from_micros(12_500)))),
        ("retry-after: 3", "", waits(3_000)),
        ("Retry-After: 0.5", "", waits(500)),
        ("x-ratelimit-reset: 9", "", waits(9_000)),
        ("a: b", r#"{"error":{"details":[{"retryDelay":"2s"}]}}"#, waits(2_000)),
    ] {
        assert_eq!(refused(429, &format!("{header}\r\n"), body).await.retry_after, expected, "{header}");
    }
    let date = refused(429, "retry-after: Sun, 06 Nov 2044 08:49:37 GMT\r\n", "").await;
    assert!(matches!(date.retry_after, Some(RetryAfter::At(_))), "{date:?}");
}

#[tokio::test]
async fn a_failure_is_stored_as_clients_know_it() {
    let failure =
        refused(429, "retry-after: 3\r\nx-secret: s\r\n", r#"{"error":{"message":"slow down"}}"#).await;
    assert_eq!(
        failure.to_error_object(),
        json!({"name": "APIError", "data": {
            "message": "slow down", "statusCode": 429, "isRetryable": true,
            "responseHeaders": {"retry-after": "3"}, "responseBody": r#"{"error":{"message":"slow down"}}"#,
        }})
    );
    let failure = refused(413, "", "too big").await;
    assert_eq!(
        failure.to_error_object(),
        json!({"name": "ContextOverflowError", "data": {"message": "too big", "responseBody": "too big"}})
    );
    for (class, name) in [
        (Class::Auth, "ProviderAuthError"),
        (Class::Cancelled, "MessageAbortedError"),
        (Class::ContentFilter, "ContentFilterError"),
        (Class::Unknown, "UnknownError"),
        (Class::Timeout, "APIError"),
    ] {
        assert_eq!(Failure::new(class, "acme", "x").to_error_object()["name"], name);
    }
    assert_eq!(
        Failure::new(Class::Auth, "acme", "no key").to_error_object()["data"],
        json!({"providerID": "acme", "message": "no key"})
    );
}

#[tokio::test]
async fn web_pages_are_never_shown() {
    let page = "<!DOCTYPE html><html><script>evil()</script></html>";
    for (status, hint) in
        [(401, "log in to it again"), (403, "no permission"), (404, "baseURL"), (502, "trouble")]
    {
        let failure = refused(status, "content-type: text/html\r\n", page).await;
        assert!(failure.message.contains(hint), "{failure:?}");
        assert!(!format!("{failure:?}").contains("evil"), "{failure:?}");
    }
    let failure = refused(200, "content-type: text/html\r\n", page).await;
    assert_eq!((failure.class, failure.retryable), (Class::Protocol, false));
    assert!(failure.message.contains("web page instead of an event stream"), "{failure:?}");
}

#[tokio::test]
async fn a_key_that_is_sent_back_is_hidden_everywhere() {
    let echo = format!(r#"{{"error":{{"code":"{KEY}","message":"wrong key {KEY} in Bearer {KEY}"}}}}"#);
    for format in Format::ALL {
        for (status, headers) in [(401, ""), (500, ""), (400, "request-id: zq-S3cret.Key-0123456789\r\n")] {
            let (address, server) = canned(http(status, headers, &echo)).await;
            let base = format!("http://{address}");
            let model = model(format, &base);
            let failure = ask(&model).await.1.unwrap_err();
            let shown = format!("{failure:?} {failure} {} {model:?}", failure.to_error_object());
            assert!(!shown.contains("S3cret"), "{shown}");
            server.abort();
        }
    }
    let stream =
        format!("event: error\ndata: {{\"type\":\"error\",\"error\":{{\"message\":\"{KEY}\"}}}}\n\n");
    let failure = refused(200, "content-type: text/event-stream\r\n", &stream).await;
    assert_eq!(failure.message, "[hidden]");
}

#[tokio::test]
async fn a_body_is_kept_up_to_its_cap() {
    for (length, kept) in [(16_384, 16_384), (16_385, 16_384), (1 << 20, 16_384)] {
        let failure = refused(500, "", &"x".repeat(length)).await;
        assert_eq!(failure.body.unwrap().len(), kept);
        assert_eq!(failure.message.len(), 2_000);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let refused = failure(Format::Chat, &format!("http://{gone}")).await;
    assert_eq!(
        (refused.class, refused.retryable, refused.code.as_deref()),
        (Class::Network, true, Some("ECONNREFUSED"))
    );
    assert!(refused.message.starts_with(&format!("could not connect to {gone} (")), "{refused}");
}

#[tokio::test]
async fn a_name_that_means_nothing() {
    let unknown = failure(Format::Chat, "http://no-such-host.invalid").await;
    assert_eq!(
        (unknown.class, unknown.retryable, unknown.code.as_deref()),
        (Class::Network, true, Some("ENOTFOUND"))
    );
    assert!(unknown.message.contains("no-such-host.invalid could not be resolved"), "{unknown}");
}

#[tokio::test]
async fn no_secure_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 no TLS here\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let tls = failure(Format::Chat, &format!("https://{address}")).await;
    assert_eq!(
        (tls.class, tls.retryable, tls.code.as_deref()),
        (Class::Network, false, Some("ETLS")),
        "{tls:?}"
    );
    server.abort();
    // The other way round: TLS where plain text was expected.
    let server = ModelServer::play("turns: [{ fail: tls }]").await;
    let plain = failure(Format::Chat, &server.url()).await;
    assert_eq!((plain.class, plain.code.as_deref()), (Class::Protocol, Some("EPROTO")), "{plain:?}");
}

#[tokio::test]
async fn addresses_and_headers_that_cannot_be_sent() {
    for base in ["ftp://x", "nonsense", "http://[::1"] {
        let failure = failure(Format::Chat, base).await;
        assert_eq!((failure.class, failure.retryable), (Class::BadRequest, false), "{failure:?}");
    }
    assert_eq!(Secret::new("sk-1\nsk-2"), Err(SecretError::LineBreak(4)));
    let odd = model(Format::Chat, "http://127.0.0.1:1").with_header("bad name", Secret::new("x").unwrap());
    let failure = ask(&odd).await.1.unwrap_err();
    assert_eq!(failure.message, "the header `bad name` has a name that cannot be sent");
}

#[tokio::test]
async fn answers_that_are_cut_or_make_no_sense() {
    for (fail, class, retryable) in [
        ("close", Class::Network, true),
        ("{ cut_after_bytes: 40 }", Class::Network, true),
        ("{ garbage_after_bytes: 0 }", Class::Protocol, false),
        ("html", Class::Protocol, false),
        ("{ error: Overloaded, code: overloaded_error }", Class::Overload, true),
    ] {
        for format in Format::ALL {
            let script = format!("turns: [{{ say: Hello there, fail: {fail} }}]");
            let server = ModelServer::play(&script).await;
            let failure = failure(format, &server.url()).await;
            // Each format has its own words, and some no place for the code.
            let known = (failure.class, failure.retryable) == (class, retryable) || fail.contains("garbage");
            assert!(known || fail.contains("error") && failure.retryable, "{format:?} {fail}: {failure:?}");
        }
    }
}

#[tokio::test]
async fn a_wrong_content_type_does_not_matter() {
    let server = ModelServer::play("turns: [{ say: Hello, fail: { content_type: application/json } }]").await;
    assert!(ask(&model(Format::Anthropic, &server.url())).await.1.is_ok());
}

#[tokio::test]
async fn every_wait_has_an_end() {
    let short = Duration::from_millis(60);
    for (fail, set, code) in [
        ("stall", 1, "chunk_timeout"),
        ("{ stall_after_bytes: 50 }", 1, "chunk_timeout"),
        ("stall", 2, "timeout"),
    ] {
        let server = ModelServer::play(&format!("turns: [{{ say: Hello, fail: {fail} }}]")).await;
        let mut resolved = resolved(Format::Anthropic, &server.url());
        match set {
            1 => resolved.endpoint.timeouts.chunk = Some(short),
            _ => resolved.endpoint.timeouts.request = Some(short),
        }
        let failure = ask(&Model::new(resolved, &HttpStreams::default())).await.1.unwrap_err();
        assert_eq!(
            (failure.class, failure.retryable, failure.code.as_deref()),
            (Class::Timeout, true, Some(code))
        );
        server.until_gone(1).await;
    }
    let server = ModelServer::play("turns: [{ say: Hello }]").await;
    server.hold();
    let mut resolved = resolved(Format::Anthropic, &server.url());
    resolved.endpoint.timeouts.header = Some(short);
    let failure = ask(&Model::new(resolved, &HttpStreams::default())).await.1.unwrap_err();
    assert_eq!((failure.class, failure.code.as_deref()), (Class::Timeout, Some("header_timeout")));
    assert_eq!(
        failure.to_error_object()["data"]["metadata"],
        json!({"code": "header_timeout", "timeout": "60"})
    );
    assert_eq!(
        failure.message,
        format!(
            "{} began no answer within 60ms; try again, or raise the provider's `headerTimeout`",
            server.address()
        )
    );
    server.until_gone(1).await;
}

#[tokio::test]
async fn a_redirect_is_not_followed_because_the_key_would_be() {
    let server = ModelServer::play("turns: [{ say: Hello }]").await;
    let location = format!("location: {}/v1/messages\r\n", server.url());
    let failure = refused(307, &location, "").await;
    assert_eq!(failure.status, Some(307));
    assert!(server.requests().is_empty());
}

/// Asked by `proxies_are_used`, in a process whose environment names a proxy.
#[tokio::test]
async fn ask_through_the_proxy() {
    if std::env::var_os("PRAXIS_TEST_CHILD").is_none() {
        return;
    }
    let (_, outcome) = ask(&model(Format::Anthropic, "http://models.invalid")).await;
    assert_eq!(outcome.unwrap_err().message, "the proxy was here");
}

#[tokio::test]
async fn proxies_are_used() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let head = request(&mut socket).await;
        socket.write_all(&http(400, "", r#"{"error":{"message":"the proxy was here"}}"#)).await.unwrap();
        head
    });
    let child = tokio::task::spawn_blocking(move || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "refusals::ask_through_the_proxy"])
            .env("PRAXIS_TEST_CHILD", "1")
            .env("HTTP_PROXY", &proxy)
            .env("http_proxy", &proxy)
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            .output()
            .unwrap()
    });
    let output = child.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let head = serving.await.unwrap();
    assert!(head.starts_with("POST http://models.invalid/v1/messages HTTP/1.1"), "{head}");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let body = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{}}}\n\n\
                event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
                event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let serving = tokio::spawn(async move {
        // One connection only: a second would wait for ever.
        let (mut socket, _) = listener.accept().await.unwrap();
        for _ in 0..3 {
            let head = request(&mut socket).await;
            assert!(head.contains("user-agent: praxis/"), "{head}");
            socket.write_all(&http(200, "content-type: text/event-stream\r\n", body)).await.unwrap();
        }
    });
    let model = model(Format::Anthropic, &format!("http://{address}"));
    for _ in 0..3 {
        let mut heard = Vec::new();
        let cancel = tokio_util::sync::CancellationToken::new();
        model.stream(&hello(), &mut heard, &cancel).await.unwrap();
    }
    serving.await.unwrap();
}
