//! Extensions that fail, hang or panic.

use std::time::Duration;

use praxis_proto::{Action, Event, PermissionRequest, Reply, Report};
use praxis_tools::registry::Definition;
use praxis_tools::{Extension, HookFailure, Hooked, Hooks, ToolCall};
use serde_json::{Value, json};

use crate::lab::Lab;

/// Behaves badly wherever it may take part, but only after it has changed what it was given.
#[derive(Clone, Copy)]
enum Bad {
    Fails,
    Hangs,
    Panics,
}

impl Bad {
    fn behave<'a, T: 'a>(self) -> Hooked<'a, T> {
        Box::pin(async move {
            match self {
                Self::Fails => Err(HookFailure("out of order".into())),
                Self::Hangs => std::future::pending().await,
                Self::Panics => panic!("out of my mind"),
            }
        })
    }
}

impl Extension for Bad {
    fn name(&self) -> &str {
        "bad"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(20)
    }
}

/// The same without a say before calls.
struct BadAfter(Bad);

impl Extension for BadAfter {
    fn name(&self) -> &str {
        "bad"
    }

    fn deadline(&self) -> Duration {
        self.0.deadline()
    }
}

impl Hooks for Bad {
    fn before<'a>(&'a self, _: &'a ToolCall, arguments: &'a mut Value) -> Hooked<'a> {
        *arguments = json!({});
        self.behave()
    }
}

impl Hooks for BadAfter {
    fn definition<'a>(&'a self, definition: &'a mut Definition) -> Hooked<'a> {
        definition.description.clear();
        if definition.name == "read" { self.0.behave() } else { Box::pin(async { Ok(()) }) }
    }

    fn after<'a>(&'a self, _: &'a ToolCall, _: &'a Value, report: &'a mut Report) -> Hooked<'a> {
        report.output.clear();
        self.0.behave()
    }

    fn permission<'a>(&'a self, _: &'a PermissionRequest) -> Hooked<'a, Option<Action>> {
        self.0.behave()
    }
}

/// What people were told.
fn told(events: &mut tokio::sync::broadcast::Receiver<Event>) -> Vec<String> {
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::SessionError { error: Some(error), .. } = event {
            told.push(error.message().to_owned());
        }
    }
    told
}

#[tokio::test]
async fn a_call_does_not_run_past_a_guard_that_does_not_answer() {
    for (bad, expected) in [
        (Bad::Fails, "out of order"),
        (Bad::Hangs, "the extension `bad` had no effect at `tool.execute.before`: it took longer than 20ms"),
        (
            Bad::Panics,
            "the extension `bad` had no effect at `tool.execute.before`: it panicked: out of my mind",
        ),
    ] {
        let lab = Lab::open().hook(bad).start();
        lab.file("a.txt", "one\n");
        let mut events = lab.bus.subscribe();
        assert_eq!(lab.error("read", json!({ "filePath": "a.txt" })).await, expected);
        // A refusal is told to the model alone; that something is broken, to people too.
        assert_eq!(told(&mut events), if matches!(bad, Bad::Fails) { vec![] } else { vec![expected] });
    }
}

#[tokio::test]
async fn what_a_broken_hook_has_changed_does_not_count_and_people_are_told() {
    for (bad, why) in [
        (Bad::Fails, "out of order"),
        (Bad::Hangs, "it took longer than 20ms"),
        (Bad::Panics, "it panicked: out of my mind"),
    ] {
        let lab = Lab::open().rule("read", "*", Action::Ask).hook(BadAfter(bad)).start();
        lab.file("a.txt", "one\n");
        let mut events = lab.bus.subscribe();
        let offer = lab.registry.resolve(&lab.scene).await;
        let described = |name: &str| !offer.get(name).unwrap().definition.description.is_empty();
        assert_eq!((described("read"), described("glob")), (true, false));

        let mut asked = lab.bus.subscribe();
        let answering = async {
            loop {
                if let Ok(Event::PermissionAsked(request)) = asked.recv().await {
                    return lab.permissions.reply(&request.id, Reply::Once).unwrap();
                }
            }
        };
        let (output, ()) = tokio::join!(lab.output("read", json!({ "filePath": "a.txt" })), answering);
        assert!(output.contains("one"), "{output}");
        let points: Vec<String> = ["tool.definition", "permission.ask", "tool.execute.after"]
            .iter()
            .map(|point| format!("the extension `bad` had no effect at `{point}`: {why}"))
            .collect();
        let heard = told(&mut events);
        assert!(points.iter().all(|point| heard.contains(point)), "{heard:?}");
    }
}
