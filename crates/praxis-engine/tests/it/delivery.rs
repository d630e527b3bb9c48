//! What is said while a model is at work: between its steps, behind its turn, or by the way.

use praxis_engine::prompt::{Delivery, PromptInput, PromptPart};
use praxis_engine::{Ended, EngineError, Limits, Outcome};
use praxis_proto::{Event, Message};
use praxis_testkit::Format;

use crate::lab::{Ear, Lab, Plan};

fn queued(lab: &Lab, text: &str) -> PromptInput {
    PromptInput { delivery: Delivery::Queue, ..PromptInput::text(lab.session.clone(), text) }
}

/// Sends a prompt that waits, and returns when it is stored.
async fn enqueue(lab: &Lab, ear: &mut Ear, text: &str) -> tokio::task::JoinHandle<Outcome> {
    let (engine, input) = (lab.engine.clone(), queued(lab, text));
    let prompting = tokio::spawn(async move { engine.prompt(input, Limits::default()).await.unwrap() });
    ear.until_said(text).await;
    prompting
}

#[tokio::test]
async fn a_queued_prompt_has_a_run_of_its_own_when_the_turn_before_it_has_settled() {
    let lab = Plan::new(
        "
turns:
  - { parts: [{ hold: first }, { call: { read: { filePath: a } } }] }
  - { expect: { user: and faster }, say: One. }
  - { expect: { user: then two }, say: Two. }
  - { expect: { user: then three }, say: Three. }
",
    )
    .file("a", "x")
    .over(Format::Anthropic)
    .start()
    .await;
    let mut ear = lab.listen();
    let first = lab.begin("count");
    lab.server().until_held("first").await;
    let second = enqueue(&lab, &mut ear, "then two").await;
    let third = enqueue(&lab, &mut ear, "then three").await;
    // Stored and marked, so that a process that dies now leaves word of them.
    let waiting = lab.messages().await.into_iter().filter_map(|message| match message.info {
        Message::User(user) => Some(user.is_queued()),
        Message::Assistant(_) => None,
    });
    assert_eq!(waiting.collect::<Vec<_>>(), [false, true, true]);
    // What steers is heard by the turn that is under way, though it came later.
    let steering = lab.begin("and faster");
    ear.until_said("and faster").await;
    lab.server().pass("first");
    let outcomes = [first.await.unwrap(), second.await.unwrap(), third.await.unwrap()];
    assert_eq!(outcomes.each_ref().map(|outcome| outcome.steps), [2, 1, 1]);
    assert_eq!(steering.await.unwrap(), outcomes[0]);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > count
    ✓ read <path>[project]/a</path>
    > and faster
    One.
    > then two
    Two.
    > then three
    Three.
    ");
    // The session is idle once, at the very end.
    assert_eq!(ear.counts()["session.idle"], 1);
    lab.is_at_rest().await;
    lab.server.unwrap().finish();
}

#[tokio::test]
async fn a_queued_prompt_of_an_idle_session_is_answered_at_once() {
    let lab = Plan::new("turns: [{ say: One. }]").start().await;
    let outcome = lab.engine.prompt(queued(&lab, "count"), Limits::default()).await.unwrap();
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 1));
    insta::assert_snapshot!(lab.transcript().await, @r"
    > count
    One.
    ");
}

