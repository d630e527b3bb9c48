//! A temporary project with everything a call needs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use praxis_os::process::Launcher;
use praxis_policy::LogEntry;
use praxis_proto::{Action, CallId, Mint, Rule, SessionId};
use praxis_text::Limits;
use praxis_tools::builtin::{self, NearbyInstructions, SearchService, Services};
use praxis_tools::registry::{Done, Reach, Scene, Source, Switches};
use praxis_tools::shell::{DEFAULT_TIMEOUT, Environment, OnTimeout, Shell, ShellChoice, ShellParts, Views};
use praxis_tools::{
    Attendance, Authority, Bus, Cx, CxParts, DecisionObserver, Files, GrantStore, Guard, Hooks, ImageLimits,
    Instance, MemoryTodos, NoGrants, OutputStore, Permissions, PermissionsParts, Questions, Registry,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) struct Lab {
    pub(crate) project: TempDir,
    pub(crate) data: TempDir,
    pub(crate) bus: Bus,
    pub(crate) permissions: Arc<Permissions>,
    pub(crate) questions: Arc<Questions>,
    pub(crate) registry: Registry,
    pub(crate) shell: Shell,
    pub(crate) scene: Scene,
    pub(crate) cancel: CancellationToken,
    seen: Arc<Seen>,
    mint: Arc<Mint>,
}

#[derive(Default)]
struct Seen(Mutex<Vec<LogEntry>>);

impl DecisionObserver for Seen {
    fn decided(&self, entry: &LogEntry) {
        self.0.lock().unwrap().push(entry.clone());
    }
}

pub(crate) struct Plan {
    rules: Vec<Rule>,
    store: Arc<dyn GrantStore>,
    attendance: Attendance,
    hooks: Vec<Arc<dyn Hooks>>,
    limits: Limits,
    sources: Vec<Box<dyn FnOnce(Registry) -> Registry>>,
    switches: Switches,
    search: SearchService,
    files: Files,
    known: Vec<PathBuf>,
    reach: Reach,
}

impl Plan {
    /// Offers every tool, whatever the model.
    pub(crate) fn everything(mut self) -> Self {
        self.reach = Reach::Everything;
        self
    }

    pub(crate) fn files(mut self, files: Files) -> Self {
        self.files = files;
        self
    }

    pub(crate) fn search(mut self, search: SearchService) -> Self {
        self.search = search;
        self
    }

    pub(crate) fn rule(mut self, permission: &str, pattern: &str, action: Action) -> Self {
        self.rules.push(Rule::built_in("test", permission, pattern, action));
        self
    }

