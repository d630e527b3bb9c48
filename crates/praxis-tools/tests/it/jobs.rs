//! Commands in the background: `bash` starts them, `job` looks after them.

use praxis_proto::Action;
use praxis_tools::{Extension, Hooked, Hooks};
use serde_json::{Value, json};

use crate::lab::Lab;

async fn started(lab: &Lab, command: &str) -> String {
    let report = lab.call("bash", json!({ "command": command, "background": true })).await.outcome.unwrap();
    report.metadata["job"].as_str().unwrap().to_owned()
}

async fn job(lab: &Lab, arguments: Value) -> String {
    lab.output("job", arguments).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_listed_read_waited_for_and_over() {
    let lab = Lab::open().start();
    assert_eq!(job(&lab, json!({ "action": "list" })).await, "No jobs in this session.");
    let id = started(&lab, "echo one; read line; echo two $line; exit 3").await;
    assert_eq!(id, "job_1");
    let listed = job(&lab, json!({ "action": "list" })).await;
    assert!(listed.starts_with("job_1  running for 0 s, 4 bytes written  echo one; read"), "{listed}");

    let read = job(&lab, json!({ "action": "read", "id": "job_1" })).await;
    assert!(read.starts_with("one\n") && read.contains("waits for input; use `send`"), "{read}");
    let again = job(&lab, json!({ "action": "read", "id": "job_1" })).await;
    assert!(again.starts_with("(no new output)"), "{again}");

    let sent = job(&lab, json!({ "action": "send", "id": "job_1", "input": "and half\n" })).await;
    assert_eq!(sent, "Sent 9 bytes to job_1.");
    let report = lab.call("job", json!({ "action": "wait", "id": "job_1" })).await.outcome.unwrap();
    assert!(report.output.starts_with("two and half\n"), "{}", report.output);
    assert!(report.output.contains("job_1 is ended with exit code 3"), "{}", report.output);
    assert_eq!((&report.metadata["exit"], &report.metadata["running"]), (&json!(3), &json!(false)));

    let late = lab.error("job", json!({ "action": "send", "id": "job_1", "input": "x" })).await;
    assert_eq!(late, "could not send to job_1: the job has ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_stopped_goes_with_everything_it_started() {
    let lab = Lab::open().start();
    let id = started(&lab, "sleep 1000 & echo up; wait").await;
    let told = job(&lab, json!({ "action": "stop", "id": id })).await;
    assert!(told.contains("job_1 is "), "{told}");
    let listed = job(&lab, json!({ "action": "list" })).await;
    assert!(!listed.contains("running"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_belong_to_their_session_and_end_with_it() {
    let lab = Lab::open().start();
    let id = started(&lab, "sleep 1000").await;
    let offer = lab.registry.resolve(&lab.scene).await;
    let other = offer.call("job", json!({ "action": "read", "id": id }), &lab.cx("ses_other")).await;
    assert_eq!(
        other.outcome.unwrap_err().to_string(),
        "there is no job `job_1`; there are none in this session, start one with `bash` and `background`"
    );
    lab.shell.end_session(lab.cx("ses_test").session());
    assert_eq!(job(&lab, json!({ "action": "list" })).await, "No jobs in this session.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_fails_at_once_says_so() {
    let lab = Lab::open().start();
    let report =
        lab.call("bash", json!({ "command": "echo no; exit 9", "background": true })).await.outcome.unwrap();
    assert!(report.output.starts_with("no\n") && report.output.contains("exit code 9"), "{}", report.output);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_shell_is_sent_is_asked_for_and_doubted() {
    let lab = Lab::open().rule("bash", "*rm*", Action::Deny).start();
    let id = started(&lab, "cat").await;
    let refused = lab.error("job", json!({ "action": "send", "id": id, "input": "rm x\n" })).await;
    assert!(refused.contains("denied by built-in test `bash *rm*`"), "{refused}");
    assert!(lab.asked().contains(&"bash: cat <<< rm x".to_owned()), "{:?}", lab.asked());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_can_outlive_praxis_and_its_output_is_in_a_file() {
    let lab = Lab::open().start();
    let arguments = json!({ "command": "echo one; read x; echo two", "background": true, "outlive": true });
    let report = lab.call("bash", arguments).await.outcome.unwrap();
    let id = report.metadata["job"].clone();
    assert!(job(&lab, json!({ "action": "read", "id": id })).await.starts_with("one\n"));
    job(&lab, json!({ "action": "send", "id": id, "input": "\n" })).await;
    let done = job(&lab, json!({ "action": "wait", "id": id })).await;
    assert!(done.starts_with("two\n"), "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_uses_are_told_with_the_way_on() {
    let lab = Lab::open().start();
    started(&lab, "sleep 1000").await;
    assert_eq!(lab.error("job", json!({ "action": "read" })).await, "`id` is missing; there are job_1");
    assert_eq!(
        lab.error("job", json!({ "action": "stop", "id": "job_7" })).await,
        "there is no job `job_7`; there are job_1"
    );
    assert_eq!(
        lab.error("job", json!({ "action": "send", "id": "job_1" })).await,
        "`input` is missing; give the text to send"
    );
    assert!(lab.error("job", json!({ "action": "explode" })).await.contains("action"));
}

struct Adds;

impl Extension for Adds {
    fn name(&self) -> &str {
        "adds"
    }
}

impl Hooks for Adds {
    fn shell_env<'a>(
        &'a self,
        directory: &'a std::path::Path,
        _: &'a praxis_proto::SessionId,
        _: &'a praxis_proto::CallId,
    ) -> Hooked<'a, Vec<(String, String)>> {
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        Box::pin(std::future::ready(Ok(vec![("FROM_HOOK".to_owned(), name)])))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn extensions_add_to_the_environment_of_commands() {
    let lab = Lab::open().hook(Adds).start();
    lab.file("sub/a.txt", "x");
    let input = json!({ "command": "echo $FROM_HOOK", "workdir": "sub" });
    assert_eq!(lab.output("bash", input).await, "sub\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_says_is_told_while_it_runs_at_a_bounded_rate() {
    let lab = Lab::open().start();
    let mut listener = lab.bus.subscribe();
    let told = lab.output("bash", json!({ "command": "for i in 1 2 3; do echo $i; sleep 0.15; done" })).await;
    assert_eq!(told, "1\n2\n3\n");
    let mut previews = Vec::new();
    while let Ok(event) = listener.try_recv() {
        if let praxis_proto::Event::ToolProgress { title, metadata, .. } = event {
            assert_eq!(title.as_deref(), Some("for i in 1 2 3; do echo $i; sleep 0.15; done"));
            previews.push(metadata["output"].as_str().unwrap().to_owned());
        }
    }
    assert!(
        previews.len() > 1 && previews[0].is_empty() && previews.iter().any(|seen| seen == "1\n"),
        "{previews:?}"
    );
}
