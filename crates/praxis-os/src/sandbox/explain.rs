//! Whether a failed command was denied something by the sandbox, in words for the model.

mod clues;

use std::path::{Path, PathBuf};

use super::report::listed;
use super::{Network, Report};
use clues::Clue;

/// Bytes at the end of the output that are looked at.
const TAIL: usize = 16 * 1024;

/// The signals that limits and filters kill with; the same numbers on every Linux we filter calls on.
const KILLED: i32 = 9;
const TOO_LONG: i32 = 24;
const TOO_LARGE: i32 = 25;
const BAD_CALL: i32 = 31;

/// What shells add to a signal's number in the exit code they report.
const SHELL_SIGNALS: i32 = 128;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
}

impl Exit {
    /// The signal that ended the command, or the last command of the shell.
    fn signal(self) -> Option<i32> {
        match self {
            Self::Signal(number) => Some(number),
            Self::Code(code) => (code > SHELL_SIGNALS).then_some(code - SHELL_SIGNALS),
        }
    }
}

/// What the sandbox seems to have denied and how to get more, from the end of the output of a command that failed.
///
/// `None` when the sandbox is not the likely reason: ordinary failures must not send the model after it.
pub fn explain(output: &str, exit: Exit, report: &Report) -> Option<String> {
    if exit == Exit::Code(0) {
        return None;
    }
    if let Some(told) = exit.signal().and_then(|signal| of_signal(signal, report)) {
        return Some(told);
    }
    let start = output.ceil_char_boundary(output.len().saturating_sub(TAIL));
    // The last denial is the one that the command failed with.
    output[start..].lines().rev().find_map(|line| of_line(line, report))
}

fn of_signal(signal: i32, report: &Report) -> Option<String> {
    let limits = &report.policy.limits;
    match signal {
        TOO_LONG | KILLED => {
            let seconds = limits.cpu_seconds?;
            let sure = if signal == TOO_LONG { "was" } else { "may have been" };
            Some(format!(
                "The command {sure} stopped by the sandbox: a process may use {seconds} s of processor time. Do less at \
                 once, or ask the user to raise `sandbox.limits.cpu_seconds`."
            ))
        }
        TOO_LARGE => limits.file_bytes.map(too_large),
        BAD_CALL if report.calls => Some(
            "The command was stopped by the sandbox, which lets no programs of another architecture run (32-bit ones, \
             for example). Use a program built for this machine."
                .to_owned(),
        ),
        _ => None,
    }
}

fn of_line(line: &str, report: &Report) -> Option<String> {
    let policy = &report.policy;
    match Clue::in_line(line)? {
        // What bash calls a file there is a connection.
        Clue::Denied { paths } if paths.iter().any(|path| is_connection(path)) => no_network(report),
        Clue::Denied { paths } if report.files => denied(&paths, report),
        Clue::Denied { .. } => None,
        Clue::Process if report.calls => Some(
            "The sandbox refuses to look into processes, to mount and to make namespaces, whatever the settings are. \
             Work without a debugger or tracer, or ask the user to run the command."
                .to_owned(),
        ),
        Clue::Process => None,
        Clue::Network => no_network(report),
        Clue::UnixSocket if report.calls && !policy.unix_sockets => Some(
            "The sandbox lets commands talk to no program outside by a Unix socket (Docker, a database, an agent). Ask \
             the user to set `sandbox.unix_sockets` to true if it is needed."
                .to_owned(),
        ),
        Clue::UnixSocket => None,
        Clue::Memory => policy.limits.memory_bytes.map(|bytes| {
            format!(
                "The sandbox allows a process {} of memory, and this one wanted more. Do less at once, or ask the user \
                 to raise `sandbox.limits.memory_mb`.",
                size(bytes)
            )
        }),
        Clue::Processes => policy.limits.processes.map(|most| {
            format!(
                "The sandbox allows {most} processes and threads. Start fewer at once, or ask the user to raise \
                 `sandbox.limits.processes`."
            )
        }),
        Clue::FileSize => policy.limits.file_bytes.map(too_large),
    }
}

fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Files: the first path that a rule explains, or a guess when none is named.
fn denied(paths: &[&str], report: &Report) -> Option<String> {
    if paths.is_empty() {
        return Some(format!(
            "This may be the sandbox: {}. Ask the user to add a folder to `sandbox.writable` if it is needed.",
            where_to_write(report)
        ));
    }
    if let Some(path) = paths.iter().find(|path| within(path, &report.policy.unreadable)) {
        return Some(format!(
            "The sandbox does not let commands read `{path}`, by `sandbox.unreadable`. Work without it, or ask the user."
        ));
    }
    // Relative names are mostly below a writable folder, where a denial is an ordinary one.
    let outside = |path: &&&str| path.starts_with("..") || path.starts_with('/');
    let path = paths.iter().filter(outside).find(|path| !within(path, &report.policy.writable))?;
    Some(format!(
        "Writing `{path}` is denied by the sandbox: {} (reading is not limited there). Use such a place, or ask the user to add the folder to \
         `sandbox.writable`.",
        where_to_write(report)
    ))
}

fn within(path: &str, places: &[PathBuf]) -> bool {
    places.iter().any(|place| Path::new(path).starts_with(place))
}

fn where_to_write(report: &Report) -> String {
    match report.policy.writable.as_slice() {
        [] => "writing is not allowed anywhere".to_owned(),
        folders => format!("writing is allowed below {}", listed(folders)),
    }
}

fn no_network(report: &Report) -> Option<String> {
    let told = match report.policy.network {
        Network::Allow => return None,
        Network::Deny if !report.calls => return None,
        Network::Deny => "The sandbox gives commands no network. Work with what is on this machine",
        Network::Loopback => {
            "The sandbox gives each command a network of its own that reaches nothing outside. Start servers \
             in the same command"
        }
    };
    Some(format!("{told}, or ask the user to set `sandbox.network` to \"allow\"."))
}

