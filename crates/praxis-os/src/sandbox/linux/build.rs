//! Builds the tree of a command, in the first process of its namespaces: system calls only.

use std::ffi::CStr;
use std::io;
use std::mem::size_of;

use super::plan::{Plan, Step};
use super::space::check;

/// Sources that one plan can have, those opened before anything is covered.
pub(super) const MOST_SOURCES: usize = 4_096;
/// Where the new tree stands until it becomes the root; anything that is there is covered, and opened before.
const BASE: &CStr = c"/tmp";
/// Where an empty file and an empty folder are found in the new tree.
const EMPTY_FILE: &CStr = c".empty-file";
const EMPTY_FOLDER: &CStr = c".empty-folder";

const NO_DANGER: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV;
/// Attributes of a mount that are switched on.
const READ_ONLY: u64 = 0x1;
const NO_SETUID: u64 = 0x2;
const NO_DEVICES: u64 = 0x4;
/// Of `open_tree` and `move_mount`.
const CLONE: libc::c_int = 1;
const RECURSIVE: libc::c_int = 0x8000;
const FROM_DESCRIPTOR: libc::c_int = 0x4;
const TO_DESCRIPTOR: libc::c_int = 0x40;
/// Of `openat2`: no link on the way, the last name may be one.
const NO_LINKS: u64 = 0x04;

/// Builds the tree, makes it the root, and goes to `folder` in it, or to the root if that is not there.
pub(super) fn tree(plan: &Plan, folder: *const libc::c_char) -> io::Result<()> {
    let mut sources = [-1; MOST_SOURCES];
    if plan.sources.len() > MOST_SOURCES {
        return Err(io::Error::from_raw_os_error(libc::E2BIG));
    }
    // What is mounted here must not show outside.
    mount(None, c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
    for (path, source) in plan.sources.iter().zip(&mut sources) {
        *source = clone(path)?;
    }
    mount(Some(c"tmpfs"), BASE, Some(c"tmpfs"), NO_DANGER, Some(c"mode=755,size=16m,nr_inodes=50k"))?;
    go(BASE)?;
    make_file(EMPTY_FILE, 0o444)?;
    make_folder(EMPTY_FOLDER, 0o555)?;
    let empty_file = open(EMPTY_FILE)?;
    let empty_folder = open(EMPTY_FOLDER)?;
    let mut own_root = false;
    for step in &plan.steps {
        match step {
            Step::Root { source, read_only } => {
                let Some(tree) = sources.get(*source).copied().filter(|tree| *tree >= 0) else {
                    return Err(io::Error::from_raw_os_error(libc::ENOENT));
                };
                restrict(tree, *read_only, true)?;
                attach(tree, BASE)?;
                go(BASE)?;
                own_root = true;
            }
            Step::Folder(at) => make_folder(at, 0o755)?,
            Step::File(at) => make_file(at, 0o644)?,
            Step::Link { at, target } => link(target, at)?,
            Step::Attach { source, at, read_only, device } => {
                // A source that went away meanwhile leaves nothing to attach, and nothing to protect.
                if let Some(tree) = sources.get(*source).copied().filter(|tree| *tree >= 0) {
                    restrict(tree, *read_only, *device)?;
                    attach(tree, at)?;
                }
            }
            Step::Mask { is_folder, at } => {
                let tree = clone_of(if *is_folder { empty_folder } else { empty_file })?;
                restrict(tree, true, false)?;
                attach(tree, at)?;
            }
            Step::Memory { at, options } => {
                mount(Some(c"tmpfs"), at, Some(c"tmpfs"), NO_DANGER, Some(options))?;
            }
            Step::Processes { at } => {
                let flags = NO_DANGER | libc::MS_NOEXEC;
                mount(Some(c"proc"), at, Some(c"proc"), flags, None)?;
            }
            Step::Terminals { at } => {
                let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
                let options = c"newinstance,ptmxmode=0666,mode=620";
                mount(Some(c"devpts"), at, Some(c"devpts"), flags, Some(options))?;
            }
            Step::Freeze(at) => {
                let tree = clone_again(at)?;
                restrict(tree, true, false)?;
                attach(tree, at)?;
            }
            Step::Seal(at) => seal(at)?,
        }
    }
    if !own_root {
        forget_empty();
        seal(c".")?;
    }
    become_root()?;
    #[expect(unsafe_code, reason = "the folder is a buffer of the caller's")]
    // SAFETY: the caller's buffer ends in a NUL byte and outlives the call.
    let there = unsafe { libc::chdir(folder) };
    if there < 0 { go(c"/") } else { Ok(()) }
}

/// Takes the names of what masks are made of away; the masks stay.
fn forget_empty() {
    #[expect(unsafe_code, reason = "the safe door allocates")]
    // SAFETY: paths that are constants. Should one stay, it is an empty file that cannot be written.
    unsafe {
        libc::unlink(EMPTY_FILE.as_ptr());
        libc::rmdir(EMPTY_FOLDER.as_ptr());
    }
}

/// A detached copy of something of the machine; -1 if it is not there.
fn clone(path: &CStr) -> io::Result<libc::c_int> {
    match clone_again(path) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(-1),
        done => done,
    }
}

fn clone_again(path: &CStr) -> io::Result<libc::c_int> {
    let place = open(path)?;
    let tree = clone_of(place);
    close(place);
    tree
}

