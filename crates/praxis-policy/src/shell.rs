//! What a shell script would do, read from its text: every command, every path, every write.
//!
//! Nothing is run and nothing is looked up. What cannot be known from the text alone is called *dynamic*; so is every
//! script that the grammar does not read without doubt. A caller asks about a dynamic script whatever its rules allow.
//!
//! ```
//! use praxis_policy::shell::{Dialect, Place, analyse};
//!
//! let place = Place { cwd: "/work", home: "/home/me", users: &[], shell: Dialect::Bash };
//! let found = analyse("cd src && rm \"a b\" > ../log", &place);
//!
//! assert_eq!(found.commands[0].source, "rm a b");
//! assert_eq!(found.writes, ["/work/log", "/work/src/a b"]);
//! assert!(!found.dynamic);
//! ```

mod agree;
mod arithmetic;
mod branch;
mod code;
mod command;
mod declaration;
mod doubt;
mod feed;
mod find;
mod flow;
mod fresh;
mod gaps;
mod git;
mod harm;
mod harmless;
mod inner;
mod judge;
mod language;
mod leaving;
mod lexer;
mod operands;
mod parse;
mod path;
mod risk;
mod scripts;
mod state;
mod subshell;
mod table;
mod tools;
mod tree;
mod walk;
mod word;
mod wrapper;

use serde_json::{Value, json};

pub use doubt::{About, Doubt};
pub use git::{Beside, GitAct, GitWrite};
pub use judge::{Eyes, Ground, Hold, Judgement, Outside, Protected, Real, judge};
pub use leaving::{Leaving, Need};

/// Longer scripts are not read.
const LONGEST_SCRIPT: usize = 4 * 1_024 * 1_024;

/// What the analyser must know about the world; paths are plain text.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder in which the script starts.
    pub cwd: &'a str,
    /// The home folder of the user.
    pub home: &'a str,
    /// Other users and their homes, for `~name`; a name that is not here is dynamic.
    pub users: &'a [(&'a str, &'a str)],
    /// The shell that will run the script.
    pub shell: Dialect,
}

/// Which shell runs a script. Where its meaning differs from bash, the script is in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// bash itself.
    #[default]
    Bash,
    /// A plain POSIX shell such as dash.
    Posix,
    /// zsh.
    Zsh,
    /// Another one, of which nothing is known.
    Other,
}

/// What a script would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command in source order, an outer one before those inside its words.
    pub commands: Vec<Simple>,
    /// Every path that is touched, absolute.
    pub paths: Vec<String>,
    /// Those of the paths that are written.
    pub writes: Vec<String>,
    /// Is there something that the text does not tell?
    pub dynamic: bool,
    /// What is not known, and of which kind that is; never empty if it is dynamic.
    pub doubts: Vec<Doubt>,
    /// Every path as the kernel would walk it, with what is done to it.
    pub touched: Vec<Touched>,
    /// What would be destroyed as a whole.
    pub harms: Vec<Harm>,
    /// Redirections that write without a command of their own, in tidy text.
    pub loose: Vec<String>,
    /// Folders in which git runs, absolute.
    pub git: Vec<String>,
    /// Git commands that must write the repository.
    pub git_writes: Vec<GitWrite>,
    /// Scripts of the project that a shell is told to run, and folders that it takes programs from, absolute.
    pub runs: Vec<String>,
    /// May it fill a file without telling which?
    pub fills_unknown: bool,
    /// Is a part of it not read at all, so that anything may be in there?
    pub unseen: bool,
    /// The script itself, where it is dynamic: what it says is all that can be allowed.
    pub unread: Option<String>,
}

/// What is done to one path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Touched {
    /// Absolute; a `..` in it counts after links are followed, and a final slash says that it is a folder.
    pub path: String,
    /// The names in that folder that are meant, if the script has a pattern there.
    pub glob: Option<String>,
    /// What is done.
    pub how: How,
    /// It happens only where this folder does not exist, because a `cd` to it fails.
    pub unless: Option<String>,
    /// Is it merely started by its path, or asked whether it is there?
    pub is_run: bool,
}

/// What can be done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// It is read, or only looked at.
    Read,
    /// Its name or its rights change: made, removed, renamed.
    Change,
    /// Its content is written.
    Fill,
}

/// An act that destroys what it is aimed at as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harm {
    /// What it does, for people: "delete".
    pub act: &'static str,
    /// What it is aimed at, as in [`Touched`]; for [`Reach::Unsure`] the word as written.
    pub path: String,
    /// The names below that path that are meant, a pattern.
    pub glob: Option<String>,
    /// How far it goes.
    pub reach: Reach,
    /// It happens only where this folder does not exist.
    pub unless: Option<String>,
}

