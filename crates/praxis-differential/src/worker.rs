//! One jail's share of a run, told to the one who counts in lines of text.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::check::Knows;
use crate::event::Seen;
use crate::jail::{Jail, Shell};
use crate::options::Options;
use crate::{check, generate, shrink};

/// Words that make a failure another one.
const KEPT: &[&str] = &[
    "cd", "for", "if", "while", "case", "in", "env", "xargs", "find", "sh", "bash", "coproc", "eval",
    "local", "declare", "export", "exec", "set", "read", "pushd", "popd", "timeout", "nice", "trap", "shopt",
    "alias", "unset", "let", "function", "select", "until", "printf", "source",
];

/// What was done so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// Scripts made and read.
    pub(crate) scripts: u64,
    /// Of which the analysis knew all.
    pub(crate) certain: u64,
    /// Of which it knew the programs.
    pub(crate) named: u64,
    /// Known ones of which something happened.
    pub(crate) telling: u64,
    /// That took too long.
    pub(crate) stopped: u64,
}

/// A script whose analysis was wrong.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// Its number in the run.
    pub(crate) index: u64,
    /// The shell.
    pub(crate) shell: String,
    /// What is wrong.
    pub(crate) complaint: String,
    /// The script, made as short as it can be.
    pub(crate) minimal: String,
    /// What happened.
    pub(crate) event: String,
    /// What was listed.
    pub(crate) listed: String,
    /// The script as it was made.
    pub(crate) whole: String,
}

/// One line of a worker.
pub(crate) enum Word {
    /// More was done.
    Counts(Counts),
    /// Something is wrong.
    Failure(Failure),
}

impl Counts {
    fn note(&mut self, knows: Knows, seen: &Seen) {
        self.scripts += 1;
        self.certain += u64::from(knows == Knows::All);
        self.named += u64::from(knows == Knows::Programs);
        self.telling += u64::from(!seen.events.is_empty());
        self.stopped += u64::from(seen.was_stopped);
    }

    pub(crate) fn add(&mut self, more: &Self) {
        self.scripts += more.scripts;
        self.certain += more.certain;
        self.named += more.named;
        self.telling += more.telling;
        self.stopped += more.stopped;
    }

    /// For people.
    pub(crate) fn tell(&self, time: Duration) -> String {
        let share = |part: u64| 100.0 * part as f64 / self.scripts.max(1) as f64;
        format!(
            "{} scripts in {:.0} s ({:.0}/s): {:.1} % known whole and {:.1} % in their programs, so {} were run, {:.1} % did something, {} stopped",
            self.scripts,
            time.as_secs_f64(),
            self.scripts as f64 / time.as_secs_f64().max(0.001),
            share(self.certain),
            share(self.named),
            self.certain + self.named,
            share(self.telling),
            self.stopped
        )
    }
}

impl Failure {
    /// What is alike but for its words is told once.
    pub(crate) fn shape(&self) -> String {
        let mut shape = self.complaint.clone();
        for token in generate::tokens(&self.minimal) {
            let is_word = token.starts_with(|c: char| c.is_alphanumeric());
            shape.push_str(if is_word && !KEPT.contains(&token.as_str()) { "w" } else { &token });
        }
        shape
    }

    /// For people.
    pub(crate) fn tell(&self, seed: u64) -> String {
        format!(
            "FAILURE ({}): {}\n  script    {}\n  happened  {}\n  listed    {}\n  made from {} (seed {seed}, script {})\n  again     praxis-differential --script {}\n",
            self.shell,
            self.complaint,
            self.minimal,
            self.event,
            self.listed,
            self.whole,
            self.index,
            ansi(&self.minimal),
        )
    }
}

impl Word {
    fn write(&self) -> String {
        match self {
            Self::Counts(c) => {
                format!("counts\t{}\t{}\t{}\t{}\t{}", c.scripts, c.certain, c.named, c.telling, c.stopped)
            }
            Self::Failure(f) => format!(
                "failure\t{}\t{}\t{}\t{:?}\t{}\t{}\t{:?}",
                f.index, f.shell, f.complaint, f.minimal, f.event, f.listed, f.whole
            ),
        }
    }

    pub(crate) fn read(line: &str) -> Option<Self> {
        let parts: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| parts.get(at).and_then(|text| text.parse::<u64>().ok());
        let text = |at: usize| parts.get(at).map(|text| (*text).to_owned());
        match *parts.first()? {
            "counts" => Some(Self::Counts(Counts {
                scripts: number(1)?,
                certain: number(2)?,
                named: number(3)?,
                telling: number(4)?,
                stopped: number(5)?,
            })),
            "failure" => Some(Self::Failure(Failure {
                index: number(1)?,
                shell: text(2)?,
                complaint: text(3)?,
                minimal: text(4)?,
                event: text(5)?,
                listed: text(6)?,
                whole: text(7)?,
            })),
            _ => None,
        }
    }
}

