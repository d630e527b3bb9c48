//! The judgement of a script: what to ask, and with how much care.

mod git;
mod guard;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use super::{About, Analysis, Doubt, How, Leaving, Simple, Touched, path};
use crate::Care;

/// Files that one pattern of a script may match before it is a question.
const MOST_MATCHES: usize = 1_000;
/// Where the system keeps its programs: to start one of these is not to go outside.
const INSTALLED: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt"];
/// Reasons named in one doubt.
const MOST_REASONS: usize = 16;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Real {
    /// The path with every link and `..` resolved, as far as it exists.
    pub path: String,
    /// Is it a folder now?
    pub is_folder: bool,
}

/// How the judge looks at the file system; the caller does the looking.
pub trait Eyes {
    /// Follows an absolute path as the kernel would: a `..` counts after the links before it.
    fn real(&self, path: &str) -> Real;

    /// The names in a folder, hidden ones too. Without them a pattern is judged by its folder alone.
    fn names(&self, folder: &str) -> Vec<String> {
        let _ = folder;
        Vec::new()
    }
}

impl<F: Fn(&str) -> Real> Eyes for F {
    fn real(&self, path: &str) -> Real {
        self(path)
    }
}

/// How much of a protected place is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The place as a whole: `/`, the home folder, the project.
    Whole,
    /// The content of its files and its folders too, but not single files that come and go: `.git`.
    Content,
    /// Everything: our own state.
    Sealed,
}

/// A place that no script may destroy unless a person confirms that very act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// A real path.
    pub path: String,
    /// What people call it: "the home folder".
    pub name: String,
    /// How much of it is protected.
    pub hold: Hold,
}

/// Where a script is judged.
pub struct Ground<'a> {
    /// The roots of the project, real paths.
    pub roots: &'a [String],
    /// What must not be lost.
    pub protected: &'a [Protected],
    /// How to follow paths.
    pub eyes: &'a dyn Eyes,
    /// Does the kernel hold the files, so that it is no question which of them are touched?
    pub held: bool,
}

/// A folder outside the project that a script touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// A real path.
    pub folder: String,
    /// What is touched in it, real paths.
    pub paths: Vec<String>,
    /// Is any of it written, made or removed?
    pub write: bool,
}

/// What a script needs to be allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Folders outside the project that it touches.
    pub outside: Vec<Outside>,
    /// What it reads, real paths.
    pub reads: Vec<String>,
    /// What it writes, makes or removes, real paths.
    pub writes: Vec<String>,
    /// What must be allowed, each by itself; nothing to ask if empty.
    pub patterns: Vec<String>,
    /// What an "always" would allow.
    pub always: Vec<String>,
    /// How careful to be.
    pub care: Care,
    /// What of it leaves the machine.
    pub leaves: Vec<Leaving>,
    /// Is it nothing but git commands whose act is known?
    pub git_only: bool,
    /// If it is not, the first git command in it that must write the repository of the project, and so would fail.
    pub git_needs: Option<String>,
    /// May a git command write git's configuration? More than which branch is followed is confirmed by a person.
    pub git_config: bool,
}

