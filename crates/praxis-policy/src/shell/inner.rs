//! Running one command in mind: what it is called, what it runs in turn, what it changes for the rest.

use std::rc::Rc;

use super::feed::Feed;
use super::table::Program;
use super::walk::{Walker, short};
use super::word::{self, Resolved, Sweep};
use super::{About, Dialect, Doubt, GitAct, Simple, Word, git, leaving, path};

/// Wrappers around wrappers.
const DEEPEST_WRAP: usize = 32;
/// Folders in which `/bin/rm` is simply `rm`.
const SYSTEM: &[&str] = &["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"];
/// Programs that change names and rights, and write no content.
const CHANGERS: &[&str] = &[
    "rm", "rmdir", "unlink", "srm", "mkdir", "touch", "chmod", "chown", "chgrp", "chattr", "setfacl",
    "mkfifo", "find",
];
/// Builtins that take words for names of variables, and run what stands in their brackets.
const NAMERS: &[&str] =
    &["test", "[", "printf", "read", "unset", "let", "mapfile", "readarray", "getopts", "wait"];
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
/// Questions about a program that run nothing.
const QUESTIONS: &[&str] = &["--version", "-V", "-v", "--help", "-h", "version", "help"];

impl Walker<'_> {
    /// Takes in one command given by its words.
    pub(super) fn run(&mut self, words: &[Resolved]) {
        self.run_at(words, 0);
    }

    pub(super) fn run_at(&mut self, words: &[Resolved], level: usize) {
        let outer = std::mem::take(&mut self.destroys);
        self.run_here(words, level);
        self.destroys = outer;
    }

    fn run_here(&mut self, words: &[Resolved], level: usize) {
        let Some(head) = words.first() else { return };
        if level > DEEPEST_WRAP {
            return self.doubt("commands are wrapped too often");
        }
        if let Some(rest) = self.unbraced(words) {
            return self.run_at(rest, level + 1);
        }
        let name = head.text.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(function) = self.state.functions.get(&head.text).filter(|_| head.is_static).cloned() {
            let at = self.list_only(words);
            self.out.commands[at].redirects = std::mem::take(&mut self.redirects);
            return self.call(at, &name, function, level);
        }
        if head.is_static && matches!(head.text.as_str(), "cd" | "chdir" | "pushd" | "popd") {
            if self.dialect != Dialect::Bash && head.text != "cd" {
                self.doubt(format!("not every shell has `{}`", head.text));
            }
            if let Some(cause) = self.state.shadowed.clone() {
                self.doubt(format!("{cause} changes what `{}` means", head.text));
            }
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            self.loosen(&texts.join(" "));
            return self.change_folder(words);
        }
        let program = self.table.program(&name);
        self.destroys = super::risk::destroys(&name, program, words);
        let at = self.list_only(words);
        self.out.commands[at].redirects = std::mem::take(&mut self.redirects);
        if !head.is_static || head.glob.is_some() || head.text.is_empty() {
            return self.mark(at, format!("the command `{}` is computed", short(&head.text)));
        }
        if head.text.contains('/') && !SYSTEM.iter().any(|folder| head.text == format!("{folder}{name}")) {
            self.touch(head, false);
        }
        self.fills = !CHANGERS.contains(&name.as_str());
        self.harm(&name, words);
        let mut risk = super::risk::of(&name, program, words);
        if name == "git" {
            let runs = risk.as_ref().is_some_and(|risk| risk.about == About::Program);
            let act = git::act(words, runs);
            if act == GitAct::Unknown && !runs {
                let text = format!("`{}`", short(&self.out.commands[at].source));
                risk = Some(Doubt { about: About::Program, text });
            }
            self.out.commands[at].git = Some(act);
            self.place_git(words);
        }
        self.out.commands[at].risky = risk;
        self.out.commands[at].leaves = leaving::of(&name, words);
        if name == "eval" {
            return self.eval(at, &words[1..]);
        }
        if name == "exec"
            && self.dialect != Dialect::Bash
            && words.get(1).is_some_and(|w| w.text.starts_with('-'))
        {
            self.mark(at, "not every shell has options of `exec`".into());
        }
        if NAMERS.contains(&name.as_str()) && words.iter().any(|word| word::runs_in_brackets(&word.text)) {
            self.mark(at, format!("`{name}` may run what stands in brackets"));
        }
        if let Some(names) = names(&name, words)
            && names.iter().any(|word| !word.is_static || word.text.contains('['))
        {
            self.mark(at, format!("`{name}` may run what it finds in a name"));
        }
        if name == "let" {
            for word in &words[1..] {
                self.arithmetic(&word.text);
            }
        }
        if let Some(Feed::Text(text)) = &self.feed
            && name == "read"
            && word::runs_in_brackets(text)
        {
            self.mark(at, "`read` takes a text that may run a command later".into());
        }
        let Some(program) = program else {
            if is_runner(&name, words) {
                self.run_within(at, words, level);
            } else if !head.text.contains('/') && !self.table.knows(&name) {
                self.unknown_wrapper(at, &name, words);
            }
            return self.operands(at, &name, &Program::default(), words);
        };
        if program.dynamic {
            self.mark(at, format!("what `{name}` runs is not known"));
        }
        self.remember(&name, program, words);
        if program.shell {
            return self.shell(at, words);
        }
        match name.as_str() {
            "trap" => self.trap(words),
            "find" => return self.find(at, words, level),
            "watch" | "hyperfine" | "parallel" | "ssh" | "su" => self.joined(&words[1..]),
            _ if is_runner(&name, words) => self.run_within(at, words, level),
            _ => {}
        }
        match &program.wrap {
            Some(_) => self.wrapped(at, &name, program, words, level),
            None => self.operands(at, &name, program, words),
        }
    }

    /// `! { a; }`: the grammar takes the braces for commands. Gives what is left of a command without them.
    fn unbraced<'w>(&mut self, words: &'w [Resolved]) -> Option<&'w [Resolved]> {
        match words.first()?.text.as_str() {
            "{" => self.braces += 1,
            "}" if self.braces > 0 => self.braces -= 1,
            "}" => self.doubt("a brace is closed that was never opened"),
            _ => return None,
        }
        words.get(1..)
    }

    /// Lists a command without looking at what it does; gives its place in the list.
    pub(super) fn list_only(&mut self, words: &[Resolved]) -> usize {
        let argv: Vec<Word> =
            words.iter().map(|word| Word { text: word.text.clone(), is_static: word.is_static }).collect();
        let mut texts: Vec<&str> = argv.iter().map(|word| word.text.as_str()).collect();
        if let Some(head) = texts.first_mut() {
            let plain =
                SYSTEM.iter().find_map(|folder| head.strip_prefix(folder)).filter(|name| !name.contains('/'));
            *head = plain.unwrap_or(head);
        }
        let source = texts.join(" ");
        let count = self.table.arity(&texts);
        // A flag says nothing of the act, so that a pattern that ends in one would grant too much.
        let flagged = texts.get(1..count).is_some_and(|rest| rest.iter().any(|word| word.starts_with('-')));
        let always = if flagged { source.clone() } else { format!("{} *", texts[..count].join(" ")) };
        self.out.commands.push(Simple {
            argv,
            source,
            always,
            dynamic: false,
            risky: None,
            destroys: self.destroys,
            leaves: None,
            git: None,
            redirects: Vec::new(),
            is_call: false,
        });
        let at = self.out.commands.len() - 1;
        if let Some(cause) = self.state.shadowed.clone() {
            self.mark(at, format!("{cause} changes what later commands mean"));
        }
        at
    }

    /// Declares one command dynamic, and the script with it.
    pub(super) fn mark(&mut self, at: usize, reason: String) {
        self.out.commands[at].dynamic = true;
        self.doubt(reason);
    }

    /// The same where only the files of the command are not known.
    pub(super) fn mark_files(&mut self, at: usize, reason: String) {
        self.out.commands[at].dynamic = true;
        self.doubt_files(reason);
    }

    /// What the command changes for those after it.
    fn remember(&mut self, name: &str, program: &Program, words: &[Resolved]) {
        let into_variable = match name {
            "printf" => words.get(1).is_some_and(|w| !w.is_static || w.text.starts_with("-v")),
            "wait" => words[1..].iter().any(|w| !w.is_static || w.text.starts_with('-')),
            _ => false,
        };
        let options_only = name == "set" && words[1..].iter().all(|w| w.is_static && w.text != "--");
        let names_only =
            |word: &Resolved| word.is_static && word.glob.is_none() && !self.table.is_special(&word.text);
        if name == "read" && words[1..].iter().all(names_only) {
            for name in words[1..].iter().map(|word| word.text.as_str()).chain(["REPLY"]) {
                self.state.set(name, None);
            }
        } else if (program.forget && !options_only) || into_variable {
            self.state.forget();
            let named = |word: &Resolved| !word.is_static || self.table.is_special(&word.text);
            if words[1..].iter().any(named) {
                self.state.shadowed.get_or_insert(format!("`{name}`"));
            }
        }
        if program.shadow {
            self.state.shadowed.get_or_insert(format!("`{name}`"));
        }
    }

    /// Notes the folders in which git may run.
    fn place_git(&mut self, words: &[Resolved]) {
        let named = words.windows(2).filter(|pair| pair[0].text == "-C" || pair[0].text == "--git-dir");
        let inside = words.iter().filter_map(|word| word.text.strip_prefix("--git-dir="));
        let given: Vec<&str> = named.map(|pair| pair[1].text.as_str()).chain(inside).chain([""]).collect();
        for folder in self.state.folders.iter().chain(&self.state.fallback) {
            for name in &given {
                let place = path::absolute(folder, name);
                if !self.out.git.contains(&place) {
                    self.out.git.push(place);
                }
            }
        }
    }

    fn change_folder(&mut self, words: &[Resolved]) {
        let head = words[0].text.as_str();
        let flags = words[1..]
            .iter()
            .take_while(|w| matches!(w.text.as_str(), "-L" | "-P" | "-e" | "-LP" | "--"))
            .count();
        let target = words.get(1 + flags);
        let is_physical =
            words[1..=flags].iter().any(|word| word.text != "--" && (head != "cd" || word.text != "-L"));
        // Its name, and what `..` means from there, are those behind the links.
        if is_physical {
            self.doubt_files(format!("where `{head}` goes is not known"));
            return self.state.lose_folder();
        }
        if head == "popd" {
            return match self.state.pushed.pop() {
                Some(folders) if words.len() == 1 => self.state.folders = folders,
                _ => {
                    self.state.pushed.clear();
                    self.state.lose_folder();
                }
            };
        }
        let home = Resolved::fixed(self.place.home);
        let target = match target {
            None if head == "pushd" => None,
            None if self.state.variables.contains_key("HOME") => None,
            None => Some(&home),
            Some(word) if word.text == "-" || word.text.starts_with('+') || word.text.starts_with('-') => {
                None
            }
            Some(word) if word.glob.is_some() || words.len() > 2 + flags => None,
            some => some,
        };
        if let Some(word) = words.iter().skip(1).find(|word| !word.is_static || word.glob.is_some()) {
            self.doubt_files(format!("the folder `{}` is not known", short(&word.text)));
            return self.state.lose_folder();
        }
        let Some(target) = target else {
            self.doubt_files(format!("where `{head}` goes is not known"));
            return self.state.lose_folder();
        };
        let folder = Resolved { text: format!("{}/", target.text), ..target.clone() };
        if !target.text.is_empty() {
            self.touch(&folder, false);
        }
        if head == "pushd" {
            self.state.pushed.push(self.state.folders.clone());
        }
        if target.text.is_empty() {
            return;
        }
        self.state.go(&target.text);
    }

    /// A program of which nothing is known may run the one whose name it is given.
    fn unknown_wrapper(&mut self, at: usize, name: &str, words: &[Resolved]) {
        let runs = |word: &&Resolved| {
            let inner = word.text.rsplit('/').next().unwrap_or_default();
            self.table.program(inner).is_some_and(Program::is_worth_running)
        };
        if let Some(word) = words[1..].iter().find(runs) {
            self.mark(at, format!("`{name}` may run `{}`", short(&word.text)));
        }
    }

    /// `uv run x`, `bundle exec x`: the command behind the subcommand.
    fn run_within(&mut self, at: usize, words: &[Resolved], level: usize) {
        let rest = words.get(2..).unwrap_or_default();
        if rest.first().is_some_and(|word| word.text.starts_with('-')) {
            let source = short(&self.out.commands[at].source);
            return self.mark(at, format!("what `{source}` runs is not known"));
        }
        self.apart(|me| me.run_at(rest, level + 1));
    }

    /// `env`, `sudo`, `timeout` and their kind: the command after the options.
    fn wrapped(&mut self, at: usize, name: &str, program: &Program, words: &[Resolved], level: usize) {
        let Some(wrap) = &program.wrap else { return };
        let flags = &program.flags;
        let mut rest = &words[1..];
        let mut skip = wrap.skip;
        let mut folder = None;
        let mut ended = false;
        while let Some(word) = rest.first() {
            if !word.is_static || word.glob.is_some() {
                self.mark(at, format!("an option of `{name}` is not known"));
            }
            let text = word.text.as_str();
            if text == "--" && !ended {
                ended = true;
                rest = &rest[1..];
                continue;
            }
            if text.len() > 1 && text.starts_with('-') && !ended {
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
                continue;
            }
            let is_assignment = matches!(name, "env" | "sudo" | "doas") && text.contains('=');
            if is_assignment {
                let variable = text.split('=').next().unwrap_or_default();
                if self.table.is_special(variable) {
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
        match program {
            Some(program) if !is_wrapper && (are_operands || !program.can_run() || self.destroys) => {
                self.mark_files(at, text);
            }
            _ => self.mark(at, text),
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

    /// `sh -c script`, `sh file`, or a shell that reads its input.
    fn shell(&mut self, at: usize, words: &[Resolved]) {
        let mut script_next = false;
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            if !word.is_static || word.glob.is_some() {
                return self.mark(at, "what the shell runs is not known".into());
            }
            let text = word.text.as_str();
            if matches!(text, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                if let Some(value) = rest.next()
                    && text.starts_with("--")
                {
                    self.touch(value, false);
                    self.mark(at, "the shell reads a start file".into());
                }
                continue;
            }
            if text.starts_with("--") && text.len() > 2 {
                if QUESTIONS.contains(&text) {
                    return;
                }
                if text.contains('=') || !matches!(text, "--norc" | "--noprofile" | "--posix") {
                    self.mark(at, "an option of the shell is not known".into());
                }
                continue;
            }
            if text.len() > 1 && (text.starts_with('-') || text.starts_with('+')) {
                script_next |= text.contains('c');
                if text.contains(['l', 'i']) {
                    self.mark(at, "the shell reads its start files".into());
                }
                if text == "-s" && !script_next {
                    return self.fed(at);
                }
                if text.contains('s') || text.contains('o') || text.contains('O') {
                    self.mark(at, "the shell may read its input".into());
                }
                continue;
            }
            if script_next {
                let script = text.to_owned();
                return self.inner_shell(&words[0].text, &script);
            }
            if text == "-" || super::path::is_harmless(text) || text.starts_with("/proc/") {
                return self.fed(at);
            }
            self.touch(word, false);
            for argument in rest {
                if super::path::looks_like(&argument.text) || !argument.is_static {
                    self.touch(argument, false);
                }
            }
            return;
        }
        self.fed(at);
    }

    /// A shell that reads its script from its input.
    fn fed(&mut self, at: usize) {
        let Some(Feed::Text(script)) = self.feed.take() else {
            return self.mark(at, "the shell runs what it reads".into());
        };
        let name = self.out.commands[at].argv.first().map_or(String::new(), |word| word.text.clone());
        self.inner_shell(&name, &script);
    }

    /// A script that another shell runs: it knows no variables of this one.
    fn inner_shell(&mut self, name: &str, script: &str) {
        let dialect = match name.rsplit('/').next().unwrap_or_default() {
            "bash" | "rbash" => Dialect::Bash,
            "sh" | "dash" | "ash" => Dialect::Posix,
            "zsh" => Dialect::Zsh,
            _ => Dialect::Other,
        };
        let outer = std::mem::replace(&mut self.dialect, dialect);
        self.apart(|me| {
            Rc::make_mut(&mut me.state.variables).retain(|name, _| name == "HOME");
            me.state.functions = Rc::default();
            me.script(script);
        });
        self.dialect = outer;
    }

    fn eval(&mut self, at: usize, words: &[Resolved]) {
        let words = if words.first().is_some_and(|word| word.text == "--") { &words[1..] } else { words };
        if words.iter().any(|word| !word.is_static || word.glob.is_some()) {
            self.state.shadowed.get_or_insert("`eval`".into());
            return self.mark(at, "what `eval` runs is not known".into());
        }
        let script: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        self.script(&script.join(" "));
    }

    fn trap(&mut self, words: &[Resolved]) {
        if let Some(word) = words[1..].iter().find(|word| !word.text.starts_with('-') && word.text != "-") {
            if word.is_static {
                self.apart(|me| me.script(&word.text));
            } else {
                self.doubt("what `trap` runs is not known");
            }
        }
    }

    /// Programs that hand their words to a shell; they are dynamic, but what can be seen is listed.
    fn joined(&mut self, words: &[Resolved]) {
        let rest =
            words.iter().position(|word| !word.text.starts_with('-')).map_or(&[][..], |at| &words[at..]);
        if rest.iter().all(|word| word.is_static) {
            let script: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            self.apart(|me| me.script(&script.join(" ")));
        }
    }

    /// Is the word a question that makes a program tell about itself?
    pub(super) fn is_question(word: &Resolved) -> bool {
        QUESTIONS.contains(&word.text.as_str())
    }
}

/// Does the command run another one in an environment that it prepares?
fn is_runner(name: &str, words: &[Resolved]) -> bool {
    let sub = words.get(1).map_or("", |word| word.text.as_str());
    match name {
        "poetry" | "uv" | "pipenv" | "hatch" | "pdm" | "rye" | "conda" | "mamba" | "micromamba" => {
            sub == "run"
        }
        "bundle" | "rbenv" | "pyenv" | "asdf" | "mise" | "direnv" | "nodenv" | "goenv" => sub == "exec",
        _ => false,
    }
}

/// The words that a builtin takes for names of variables, which may have an index to be evaluated.
fn names<'w>(name: &str, words: &'w [Resolved]) -> Option<&'w [Resolved]> {
    let rest = words.get(1..).unwrap_or_default();
    match name {
        "read" | "unset" | "mapfile" | "readarray" | "getopts" => Some(rest),
        "printf" if rest.first().is_some_and(|word| !word.is_static || word.text.starts_with("-v")) => {
            Some(&rest[..rest.len().min(2)])
        }
        "wait" if rest.first().is_some_and(|word| word.text.starts_with("-")) => {
            Some(&rest[..rest.len().min(2)])
        }
        // `test -v name`.
        "test" | "[" => {
            let at = rest.iter().position(|word| matches!(word.text.as_str(), "-v" | "-R"))?;
            rest.get(at + 1..).map(|rest| &rest[..rest.len().min(1)])
        }
        _ => None,
    }
}
