//! Whether a failed command was denied something by the sandbox, in words for the model.

mod clues;

use std::path::{Component, Path, PathBuf};

use super::report::listed;
use super::{Access, Network, Report};
use clues::Clue;

/// Bytes at the end of the output that are looked at.
const TAIL: usize = 16 * 1024;

/// What hardly anything but a view makes the system say.
const UNMISTAKABLE: &str = "Read-only file system";

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

/// What the sandbox seems to have denied and how to get more, from the end of the output of a command that failed in
/// this folder.
///
/// `None` when the sandbox is not the likely reason: ordinary failures must not send the model after it.
pub fn explain(output: &str, exit: Exit, folder: &Path, report: &Report) -> Option<String> {
    let ended_well = exit == Exit::Code(0);
    if let Some(told) = exit.signal().and_then(|signal| of_signal(signal, report)) {
        return Some(told);
    }
    let start = output.ceil_char_boundary(output.len().saturating_sub(TAIL));
    // The last denial is the one that the command failed with.
    let lines = output[start..].lines().rev();
    // What comes last decides the exit code, but nothing else says this.
    let lines = lines.filter(|line| !ended_well || line.contains(UNMISTAKABLE));
    lines.into_iter().find_map(|line| of_line(line, folder, report))
}

fn of_signal(signal: i32, report: &Report) -> Option<String> {
    let limits = &report.view.limits;
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
        BAD_CALL if report.held.calls => Some(
            "The command was stopped by the sandbox, which lets no programs of another architecture run (32-bit ones, \
             for example). Use a program built for this machine."
                .to_owned(),
        ),
        _ => None,
    }
}

fn of_line(line: &str, folder: &Path, report: &Report) -> Option<String> {
    let view = &report.view;
    match Clue::in_line(line)? {
        // What bash calls a file there is a connection.
        Clue::Denied { paths } if paths.iter().any(|path| is_connection(path)) => no_network(report),
        Clue::Denied { paths } if report.held.outside => denied(&paths, folder, report),
        Clue::Missing { paths } if report.held.outside => missing(&paths, folder, report),
        Clue::Denied { .. } | Clue::Missing { .. } => None,
        Clue::Process if report.held.calls => Some(
            "The sandbox refuses to look into processes, to mount and to make namespaces. Work without a debugger or \
             tracer, or run the command again with `\"outside\": true`, which asks the user."
                .to_owned(),
        ),
        Clue::Process => None,
        Clue::Network => no_network(report),
        Clue::UnixSocket if report.held.calls && !view.unix_sockets => Some(
            "The sandbox lets commands talk to no program outside by a Unix socket (Docker, a database, an agent). Run \
             the command again with `\"outside\": true`, which asks the user, if it is needed."
                .to_owned(),
        ),
        Clue::UnixSocket => None,
        Clue::Memory => view.limits.memory_bytes.map(|bytes| {
            format!(
                "The sandbox allows a process {} of memory, and this one wanted more. Do less at once, or ask the user \
                 to raise `sandbox.limits.memory_mb`.",
                size(bytes)
            )
        }),
        Clue::Processes => view.limits.processes.map(|most| {
            format!(
                "The sandbox allows {most} processes and threads. Start fewer at once, or ask the user to raise \
                 `sandbox.limits.processes`."
            )
        }),
        Clue::FileSize => view.limits.file_bytes.map(too_large),
    }
}

fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Files: the first path that the view explains, or a guess when none is named.
fn denied(paths: &[&str], folder: &Path, report: &Report) -> Option<String> {
    if paths.is_empty() {
        return Some(format!("This may be the sandbox: {}.", where_to_write(report)));
    }
    let path = paths.iter().map(|path| absolute(path, folder)).find(|path| !can_write(path, report))?;
    let way = way_on(&path, "write");
    let shown = path.display();
    if !is_inside_writable(&path, report) {
        return Some(format!(
            "Writing `{shown}` is denied by the sandbox: {}. {way}",
            where_to_write(report)
        ));
    }
    if path.components().any(|part| part.as_os_str() == ".git") {
        return Some(format!(
            "The sandbox lets only everyday git commands on the project's own repository write `{shown}`. Send them in a call \
             of their own, or give `\"outside\": true`, which asks the user."
        ));
    }
    Some(format!("`{shown}` is protected by the sandbox: commands can read it only. {way}"))
}

