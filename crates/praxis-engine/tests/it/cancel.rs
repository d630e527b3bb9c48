//! Cancelling at every point of a run.

use std::sync::Arc;

use praxis_engine::{Ended, SessionHooks, ShellPrompt};
use praxis_proto::{Event, Message, Part, PartBody, SessionStatus, UserMessage};
use praxis_testkit::Format;
use praxis_tools::{Extension, Hooked};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::lab::{Lab, Plan};

async fn cancelled(lab: &Lab, run: tokio::task::JoinHandle<praxis_engine::Outcome>) -> String {
    let outcome = lab.engine.cancel(&lab.session).await.unwrap().unwrap();
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert_eq!(run.await.unwrap(), outcome);
    lab.is_at_rest().await;
    lab.transcript().await
}

/// A moment at which somebody cancels.
struct Point {
    name: &'static str,
    script: &'static str,
    over: Option<Format>,
    config: Value,
    /// Whether this event says that the moment has come.
    come: fn(&Event) -> bool,
    /// What is left.
    transcript: &'static str,
}

fn text_of(event: &Event) -> Option<&str> {
    let Event::PartDelta { delta, .. } = event else { return None };
    Some(delta)
}

fn call_of(event: &Event) -> Option<(&str, String)> {
    let Event::PartUpdated { part, .. } = event else { return None };
    let PartBody::Tool(tool) = &part.body else { return None };
    Some((tool.state().status(), serde_json::to_string(tool).unwrap()))
}

fn points() -> Vec<Point> {
    let stalls = "turns: [{ parts: [{ say: Hel }, { hold: here }, { say: lo } ] }]";
    let blank = || Point {
        name: "",
        script: "",
        over: None,
        config: json!({}),
        come: |event| matches!(event, Event::MessageUpdated { info, .. } if matches!(**info, Message::Assistant(_))),
        transcript: "> hi\n! MessageAbortedError: the user cancelled the run",
    };
    vec![
        Point { name: "the answer has just begun", script: stalls, over: Some(Format::Chat), ..blank() },
        Point {
            name: "in the middle of a text",
            script: stalls,
            over: Some(Format::Anthropic),
            come: |event| text_of(event) == Some("Hel"),
            transcript: "> hi\nHel\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "in the middle of a thought",
            script: "turns: [{ think: hm hm, say: never, chunks: 3, fail: { stall_after_bytes: 3 } }]",
            come: |event| text_of(event).is_some(),
            transcript: "> hi\n(hm )\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "in the middle of arguments",
            script: "turns: [{ calls: [{ tool: write, args: { filePath: a, content: 0123456789 } }], chunks: 10, \
                     fail: { stall_after_bytes: 20 } }]",
            come: |event| call_of(event).is_some_and(|(status, _)| status == "pending"),
            transcript: "> hi\n… write Tool execution aborted\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "while a command runs, whose words so far are kept",
            script: "turns: [{ call: { bash: { command: 'echo begun; sleep 60; echo never', description: wait } } }]",
            come: |event| call_of(event).is_some_and(|(_, part)| part.contains("begun\\n")),
            transcript: "> hi\n✓ bash begun\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "while a command that does not listen runs",
            script: "turns: [{ call: { bash: { command: 'echo begun; env --ignore-signal=TERM sleep 60', \
                     description: wait } } }]",
            come: |event| call_of(event).is_some_and(|(_, part)| part.contains("begun\\n")),
            transcript: "> hi\n✓ bash begun\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "while a permission is waited for",
            script: "turns: [{ call: { write: { filePath: a, content: x } } }]",
            config: json!({ "permission": { "edit": "ask" } }),
            come: |event| matches!(event, Event::PermissionAsked(_)),
            transcript: "> hi\n… write Tool execution aborted\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "while a question is waited for",
            script: "turns: [{ call: { question: { questions: [{ question: Why?, header: Why, \
                     options: [{ label: So, description: because }] }] } } }]",
            come: |event| matches!(event, Event::QuestionAsked(_)),
            transcript: "> hi\n… question Tool execution aborted\n! MessageAbortedError: the user cancelled the run",
            ..blank()
        },
        Point {
            name: "while calls run and others wait for their turn",
            script: "turns: [{ calls: [CALLS] }]",
            come: |event| call_of(event).is_some_and(|(_, part)| part.contains("begun\\n")),
            transcript: "",
            ..blank()
        },
        Point {
            name: "while a retry is waited for",
            script: "turns: [{ fail: { status: 429, retry_after_seconds: 60 } }]",
            come: |event| matches!(event, Event::SessionStatus { status: SessionStatus::Retry { .. }, .. }),
            ..blank()
        },
    ]
}

/// Fills in what would be too long to write down.
fn script(point: &Point) -> String {
    let call =
        |n| format!("{{ tool: bash, args: {{ command: 'echo begun; sleep 60 # {n}', description: wait }} }}");
    point.script.replace("CALLS", &(0..40).map(call).collect::<Vec<_>>().join(", "))
}

