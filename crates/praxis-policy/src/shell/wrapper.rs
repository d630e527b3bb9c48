//! Programs that run another one: `env`, `sudo`, `xargs` and their kind, and those of which nothing is known.

use super::operands::can_run;
use super::table::Program;
use super::walk::{Walker, short};
use super::word::{self, Resolved, Sweep};

/// Words of the shell itself; behind a wrapper they are programs of that name.
const BUILTINS: &[&str] = &[
    "cd",
    "chdir",
    "pushd",
    "popd",
    "eval",
    "exec",
    "source",
    ".",
    "export",
    "alias",
    "trap",
    "set",
    "shift",
    "read",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "let",
    "{",
    "}",
    "!",
    "if",
    "then",
    "else",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
    "function",
    "[[",
    "mapfile",
    "readarray",
    "getopts",
    "hash",
    "builtin",
    "command",
    "coproc",
    "select",
    "time",
    ":",
];

impl Walker<'_> {
    /// A program of which nothing is known may run the one whose name it is given.
    pub(super) fn unknown_wrapper(&mut self, at: usize, name: &str, words: &[Resolved]) {
        let runs = |word: &&Resolved| {
            let inner = word.text.rsplit('/').next().unwrap_or_default();
            self.table.program(inner).is_some_and(Program::is_worth_running)
        };
        if let Some(word) = words[1..].iter().find(runs) {
            self.mark(at, format!("`{name}` may run `{}`", short(&word.text)));
        }
    }

    /// `uv run x`, `bundle exec x`: the command behind the subcommand.
    pub(super) fn run_within(&mut self, at: usize, words: &[Resolved], level: usize) {
        let rest = words.get(2..).unwrap_or_default();
        if rest.first().is_some_and(|word| word.text.starts_with('-')) {
            let source = short(&self.out.commands[at].source);
            return self.mark(at, format!("what `{source}` runs is not known"));
        }
        self.apart(|me| me.run_at(rest, level + 1));
    }

    /// `env`, `sudo`, `timeout` and their kind: the command after the options.
    pub(super) fn wrapped(
        &mut self,
        at: usize,
        name: &str,
        program: &Program,
        words: &[Resolved],
        level: usize,
    ) {
        let Some(wrap) = &program.wrap else { return };
        let flags = &program.flags;
        let mut rest = &words[1..];
        let mut skip = wrap.skip;
        let mut folder = None;
        let mut ended = false;
        // Words up to the last option and its value.
        let mut options = 1;
        while let Some(word) = rest.first() {
            if !word.is_static || word.glob.is_some() {
                self.mark(at, format!("an option of `{name}` is not known"));
            }
            let text = word.text.as_str();
            if text == "--" && !ended {
                if rest.len() + options < words.len() {
                    // Behind an operand it ends nothing, but names a program.
                    self.mark(at, format!("`--` stands behind an operand of `{name}`"));
                }
                ended = true;
                rest = &rest[1..];
                options = words.len() - rest.len();
                continue;
            }
            if text.len() > 1 && text.starts_with('-') && !ended {
                if rest.len() + options < words.len() {
                    // To most of them that is a program's name.
                    self.mark(at, format!("`{}` stands behind an operand of `{name}`", short(text)));
                }
                if name == "command" && (text.contains('v') || text.contains('V')) {
                    return;
                }
                let own_value = text.split_once('=').map(|(_, value)| value.to_owned());
                let flag = text.split('=').next().unwrap_or(text);
                let long = |valued: &&&'static str| {
                    flag.len() > 2 && flag.starts_with("--") && valued.starts_with(flag)
                };
                // Any beginning of a long option is that option.
                let flag = wrap.valued.iter().find(long).copied().unwrap_or(flag);
                // `-iu NAME`: the last letter of a bundle may take the next word.
                let takes =
                    |letter: char| wrap.valued.iter().any(|one| one.len() == 2 && one.ends_with(letter));
                let mut before = flag.chars().skip(1).take(flag.chars().count().saturating_sub(2));
                // `-uu NAME`: the first one has taken the rest of the bundle.
                let is_taken = before.any(takes);
                let ends = |valued: &&&str| {
                    valued.len() == 2
                        && !flag.starts_with("--")
                        && !is_taken
                        && flag.chars().last() == valued.chars().last()
                };
                let exact = wrap.valued.contains(&flag) || wrap.valued.iter().any(|valued| ends(&valued));
                let is_short = !flag.starts_with("--")
                    && flag.chars().skip(1).take_while(|c| !c.is_ascii_digit()).all(|letter| {
                        let known =
                            |list: &[&str]| list.iter().any(|one| one.len() == 2 && one.ends_with(letter));
                        known(&wrap.valued) || known(flags)
                    });
                if !exact
                    && !is_short
                    && !flags.contains(&flag)
                    && wrap.valued.iter().all(|one| one.len() != 2 || !text.starts_with(one))
                {
                    self.mark(at, format!("the option `{}` of `{name}` is not known", short(text)));
                }
                let attached =
                    wrap.valued.iter().find(|f| f.len() == 2 && text.len() > 2 && text.starts_with(**f));
                let value = match (exact, &own_value, attached) {
                    (true, None, _) => rest.get(1).cloned(),
                    (true, Some(value), _) => Some(Resolved::fixed(value)),
                    (false, _, Some(short)) => Some(Resolved::fixed(&text[short.len()..])),
                    _ => None,
                };
                if let Some(value) =
                    value.as_ref().filter(|value| !value.is_static && !word::is_one(&value.text))
                {
                    // It may be no word at all, and then the next one is the value.
                    self.mark(at, format!("the value `{}` of an option is not known", short(&value.text)));
                }
                if let Some(value) = &value {
                    self.wrapper_value(at, name, flag, value, &mut folder);
                } else if text.contains(['C', 'S'])
                    && !text.starts_with("--")
                    && matches!(name, "env" | "sudo")
                {
                    self.mark(at, format!("the options of `{name}` are unusual"));
                }
                rest = rest.get(if exact && own_value.is_none() { 2 } else { 1 }..).unwrap_or_default();
                options = words.len() - rest.len();
                continue;
            }
            let is_assignment = matches!(name, "env" | "sudo" | "doas") && text.contains('=');
            if is_assignment {
                let variable = text.split('=').next().unwrap_or_default();
                let value = text.get(variable.len() + 1..).unwrap_or_default();
                let is_harmless = word.is_static && word.glob.is_none() && self.is_harmless(variable, value);
                if self.table.is_special(variable) && !is_harmless {
                    self.mark(at, format!("the variable `{variable}` changes what the command does"));
                }
            } else if skip > 0 {
                skip -= 1;
                if super::path::looks_like(text) {
                    self.touch(&word.clone(), false);
                }
            } else if text != "-" || name != "env" {
                break;
            }
            rest = &rest[1..];
        }
        if let Some(inner) = rest.first().map(|word| word.text.as_str())
            && BUILTINS.contains(&inner)
            && !matches!(name, "command" | "builtin" | "then" | "do")
        {
            self.mark(at, format!("`{name}` runs a program called `{inner}`"));
        }
        if name == "xargs" {
            let inner = rest.first().map(|word| word.text.as_str());
            let inert = inner.is_none_or(|inner| {
                self.table.program(inner).is_some_and(|p| p.operands == super::table::Operands::Inert)
            });
            let options = &words[1..words.len() - rest.len()];
            self.bare_names = true;
            let (lines, known) = self.piped_into(options, rest);
            if !inert && !known {
                self.handed(at, rest, &lines);
            }
            let listed = self.out.commands.len();
            for line in &lines {
                self.apart(|me| me.run_at(line, level + 1));
            }
            if known && !lines.is_empty() {
                return;
            }
            // What it may well run is followed, but only what is written is listed.
            self.out.commands.truncate(listed);
            if inert && !rest.is_empty() {
                let more = Resolved { tame: true, ..Resolved::unknown("…") };
                let line: Vec<Resolved> = rest.iter().cloned().chain([more]).collect();
                return self.apart(|me| me.run_at(&line, level + 1));
            }
        }
        if rest.is_empty() {
            if matches!(name, "sudo" | "doas" | "chroot" | "busybox" | "unshare" | "nsenter") {
                self.mark(at, format!("what `{name}` runs is not known"));
            }
            return;
        }
        if matches!(name, "busybox" | "toybox") && rest[0].text.starts_with('-') {
            return self.mark(at, format!("what `{name}` does is not known"));
        }
        if matches!(name, "command" | "builtin" | "then" | "do") {
            return self.run_at(rest, level + 1);
        }
        if name == "time" {
            // A word of the shell here, a program there.
            let before = self.state.clone();
            self.run_at(rest, level + 1);
            return self.state.merge(&before);
        }
        self.apart(|me| {
            if let Some(folder) = folder {
                me.state.go(&folder);
                me.state.fallback = me.state.landed.clone();
            }
            me.run_at(rest, level + 1);
        });
    }

    /// What `xargs` hands over is not known: only files, unless it may be taken for an option that runs something.
    fn handed(&mut self, at: usize, command: &[Resolved], lines: &[Vec<Resolved>]) {
        let text = "the arguments from `xargs` are not known".to_owned();
        let name = command.first().map_or("", |head| head.text.rsplit('/').next().unwrap_or_default());
        let program = self.table.program(name);
        let is_wrapper = program.is_some_and(|program| program.wrap.is_some() || program.shell);
        let added = |line: &Vec<Resolved>| {
            line.iter().skip(command.len()).any(|word| word.text.starts_with('-') || word.text.is_empty())
        };
        let are_operands = !self.bare_names
            && !lines.is_empty()
            && !lines.iter().any(added)
            && lines
                .iter()
                .all(|line| line.iter().skip(1).all(|word| word.sweep != Sweep::Named || word.is_static))
            || command.last().is_some_and(|word| word.text == "--");
        let outer = self.destroys;
        self.destroys = super::risk::destroys(name, program, command);
        let are_files = program.is_some() && (are_operands || self.destroys);
        if !is_wrapper && (are_files || !can_run(name, program, command)) {
            self.mark_files(at, text);
        } else {
            self.mark(at, text);
        }
        self.destroys = outer;
    }

    /// Values of wrapper options that matter: a folder to go to, a file, a command line.
    fn wrapper_value(
        &mut self,
        at: usize,
        name: &str,
        flag: &str,
        value: &Resolved,
        folder: &mut Option<String>,
    ) {
        let flag = if flag.starts_with("--") { flag } else { flag.get(..2).unwrap_or(flag) };
        match (name, flag) {
            ("env", "-C" | "--chdir") | ("sudo", "-D" | "--chdir") => {
                *folder = self.touch(value, false).then(|| value.text.clone());
            }
            ("env", "-S" | "--split-string") => {
                self.mark(at, "`env -S` makes its own words".into());
                if value.is_static {
                    self.apart(|me| me.script(&value.text));
                }
            }
            ("sudo", "-R" | "--chroot") => self.mark(at, "`sudo` changes the root".into()),
            ("time" | "strace" | "ltrace", "-o" | "--output") => {
                self.touch(value, true);
            }
            ("xargs", "-a" | "--arg-file") => {
                self.touch(value, false);
            }
            _ => {}
        }
    }
}

/// Does the command run another one in an environment that it prepares?
pub(super) fn is_runner(name: &str, words: &[Resolved]) -> bool {
    let sub = words.get(1).map_or("", |word| word.text.as_str());
    match name {
        "poetry" | "uv" | "pipenv" | "hatch" | "pdm" | "rye" | "conda" | "mamba" | "micromamba" => {
            sub == "run"
        }
        "bundle" | "rbenv" | "pyenv" | "asdf" | "mise" | "direnv" | "nodenv" | "goenv" => sub == "exec",
        _ => false,
    }
}