/// How far an act goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The path and everything below it are gone.
    Tree,
    /// The path is gone from where it was.
    Itself,
    /// The path and everything below it change their rights.
    Rights,
    /// It cannot be told, and may be the worst.
    Unsure,
}

/// One simple command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Simple {
    /// Its words without redirections and assignments.
    pub argv: Vec<Word>,
    /// The words joined by one space, for matching against rules.
    pub source: String,
    /// The pattern that an "always" would store.
    pub always: String,
    /// Can the command not be known in full?
    pub dynamic: bool,
    /// Why it must not ride on a broad allow rule, if so.
    pub risky: Option<Doubt>,
    /// Does it destroy what it is aimed at?
    pub destroys: bool,
    /// What of it leaves the machine for good.
    pub leaves: Option<Leaving>,
    /// What is known of it if it is git.
    pub git: Option<GitAct>,
    /// What it may do in a script that is nothing but git.
    pub beside: Beside,
    /// Its redirections that write a real file, in tidy text.
    pub redirects: Vec<String>,
    /// Does it call a function of the script, whose commands are listed too?
    pub is_call: bool,
    /// Is it a builtin that does nothing to anybody, so that it needs no rule?
    pub is_idle: bool,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Word {
    /// The value if it is known, else the word as written.
    pub text: String,
    /// Is the value known?
    pub is_static: bool,
}

impl Simple {
    /// Must a rule allow it? What it calls is listed by itself, and a builtin that does nothing is nobody's business.
    pub(crate) fn needs_rule(&self) -> bool {
        let is_idle = self.is_idle && !self.dynamic && self.risky.is_none();
        !self.is_call && !self.source.is_empty() && !is_idle
    }
}

impl Analysis {
    /// The shape that `shell parse` prints.
    pub fn to_json(&self) -> Value {
        let commands: Vec<Value> = self
            .commands
            .iter()
            .map(|command| {
                let argv: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
                json!({ "argv": argv, "always": command.always })
            })
            .collect();
        json!({ "commands": commands, "paths": self.paths, "writes": self.writes, "dynamic": self.dynamic })
    }

    /// Is there something in it that destroys, or may?
    pub fn destroys(&self) -> bool {
        self.unseen
            || self.commands.iter().any(|command| command.destroys)
            || self.doubts.iter().any(|doubt| doubt.about == About::Loss)
            || !self.harms.is_empty()
    }

    /// An analysis that knows nothing but that it must be asked about.
    fn unknown(reason: &str) -> Self {
        let unread = Some("…".to_owned());
        let doubts = vec![Doubt { about: About::Program, text: reason.to_owned() }];
        Self { dynamic: true, doubts, unread, unseen: true, ..Self::default() }
    }
}

/// Reads a script as its shell would and tells what it would do.
pub fn analyse(script: &str, place: &Place<'_>) -> Analysis {
    if script.len() > LONGEST_SCRIPT {
        return Analysis::unknown("the script is too long to be read");
    }
    let mut walker = walk::Walker::new(*place, parse::Fuse::new(script.len()));
    if script.contains('\0') {
        walker.doubt("the script has a NUL byte");
    }
    walker.script(script);
    walker.finish(script)
}

/// Entry for fuzzing: any bytes, in any place, give an analysis that keeps its own promises.
pub fn fuzz(data: &[u8]) {
    let script = String::from_utf8_lossy(data);
    let place = Place { cwd: "/work/project", home: "/home/me", users: &[], shell: Dialect::Bash };
    let found = analyse(&script, &place);
    assert!(found.writes.iter().all(|path| found.paths.contains(path)), "a write is a path too");
    assert!(found.paths.iter().all(|path| path.starts_with('/')), "paths are absolute");
    assert!(found.dynamic || found.commands.iter().all(|command| !command.dynamic), "one doubt is enough");
    assert_eq!(found.dynamic, !found.doubts.is_empty(), "a doubt has a reason");

    let eyes = |path: &str| Real { path: path.to_owned(), is_folder: path.len().is_multiple_of(2) };
    let protected = [Protected { path: "/work".into(), name: "the work".into(), hold: Hold::Content }];
    let roots = ["/work/project".to_owned()];
    let ground = Ground { roots: &roots, protected: &protected, eyes: &eyes, held: false };
    let judged = judge(&found, &ground);
    let runs = found.commands.iter().any(Simple::needs_rule);
    assert!(!judged.patterns.is_empty() || !(runs || found.dynamic), "what runs is asked about");
    assert!(!found.dynamic || !judged.care.is_usual(), "what is not known needs care");
    assert_eq!(judged.writes.is_empty(), found.writes.is_empty(), "no write is lost");
    let held = judge(&found, &Ground { held: true, ..ground });
    let unknown = found.doubts.iter().any(|doubt| doubt.about != About::Files);
    assert!(!unknown || !held.care.is_usual(), "no view answers which program runs");
}
