//! One opened project: everything a call needs, put together once.

use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexSet;

use praxis_config::{
    ConfigError, Instruction, Instructions, Loaded, Reference, Request, SandboxMode, SandboxNetwork,
    SandboxSetting, Surroundings, Trust, find_worktree,
};
use praxis_os::process::Launcher;
use praxis_os::sandbox::{self, Network};
use praxis_policy::shell::{Hold, Protected};
use praxis_policy::{Authority, Ceiling, Layout, lint};
use praxis_proto::{Action, CallId, MessageId, Mint, Origin, Rule, SessionId};
use praxis_text::Limits;
use praxis_tools::builtin::{self, NearbyInstructions, SearchService, Services};
use praxis_tools::registry::{Client, ModelRef, Scene, Switches};
use praxis_tools::shell::{
    DEFAULT_TIMEOUT, OnTimeout, Shell, ShellChoice, ShellParts, ViewMode, ViewParts, Views,
};
use praxis_tools::{
    Attendance, Bus, Cx, CxParts, DecisionObserver, Files, GrantFile, Guard, Hooks, ImageLimits, Instance,
    OutputStore, Permissions, PermissionsParts, ProjectGrants, Questions, Registry, TrustFile, system_clock,
};
use tokio_util::sync::CancellationToken;

use crate::command::Commands;
use crate::environment::environment;
use crate::todos::SessionTodos;
use crate::{Agent, AgentError, Agents, DecisionFile};

