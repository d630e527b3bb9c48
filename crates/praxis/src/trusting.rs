//! Whether a project's own configuration is trusted: what was answered, and asking where somebody is there.

use std::io;
use std::path::{Path, PathBuf};

use praxis_config::{Surroundings, Trust, Want, WantKind};
use praxis_engine::Workbench;
use praxis_tools::{FolderTrust, TrustFile, system_clock};

use crate::prompt::{Consent, ask_trust};
use crate::screen::{Failure, complain};

/// What is known about one folder before its configuration is read.
pub(crate) struct Trusting {
    file: TrustFile,
    root: PathBuf,
    /// For this run alone, by the command line or the environment.
    at_once: bool,
    /// A file that cannot be read matters only where something is wanted.
    stored: io::Result<FolderTrust>,
}

impl Trusting {
    /// What was said about the folder, here and earlier.
    pub(crate) fn read(surroundings: &Surroundings, root: &Path, flag: bool) -> Self {
        let file = Workbench::trust_file(surroundings);
        let stored = file.get(root).map(Option::unwrap_or_default);
        let variable = surroundings.variables.get("PRAXIS_TRUST").is_some_and(|value| value == "1");
        Self { stored, file, root: root.to_owned(), at_once: flag || variable }
    }

    /// How far its configuration is trusted by that.
    pub(crate) fn trust(&self) -> Trust {
        match &self.stored {
            _ if self.at_once => Trust::Everything,
            Ok(known) => Trust::Given(known.trusted.clone()),
            Err(_) => Trust::Nothing,
        }
    }

    /// What was said, where it matters.
    fn known(&self) -> Result<&FolderTrust, Failure> {
        self.stored.as_ref().map_err(unreadable)
    }

    /// Asks the person at the terminal, unless they have said no to the same before. Gives the trust to go on with,
    /// where that is another one.
    pub(crate) fn ask(&self, wants: &[Want]) -> Result<Option<Trust>, Failure> {
        let known = self.known()?;
        if known.refuses(wants) {
            return Ok(None);
        }
        let is_new = |want: &Want| !known.trusts(want);
        let changed = !known.trusted.is_empty();
        match ask_trust(&self.root, &listing(wants, &self.root, |want| changed && is_new(want)), changed)? {
            Consent::Yes => {
                if let Err(error) = self.file.trust(&self.root, wants, system_clock()()) {
                    complain("warning", format!("this counts for now and is not remembered: {error}"));
                }
                Ok(Some(Trust::Given(wants.iter().map(Into::into).collect())))
            }
            Consent::No => {
                if let Err(error) = self.file.refuse(&self.root, wants, system_clock()()) {
                    complain("warning", format!("this counts for now and is not remembered: {error}"));
                }
                Ok(None)
            }
            Consent::NotNow => Ok(None),
        }
    }

    /// Says in one line what is left out, and how to let it in.
    pub(crate) fn tell(&self, wants: &[Want], surroundings: &Surroundings) -> Result<(), Failure> {
        let known = self.known()?;
        let why = match known.trusted.is_empty() {
            true => "this folder is not trusted",
            false => "this folder's configuration wants more than you trusted it with",
        };
        let count = wants.len();
        let noun = if count == 1 { "setting of its" } else { "settings of its" };
        complain(
            "note",
            format!(
                "{why}, so {count} {noun} own configuration {} left out ({}); `praxis trust add` shows and allows \
                 {}, --trust or PRAXIS_TRUST=1 does so for one run",
                if count == 1 { "is" } else { "are" },
                kinds(wants),
                if count == 1 { "it" } else { "them" },
            ),
        );
        if surroundings.dirs.global().iter().any(|folder| folder.starts_with(&self.root)) {
            complain(
                "note",
                "your own configuration lies in this project, so it counts as the project's and needs trust too",
            );
        }
        Ok(())
    }
}

/// How many wants there are of which kind.
fn kinds(wants: &[Want]) -> String {
    let mut kinds: Vec<(WantKind, usize)> = Vec::new();
    for want in wants {
        match kinds.iter_mut().find(|(kind, _)| *kind == want.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((want.kind, 1)),
        }
    }
    let told = kinds.iter().map(|(kind, count)| format!("{}: {count}", kind.heading()));
    told.collect::<Vec<_>>().join(", ")
}

/// The wants under their headings, each with its place.
pub(crate) fn listing(wants: &[Want], root: &Path, is_new: impl Fn(&Want) -> bool) -> String {
    let mut lines = Vec::new();
    let mut heading = None;
    for want in wants {
        if heading != Some(want.kind) {
            heading = Some(want.kind);
            lines.push(format!("  {}", want.kind.heading()));
        }
        let mark = if is_new(want) { " (new)" } else { "" };
        lines.push(format!("    {}{mark}  [{}]", want.text, place(want, root)));
    }
    lines.join("\n")
}

/// File and line, from the project's root where it is below it.
pub(crate) fn place(want: &Want, root: &Path) -> String {
    let Some(place) = want.origin.place() else { return want.origin.to_string() };
    let file = place.file.strip_prefix(root).unwrap_or(&place.file);
    format!("{}:{}", file.display(), place.line)
}

/// The file of answers does not play along.
pub(crate) fn unreadable(error: &io::Error) -> Failure {
    Failure::work(format!("could not read or change which folders are trusted: {error}"))
}