    pub(crate) fn store(mut self, store: impl GrantStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    pub(crate) fn unattended(mut self) -> Self {
        self.attendance = Attendance::Unattended;
        self
    }

    pub(crate) fn hook(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks.push(Arc::new(hooks));
        self
    }

    pub(crate) fn limits(mut self, lines: usize, bytes: usize) -> Self {
        self.limits = Limits { lines, bytes };
        self
    }

    pub(crate) fn source(mut self, source: impl Source + 'static) -> Self {
        self.sources.push(Box::new(|registry| registry.with(source)));
        self
    }

    pub(crate) fn switches(mut self, switches: Switches) -> Self {
        self.switches = switches;
        self
    }

    pub(crate) fn start(self) -> Lab {
        let project = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        let mint = Arc::new(Mint::new(|| 1_790_000_000_000));
        let (bus, seen) = (Bus::default(), Arc::new(Seen::default()));
        let hooks: Vec<Arc<Guard<dyn Hooks>>> =
            self.hooks.into_iter().map(|hooks| Arc::new(Guard::new(hooks, bus.clone()))).collect();
        let permissions = Permissions::open(PermissionsParts {
            mint: Arc::clone(&mint),
            bus: bus.clone(),
            store: self.store,
            clock: Arc::new(|| 7),
            attendance: self.attendance,
            observers: vec![Arc::clone(&seen) as Arc<dyn DecisionObserver>],
            hooks: hooks.clone(),
        });
        let questions = Arc::new(Questions::new(Arc::clone(&mint), bus.clone(), self.attendance));
        let outputs = OutputStore::new(data.path().join("tool-output"), Arc::clone(&mint), self.limits);
        let shell = Shell::new(ShellParts {
            launcher: Launcher::unguarded(),
            choice: ShellChoice::choose(None, None, Some("/usr/bin:/bin")),
            environment: Environment::default().with([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            outputs: outputs.clone(),
            timeout: DEFAULT_TIMEOUT,
            on_timeout: OnTimeout::Stop,
            home: data.path().to_owned(),
            temp: data.path().join("temp"),
            protected: Vec::new(),
            views: Views::off(),
            hooks: hooks.clone(),
        });
        let services = Services {
            questions: Arc::clone(&questions),
            todos: Arc::new(MemoryTodos::default()),
            search: self.search,
            files: self.files,
            images: ImageLimits::default(),
            instructions: NearbyInstructions::new(&["AGENTS.md", "CLAUDE.md", "CONTEXT.md"], self.known),
            shell: shell.clone(),
        };
        let registry = Registry::new(outputs).with(builtin::source(&services));
        let registry = self.sources.into_iter().fold(registry, |registry, add| add(registry));
        let registry = hooks.into_iter().fold(registry, Registry::hooked);
        let authority = Authority::new(self.rules);
        let scene = Scene { switches: self.switches, reach: self.reach, ..Scene::for_agent(authority) };
        Lab {
            project,
            data,
            bus,
            permissions: Arc::new(permissions.unwrap()),
            questions,
            registry,
            shell,
            scene,
            cancel: CancellationToken::new(),
            seen,
            mint,
        }
    }
}

impl Lab {
    /// Everything is allowed unless a later rule says otherwise.
    pub(crate) fn open() -> Plan {
        Plan {
            rules: vec![Rule::built_in("test", "*", "*", Action::Allow)],
            store: Arc::new(NoGrants),
            attendance: Attendance::Attended,
            hooks: vec![],
            limits: Limits::default(),
            sources: vec![],
            switches: Switches::default(),
            search: SearchService::default(),
            files: Files::default(),
            known: vec![],
            reach: Reach::Turn,
        }
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.project.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.project.path().canonicalize().unwrap().join(name).to_string_lossy().into_owned()
    }

    pub(crate) fn cx(&self, session: &str) -> Cx {
        self.cx_of(session, &self.cancel)
    }

    pub(crate) fn cx_cancelled_by(&self, cancel: &CancellationToken) -> Cx {
        self.cx_of("ses_test", cancel)
    }

    fn cx_of(&self, session: &str, cancel: &CancellationToken) -> Cx {
        Cx::new(CxParts {
            session: SessionId::from_raw(session),
            message: self.mint.message(),
            call: CallId::from_raw("call_1"),
            agent: "build".into(),
            authority: self.scene.authority.clone(),
            instance: Arc::new(Instance::open(Path::new(self.project.path()), None).unwrap()),
            permissions: Arc::clone(&self.permissions),
            bus: self.bus.clone(),
            cancel: cancel.clone(),
        })
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Done {
        let offer = self.registry.resolve(&self.scene).await;
        offer.call(tool, arguments, &self.cx("ses_test")).await
    }

    /// The output of a call that succeeds.
    pub(crate) async fn output(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.outcome.unwrap().output
    }

    /// The text of a call that fails.
    pub(crate) async fn error(&self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments).await.outcome.unwrap_err().to_string()
    }

    /// What was asked so far: `permission: patterns`.
    pub(crate) fn asked(&self) -> Vec<String> {
        let seen = self.seen.0.lock().unwrap();
        seen.iter().map(|entry| format!("{}: {}", entry.permission, entry.patterns.join(", "))).collect()
    }
}
