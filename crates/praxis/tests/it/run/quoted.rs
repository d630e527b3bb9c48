//! Calls that a model prints: meant by some servers, quoted by most models.

use praxis_testkit::{Format, ModelServer, Project};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::wires::config;
use crate::project;

const PRINTED: &str = r#"<tool_call>{"name": "bash", "arguments": {"command": "touch made"}}</tool_call>"#;

/// A project whose user has a server that plays these turns.
async fn served(turns: Value) -> (ModelServer, Project) {
    let server = ModelServer::play(&turns.to_string()).await;
    let mut own = config(Format::Chat, &server.url());
    own["permission"] = json!("allow");
    let project = project().file("a.txt", "one\n").home_file(".config/praxis/praxis.json", own.to_string());
    (server, project)
}

fn made(project: &Project) -> bool {
    project.directory().join("made").exists()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_this_machine_that_never_made_a_call_means_it() {
    let result = json!({ "expect": { "result": { "of": "bash" } }, "say": "Done." });
    let (server, project) = served(json!([{ "say": PRINTED }, result])).await;
    let run = block_in_place(|| project.run(&["run", "go"]));
    assert_eq!((run.code, run.stdout.as_str(), made(&project)), (0, "Done.\n", true), "{run:?}");
    server.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_prints_after_a_call_of_its_own_is_text_also_when_the_session_goes_on_later() {
    let call = json!({ "call": { "read": { "filePath": "a.txt" } } });
    let (server, project) = served(json!([call, { "say": PRINTED }, { "say": PRINTED }])).await;
    let text = format!("{PRINTED}\n");
    for arguments in [&["run", "go"][..], &["run", "--continue", "and now?"]] {
        let run = block_in_place(|| project.run(arguments));
        assert_eq!((run.code, run.stdout.as_str(), made(&project)), (0, text.as_str(), false), "{run:?}");
    }
    server.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_only_ever_printed_its_calls_goes_on_so() {
    let say = |text: &str| json!({ "say": text });
    let (server, project) = served(json!([say(PRINTED), say("Done."), say(PRINTED), say("Again.")])).await;
    for (arguments, said) in [(&["run", "go"][..], "Done.\n"), (&["run", "--continue", "again"], "Again.\n")]
    {
        let run = block_in_place(|| project.run(arguments));
        assert_eq!((run.code, run.stdout.as_str(), made(&project)), (0, said, true), "{run:?}");
        std::fs::remove_file(project.directory().join("made")).unwrap();
    }
    server.finish();
}
