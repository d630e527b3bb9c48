//! More than fits.

use praxis_engine::Ended;
use praxis_proto::{PartBody, ToolState};

use crate::lab::Plan;

#[tokio::test]
async fn a_huge_output_is_told_in_part_and_kept_in_a_file() {
    let lab = Plan::new(
        "
turns:
  - call: { bash: { command: 'yes 0123456789 | head -c 20000000', description: shout } }
  - { expect: { result_of: bash }, say: That was loud. }
",
    )
    .start()
    .await;
    assert_eq!(lab.prompt("shout").await.ended, Ended::Done);
    let messages = lab.messages().await;
    let done = messages.iter().flat_map(|message| &message.parts).find_map(|part| match &part.body {
        PartBody::Tool(tool) => match tool.state() {
            ToolState::Completed(done) => Some(done),
            _ => None,
        },
        _ => None,
    });
    let done = done.unwrap();
    assert!(done.output.len() < 60_000, "{} bytes", done.output.len());
    let path = done.metadata["outputPath"].as_str().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 20_000_000);
}

#[tokio::test]
async fn a_gigabyte_of_output_is_neither_kept_in_memory_nor_wholly_on_disk() {
    let lab = Plan::new(
        "
turns:
  - call: { bash: { command: head -c 1000000000 /dev/zero, description: much } }
  - { expect: { result_of: bash }, say: That was much. }
",
    )
    .start()
    .await;
    assert_eq!(lab.prompt("go").await.ended, Ended::Done);
    let messages = lab.messages().await;
    let stored: usize = messages.iter().map(|message| serde_json::to_string(message).unwrap().len()).sum();
    assert!(stored < 600_000, "{stored} bytes");
    let outputs = lab.engine.workbench().registry.outputs().folder().to_owned();
    let saved: u64 = std::fs::read_dir(outputs).unwrap().map(|f| f.unwrap().metadata().unwrap().len()).sum();
    assert!((200 << 20..300 << 20).contains(&saved), "{saved} bytes");
    lab.is_at_rest().await;
}

#[tokio::test]
async fn more_calls_than_a_turn_may_have_are_told_so_and_the_others_run() {
    let calls: Vec<String> =
        (0..260).map(|n| format!("{{ tool: glob, args: {{ pattern: f{n} }} }}")).collect();
    let lab =
        Plan::new(&format!("turns: [{{ calls: [{}] }}, {{ say: Done. }}]", calls.join(", "))).start().await;
    assert_eq!(lab.prompt("look").await.ended, Ended::Done);
    let transcript = lab.transcript().await;
    let (ran, refused): (Vec<&str>, Vec<&str>) =
        transcript.lines().filter(|line| line.contains(" glob ")).partition(|line| line.starts_with('✓'));
    assert_eq!((ran.len(), refused.len()), (256, 4));
    assert_eq!(refused[0], "✗ glob A turn may make 256 calls; make this one in the next turn.");
    lab.is_at_rest().await;
}

#[tokio::test]
async fn twenty_thousand_deltas_become_one_text() {
    let lab = Plan::new("turns: [{ say: { text: 'word ', times: 20000 } }]").start().await;
    assert_eq!(lab.prompt("talk").await.ended, Ended::Done);
    let messages = lab.messages().await;
    let PartBody::Text(text) = &messages[1].parts[1].body else { panic!("{:?}", messages[1].parts[1]) };
    assert_eq!(text.text, "word ".repeat(20_000));
}
