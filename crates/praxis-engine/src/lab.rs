//! For tests: a project on disk with a home of its own, opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use praxis_config::Surroundings;
use praxis_os::process::Launcher;
use praxis_proto::{MessageModel, SessionId};
use praxis_tools::Attendance;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::prompt::{Drafted, Drafter, PromptInput, PromptPart, Standing};
use crate::{Opening, Workbench};

/// The moment of every test.
pub(crate) const NOW: u64 = 1_794_700_800_000;

pub(crate) struct Lab {
    pub(crate) root: TempDir,
    pub(crate) attendance: Attendance,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("project")).unwrap();
        std::fs::create_dir_all(root.path().join("home")).unwrap();
        Self { root, attendance: Attendance::Unattended }
    }

    /// Somebody answers questions.
    pub(crate) fn attended(self) -> Self {
        Self { attendance: Attendance::Attended, ..self }
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.directory().join(name), content.as_ref());
        self
    }

    pub(crate) fn home_file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.home().join(name), content.as_ref());
        self
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn open(&self) -> Workbench {
        let path = std::env::var("PATH").unwrap_or_default();
        let home = self.home().to_string_lossy().into_owned();
        let variables = [("HOME".to_owned(), home), ("PATH".to_owned(), path)];
        let surroundings = Surroundings::from_env(variables);
        let opening = Opening {
            surroundings: &surroundings,
            directory: &self.directory(),
            config_file: None,
            trust: praxis_config::Trust::Everything,
            attendance: self.attendance,
            questions: Attendance::Unattended,
            observers: Vec::new(),
            launcher: Launcher::unguarded(),
            hooks: Vec::new(),
        };
        Workbench::open(opening).unwrap()
    }

    /// Paths of this machine replaced, for snapshots.
    pub(crate) fn plain(&self, text: &str) -> String {
        let text = text.replace(self.directory().to_str().unwrap(), "/project");
        text.replace(self.home().to_str().unwrap(), "/home")
    }
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

pub(crate) fn session() -> SessionId {
    SessionId::from_raw("ses_lab")
}

pub(crate) fn model() -> MessageModel {
    MessageModel { provider: "scripted".into(), model: "lab".into(), variant: None }
}

/// The message that the default agent gets of these parts.
pub(crate) async fn draft(workbench: &Workbench, parts: Vec<PromptPart>) -> Drafted {
    let standing = Standing {
        agent: workbench.agents.get(None).unwrap(),
        model: model(),
        now: NOW,
        cancel: CancellationToken::new(),
    };
    Drafter::new(workbench).draft(PromptInput::new(session(), parts), standing).await.unwrap()
}

pub(crate) fn clock() -> praxis_tools::Clock {
    Arc::new(|| NOW + 5)
}
