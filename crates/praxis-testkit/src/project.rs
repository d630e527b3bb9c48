//! A temporary project with a home of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::Live;

/// A folder to work in and a home directory, both empty at first and gone at the end.
pub struct Project {
    root: TempDir,
    program: PathBuf,
    variables: Vec<(String, String)>,
}

/// What a run of the program left.
#[derive(Debug)]
pub struct Run {
    /// The exit code; a signal counts as -1.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    /// Standard output as one JSON value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("not JSON ({e}): {self:?}"))
    }
}

impl Project {
    /// A project in which `program` is run, and which its user trusts.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("project")).unwrap();
        std::fs::create_dir(root.path().join("home")).unwrap();
        Self { root, program: program.into(), variables: vec![("PRAXIS_TRUST".to_owned(), "1".to_owned())] }
    }

    /// Sets an environment variable for the program.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same project before anybody trusted it.
    #[must_use]
    pub fn untrusted(mut self) -> Self {
        self.variables.retain(|(name, _)| name != "PRAXIS_TRUST");
        self
    }

    /// Writes a file of the project.
    #[must_use]
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.directory().join(name), content.as_ref());
        self
    }

    /// Writes a file below the home directory.
    #[must_use]
    pub fn home_file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.home().join(name), content.as_ref());
        self
    }

    /// The project's folder, without links.
    pub fn directory(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("project")
    }

    /// The home directory, without links.
    pub fn home(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("home")
    }

    /// Runs the program with no input.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, "")
    }

    /// Runs the program and gives it `input` on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // On a thread, since the program may write before it has read everything.
        let feeding = std::thread::spawn(move || {
            let _ = stdin.write_all(input.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        feeding.join().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts the program with no input and listens to it.
    pub fn start(&self, arguments: &[&str]) -> Live {
        Live::start(self.command(arguments))
    }

    /// The program, in the project's folder and with an environment of its own.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.directory())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}