/// The number from which a script is made.
pub(crate) fn seed_of(seed: u64, index: u64) -> u64 {
    let mut mixed =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    mixed ^= mixed >> 31;
    mixed = mixed.wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 29)
}

/// The shell of a script: mostly bash.
fn shell_of(seed: u64, has_dash: bool) -> Shell {
    if has_dash && seed.is_multiple_of(8) { Shell::Dash } else { Shell::Bash }
}

/// Runs every script whose turn it is.
pub(crate) fn work(options: &Options, number: u64, root: &Path) -> io::Result<()> {
    let mut jail = Jail::open(root, options.hold, number)?;
    let prefix = jail.prefix();
    let mut out = io::stdout();
    let mut counts = Counts::default();
    let mut told = Instant::now();
    let mut known = HashSet::new();
    let forget = options.forget.as_deref();
    let found_before = if options.scripts == 0 { 0 } else { 2 * generate::FOUND.len() as u64 };
    let mut turn = number;
    while turn < options.scripts + found_before && known.len() < options.most {
        let index = turn.saturating_sub(found_before);
        let luck = seed_of(options.seed, turn);
        let (script, shell) = if turn < found_before {
            let shell = if turn.is_multiple_of(2) || !jail.has_dash() { Shell::Bash } else { Shell::Dash };
            (generate::FOUND[turn as usize / 2].clone(), shell)
        } else {
            let luck = seed_of(options.seed, index);
            (generate::script(luck), shell_of(luck, jail.has_dash()))
        };
        let script = jail.placed(&script);
        let found = check::read(&script, shell, &prefix, forget);
        let knows = Knows::of(&found);
        // Where it is not known which programs run, nothing that happens is held against the analysis.
        let seen = if knows == Knows::Nothing { Seen::default() } else { jail.run(&script, shell, luck)? };
        if turn >= found_before {
            counts.note(knows, &seen);
        }
        if let Some((_, complaint)) = check::unlisted(&found, &seen.events) {
            let failure = explain(&mut jail, index, &script, complaint, shell, luck, forget)?;
            if known.insert(failure.shape()) {
                writeln!(out, "{}", Word::Failure(failure).write())?;
            }
        }
        if told.elapsed() > Duration::from_millis(500) {
            told = Instant::now();
            writeln!(out, "{}", Word::Counts(std::mem::take(&mut counts)).write())?;
        }
        turn += options.workers;
    }
    writeln!(out, "{}", Word::Counts(counts).write())
}

fn explain(
    jail: &mut Jail,
    index: u64,
    script: &str,
    complaint: &str,
    shell: Shell,
    luck: u64,
    forget: Option<&str>,
) -> io::Result<Failure> {
    let prefix = jail.prefix();
    let mut broken = None;
    let minimal = shrink::shrink(script, |shorter| {
        let found = check::read(shorter, shell, &prefix, forget);
        match jail.run(shorter, shell, luck) {
            Ok(seen) => check::unlisted(&found, &seen.events).is_some_and(|(_, now)| now == complaint),
            Err(error) => {
                broken = Some(error);
                false
            }
        }
    });
    if let Some(error) = broken {
        return Err(error);
    }
    let found = check::read(&minimal, shell, &prefix, forget);
    let seen = jail.run(&minimal, shell, luck)?;
    let event = check::unlisted(&found, &seen.events).map(|(event, _)| format!("{event:?}"));
    let commands: Vec<Vec<&str>> = found
        .commands
        .iter()
        .map(|command| command.argv.iter().map(|word| word.text.as_str()).collect())
        .collect();
    Ok(Failure {
        index,
        shell: format!("{shell:?}"),
        complaint: complaint.to_owned(),
        minimal,
        event: event.unwrap_or_else(|| "(not every time)".to_owned()),
        listed: format!(
            "{:?} {commands:?} paths {:?} writes {:?}",
            Knows::of(&found),
            found.paths,
            found.writes
        ),
        whole: script.to_owned(),
    })
}

/// A text (already in Rust's escapes) for a shell's command line.
fn ansi(escaped: &str) -> String {
    let inner = escaped.trim_matches('"').replace("\\\"", "\"").replace('\'', "\\'");
    format!("$'{}'", inner.replace("\\u{", "\\u").replace('}', ""))
}