#[tokio::test]
async fn whenever_it_comes_the_session_is_idle_and_nothing_is_left_open() {
    for point in points() {
        let mut plan = Plan::new(&script(&point)).config(point.config.clone());
        if let Some(format) = point.over {
            plan = plan.over(format);
        }
        let lab = plan.start().await;
        let mut ear = lab.listen();
        let run = lab.begin("hi");
        ear.until(point.name, |event| (point.come)(event).then_some(())).await;
        let transcript = cancelled(&lab, run).await;
        if !point.transcript.is_empty() {
            assert_eq!(transcript, point.transcript, "{}", point.name);
        }
        let counts = ear.counts();
        assert_eq!((counts["session.idle"], counts["session.error"]), (1, 1), "{}", point.name);
        assert!(!lab.has("a"), "{}", point.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_each_event_of_a_run() {
    let calls: Vec<String> =
        (0..12).map(|n| format!("{{ tool: read, args: {{ filePath: a, offset: {} }} }}", n + 1)).collect();
    let script =
        format!("turns: [{{ think: [a, b], say: [c, d], calls: [{}] }}, {{ say: Done. }}]", calls.join(", "));
    for heard in (1..).step_by(3) {
        let lab = Plan::new(&script).file("a", "x\n").start().await;
        let mut ear = lab.listen();
        let run = lab.begin("hi");
        let mut count = 0;
        let over = ear
            .until("so many events", |event| {
                count += 1;
                let over = matches!(event, Event::SessionIdle { .. });
                (over || count == heard).then_some(over)
            })
            .await;
        lab.engine.cancel(&lab.session).await.unwrap();
        let outcome = run.await.unwrap();
        lab.engine.wait(&lab.session).await.unwrap();
        lab.is_at_rest().await;
        if over {
            assert_eq!(outcome.ended, Ended::Done);
            assert!(heard > 50, "only {heard} events");
            return;
        }
    }
}

#[tokio::test]
async fn while_the_request_waits_for_an_answer() {
    let lab = Plan::new("turns: [{ say: Hello. }]").over(Format::Chat).start().await;
    lab.server().hold();
    let run = lab.begin("hi");
    lab.server().until_requests(1).await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    ! MessageAbortedError: the user cancelled the run
    ");
    lab.server().until_gone(1).await;
}

#[tokio::test]
async fn while_the_users_own_command_runs() {
    let lab = Plan::new("turns: [{ say: never }]").start().await;
    let mut ear = lab.listen();
    let prompt = ShellPrompt {
        session: lab.session.clone(),
        agent: None,
        model: None,
        command: "echo on; sleep 60".into(),
    };
    let engine = lab.engine.clone();
    let running = tokio::spawn(async move { engine.shell(prompt).await.unwrap() });
    ear.until_call("bash", "running").await;
    let queued = lab.begin("and then?");
    // The prompt is stored at once.
    ear.until_said("and then?").await;
    let outcome = lab.engine.cancel(&lab.session).await.unwrap().unwrap();
    assert_eq!(outcome.ended, Ended::Cancelled);
    running.await.unwrap();
    assert_eq!(queued.await.unwrap().ended, Ended::Cancelled);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn while_a_retry_behind_calls_that_ran_is_waited_for() {
    let lab = Plan::new(
        "turns: [{ parts: [{ call: { read: { filePath: a } } }, { say: It } ], fail: { error: overloaded, code: overloaded_error } }]",
    )
    .file("a", "x\n")
    .retrying_after(std::time::Duration::from_secs(60))
    .start()
    .await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a retry", |event| {
        matches!(event, Event::SessionStatus { status: SessionStatus::Retry { .. }, .. }).then_some(())
    })
    .await;
    insta::assert_snapshot!(cancelled(&lab, run).await, @r"
    > hi
    ✓ read <path>[project]/a</path>
    It
    ");
}

/// Holds a prompt up while it is put together.
#[derive(Clone)]
struct Slow {
    begun: Arc<Semaphore>,
    go_on: Arc<Semaphore>,
}

impl Extension for Slow {
    fn name(&self) -> &str {
        "slow"
    }
}

impl SessionHooks for Slow {
    fn message<'a>(&'a self, _: &'a mut UserMessage, _: &'a mut Vec<Part>) -> Hooked<'a> {
        self.begun.add_permits(1);
        Box::pin(async {
            self.go_on.acquire().await.unwrap().forget();
            Ok(())
        })
    }
}

#[tokio::test]
async fn while_a_prompt_is_put_together() {
    let slow = Slow { begun: Arc::new(Semaphore::new(0)), go_on: Arc::new(Semaphore::new(0)) };
    let lab = Plan::new("turns: [{ expect: { anywhere: [hi, again] }, say: Yes. }]")
        .hook(slow.clone())
        .start()
        .await;
    let run = lab.begin("hi");
    slow.begun.acquire().await.unwrap().forget();
    assert_eq!(lab.engine.cancel(&lab.session).await.unwrap(), None);
    slow.go_on.add_permits(2);
    let outcome = run.await.unwrap();
    assert_eq!((outcome.ended, outcome.steps), (Ended::Cancelled, 0));
    lab.is_at_rest().await;
    // What was said is kept, and the next prompt is not cancelled with it.
    assert_eq!(lab.prompt("again").await.ended, Ended::Done);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

#[tokio::test]
async fn a_session_that_does_nothing_stays_idle() {
    let lab = Plan::new("turns: []").start().await;
    let mut ear = lab.listen();
    assert_eq!(lab.engine.cancel(&lab.session).await.unwrap(), None);
    assert_eq!(ear.counts()["session.idle"], 1);
}

#[tokio::test]
async fn the_next_prompt_goes_on_from_what_there_is() {
    let lab = Plan::new(
        "
turns:
  - { say: [Hel, lo], fail: { stall_after_bytes: 3 } }
  - { expect: { messages: 3, anywhere: Hel }, say: Where was I? }
",
    )
    .start()
    .await;
    let mut ear = lab.listen();
    let run = lab.begin("hi");
    ear.until("a delta", |event| matches!(event, Event::PartDelta { .. }).then_some(())).await;
    cancelled(&lab, run).await;
    assert_eq!(lab.prompt("go on").await.ended, Ended::Done);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}
