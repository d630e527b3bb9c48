//! Many calls in one step, a report nobody could read, a session that is years long.

use std::time::Instant;

use praxis_testkit::{Format, ModelServer, Project};
use serde_json::{Value, json};
use tokio::task::block_in_place;

use super::{run, scripted, told};
use crate::project;

#[test]
fn two_hundred_calls_in_one_step_all_run_and_are_stored() {
    let calls: Vec<Value> = (0..200)
        .map(|n| match n % 4 {
            0 => json!({ "tool": "bash", "args": { "command": format!("echo {n}"), "description": "Says it" } }),
            1 => json!({ "tool": "read", "args": { "filePath": "a.txt", "offset": n } }),
            _ => json!({ "tool": "write", "args": { "filePath": format!("many/{n}.txt"), "content": n.to_string() } }),
        })
        .collect();
    let project =
        scripted(&json!([{ "calls": calls }, "Done."]).to_string()).file("a.txt", "line\n".repeat(300));
    told(&run(&project, &["all at once"]), 0, &["Done.", "2 steps"]);
    assert_eq!(std::fs::read_dir(project.directory().join("many")).unwrap().count(), 100);
    let whole = project.run(&["session", "export", "last"]).json();
    let completed =
        crate::crash::kept::parts(&whole).filter(|part| part["state"]["status"] == "completed").count();
    assert_eq!(completed, 200);
}

/// Runs a command that says so many bytes; gives the most memory the program had by then, in KiB.
async fn peak(command: &str) -> (u64, Project) {
    let call = json!({ "bash": { "command": command, "description": "Says much" } });
    let turns = json!([{ "call": call }, { "parts": [{ "hold": "said" }, { "say": "Done." }] }]);
    let server = ModelServer::play(&turns.to_string()).await;
    let mut config = crate::run::wires::config(Format::Chat, &server.url());
    config["permission"] = json!({ "bash": "allow" });
    let project = project().file("praxis.json", config.to_string());
    let live = project.start(&["run", "say it"]);
    server.until_held("said").await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", live.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak = peak.trim().trim_end_matches(" kB").parse().unwrap();
    server.pass("said");
    told(&block_in_place(|| live.finish()), 0, &["Done."]);
    (peak, project)
}

/// Megabytes in the plain test run; `PRAXIS_OUTPUT_MB` asks for more.
const MEGABYTES: u64 = 100;
/// What memory may grow by, in KiB.
const GROWTH: u64 = 16 << 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_report_of_many_megabytes_stays_out_of_memory_and_of_the_store() {
    let megabytes = number("PRAXIS_OUTPUT_MB").unwrap_or(MEGABYTES);
    let (small, _) = peak("yes 'a line of a report that nobody reads' | head -c 1M").await;
    let (large, project) =
        peak(&format!("yes 'a line of a report that nobody reads' | head -c {megabytes}M")).await;
    eprintln!("{megabytes} MB of output: memory grew by {} KiB", large.saturating_sub(small));
    assert!(large < small + GROWTH, "{large} KiB, and {small} KiB for one megabyte");
    let whole = block_in_place(|| project.run(&["session", "export", "last"])).stdout;
    assert!(whole.len() < 300_000, "{} bytes are stored", whole.len());
    let folder = project.home().join(".local/share/praxis/tool-output");
    let spilled: u64 =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(spilled >= (megabytes << 20).min(256 << 20), "{spilled} bytes are in files");
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A session with so many parts, as a file to import.
fn long_session(project: &Project, parts: usize) -> String {
    let made = project.run(&["session", "export", "last"]).json();
    let mut info = made["info"].clone();
    let directory = info["directory"].clone();
    info["id"] = "ses_long".into();
    let mut messages = Vec::new();
    for n in 0..parts / 10 {
        let (asked, said) = (format!("msg_{:09}a", n), format!("msg_{:09}b", n));
        let text = |message: &str, m: usize, text: String| json!({ "id": format!("prt_{n:09}{m}"), "sessionID": "ses_long", "messageID": message, "type": "text", "text": text });
        messages.push(json!({
            "info": { "id": asked, "sessionID": "ses_long", "role": "user", "time": { "created": n }, "agent": "build",
                "model": { "providerID": "lab", "modelID": "model" } },
            "parts": [text(&asked, 0, format!("question {n}"))],
        }));
        let calls = (1..9).map(|m| json!({
            "id": format!("prt_{n:09}{m}"), "sessionID": "ses_long", "messageID": said, "type": "tool", "callID": format!("call_{n}_{m}"), "tool": "read",
            "state": { "status": "completed", "input": { "filePath": "a.txt" }, "output": "a line of a file\n".repeat(8), "title": "a.txt", "metadata": {}, "time": { "start": n, "end": n } },
        }));
        messages.push(json!({
            "info": { "id": said, "sessionID": "ses_long", "role": "assistant", "time": { "created": n, "completed": n }, "parentID": asked, "agent": "build", "mode": "build",
                "modelID": "model", "providerID": "lab", "path": { "cwd": directory, "root": directory }, "cost": 0,
                "tokens": { "input": 0, "output": 0, "reasoning": 0, "cache": { "read": 0, "write": 0 } }, "finish": "stop" },
            "parts": calls.chain([text(&said, 9, format!("answer {n}"))]).collect::<Vec<_>>(),
        }));
    }
    json!({ "info": info, "messages": messages }).to_string()
}

/// Parts in the plain test run; `PRAXIS_SESSION_PARTS` asks for more.
const PARTS: u64 = 5_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_many_thousand_parts_goes_on() {
    let parts = number("PRAXIS_SESSION_PARTS").unwrap_or(PARTS) as usize;
    let server = ModelServer::play("[First., Going on., Going on., Going on.]").await;
    let mut config = crate::run::wires::config(Format::Chat, &server.url());
    config["provider"]["lab"]["models"]["model"]["limit"] =
        json!({ "context": 100_000_000, "output": 8_000 });
    let project = project().file("praxis.json", config.to_string());
    block_in_place(|| told(&project.run(&["run", "begin"]), 0, &["First."]));
    let long = block_in_place(|| long_session(&project, parts));
    let project = project.file("long.json", &long);
    block_in_place(|| told(&project.run(&["session", "import", "long.json"]), 0, &["messages"]));
    for round in 0..3 {
        let begun = Instant::now();
        let live = project.start(&["run", "-s", "ses_long", "go on"]);
        server.until_requests(2 + round).await;
        let ready = begun.elapsed();
        told(&block_in_place(|| live.finish()), 0, &["Going on."]);
        eprintln!("a session of {parts} parts: the request came after {ready:?}");
    }
    let asked = server.request(1);
    assert!(asked.body["messages"].as_array().unwrap().len() > parts * 8 / 10, "everything was sent");
}
