//! `praxis models`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::project;

/// Answers one request on loopback; gives its first line back.
fn serve(status: &str, body: impl Into<String>) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let body = body.into();
    let reply =
        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    let task = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut seen = [0; 4_096];
        let read = socket.read(&mut seen).unwrap();
        socket.write_all(reply.as_bytes()).unwrap();
        String::from_utf8_lossy(&seen[..read]).lines().next().unwrap_or_default().to_owned()
    });
    (address, task)
}

/// An address on which nobody answers.
fn nobody() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
fn without_any_key_three_ways_on_are_shown() {
    let run = project().run(&["models"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for way in ["praxis auth login", "praxis models --local", "praxis demo"] {
        assert!(run.stdout.contains(way), "{}", run.stdout);
    }
    assert_eq!(project().run(&["models", "--json"]).json(), json!([]));
}

#[test]
fn usable_providers_are_listed_with_the_reason_and_their_prices() {
    let project = project()
        .variable("ANTHROPIC_API_KEY", "s3cret")
        .file("praxis.json", r#"{"provider":{"mine":{"options":{"baseURL":"http://box/v1","apiKey":"s3cret"},"models":{"x":{}}}}}"#);
    let run = project.run(&["models"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for line in [
        "anthropic (Anthropic): usable, by $ANTHROPIC_API_KEY\n",
        "  anthropic/claude-sonnet-4-5           200k     64k     3 / 15                  tools thinking image pdf\n",
        "\n\nmine (mine): usable, by the configuration\n",
        "  mine/x  –        –       –                       tools\n",
    ] {
        assert!(run.stdout.contains(line), "{line}\n---\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("s3cret") && !run.stdout.contains("openai/"), "{}", run.stdout);

    let listed = project.run(&["models", "--json"]).json();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["anthropic", "mine"]);
    let sonnet = &listed[0]["models"]["claude-sonnet-4-5"];
    assert_eq!(sonnet["limit"], json!({"context": 200_000, "output": 64_000}));
    assert_eq!(sonnet["cost"], json!({"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}));
}

#[test]
fn one_provider_is_shown_even_without_a_key_and_all_of_them_on_request() {
    let project = project();
    let run = project.run(&["models", "openai"]);
    assert!(
        run.stdout
            .starts_with("openai (OpenAI): no key; `praxis auth login openai`, or set OPENAI_API_KEY\n")
    );
    assert!(run.stdout.contains("  openai/gpt-5 "), "{}", run.stdout);
    let all = project.run(&["models", "--all"]).stdout;
    assert!(
        all.contains("google-vertex (Vertex): not supported, it wants tokens of a Google service account"),
        "{all}"
    );
    assert!(all.lines().count() > 1_600);

    let slip = project.run(&["models", "opnai"]);
    assert_eq!((slip.code, slip.stdout.as_str()), (2, ""));
    assert_eq!(
        slip.stderr,
        "error: there is no provider `opnai`; did you mean `openai`? `praxis models --all` lists them\n"
    );
}

#[test]
fn a_key_that_cannot_be_sent_is_told_and_not_shown() {
    let run = project().variable("OPENAI_API_KEY", "s3cret\nmore").run(&["models", "openai"]);
    assert!(
        run.stdout.contains("from $OPENAI_API_KEY has a line break after 6 characters"),
        "{}",
        run.stdout
    );
    assert!(!format!("{run:?}").contains("s3cret"));
}

#[test]
fn a_refresh_fetches_checks_and_keeps_the_catalogue() {
    let catalogue = r#"{"new": {"name": "New", "env": ["NEW_KEY"], "api": "https://new/v1", "models": {"m": {"name": "M"}}}}"#;
    let (address, server) = serve("200 OK", catalogue);
    let project = project().variable("PRAXIS_MODELS_URL", &format!("http://{address}/"));
    let run = project.run(&["models", "--refresh"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("Fetched 1 models of 1 providers.\n"), "{}", run.stdout);
    assert!(server.join().unwrap().starts_with("GET /api.json "));
    assert!(project.run(&["models", "new"]).stdout.contains("  new/m "));
    assert_eq!(project.run(&["models", "openai"]).code, 2);
}

#[test]
fn what_is_no_catalogue_is_not_kept() {
    for (status, body, told) in [
        ("200 OK", "<html>blocked</html>", "no model catalogue"),
        ("200 OK", r#"{"p": {"models": {}}}"#, "no model"),
        ("503 Busy", "{}", "status 503"),
    ] {
        let (address, server) = serve(status, body);
        let project = project().variable("OPENCODE_MODELS_URL", &format!("http://{address}/api.json"));
        let run = project.run(&["models", "--refresh"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{body}");
        assert!(run.stderr.contains(told) && run.stderr.contains("stays in use"), "{}", run.stderr);
        assert!(server.join().unwrap().starts_with("GET /api.json "));
        assert_eq!(std::fs::read_dir(project.home()).unwrap().count(), 0);
    }
    let project = project().variable("PRAXIS_MODELS_URL", &format!("http://{}", nobody()));
    let run = project.run(&["models", "--refresh"]);
    assert!(run.code == 1 && run.stderr.contains("Connection refused"), "{}", run.stderr);
}

#[test]
fn a_damaged_catalogue_is_moved_aside_once() {
    let project = project().home_file(".cache/praxis/models.json", "{ half").variable("OPENAI_API_KEY", "k");
    let run = project.run(&["models", "openai"]);
    assert!(run.code == 0 && run.stdout.contains("openai/gpt-5 "), "{}", run.stdout);
    assert!(run.stderr.starts_with("warning: the refreshed catalogue "), "{}", run.stderr);
    assert_eq!(project.run(&["models", "openai"]).stderr, "");
    assert!(project.home().join(".cache/praxis/models.json.damaged").exists());
}

#[test]
fn servers_on_this_machine_are_found_with_the_configuration_to_use_them() {
    let (ollama, asked) = serve("200 OK", r#"{"models":[{"name":"qwen3:8b"}]}"#);
    let (vllm, _) = serve("200 OK", r#"{"object":"list","data":[{"id":"org/model"}]}"#);
    let (other, _) = serve("200 OK", "<html>not a model server</html>");
    let project = project()
        // A proxy must not be asked for what is on this machine.
        .variable("HTTP_PROXY", &format!("http://{}", nobody()))
        .variable("OLLAMA_HOST", &ollama.to_string())
        .variable("VLLM_HOST", &format!("http://{vllm}"))
        .variable("LMSTUDIO_HOST", &other.to_string())
        .variable("LLAMACPP_HOST", &nobody());
    let found = project.run(&["models", "--local", "--json"]).json();
    let names: Vec<&Value> = found.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Ollama", "vLLM"]);
    assert!(asked.join().unwrap().starts_with("GET /api/tags "));
    assert_eq!(found[0]["baseURL"], format!("http://{ollama}/v1"));

    // The snippet is a configuration that works.
    let project = project.file("praxis.json", found[0]["config"].to_string());
    let run = project.run(&["models"]);
    assert!(
        run.stdout.contains("ollama (Ollama): usable, by the configuration"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(run.stdout.contains("  ollama/qwen3:8b "), "{}", run.stdout);
}

#[test]
fn where_no_server_answers_it_is_said_where_was_looked() {
    let silent = nobody();
    let project = ["OLLAMA_HOST", "VLLM_HOST", "LMSTUDIO_HOST", "LLAMACPP_HOST"]
        .into_iter()
        .fold(project(), |project, name| project.variable(name, &silent));
    let run = project.run(&["models", "--local"]);
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains(&format!("Ollama     http://{silent}")), "{}", run.stdout);
}
