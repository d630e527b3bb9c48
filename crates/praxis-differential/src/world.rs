//! The small world in which scripts run: folders, files with odd names, links, programs.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stub;

/// The folder in which scripts start.
pub(crate) const CWD: &str = "/w/p";
/// The home folder.
pub(crate) const HOME: &str = "/home/me";
/// Where programs are found.
pub(crate) const BIN: &str = "/bin";

/// What is set up before each script; everything else in these folders goes.
pub(crate) const ROOMS: [&str; 4] = ["/w", "/home", "/o", "/tmp"];
const FOLDERS: &[&str] = &[
    "/w/p/src",
    "/w/p/src/deep",
    "/w/p/sub",
    "/w/p/sub dir",
    "/w/p/build",
    "/w/p/-x",
    "/w/p/*",
    "/w/p/.git/hooks",
    "/w/p/a",
    "/w/p/b",
    "/home/me/.ssh",
    "/home/me/src",
    "/o/sub",
    "/o/src",
    "/tmp",
];
const FILES: &[&str] = &[
    "/w/p/a.txt",
    "/w/p/b.c",
    "/w/p/f",
    "/w/p/x y",
    "/w/p/.env",
    "/w/p/-rf",
    "/w/p/$HOME",
    "/w/p/a;b",
    "/w/p/new\nline",
    "/w/p/[x]",
    "/w/p/~",
    "/w/p/.git/config",
    "/w/p/src/f",
    "/w/p/src/a.txt",
    "/w/p/sub/f",
    "/w/p/sub/a.txt",
    "/w/p/sub dir/f",
    "/w/p/src/deep/f",
    "/w/p/a/f",
    "/w/f",
    "/home/me/f",
    "/home/me/a.txt",
    "/home/me/.ssh/id",
    "/o/f",
    "/o/a.txt",
    "/o/sub/f",
];
/// Files that a shell can read as a script.
const SCRIPTS: &[(&str, &str)] = &[("/w/p/s.sh", ":\n"), ("/o/s.sh", ":\n")];
/// Programs where no rule looks for one.
const TRAPS: &[&str] = &["/w/p/ls", "/w/p/sub/ls", "/o/ls", "/w/p/tool", "/o/cat", "/home/me/ls"];
const LINKS: &[(&str, &str)] = &[
    ("/w/p/link", "sub"),
    ("/w/p/out", "/o"),
    ("/w/p/up", ".."),
    ("/w/p/lf", "../f"),
    ("/w/p/lo", "/o/f"),
    ("/w/p/loop", "loop"),
    ("/w/p/dangling", "nowhere"),
    ("/usr/bin", "../bin"),
    ("/usr/local/bin", "../../bin"),
    ("/dev/stdin", "/proc/self/fd/0"),
];

/// Programs that are stubs.
pub(crate) const STUBS: &str = "ls rm cp mv ln mkdir rmdir touch chmod chown head tail wc sort uniq grep egrep fgrep \
    sed awk gawk git make cargo npm node python python3 perl ruby php tr cut diff cmp comm file stat du df tree xxd od \
    dd tar gzip gunzip zip unzip curl wget ssh scp rsync sudo su doas date sleep seq expr basename dirname readlink realpath \
    mktemp which who whoami id uname hostname ps pstree kill pkill killall less more vi vim nano ed ex man jq yq rg fd ag \
    gcc cc clang rustc go java javac docker podman kubectl gh glab aws gcloud terraform psql mysql sqlite3 redis-cli make \
    cmake ninja pytest jest tsc eslint prettier yarn pnpm bun deno npx pip pip3 uv poetry base64 md5sum sha256sum openssl gpg \
    install truncate shred split csplit patch tac rev nl fold paste join column yes factor numfmt printenv tput clear \
    strace gdb watch flock script screen tmux at batch crontab mail sendmail nc socat telnet ping dig host mount umount \
    a b foo x y z tool";
/// Programs that are what they are: they start others, or the analysis knows what they say.
const REAL: &[&str] = &["cat", "tee", "env", "xargs", "find", "timeout", "nice", "nohup", "setsid", "stdbuf"];

/// Builds the world below `root`, with programs, but with empty rooms. Without `with_real`, also those that start others are stubs.
pub(crate) fn build(root: &Path, with_real: bool) -> io::Result<()> {
    for folder in ["bin", "dev", "proc", "etc", "usr/local", "lib"] {
        fs::create_dir_all(root.join(folder))?;
    }
    let stub = root.join("bin/.stub");
    program(&stub)?;
    let mut names: Vec<&str> = STUBS.split_whitespace().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        fs::hard_link(&stub, root.join("bin").join(name))?;
    }
    for name in REAL {
        match found(name).filter(|_| with_real || matches!(*name, "cat" | "tee")) {
            Some(path) => bring(root, &path, name)?,
            None => fs::hard_link(&stub, root.join("bin").join(name))?,
        }
    }
    let bash = found("bash").ok_or_else(|| io::Error::other("there is no bash"))?;
    bring(root, &bash, "bash")?;
    match found("dash") {
        Some(dash) => {
            bring(root, &dash, "dash")?;
            fs::hard_link(root.join("bin/dash"), root.join("bin/sh"))?;
        }
        None => fs::hard_link(root.join("bin/bash"), root.join("bin/sh"))?,
    }
    let locale = Path::new("/usr/lib/locale/C.utf8");
    if locale.is_dir() {
        copy(locale, &below(root, "/usr/lib/locale/C.utf8"))?;
    }
    for (name, target) in LINKS.iter().filter(|(name, _)| !is_room(name)) {
        symlink(target, below(root, name))?;
    }
    fs::write(root.join("dev/null"), "")?;
    for room in ROOMS {
        fs::create_dir_all(below(root, room))?;
    }
    Ok(())
}

