//! A project, a store and a model with a script: everything a session needs, and nothing of this machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use praxis_config::Surroundings;
use praxis_engine::prompt::PromptInput;
use praxis_engine::{
    Engine, EngineParts, Limits, Models, NewSession, NoSnapshots, Opening, Outcome, SessionHooks, Snapshots,
    Workbench,
};
use praxis_llm::provider::Providers;
use praxis_llm::retry::Policy;
use praxis_llm::script::{Player, Script};
use praxis_os::process::Launcher;
use praxis_proto::{
    Event, Message, MessageWithParts, Part, PartBody, Session, SessionId, SessionStatus, ToolState,
};
use praxis_store::SqliteStore;
use praxis_testkit::{Format, ModelServer};
use praxis_tools::registry::{Fixed, SourceKind};
use praxis_tools::{Attendance, Hooks, Tool, system_clock};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::broadcast::Receiver;

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// The shortest wait before a request is made again, where the provider does not say.
const FIRST_RETRY: Duration = Duration::from_millis(5);

/// A lab that is being set up.
pub(crate) struct Plan {
    folder: TempDir,
    config: Value,
    script: String,
    format: Option<Format>,
    attendance: Attendance,
    hooks: Vec<Arc<dyn SessionHooks>>,
    call_hooks: Vec<Arc<dyn Hooks>>,
    snapshots: Arc<dyn Snapshots>,
    tools: Option<Fixed>,
    first_retry: Duration,
}

/// What tests add to an engine.
struct Own {
    hooks: Vec<Arc<dyn SessionHooks>>,
    call_hooks: Vec<Arc<dyn Hooks>>,
    snapshots: Arc<dyn Snapshots>,
    tools: Option<Fixed>,
    first_retry: Duration,
}

/// A session in a project of its own.
pub(crate) struct Lab {
    pub(crate) engine: Engine,
    pub(crate) session: SessionId,
    /// The model, where it is asked over HTTP.
    pub(crate) server: Option<ModelServer>,
    /// The model, where it is not.
    pub(crate) player: Option<Arc<Player>>,
    folder: TempDir,
}

