//! What happened in the jail, in the words of the check.

use std::path::Path;

use crate::notice::Notice;
use crate::world;

/// The folder of a process, where a call names none.
const HERE: u64 = libc::AT_FDCWD as u64;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// A program was started.
    Run {
        /// The file, absolute, links followed.
        file: String,
        /// Its arguments, with its name.
        argv: Vec<String>,
        /// In which folder.
        cwd: String,
    },
    /// A file was opened.
    Open {
        /// Absolute, links followed.
        path: String,
        /// To be written?
        write: bool,
    },
    /// A name was made, changed or removed.
    Change {
        /// Absolute, links followed up to the last name.
        path: String,
    },
}

/// All that happened.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// In order, each once.
    pub(crate) events: Vec<Event>,
    /// Did it take too long?
    pub(crate) was_stopped: bool,
    /// With what the shell ended.
    pub(crate) status: u8,
}

impl Event {
    /// What a notice tells; `None` for what no check is about.
    pub(crate) fn read(notice: &Notice, root: &str) -> Option<Self> {
        let act = Act::of(notice)?;
        let path = inside(root, &act.path);
        match act.kind {
            Kind::Run(argv) => {
                let cwd = inside(root, &seen_from(notice, HERE)?);
                let argv = notice.texts(argv)?.iter().map(|word| word.replace(root, "")).collect();
                Some(Self::Run { file: world::real(&path), argv, cwd })
            }
            Kind::Open(flags) => {
                let path = world::real(&path);
                let is_looked_at = flags & (libc::O_DIRECTORY | libc::O_PATH) != 0;
                let write = writes(flags);
                (!is_looked_at && !is_noise(&path, write) && !world::is_folder(&path))
                    .then_some(Self::Open { path, write })
            }
            Kind::Change => {
                let path = world::near(&path);
                (!is_noise(&path, true)).then_some(Self::Change { path })
            }
        }
    }

    /// Is the world another one after it?
    pub(crate) fn changes(&self) -> bool {
        match self {
            Self::Run { .. } => false,
            Self::Open { write, .. } => *write,
            Self::Change { .. } => true,
        }
    }

    /// May a file be read as a script? Programs are where they are looked for; others may have been written.
    pub(crate) fn is_script_file(&self) -> bool {
        let Self::Run { file, argv, .. } = self else { return false };
        !file.starts_with("/bin/")
            || matches!(file.as_str(), "/bin/bash" | "/bin/sh" | "/bin/dash")
                && argv.get(1).is_some_and(|word| !word.starts_with('-'))
    }
}

/// What a call would do, with the path as the kernel has it.
struct Act {
    path: String,
    kind: Kind,
}

enum Kind {
    /// Start a program with the arguments at this address.
    Run(u64),
    /// Open with these flags.
    Open(i32),
    /// Make, change or remove a name.
    Change,
}

impl Act {
    fn of(notice: &Notice) -> Option<Self> {
        let [a, b, c, d, ..] = notice.args;
        let created = libc::O_CREAT | libc::O_WRONLY;
        let (folder, path, kind) = match notice.call {
            libc::SYS_execve => (HERE, a, Kind::Run(b)),
            libc::SYS_execveat => (a, b, Kind::Run(c)),
            libc::SYS_open => (HERE, a, Kind::Open(b as i32)),
            libc::SYS_creat => (HERE, a, Kind::Open(created)),
            libc::SYS_openat => (a, b, Kind::Open(c as i32)),
            libc::SYS_openat2 => (a, b, Kind::Open(notice.number(c)? as i32)),
            libc::SYS_unlink | libc::SYS_rmdir | libc::SYS_mkdir | libc::SYS_truncate | libc::SYS_chmod => {
                (HERE, a, Kind::Change)
            }
            libc::SYS_rename | libc::SYS_link | libc::SYS_symlink => (HERE, b, Kind::Change),
            libc::SYS_unlinkat | libc::SYS_mkdirat | libc::SYS_fchmodat => (a, b, Kind::Change),
            libc::SYS_renameat | libc::SYS_renameat2 | libc::SYS_linkat => (c, d, Kind::Change),
            libc::SYS_symlinkat => (b, c, Kind::Change),
            _ => return None,
        };
        let text = notice.text(path)?;
        let path =
            if text.starts_with('/') { text } else { format!("{}/{text}", seen_from(notice, folder)?) };
        Some(Self { path, kind })
    }
}

/// Would it reach out of `root`, where only we stand in its way?
pub(crate) fn escapes(notice: &Notice, root: &Path) -> bool {
    let Some(act) = Act::of(notice) else { return true };
    let changes = match act.kind {
        Kind::Run(_) | Kind::Change => true,
        Kind::Open(flags) => writes(flags),
    };
    let path = Path::new(&act.path);
    let real = path.canonicalize().ok().or_else(|| {
        // What does not exist yet; but a link that leads nowhere is an opening, too.
        let folder = path.parent()?.canonicalize().ok()?;
        path.symlink_metadata().is_err().then(|| folder.join(path.file_name().unwrap_or_default()))
    });
    let is_null = matches!(act.path.as_str(), "/dev/null" | "/dev/tty");
    changes && !is_null && !real.is_some_and(|real| real.starts_with(root))
}

fn writes(flags: i32) -> bool {
    flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) != 0
}

/// What shells and libraries open for themselves.
fn is_noise(path: &str, write: bool) -> bool {
    let below = |folder: &&str| path.starts_with(*folder);
    ["/dev/null", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(&path)
        || ["/dev/fd/", "/proc/", "/tmp/sh-thd", "/tmp/sh-np"].iter().any(&below)
        || (!write
            && [
                "/bin/",
                "/lib",
                "/usr/lib",
                "/usr/share/",
                "/etc/ld.so",
                "/etc/passwd",
                "/etc/group",
                "/etc/nsswitch",
                "/etc/locale",
            ]
            .iter()
            .any(below))
}

/// The folder from which a call sees relative paths.
fn seen_from(notice: &Notice, folder: u64) -> Option<String> {
    let folder = folder as i32;
    let link = if folder == libc::AT_FDCWD {
        format!("/proc/{}/cwd", notice.pid)
    } else {
        format!("/proc/{}/fd/{folder}", notice.pid)
    };
    let path = std::fs::read_link(link).ok()?.to_string_lossy().into_owned();
    Some(path.trim_end_matches(" (deleted)").to_owned())
}

/// The path as the jail names it.
fn inside(root: &str, path: &str) -> String {
    match path.strip_prefix(root) {
        Some("") => "/".to_owned(),
        Some(inside) if inside.starts_with('/') => inside.to_owned(),
        _ => path.to_owned(),
    }
}
