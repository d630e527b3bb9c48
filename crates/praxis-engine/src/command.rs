//! Slash commands: prompts with a name, from us, from configuration and from extensions.

mod prepare;
mod template;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use praxis_config::{CommandConfig, Loaded, Surroundings};
use praxis_proto::Origin;

pub use prepare::{Caller, Prepared, prepare};
pub use template::{Piece, expand, expanded_at_most, hints, split_arguments};

use crate::prompts;

/// A prompt with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What is typed behind the slash.
    pub name: String,
    /// What it does, for lists.
    pub description: Option<String>,
    /// The prompt.
    pub template: String,
    /// The agent that runs it.
    pub agent: Option<String>,
    /// The model that runs it, as `provider/model`.
    pub model: Option<String>,
    /// The model's variant.
    pub variant: Option<String>,
    /// Whether it runs in a subagent; none means that its agent decides.
    pub subtask: Option<bool>,
    /// Where it comes from.
    pub origin: CommandOrigin,
}

/// Where a command comes from, which decides whether its shell commands need an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOrigin {
    /// It comes with Praxis.
    BuiltIn,
    /// The user's own configuration; the file, where it is one.
    User(Option<PathBuf>),
    /// A file of the project, which somebody else may have written.
    Project(PathBuf),
    /// A prompt of an MCP server.
    Server(String),
    /// A skill.
    Skill(String),
}

impl CommandOrigin {
    /// The word for lists.
    pub fn word(&self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::User(_) => "user",
            Self::Project(_) => "project",
            Self::Server(_) => "mcp",
            Self::Skill(_) => "skill",
        }
    }

    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::User(file) => file.as_deref(),
            Self::Project(file) => Some(file),
            Self::BuiltIn | Self::Server(_) | Self::Skill(_) => None,
        }
    }
}

impl Command {
    fn built_in(name: &str, description: &str, template: &str, subtask: Option<bool>) -> Self {
        Self {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            template: template.trim_end().to_owned(),
            agent: None,
            model: None,
            variant: None,
            subtask,
            origin: CommandOrigin::BuiltIn,
        }
    }

    fn configured(name: &str, config: &CommandConfig, origin: CommandOrigin) -> Self {
        let CommandConfig { template, description, agent, model, variant, subtask, .. } = config.clone();
        Self { name: name.to_owned(), description, template, agent, model, variant, subtask, origin }
    }

    /// The placeholders of its template, for completion.
    pub fn hints(&self) -> Vec<String> {
        hints(&self.template)
    }

    /// Names this very text, so that an approval ends with it.
    pub fn fingerprint(&self) -> String {
        let hash = blake3::hash(self.template.as_bytes()).to_hex();
        format!("/{}@{}", self.name, &hash[..16])
    }
}

/// Why a command does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is none of that name.
    #[error("there is no command `/{name}`{}; `praxis command list` shows those there are", meant(.suggestion))]
    Unknown {
        /// The name.
        name: String,
        /// The name that may have been meant.
        suggestion: Option<String>,
    },
    /// Its agent does not exist.
    #[error("the command `/{command}` cannot run: {problem}")]
    Agent {
        /// The command.
        command: String,
        /// What is wrong with the agent.
        problem: String,
    },
    /// Its model is none.
    #[error(
        "the command `/{command}` names the model `{model}`; write provider/model, for example openai/gpt-5"
    )]
    Model {
        /// The command.
        command: String,
        /// The model as it is written.
        model: String,
    },
    /// Its shell commands were not approved.
    #[error(
        "the command `/{command}` comes with the project and runs `{script}`, which was not approved: {refusal} \
         Approve it where you are asked, or allow `\"bash\": {{ \"{fingerprint}\": \"allow\" }}` in your configuration"
    )]
    NotApproved {
        /// The command.
        command: String,
        /// What it runs.
        script: String,
        /// What the desk said.
        refusal: String,
        /// The pattern that a rule can allow.
        fingerprint: String,
    },
    /// It would become too long, or run too much.
    #[error("the command `/{command}` cannot run: {problem}")]
    TooMuch {
        /// The command.
        command: String,
        /// Of what there is too much, and how much there may be.
        problem: String,
    },
    /// A shell command could not be started.
    #[error("the command `/{command}` could not run `{script}`: {problem}")]
    Shell {
        /// The command.
        command: String,
        /// What it runs.
        script: String,
        /// What went wrong.
        problem: String,
    },
    /// It was stopped.
    #[error("the command `/{0}` was cancelled")]
    Cancelled(String),
}