/// Puts the rooms back to what they are before each script.
pub(crate) fn furnish(root: &Path) -> io::Result<()> {
    for room in ROOMS {
        for entry in fs::read_dir(below(root, room))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
    }
    for folder in FOLDERS {
        fs::create_dir_all(below(root, folder))?;
    }
    for file in FILES {
        fs::write(below(root, file), "content of a file\n")?;
    }
    for (file, text) in SCRIPTS {
        fs::write(below(root, file), text)?;
    }
    for trap in TRAPS {
        program(&below(root, trap))?;
    }
    for (name, target) in LINKS.iter().filter(|(name, _)| is_room(name)) {
        symlink(target, below(root, name))?;
    }
    Ok(())
}

/// The links in a folder: their names and where they lead.
pub(crate) fn links(folder: &str) -> impl Iterator<Item = (&'static str, String)> {
    let inside = move |(path, _): &(&'static str, &str)| {
        let (parent, name) = path.rsplit_once('/')?;
        (parent == folder).then(|| (name, real(path)))
    };
    LINKS.iter().filter_map(inside)
}

/// The path with all links followed, as the kernel would; a link without an end stays.
pub(crate) fn real(path: &str) -> String {
    let mut left: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut out = String::new();
    let mut links = 0;
    while let Some(part) = left.pop() {
        match part.as_str() {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            _ => {
                let whole = format!("{out}/{part}");
                match LINKS.iter().find(|(name, _)| *name == whole) {
                    Some((_, target)) if links < 20 => {
                        links += 1;
                        if target.starts_with('/') {
                            out.clear();
                        }
                        left.extend(target.split('/').rev().map(str::to_owned));
                    }
                    _ => out = whole,
                }
            }
        }
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

/// The path without `.` and `..`, by its text alone.
pub(crate) fn tidy(path: &str) -> String {
    let mut out = String::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => out.truncate(out.rfind('/').unwrap_or(0)),
            _ => {
                out.push('/');
                out.push_str(part);
            }
        }
    }
    if out.is_empty() { "/".to_owned() } else { out }
}

/// The path with the links of its folder followed, but not its own.
pub(crate) fn near(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) if !matches!(name, "." | "..") => {
            format!("{}/{name}", real(folder).trim_end_matches('/'))
        }
        _ => real(path),
    }
}

/// Is there a folder of this name before the script begins?
pub(crate) fn is_folder(path: &str) -> bool {
    let path = real(path);
    path == "/"
        || [BIN, "/dev", "/proc", "/etc", "/usr"].contains(&path.as_str())
        || FOLDERS.iter().any(|folder| {
            folder.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

/// Does it belong to the rooms?
pub(crate) fn is_room(path: &str) -> bool {
    ROOMS
        .iter()
        .any(|room| path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

pub(crate) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

fn program(path: &Path) -> io::Result<()> {
    fs::write(path, stub::elf())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

fn found(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Copies a program of this machine, and the libraries that it names.
fn bring(root: &Path, path: &Path, name: &str) -> io::Result<()> {
    let to = root.join("bin").join(name);
    fs::copy(path, &to)?;
    let output = Command::new("ldd").arg(path).output()?;
    for word in
        String::from_utf8_lossy(&output.stdout).split_whitespace().filter(|word| word.starts_with('/'))
    {
        let library = below(root, word);
        if let Some(folder) = library.parent().filter(|_| !library.exists()) {
            fs::create_dir_all(folder)?;
            fs::copy(word, &library)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_the_kernel_does() {
        assert_eq!(real("/w/p/link/../f"), "/w/p/f");
        assert_eq!(real("/w/p/out/../f"), "/f");
        assert_eq!(real("/w/p/up/f"), "/w/f");
        assert_eq!(real("/usr/bin/ls"), "/bin/ls");
        assert_eq!(real("/w/p/loop"), "/w/p/loop");
        assert_eq!(near("/w/p/link/../lo"), "/w/p/lo");
        assert_eq!(tidy("/w/p/out/../f"), "/w/p/f");
        assert!(is_folder("/w/p/out/sub") && is_folder("/w") && !is_folder("/w/p/f"));
    }
}