/// Why a project could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such folder.
    #[error("could not open {}: {source}", path.display())]
    Directory {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The agents do not add up.
    #[error(transparent)]
    Agents(#[from] AgentError),
    /// The stored grants cannot be read.
    #[error("could not read the stored permissions: {0}")]
    Grants(#[source] io::Error),
}

/// How to open a project.
pub struct Opening<'a> {
    /// The machine around the program.
    pub surroundings: &'a Surroundings,
    /// The folder to work in.
    pub directory: &'a Path,
    /// A configuration file on top of all others.
    pub config_file: Option<PathBuf>,
    /// How far the project's own configuration is trusted.
    pub trust: Trust,
    /// Whether somebody answers questions for permission.
    pub attendance: Attendance,
    /// Whether somebody answers the questions a model puts.
    pub questions: Attendance,
    /// Who hears of decisions, beside the log file.
    pub observers: Vec<Arc<dyn DecisionObserver>>,
    /// Starts commands.
    pub launcher: Launcher,
    /// Extensions that take part in calls, in their order.
    pub hooks: Vec<Arc<dyn Hooks>>,
}

/// An opened project.
pub struct Workbench {
    /// Where it is.
    pub instance: Arc<Instance>,
    /// How it is configured.
    pub loaded: Loaded,
    /// Who works in it.
    pub agents: Agents,
    /// Who decides.
    pub permissions: Arc<Permissions>,
    /// Questions to the user.
    pub questions: Arc<Questions>,
    /// The tools.
    pub registry: Registry,
    /// Who listens.
    pub bus: Bus,
    /// Makes ids.
    pub mint: Arc<Mint>,
    /// Runs commands.
    pub shell: Shell,
    /// The slash commands.
    pub commands: Commands,
    /// Where instructions are read from, in order.
    pub instructions: Vec<Instruction>,
    /// How large a picture may be.
    pub images: ImageLimits,
    pub(crate) todos: Arc<SessionTodos>,
    switches: Switches,
}

/// Who makes a call.
#[derive(Debug, Clone)]
pub struct CallSetting {
    /// The session.
    pub session: SessionId,
    /// The assistant message that holds the call.
    pub message: MessageId,
    /// The call.
    pub call: CallId,
    /// Stops it.
    pub cancel: CancellationToken,
}

impl Workbench {
    /// Reads the configuration and puts everything together. Starts no process and opens no socket.
    pub fn open(opening: Opening<'_>) -> Result<Self, OpenError> {
        let Opening {
            surroundings,
            directory,
            config_file,
            trust,
            attendance,
            questions,
            observers,
            launcher,
            hooks,
        } = opening;
        let at = |source| OpenError::Directory { path: directory.to_owned(), source };
        let directory = directory.canonicalize().map_err(at)?;
        let worktree = find_worktree(&directory);
        let instance = Instance::open(&directory, worktree.as_deref()).map_err(at)?;
        let instance = instance.with_home(
            &surroundings.home,
            &own_folders(surroundings),
            &surroundings.dirs.data().join("plans"),
        );
        let loaded = praxis_config::load(
            surroundings,
            &Request {
                worktree: instance.root().to_owned(),
                directory: directory.clone(),
                extra_file: config_file,
                trust,
            },
        )?;
        let data = surroundings.dirs.data();
        let layout = layout(&data, &loaded, instance.root(), &surroundings.home);
        let agents = Agents::assemble(&loaded, &layout)?;

        let clock = system_clock();
        let mint = Arc::new(Mint::new({
            let clock = Arc::clone(&clock);
            move || clock()
        }));
        let bus = Bus::default();
        let hooks: Vec<Arc<Guard<dyn Hooks>>> =
            hooks.into_iter().map(|hooks| Arc::new(Guard::new(hooks, bus.clone()))).collect();
        let log = DecisionFile::at(DecisionFile::path_in(surroundings));
        let permissions = Permissions::open(PermissionsParts {
            mint: Arc::clone(&mint),
            bus: bus.clone(),
            store: Arc::new(Self::grants(surroundings, instance.root())),
            clock,
            attendance,
            observers: observers.into_iter().chain([Arc::new(log) as Arc<dyn DecisionObserver>]).collect(),
            hooks: hooks.clone(),
        })
        .map_err(OpenError::Grants)?;
        let questions = Arc::new(Questions::new(Arc::clone(&mint), bus.clone(), questions));
        let outputs = OutputStore::new(data.join("tool-output"), Arc::clone(&mint), limits(&loaded));
        let shell = shell(surroundings, &loaded, &instance, launcher, outputs.clone(), hooks.clone());
        let instructions = loaded.instructions.clone();
        let todos: Arc<SessionTodos> = Arc::default();
        let services = Services {
            questions: Arc::clone(&questions),
            todos: Arc::clone(&todos) as Arc<dyn praxis_tools::TodoStore>,
            search: search(surroundings),
            files: Files::default(),
            images: images(&loaded),
            instructions: nearby(surroundings, &instructions),
            shell: shell.clone(),
        };
        Ok(Self {
            commands: Commands::assemble(&loaded, instance.root(), surroundings),
            images: images(&loaded),
            instructions,
            instance: Arc::new(instance),
            todos,
            switches: switches(&loaded, surroundings),
            agents,
            permissions: Arc::new(permissions),
            questions,
            registry: hooks
                .into_iter()
                .fold(Registry::new(outputs).with(builtin::source(&services)), Registry::hooked),
            bus,
            mint,
            shell,
            loaded,
        })
    }

    /// The folder that a project goes by: its worktree, or the folder itself, without links.
    pub fn root_of(directory: &Path) -> Result<PathBuf, OpenError> {
        let at = |source| OpenError::Directory { path: directory.to_owned(), source };
        let directory = directory.canonicalize().map_err(at)?;
        let instance = Instance::open(&directory, find_worktree(&directory).as_deref()).map_err(at)?;
        Ok(instance.root().to_owned())
    }

    /// The file that says which folders are trusted with what.
    pub fn trust_file(surroundings: &Surroundings) -> TrustFile {
        TrustFile::at(surroundings.dirs.data().join("trust.json"))
    }

    /// The stored grants of a project.
    pub fn grants(surroundings: &Surroundings, root: &Path) -> ProjectGrants {
        Self::grant_file(surroundings).project(root)
    }

    /// The file with all stored grants.
    pub fn grant_file(surroundings: &Surroundings) -> GrantFile {
        GrantFile::at(surroundings.dirs.data().join("grants.json"))
    }

    /// What looks wrong: in the configuration, and in the rules it adds up to.
    pub fn warnings(&self) -> Vec<String> {
        let config = self.loaded.warnings.iter().map(ToString::to_string);
        let general = lint(&self.loaded.rules);
        let own = self.loaded.agents().values().flat_map(|agent| lint(&agent.rules));
        let rules = general.into_iter().chain(own).map(|finding| finding.to_string());
        // An agent's rules are mostly those of all.
        let told: IndexSet<String> = config.chain(rules).collect();
        told.into_iter().collect()
    }

    /// The moment for which tools are resolved.
    pub fn scene(&self, agent: &Agent, model: Option<ModelRef>) -> Scene {
        Scene {
            model,
            client: Client::Cli,
            switches: self.switches,
            ..Scene::for_agent(agent.authority.clone())
        }
    }

    /// The authority of the user, who does what `act` says: no rule binds them, only managed configuration does.
    pub(crate) fn users_authority(&self, act: &str) -> Authority {
        let allow = Rule {
            permission: "*".to_owned(),
            pattern: "*".to_owned(),
            action: Action::Allow,
            origin: Origin::Named(act.into()),
        };
        let authority = Authority::new(vec![allow]);
        match self.loaded.managed.rules.as_slice() {
            [] => authority,
            rules => authority.under(Ceiling::new("managed configuration", rules.to_vec())),
        }
    }

    /// The context of a call by an agent.
    pub fn cx(&self, agent: &Agent, setting: CallSetting) -> Cx {
        let CallSetting { session, message, call, cancel } = setting;
        Cx::new(CxParts {
            session,
            message,
            call,
            agent: agent.name.clone(),
            authority: agent.authority.clone(),
            instance: Arc::clone(&self.instance),
            permissions: Arc::clone(&self.permissions),
            bus: self.bus.clone(),
            cancel,
        })
    }
}

/// The folders of what we and OpenCode know and were allowed.
fn own_folders(surroundings: &Surroundings) -> Vec<PathBuf> {
    let dirs = &surroundings.dirs;
    let kept = [dirs.data(), dirs.relative_data(), dirs.state(), dirs.cache()];
    kept.into_iter().chain(dirs.global()).chain(surroundings.managed.clone()).collect()
}

fn layout(data: &Path, loaded: &Loaded, root: &Path, home: &Path) -> Layout {
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let folder = |given: &str| match given.strip_prefix("~/") {
        Some(below) => text(home.join(below)),
        None => text(root.join(given)),
    };
    let readable = loaded.config.references.values().filter_map(|reference| match reference {
        Reference::Local(local) => Some(folder(&local.path)),
        Reference::Short(path) if path.starts_with(['.', '/', '~']) => Some(folder(path)),
        // A repository has no folder before it is fetched.
        Reference::Short(_) | Reference::Git(_) => None,
    });
    Layout {
        tool_output: text(data.join("tool-output")),
        temp: text(temp(root)),
        plans: text(data.join("plans")),
        readable: readable.collect(),
    }
}

fn images(loaded: &Loaded) -> ImageLimits {
    let (given, usual) = (&loaded.config.attachment.image, ImageLimits::default());
    let bytes = given.max_base64_bytes.and_then(|bytes| usize::try_from(bytes).ok());
    ImageLimits {
        auto_resize: given.auto_resize.unwrap_or(usual.auto_resize),
        max_width: given.max_width.unwrap_or(usual.max_width),
        max_height: given.max_height.unwrap_or(usual.max_height),
        max_base64_bytes: bytes.unwrap_or(usual.max_base64_bytes),
    }
}

/// What the read tool need not tell, because the system text does.
fn nearby(surroundings: &Surroundings, known: &[Instruction]) -> NearbyInstructions {
    let files = known.iter().filter_map(|known| match known {
        Instruction::File(path) => Some(path.clone()),
        Instruction::Url(_) => None,
    });
    NearbyInstructions::new(Instructions::names(surroundings), files.collect())
}

fn search(surroundings: &Surroundings) -> SearchService {
    let key = surroundings.variables.get("EXA_API_KEY").filter(|key| !key.is_empty()).cloned();
    SearchService::new(surroundings.flag("EXA_URL").map(str::to_owned), key)
}

/// The folder for temporary files of a project that needs no permission.
fn temp(root: &Path) -> PathBuf {
    let mut hasher = std::hash::DefaultHasher::new();
    root.hash(&mut hasher);
    praxis_os::temporary_dir(&format!("{:016x}", hasher.finish()))
}

fn shell(
    surroundings: &Surroundings,
    loaded: &Loaded,
    instance: &Instance,
    launcher: Launcher,
    outputs: OutputStore,
    hooks: Vec<Arc<Guard<dyn Hooks>>>,
) -> Shell {
    let variable = |name: &str| surroundings.variables.get(name).map(String::as_str);
    let given = &loaded.config.shell_tool;
    let flagged = surroundings.flag("EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS").and_then(|ms| ms.parse().ok());
    let timeout = flagged.filter(|ms| *ms > 0).or(given.timeout_ms);
    let on_timeout = match given.on_timeout {
        Some(praxis_config::OnTimeout::Background) => OnTimeout::Background,
        Some(praxis_config::OnTimeout::Stop) | None => OnTimeout::Stop,
    };
    Shell::new(ShellParts {
        launcher,
        choice: ShellChoice::choose(loaded.config.shell.as_deref(), variable("SHELL"), variable("PATH")),
        environment: environment(surroundings, loaded),
        outputs,
        timeout: timeout.map_or(DEFAULT_TIMEOUT, Duration::from_millis),
        on_timeout,
        home: surroundings.home.clone(),
        temp: temp(instance.root()),
        protected: protected(surroundings, instance),
        views: views(surroundings, loaded, instance),
        hooks,
    })
}

fn views(surroundings: &Surroundings, loaded: &Loaded, instance: &Instance) -> Views {
    let settings = loaded.config.sandbox.as_ref().map(SandboxSetting::settings).unwrap_or_default();
    let root = instance.root();
    let dirs = &surroundings.dirs;
    // Our data and keys are no command's business, whatever it may read.
    let mut own = vec![dirs.data(), dirs.relative_data(), dirs.state(), dirs.cache()];
    own.extend(dirs.global());
    Views::new(ViewParts {
        mode: match settings.mode() {
            SandboxMode::Off => ViewMode::Off,
            SandboxMode::Auto => ViewMode::Auto,
            SandboxMode::Required => ViewMode::Required,
        },
        home: surroundings.home.clone(),
        path: surroundings.variables.get("PATH").cloned(),
        temp: temp(root),
        own,
        outputs: dirs.data().join("tool-output"),
        readable: settings.readable_paths(root, surroundings),
        writable: settings.writable_paths(root, surroundings),
        unreadable: settings.unreadable_paths(root, surroundings),
        network: match settings.network() {
            SandboxNetwork::Allow => Network::Allow,
            SandboxNetwork::Deny => Network::Deny,
            SandboxNetwork::Loopback => Network::Loopback,
        },
        unix_sockets: settings.unix_sockets.unwrap_or(false),
        limits: sandbox::Limits {
            cpu_seconds: settings.limits.cpu_seconds,
            memory_bytes: settings.limits.memory_bytes(),
            file_bytes: settings.limits.file_bytes(),
            processes: settings.limits.processes,
        },
        auto_allow: settings.auto_allow.unwrap_or(false),
    })
}

/// What decides how Praxis and its relatives act in a project, by name.
fn configuration_names() -> impl Iterator<Item = String> {
    let entries = praxis_policy::places::in_project().iter().filter(|entry| entry.name != ".git");
    // A star stands for the letter that says that comments are fine.
    entries.flat_map(|entry| match entry.name.strip_suffix('*') {
        Some(name) => vec![name.to_owned(), format!("{name}c")],
        None => vec![entry.name.to_owned()],
    })
}

/// What must not be lost, by real paths.
fn protected(surroundings: &Surroundings, instance: &Instance) -> Vec<Protected> {
    let dirs = &surroundings.dirs;
    let places = [
        ("the whole file system", PathBuf::from("/"), Hold::Whole),
        ("the home folder", surroundings.home.clone(), Hold::Whole),
        ("the project", instance.root().to_owned(), Hold::Whole),
        ("the project folder", instance.directory().to_owned(), Hold::Whole),
        ("the git folder of the project", instance.root().join(".git"), Hold::Content),
        ("the data of Praxis", dirs.data(), Hold::Sealed),
        ("the state of Praxis", dirs.state(), Hold::Sealed),
        ("the configuration of Praxis", dirs.config(), Hold::Whole),
    ];
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path).to_string_lossy().into_owned();
    let folders = [instance.root(), instance.directory()].into_iter();
    let configuration = folders.flat_map(|folder| configuration_names().map(move |name| folder.join(name)));
    let configuration = configuration.map(|path| ("the configuration of the project", path, Hold::Sealed));
    let named = places.into_iter().chain(configuration).map(|(name, path, hold)| Protected {
        path: real(path),
        name: name.to_owned(),
        hold,
    });
    named.collect()
}

