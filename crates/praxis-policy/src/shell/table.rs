//! The table of programs: what `commands.txt` says, ready to be asked.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The table as data; it is the place to teach the analyser a new program.
const TEXT: &str = include_str!("commands.txt");

/// Built once: it is constant, so that sharing it shares no state.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(TEXT));

/// How operands of a program are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Operands {
    /// Nothing is known: what looks like a path is one.
    #[default]
    Unknown,
    /// They cannot matter.
    Inert,
    /// Files that are read.
    Read,
    /// A pattern, then files that are read.
    SkipRead,
    /// Files that are written.
    Write,
    /// A mode, then files that are written.
    SkipWrite,
    /// Files that are read, and a last one that is written.
    Target,
}

/// What is known of one program.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) operands: Operands,
    pub(super) here: bool,
    pub(super) valued: Vec<&'static str>,
    pub(super) flags: Vec<&'static str>,
    pub(super) reads: Vec<&'static str>,
    pub(super) writes: Vec<&'static str>,
    pub(super) uploads: Vec<&'static str>,
    pub(super) pairs: Vec<&'static str>,
    pub(super) wrap: Option<Wrap>,
    pub(super) shell: bool,
    pub(super) interpreter: bool,
    pub(super) dynamic: bool,
    pub(super) common: bool,
    pub(super) shadow: bool,
    pub(super) forget: bool,
    pub(super) risky: Vec<&'static str>,
    pub(super) touchy: Vec<&'static str>,
    /// Short options whose value follows in the same word.
    pub(super) attached: Vec<&'static str>,
    pub(super) destroys: Vec<&'static str>,
}

/// How a wrapper finds the command it runs.
#[derive(Debug, Default)]
pub(super) struct Wrap {
    pub(super) valued: Vec<&'static str>,
    pub(super) skip: usize,
}

/// Everything the analyser knows of programs and variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    programs: HashMap<&'static str, Program>,
    arity: HashMap<String, usize>,
    variables: HashSet<&'static str>,
    /// Beginnings of such names.
    prefixes: Vec<&'static str>,
    /// What such a variable may hold without harm.
    harmless: HashMap<&'static str, Vec<&'static str>>,
    /// Programs that `npx` and its kind fetch and run, and that run the project's code and nothing else.
    tools: HashSet<&'static str>,
    /// Those of them that no argument can make run a program by its name.
    checkers: HashSet<&'static str>,
}

impl Table {
    /// The one table.
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_ascii_whitespace();
            let (Some(kind), Some(names)) = (words.next(), words.next()) else { continue };
            match kind {
                "arity" => {
                    let count = names.parse().unwrap_or(1);
                    table.arity.extend(words.map(|key| (key.replace('_', " "), count)));
                }
                "variable" => {
                    for name in std::iter::once(names).chain(words) {
                        match name.strip_suffix('*') {
                            Some(start) => table.prefixes.push(start),
                            None => _ = table.variables.insert(name),
                        }
                    }
                }
                "harmless" => {
                    let forms: Vec<_> = words.collect();
                    for name in names.split(',') {
                        table.harmless.entry(name).or_default().extend(&forms);
                    }
                }
                "tools" => table.tools.extend(std::iter::once(names).chain(words)),
                "checkers" => {
                    let names: Vec<_> = std::iter::once(names).chain(words).collect();
                    table.tools.extend(&names);
                    table.checkers.extend(names);
                }
                _ => {
                    let rest: Vec<_> = words.collect();
                    for name in names.split(',') {
                        table.programs.entry(name).or_default().learn(kind, &rest);
                    }
                }
            }
        }
        table
    }

    /// What is known of the program called `name`, without folders.
    pub(super) fn program(&self, name: &str) -> Option<&Program> {
        self.programs.get(name)
    }

    /// Is there anything to be known of a program called `name`?
    pub(super) fn knows(&self, name: &str) -> bool {
        self.programs.contains_key(name) || self.arity.contains_key(name)
    }

    /// Does assigning `name` change what commands mean?
    pub(super) fn is_special(&self, name: &str) -> bool {
        self.variables.contains(name) || self.prefixes.iter().any(|start| name.starts_with(start))
    }

    /// The forms of values with which a special variable changes nothing that matters.
    pub(super) fn harmless_values(&self, name: &str) -> &[&'static str] {
        self.harmless.get(name).map_or(&[], Vec::as_slice)
    }

    /// Is it a well-known tool of developers?
    pub(super) fn is_tool(&self, name: &str) -> bool {
        self.tools.contains(name)
    }

    /// Is it one that takes files and settings, but no commands?
    pub(super) fn is_checker(&self, name: &str) -> bool {
        self.checkers.contains(name)
    }

    /// How many of `words` name what the command does.
    pub(super) fn arity(&self, words: &[&str]) -> usize {
        for len in (1..=words.len().min(2)).rev() {
            if let Some(count) = self.arity.get(&words[..len].join(" ")) {
                return (*count).min(words.len());
            }
        }
        words.len().min(1)
    }
}