/// Something that is there, but not for the command.
fn missing(paths: &[&str], folder: &Path, report: &Report) -> Option<String> {
    let hidden = |path: &PathBuf| {
        matches!(report.view.access(path), None | Some(Access::Masked)) && path.symlink_metadata().is_ok()
    };
    let path = paths.iter().map(|path| absolute(path, folder)).find(hidden)?;
    Some(format!(
        "`{}` exists, but the sandbox does not show it to commands. {}",
        path.display(),
        way_on(&path, "read")
    ))
}

/// What the model can do about it. Access is given to what is there: what shall be made needs its folder.
fn way_on(path: &Path, what: &str) -> String {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok());
    let path = there.filter(|above| above.parent().is_some()).unwrap_or(path);
    let write = if what == "write" { ", \"write\": true" } else { "" };
    format!(
        "Choose another way, or run the command again with `\"access\": [{{\"path\": \"{}\"{write}}}]`, which asks the \
         user.",
        path.display()
    )
}

fn absolute(path: &str, folder: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}

/// Does it lie in a writable place, so that only a protection of its own can be the reason?
fn is_inside_writable(path: &Path, report: &Report) -> bool {
    path.ancestors().any(|above| report.view.access(above) == Some(Access::Write))
}

fn can_write(path: &Path, report: &Report) -> bool {
    // Where the command has its own: temporary files, devices, what is known of processes.
    let own = ["/tmp", "/var/tmp", "/dev", "/proc"].iter().any(|own| path.starts_with(own));
    match report.view.access(path) {
        Some(access) => access == Access::Write,
        None => own,
    }
}

fn where_to_write(report: &Report) -> String {
    let folders: Vec<&Path> = report.view.writable().collect();
    match folders.as_slice() {
        [] => "this agent only looks, and nothing can be written but temporary files".to_owned(),
        folders => format!("writing is allowed below {}", listed(folders)),
    }
}

