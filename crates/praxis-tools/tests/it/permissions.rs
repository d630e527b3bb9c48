//! Asking and answering, with somebody on the other side of the bus.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use praxis_policy::{Act, StoredGrant};
use praxis_proto::{Action, Event, PermissionRequest, Reply, ReplyKind};
use praxis_tools::{Ask, Extension, GrantFile, GrantStore, Hooked, Hooks, ToolError};
use serde_json::json;

use crate::lab::Lab;

/// Runs a call and answers the first question with `reply`.
async fn answered(lab: &Lab, file: &str, reply: Reply) -> Result<String, ToolError> {
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("read", json!({ "filePath": file })), async {
        loop {
            if let Event::PermissionAsked(request) = listener.recv().await.unwrap() {
                lab.permissions.reply(&request.id, reply).unwrap();
                break;
            }
        }
    });
    done.outcome.map(|report| report.output)
}

fn asking() -> Lab {
    let lab = Lab::open().rule("read", "*", Action::Ask).start();
    lab.file("a.txt", "content of a");
    lab.file("b.txt", "content of b");
    lab
}

#[tokio::test]
async fn the_question_carries_what_a_client_needs() {
    let lab = asking();
    let mut listener = lab.bus.subscribe();
    let ((), done) = tokio::join!(
        async {
            let Event::PermissionAsked(request) = listener.recv().await.unwrap() else { panic!() };
            assert!(request.id.starts_with("per_"));
            assert_eq!(
                (request.permission.as_str(), &request.patterns, &request.always),
                ("read", &vec!["a.txt".into()], &vec!["*".into()])
            );
            assert_eq!(request.tool.as_ref().unwrap().call.as_str(), "call_1");
            assert_eq!(lab.permissions.pending(), std::slice::from_ref(&request));
            lab.permissions.reply(&request.id, Reply::Once).unwrap();
            let Event::PermissionReplied(replied) = listener.recv().await.unwrap() else { panic!() };
            assert_eq!((replied.request, replied.reply), (request.id, ReplyKind::Once));
        },
        lab.call("read", json!({ "filePath": "a.txt" }))
    );
    assert!(done.outcome.unwrap().output.contains("1: content of a"));
    assert!(lab.permissions.pending().is_empty());
}

#[tokio::test]
async fn once_asks_again_and_always_does_not() {
    let lab = asking();
    answered(&lab, "a.txt", Reply::Once).await.unwrap();
    answered(&lab, "a.txt", Reply::Always(None)).await.unwrap();
    assert!(lab.output("read", json!({ "filePath": "b.txt" })).await.contains("content of b"));
    assert_eq!(lab.permissions.grants(), [StoredGrant::new("read", "*", 7)]);
}

#[tokio::test]
async fn a_no_stops_the_run_and_a_no_with_words_reaches_the_model() {
    let lab = asking();
    let error = answered(&lab, "a.txt", Reply::Reject(None)).await.unwrap_err();
    assert!(error.stops_the_run());
    let error = answered(&lab, "a.txt", Reply::Reject(Some("read b.txt instead".into()))).await.unwrap_err();
    assert!(!error.stops_the_run() && error.to_string().contains("read b.txt instead"), "{error}");
}

#[tokio::test]
async fn a_denied_call_names_the_rule_and_leaks_nothing() {
    let lab = Lab::open().rule("read", "secret/*", Action::Deny).start();
    lab.file("secret/key", "hunter2");
    let told = lab.error("read", json!({ "filePath": "secret/key" })).await;
    assert_eq!(told, "A permission rule prevents this call: read is denied by built-in test `read secret/*`");
    assert_eq!(lab.permissions.log().last().unwrap().decision.action, Action::Deny);
}

#[tokio::test]
async fn where_nobody_can_answer_a_question_is_refused_at_once() {
    let lab = Lab::open().rule("read", "*", Action::Ask).unattended().start();
    lab.file("a.txt", "x");
    let told = lab.error("read", json!({ "filePath": "a.txt" })).await;
    assert!(told.contains("nobody can give one here") && told.contains("Allow it with a rule"), "{told}");
    assert!(lab.permissions.pending().is_empty());
}

#[tokio::test]
async fn a_cancelled_call_takes_its_question_back() {
    let lab = asking();
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("read", json!({ "filePath": "a.txt" })), async {
        while !matches!(listener.recv().await.unwrap(), Event::PermissionAsked(_)) {}
        lab.cancel.cancel();
    });
    assert!(matches!(done.outcome, Err(ToolError::Cancelled)));
    assert!(lab.permissions.pending().is_empty());
}

#[tokio::test]
async fn closing_the_project_refuses_what_waits() {
    let lab = asking();
    let mut listener = lab.bus.subscribe();
    let (done, ()) = tokio::join!(lab.call("read", json!({ "filePath": "a.txt" })), async {
        while !matches!(listener.recv().await.unwrap(), Event::PermissionAsked(_)) {}
        lab.permissions.close();
    });
    assert!(done.outcome.unwrap_err().stops_the_run());
}

