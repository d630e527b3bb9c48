//! Running one command in mind: what it is called, what it runs in turn, what it changes for the rest.

use std::borrow::Cow;

use super::code::{self, Known};
use super::feed::{self, Feed};
use super::table::Program;
use super::walk::{Walker, short};
use super::word::{self, Resolved};
use super::wrapper::is_runner;
use super::{About, Dialect, Doubt, GitAct, GitWrite, Simple, Word, git, leaving, path, tools};

/// Wrappers around wrappers.
const DEEPEST_WRAP: usize = 32;
/// Folders in which `/bin/rm` is simply `rm`.
const SYSTEM: &[&str] = &["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"];
/// Programs that change names and rights, and write no content.
const CHANGERS: &[&str] = &[
    "rm", "rmdir", "unlink", "srm", "mkdir", "touch", "chmod", "chown", "chgrp", "chattr", "setfacl",
    "mkfifo", "find",
];
/// Builtins that do nothing to anybody, whatever they are told. Those with a few harmful options are not among them.
const IDLE: &[&str] = &["break", "continue", "return", "exit", "shift", ":", "true", "false", "pwd", "times"];
/// Builtins that take words for names of variables, and run what stands in their brackets.
const NAMERS: &[&str] =
    &["test", "[", "printf", "read", "unset", "let", "mapfile", "readarray", "getopts", "wait"];
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
            if level > 0 {
                self.doubt("a program is given a brace to run");
            }
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
        let written = words;
        let words = if name == "git" { git::without_settings(words) } else { Cow::Borrowed(words) };
        let tame = self.without_loss(&name, &words);
        let words = tame.as_deref().unwrap_or(words.as_ref());
        self.destroys = super::risk::destroys(&name, program, words);
        let at = self.list_only(written);
        self.out.commands[at].redirects = std::mem::take(&mut self.redirects);
        if !head.is_static || head.glob.is_some() || head.text.is_empty() {
            return self.mark(at, format!("the command `{}` is computed", short(&head.text)));
        }
        self.out.commands[at].is_idle = self.is_idle(words);
        if head.text.contains('/') && !SYSTEM.iter().any(|folder| head.text == format!("{folder}{name}")) {
            self.touch_run(head);
        }
        self.fills = !CHANGERS.contains(&name.as_str());
        self.harm(&name, words);
        // Names that are put into a word can be anything, code too.
        let feed = self.feed.as_ref();
        let code = if self.puts_names { None } else { code::of(&name, words, feed) };
        let mut risk = match &code {
            Some(code) => code.doubt(&name),
            None => super::risk::of(&name, program, words),
        };
        if name == "git" {
            let runs = risk.as_ref().is_some_and(|risk| risk.about == About::Program);
            let act = git::act(words, runs);
            if act == GitAct::Unknown && !runs {
                let text = format!("`{}`", short(&self.out.commands[at].source));
                risk = Some(Doubt { about: About::Program, text });
            }
            self.out.commands[at].git = Some(act);
            self.place_git(at, words);
        }
        self.out.commands[at].risky = risk;
        let tool = tools::run_by(&name, words);
        let leaves = |tool: &[Resolved]| leaving::of(tools::package(&tool.first()?.text), tool);
        self.out.commands[at].leaves = leaving::of(&name, words).or_else(|| leaves(tool?));
        if let Some(tool) = tool.filter(|_| !tools::takes_anything(&name, words)) {
            self.unknown_wrapper(at, &tool[0].text, tool);
        }
        if name == "eval" {
            return self.eval(at, &words[1..]);
        }
        // `! declare -u x`, `\declare x`: to the grammar a command like any other.
        let is_declaration = matches!(name.as_str(), "declare" | "typeset" | "local" | "readonly" | "export");
        if is_declaration && words.len() > 1 {
            self.mark(at, format!("what `{name}` assigns is not known when it is written like that"));
        }
        if name == "builtin" && self.dialect != Dialect::Bash {
            self.mark(at, "not every shell has `builtin`".into());
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
        let activates = self.activates(words);
        if activates {
            // What it puts before other programs is run by their names.
            self.runs(at, path::parent(&words[1].text));
        } else if program.dynamic {
            self.mark(at, format!("what `{name}` runs is not known"));
        }
        // What only tidies up at the end changes nothing before.
        let tidies = name == "trap" && self.tidies(words);
        self.remember(&name, program, words, activates || tidies);
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
        match (&program.wrap, code) {
            (Some(_), _) => {
                let outer = self.puts_names;
                // To Perl a name can be a command, wherever it stands.
                let puts = || feed::token(words).is_some() || words.iter().any(|w| w.text.ends_with("perl"));
                self.puts_names |= name == "xargs" && puts();
                self.wrapped(at, &name, program, words, level);
                self.puts_names = outer;
            }
            (None, Some(code)) => self.code(at, &name, &code, words),
            (None, None) => self.operands(at, &name, program, words),
        }
    }

    /// A program with code of which all is known: what it loads, and the words behind it.
    fn code(&mut self, at: usize, name: &str, code: &Known, words: &[Resolved]) {
        for file in &code.loads {
            self.touch(&Resolved::fixed(file), false);
        }
        for word in words.iter().skip(code.rest) {
            if !word.is_static && !word.tame {
                self.mark_files(at, format!("the argument `{}` of `{name}` is not known", short(&word.text)));
            }
            match code.operands {
                code::Operands::Plain => self.seeming(word),
                code::Operands::Read | code::Operands::Write if word.text == "-" => {}
                how => _ = self.touch(word, how == code::Operands::Write),
            }
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
            is_idle: false,
            beside: git::beside(words),
        });
        let at = self.out.commands.len() - 1;
        if let Some(cause) = self.state.shadowed.clone() {
            self.mark(at, format!("{cause} changes what later commands mean"));
        }
        at
    }

    /// Is it a builtin, by its bare name, that does nothing to anybody?
    fn is_idle(&self, words: &[Resolved]) -> bool {
        let [head, rest @ ..] = words else { return false };
        match head.text.as_str() {
            // Its options assign a variable.
            "wait" => rest.iter().all(|word| self.is_job(word)),
            // One of its options runs a command.
            "jobs" => rest.iter().all(|word| matches!(word.text.as_str(), "-l" | "-n" | "-p" | "-r" | "-s")),
            name => IDLE.contains(&name),
        }
    }

    /// Does the word surely name a job or a process, and no option?
    fn is_job(&self, word: &Resolved) -> bool {
        let text = self.with_numbers(&word.text);
        let is_number = text.trim_matches('"').bytes().all(|byte| byte.is_ascii_digit());
        let is_spec = word.is_static && word.text.starts_with('%') && !word.text.contains('[');
        word.tame || is_number || is_spec
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
    fn remember(&mut self, name: &str, program: &Program, words: &[Resolved], activates: bool) {
        let into_variable = match name {
            "printf" => words.get(1).is_some_and(|w| !w.is_static || w.text.starts_with("-v")),
            "wait" => !words[1..].iter().all(|word| self.is_job(word)),
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
        // Other options change how the rest is read.
        let is_usual = |word: &Resolved| {
            matches!(word.text.as_str(), "--" | "pipefail" | "errexit" | "nounset" | "xtrace")
                || word
                    .text
                    .strip_prefix(['-', '+'])
                    .is_none_or(|flags| flags.chars().all(|flag| matches!(flag, 'e' | 'u' | 'x' | 'v' | 'o')))
        };
        let is_set = name == "set" && !words[1..].iter().take_while(|w| w.text != "--").all(is_usual);
        let names_option = |pair: &[Resolved]| {
            matches!(pair[0].text.as_bytes(), [b'-' | b'+', .., b'o'])
                && !matches!(pair[1].text.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")
        };
        let is_set = is_set || (name == "set" && words.windows(2).any(names_option));
        if (program.shadow && !activates) || is_set {
            self.state.shadowed.get_or_insert(format!("`{name}`"));
        }
    }

    /// `. .venv/bin/activate`: the project's own programs take the place of others, as if they were called by path.
    fn activates(&self, words: &[Resolved]) -> bool {
        let [head, file] = words else { return false };
        let text = file.text.as_str();
        let from = || self.state.folders.iter().chain(&self.state.fallback);
        matches!(head.text.as_str(), "." | "source")
            && file.is_static
            && file.glob.is_none()
            && text.ends_with("/bin/activate")
            && !text.starts_with('-')
            && text.split('/').all(|part| part != "..")
            && !self.state.folders.is_empty()
            && from().all(|folder| path::is_inside(&path::absolute(folder, text), self.place.cwd))
    }

    /// Notes the folders in which git may run.
    fn place_git(&mut self, at: usize, words: &[Resolved]) {
        // Another repository brings its own configuration, and with it programs.
        let is_place = |text: &str| {
            matches!(text, "-C" | "--git-dir" | "--work-tree")
                || text.starts_with("--git-dir=")
                || text.starts_with("--work-tree=")
        };
        let is_elsewhere = |word: &Resolved| !word.is_static && !word::is_here(&word.text);
        let mut pairs = words.windows(2).filter(|pair| is_place(&pair[0].text));
        if pairs.any(|pair| is_elsewhere(&pair[0]) || (!pair[0].text.contains('=') && is_elsewhere(&pair[1])))
        {
            self.mark(at, "which repository `git` is sent to is not known".into());
        }
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
        if git::must_write(words) {
            // Sent elsewhere, it does not run here.
            let meant = if given.len() > 1 { &given[..given.len() - 1] } else { &given[..] };
            let place = |folder: &String| {
                let from = folder.clone();
                meant.iter().map(move |name| path::absolute(&from, name))
            };
            let folders = self.state.folders.iter().flat_map(place).collect();
            let source = self.out.commands[at].source.clone();
            self.out.git_writes.push(GitWrite { source, folders });
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

    /// Is the word a question that makes a program tell about itself?
    pub(super) fn is_question(word: &Resolved) -> bool {
        QUESTIONS.contains(&word.text.as_str())
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
