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
