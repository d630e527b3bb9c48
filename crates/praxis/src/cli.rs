//! The command line as it is typed.

mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use run::{Format, RunArguments, StatsArguments};

/// Gives a language model hands: tools, permissions and the loop that ties them together.
#[derive(Debug, Parser)]
#[command(name = "praxis", version, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 done, 1 the work failed, 2 wrong usage or configuration,\n\
                        3 stopped by a rejected permission, 4 by a limit, 130 interrupted.\n\
                        PRAXIS_LOG=debug shows on stderr what happens inside; PRAXIS_DB=FILE keeps sessions there.\n\
                        New here? `praxis demo` shows the tool system at work, without a key.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give the model something to do, once, and see it through
    Run(Box<RunArguments>),
    /// A whole session on a sample project: a script plays the model, all else is real; no key, no network
    Demo,
    /// The tools: what a model would see, and running one without a model
    #[command(subcommand)]
    Tool(ToolCommand),
    /// Permissions: what would be allowed and why, and what was granted for good
    #[command(subcommand)]
    Permission(PermissionCommand),
    /// The configuration: its values, its files, its schema
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Trust: which folders' own configuration may do more than narrow
    #[command(subcommand)]
    Trust(TrustCommand),
    /// The agents: who there is and what each may do
    #[command(subcommand)]
    Agent(AgentCommand),
    /// The slash commands: which there are and what they take
    #[command(subcommand, name = "command")]
    Slash(SlashCommand),
    /// Shell commands: what one would do, before it does
    #[command(subcommand)]
    Shell(ShellCommand),
    /// Look at this machine: configuration, shell, processes, containment; says what is missing
    Doctor {
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The models: which there are, what they cost, and which you can use
    Models(ModelsArguments),
    /// Keys: store one, list them, remove one
    #[command(subcommand)]
    Auth(AuthCommand),
    /// The sessions: what was said and done
    #[command(subcommand)]
    Session(SessionCommand),
    /// What the sessions come to: messages, calls, tokens, money
    Stats(StatsArguments),
    /// Looking inside: what a provider's answer means
    #[command(subcommand)]
    Debug(DebugCommand),
    /// Print a completion script for a shell
    ///
    /// For example `praxis completion bash > ~/.local/share/bash-completion/completions/praxis`.
    Completion {
        /// The shell
        shell: Shell,
    },
}

/// Which project, and with which configuration.
#[derive(Debug, Args, Clone)]
pub(crate) struct Place {
    /// Work in this directory instead of the current one
    #[arg(long, value_name = "DIR", alias = "dir")]
    pub(crate) cwd: Option<PathBuf>,
    /// A configuration file on top of all others
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Trust the project's own configuration with all it wants, this time (also PRAXIS_TRUST=1)
    #[arg(long)]
    pub(crate) trust: bool,
}