fn meant(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!(", did you mean `/{name}`?")).unwrap_or_default()
}

/// All commands of a project.
#[derive(Debug, Clone, Default)]
pub struct Commands {
    commands: IndexMap<String, Command>,
}

impl Commands {
    /// Ours, and over them those of the configuration.
    pub fn assemble(loaded: &Loaded, root: &Path, surroundings: &Surroundings) -> Self {
        let mut all = Self::default();
        let init = "Write or improve this project's AGENTS.md";
        let review = "Review a change: what is not committed, or a commit, branch or pull request";
        all.add(Command::built_in("init", init, prompts::INIT, None));
        all.add(Command::built_in("review", review, prompts::REVIEW, Some(true)));
        for (name, config) in loaded.commands() {
            let origin = loaded.origin_of(&format!("command.{name}.template"));
            all.add(Command::configured(name, config, origin_of(origin, root, surroundings)));
        }
        all.commands.sort_keys();
        all
    }

    /// Adds one. It replaces one of the same name, unless it is a skill.
    pub fn add(&mut self, command: Command) {
        let yields = matches!(command.origin, CommandOrigin::Skill(_));
        if yields && self.commands.contains_key(&command.name) {
            return;
        }
        self.commands.insert(command.name.clone(), command);
    }

    /// All of them by name.
    pub fn all(&self) -> impl Iterator<Item = &Command> {
        self.commands.values()
    }

    /// One by name, with or without the slash.
    pub fn get(&self, name: &str) -> Result<&Command, CommandError> {
        let name = name.strip_prefix('/').unwrap_or(name);
        self.commands.get(name).ok_or_else(|| {
            let near = |known: &&String| strsim::osa_distance(known, name) <= 2;
            let nearest =
                self.commands.keys().filter(near).min_by_key(|known| strsim::osa_distance(known, name));
            CommandError::Unknown { name: name.to_owned(), suggestion: nearest.cloned() }
        })
    }
}

/// A file below the project is the project's, unless it is where the user's own configuration lives.
fn origin_of(origin: Option<&Origin>, root: &Path, surroundings: &Surroundings) -> CommandOrigin {
    let Some(place) = origin.and_then(Origin::place) else { return CommandOrigin::User(None) };
    let file = place.file.as_path();
    let is_users = surroundings.dirs.global().iter().any(|folder| file.starts_with(folder));
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let in_project = file.starts_with(root) || real.starts_with(root);
    if in_project && !is_users {
        return CommandOrigin::Project(file.to_owned());
    }
    CommandOrigin::User(Some(file.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_command_replaces_an_earlier_one_and_a_skill_replaces_none() {
        let mut all = Commands::default();
        let command = |template: &str, origin: CommandOrigin| Command {
            origin,
            ..Command::built_in("fix", "d", template, None)
        };
        all.add(command("first", CommandOrigin::BuiltIn));
        all.add(command("second", CommandOrigin::Server("s".into())));
        all.add(command("third", CommandOrigin::Skill("fix".into())));
        let templates: Vec<&str> = all.all().map(|command| command.template.as_str()).collect();
        assert_eq!(templates, ["second"]);
        assert_eq!(all.get("/fix").unwrap().template, "second");
        assert_eq!(
            all.get("/fxi").unwrap_err().to_string(),
            "there is no command `/fxi`, did you mean `/fix`?; `praxis command list` shows those there are"
        );
    }

    #[test]
    fn an_approval_is_for_one_text_of_one_command() {
        let print = |name, template| Command::built_in(name, "", template, None).fingerprint();
        assert_eq!(print("a", "text"), print("a", "text"));
        assert_ne!(print("a", "text"), print("a", "text!"));
        assert_ne!(print("a", "text"), print("b", "text"));
        assert!(print("a", "text").starts_with("/a@") && !print("a", "*").contains(['*', '?']));
    }
}