#[tokio::test]
async fn a_failed_turn_does_not_keep_the_queue_from_going_on() {
    let lab = Plan::new(
        "turns: [{ parts: [{ hold: here }], fail: { status: 400, message: no } }, { expect: { user: two }, say: Two. }]",
    )
    .over(Format::Chat)
    .start()
    .await;
    let mut ear = lab.listen();
    lab.server().hold();
    let first = lab.begin("one");
    lab.server().until_requests(1).await;
    let second = enqueue(&lab, &mut ear, "two").await;
    lab.server().release();
    assert!(matches!(first.await.unwrap().ended, Ended::Failed(_)));
    assert_eq!(second.await.unwrap().ended, Ended::Done);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn cancelling_takes_the_queue_with_it_and_the_next_prompt_comes_back_to_what_it_said() {
    let lab = Plan::new(
        "
turns:
  - { say: Hel, fail: { stall_after_bytes: 3 } }
  - { expect: { anywhere: [Hel, two, three] }, say: Three. }
",
    )
    .start()
    .await;
    let mut ear = lab.listen();
    let first = lab.begin("one");
    ear.until("a delta", |event| matches!(event, Event::PartDelta { .. }).then_some(())).await;
    let second = enqueue(&lab, &mut ear, "two").await;
    lab.engine.cancel(&lab.session).await.unwrap();
    for run in [first, second] {
        assert_eq!(run.await.unwrap().ended, Ended::Cancelled);
    }
    lab.is_at_rest().await;
    assert_eq!(lab.prompt("three").await.ended, Ended::Done);
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > one
    Hel
    ! MessageAbortedError: the user cancelled the run
    > two
    > three
    Three.
    ");
}

#[tokio::test]
async fn a_queue_that_a_crash_cut_off_is_worked_off_in_order() {
    let lab = Plan::new(
        "
turns:
  - { expect: { user: now }, say: Zero. }
  - { expect: { user: two }, say: Two. }
  - { expect: { user: three }, say: Three. }
",
    )
    .start()
    .await;
    for text in ["two", "three"] {
        // As a process leaves it that dies before the turn has settled.
        let input = PromptInput { no_reply: true, ..queued(&lab, text) };
        lab.engine.prompt(input, Limits::default()).await.unwrap();
    }
    let mut messages = lab.messages().await;
    let opened = lab.engine.store().open(&lab.session).await.unwrap();
    for message in &mut messages {
        let Message::User(user) = &mut message.info else { panic!("{message:?}") };
        user.set_queued(true);
        lab.engine.store().put_message(&opened.lease, message.info.clone()).await.unwrap();
    }
    drop(opened);
    assert_eq!(lab.prompt("now").await.ended, Ended::Done);
    lab.engine.wait(&lab.session).await.unwrap();
    lab.is_at_rest().await;
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > now
    Zero.
    > two
    Two.
    > three
    Three.
    ");
    // Nothing waits any more.
    assert_eq!(lab.engine.resume(&lab.session, Limits::default()).await.unwrap().steps, 0);
}

#[tokio::test]
async fn a_session_takes_only_so_many_prompts_that_wait() {
    let lab =
        Plan::new("{ turns: [{ parts: [{ hold: here }, { say: One. }] }, { say: More. }], after: repeat }")
            .over(Format::Chat)
            .start()
            .await;
    let mut ear = lab.listen();
    let first = lab.begin("one");
    lab.server().until_held("here").await;
    let mut waiting = Vec::new();
    for n in 0..256 {
        waiting.push(enqueue(&lab, &mut ear, &format!("number {n}.")).await);
    }
    let refused = lab.engine.prompt(queued(&lab, "one more"), Limits::default()).await.unwrap_err();
    assert!(matches!(refused, EngineError::Full(_)), "{refused}");
    lab.engine.cancel(&lab.session).await.unwrap();
    first.await.unwrap();
    for prompt in waiting {
        assert_eq!(prompt.await.unwrap().ended, Ended::Cancelled);
    }
    lab.is_at_rest().await;
}

#[tokio::test]
async fn what_wants_no_reply_is_heard_by_the_run_that_is_under_way() {
    let lab = Plan::new(
        "
turns:
  - { parts: [{ hold: here }, { call: { read: { filePath: a } } }] }
  - { expect: { anywhere: by the way }, say: One. }
  - { parts: [{ hold: there }, { say: Two. }] }
",
    )
    .file("a", "x")
    .over(Format::Chat)
    .start()
    .await;
    let mut ear = lab.listen();
    let aside = |text: &str| PromptInput { no_reply: true, ..PromptInput::text(lab.session.clone(), text) };
    let run = lab.begin("one");
    lab.server().until_held("here").await;
    let stored = lab.engine.prompt(aside("by the way"), Limits::default()).await.unwrap();
    assert_eq!((stored.ended, stored.message, stored.steps), (Ended::Done, None, 0));
    lab.server().pass("here");
    assert_eq!(run.await.unwrap().steps, 2);

    // Where the model has nothing left to do, it is not asked once more for it.
    let run = lab.begin("two");
    lab.server().until_held("there").await;
    lab.engine.prompt(aside("never mind"), Limits::default()).await.unwrap();
    lab.server().pass("there");
    assert_eq!(run.await.unwrap().steps, 1);
    ear.until_said("never mind").await;
    lab.is_at_rest().await;
    lab.server.unwrap().finish();
}

#[tokio::test]
async fn whoever_stops_listening_leaves_a_whole_prompt_that_is_answered() {
    let lab = Plan::new("turns: [{ say: One. }]").file("a", "text\n").start().await;
    let mut ear = lab.listen();
    let mut input = PromptInput::text(lab.session.clone(), "count");
    input.parts.push(PromptPart::file(&lab.folder().join("a")));
    let mut prompting = Box::pin(lab.engine.prompt(input, Limits::default()));
    // Polled once, then dropped.
    assert!(
        std::future::poll_fn(|cx| std::task::Poll::Ready(prompting.as_mut().poll(cx).is_pending())).await
    );
    drop(prompting);
    ear.until("the end", |event| matches!(event, Event::SessionIdle { .. }).then_some(())).await;
    let transcript = lab.transcript().await;
    assert!(transcript.starts_with("> count\n") && transcript.ends_with("\nOne."), "{transcript}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_prompt_of_the_last_moment_is_answered() {
    let lab = Plan::new("{ turns: [{ say: Yes. }], after: repeat }").start().await;
    for round in 0..100 {
        let mut ear = lab.listen();
        let first = lab.begin("one");
        // The answer is complete; the run is about to look whether there is more, and to leave.
        ear.until("the end of the answer", |event| match event {
            Event::MessageUpdated { info, .. } => {
                matches!(&**info, Message::Assistant(answer) if answer.time.completed.is_some()).then_some(())
            }
            _ => None,
        })
        .await;
        for _ in 0..round % 7 {
            tokio::task::yield_now().await;
        }
        let delivery = if round % 2 == 0 { Delivery::Steer } else { Delivery::Queue };
        let late = PromptInput { delivery, ..PromptInput::text(lab.session.clone(), "two") };
        let outcome = lab.engine.prompt(late, Limits::default()).await.unwrap();
        assert_eq!(outcome.ended, Ended::Done);
        first.await.unwrap();
        lab.engine.wait(&lab.session).await.unwrap();
        let messages = lab.messages().await;
        let roles: String = messages
            .iter()
            .map(|message| if matches!(message.info, Message::User(_)) { 'u' } else { 'a' })
            .collect();
        assert_eq!(roles, "ua".repeat(2 * (round + 1)));
    }
    lab.is_at_rest().await;
}