/// Judges what a script would do on this ground.
pub fn judge(analysis: &Analysis, ground: &Ground<'_>) -> Judgement {
    let mut bench = Bench { ground, real: HashMap::new(), gone: HashSet::new(), emptied: HashSet::new() };
    let writes = || analysis.touched.iter().filter(|touched| touched.how != How::Read);
    writes().filter(|touched| touched.unless.is_none()).for_each(|touched| bench.lose(touched));
    // What happens only where a `cd` fails cannot be what makes it fail.
    for touched in writes() {
        if touched.unless.as_ref().is_some_and(|folder| !bench.stands(folder)) {
            bench.lose(touched);
        }
    }
    let mut out = Paths::default();
    for touched in &analysis.touched {
        if !touched.unless.as_ref().is_some_and(|folder| bench.stands(folder)) {
            bench.place(touched, &mut out);
        }
    }
    let leaves: Vec<Leaving> =
        analysis.commands.iter().filter_map(|command| command.leaves.clone()).collect();
    let git = git::Reading::of(analysis);
    let confirm = bench
        .confirm(analysis, &out)
        .or_else(|| Some(leaves.iter().find(|leaving| leaving.overwrites)?.what.clone()))
        .or_else(|| git.configures.clone());
    let mut reasons = reasons(analysis, ground.held, out.too_many);
    let bare = bench.bare(analysis);
    let git_only = git.only && bare.is_none() && bench.writes_outside_git(analysis);
    let git_needs = if git_only { None } else { bench.needs_git(analysis) };
    reasons.extend(bare);
    reasons.extend(bench.written_and_run(analysis));
    let makes = |touched: &&Touched| touched.how != How::Read && touched.path.contains("/-");
    let is_globbed = analysis.touched.iter().any(|touched| touched.glob.is_some());
    let made = analysis.touched.iter().find(makes).filter(|_| is_globbed).map(|touched| touched.path.clone());
    let dashed = out.dashed.take().or(made);
    reasons
        .extend(dashed.map(|name| format!("a pattern matches `{name}`, which may be taken for an option")));
    let is_doubtful = !reasons.is_empty();
    let care = match confirm {
        Some(act) => Care::Confirm(act),
        None if is_doubtful => {
            let grave = !leaves.is_empty() || analysis.destroys();
            Care::Doubt { reason: told(reasons), grave }
        }
        None => leaving(&leaves),
    };
    let patterns = patterns(analysis, is_doubtful || !ground.held);
    let always = match &care {
        Care::Usual | Care::Leaves { .. } => always(analysis),
        // A broad pattern would never be enough.
        Care::Doubt { .. } => patterns.clone(),
        Care::Confirm(_) => Vec::new(),
    };
    Judgement {
        outside: out.outside.into_values().collect(),
        reads: out.reads.into_iter().collect(),
        writes: out.writes.into_iter().collect(),
        patterns,
        always,
        care,
        leaves,
        git_only,
        git_needs,
        git_config: git.writes,
    }
}

/// What a script's commands are called where they are asked about.
///
/// The script as a whole is one of them where something in it is not known and nothing else holds that.
fn patterns(analysis: &Analysis, whole: bool) -> Vec<String> {
    let mut out = IndexSet::new();
    for command in &analysis.commands {
        if command.needs_rule() {
            out.insert(command.source.clone());
        }
        out.extend(redirected(command));
    }
    out.extend(analysis.loose.iter().cloned());
    out.extend(analysis.unread.iter().filter(|_| whole).map(|text| text.trim().to_owned()));
    out.into_iter().collect()
}

fn always(analysis: &Analysis) -> Vec<String> {
    let mut out = IndexSet::new();
    for command in &analysis.commands {
        // `echo *` would cover `echo x > anything`: with a redirection only the very same is kept.
        match redirected(command) {
            None if !command.needs_rule() => {}
            None => _ = out.insert(kept(command)),
            Some(text) => {
                if command.needs_rule() {
                    out.insert(command.source.clone());
                }
                out.insert(text);
            }
        }
    }
    out.extend(analysis.loose.iter().cloned());
    out.into_iter().collect()
}

/// What an "always" stores for one command; what leaves the machine is named.
fn kept(command: &Simple) -> String {
    match &command.leaves {
        Some(leaving) => format!("{} *", leaving.act),
        None => command.always.clone(),
    }
}

/// The command with its redirections behind it, if it has some that write.
fn redirected(command: &Simple) -> Option<String> {
    let source = if command.is_call { "" } else { command.source.as_str() };
    let text = || format!("{source} {}", command.redirects.join(" ")).trim_start().to_owned();
    (!command.redirects.is_empty()).then(text)
}

