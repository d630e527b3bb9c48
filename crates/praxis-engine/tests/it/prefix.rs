//! What providers can keep in their caches.

use praxis_testkit::Format;
use serde_json::Value;

use crate::lab::Plan;

#[tokio::test]
async fn the_beginning_of_a_request_stays_the_same_through_a_session() {
    let lab = Plan::new(
        "
turns:
  - { think: { text: hm, signature: s }, call: { read: { filePath: a } } }
  - { say: One., call: { read: { filePath: missing } } }
  - say: Two.
  - say: Three.
",
    )
    .file("a", "x\n")
    .file("AGENTS.md", "Be kind.\n")
    .over(Format::Chat)
    .start()
    .await;
    lab.prompt("go").await;
    // Neither a changed file nor another prompt changes what was said before.
    std::fs::write(lab.folder().join("AGENTS.md"), "Be rude.\n").unwrap();
    lab.prompt("go on").await;
    let bodies: Vec<Value> = lab.server().requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies.len(), 4);
    for pair in bodies.windows(2) {
        assert_eq!(pair[0]["tools"], pair[1]["tools"]);
        let (before, after) =
            (pair[0]["messages"].as_array().unwrap(), pair[1]["messages"].as_array().unwrap());
        assert!(after.len() > before.len());
        assert_eq!(before[..], after[..before.len()]);
    }
    assert!(bodies[3].to_string().contains("Be kind."));
}

#[tokio::test]
async fn a_session_that_is_opened_again_is_told_as_before() {
    let lab = Plan::new("{ turns: [{ call: { read: { filePath: a } } }, { say: One. }], after: repeat }")
        .file("a", "x\n")
        .over(Format::Anthropic)
        .start()
        .await;
    lab.prompt("go").await;
    let other = lab.reopened();
    let input = praxis_engine::prompt::PromptInput::text(lab.session.clone(), "go on");
    other.prompt(input, Default::default()).await.unwrap();
    let requests = lab.server().requests();
    let said = |number: usize| {
        // Marks for the cache move with the end of the conversation.
        let body = requests[number].body["messages"].to_string();
        body.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
    };
    let (before, after) = (said(1), said(2));
    assert!(after.starts_with(before.trim_end_matches(']')), "{before}\n{after}");
    assert_eq!(requests[1].body["system"], requests[2].body["system"]);
}
