//! What happened in the jail, in the words of the check.

use crate::notice::Notice;
use crate::world;

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
        let [a, b, c, d, ..] = notice.args;
        let here = i64::from(libc::AT_FDCWD) as u64;
        match notice.call {
            libc::SYS_execve => Self::run(notice, root, here, a, b),
            libc::SYS_execveat => Self::run(notice, root, a, b, c),
            libc::SYS_open => Self::open(notice, root, here, a, b),
            libc::SYS_creat => Self::open(notice, root, here, a, (libc::O_CREAT | libc::O_WRONLY) as u64),
            libc::SYS_openat => Self::open(notice, root, a, b, c),
            libc::SYS_openat2 => Self::open(notice, root, a, b, notice.number(c)?),
            libc::SYS_unlink | libc::SYS_rmdir | libc::SYS_mkdir | libc::SYS_truncate | libc::SYS_chmod => {
                Self::change(notice, root, here, a)
            }
            libc::SYS_rename | libc::SYS_link | libc::SYS_symlink => Self::change(notice, root, here, b),
            libc::SYS_unlinkat | libc::SYS_mkdirat | libc::SYS_fchmodat => Self::change(notice, root, a, b),
            libc::SYS_renameat | libc::SYS_renameat2 | libc::SYS_linkat => Self::change(notice, root, c, d),
            libc::SYS_symlinkat => Self::change(notice, root, b, c),
            _ => None,
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

    fn run(notice: &Notice, root: &str, folder: u64, path: u64, argv: u64) -> Option<Self> {
        let cwd = seen_from(notice, root, i64::from(libc::AT_FDCWD) as u64)?;
        let file = world::real(&join(notice, root, folder, &notice.text(path)?)?);
        Some(Self::Run { file, argv: notice.texts(argv)?, cwd })
    }

    fn open(notice: &Notice, root: &str, folder: u64, path: u64, flags: u64) -> Option<Self> {
        let flags = flags as i32;
        let text = notice.text(path)?;
        let path = world::real(&join(notice, root, folder, &text)?);
        let write = flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) != 0;
        if flags & (libc::O_DIRECTORY | libc::O_PATH) != 0
            || is_noise(&path, write)
            || world::is_folder(&path)
        {
            return None;
        }
        Some(Self::Open { path, write })
    }

    fn change(notice: &Notice, root: &str, folder: u64, path: u64) -> Option<Self> {
        let path = join(notice, root, folder, &notice.text(path)?)?;
        let path = path.trim_end_matches('/');
        let (parent, name) = path.rsplit_once('/')?;
        let path = format!("{}/{name}", world::real(parent).trim_end_matches('/'));
        (!is_noise(&path, true)).then_some(Self::Change { path })
    }
}

/// What shells and libraries open for themselves.
fn is_noise(path: &str, write: bool) -> bool {
    let below = |folder: &&str| path.starts_with(*folder);
    ["/dev/null", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(&path)
        || ["/dev/fd/", "/proc/", "/tmp/sh-thd", "/tmp/sh-np"].iter().any(&below)
        || (!write
            && [
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

/// The folder from which a call sees relative paths, as the jail names it.
fn seen_from(notice: &Notice, root: &str, folder: u64) -> Option<String> {
    let folder = folder as i32;
    let link = if folder == libc::AT_FDCWD {
        format!("/proc/{}/cwd", notice.pid)
    } else {
        format!("/proc/{}/fd/{folder}", notice.pid)
    };
    let path = std::fs::read_link(link).ok()?.to_string_lossy().into_owned();
    Some(match path.strip_prefix(root) {
        Some("") => "/".to_owned(),
        Some(inside) => inside.to_owned(),
        None => path,
    })
}

fn join(notice: &Notice, root: &str, folder: u64, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    Some(format!("{}/{path}", seen_from(notice, root, folder)?))
}
