//! From one request to the next: the answer of a scripted model with one call, its result, and all that is stored.
//!
//! The model answers at once, so what is measured is the engine, early and late in a session.

#![expect(clippy::unwrap_used, reason = "a bench may fail where it stands")]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use praxis_config::Surroundings;
use praxis_engine::prompt::PromptInput;
use praxis_engine::{
    Asking, Engine, EngineParts, Limits, Models, NewSession, Opening, Params, SessionHooks, Workbench,
};
use praxis_llm::provider::Providers;
use praxis_llm::script::Script;
use praxis_os::process::Launcher;
use praxis_store::SqliteStore;
use praxis_tools::{Attendance, Extension, Hooked, system_clock};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

fn main() {
    divan::main();
}

/// Steps before the one that is measured.
const BEFORE: [usize; 2] = [1, 300];

#[divan::bench(args = BEFORE)]
fn with_a_file_read(bencher: divan::Bencher<'_, '_>, before: usize) {
    let session = Stepping::at(before, "{ say: I will., call: { read: { filePath: a } } }");
    bencher.bench_local(|| session.step());
}

#[divan::bench(args = BEFORE)]
fn with_a_command(bencher: divan::Bencher<'_, '_>, before: usize) {
    let session =
        Stepping::at(before, "{ say: I will., call: { bash: { command: echo x, description: say x } } }");
    bencher.bench_local(|| session.step());
}

/// One answer of many small pieces, told to a listener and stored.
#[divan::bench(sample_count = 20)]
fn with_twenty_thousand_deltas(bencher: divan::Bencher<'_, '_>) {
    let session =
        Stepping::at(1, "{ say: { text: 'word ', times: 20000 }, call: { glob: { pattern: none } } }");
    bencher.bench_local(|| session.step());
}

/// A session whose requests are let through one by one.
struct Stepping {
    gate: Arc<Gate>,
    came: Receiver<()>,
    _runtime: Runtime,
    _folder: tempfile::TempDir,
}

/// Stands before every request.
struct Gate {
    came: Sender<()>,
    go: Semaphore,
}

impl Extension for Gate {
    fn name(&self) -> &str {
        "gate"
    }

    fn deadline(&self) -> Duration {
        Duration::MAX
    }
}

impl SessionHooks for Gate {
    fn params<'a>(&'a self, _: Asking<'a>, _: &'a mut Params) -> Hooked<'a> {
        Box::pin(async move {
            let _ = self.came.send(());
            if let Ok(go) = self.go.acquire().await {
                go.forget();
            }
            Ok(())
        })
    }
}

impl Stepping {
    fn at(steps: usize, turn: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (sender, came) = channel();
        let gate = Arc::new(Gate { came: sender, go: Semaphore::new(0) });
        let engine = runtime.block_on(async { open(folder.path(), turn, Arc::clone(&gate)) });
        runtime.spawn(async move {
            let session = engine.create(NewSession::default()).await.unwrap();
            engine.prompt(PromptInput::text(session.id, "go"), Limits::default()).await.unwrap();
        });
        came.recv().unwrap();
        let stepping = Self { gate, came, _runtime: runtime, _folder: folder };
        (1..steps).for_each(|_| stepping.step());
        stepping
    }

    fn step(&self) {
        self.gate.go.add_permits(1);
        self.came.recv().unwrap();
    }
}

fn open(folder: &std::path::Path, turn: &str, gate: Arc<Gate>) -> Engine {
    for name in ["project", "home"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("project/a"), "x\n".repeat(20)).unwrap();
    let config = r#"{ "model": "scripted/bench", "permission": { "doom_loop": "allow" } }"#;
    std::fs::write(folder.join("praxis.json"), config).unwrap();
    let home = folder.join("home").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let surroundings = Surroundings::from_env([("HOME".to_owned(), home), ("PATH".to_owned(), path)]);
    let workbench = Workbench::open(Opening {
        surroundings: &surroundings,
        directory: &folder.join("project"),
        config_file: Some(folder.join("praxis.json")),
        trust: praxis_config::Trust::Everything,
        attendance: Attendance::Unattended,
        questions: Attendance::Unattended,
        observers: Vec::new(),
        launcher: Launcher::unguarded(),
        hooks: Vec::new(),
    })
    .unwrap();
    let store = SqliteStore::open(&folder.join("praxis.db"), system_clock()).unwrap();
    let providers = Providers::open(&surroundings, &workbench.loaded.config).unwrap();
    let script = format!("{{ turns: [{turn}], after: repeat }}");
    let models = Models::new(providers).with_script("bench", Script::parse("bench", &script).unwrap());
    let parts = EngineParts::new(workbench, Arc::new(store), models);
    Engine::open(EngineParts { hooks: vec![gate], ..parts })
}
