//! Two processes on one session, and clocks that disagree.

use praxis_testkit::{Format, ModelServer};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::{run, scripted, told};
use crate::project;

#[tokio::test(flavor = "multi_thread")]
async fn the_second_run_of_a_session_is_told_who_has_it() {
    let server = ModelServer::play("[{ parts: [{ say: 'I ' }, { hold: here }, { say: wait. }] }]").await;
    let config = crate::run::wires::config(Format::Chat, &server.url()).to_string();
    let project = project().file("praxis.json", config).file("script.yaml", "[Never said.]");
    let first = project.start(&["run", "begin"]);
    server.until_held("here").await;
    let by = format!("is in use by process {}; wait until that run ends or stop it", first.id());
    block_in_place(|| {
        told(&run(&project, &["-c", "me too"]), 1, &[&by]);
        told(&project.run(&["session", "delete", "--yes", "last"]), 1, &[&by]);
        // Whoever only looks is not in anybody's way, and does not take it for a crash.
        told(&project.run(&["session", "show", "last"]), 0, &["> begin"]);
        told(&project.run(&["session", "doctor"]), 0, &["Nothing is wrong"]);
        told(&run(&project, &["another session"]), 0, &["Never said."]);
    });
    server.pass("here");
    told(&block_in_place(|| first.finish()), 0, &["I wait."]);
    assert_eq!(server.requests().len(), 1);
}

/// Everything a day later: the session as a clock wrote it that has been put right since.
fn a_day_ahead(value: &mut Value) {
    const DAY: u64 = 24 * 60 * 60 * 1_000;
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_u64() {
                    Some(time)
                        if ["created", "updated", "completed", "start", "end"].contains(&name.as_str()) =>
                    {
                        *field = (time + DAY).into();
                    }
                    _ => a_day_ahead(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(a_day_ahead),
        Value::String(text) if ["msg_", "prt_"].iter().any(|prefix| text.starts_with(prefix)) => {
            let time = u64::from_str_radix(&text[4..19], 16).unwrap() + DAY * 4_096;
            *text = format!("{}{time:015x}{}", &text[..4], &text[19..]);
        }
        _ => {}
    }
}

#[test]
fn after_the_clock_went_back_a_session_goes_on_in_order() {
    let project = scripted(
        "[{ when: { user: second }, expect: { anywhere: first }, say: Both. }, { when: { user: first }, say: One. }]",
    );
    told(&run(&project, &["first"]), 0, &["One."]);
    let mut whole = project.run(&["session", "export", "last"]).json();
    a_day_ahead(&mut whole);
    let project = project.file("ahead.json", whole.to_string());
    told(&project.run(&["session", "import", "--replace", "ahead.json"]), 0, &["with 2 messages"]);
    told(&run(&project, &["-c", "second"]), 0, &["Both."]);

    let whole = project.run(&["session", "export", "last"]).json();
    let messages = whole["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["info"]["role"]).collect();
    assert_eq!(json!(roles), json!(["user", "assistant", "user", "assistant"]));
    let ids: Vec<&str> = messages.iter().map(|message| message["info"]["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted(), "clients sort by id: {ids:?}");
    told(&project.run(&["session", "doctor"]), 0, &["Nothing is wrong"]);
}
