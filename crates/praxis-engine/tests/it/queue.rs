//! Several who want something of one session.

use praxis_engine::prompt::PromptInput;
use praxis_engine::{Ended, EngineError, Limits, ShellPrompt};
use praxis_proto::Event;
use praxis_testkit::Format;

use crate::lab::Plan;

#[tokio::test]
async fn what_the_user_says_meanwhile_is_answered_by_the_same_run() {
    let lab = Plan::new(
        "
turns:
  - parts: [{ hold: first }, { say: One. }]
  - { expect: { user: and two }, say: Two. }
",
    )
    .over(Format::Anthropic)
    .start()
    .await;
    let mut ear = lab.listen();
    let first = lab.begin("count");
    lab.server().until_held("first").await;
    let second = lab.begin("and two");
    ear.until("the second prompt", |event| match event {
        Event::PartUpdated { part, .. } => {
            serde_json::to_string(part).unwrap().contains("and two").then_some(())
        }
        _ => None,
    })
    .await;
    lab.server().pass("first");
    let outcome = first.await.unwrap();
    assert_eq!((&outcome.ended, outcome.steps), (&Ended::Done, 2));
    assert_eq!(second.await.unwrap(), outcome);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > count
    One.
    > and two
    Two.
    ");
    lab.server.unwrap().finish();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_prompt_is_forgotten_however_close_to_the_end_it_comes() {
    let lab = Plan::new("{ turns: [{ say: Yes. }], after: repeat }").start().await;
    for round in 0..40 {
        let prompts: Vec<_> = (0..3).map(|n| lab.begin(&format!("round {round}, {n}"))).collect();
        for prompt in prompts {
            assert_eq!(prompt.await.unwrap().ended, Ended::Done);
        }
        let messages = lab.messages().await;
        let answered = match &messages.last().unwrap().info {
            praxis_proto::Message::Assistant(answer) => answer.parent.clone(),
            praxis_proto::Message::User(user) => panic!("nobody answered {user:?}"),
        };
        let asked = messages.iter().rev().find_map(|message| match &message.info {
            praxis_proto::Message::User(user) => Some(user.id.clone()),
            praxis_proto::Message::Assistant(_) => None,
        });
        assert_eq!(Some(answered), asked);
    }
    lab.is_at_rest().await;
}

#[tokio::test]
async fn two_who_resume_get_the_same() {
    let lab = Plan::new("turns: [{ say: Here. }]").start().await;
    let input = PromptInput { no_reply: true, ..PromptInput::text(lab.session.clone(), "are you there?") };
    lab.engine.prompt(input, Limits::default()).await.unwrap();
    let resume = || lab.engine.resume(&lab.session, Limits::default());
    let (one, other) = tokio::join!(resume(), resume());
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!((&one.ended, one.steps), (&Ended::Done, 1));
    assert_eq!(one, other);
    // Nothing is left to say: nobody is asked again.
    assert_eq!(resume().await.unwrap().steps, 0);
}

#[tokio::test]
async fn a_command_is_refused_while_a_run_is_under_way_and_a_prompt_waits_for_a_command() {
    let lab = Plan::new(
        "
turns:
  - parts: [{ hold: here }, { say: One. }]
  - { expect: { anywhere: from the shell }, say: I see it. }
",
    )
    .over(Format::Chat)
    .start()
    .await;
    let shell = |command: &str| ShellPrompt {
        session: lab.session.clone(),
        agent: None,
        model: None,
        command: command.into(),
    };
    let run = lab.begin("go");
    lab.server().until_held("here").await;
    let refused = lab.engine.shell(shell("true")).await.unwrap_err();
    assert!(matches!(refused, EngineError::Busy(_)), "{refused}");
    lab.server().pass("here");
    run.await.unwrap();

    let mut ear = lab.listen();
    let (engine, prompt) = (lab.engine.clone(), shell("read line < go; echo $line from the shell"));
    let status = std::process::Command::new("mkfifo").arg(lab.folder().join("go")).status().unwrap();
    assert!(status.success());
    let running = tokio::spawn(async move { engine.shell(prompt).await.unwrap() });
    ear.until_call("bash", "running").await;
    let queued = lab.begin("what did it say?");
    ear.until("the prompt", |event| match event {
        Event::PartUpdated { part, .. } => {
            serde_json::to_string(part).unwrap().contains("what did it").then_some(())
        }
        _ => None,
    })
    .await;
    let fifo = lab.folder().join("go");
    tokio::task::spawn_blocking(move || std::fs::write(fifo, "hello\n").unwrap()).await.unwrap();
    running.await.unwrap();
    assert_eq!(queued.await.unwrap().ended, Ended::Done);
    lab.is_at_rest().await;
    lab.server.unwrap().finish();
}

#[tokio::test]
async fn two_processes_do_not_write_into_one_session() {
    let lab =
        Plan::new("turns: [{ parts: [{ hold: here }, { say: One. }] }]").over(Format::Chat).start().await;
    let run = lab.begin("go");
    lab.server().until_held("here").await;
    let other = lab.reopened();
    let refused =
        other.prompt(PromptInput::text(lab.session.clone(), "me too"), Limits::default()).await.unwrap_err();
    assert!(refused.to_string().contains("is in use"), "{refused}");
    lab.server().pass("here");
    assert_eq!(run.await.unwrap().ended, Ended::Done);
}