fn limits(loaded: &Loaded) -> Limits {
    let Limits { lines, bytes } = Limits::default();
    let given = &loaded.config.tool_output;
    let count =
        |value: Option<u64>, usual: usize| value.and_then(|v| usize::try_from(v).ok()).unwrap_or(usual);
    Limits { lines: count(given.max_lines, lines), bytes: count(given.max_bytes, bytes) }
}

fn switches(loaded: &Loaded, surroundings: &Surroundings) -> Switches {
    let experimental = &loaded.config.experimental;
    // The older `tools` map names tools too; who switches one on there wants to have it.
    let on = |switch: Option<bool>, tool: &str| {
        switch.or_else(|| loaded.config.tools.get(tool).copied()).unwrap_or(false)
    };
    Switches {
        question: surroundings.is_on("ENABLE_QUESTION_TOOL"),
        batch: on(experimental.batch_tool, "batch"),
        todoread: on(experimental.todoread_tool, "todoread"),
        codesearch: on(experimental.codesearch_tool, "codesearch"),
        websearch: ["ENABLE_EXA", "EXPERIMENTAL_EXA", "ENABLE_PARALLEL", "EXPERIMENTAL"]
            .into_iter()
            .any(|flag| surroundings.is_on(flag)),
        patch: experimental.patch_tool,
    }
}
