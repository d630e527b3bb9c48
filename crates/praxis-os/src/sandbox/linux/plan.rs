//! How a view is built: what is bound, made and masked, in which order.
//!
//! The tree of a command begins as an empty file system. Places are attached to it from the root down, so that each lies
//! on top of the one around it. A mount cannot be renamed or removed, but the folders above it could be: those between a
//! protected place and the writable place around it are therefore mounted too ("pinned").

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::super::SandboxError;
use super::super::view::{Access, Temp, View};

/// Places one view may have; each is a few system calls and a mount.
const MOST_PLACES: usize = 2_000;
/// How large a temporary file system may grow, and how many files it may have.
const TEMPORARY: &str = "size=1g,nr_inodes=200k";
/// Links on the way to one place.
const MOST_LINKS: usize = 40;

/// Devices that hold nothing of anybody's, and the terminal of the command itself.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Names that programs expect beside the devices.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// What the superuser could change the machine by; ordinary users cannot write there anyway.
const MACHINE: [&str; 6] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"];

/// One thing to do while the tree is built. Paths are relative to its root.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The whole tree is this source.
    Root { source: usize, read_only: bool },
    /// Make a folder, if it is not there.
    Folder(CString),
    /// Make an empty file, if it is not there.
    File(CString),
    /// Make a link.
    Link { at: CString, target: CString },
    /// Attach a source; only what stands in `/dev` may be a device.
    Attach { source: usize, at: CString, read_only: bool, device: bool },
    /// Attach an empty folder or file that cannot be changed.
    Mask { is_folder: bool, at: CString },
    /// A file system in memory.
    Memory { at: CString, options: CString },
    /// What is known of the command's own processes.
    Processes { at: CString },
    /// Terminals of the command's own.
    Terminals { at: CString },
    /// What is there already cannot be changed any more, with all below.
    Freeze(CString),
    /// Nothing can be made or removed here any more; what is attached below stays as it is.
    Seal(CString),
}

/// The steps, and what they attach.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Files and folders of the machine, opened before anything is covered.
    pub(super) sources: Vec<CString>,
    /// What is done then.
    pub(super) steps: Vec<Step>,
    /// Where writing is possible, absolute in the new tree.
    pub(super) writable: Vec<CString>,
}

/// What stands at a path of the new tree.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// Something of the machine.
    Bound {
        source: PathBuf,
        access: Access,
    },
    /// A link as it is on the machine; with a place's name it must not be replaced.
    Link {
        is_place: bool,
    },
    /// An empty file system that can be written.
    Memory,
    Processes,
    Devices,
}

impl Plan {
    /// Looks at the machine and says what to do. Places that are missing are left out and noted.
    pub(super) fn of(view: &View, root: bool, notes: &mut Vec<String>) -> Result<Self, SandboxError> {
        let contents = contents(view, notes)?;
        let around = HashMap::from([(PathBuf::from("/"), Around::Sealed)]);
        let made = HashSet::new();
        let mut builder =
            Builder { contents: &contents, root, plan: Self::default(), seals: Vec::new(), around, made };
        for (path, content) in &contents {
            builder
                .put(path, content)
                .map_err(|source| SandboxError::System { action: "plan the view of a command", source })?;
        }
        let Builder { mut plan, seals, .. } = builder;
        // The innermost first: sealing one does not keep the next from being reached.
        plan.steps.extend(seals.into_iter().rev().map(Step::Seal));
        Ok(plan)
    }
}

