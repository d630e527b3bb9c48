//! A folder a command may write, one it may not see, and commands run with and without the sandbox.

use std::ffi::OsStr;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use praxis_os::sandbox::{Mechanisms, NamespaceBy, Place, Report, View};
use tempfile::TempDir;

/// Somebody who is not the superuser and owns nothing.
const SOMEBODY: u32 = 54_321;

/// Where programs are.
const SYSTEM: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];

/// Who a command runs as, and what holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As the user of these tests, with everything there is.
    Ourselves,
    /// As an ordinary user, with everything there is. Only the superuser can become one.
    Somebody,
    /// As the user of these tests, where no namespaces can be had.
    LandlockOnly,
}

/// Two folders side by side, gone with the value.
pub(crate) struct Lab {
    _temp: TempDir,
    mode: Mode,
    /// Writable under [`Lab::view`].
    pub(crate) inside: PathBuf,
    /// Not in it.
    pub(crate) outside: PathBuf,
}

/// What a command said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) ok: bool,
    pub(crate) text: String,
    pub(crate) signal: Option<i32>,
}

impl Lab {
    pub(crate) fn new(mode: Mode) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let [inside, outside] = ["inside", "outside"].map(|name| base.join(name));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        let lab = Self { _temp: temp, mode, inside, outside };
        lab.own(&base);
        lab.own(&lab.inside);
        lab.own(&lab.outside);
        lab.file("outside/file", "old\n");
        lab.file("inside/file", "old\n");
        lab
    }

    /// One for each mode that this machine has.
    pub(crate) fn all() -> Vec<Self> {
        let mut modes = vec![Mode::Ourselves];
        modes.extend(rustix::process::geteuid().is_root().then_some(Mode::Somebody));
        modes.extend((mechanisms().landlock > 0).then_some(Mode::LandlockOnly));
        modes.into_iter().map(Self::new).collect()
    }

    /// Those of them whose commands run as the user of these tests.
    pub(crate) fn ourselves() -> Vec<Self> {
        Self::all().into_iter().filter(|lab| lab.mode != Mode::Somebody).collect()
    }

    /// Those of them whose commands have a tree of their own.
    pub(crate) fn trees() -> Vec<Self> {
        Self::all().into_iter().filter(Self::has_tree).collect()
    }

    pub(crate) fn has_tree(&self) -> bool {
        self.mechanisms().namespaces.is_some()
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Makes a file, with the folders it needs, that belongs to whoever runs the commands.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let base = self.inside.parent().unwrap();
        let path = base.join(name);
        let mut folders: Vec<&Path> = path.ancestors().skip(1).take_while(|above| !above.exists()).collect();
        folders.reverse();
        for folder in folders {
            std::fs::create_dir(folder).unwrap();
            self.own(folder);
        }
        std::fs::write(&path, text).unwrap();
        self.own(&path);
        path
    }

    pub(crate) fn own(&self, path: &Path) {
        if self.mode == Mode::Somebody {
            std::os::unix::fs::lchown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
            if !path.is_symlink() {
                chown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
            }
        }
    }

    pub(crate) fn mechanisms(&self) -> Mechanisms {
        let found = mechanisms().clone();
        match self.mode {
            Mode::Ourselves => found,
            Mode::Somebody => Mechanisms {
                namespaces: somebodys().then_some(NamespaceBy::UserNamespace),
                root: false,
                ..found
            },
            Mode::LandlockOnly => Mechanisms { namespaces: None, ..found },
        }
    }

    pub(crate) fn view(&self) -> View {
        let mut places: Vec<Place> = SYSTEM.iter().map(Place::read).collect();
        if self.mode != Mode::Somebody {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let tools = std::env::split_paths(&path).filter_map(|folder| Some(folder.parent()?.to_owned()));
            places.extend(tools.filter(|folder| folder.components().count() > 2).map(Place::read));
        }
        places.push(Place::write(&self.inside));
        View { places, ..View::default() }
    }

    /// The same view with more places.
    pub(crate) fn view_with(&self, more: impl IntoIterator<Item = Place>) -> View {
        let mut view = self.view();
        view.places.extend(more);
        view
    }

    fn command(&self, program: &str, script: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.arg("-c").arg(script).current_dir(&self.inside).stdin(Stdio::null());
        command.env("INSIDE", &self.inside).env("OUTSIDE", &self.outside).env("TMPDIR", &self.inside);
        command.env("HOME", &self.inside).env("PYTHONDONTWRITEBYTECODE", "1");
        if self.mode == Mode::Somebody {
            command.uid(SOMEBODY).gid(SOMEBODY).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        }
        command
    }

    /// Runs a shell script without a sandbox.
    pub(crate) fn plain(&self, script: &str) -> Said {
        said(&self.command("bash", script).output().unwrap())
    }

    /// Runs a shell script in the view.
    pub(crate) fn contained(&self, view: &View, script: &str) -> Said {
        self.contain(self.command("bash", script), view)
    }

    /// What a Python script prints, without a sandbox and in the view.
    pub(crate) fn python(&self, view: &View, script: &str) -> (Said, Said) {
        let plain = said(&self.command("python3", script).output().unwrap());
        (plain, self.contain(self.command("python3", script), view))
    }

    /// Asserts that a script is refused by the sandbox, and that it does work without.
    pub(crate) fn refuses(&self, view: &View, script: &str) -> String {
        let contained = self.contained(view, script);
        assert!(!contained.ok, "got through ({:?}): {script}: {}", self.mode, contained.text);
        let plain = self.plain(script);
        assert!(plain.ok, "without a sandbox ({:?}): {script}: {}", self.mode, plain.text);
        contained.text
    }

    pub(crate) fn report(&self, view: &View) -> Report {
        view.prepare(&self.mechanisms()).unwrap().report().clone()
    }

    fn contain(&self, mut command: Command, view: &View) -> Said {
        let prepared = view.prepare(&self.mechanisms()).unwrap();
        #[expect(unsafe_code, reason = "there is no other way between fork and exec")]
        // SAFETY: `enforce` promises to take no lock and to allocate nothing.
        unsafe {
            command.pre_exec(move || prepared.enforce());
        }
        match command.output() {
            Ok(output) => said(&output),
            Err(error) => panic!("the view could not be entered ({:?}): {error}", self.mode),
        }
    }
}

/// What there is, found out once.
fn mechanisms() -> &'static Mechanisms {
    static FOUND: OnceLock<Mechanisms> = OnceLock::new();
    FOUND.get_or_init(Mechanisms::probe)
}

/// Whether an ordinary user gets user namespaces here.
fn somebodys() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let mut command = Command::new("true");
        let mechanisms =
            Mechanisms { namespaces: Some(NamespaceBy::UserNamespace), root: false, ..mechanisms().clone() };
        let view = View { places: SYSTEM.iter().map(Place::read).collect(), ..View::default() };
        let prepared = view.prepare(&mechanisms).unwrap();
        command.uid(SOMEBODY).gid(SOMEBODY).current_dir("/");
        #[expect(unsafe_code, reason = "there is no other way between fork and exec")]
        // SAFETY: `enforce` promises to take no lock and to allocate nothing.
        unsafe {
            command.pre_exec(move || prepared.enforce());
        }
        command.status().is_ok_and(|status| status.success())
    })
}

fn said(output: &Output) -> Said {
    use std::os::unix::process::ExitStatusExt;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Said { ok: output.status.success(), text, signal: output.status.signal() }
}

/// Whether a program can be found.
pub(crate) fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).exists())
}
