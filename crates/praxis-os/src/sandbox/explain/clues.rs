//! What programs print when the system says no.

/// What one line of output says was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Clue<'a> {
    /// A file or folder.
    Denied {
        /// Which one, if it is named; a move names two.
        paths: Vec<&'a str>,
    },
    /// A file or folder is said not to be there.
    Missing {
        /// Which one.
        paths: Vec<&'a str>,
    },
    /// Tracing, mounting, namespaces.
    Process,
    /// A host, a name, a socket.
    Network,
    /// A socket in the file system.
    UnixSocket,
    /// Memory.
    Memory,
    /// Another process or thread.
    Processes,
    /// A larger file.
    FileSize,
}

/// Paths of one message that are looked at.
const MOST_PATHS: usize = 4;

/// Words of the system for "no", in lower case.
const NO: [&str; 8] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "device or resource busy",
    "eacces",
    "eperm",
    "erofs",
    "ebusy",
];

/// Words for what is not there.
const NOT_THERE: [&str; 2] = ["no such file or directory", "enoent"];

/// The same when it is about processes.
const PROCESS: [&str; 6] = ["ptrace", "unshare", "namespace", "mount", "perf_event_open", "bpf"];

/// The same when it is about the network.
const CONNECTING: [&str; 5] = ["socket", "connect", "bind", "listen", "network"];

/// Networks that are not there.
const UNREACHABLE: [&str; 15] = [
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure in name resolution",
    "name or service not known",
    "eai_again",
    "enotfound",
    "failed to lookup address",
    "dns error",
    "network is unreachable",
    "enetunreach",
    "could not connect to server",
    "couldn't connect to server",
    "failed to connect to",
    "unable to access 'http",
    "failed to establish a new connection",
];

const UNIX_SOCKET: [&str; 5] = ["docker daemon", ".sock", "unix://", "d-bus", "authentication agent"];
const MEMORY: [&str; 5] =
    ["cannot allocate memory", "memoryerror", "memory allocation of", "out of memory", "bad_alloc"];
const PROCESSES: [&str; 3] = ["fork: retry", "resource temporarily unavailable", "can't start new thread"];
const FILE_SIZE: [&str; 2] = ["file too large", "file size limit exceeded"];

impl<'a> Clue<'a> {
    /// The clue in a line, if there is one.
    pub(super) fn in_line(line: &'a str) -> Option<Self> {
        let lower = line.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if says(&UNIX_SOCKET) && (says(&NO) || says(&CONNECTING)) {
            return Some(Self::UnixSocket);
        }
        if says(&UNREACHABLE) {
            return Some(Self::Network);
        }
        if says(&NO) {
            return Some(refusal(line, says(&PROCESS), says(&CONNECTING)));
        }
        if says(&NOT_THERE) {
            return Some(Self::Missing { paths: paths_in(line) }).filter(|_| !paths_in(line).is_empty());
        }
        if says(&MEMORY) {
            return Some(Self::Memory);
        }
        if says(&PROCESSES) {
            return Some(Self::Processes);
        }
        says(&FILE_SIZE).then_some(Self::FileSize)
    }
}

/// A path says more than a word that may be part of it.
fn refusal(line: &str, process: bool, connecting: bool) -> Clue<'_> {
    let paths = paths_in(line);
    match (process, connecting) {
        _ if !paths.is_empty() => Clue::Denied { paths },
        (true, _) => Clue::Process,
        (false, true) => Clue::Network,
        (false, false) => Clue::Denied { paths },
    }
}

/// The paths a message is about: what is quoted, or else what stands alone between colons.
fn paths_in(line: &str) -> Vec<&str> {
    let quoted = line.split(['\'', '"', '`', '‘', '’']).skip(1).step_by(2);
    let quoted: Vec<&str> = quoted.filter(|piece| is_path(piece)).take(MOST_PATHS).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let between = line.split(':').map(str::trim).filter(|piece| is_path(piece));
    let mut paths: Vec<&str> = between.take(MOST_PATHS).collect();
    if paths.len() > 1 {
        // The program that speaks comes first.
        paths.remove(0);
    }
    paths
}

/// Programs name themselves in the same place, so that a slash is asked for.
fn is_path(piece: &str) -> bool {
    piece.contains('/') && !piece.contains(char::is_whitespace) && !piece.contains("//")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_are_found_where_programs_put_them() {
        let cases: [(&str, &[&str]); 6] = [
            ("bash: line 3: /a/b: Permission denied", &["/a/b"]),
            ("/bin/bash: line 1: ../x: Permission denied", &["../x"]),
            ("touch: cannot touch '/a/b': Permission denied", &["/a/b"]),
            ("mv: cannot move '/a/b' to '/c/d': Permission denied", &["/a/b", "/c/d"]),
            ("EACCES: permission denied, open './out/x'", &["./out/x"]),
            ("sudo: Operation not permitted", &[]),
        ];
        for (line, paths) in cases {
            assert_eq!(paths_in(line), paths, "{line}");
        }
    }

    #[test]
    fn lines_are_sorted_by_what_was_refused() {
        let cases = [
            ("gdb: ptrace: Operation not permitted.", Clue::Process),
            ("mount: permission denied", Clue::Process),
            ("nc: socket: Operation not permitted", Clue::Network),
            ("socket.gaierror: [Errno -3] Temporary failure in name resolution", Clue::Network),
            ("curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms", Clue::Network),
            ("fatal: unable to access 'https://example.org/x.git/': Permission denied", Clue::Network),
            ("dial unix /run/user/1/bus.sock: connect: permission denied", Clue::UnixSocket),
            ("bash: fork: retry: Resource temporarily unavailable", Clue::Processes),
            ("dd: error writing 'x': File too large", Clue::FileSize),
            ("ls: /mount/x: Permission denied", Clue::Denied { paths: vec!["/mount/x"] }),
        ];
        for (line, clue) in cases {
            assert_eq!(Clue::in_line(line), Some(clue), "{line}");
        }
        assert_eq!(Clue::in_line("all is well"), None);
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in ".*") {
            let _ = Clue::in_line(&line);
            let _ = paths_in(&line);
        }
    }
}
