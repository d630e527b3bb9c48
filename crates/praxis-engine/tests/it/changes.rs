//! What turns change in the project's files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use praxis_engine::{Ended, Snapshots};
use praxis_proto::{Event, FileDiff, Message, SessionSummary};
use praxis_tools::Boxed;

use crate::lab::{Lab, Plan};

type Files = BTreeMap<String, String>;

/// Keeps every picture whole.
#[derive(Clone, Default)]
struct Album {
    folder: Arc<Mutex<PathBuf>>,
    pictures: Arc<Mutex<Vec<Files>>>,
}

impl Album {
    fn look(&self) -> Files {
        let folder = self.folder.lock().unwrap().clone();
        let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        let named = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
        entries.map(named).collect()
    }

    fn picture(&self, number: &str) -> Files {
        self.pictures.lock().unwrap()[number.parse::<usize>().unwrap()].clone()
    }
}

fn lines(text: Option<&String>) -> u64 {
    text.map_or(0, |text| text.lines().count() as u64)
}

impl Snapshots for Album {
    fn take(&self) -> Boxed<'_, Option<String>> {
        let mut pictures = self.pictures.lock().unwrap();
        pictures.push(self.look());
        let number = pictures.len() - 1;
        Box::pin(async move { Some(number.to_string()) })
    }

    fn changed<'a>(&'a self, since: &'a str) -> Boxed<'a, Vec<PathBuf>> {
        let (before, now) = (self.picture(since), self.look());
        let changed = now.into_iter().filter(|(path, text)| before.get(path) != Some(text));
        let changed = changed.map(|(path, _)| path.into()).collect();
        Box::pin(async move { changed })
    }

    fn diff<'a>(&'a self, from: &'a str, to: &'a str) -> Boxed<'a, Vec<FileDiff>> {
        let (from, to) = (self.picture(from), self.picture(to));
        let changed = to.iter().filter(|(path, text)| from.get(*path) != Some(text));
        let diff = |(path, text): (&String, &String)| FileDiff {
            file: path.rsplit('/').next().map(str::to_owned),
            additions: lines(Some(text)),
            deletions: lines(from.get(path)),
            ..FileDiff::default()
        };
        let diffs = changed.map(diff).collect();
        Box::pin(async move { diffs })
    }
}

async fn start(script: &str) -> Lab {
    let album = Album::default();
    let lab = Plan::new(script).file("a", "1\n").snapshots(album.clone()).start().await;
    *album.folder.lock().unwrap() = lab.folder();
    lab
}

/// The changes told with each user message, as `file +additions -deletions`.
async fn told(lab: &Lab) -> Vec<String> {
    let messages = lab.messages().await;
    let summaries = messages.iter().filter_map(|message| match &message.info {
        Message::User(user) => Some(user.summary.as_ref().map(|summary| &summary.diffs)),
        Message::Assistant(_) => None,
    });
    summaries.map(|diffs| diffs.map_or("-".to_owned(), |diffs| shown(diffs))).collect()
}

fn shown(diffs: &[FileDiff]) -> String {
    let one = |diff: &FileDiff| {
        format!("{} +{} -{}", diff.file.as_deref().unwrap(), diff.additions, diff.deletions)
    };
    diffs.iter().map(one).collect::<Vec<_>>().join(", ")
}

const SCRIPT: &str = "
turns:
  - { call: { bash: { command: 'printf \"1\\n2\\n\" > a', description: grow } } }
  - { call: { bash: { command: 'echo x > b', description: make } } }
  - say: Two files.
  - say: Nothing to do.
  - { call: { bash: { command: 'printf \"1\\n2\\n3\\n\" > a', description: grow } } }
  - say: One file.
";

#[tokio::test]
async fn every_message_is_told_what_came_of_it_and_the_session_of_all() {
    let lab = start(SCRIPT).await;
    let mut ear = lab.listen();
    for text in ["two", "none", "one"] {
        assert_eq!(lab.prompt(text).await.ended, Ended::Done);
    }
    assert_eq!(told(&lab).await, ["a +2 -1, b +1 -0", "-", "a +3 -2"]);
    let summary = SessionSummary { additions: 4, deletions: 1, files: 2, diffs: None };
    assert_eq!(lab.session().await.summary, Some(summary));
    let mut diffs = Vec::new();
    ear.until("both", |event| {
        if let Event::SessionDiff { diff, .. } = event {
            diffs.push(shown(diff));
        }
        (diffs.len() == 2).then_some(())
    })
    .await;
    assert_eq!(diffs, ["a +2 -1, b +1 -0", "a +3 -1, b +1 -0"]);
}

#[tokio::test]
async fn a_cancelled_turn_is_told_what_it_had_changed() {
    let lab =
        start("turns: [{ call: { bash: { command: 'echo x > b; echo on; sleep 60', description: wait } } }]")
            .await;
    let mut ear = lab.listen();
    let run = lab.begin("wait");
    ear.until("output", |event| match event {
        Event::PartUpdated { part, .. } => {
            serde_json::to_string(part).unwrap().contains("on\\n").then_some(())
        }
        _ => None,
    })
    .await;
    lab.engine.cancel(&lab.session).await.unwrap();
    assert_eq!(run.await.unwrap().ended, Ended::Cancelled);
    assert_eq!(told(&lab).await, ["b +1 -0"]);
    lab.is_at_rest().await;
}