#[tokio::test]
async fn an_always_survives_a_restart_in_its_project() {
    let temp = tempfile::tempdir().unwrap();
    let store = GrantFile::at(temp.path().join("grants.json")).project("/project".as_ref());
    let lab = Lab::open().rule("read", "*", Action::Ask).store(store.clone()).start();
    lab.file("a.txt", "x");
    answered(&lab, "a.txt", Reply::Always(Some(vec!["a.txt".into()]))).await.unwrap();
    assert_eq!(store.load().unwrap(), [StoredGrant::new("read", "a.txt", 7)]);

    let later = Lab::open().rule("read", "*", Action::Ask).store(store).unattended().start();
    later.file("a.txt", "x");
    later.file("b.txt", "x");
    assert!(later.call("read", json!({ "filePath": "a.txt" })).await.outcome.is_ok());
    assert!(later.call("read", json!({ "filePath": "b.txt" })).await.outcome.is_err());
}

/// A disk that is full.
struct Full;

impl GrantStore for Full {
    fn load(&self) -> io::Result<Vec<StoredGrant>> {
        Ok(vec![])
    }

    fn add(&self, _: &[StoredGrant]) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }
}

#[tokio::test]
async fn an_always_that_cannot_be_stored_holds_for_now_and_says_so() {
    let lab = Lab::open().rule("read", "*", Action::Ask).store(Full).start();
    lab.file("a.txt", "x");
    let mut listener = lab.bus.subscribe();
    let (done, told) = tokio::join!(lab.call("read", json!({ "filePath": "a.txt" })), async {
        let Event::PermissionAsked(request) = listener.recv().await.unwrap() else { panic!() };
        lab.permissions.reply(&request.id, Reply::Always(None)).unwrap_err().to_string()
    });
    assert!(done.outcome.is_ok());
    assert!(told.contains("could not be stored"), "{told}");
    assert!(lab.call("read", json!({ "filePath": "a.txt" })).await.outcome.is_ok());
}

/// Answers in the user's place, and remembers that it was asked.
struct Answers(Action, Arc<Mutex<Vec<String>>>);

impl Extension for Answers {
    fn name(&self) -> &str {
        "answers"
    }
}

impl Hooks for Answers {
    fn permission<'a>(&'a self, request: &'a PermissionRequest) -> Hooked<'a, Option<Action>> {
        self.1.lock().unwrap().push(request.permission.clone());
        Box::pin(async move { Ok(Some(self.0)) })
    }
}

#[tokio::test]
async fn a_hook_may_answer_but_only_what_the_rules_leave_open() {
    for (answer, allowed) in [(Action::Allow, true), (Action::Deny, false)] {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let lab = Lab::open()
            .rule("read", "*", Action::Ask)
            .rule("read", "no.txt", Action::Deny)
            .hook(Answers(answer, Arc::clone(&heard)))
            .unattended()
            .start();
        lab.file("a.txt", "x");
        lab.file("no.txt", "x");
        assert_eq!(lab.call("read", json!({ "filePath": "a.txt" })).await.outcome.is_ok(), allowed);
        assert!(lab.call("read", json!({ "filePath": "no.txt" })).await.outcome.is_err());
        assert_eq!(*heard.lock().unwrap(), ["read"]);
    }
}

#[tokio::test]
async fn only_a_person_confirms_and_a_hook_may_still_refuse() {
    let ask = || Ask::new("bash", "rm -rf ~").confirm("delete the home folder");
    for (answer, expected) in [
        (
            Action::Allow,
            "This would delete the home folder. Nothing but a person's answer to that very question allows it, \
             and nobody is here to give one. Choose another way, or leave this step to the user.",
        ),
        (
            Action::Deny,
            "The user rejected permission to use this tool, with this feedback: \
             the extension `answers` does not allow this",
        ),
    ] {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let plan = Lab::open().rule("bash", "rm -rf ~", Action::Allow);
        let lab = plan.hook(Answers(answer, Arc::clone(&heard))).unattended().start();
        let refused = lab.cx("ses_1").ask(ask()).await.unwrap_err();
        assert_eq!(refused.to_string(), expected);
        assert_eq!(*heard.lock().unwrap(), ["bash"]);
    }
}

#[tokio::test]
async fn a_grant_to_run_names_the_script_and_its_folder() {
    let lab = Lab::open().rule("bash", "*", Action::Allow).start();
    let act = Act::Run { command: "ls -la".into(), cwd: "/work".into() };
    let grant = lab.cx("ses_1").ask(Ask::new("bash", "ls -la").to(act)).await.unwrap();
    assert_eq!(grant.runnable(), Some(("ls -la", Path::new("/work"))));
    assert_eq!((grant.readable(), grant.writable(), grant.url()), (None, &[][..], None));
}
