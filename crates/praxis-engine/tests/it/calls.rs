//! Calls beside each other: how many at once, and what they give back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use praxis_engine::Ended;
use praxis_engine::prompt::PromptInput;
use praxis_proto::{Attachment, Message, PartBody, ToolState};
use praxis_tools::{Cx, Report, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::lab::{Lab, Plan};

/// Nothing in particular.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Takes its time, and counts how many do.
struct Slow {
    running: AtomicUsize,
    most: Arc<AtomicUsize>,
    ready: Arc<Semaphore>,
}

impl Tool for Slow {
    type Input = Nothing;

    const NAME: &'static str = "slow";

    async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(running, Ordering::SeqCst);
        // The first sixteen end only together; who comes later does not wait.
        self.ready.add_permits(1);
        drop(self.ready.acquire_many(16).await);
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(Report::new("slow", "done"))
    }
}

#[tokio::test]
async fn calls_of_a_kind_run_beside_each_other_and_only_so_many() {
    let calls = vec!["{ tool: slow, args: {} }"; 60].join(", ");
    let (most, ready) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let slow = Slow { running: AtomicUsize::new(0), most: Arc::clone(&most), ready };
    let lab = Plan::new(&format!("turns: [{{ calls: [{calls}] }}, {{ say: Done. }}]"))
        .config(json!({ "permission": { "doom_loop": "allow" } }))
        .tool(slow)
        .start()
        .await;
    assert_eq!(lab.prompt("go").await.ended, Ended::Done);
    assert_eq!(most.load(Ordering::SeqCst), 16);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn calls_that_share_an_id_all_run_and_their_results_can_be_told_apart() {
    let call = |file: &str| format!("{{ tool: read, id: call_0, args: {{ filePath: {file} }} }}");
    let script = format!(
        "turns: [{{ calls: [{}, {}] }}, {{ expect: {{ anywhere: [first, second] }}, say: Both. }}]",
        call("a"),
        call("b")
    );
    let lab = Plan::new(&script).file("a", "first\n").file("b", "second\n").start().await;
    assert_eq!(lab.prompt("read").await.ended, Ended::Done);
    let messages = lab.messages().await;
    let ids: Vec<&str> = messages[1]
        .parts
        .iter()
        .filter_map(|part| match &part.body {
            PartBody::Tool(tool) => Some(tool.call.as_str()),
            _ => None,
        })
        .collect();
    assert!(matches!(ids[..], ["call_0", other] if other != "call_0"), "{ids:?}");
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

/// Gives what it has.
struct Gallery(Vec<Attachment>);

impl Tool for Gallery {
    type Input = Nothing;

    const NAME: &'static str = "gallery";

    async fn run(&self, _: Nothing, _: &Cx) -> Result<Report, ToolError> {
        let mut report = Report::new("gallery", "Here.");
        report.attachments.clone_from(&self.0);
        Ok(report)
    }
}

/// A picture of one colour, three pixels high.
fn picture(width: u32) -> Attachment {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::GrayImage::new(width, 3).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let url = format!("data:image/png;base64,{}", STANDARD.encode(bytes.get_ref()));
    Attachment { kind: "file".into(), mime: "image/png".into(), url, filename: Some("p.png".into()) }
}

async fn attached(lab: &Lab) -> (String, Vec<(String, String)>) {
    let messages = lab.messages().await;
    let parts = messages.iter().flat_map(|message| &message.parts);
    let mut done = parts.filter_map(|part| match &part.body {
        PartBody::Tool(tool) => Some(tool),
        _ => None,
    });
    let ToolState::Completed(done) = done.next_back().unwrap().state() else { panic!("{messages:?}") };
    let files = done.attachments.iter().flatten().map(|part| match &part.body {
        PartBody::File(file) => (file.mime.clone(), file.url.clone()),
        other => panic!("{other:?}"),
    });
    (done.output.clone(), files.collect())
}

#[tokio::test]
async fn pictures_of_any_tool_are_made_small_enough_or_left_out() {
    let drawing = Attachment {
        mime: "image/svg+xml".into(),
        url: "data:image/svg+xml;base64,PHN2Zy8+".into(),
        ..picture(1)
    };
    let (small, large) = (picture(20), picture(4_000));
    let lab = Plan::new("turns: [{ call: { gallery: {} } }, { say: Nice. }]")
        .tool(Gallery(vec![small.clone(), large.clone(), drawing]))
        .start()
        .await;
    assert_eq!(lab.prompt("show").await.ended, Ended::Done);
    let (output, files) = attached(&lab).await;
    assert_eq!(output, "Here.\n\n(1 image(s) left out: it is no PNG, JPEG, GIF or WebP picture)");
    let [first, second] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(first.1, small.url);
    assert!(second.1.starts_with("data:image/png;base64,") && second.1 != large.url);
}

#[tokio::test]
async fn pictures_stay_out_where_nobody_may_make_them_smaller() {
    let lab = Plan::new("turns: [{ call: { gallery: {} } }, { say: Nice. }]")
        .config(json!({ "attachment": { "image": { "auto_resize": false } } }))
        .tool(Gallery(vec![picture(4_000)]))
        .start()
        .await;
    lab.prompt("show").await;
    let (output, files) = attached(&lab).await;
    assert!(output.starts_with("Here.\n\n(1 image(s) left out: it is 4000x3 pixels"), "{output}");
    assert_eq!(files, []);
}

#[tokio::test]
async fn a_message_may_have_an_id_of_its_own_and_no_other_ones() {
    let lab = Plan::new("turns: [{ say: One. }]").start().await;
    let own = praxis_proto::MessageId::from_raw("msg_fff0000000001mine");
    let input = PromptInput { message: Some(own.clone()), ..PromptInput::text(lab.session.clone(), "hi") };
    let answer = lab.engine.prompt(input.clone(), Default::default()).await.unwrap().message.unwrap();
    assert_eq!(answer.parent, own);
    assert!(answer.id > own, "clients sort by id");
    let taken = |id| PromptInput { message: Some(id), ..input.clone() };
    for id in [own.clone(), answer.id] {
        let refused = lab.engine.prompt(taken(id), Default::default()).await.unwrap_err();
        assert!(matches!(refused, praxis_engine::EngineError::Taken { .. }), "{refused}");
    }
    assert!(
        matches!(&lab.messages().await[..], [m, _] if matches!(&m.info, Message::User(u) if u.id == own))
    );
    lab.is_at_rest().await;
}