/// What is not known and counts here.
fn reasons(analysis: &Analysis, held: bool, too_many: bool) -> IndexSet<String> {
    let counts = |doubt: &&Doubt| !held || doubt.about != About::Files;
    let mut reasons = IndexSet::new();
    reasons.extend(analysis.doubts.iter().filter(counts).map(|doubt| doubt.text.clone()));
    let risks = analysis.commands.iter().filter_map(|command| command.risky.as_ref()).filter(counts);
    reasons.extend(risks.map(|risk| match risk.about {
        About::Program => format!("{} can run or change what the command does not name", risk.text),
        About::Loss | About::Files => {
            format!("{} can read or write files that the command does not name", risk.text)
        }
    }));
    if too_many && !held {
        reasons.insert("a pattern matches too many files".to_owned());
    }
    reasons
}

fn told(reasons: IndexSet<String>) -> String {
    let more = reasons.len().saturating_sub(MOST_REASONS);
    let told: Vec<String> = reasons.into_iter().take(MOST_REASONS).collect();
    let mut text = told.join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

fn leaving(leaves: &[Leaving]) -> Care {
    if leaves.is_empty() {
        return Care::Usual;
    }
    let whats: IndexSet<&str> = leaves.iter().map(|leaving| leaving.what.as_str()).collect();
    let acts: IndexSet<String> = leaves.iter().map(|leaving| leaving.act.clone()).collect();
    let what: Vec<&str> = whats.into_iter().collect();
    Care::Leaves { what: what.join(" and "), acts: acts.into_iter().collect() }
}

/// Where the touched paths really are.
#[derive(Default)]
struct Paths {
    outside: IndexMap<String, Outside>,
    reads: IndexSet<String>,
    writes: IndexSet<String>,
    filled: Vec<Rc<Real>>,
    changed: Vec<Rc<Real>>,
    too_many: bool,
    /// A name that a pattern matches and a program may take for an option.
    dashed: Option<String>,
}

/// The ground, with what was seen of it.
struct Bench<'g> {
    ground: &'g Ground<'g>,
    real: HashMap<String, Rc<Real>>,
    /// Paths that the script writes or removes.
    gone: HashSet<String>,
    /// Folders in which it writes or removes what a pattern names.
    emptied: HashSet<String>,
}

