//! What is the same through a session: the place, the day, the references, the instructions.

use std::path::{Path, PathBuf};

use praxis_config::{Loaded, Reference};

use super::ModelFacts;
use super::instructions::{InstructionText, Library};
use crate::Workbench;

/// What a session's requests have in common. It is gathered once, before the first of them, and then kept: a file
/// that changes, or a day that ends, must not change a prompt that the provider has in its cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Where the agent works.
    pub directory: PathBuf,
    /// The worktree, or the directory where there is no git.
    pub root: PathBuf,
    /// Whether it is a git repository.
    pub git: bool,
    /// The operating system.
    pub platform: String,
    /// The day of the first request, as `2026-11-15`.
    pub day: String,
    /// Further directories that may be read, sorted by name.
    pub references: Vec<ReferenceText>,
    /// What the project, the person and the configuration say.
    pub instructions: Vec<InstructionText>,
}

/// A further directory that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceText {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it is for.
    pub description: Option<String>,
}

impl Setting {
    /// Looks at the place now; `now` is in milliseconds since the Unix epoch.
    pub async fn gather(workbench: &Workbench, library: &Library, now: u64) -> Self {
        let instance = &workbench.instance;
        let home = &workbench.shell.parts().home;
        Self {
            directory: instance.directory().to_owned(),
            root: instance.root().to_owned(),
            git: instance.root().join(".git").exists(),
            platform: std::env::consts::OS.to_owned(),
            day: day(now),
            references: references(&workbench.loaded, instance.root(), home),
            instructions: library.read(&workbench.instructions).await,
        }
    }

    pub(super) fn environment(&self, model: ModelFacts<'_>) -> String {
        let Self { directory, root, git, platform, day, .. } = self;
        format!(
            "You run on the model {} ({}/{}).\n<env>\nWorking directory: {}\nWorkspace root: {}\nGit repository: {}\n\
             Platform: {platform}\nToday's date: {day} (UTC)\n</env>",
            model.name,
            model.provider,
            model.id,
            directory.display(),
            root.display(),
            if *git { "yes" } else { "no" },
        )
    }

    pub(super) fn references(&self) -> Option<String> {
        let line = |reference: &ReferenceText| {
            let path = reference.path.display();
            match &reference.description {
                Some(description) => format!("- {}: {path} ({description})", reference.name),
                None => format!("- {}: {path}", reference.name),
            }
        };
        let lines: Vec<String> = self.references.iter().map(line).collect();
        let intro = "Further directories that you may read when the task needs it:";
        (!lines.is_empty()).then(|| format!("{intro}\n<references>\n{}\n</references>", lines.join("\n")))
    }

    pub(super) fn instructions(&self) -> Option<String> {
        let told: Vec<String> = self.instructions.iter().map(InstructionText::told).collect();
        (!told.is_empty()).then(|| told.join("\n\n"))
    }
}

/// The day of a moment. Universal time, because a program that runs for many users has no other.
fn day(now: u64) -> String {
    let millis = i64::try_from(now).unwrap_or(i64::MAX);
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

fn references(loaded: &Loaded, root: &Path, home: &Path) -> Vec<ReferenceText> {
    let known = loaded.config.references.iter().filter_map(|(name, reference)| {
        let (path, description) = match reference {
            Reference::Local(local) if local.hidden == Some(true) => return None,
            Reference::Local(local) => (&local.path, local.description.clone()),
            Reference::Short(path) if path.starts_with(['.', '/', '~']) => (path, None),
            // A repository has no folder before it is fetched.
            Reference::Short(_) | Reference::Git(_) => return None,
        };
        let path = match path.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => root.join(path),
        };
        Some(ReferenceText { name: name.clone(), path, description })
    });
    let mut known: Vec<ReferenceText> = known.collect();
    known.sort_by(|a, b| a.name.cmp(&b.name));
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_without_its_hour() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(1_794_700_799_999), "2026-11-14");
        assert_eq!(day(1_794_700_800_000), "2026-11-15");
        assert_eq!(day(u64::MAX), "1970-01-01");
    }
}
