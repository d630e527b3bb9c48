//! What the shell tool costs over starting the shell by hand. Budgets: 2 ms more a call, 5 ms in a view.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use divan::Bencher;
use praxis_config::Surroundings;
use praxis_engine::{CallSetting, Opening, Workbench};
use praxis_os::process::Launcher;
use praxis_tools::{Attendance, Offer};
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 200)]
fn the_shell_by_hand(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let child = Command::new("bash").args(["-c", "pwd"]).stdin(Stdio::null()).output();
        child.map(|output| output.status.success()).unwrap_or_default()
    });
}

#[divan::bench(sample_count = 200)]
fn the_shell_tool_without_a_view(bencher: Bencher<'_, '_>) {
    call(bencher, r#"{ "sandbox": "off" }"#, None);
}

#[divan::bench(sample_count = 200)]
fn the_shell_tool_that_works(bencher: Bencher<'_, '_>) {
    call(bencher, "{}", None);
}

#[divan::bench(sample_count = 200)]
fn the_shell_tool_that_looks(bencher: Bencher<'_, '_>) {
    call(bencher, "{}", Some("plan"));
}

fn call(bencher: Bencher<'_, '_>, config: &str, agent: Option<&str>) {
    let runtime = Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let (project, own) = (folder.path().join("project"), folder.path().join("own.json"));
    std::fs::create_dir(&project).unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(&own, config).unwrap_or_else(|e| panic!("{e}"));
    let workbench = open(&project, own);
    let agent = workbench.agents.get(agent).unwrap_or_else(|e| panic!("{e}"));
    let offer: Offer = runtime.block_on(workbench.registry.resolve(&workbench.scene(agent, None)));
    let setting = CallSetting {
        session: workbench.mint.session(),
        message: workbench.mint.message(),
        call: workbench.mint.call(),
        cancel: CancellationToken::new(),
    };
    let cx = workbench.cx(agent, setting);
    bencher.bench_local(|| {
        let (offer, cx) = (offer.clone(), cx.clone());
        let call = runtime.spawn(async move { offer.call("bash", json!({ "command": "pwd" }), &cx).await });
        let done = runtime.block_on(call).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(done.outcome.unwrap_or_else(|e| panic!("{e}")).metadata["exit"], 0);
    });
}

fn open(folder: &Path, own: PathBuf) -> Workbench {
    let home = folder.join("home").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let opening = Opening {
        surroundings: &Surroundings::from_env([("HOME".to_owned(), home), ("PATH".to_owned(), path)]),
        directory: folder,
        config_file: Some(own),
        trust: praxis_config::Trust::Everything,
        attendance: Attendance::Unattended,
        questions: Attendance::Unattended,
        observers: Vec::new(),
        launcher: Launcher::guarded_by(env!("CARGO_BIN_EXE_praxis")),
        hooks: Vec::new(),
    };
    Workbench::open(opening).unwrap_or_else(|e| panic!("{e}"))
}
