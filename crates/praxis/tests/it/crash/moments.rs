//! Kills right behind each kind of event.

use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use praxis_testkit::{Format, Killed, Live, Said, Terminal};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::lab::{Lab, long_run, words};

/// How long to wait for a command before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the first line of a kind.
fn until_line(live: &mut Live, kind: &str) {
    let is_it = |said: &Said| match said {
        Said::Out(line) => serde_json::from_str::<Value>(line).is_ok_and(|line| line["type"] == kind),
        Said::Err(_) => false,
    };
    block_in_place(|| live.until(kind, is_it));
}

async fn kill_at_line(format: Format, turns: Value, kind: &str) {
    let lab = Lab::new(format, turns).await;
    let mut live = lab.begin();
    until_line(&mut live, kind);
    let killed = block_in_place(|| live.kill());
    lab.check(&killed, &format!("{format:?} at {kind}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_every_kind_of_line() {
    for (index, kind) in
        ["session_start", "step_start", "reasoning", "text", "tool_use", "step_finish", "result"]
            .iter()
            .enumerate()
    {
        let format = if index % 2 == 0 { Format::Anthropic } else { Format::Chat };
        kill_at_line(format, long_run(), kind).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn at_an_error() {
    let turns = json!([{ "say": words('w', 5), "fail": { "status": 400, "message": "no such thing" } }]);
    kill_at_line(Format::Chat, turns, "error").await;
}

/// A step whose command needs somebody's word.
fn asking() -> Value {
    let call = json!({ "bash": { "command": "touch log", "description": "Makes it" } });
    json!([{ "say": words('w', 3), "call": call }])
}

const ASK: &str = r#"{"permission":{"bash":"ask"}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn at_the_answer_to_a_question() {
    let lab = Lab::new(Format::Anthropic, asking()).await;
    let mut live = lab.project.start(&["run", "--format", "json", "--config", &config(&lab, ASK), "begin"]);
    until_line(&mut live, "permission");
    let killed = block_in_place(|| live.kill());
    lab.check(&killed, "at permission").await;
    assert!(!lab.project.directory().join("log").exists());
}

/// One more file of configuration, outside the project.
fn config(lab: &Lab, text: &str) -> String {
    let path = lab.project.home().join("more.json");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_request_has_arrived() {
    let lab = Lab::new(Format::Chat, long_run()).await;
    lab.server.hold();
    let live = lab.begin();
    lab.server.until_requests(1).await;
    let killed = block_in_place(|| live.kill());
    lab.server.release();
    lab.check(&killed, "request").await;
}

/// Half of a text, of a thought and of a call's arguments are out, and for longer than text may stay in memory.
#[tokio::test(flavor = "multi_thread")]
async fn in_the_middle_of_each_kind_of_stream() {
    let raw = json!([{ "tool": "write", "raw": ["{\"filePath\": \"made.txt\", ", "\"content\": \"a li"] }]);
    for (what, half) in [
        ("text", json!([{ "say": words('w', 30) }, { "hold": "half" }, { "say": "never" }])),
        ("thought", json!([{ "think": words('r', 30) }, { "hold": "half" }, { "say": "never" }])),
        ("arguments", json!([{ "say": words('w', 3) }, { "calls": raw }, { "hold": "half" }])),
    ] {
        for format in [Format::Chat, Format::Anthropic] {
            let lab = Lab::new(format, json!([{ "parts": half }])).await;
            let mut live = lab.begin();
            lab.server.until_held("half").await;
            // Nothing more comes, so that only time can bring it to the disk.
            block_in_place(|| live.runs_for(Duration::from_secs(1)));
            let killed = block_in_place(|| live.kill());
            let figures = lab.check(&killed, &format!("{format:?} in a {what}")).await;
            assert_eq!(figures.loss.bytes, 0, "{format:?} in a {what}");
        }
    }
}

/// What a command says into a pipe, and that all who could say more are gone.
fn listen(lab: &Lab) -> Receiver<Option<String>> {
    let pipe = lab.project.directory().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let file = std::fs::File::open(pipe).unwrap();
        let lines = BufReader::new(file).lines().map_while(Result::ok).map(Some);
        lines.chain([None]).take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
    });
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_command_runs_which_ends_with_it() {
    let command = "exec 3>pipe; echo here >&3; sleep 600 & sleep 600";
    let turns = json!([
        { "say": words('w', 3), "call": { "bash": { "command": command, "description": "Waits" } } },
    ]);
    let lab = Lab::new(Format::Chat, turns).await;
    let lines = listen(&lab);
    let live = lab.begin();
    let said = || block_in_place(|| lines.recv_timeout(PATIENCE)).unwrap();
    assert_eq!(said().as_deref(), Some("here"));
    let killed = block_in_place(|| live.kill());
    assert_eq!(said(), None, "the command and what it started are gone");
    lab.check(&killed, "in a command").await;
    let whole = block_in_place(|| lab.project.run(&["session", "export", "last"])).json();
    let call = super::kept::parts(&whole).find(|part| part["type"] == "tool").unwrap();
    assert_eq!(
        (
            &call["state"]["status"],
            &call["state"]["metadata"]["interrupted"],
            &call["state"]["input"]["command"]
        ),
        (&json!("error"), &json!(true), &json!(command))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_person_is_asked() {
    let lab = Lab::new(Format::Chat, asking()).await;
    let ask = config(&lab, ASK);
    let mut terminal = Terminal::start(lab.project.command(&["run", "--config", &ask, "begin"]));
    block_in_place(|| terminal.expect("Allow `bash` on"));
    let killed = Killed { at: Instant::now(), heard: Vec::new() };
    block_in_place(|| terminal.kill());
    lab.check(&killed, "in a question").await;
    assert!(!lab.project.directory().join("log").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_waits_to_try_again() {
    let busy = json!([{ "fail": { "status": 429, "message": "slow down", "retry_after_seconds": 600 } }]);
    let lab = Lab::new(Format::Chat, busy).await;
    let mut live = lab.project.start(&["run", "begin"]);
    block_in_place(|| {
        live.until("the retry", |said| matches!(said, Said::Err(line) if line.contains("trying again")))
    });
    let killed = block_in_place(|| live.kill());
    lab.check(&killed, "in a retry").await;
}