fn clone_of(place: libc::c_int) -> io::Result<libc::c_int> {
    let flags = CLONE | RECURSIVE | libc::O_CLOEXEC | libc::AT_EMPTY_PATH;
    #[expect(unsafe_code, reason = "detached mounts have no safe door")]
    // SAFETY: an empty path and a descriptor.
    let tree = unsafe { libc::syscall(libc::SYS_open_tree, place, c"".as_ptr(), flags) };
    check(libc::c_int::try_from(tree).unwrap_or(-1))
}

/// The very place, without following any link.
fn open(path: &CStr) -> io::Result<libc::c_int> {
    #[repr(C)]
    struct How {
        flags: u64,
        mode: u64,
        resolve: u64,
    }
    let flags = (libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW) as u64;
    let how = How { flags, mode: 0, resolve: NO_LINKS };
    #[expect(unsafe_code, reason = "descriptors are kept by number")]
    // SAFETY: the path and the structure outlive the call, which is told the structure's size.
    let place = unsafe {
        libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, path.as_ptr(), &raw const how, size_of::<How>())
    };
    check(libc::c_int::try_from(place).unwrap_or(-1))
}

#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

/// Programs in a view never gain rights from a file's owner; whether it can be written is the place's.
fn restrict(tree: libc::c_int, read_only: bool, device: bool) -> io::Result<()> {
    let mut set = NO_SETUID;
    if read_only {
        set |= READ_ONLY;
    }
    if !device {
        set |= NO_DEVICES;
    }
    set_attributes(tree, c"", libc::AT_EMPTY_PATH | RECURSIVE, set)
}

/// Only the place itself: what is attached below keeps its own attributes.
fn seal(at: &CStr) -> io::Result<()> {
    set_attributes(libc::AT_FDCWD, at, 0, READ_ONLY)
}

fn set_attributes(place: libc::c_int, path: &CStr, flags: libc::c_int, set: u64) -> io::Result<()> {
    let attributes = Attributes { set, clear: 0, propagation: 0, namespace: 0 };
    #[expect(unsafe_code, reason = "mount attributes have no safe door")]
    // SAFETY: the path and the structure outlive the call, which is told the structure's size.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            place,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    check(libc::c_int::try_from(done).unwrap_or(-1)).map(drop)
}

fn attach(tree: libc::c_int, at: &CStr) -> io::Result<()> {
    let place = open(at)?;
    let flags = FROM_DESCRIPTOR | TO_DESCRIPTOR;
    #[expect(unsafe_code, reason = "detached mounts have no safe door")]
    // SAFETY: empty paths and descriptors.
    let done = unsafe { libc::syscall(libc::SYS_move_mount, tree, c"".as_ptr(), place, c"".as_ptr(), flags) };
    let done = check(libc::c_int::try_from(done).unwrap_or(-1)).map(drop);
    close(place);
    close(tree);
    done
}

fn become_root() -> io::Result<()> {
    #[expect(unsafe_code, reason = "changing the root has no safe door")]
    // SAFETY: paths that are constants.
    unsafe {
        check(
            libc::c_int::try_from(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))
                .unwrap_or(-1),
        )?;
        check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH))?;
    }
    go(c"/")
}

fn mount(
    source: Option<&CStr>,
    at: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let pointer = |text: Option<&CStr>| text.map_or(std::ptr::null(), CStr::as_ptr);
    #[expect(unsafe_code, reason = "mounting has no safe door")]
    // SAFETY: the texts outlive the call, and those that are absent may be.
    let done =
        unsafe { libc::mount(pointer(source), at.as_ptr(), pointer(kind), flags, pointer(options).cast()) };
    check(done).map(drop)
}

fn make_folder(at: &CStr, mode: libc::mode_t) -> io::Result<()> {
    #[expect(unsafe_code, reason = "the safe door allocates")]
    // SAFETY: the path outlives the call.
    unless_there(unsafe { libc::mkdir(at.as_ptr(), mode) })
}

fn make_file(at: &CStr, mode: libc::mode_t) -> io::Result<()> {
    #[expect(unsafe_code, reason = "the safe door allocates")]
    // SAFETY: the path outlives the call.
    unless_there(unsafe { libc::mknod(at.as_ptr(), libc::S_IFREG | mode, 0) })
}

fn link(target: &CStr, at: &CStr) -> io::Result<()> {
    #[expect(unsafe_code, reason = "the safe door allocates")]
    // SAFETY: both paths outlive the call.
    unless_there(unsafe { libc::symlink(target.as_ptr(), at.as_ptr()) })
}

fn unless_there(result: libc::c_int) -> io::Result<()> {
    match check(result) {
        Err(error) if error.raw_os_error() != Some(libc::EEXIST) => Err(error),
        _ => Ok(()),
    }
}

fn go(folder: &CStr) -> io::Result<()> {
    #[expect(unsafe_code, reason = "the safe door allocates")]
    // SAFETY: the path outlives the call.
    check(unsafe { libc::chdir(folder.as_ptr()) }).map(drop)
}

fn close(descriptor: libc::c_int) {
    #[expect(unsafe_code, reason = "descriptors are kept by number")]
    // SAFETY: it is ours, and used nowhere else.
    let _ = unsafe { libc::close(descriptor) };
}