fn no_network(report: &Report) -> Option<String> {
    let told = match report.view.network {
        Network::Allow => return None,
        Network::Deny if !report.held.calls => return None,
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
    use super::super::{Held, Limits, Place, View};
    use super::*;

    fn contained() -> Report {
        let view = View {
            places: vec![
                Place::read("/usr"),
                Place::read("/etc"),
                Place::write("/no-such/app"),
                Place::read("/no-such/app/.git"),
                Place::read("/no-such/app/praxis.json"),
            ],
            limits: Limits { cpu_seconds: Some(60), memory_bytes: Some(512 << 20), ..Limits::default() },
            ..View::default()
        };
        let held = Held { outside: true, inside: true, processes: true, calls: true };
        Report { view, mechanism: "namespaces".into(), held, gaps: Vec::new(), notes: Vec::new() }
    }

    fn told(output: &str) -> Option<String> {
        explain(output, Exit::Code(1), Path::new("/no-such/app/src"), &contained())
    }

    #[test]
    fn a_denied_write_names_the_path_and_the_way_to_more() {
        insta::assert_snapshot!(told("bash: line 1: /etc/hosts: Read-only file system\n").unwrap(), @r#"Writing `/etc/hosts` is denied by the sandbox: writing is allowed below `/no-such/app`. Choose another way, or run the command again with `"access": [{"path": "/etc/hosts", "write": true}]`, which asks the user."#);
        let others = [
            "touch: cannot touch '/etc/hosts': Permission denied",
            "Error: EACCES: permission denied, open '/etc/hosts'",
            "PermissionError: [Errno 13] Permission denied: '/etc/hosts'",
            "error: failed to open `/etc/hosts`: Permission denied (os error 13)",
            "cp: cannot create regular file \"/etc/hosts\": Read-only file system",
            "rm: cannot remove '/etc/hosts': Device or resource busy",
        ];
        for output in others {
            assert!(told(output).unwrap().contains("Writing `/etc/hosts`"), "{output}");
        }
    }

    #[test]
    fn what_is_protected_and_what_is_hidden_are_told_as_such() {
        insta::assert_snapshot!(told("bash: ../.git/config: Read-only file system").unwrap(), @r#"The sandbox lets only everyday git commands on the project's own repository write `/no-such/app/.git/config`. Send them in a call of their own, or give `"outside": true`, which asks the user."#);
        insta::assert_snapshot!(told("bash: ../praxis.json: Read-only file system").unwrap(), @r#"`/no-such/app/praxis.json` is protected by the sandbox: commands can read it only. Choose another way, or run the command again with `"access": [{"path": "/no-such/app/praxis.json", "write": true}]`, which asks the user."#);
        let temp = tempfile::tempdir().unwrap();
        let output = format!("cat: '{}': No such file or directory", temp.path().display());
        let told = explain(&output, Exit::Code(1), Path::new("/"), &contained()).unwrap();
        insta::assert_snapshot!(told.replace(&temp.path().display().to_string(), "PATH"), @r#"`PATH` exists, but the sandbox does not show it to commands. Choose another way, or run the command again with `"access": [{"path": "PATH"}]`, which asks the user."#);
        assert_eq!(
            explain("cat: /no/such: No such file or directory", Exit::Code(1), Path::new("/"), &contained()),
            None
        );
    }

    #[test]
    fn a_denial_without_a_path_is_only_a_guess() {
        insta::assert_snapshot!(told("fatal: Permission denied").unwrap(), @"This may be the sandbox: writing is allowed below `/no-such/app`.");
    }

    #[test]
    fn ordinary_denials_are_left_alone() {
        let ordinary = [
            "bash: ./run.sh: Permission denied",
            "bash: line 1: /no-such/app/run.sh: Permission denied",
            "error: test failed",
            "",
            "cannot find /etc/hosts",
        ];
        for output in ordinary {
            assert_eq!(told(output), None, "{output}");
        }
        assert_eq!(explain("/etc/x: Permission denied", Exit::Code(0), Path::new("/"), &contained()), None);
    }

    #[test]
    fn the_network_is_explained_unless_it_is_allowed() {
        let lookup = "curl: (6) Could not resolve host: example.org";
        let explained = |report: &Report| explain(lookup, Exit::Code(6), Path::new("/"), report);
        insta::assert_snapshot!(told(lookup).unwrap(), @r#"The sandbox gives commands no network. Work with what is on this machine, or ask the user to set `sandbox.network` to "allow"."#);
        let mut open = contained();
        open.view.network = Network::Loopback;
        insta::assert_snapshot!(explained(&open).unwrap(), @r#"The sandbox gives each command a network of its own that reaches nothing outside. Start servers in the same command, or ask the user to set `sandbox.network` to "allow"."#);
        open.view.network = Network::Allow;
        assert_eq!(explained(&open), None);
    }

    #[test]
    fn sockets_and_debuggers_have_their_own_words() {
        let docker = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.";
        insta::assert_snapshot!(told(docker).unwrap(), @r#"The sandbox lets commands talk to no program outside by a Unix socket (Docker, a database, an agent). Run the command again with `"outside": true`, which asks the user, if it is needed."#);
        let debugger = "strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted";
        insta::assert_snapshot!(told(debugger).unwrap(), @r#"The sandbox refuses to look into processes, to mount and to make namespaces. Work without a debugger or tracer, or run the command again with `"outside": true`, which asks the user."#);
    }

    #[test]
    fn limits_are_told_by_signal_and_by_message() {
        let by_signal = |exit| explain("", exit, Path::new("/"), &contained());
        insta::assert_snapshot!(by_signal(Exit::Signal(24)).unwrap(), @"The command was stopped by the sandbox: a process may use 60 s of processor time. Do less at once, or ask the user to raise `sandbox.limits.cpu_seconds`.");
        assert!(by_signal(Exit::Code(152)).is_some());
        assert!(told("MemoryError").unwrap().contains("512 MB"));
        assert_eq!(told("fork: retry: Resource temporarily unavailable"), None);
    }
}
