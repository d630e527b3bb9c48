//! From a prompt to an answer.

use praxis_engine::Ended;
use praxis_testkit::Format;

use crate::lab::Plan;

const READS: &str = "
turns:
  - say: I will look.
    call: { read: { filePath: notes.md } }
    usage: { input: 100, output: 10 }
  - expect: { result: { of: read, text: one } }
    say: There is one line.
    usage: { input: 200, output: 20 }
";

#[tokio::test]
async fn a_call_runs_and_the_model_answers_from_its_result_over_every_wire() {
    for format in Format::ALL {
        let lab = Plan::new(READS).file("notes.md", "one\n").over(format).start().await;
        let outcome = lab.prompt("what is in the notes?").await;
        assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 2), "{format:?}");
        let transcript = lab.transcript().await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(transcript, @r"
            > what is in the notes?
            I will look.
            ✓ read <path>[project]/notes.md</path>
            There is one line.
            ");
        }
        lab.is_at_rest().await;
        // 300 tokens of input at one dollar, 30 of output at two, for a million each.
        let session = lab.session().await;
        assert_eq!((session.cost, session.tokens.input, session.tokens.output), (0.000_36, 300, 30));
        lab.server.unwrap().finish();
    }
}

#[tokio::test]
async fn a_name_that_is_nearly_right_is_understood_and_a_wrong_one_is_explained() {
    let lab = Plan::new(
        "
turns:
  - call: { Read: { filePath: notes.md } }
  - expect: { result: { of: read, text: one } }
    call: { fly: {} }
  - expect: { result: { text: Available tools } }
    say: I cannot fly.
",
    )
    .file("notes.md", "one\n")
    .start()
    .await;
    assert_eq!(lab.prompt("go").await.ended, Ended::Done);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > go
    ✓ read <path>[project]/notes.md</path>
    ✓ invalid The call to the tool `fly` is invalid: there is no such tool here. Available tools: bash, edit, glob, grep, job, question, read, todowrite, write
    I cannot fly.
    ");
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}

#[tokio::test]
async fn a_model_that_says_stop_and_waits_for_results_gets_them() {
    let lab = Plan::new(
        "
turns:
  - { call: { read: { filePath: a } }, finish: stop }
  - say: Done.
",
    )
    .file("a", "x")
    .start()
    .await;
    let outcome = lab.prompt("go").await;
    assert_eq!((outcome.ended, outcome.steps), (Ended::Done, 2));
    let finishes: Vec<_> = lab.messages().await.iter().filter_map(finish).collect();
    assert_eq!(finishes, ["tool-calls", "stop"]);
}

fn finish(message: &praxis_proto::MessageWithParts) -> Option<String> {
    match &message.info {
        praxis_proto::Message::Assistant(answer) => answer.finish.clone(),
        praxis_proto::Message::User(_) => None,
    }
}

#[tokio::test]
async fn every_delta_is_told_at_once_and_the_stored_text_is_their_sum() {
    let lab = Plan::new("turns: [{ think: [hm, ' hm'], say: [one, ' two', ' three'] }]").start().await;
    let mut ear = lab.listen();
    lab.prompt("count").await;
    insta::assert_snapshot!(lab.transcript().await, @r"
    > count
    (hm hm)
    one two three
    ");
    let counts = ear.counts();
    assert_eq!(counts["message.part.delta"], 5);
    // Step start and finish, and each text at its beginning and its end, beside the user's.
    assert_eq!(counts["message.part.updated"], 7);
    assert_eq!(counts["session.idle"], 1);
}

#[tokio::test]
async fn a_call_runs_while_the_stream_goes_on() {
    let lab = Plan::new(
        "
turns:
  - parts:
      - call: { write: { filePath: made.txt, content: now } }
      - hold: later
      - say: It is made.
  - say: Good.
",
    )
    .over(Format::Anthropic)
    .start()
    .await;
    let mut ear = lab.listen();
    let run = lab.begin("make it");
    ear.until_call("write", "completed").await;
    assert_eq!(lab.read("made.txt"), "now");
    lab.server().pass("later");
    assert_eq!(run.await.unwrap().ended, Ended::Done);
    insta::assert_snapshot!(lab.transcript().await, @r"
    > make it
    ✓ write Wrote file successfully.
    It is made.
    Good.
    ");
}

#[tokio::test]
async fn two_hundred_calls_of_one_turn_all_run_and_keep_their_order() {
    let calls: Vec<String> =
        (0..200).map(|n| format!("{{ tool: read, args: {{ filePath: f{n} }} }}")).collect();
    let mut plan = Plan::new(&format!("turns: [{{ calls: [{}] }}, {{ say: Done. }}]", calls.join(", ")));
    for n in 0..200 {
        plan = plan.file(&format!("f{n}"), &format!("content {n}\n"));
    }
    let lab = plan.start().await;
    assert_eq!(lab.prompt("read all").await.ended, Ended::Done);
    let transcript = lab.transcript().await;
    let read: Vec<&str> = transcript.lines().filter(|line| line.starts_with("✓ read")).collect();
    let expected: Vec<String> = (0..200).map(|n| format!("✓ read <path>[project]/f{n}</path>")).collect();
    assert_eq!(read, expected);
    lab.is_at_rest().await;
}

#[tokio::test]
async fn task_lists_are_kept_with_the_session() {
    let lab = Plan::new(
        "
turns:
  - call: { todowrite: { todos: [{ content: dig, status: pending, priority: high }] } }
  - say: Noted.
",
    )
    .start()
    .await;
    lab.prompt("plan").await;
    let todos = lab.engine.store().todos(&lab.session).await.unwrap();
    let dig = praxis_proto::Todo { content: "dig".into(), status: "pending".into(), priority: "high".into() };
    assert_eq!(todos, [dig]);
}

#[tokio::test]
async fn a_project_that_vanishes_fails_the_call_and_not_the_session() {
    let lab = Plan::new(
        "
turns:
  - call: { read: { filePath: notes.md } }
  - say: It is gone.
  - call: { bash: { command: pwd, description: where } }
  - say: It is gone still.
",
    )
    .file("notes.md", "one\n")
    .start()
    .await;
    std::fs::remove_dir_all(lab.folder()).unwrap();
    assert_eq!(lab.prompt("read").await.ended, Ended::Done);
    assert_eq!(lab.prompt("where").await.ended, Ended::Done);
    lab.is_at_rest().await;
}