/// Everything the tree is made of, by real path.
fn contents(view: &View, notes: &mut Vec<String>) -> Result<BTreeMap<PathBuf, Content>, SandboxError> {
    if view.places.len() > MOST_PLACES {
        return Err(SandboxError::TooManyPlaces(MOST_PLACES));
    }
    let mut found = BTreeMap::from([
        (PathBuf::from("/dev"), Content::Devices),
        (PathBuf::from("/proc"), Content::Processes),
    ]);
    for temporary in ["/tmp", "/var/tmp"] {
        let content = match &view.temp {
            Temp::Private => Content::Memory,
            Temp::Folder(folder) => Content::Bound { source: folder.clone(), access: Access::Write },
        };
        found.insert(PathBuf::from(temporary), content);
    }
    let mut machine = Machine::default();
    for place in &view.places {
        let mut links = Vec::new();
        match machine.follow(&place.path, &mut links) {
            Ok(path) => {
                found.insert(path.clone(), Content::Bound { source: path, access: place.access });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => notes.push(format!("`{}` is left out: {error}", place.path.display())),
        }
        for link in links {
            let is_place = link == place.path && place.access != Access::Write;
            if is_place || !found.contains_key(&link) {
                found.insert(link, Content::Link { is_place });
            }
        }
    }
    Ok(found)
}

/// What was seen of the machine. Places share the folders above them, so that each is followed once.
#[derive(Debug, Default)]
struct Machine {
    /// Folders as they were named: where they really are and over which links, or the number of the error.
    folders: HashMap<PathBuf, Result<(PathBuf, Vec<PathBuf>), i32>>,
}

impl Machine {
    /// Follows a path, and tells the links on the way.
    fn follow(&mut self, path: &Path, links: &mut Vec<PathBuf>) -> io::Result<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return follow(PathBuf::from("/"), parts(path), links);
        };
        let done = match self.folders.get(folder) {
            Some(Ok((done, known))) => {
                links.extend_from_slice(known);
                done.clone()
            }
            Some(Err(number)) => return Err(io::Error::from_raw_os_error(*number)),
            None => {
                let found = self.follow(folder, links);
                let kept = found.as_ref().map(|done| (done.clone(), links.clone()));
                let kept = kept.map_err(|error| error.raw_os_error().unwrap_or(libc::ELOOP));
                self.folders.insert(folder.to_owned(), kept);
                found?
            }
        };
        follow(done, vec![name.to_owned()], links)
    }
}

/// Goes on from a real folder, part by part.
fn follow(mut done: PathBuf, mut rest: Vec<OsString>, links: &mut Vec<PathBuf>) -> io::Result<PathBuf> {
    rest.reverse();
    while let Some(next) = rest.pop() {
        if next == ".." {
            done.pop();
            continue;
        }
        done.push(&next);
        if !done.symlink_metadata()?.is_symlink() {
            continue;
        }
        let target = fs::read_link(&done)?;
        links.push(done.clone());
        if links.len() > MOST_LINKS {
            return Err(io::Error::from_raw_os_error(libc::ELOOP));
        }
        if target.is_absolute() {
            done = PathBuf::from("/");
        } else {
            done.pop();
        }
        rest.extend(parts(&target).into_iter().rev());
    }
    Ok(done)
}

fn parts(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.collect()
}

/// What a path of the new tree lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// An empty file system in which folders are made as needed, and nothing once it is sealed.
    Sealed,
    /// The same, but it can be written.
    Loose,
    /// Files of the machine under their own names, with this access.
    Same(Access),
    /// The processes of the command.
    Processes,
}

struct Builder<'c> {
    contents: &'c BTreeMap<PathBuf, Content>,
    root: bool,
    plan: Plan,
    seals: Vec<CString>,
    around: HashMap<PathBuf, Around>,
    /// Folders that exist only in the new tree.
    made: HashSet<PathBuf>,
}

