//! Every text of ours that a model reads outside of tool descriptions, kept as files beside this one.

use praxis_policy::BuiltIn;

/// The whole text of a family: what all models are told, then what this one needs to hear.
macro_rules! family {
    ($file:literal) => {
        concat!(include_str!("prompts/base.txt"), include_str!(concat!("prompts/family/", $file, ".txt")))
    };
}

/// Put behind the family's text for agents that work for another agent.
pub(crate) const HELPER: &str = include_str!("prompts/agent/helper.txt");
/// Planning: look, change nothing.
pub(crate) const PLAN: &str = include_str!("prompts/note/plan.txt");
/// Planning is over.
pub(crate) const BUILD: &str = include_str!("prompts/note/build.txt");
/// The run's last step: no tools, an answer in text. It goes behind the newest user-side message.
pub const STEP_LIMIT: &str = include_str!("prompts/note/step_limit.txt");
/// The answer has to be a call of `StructuredOutput`.
pub(crate) const STRUCTURED: &str = include_str!("prompts/note/structured.txt");
/// What the title agent is asked before the conversation's beginning.
pub const TITLE_REQUEST: &str = include_str!("prompts/note/title_request.txt");
/// The result of a call that was cut off, as the model is told it.
pub const INTERRUPTED: &str = include_str!("prompts/note/interrupted.txt");
/// Asks for a continuation after a slash command that ran as a subtask.
pub const CONTINUE: &str = include_str!("prompts/note/continue.txt");
/// Introduces a command that the user ran.
pub(crate) const USER_SHELL: &str = include_str!("prompts/note/user_shell.txt");
/// The template of `/init`.
pub(crate) const INIT: &str = include_str!("prompts/command/init.txt");
/// The template of `/review`.
pub(crate) const REVIEW: &str = include_str!("prompts/command/review.txt");

/// Models that are told the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Those we know nothing of; small local ones are among them.
    Default,
    /// Claude.
    Anthropic,
    /// GPT-5 and later, and the open GPT models.
    Gpt,
    /// GPT models trained for coding agents.
    Codex,
    /// GPT-4 and the early reasoning models, which stop too soon.
    Autonomous,
    /// Gemini.
    Gemini,
    /// Kimi.
    Kimi,
    /// Trinity.
    Trinity,
    /// Meta's Muse.
    Muse,
}

/// Providers whose models are Kimi whatever their name.
const KIMI_PROVIDERS: [&str; 3] = ["kimi-for-coding", "moonshotai", "moonshotai-cn"];

impl Family {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Default,
        Self::Anthropic,
        Self::Gpt,
        Self::Codex,
        Self::Autonomous,
        Self::Gemini,
        Self::Kimi,
        Self::Trinity,
        Self::Muse,
    ];

    /// The family of a model; the first line that matches decides.
    pub fn of(provider: &str, model: &str) -> Self {
        let id = model.to_lowercase();
        let has = |part: &str| id.contains(part);
        let table = [
            (has("muse"), Self::Muse),
            (has("gpt-4") || has_word(&id, "o1") || has_word(&id, "o3"), Self::Autonomous),
            (has("gpt") && has("codex"), Self::Codex),
            (has("gpt"), Self::Gpt),
            (has("gemini-"), Self::Gemini),
            (has("claude"), Self::Anthropic),
            (has("trinity"), Self::Trinity),
            (has("kimi") || KIMI_PROVIDERS.contains(&provider), Self::Kimi),
        ];
        table.into_iter().find(|(is_it, _)| *is_it).map_or(Self::Default, |(_, family)| family)
    }

    /// What its models are told.
    pub fn text(self) -> &'static str {
        match self {
            Self::Default => family!("default"),
            Self::Anthropic => family!("anthropic"),
            Self::Gpt => family!("gpt"),
            Self::Codex => family!("codex"),
            Self::Autonomous => family!("autonomous"),
            Self::Gemini => family!("gemini"),
            Self::Kimi => family!("kimi"),
            Self::Trinity => family!("trinity"),
            Self::Muse => family!("muse"),
        }
    }
}

/// `o1` is a model, `gemini-pro1` and `solo1` are not.
fn has_word(id: &str, word: &str) -> bool {
    id.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word)
}

/// The prompt of one of our agents, where it has one of its own.
pub(crate) fn of_agent(name: &str) -> Option<&'static str> {
    match BuiltIn::named(name)? {
        BuiltIn::Explore => Some(include_str!("prompts/agent/explore.txt")),
        BuiltIn::Compaction => Some(include_str!("prompts/agent/compaction.txt")),
        BuiltIn::Title => Some(include_str!("prompts/agent/title.txt")),
        BuiltIn::Summary => Some(include_str!("prompts/agent/summary.txt")),
        BuiltIn::Build | BuiltIn::Plan | BuiltIn::General => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn the_first_line_of_the_table_that_matches_decides() {
        for (provider, model, family) in [
            ("meta", "muse-spark-gpt", Family::Muse),
            ("openai", "gpt-4.1", Family::Autonomous),
            ("openai", "gpt-4o-mini", Family::Autonomous),
            ("openai", "o1-pro", Family::Autonomous),
            ("openrouter", "openai/o3-mini", Family::Autonomous),
            ("openai", "gpt-5.2-codex", Family::Codex),
            ("openai", "gpt-5", Family::Gpt),
            ("groq", "openai/gpt-oss-120b", Family::Gpt),
            ("google", "gemini-3-pro", Family::Gemini),
            ("google", "gemini", Family::Default),
            ("anthropic", "claude-sonnet-4-5", Family::Anthropic),
            ("amazon-bedrock", "us.anthropic.Claude-3", Family::Anthropic),
            ("arcee", "trinity-large", Family::Trinity),
            ("groq", "moonshotai/kimi-k2", Family::Kimi),
            ("moonshotai-cn", "k2", Family::Kimi),
            ("ollama", "qwen2.5-coder:7b", Family::Default),
            ("x", "solo1", Family::Default),
            ("x", "", Family::Default),
        ] {
            assert_eq!(Family::of(provider, model), family, "{provider}/{model}");
        }
    }

    /// The most a single file may have; a family's text is two of them.
    const MOST_LINES: usize = 80;
    const MOST_BYTES: usize = 5_000;

    #[test]
    fn prompt_files_are_short_clean_and_speak_of_nobody_else() {
        let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/prompts"));
        assert!(files.len() > 20, "{files:?}");
        for path in files {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display();
            assert!(text.lines().count() <= MOST_LINES && text.len() <= MOST_BYTES, "{name} is too long");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name} must end with one line feed");
            assert!(text.lines().all(|line| line.trim_end() == line), "{name} has trailing spaces");
            assert!(!text.contains(['\r', '\t', '\u{2014}', '\u{feff}']), "{name} has odd characters");
            let lower = text.to_lowercase();
            for other in ["opencode", "claude code", "codex", "chatgpt", "cline", "aider", "anomaly", "goose"]
            {
                assert!(!lower.contains(other), "{name} speaks of {other}");
            }
        }
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
}