impl Bench<'_> {
    fn real(&mut self, path: &str) -> Rc<Real> {
        if let Some(known) = self.real.get(path) {
            return Rc::clone(known);
        }
        let mut real = self.ground.eyes.real(path);
        // The answer is a path like any other: tidied, so that prefixes can be compared.
        real.path = path::absolute("/", &real.path);
        let real = Rc::new(real);
        self.real.insert(path.to_owned(), Rc::clone(&real));
        real
    }

    /// Notes that the script may take a path away.
    fn lose(&mut self, Touched { path, glob, .. }: &Touched) {
        let which = if glob.is_some() { &mut self.emptied } else { &mut self.gone };
        which.insert(path::absolute("/", path));
    }

    /// A script that this very script may have written is no script of the project yet.
    fn written_and_run(&mut self, analysis: &Analysis) -> Option<String> {
        let told = |file: &str| Some(format!("the script may write `{file}`, which it runs"));
        let filled: Vec<Rc<Real>> = analysis
            .touched
            .iter()
            .filter(|touched| touched.how == How::Fill)
            .map(|touched| self.real(&touched.path))
            .collect();
        // A program that touches files nobody knows may have written this one.
        let is_touchy =
            |command: &Simple| command.risky.as_ref().is_some_and(|risk| risk.about != About::Program);
        let unknown = analysis.fills_unknown
            || analysis.doubts.iter().any(|doubt| doubt.about != About::Program)
            || analysis.commands.iter().any(is_touchy);
        for file in &analysis.runs {
            let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
            if !self.ground.eyes.names(&self.real(folder).path).iter().any(|known| known == name) {
                return Some(format!("`{file}` is not there, so that the shell looks for it elsewhere"));
            }
            let real = self.real(file);
            let meets = |filled: &Rc<Real>| {
                path::is_inside(&real.path, &filled.path) || path::is_inside(&filled.path, &real.path)
            };
            let is_filled = filled.iter().any(meets);
            if unknown || is_filled {
                return told(file);
            }
        }
        None
    }

    /// Is the folder there, and does the script leave it there?
    fn stands(&mut self, folder: &str) -> bool {
        if !self.real(folder).is_folder || self.gone.contains(folder) {
            return false;
        }
        let mut around = folder;
        while around != "/" {
            around = path::parent(around);
            if self.gone.contains(around) || self.emptied.contains(around) {
                return false;
            }
        }
        true
    }

    /// Sorts one path, and every file that its pattern matches.
    fn place(&mut self, touched: &Touched, out: &mut Paths) {
        if !(touched.is_run && self.is_installed(&touched.path)) {
            self.place_one(&touched.path, touched.how, out);
        }
        let Some(glob) = &touched.glob else { return };
        let mut left = MOST_MATCHES;
        for path in self.matches(&touched.path, glob, &mut left) {
            let name = path.rsplit('/').next().unwrap_or_default();
            if name.starts_with('-') && out.dashed.is_none() {
                out.dashed = Some(name.to_owned());
            }
            self.place_one(&path, touched.how, out);
        }
        out.too_many |= left == 0;
    }

    /// Is it a link of the project to a program of the system that is called much the same? `.venv/bin/python` is one.
    fn is_installed(&mut self, path: &str) -> bool {
        let real = self.real(path);
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let is_own = |root: &String| path::is_inside(&path::absolute("/", path), root);
        INSTALLED.iter().any(|folder| path::is_inside(&real.path, folder))
            && name(&real.path).starts_with(&name(path))
            && self.ground.roots.iter().any(is_own)
            && path.split('/').all(|part| part != "..")
    }

    fn place_one(&mut self, path: &str, how: How, out: &mut Paths) {
        let real = self.real(path);
        let inside = self.ground.roots.iter().any(|root| path::is_inside(&real.path, root));
        if !inside {
            let is_folder = real.is_folder || path.ends_with('/');
            let folder = if is_folder { real.path.as_str() } else { path::parent(&real.path) };
            let new = || Outside { folder: folder.to_owned(), paths: Vec::new(), write: false };
            let outside = out.outside.entry(folder.to_owned()).or_insert_with(new);
            outside.write |= how != How::Read;
            if !outside.paths.contains(&real.path) {
                outside.paths.push(real.path.clone());
            }
        }
        match how {
            How::Read => _ = out.reads.insert(real.path.clone()),
            How::Change => {
                out.changed.push(Rc::clone(&real));
                out.writes.insert(real.path.clone());
            }
            How::Fill => {
                out.filled.push(Rc::clone(&real));
                out.writes.insert(real.path.clone());
            }
        }
    }

    /// The paths below `folder` that a pattern means, as far as they can be seen.
    fn matches(&mut self, folder: &str, glob: &str, left: &mut usize) -> Vec<String> {
        let (first, rest) = glob.split_once('/').unwrap_or((glob, ""));
        let rest = rest.trim_start_matches('/');
        let names = if guard::is_pattern(first) {
            let pattern = guard::wild(first);
            let seen = self.ground.eyes.names(&self.real(folder).path);
            seen.into_iter().filter(|name| guard::fits(name, &pattern)).collect()
        } else {
            vec![first.to_owned()]
        };
        let mut out = Vec::new();
        for name in names {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let path = path::join(folder, &name);
            if rest.is_empty() {
                out.push(path);
            } else if self.real(&path).is_folder {
                out.extend(self.matches(&path, rest, left));
            }
        }
        out
    }
}