fn too_large(bytes: u64) -> String {
    format!(
        "The sandbox allows files of at most {}, and the command wrote a larger one. Write less, or ask the user to raise \
         `sandbox.limits.file_size_mb`.",
        size(bytes)
    )
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{bytes} bytes"),
        _ => format!("{} MB", bytes / 1_048_576),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Policy};
    use super::*;

    fn report(policy: Policy) -> Report {
        Report {
            policy,
            mechanism: "Landlock ABI 7, seccomp".into(),
            files: true,
            calls: true,
            gaps: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn contained() -> Report {
        report(Policy {
            writable: vec![PathBuf::from("/work/app"), PathBuf::from("/tmp")],
            unreadable: vec![PathBuf::from("/home/ann/.ssh")],
            limits: Limits { cpu_seconds: Some(60), memory_bytes: Some(512 << 20), ..Limits::default() },
            ..Policy::default()
        })
    }

    fn told(output: &str) -> Option<String> {
        explain(output, Exit::Code(1), &contained())
    }

    #[test]
    fn a_denied_write_names_the_path_and_the_way_to_more() {
        insta::assert_snapshot!(told("bash: line 1: /etc/hosts: Permission denied\n").unwrap(), @"Writing `/etc/hosts` is denied by the sandbox: writing is allowed below `/work/app`, `/tmp` (reading is not limited there). Use such a place, or ask the user to add the folder to `sandbox.writable`.");
        let others = [
            "touch: cannot touch '/etc/hosts': Permission denied",
            "Error: EACCES: permission denied, open '/etc/hosts'",
            "PermissionError: [Errno 13] Permission denied: '/etc/hosts'",
            "error: failed to open `/etc/hosts`: Permission denied (os error 13)",
            "cp: cannot create regular file \"/etc/hosts\": Read-only file system",
        ];
        for output in others {
            assert!(told(output).unwrap().contains("Writing `/etc/hosts`"), "{output}");
        }
    }

    #[test]
    fn a_denied_read_is_told_as_one() {
        insta::assert_snapshot!(told("cat: /home/ann/.ssh/id_rsa: Permission denied").unwrap(), @"The sandbox does not let commands read `/home/ann/.ssh/id_rsa`, by `sandbox.unreadable`. Work without it, or ask the user.");
    }

    #[test]
    fn a_denial_without_a_path_is_only_a_guess() {
        insta::assert_snapshot!(told("fatal: Permission denied").unwrap(), @"This may be the sandbox: writing is allowed below `/work/app`, `/tmp`. Ask the user to add a folder to `sandbox.writable` if it is needed.");
    }

    #[test]
    fn ordinary_denials_are_left_alone() {
        let ordinary = [
            "bash: ./run.sh: Permission denied",
            "bash: line 1: /work/app/run.sh: Permission denied",
            "error: test failed",
            "",
            "cannot find /etc/hosts",
        ];
        for output in ordinary {
            assert_eq!(told(output), None, "{output}");
        }
        assert_eq!(explain("/etc/x: Permission denied", Exit::Code(0), &contained()), None);
    }

    #[test]
    fn the_network_is_explained_unless_it_is_allowed() {
        let lookup = "curl: (6) Could not resolve host: example.org";
        insta::assert_snapshot!(told(lookup).unwrap(), @r#"The sandbox gives commands no network. Work with what is on this machine, or ask the user to set `sandbox.network` to "allow"."#);
        let mut open = contained();
        open.policy.network = Network::Loopback;
        insta::assert_snapshot!(explain(lookup, Exit::Code(6), &open).unwrap(), @r#"The sandbox gives each command a network of its own that reaches nothing outside. Start servers in the same command, or ask the user to set `sandbox.network` to "allow"."#);
        open.policy.network = Network::Allow;
        assert_eq!(explain(lookup, Exit::Code(6), &open), None);
    }

    #[test]
    fn sockets_and_debuggers_have_their_own_words() {
        let docker = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.";
        insta::assert_snapshot!(told(docker).unwrap(), @"The sandbox lets commands talk to no program outside by a Unix socket (Docker, a database, an agent). Ask the user to set `sandbox.unix_sockets` to true if it is needed.");
        let debugger = "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted";
        insta::assert_snapshot!(told(debugger).unwrap(), @"The sandbox refuses to look into processes, to mount and to make namespaces, whatever the settings are. Work without a debugger or tracer, or ask the user to run the command.");
    }

    #[test]
    fn limits_are_told_by_signal_and_by_message() {
        insta::assert_snapshot!(explain("", Exit::Signal(24), &contained()).unwrap(), @"The command was stopped by the sandbox: a process may use 60 s of processor time. Do less at once, or ask the user to raise `sandbox.limits.cpu_seconds`.");
        assert!(explain("", Exit::Code(152), &contained()).unwrap().contains("60 s"));
        insta::assert_snapshot!(told("MemoryError").unwrap(), @"The sandbox allows a process 512 MB of memory, and this one wanted more. Do less at once, or ask the user to raise `sandbox.limits.memory_mb`.");
        let free = report(Policy::default());
        assert_eq!(explain("MemoryError", Exit::Code(1), &free), None);
        assert_eq!(explain("", Exit::Signal(24), &free), None);
    }

    #[test]
    fn the_last_denial_counts_and_only_the_end_is_read() {
        let output = format!("/etc/a: Permission denied\n{}/etc/b: Permission denied\n", "ok\n".repeat(9));
        assert!(told(&output).unwrap().contains("`/etc/b`"));
        let long = format!("/etc/a: Permission denied\n{}", "é".repeat(TAIL));
        assert_eq!(told(&long), None);
    }
}
