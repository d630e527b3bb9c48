//! A mount namespace, in which a test may mount what it likes without anybody's leave.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use praxis_testkit::{Live, Project, Run};

/// A shell that holds the namespace; it ends when its input does.
pub(super) struct Inside {
    holder: Child,
}

impl Inside {
    /// Mounts with a line of shell; none, and a word about it, where the system does not allow that.
    #[expect(clippy::print_stderr, reason = "a test that cannot test anything must say so")]
    pub(super) fn mount(line: &str) -> Option<Self> {
        let script = format!("{line} && echo ready && exec cat");
        let mut holder = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let inside = Self { holder };
        if said == "ready\n" {
            return Some(inside);
        }
        eprintln!("skipped: this system lets nobody mount in a namespace of their own (`{line}`)");
        None
    }

    /// A small disk at a folder.
    pub(super) fn small_disk(folder: &Path, kilobytes: usize) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        Self::mount(&format!("mount -t tmpfs -o size={kilobytes}k tmpfs '{}'", folder.display()))
    }

    /// Does something to the mounts, or to what is in them.
    pub(super) fn shell(&self, line: &str) {
        let mut command = self.enter();
        assert!(command.args(["sh", "-c", line]).status().unwrap().success(), "{line}");
    }

    /// Runs the program of a project inside.
    pub(super) fn run(&self, project: &Project, arguments: &[&str]) -> Run {
        let outer = project.command(arguments);
        let mut command = self.enter();
        // Entering leads to the root folder.
        command.args(["sh", "-c", "cd \"$0\" && exec \"$@\""]).arg(project.directory());
        command.arg(outer.get_program()).args(outer.get_args()).env_clear();
        command.envs(outer.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Live::start(command).finish()
    }

    fn enter(&self) -> Command {
        let mut command = Command::new("nsenter");
        let target = self.holder.id().to_string();
        command.args(["--target", &target, "--user", "--mount", "--preserve-credentials", "--"]);
        command
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}
