//! Titles, made beside the first answer.

use praxis_proto::Event;
use serde_json::json;

use crate::lab::Plan;

#[tokio::test]
async fn the_small_model_names_the_session_once() {
    let lab = Plan::new(
        "
turns:
  - { when: { without: [read] }, say: '<think>hm</think>Counting lines' }
  - say: One.
  - say: Two.
",
    )
    .config(json!({ "small_model": "scripted/lab", "agent": { "title": { "model": "scripted/lab" } } }))
    .start()
    .await;
    let mut ear = lab.listen();
    lab.prompt("count the lines").await;
    let title = ear
        .until("a title", |event| match event {
            Event::SessionUpdated(info) if !info.info.has_default_title() => Some(info.info.title.clone()),
            _ => None,
        })
        .await;
    assert_eq!(title, "Counting lines");
    lab.prompt("again").await;
    lab.engine.close().await;
    assert_eq!(lab.player.as_ref().unwrap().played(), [1, 1, 1]);
    assert_eq!(lab.session().await.title, "Counting lines");
}

#[tokio::test]
async fn of_a_title_that_never_ends_the_beginning_is_taken() {
    let lab = Plan::new(
        "
turns:
  - { when: { without: [read] }, say: { text: 'word ', times: 100000 } }
  - say: One.
",
    )
    .config(json!({ "agent": { "title": { "model": "scripted/lab" } } }))
    .start()
    .await;
    let mut ear = lab.listen();
    lab.prompt("count").await;
    let title = ear.until("a title", |event| match event {
        Event::SessionUpdated(info) if !info.info.has_default_title() => Some(info.info.title.clone()),
        _ => None,
    });
    assert_eq!(title.await, format!("{}wo...", "word ".repeat(19)));
}

#[tokio::test]
async fn a_script_that_says_nothing_of_titles_is_not_asked_for_one() {
    let lab = Plan::new("turns: [{ say: One. }]").start().await;
    lab.prompt("count").await;
    lab.engine.close().await;
    assert!(lab.session().await.has_default_title());
    assert_eq!(lab.player.as_ref().unwrap().complaint(), None);
}