impl Plan {
    /// Plays this script, in the project itself.
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "home"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            config: json!({}),
            script: script.to_owned(),
            format: None,
            attendance: Attendance::Attended,
            hooks: Vec::new(),
            call_hooks: Vec::new(),
            snapshots: Arc::new(NoSnapshots),
            tools: None,
            first_retry: FIRST_RETRY,
        }
    }

    /// The same over HTTP.
    pub(crate) fn over(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    pub(crate) fn file(self, name: &str, content: &str) -> Self {
        let path = self.folder.path().join("project").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn config(self, config: Value) -> Self {
        Self { config, ..self }
    }

    /// Nobody answers questions.
    pub(crate) fn unattended(self) -> Self {
        Self { attendance: Attendance::Unattended, ..self }
    }

    pub(crate) fn hook(mut self, hook: impl SessionHooks + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// An extension that takes part in calls.
    pub(crate) fn call_hook(mut self, hook: impl Hooks + 'static) -> Self {
        self.call_hooks.push(Arc::new(hook));
        self
    }

    pub(crate) fn snapshots(self, snapshots: impl Snapshots + 'static) -> Self {
        Self { snapshots: Arc::new(snapshots), ..self }
    }

    /// One more tool, beside ours.
    pub(crate) fn tool(self, tool: impl Tool) -> Self {
        let tools = self.tools.unwrap_or_else(|| Fixed::new("lab", SourceKind::BuiltIn)).tool(tool);
        Self { tools: Some(tools), ..self }
    }

    /// Waits so long before a request is made again.
    pub(crate) fn retrying_after(self, first_retry: Duration) -> Self {
        Self { first_retry, ..self }
    }

    pub(crate) async fn start(self) -> Lab {
        let script = Script::parse("script", &self.script).unwrap_or_else(|error| panic!("{error}"));
        let mut config = self.config.clone();
        let (server, player) = match self.format {
            Some(format) => {
                let server = ModelServer::start(script).await;
                config["provider"] = provider(format, &server.url());
                config["model"] = json!("lab/model");
                // A title would take the next turn of the script.
                config["agent"]["title"] = json!({ "disable": true });
                (Some(server), None)
            }
            None => {
                config["model"] = json!("scripted/lab");
                (None, Some(Arc::new(Player::new(script))))
            }
        };
        let config_file = self.folder.path().join("praxis.json");
        std::fs::write(&config_file, config.to_string()).unwrap();
        let Self { hooks, call_hooks, snapshots, tools, first_retry, .. } = self;
        let own = Own { hooks, call_hooks, snapshots, tools, first_retry };
        let engine = open(self.folder.path(), player.as_ref(), self.attendance, own);
        let session = engine.create(NewSession::default()).await.unwrap().id;
        Lab { engine, session, server, player, folder: self.folder }
    }
}

/// The provider of a format, with prices.
fn provider(format: Format, url: &str) -> Value {
    let (npm, base) = match format {
        Format::Anthropic => ("@ai-sdk/anthropic", format!("{url}/v1")),
        Format::Chat => ("@ai-sdk/openai-compatible", format!("{url}/v1")),
        Format::Responses => ("@ai-sdk/openai", format!("{url}/v1")),
        Format::Gemini => ("@ai-sdk/google", format!("{url}/v1beta")),
    };
    let model =
        json!({ "cost": { "input": 1, "output": 2 }, "limit": { "context": 100_000, "output": 8_000 } });
    json!({ "lab": { "npm": npm, "options": { "baseURL": base, "apiKey": "key" }, "models": { "model": model, "two": {}, "three": {} } } })
}

fn open(folder: &Path, player: Option<&Arc<Player>>, attendance: Attendance, own: Own) -> Engine {
    let home = folder.join("home").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let surroundings = Surroundings::from_env([("HOME".to_owned(), home), ("PATH".to_owned(), path)]);
    let mut workbench = Workbench::open(Opening {
        surroundings: &surroundings,
        directory: &folder.join("project"),
        config_file: Some(folder.join("praxis.json")),
        trust: praxis_config::Trust::Everything,
        attendance,
        questions: attendance,
        observers: Vec::new(),
        launcher: Launcher::unguarded(),
        hooks: own.call_hooks,
    })
    .unwrap();
    let store = SqliteStore::open(&folder.join("praxis.db"), system_clock()).unwrap();
    let providers = Providers::open(&surroundings, &workbench.loaded.config).unwrap();
    let Own { hooks, snapshots, tools, first_retry, .. } = own;
    let policy = Policy { first: first_retry, longest: 4 * first_retry, ..Policy::default() };
    let models = Models::new(providers).with_policy(policy);
    let models = match player {
        Some(player) => models.with_player("lab", Arc::clone(player)),
        None => models,
    };
    if let Some(tools) = tools {
        workbench.registry = workbench.registry.with(tools);
    }
    Engine::open(EngineParts { hooks, snapshots, ..EngineParts::new(workbench, Arc::new(store), models) })
}

impl Lab {
    pub(crate) async fn prompt(&self, text: &str) -> Outcome {
        self.prompt_within(text, Limits::default()).await
    }

    pub(crate) async fn prompt_within(&self, text: &str, limits: Limits) -> Outcome {
        let input = PromptInput::text(self.session.clone(), text);
        let prompting = self.engine.prompt(input, limits);
        tokio::time::timeout(PATIENCE, prompting).await.expect("a run that does not end").unwrap()
    }

    /// Prompts beside what the test does.
    pub(crate) fn begin(&self, text: &str) -> tokio::task::JoinHandle<Outcome> {
        let (engine, input) = (self.engine.clone(), PromptInput::text(self.session.clone(), text));
        tokio::spawn(async move { engine.prompt(input, Limits::default()).await.unwrap() })
    }

    /// The same project and store, opened by another process, as it were.
    pub(crate) fn reopened(&self) -> Engine {
        let snapshots = Arc::new(NoSnapshots);
        let (hooks, call_hooks) = (Vec::new(), Vec::new());
        let own = Own { hooks, call_hooks, snapshots, tools: None, first_retry: FIRST_RETRY };
        open(self.folder.path(), self.player.as_ref(), Attendance::Attended, own)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("project").join(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder.path().join("project").join(name).exists()
    }

    pub(crate) fn folder(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) async fn session(&self) -> Session {
        self.engine.store().session(&self.session).await.unwrap()
    }

    pub(crate) async fn messages(&self) -> Vec<MessageWithParts> {
        self.engine.store().export(&self.session).await.unwrap().messages
    }

    /// The session as a person would read it.
    pub(crate) async fn transcript(&self) -> String {
        let messages = self.messages().await;
        let mut lines = Vec::new();
        for message in &messages {
            let user = matches!(message.info, Message::User(_));
            lines.extend(message.parts.iter().filter_map(|part| line(part, user)));
            if let Message::Assistant(answer) = &message.info {
                let error = answer.error.iter().map(|error| {
                    let name = serde_json::to_value(error).unwrap()["name"].as_str().unwrap().to_owned();
                    format!("! {name}: {}", error.message())
                });
                lines.extend(error);
                assert!(answer.time.completed.is_some(), "an answer was left open: {answer:?}");
            }
        }
        lines.join("\n").replace(&self.folder().canonicalize().unwrap().display().to_string(), "[project]")
    }

    /// What the model was told in a request over HTTP.
    pub(crate) fn server(&self) -> &ModelServer {
        self.server.as_ref().unwrap()
    }

    pub(crate) fn listen(&self) -> Ear {
        Ear { receiver: self.engine.subscribe() }
    }

    /// Nothing is under way, nothing waits, nothing is open.
    pub(crate) async fn is_at_rest(&self) {
        assert_eq!(self.engine.status(&self.session), SessionStatus::Idle);
        assert_eq!(self.engine.busy(), []);
        assert_eq!(self.engine.workbench().permissions.pending(), []);
        for message in self.messages().await {
            assert!(!message.info.is_open(), "{message:?}");
            assert!(message.parts.iter().all(|part| !part.body.is_open()), "{message:?}");
        }
    }
}

fn line(part: &Part, user: bool) -> Option<String> {
    match &part.body {
        PartBody::Text(text) if user => Some(format!("> {}", text.text)),
        PartBody::Text(text) => Some(text.text.clone()),
        PartBody::Reasoning(thought) => Some(format!("({})", thought.text)),
        PartBody::Tool(tool) => Some(match tool.state() {
            ToolState::Completed(done) => format!("✓ {} {}", tool.tool, first_line(&done.output)),
            ToolState::Error(failed) => {
                let cut = failed.metadata.as_ref().is_some_and(|fields| fields.contains_key("interrupted"));
                let mark = if cut { "…" } else { "✗" };
                format!("{mark} {} {}", tool.tool, first_line(&failed.error))
            }
            open => format!("? {} {}", tool.tool, open.status()),
        }),
        _ => None,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Hears what happens.
pub(crate) struct Ear {
    receiver: Receiver<Event>,
}

impl Ear {
    /// Waits for an event.
    pub(crate) async fn until<T>(&mut self, what: &str, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
        let waiting = async {
            loop {
                if let Some(found) = wanted(&self.receiver.recv().await.unwrap()) {
                    return found;
                }
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
    }

    /// Waits until a call is in this state.
    pub(crate) async fn until_call(&mut self, tool: &str, status: &str) {
        self.until(&format!("{tool} to be {status}"), |event| match event {
            Event::PartUpdated { part, .. } => match &part.body {
                PartBody::Tool(call) => (call.tool == tool && call.state().status() == status).then_some(()),
                _ => None,
            },
            _ => None,
        })
        .await;
    }

    /// Waits until somebody has said this.
    pub(crate) async fn until_said(&mut self, said: &str) {
        self.until(said, |event| match event {
            Event::PartUpdated { part, .. } => match &part.body {
                PartBody::Text(text) => text.text.contains(said).then_some(()),
                _ => None,
            },
            _ => None,
        })
        .await;
    }

    /// Everything that was heard and not waited for, by `type`.
    pub(crate) fn counts(&mut self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        while let Ok(event) = self.receiver.try_recv() {
            let kind = serde_json::to_value(&event).unwrap()["type"].as_str().unwrap().to_owned();
            *counts.entry(kind).or_default() += 1;
        }
        counts
    }
}
