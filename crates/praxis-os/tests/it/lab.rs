//! A folder a command may write, one it may not, and commands run with and without the sandbox.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use praxis_os::sandbox::{Mechanisms, Policy, Report};
use tempfile::TempDir;

/// Two folders side by side, gone with the value.
pub(crate) struct Lab {
    _temp: TempDir,
    /// Writable under [`Lab::policy`].
    pub(crate) inside: PathBuf,
    /// Not writable.
    pub(crate) outside: PathBuf,
}

/// What a command said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) ok: bool,
    pub(crate) text: String,
    pub(crate) signal: Option<i32>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| base.join(name));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("file"), "old\n").unwrap();
        std::fs::write(inside.join("file"), "old\n").unwrap();
        Self { _temp: temp, inside, outside }
    }

    pub(crate) fn policy(&self) -> Policy {
        Policy { writable: vec![self.inside.clone()], ..Policy::default() }
    }

    fn command(&self, program: &str, script: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.arg("-c").arg(script).current_dir(&self.inside).stdin(Stdio::null());
        command.env("INSIDE", &self.inside).env("OUTSIDE", &self.outside).env("TMPDIR", &self.inside);
        command.env("HOME", &self.inside).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Runs a shell script without a sandbox.
    pub(crate) fn plain(&self, script: &str) -> Said {
        said(&self.command("bash", script).output().unwrap())
    }

    /// Runs a shell script under the policy.
    pub(crate) fn contained(&self, policy: &Policy, script: &str) -> Said {
        contain(self.command("bash", script), policy)
    }

    /// What a Python script prints, without a sandbox and under the policy.
    pub(crate) fn python(&self, policy: &Policy, script: &str) -> (Said, Said) {
        let plain = said(&self.command("python3", script).output().unwrap());
        (plain, contain(self.command("python3", script), policy))
    }

    /// Asserts that a script is refused by the sandbox, and that it does work without.
    pub(crate) fn refuses(&self, policy: &Policy, script: &str) -> String {
        let contained = self.contained(policy, script);
        assert!(!contained.ok, "got through: {script}: {}", contained.text);
        let plain = self.plain(script);
        assert!(plain.ok, "without a sandbox: {script}: {}", plain.text);
        contained.text
    }

    pub(crate) fn report(&self, policy: &Policy) -> Report {
        policy.prepare(&Mechanisms::probe()).unwrap().report().clone()
    }
}

fn contain(mut command: Command, policy: &Policy) -> Said {
    let prepared = policy.prepare(&Mechanisms::probe()).unwrap();
    #[expect(unsafe_code, reason = "there is no other way between fork and exec")]
    // SAFETY: `enforce` promises to take no lock and to allocate nothing.
    unsafe {
        command.pre_exec(move || prepared.enforce());
    }
    said(&command.output().unwrap())
}

fn said(output: &Output) -> Said {
    use std::os::unix::process::ExitStatusExt;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Said { ok: output.status.success(), text, signal: output.status.signal() }
}

/// Whether a program can be found.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).exists())
}
