//! One call from name to report, and everything that can go wrong on the way.

use std::sync::Arc;
use std::time::{Duration, Instant};

use praxis_proto::{Attachment, Event};
use praxis_tools::registry::{Fixed, SourceKind};
use praxis_tools::{Cx, Extension, HookFailure, Hooked, Hooks, Report, Tool, ToolCall, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::lab::Lab;

/// Says something as often as it is told.
#[derive(Deserialize, JsonSchema)]
struct Said {
    text: String,
    #[serde(default = "once")]
    times: u32,
    deep: Option<Vec<Deep>>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only decoding is looked at")]
struct Deep {
    flags: Vec<bool>,
}

fn once() -> u32 {
    1
}

struct Say;

impl Tool for Say {
    type Input = Said;
    const NAME: &'static str = "say";

    async fn run(&self, said: Said, _: &Cx) -> Result<Report, ToolError> {
        let _ = said.deep;
        let mut report = Report::new("said", said.text.repeat(said.times as usize));
        report.attachments.push(Attachment {
            kind: "file".into(),
            mime: "text/plain".into(),
            url: "data:,x".into(),
            filename: None,
        });
        Ok(report)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

struct Panics;

impl Tool for Panics {
    type Input = Nothing;
    const NAME: &'static str = "panics";

    async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
        panic!("the {} broke", "widget")
    }
}

/// Never returns; tells when it has started.
struct Hangs(Arc<Notify>);

impl Tool for Hangs {
    type Input = Nothing;
    const NAME: &'static str = "hangs";

    async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
        self.0.notify_one();
        std::future::pending().await
    }
}

/// Blocks its thread, deaf to everything.
struct Blocks(Arc<Notify>);

impl Tool for Blocks {
    type Input = Nothing;
    const NAME: &'static str = "blocks";

    async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
        self.0.notify_one();
        std::thread::sleep(Duration::from_secs(3));
        Ok(Report::default())
    }
}

/// Gives what it has when it is cancelled.
struct Partial(Arc<Notify>);

impl Tool for Partial {
    type Input = Nothing;
    const NAME: &'static str = "partial";

    async fn run(&self, _: Nothing, cx: &Cx) -> Result<Report, ToolError> {
        self.0.notify_one();
        cx.cancelled().await;
        Ok(Report::new("partial", "half of it"))
    }
}

struct Slow;

impl Tool for Slow {
    type Input = Nothing;
    const NAME: &'static str = "slow";

    async fn run(&self, _: Nothing, cx: &Cx) -> Result<Report, ToolError> {
        cx.progress(Some("working"), Map::from_iter([("done".to_owned(), json!(1))]));
        std::future::pending().await
    }

    fn deadline(&self) -> Option<Duration> {
        Some(Duration::from_millis(30))
    }
}

fn tools() -> Fixed {
    Fixed::new("test", SourceKind::Custom).tool(Say).tool(Panics).tool(Slow)
}

#[tokio::test]
async fn defaults_and_strings_that_mean_numbers() {
    let lab = Lab::open().source(tools()).start();
    assert_eq!(lab.output("say", json!({ "text": "ab" })).await, "ab");
    assert_eq!(lab.output("say", json!({ "text": "ab", "times": "3" })).await, "ababab");
    assert_eq!(lab.output("say", json!({ "text": "ab", "times": null, "extra": 1 })).await, "ab");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_with_their_path() {
    let lab = Lab::open().source(tools()).start();
    assert_eq!(
        lab.error("say", json!({ "deep": [{ "flags": [true, "no"] }] })).await,
        "The say tool was called with invalid arguments: Expected a boolean, got \"no\" at \
         [\"deep\"][0][\"flags\"][1]; Missing key at [\"text\"].\n\
         Please rewrite the input so that it satisfies the expected schema."
    );
    for not_an_object in [json!([1, 2]), json!("text"), json!(7), json!(null)] {
        let told = lab.error("say", not_an_object).await;
        assert!(
            told.starts_with("The say tool was called with invalid arguments: Expected an object, got"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn ten_megabytes_of_arguments_are_taken_and_more_than_the_cap_is_refused() {
    let lab = Lab::open().source(tools()).limits(10, 1_000).start();
    let report = lab.call("say", json!({ "text": "x".repeat(10 << 20) })).await.outcome.unwrap();
    assert!(report.output.len() < 2_000);
    let told = lab.error("say", json!({ "text": "x".repeat(33 << 20) })).await;
    assert!(told.contains("larger than 32 MiB") && told.len() < 300, "{told}");
}

#[tokio::test]
async fn a_panic_is_one_failed_call() {
    let lab = Lab::open().source(tools()).start();
    assert_eq!(
        lab.error("panics", json!({})).await,
        "The panics tool crashed: the widget broke. This is a bug in the tool; other tools still work."
    );
    assert_eq!(lab.output("say", json!({ "text": "alive" })).await, "alive");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_never_returns_is_cancelled_even_if_it_blocks_its_thread() {
    let started = Arc::new(Notify::new());
    let source =
        Fixed::new("test", SourceKind::Custom).tool(Hangs(started.clone())).tool(Blocks(started.clone()));
    let lab = Lab::open().source(source).start();
    for name in ["hangs", "blocks"] {
        let offer = lab.registry.resolve(&lab.scene).await;
        let cancel = lab.cancel.child_token();
        let cx = lab.cx_cancelled_by(&cancel);
        let begun = Instant::now();
        let (done, ()) = tokio::join!(offer.call(name, json!({}), &cx), async {
            started.notified().await;
            cancel.cancel();
        });
        assert_eq!(done.outcome.unwrap_err().to_string(), "Tool execution aborted");
        assert!(begun.elapsed() < Duration::from_secs(2), "{name}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn what_a_cancelled_call_has_is_kept_and_a_cancelled_run_starts_nothing() {
    let started = Arc::new(Notify::new());
    let lab =
        Lab::open().source(Fixed::new("test", SourceKind::Custom).tool(Partial(started.clone()))).start();
    let (done, ()) = tokio::join!(lab.call("partial", json!({})), async {
        started.notified().await;
        lab.cancel.cancel();
    });
    assert_eq!(done.outcome.unwrap().output, "half of it");
    assert!(matches!(lab.call("partial", json!({})).await.outcome, Err(ToolError::Cancelled)));
}

#[tokio::test]
async fn a_call_past_its_deadline_stops_and_keeps_what_it_told() {
    let lab = Lab::open().source(tools()).start();
    let mut listener = lab.bus.subscribe();
    let done = lab.call("slow", json!({})).await;
    assert_eq!(
        done.outcome.unwrap_err().to_string(),
        "The slow tool was stopped because it did not finish within 30ms"
    );
    assert_eq!(done.progress, Map::from_iter([("done".to_owned(), json!(1))]));
    assert!(
        matches!(listener.try_recv(), Ok(Event::ToolProgress { title: Some(title), .. }) if title == "working")
    );
}

#[tokio::test]
async fn long_output_is_bounded_and_attachments_pass() {
    let lab = Lab::open().source(tools()).limits(10, 51_200).start();
    let report = lab.call("say", json!({ "text": "line\n", "times": 100 })).await.outcome.unwrap();
    assert!(report.output.contains("...91 lines truncated..."), "{}", report.output);
    assert_eq!(report.attachments.len(), 1);
    let saved = report.metadata["outputPath"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(saved).unwrap(), "line\n".repeat(100));
    assert!(saved.starts_with(lab.data.path().to_str().unwrap()));
}

#[tokio::test]
async fn unknown_names_are_repaired_or_explained() {
    let lab = Lab::open().source(tools()).start();
    let done = lab.call("SAY", json!({ "text": "x" })).await;
    assert_eq!((done.tool.as_str(), done.outcome.unwrap().output.as_str()), ("say", "x"));
    let done = lab.call("frobnicate", json!({ "text": "x" })).await;
    let report = done.outcome.unwrap();
    assert_eq!((done.tool.as_str(), report.title.as_str()), ("invalid", "Invalid Tool"));
    assert_eq!(
        report.output,
        "The call to the tool `frobnicate` is invalid: there is no such tool here. \
         Available tools: bash, edit, glob, grep, job, panics, question, read, say, slow, todowrite, write"
    );
}

/// Doubles the text before, signs the output after, refuses what it does not like.
struct Meddles;

impl Extension for Meddles {
    fn name(&self) -> &str {
        "meddles"
    }
}

impl Hooks for Meddles {
    fn before<'a>(&'a self, call: &'a ToolCall, arguments: &'a mut Value) -> Hooked<'a> {
        Box::pin(async move {
            if call.tool == "panics" {
                return Err(HookFailure("not on my watch".into()));
            }
            arguments["times"] = json!(2);
            Ok(())
        })
    }

    fn after<'a>(&'a self, _: &'a ToolCall, arguments: &'a Value, report: &'a mut Report) -> Hooked<'a> {
        Box::pin(async move {
            report.output.push_str(&format!(" ({})", arguments["times"]));
            Ok(())
        })
    }
}

#[tokio::test]
async fn hooks_change_arguments_and_reports_and_can_refuse() {
    let lab = Lab::open().source(tools()).hook(Meddles).start();
    assert_eq!(lab.output("say", json!({ "text": "ab" })).await, "abab (2)");
    assert_eq!(lab.error("panics", json!({})).await, "not on my watch");
}