impl Builder<'_> {
    fn put(&mut self, path: &Path, content: &Content) -> io::Result<()> {
        let (nearest, around) = self.nearest(path);
        match content {
            Content::Bound { source, access } => self.bind(path, source, *access, &nearest, around),
            Content::Link { is_place } => self.link(path, *is_place, &nearest, around),
            Content::Memory => {
                if self.mount_point(path, true, around)? {
                    self.memory(path, "mode=1777")?;
                    self.around.insert(path.to_owned(), Around::Loose);
                }
                Ok(())
            }
            Content::Processes => self.processes(path, around),
            Content::Devices => self.devices(path, around),
        }
    }

    /// The nearest place around a path.
    fn nearest(&self, path: &Path) -> (PathBuf, Around) {
        let found =
            path.ancestors().skip(1).find_map(|above| Some((above.to_owned(), *self.around.get(above)?)));
        found.unwrap_or_else(|| (PathBuf::from("/"), Around::Sealed))
    }

    fn bind(
        &mut self,
        path: &Path,
        source: &Path,
        access: Access,
        nearest: &Path,
        around: Around,
    ) -> io::Result<()> {
        // One that is gone meanwhile is nobody's.
        let Ok(data) = source.symlink_metadata() else { return Ok(()) };
        let is_folder = data.is_dir();
        if path == Path::new("/") {
            // The tree begins empty anyway.
            if access == Access::Masked {
                return Ok(());
            }
            let source = self.source(source)?;
            self.plan.steps.push(Step::Root { source, read_only: access != Access::Write });
            self.note(path, access)?;
            return Ok(());
        }
        match (around, access) {
            (Around::Processes, _) => return Ok(()),
            (Around::Same(outer), inner) if outer == inner => return Ok(()),
            (Around::Same(Access::Write), Access::Read | Access::Masked) => self.pin(nearest, path)?,
            (Around::Same(_) | Around::Sealed | Around::Loose, _) => {}
        }
        if access == Access::Masked {
            return self.mask(path, is_folder, around);
        }
        if !self.mount_point(path, is_folder, around)? {
            return Ok(());
        }
        let at = relative(path)?;
        let same = source == path;
        let source = self.source(source)?;
        let device = path.starts_with("/dev");
        self.plan.steps.push(Step::Attach { source, at, read_only: access != Access::Write, device });
        if same {
            self.note(path, access)?;
        } else {
            self.around.insert(path.to_owned(), Around::Loose);
            self.plan.writable.push(text(path)?);
        }
        Ok(())
    }

    fn note(&mut self, path: &Path, access: Access) -> io::Result<()> {
        if access == Access::Write {
            self.plan.writable.push(text(path)?);
        }
        self.around.insert(path.to_owned(), Around::Same(access));
        Ok(())
    }

    fn mask(&mut self, path: &Path, is_folder: bool, around: Around) -> io::Result<()> {
        let has_more = self
            .contents
            .range(path.to_owned()..)
            .skip(1)
            .take_while(|(below, _)| below.starts_with(path))
            .any(|(_, content)| !matches!(content, Content::Bound { access: Access::Masked, .. }));
        if !self.mount_point(path, is_folder, around)? {
            return Ok(());
        }
        if around == Around::Sealed {
            // What was just made there is empty, and sealed with the rest.
            return Ok(());
        }
        if is_folder && has_more {
            return self.sealed(path);
        }
        self.plan.steps.push(Step::Mask { is_folder, at: relative(path)? });
        self.around.insert(path.to_owned(), Around::Same(Access::Masked));
        Ok(())
    }

    /// Keeps the folders above a protected place where they are.
    fn pin(&mut self, nearest: &Path, path: &Path) -> io::Result<()> {
        let between: Vec<&Path> = path.ancestors().skip(1).take_while(|above| *above != nearest).collect();
        for folder in between.into_iter().rev() {
            let source = self.source(folder)?;
            self.plan.steps.push(Step::Attach {
                source,
                at: relative(folder)?,
                read_only: false,
                device: false,
            });
            self.around.insert(folder.to_owned(), Around::Same(Access::Write));
        }
        Ok(())
    }

    fn link(&mut self, path: &Path, is_place: bool, nearest: &Path, around: Around) -> io::Result<()> {
        match around {
            Around::Sealed | Around::Loose => {
                let Ok(target) = fs::read_link(path) else { return Ok(()) };
                self.folders(path.parent().unwrap_or(path))?;
                self.plan.steps.push(Step::Link { at: relative(path)?, target: bytes(target.as_os_str())? });
            }
            Around::Same(Access::Write) if is_place => {
                self.pin(nearest, path)?;
                let source = self.source(path)?;
                self.plan.steps.push(Step::Attach {
                    source,
                    at: relative(path)?,
                    read_only: true,
                    device: false,
                });
            }
            Around::Same(_) | Around::Processes => {}
        }
        Ok(())
    }

    fn processes(&mut self, path: &Path, around: Around) -> io::Result<()> {
        if !self.mount_point(path, true, around)? {
            return Ok(());
        }
        self.plan.steps.push(Step::Processes { at: relative(path)? });
        if self.root {
            for name in MACHINE.iter().map(|name| path.join(name)).filter(|name| name.exists()) {
                self.plan.steps.push(Step::Freeze(relative(&name)?));
            }
        }
        self.around.insert(path.to_owned(), Around::Processes);
        Ok(())
    }

    fn devices(&mut self, path: &Path, around: Around) -> io::Result<()> {
        if !self.mount_point(path, true, around)? {
            return Ok(());
        }
        self.memory(path, "mode=755")?;
        for name in DEVICES.iter().map(|name| path.join(name)).filter(|name| name.exists()) {
            let source = self.source(&name)?;
            self.plan.steps.push(Step::File(relative(&name)?));
            self.plan.steps.push(Step::Attach {
                source,
                at: relative(&name)?,
                read_only: false,
                device: true,
            });
        }
        for (name, target) in DEVICE_LINKS {
            let target = CString::new(target)?;
            self.plan.steps.push(Step::Link { at: relative(&path.join(name))?, target });
        }
        let terminals = path.join("pts");
        self.plan.steps.push(Step::Folder(relative(&terminals)?));
        self.plan.steps.push(Step::Terminals { at: relative(&terminals)? });
        let shared = path.join("shm");
        self.plan.steps.push(Step::Folder(relative(&shared)?));
        self.memory(&shared, "mode=1777")?;
        self.seals.push(relative(path)?);
        self.plan.writable.push(text(path)?);
        self.around.insert(path.to_owned(), Around::Sealed);
        Ok(())
    }

    fn memory(&mut self, path: &Path, mode: &str) -> io::Result<()> {
        let options = CString::new(format!("{mode},{TEMPORARY}"))?;
        self.plan.steps.push(Step::Memory { at: relative(path)?, options });
        self.plan.writable.push(text(path)?);
        Ok(())
    }

    /// Makes a place to attach to; false where there is none and none can be made.
    fn mount_point(&mut self, path: &Path, is_folder: bool, around: Around) -> io::Result<bool> {
        match around {
            Around::Sealed | Around::Loose => {
                self.folders(path.parent().unwrap_or(path))?;
                let at = relative(path)?;
                self.plan.steps.push(if is_folder { Step::Folder(at) } else { Step::File(at) });
                Ok(true)
            }
            Around::Same(_) => Ok(path.symlink_metadata().is_ok_and(|data| data.is_dir() == is_folder)),
            Around::Processes => Ok(false),
        }
    }

    /// Makes the folders down to this one, as far as nothing of the machine stands there.
    fn folders(&mut self, path: &Path) -> io::Result<()> {
        let missing: Vec<&Path> =
            path.ancestors().take_while(|above| !self.around.contains_key(*above)).collect();
        for folder in missing.into_iter().rev() {
            if !self.made.insert(folder.to_owned()) {
                continue;
            }
            let (_, around) = self.nearest(folder);
            self.plan.steps.push(Step::Folder(relative(folder)?));
            if around == Around::Loose {
                // What a command wrote beside the place that this folder leads to would only seem to be written.
                self.sealed(folder)?;
            }
        }
        Ok(())
    }

    /// An empty file system to which nothing is added but places.
    fn sealed(&mut self, path: &Path) -> io::Result<()> {
        let options = CString::new(format!("mode=755,{TEMPORARY}"))?;
        self.plan.steps.push(Step::Memory { at: relative(path)?, options });
        self.seals.push(relative(path)?);
        self.around.insert(path.to_owned(), Around::Sealed);
        Ok(())
    }

    fn source(&mut self, path: &Path) -> io::Result<usize> {
        self.plan.sources.push(text(path)?);
        Ok(self.plan.sources.len() - 1)
    }
}

fn text(path: &Path) -> io::Result<CString> {
    bytes(path.as_os_str())
}

/// As seen from the root.
fn relative(path: &Path) -> io::Result<CString> {
    text(path.strip_prefix("/").unwrap_or(path))
}

fn bytes(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}