impl Program {
    /// Could an option make it run something else? Of a program that nobody told about, who knows.
    pub(super) fn can_run(&self) -> bool {
        self.operands == Operands::Unknown || !self.risky.is_empty() || self.interpreter || self.dynamic
    }

    /// Would it matter if an unknown program ran this one?
    pub(super) fn is_worth_running(&self) -> bool {
        let writes = matches!(self.operands, Operands::Write | Operands::SkipWrite | Operands::Target);
        let runs = self.wrap.is_some() || self.shell || self.interpreter || self.dynamic || self.can_run();
        !self.common && (writes || runs || !self.destroys.is_empty())
    }

    /// Is it a long option that the table knows by its whole name?
    pub(super) fn has_flag(&self, name: &str) -> bool {
        let lists = [&self.valued, &self.reads, &self.writes, &self.uploads, &self.pairs, &self.flags];
        name.starts_with("--") && lists.iter().any(|list| list.contains(&name))
    }

    fn learn(&mut self, kind: &str, rest: &[&'static str]) {
        match kind {
            "inert" => self.operands = Operands::Inert,
            "files" => self.operands = Operands::Read,
            "skip" => self.operands = Operands::SkipRead,
            "writes" => self.operands = Operands::Write,
            "skipwrites" => self.operands = Operands::SkipWrite,
            "target" => self.operands = Operands::Target,
            "here" => self.here = true,
            "valued" => self.valued.extend(rest),
            "flags" => self.flags.extend(rest),
            "in" => self.reads.extend(rest),
            "out" => self.writes.extend(rest),
            "at" => self.uploads.extend(rest),
            "pairs" => self.pairs.extend(rest),
            "wrap" => {
                let skip = rest.iter().find_map(|word| word.parse().ok()).unwrap_or(0);
                let valued = rest.iter().copied().filter(|word| word.starts_with('-')).collect();
                self.wrap = Some(Wrap { valued, skip });
            }
            "interpreter" => self.interpreter = true,
            "shell" => self.shell = true,
            "dynamic" => self.dynamic = true,
            "common" => self.common = true,
            "shadow" => self.shadow = true,
            "forget" => self.forget = true,
            "risky" => self.risky.extend(rest),
            "attached" => self.attached.extend(rest),
            "touchy" => self.touchy.extend(rest),
            "destroys" => self.destroys.extend(rest),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_known_kind() {
        const KINDS: &[&str] = &[
            "arity",
            "inert",
            "files",
            "skip",
            "writes",
            "skipwrites",
            "target",
            "here",
            "valued",
            "flags",
            "in",
            "out",
            "at",
            "pairs",
            "wrap",
            "shell",
            "interpreter",
            "dynamic",
            "common",
            "shadow",
            "forget",
            "risky",
            "touchy",
            "attached",
            "harmless",
            "tools",
            "checkers",
            "destroys",
            "variable",
        ];
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let kind = line.split(' ').next().unwrap_or_default();
            assert!(KINDS.contains(&kind), "{line}");
        }
    }

    #[test]
    fn arity_counts_the_words_that_name_an_act() {
        let prefix = |line: &str| {
            let words: Vec<_> = line.split_ascii_whitespace().collect();
            words[..Table::get().arity(&words)].join(" ")
        };
        assert_eq!(prefix("unknown cmd sub"), "unknown");
        assert_eq!(prefix("git checkout main"), "git checkout");
        assert_eq!(prefix("aws s3 ls b"), "aws s3 ls");
        assert_eq!(prefix("npm run dev x"), "npm run dev");
        assert_eq!(prefix("docker compose up s"), "docker compose up");
        assert_eq!(prefix("git"), "git");
        assert_eq!(prefix("ls -la"), "ls");
        assert_eq!(prefix(""), "");
    }
}
