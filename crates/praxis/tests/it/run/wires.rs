//! A whole run against each wire format: read, edit, answer.

use praxis_testkit::{Format, ModelServer, Project};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::project;

const SCRIPT: &str = "
- think: A look first.
  say: I will look.
  call: { read: { filePath: a.txt } }
  usage: { input: 1000, output: 10 }
- expect: { result: { of: read, text: one } }
  call: { edit: { filePath: a.txt, oldString: one, newString: two } }
  usage: { input: 2000, output: 20 }
- expect: { result: { of: edit } }
  say: [It says, ' two', ' now.']
  usage: { input: 3000, output: 30 }
";

/// The configuration for a server that speaks a format.
pub(crate) fn config(format: Format, url: &str) -> Value {
    let (npm, base) = match format {
        Format::Anthropic => ("@ai-sdk/anthropic", format!("{url}/v1")),
        Format::Chat => ("@ai-sdk/openai-compatible", format!("{url}/v1")),
        Format::Responses => ("@ai-sdk/openai", format!("{url}/v1")),
        Format::Gemini => ("@ai-sdk/google", format!("{url}/v1beta")),
    };
    let model =
        json!({ "cost": { "input": 1, "output": 2 }, "limit": { "context": 100_000, "output": 8_000 } });
    json!({
        "model": "lab/model",
        // A title would take the next turn of the script.
        "agent": { "title": { "disable": true } },
        "provider": { "lab": { "npm": npm, "options": { "baseURL": base, "apiKey": "key" }, "models": { "model": model } } },
    })
}

async fn over(format: Format) {
    let server = ModelServer::play(SCRIPT).await;
    let project: Project =
        project().file("a.txt", "one\nlast\n").file("praxis.json", config(format, &server.url()).to_string());
    let run = block_in_place(|| project.run(&["run", "--thinking", "make it two"]));
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "I will look.\nIt says two now.\n"),
        "{format:?} {run:?}"
    );
    assert_eq!(std::fs::read_to_string(project.directory().join("a.txt")).unwrap(), "two\nlast\n");
    let (shown, sum) = run.stderr.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(shown, "A look first.\n✓ read a.txt\n✓ edit a.txt\n  -one\n  +two", "{format:?}");
    assert!(sum.starts_with("3 steps · 6000 in, 60 out · $0.0061 · "), "{format:?} {sum}");
    server.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_messages() {
    over(Format::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_chat_completions() {
    over(Format::Chat).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_responses() {
    over(Format::Responses).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn google_gemini() {
    over(Format::Gemini).await;
}