/// Which agent, in which project.
#[derive(Debug, Args, Clone)]
pub(crate) struct AgentPlace {
    /// The agent whose rules hold; `build` unless the configuration names another default
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// List the tools a model would be offered
    List {
        #[command(flatten)]
        at: AgentPlace,
        /// For this model, as provider/model
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        /// Print JSON: name, description and schema of each
        #[arg(long)]
        json: bool,
    },
    /// Show one tool as a model would see it
    Show {
        /// The tool's name
        id: String,
        #[command(flatten)]
        at: AgentPlace,
        /// For this model, as provider/model
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run one tool without a model and print one JSON object
    ///
    /// The object has status, title, output, metadata, attachments, error and asks. The exit code is 0 if the tool
    /// completed, 1 if it failed, 2 if the command line or the configuration is wrong.
    Run {
        /// The tool's name
        id: String,
        /// The arguments: a JSON object, `-` for standard input, or `@FILE`
        #[arg(long, value_name = "JSON", default_value = "{}")]
        input: String,
        /// How questions for permission are answered; without it a terminal asks you, and elsewhere they are refused.
        /// What the rules deny stays denied
        #[arg(long, value_enum)]
        ask: Option<Answer>,
        #[command(flatten)]
        at: AgentPlace,
    },
}

/// What becomes of a question for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Answer {
    /// Grant each, once
    Allow,
    /// Reject each
    Deny,
    /// Grant each, once; the printed object lists what was asked
    Print,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionCommand {
    /// Would this be allowed? Prints {"action", "rule", "ceiling"}
    Check {
        #[command(flatten)]
        act: Act,
        #[command(flatten)]
        at: AgentPlace,
    },
    /// Why? Tells every rule, ceiling and grant that has a say
    Explain {
        #[command(flatten)]
        act: Act,
        #[command(flatten)]
        at: AgentPlace,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what you granted for good in this project
    List {
        #[command(flatten)]
        place: Place,
        /// In all projects
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take back what you granted for good in this project
    Revoke {
        /// The permission, for example `edit`
        #[arg(required_unless_present = "all")]
        permission: Option<String>,
        /// The pattern; without it all grants of the permission go
        pattern: Option<String>,
        /// Take back everything
        #[arg(long, conflicts_with = "permission")]
        all: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Show the last decisions with the rule, file and line behind each
    Log {
        /// How many
        #[arg(long, default_value_t = 20)]
        last: usize,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
}

/// An act to decide on.
#[derive(Debug, Args)]
pub(crate) struct Act {
    /// Which permission, for example `edit` or `bash`
    #[arg(long, value_name = "NAME")]
    pub(crate) permission: String,
    /// On what, for example a path or a command; several must all be allowed. Write --pattern=-x for one that
    /// begins with a dash
    #[arg(long = "pattern", value_name = "TEXT", num_args = 1.., default_value = "*")]
    pub(crate) patterns: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the merged configuration as JSON, secrets hidden
    Show {
        #[command(flatten)]
        place: Place,
    },
    /// Print the files the configuration comes from, the strongest last
    Path {
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of configuration files, for editors
    Schema,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List the folders that are trusted, and with what
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what the configuration of a folder wants, and trust it with that
    ///
    /// Without trust a project's configuration may only narrow: rules that ask and deny, a stricter sandbox, and
    /// instructions, agents and commands as text. When it wants more later, it is asked about again.
    Add {
        /// The folder; without it the current one. It is the whole project that is trusted
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget what was said about a folder
    Remove {
        /// The folder; without it the current one
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// List the agents, the default first
    List {
        #[command(flatten)]
        place: Place,
        /// Also those that work behind the scenes
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one agent with its rules and ceilings
    Show {
        /// The agent's name
        name: String,
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SlashCommand {
    /// List the slash commands by name
    List {
        #[command(flatten)]
        place: Place,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShellCommand {
    /// Print every simple command, path and write of a script as JSON; nothing is run
    ///
    /// `dynamic` is true where the text alone does not tell what would happen.
    Parse {
        /// The script
        #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
        script: String,
        /// Tell in words what is dynamic and what is risky instead
        #[arg(long)]
        why: bool,
        /// Read it as if started in this directory instead of the current one
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
    },
}

/// Which models to show.
#[derive(Debug, Args)]
pub(crate) struct ModelsArguments {
    /// Only this provider's, whether it can be used or not
    #[arg(value_name = "PROVIDER")]
    pub(crate) provider: Option<String>,
    /// Also those of providers that cannot be used yet
    #[arg(long)]
    pub(crate) all: bool,
    /// Fetch the newest catalogue and keep it; nothing is fetched otherwise
    ///
    /// PRAXIS_MODELS_URL names another server. Until then the catalogue inside the program is used.
    #[arg(long, conflicts_with_all = ["provider", "all", "local"])]
    pub(crate) refresh: bool,
    /// Look for model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM
    #[arg(long, conflicts_with_all = ["provider", "all"])]
    pub(crate) local: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Store a provider's key in a file that only you can read
    Login {
        /// The provider, for example `anthropic`; without it a terminal asks
        provider: Option<String>,
        /// Read the key from standard input instead of asking for it
        #[arg(long)]
        key_stdin: bool,
        #[command(flatten)]
        place: Place,
    },
    /// List which providers have a key, and where it comes from; keys are never shown
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Remove a provider's stored key
    Logout {
        /// The provider
        provider: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the sessions of this directory, the last used first
    List {
        /// At most so many
        #[arg(long, value_name = "N", default_value_t = 100)]
        limit: usize,
        /// Those of all directories, of subagents, and those put away too
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what was said and done in a session
    Show {
        /// The session's id, the beginning of it, or `last`
        id: String,
        /// Print JSON, as `export` does
        #[arg(long)]
        json: bool,
    },
    /// Write a whole session as JSON, in the form OpenCode exports
    Export {
        /// The session's id, the beginning of it, or `last`
        id: String,
        /// Into this file, which must not exist, instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take in a session that Praxis or OpenCode exported, with the ids it has
    Import {
        /// The file, or `-` for standard input
        file: PathBuf,
        /// Put it in the place of a session with the same id
        #[arg(long)]
        replace: bool,
    },
    /// Copy a session, with its agent, model and rules, and print the copy's id
    Fork {
        /// The session's id, the beginning of it, or `last`
        id: String,
        /// Only what was said before this message
        #[arg(long, value_name = "MESSAGE")]
        before: Option<String>,
    },
    /// Delete sessions, and those their subagents had
    Delete {
        /// The sessions' ids, or the beginnings of them
        #[arg(required = true)]
        ids: Vec<String>,
        /// Without a question
        #[arg(long)]
        yes: bool,
    },
    /// Look for anything wrong with the store; with --repair put it right
    Doctor {
        /// Put right what can be put right. A damaged store is kept aside
        #[arg(long)]
        repair: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Find where something was said
    Search {
        /// Words, or a piece of text
        #[arg(required = true)]
        text: Vec<String>,
        /// At most so many places
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DebugCommand {
    /// Read the body of a provider's answer from standard input and print its events, one JSON object a line
    ///
    /// Ends with 0 when the answer was complete and with 1 when it ended in an error. For example
    /// `curl -sN … | praxis debug stream --provider anthropic`.
    Stream {
        /// Whose format the body has; `openai` is Chat Completions and everything like it
        #[arg(long, value_name = "PROVIDER")]
        provider: WireName,
    },
}

/// A wire format.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WireName {
    Anthropic,
    Openai,
    OpenaiResponses,
    Google,
}
