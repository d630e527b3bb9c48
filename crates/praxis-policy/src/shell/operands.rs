//! Arguments that name files: by what the table knows of a program, else by their looks.

use super::table::{Operands, Program};
use super::walk::{Walker, short};
use super::word::{self, Resolved};
use super::{git, path, risk, tools};

/// Programs for files that know addresses of the network, too.
const ADDRESSED: &[&str] = &["open", "xdg-open", "rsync", "scp", "vi", "vim", "emacs", "test", "["];

/// What a flag does with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Nothing,
    Read,
    Write,
    Upload,
    /// The value is a name, and a file that is read follows it.
    Pair,
}

impl Walker<'_> {
    /// Notes every path among the arguments of the command at `at`.
    pub(super) fn operands(&mut self, at: usize, name: &str, program: &Program, words: &[Resolved]) {
        if program.operands == Operands::Inert {
            return self.inert(program, words);
        }
        let mut plain = Vec::new();
        let mut scripted = false;
        let mut rest = words[1..].iter();
        let mut ended = false;
        let runs = can_run(name, Some(program), words);
        if name == "tar"
            && let Some(first) = words.get(1).filter(|word| !word.text.starts_with('-'))
        {
            rest.next();
            if !first.is_static {
                self.unknown(at, name, program, runs, first, false);
            }
            self.tar(words, &format!("-{}", first.text));
        } else if name == "tar" {
            self.tar(words, "");
        }
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let is_option = !ended && text.starts_with('-') && text.len() > 1;
            if !word.is_static && !word.tame {
                let outer = self.destroys;
                self.destroys &= !is_new_name(name, word, words);
                self.unknown(at, name, program, runs, word, ended);
                self.destroys = outer;
            }
            if !is_option {
                if let Some((how, value)) = keyed(program, text) {
                    self.value(&part(word, value), how);
                } else {
                    plain.push(word);
                }
                continue;
            }
            if text == "--" {
                ended = true;
                continue;
            }
            scripted |= matches!(
                text.split('=').next(),
                Some("-e" | "-f" | "--expression" | "--regexp" | "--file" | "--from-file" | "--files")
            );
            match flag(program, text) {
                Some((how, Some(value))) => self.value(&part(word, value), how),
                Some((how, None)) => {
                    let skip = usize::from(how == Use::Pair);
                    if let Some(next) = rest.nth(skip) {
                        if !next.is_static && !next.tame {
                            self.unknown_value(at, name, runs, next);
                        }
                        self.value(next, how);
                    }
                }
                None => self.embedded(word),
            }
        }
        if program.interpreter {
            let asks = words.get(1).is_some_and(Self::is_question)
                || (name == "node" && words.iter().any(|word| word.text == "--test"));
            let has_code = self.out.commands[at].risky.is_some();
            // A database's shell reads what to do, unless it is told.
            let is_database = matches!(name, "sqlite3" | "psql" | "mysql" | "duckdb");
            let is_told = name == "sqlite3" && plain.len() > 1
                || words.iter().any(|word| {
                    ["-c", "-e", "-f", "-l", "--command", "--execute", "--file", "--list"]
                        .iter()
                        .any(|flag| risk::is_flag(&word.text, flag))
                });
            if is_database && !is_told && !asks {
                self.mark(at, format!("`{name}` runs what it reads"));
            }
            match plain.first() {
                Some(word) if word.is_static && word.text != "-" && !path::is_harmless(&word.text) => {
                    if !has_code {
                        self.touch(word, false);
                    }
                }
                None if asks || has_code || (is_database && is_told) => {}
                _ => self.mark(at, format!("`{name}` runs what it reads")),
            }
        }
        if matches!(name, "test" | "[") {
            plain.retain(|word| is_tested(word, words));
        }
        self.plain(name, program, &plain, scripted, words);
    }

    /// An argument whose value is not known. If it may be an option, a program that can be told to run something else
    /// may be told so by it.
    fn unknown(
        &mut self,
        at: usize,
        name: &str,
        program: &Program,
        runs: bool,
        word: &Resolved,
        ended: bool,
    ) {
        let is_code = program.interpreter || program.operands == Operands::SkipRead;
        let source = if is_code { word.text.clone() } else { self.with_numbers(&word.text) };
        let is_operand = (ended && word::is_one(&source))
            || word::is_operand(&source)
            || (!program.risky.is_empty() && word::is_valued_option(&source));
        let text = format!("the argument `{}` of `{name}` is not known", short(&word.text));
        if is_operand || !runs || (self.destroys && word::is_one(&word.text)) {
            self.mark_files(at, text);
        } else {
            self.mark(at, text);
        }
    }

    /// The value of an option, where it is not known.
    fn unknown_value(&mut self, at: usize, name: &str, runs: bool, word: &Resolved) {
        let text = format!("the argument `{}` of `{name}` is not known", short(&word.text));
        if !runs || word::is_one(&self.with_numbers(&word.text)) {
            self.mark_files(at, text)
        } else {
            self.mark(at, text)
        }
    }

    /// A program whose arguments do nothing by themselves: what the shell makes of them, and its few flags with files.
    fn inert(&mut self, program: &Program, words: &[Resolved]) {
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            if word.glob.is_some() {
                self.touch(word, false);
            }
            match flag(program, &word.text).filter(|_| word.text.starts_with('-')) {
                Some((how, Some(value))) => self.value(&part(word, value), how),
                Some((how, None)) => rest.next().into_iter().for_each(|next| self.value(next, how)),
                None => {}
            }
        }
    }

    /// The arguments that are no flags.
    fn plain(
        &mut self,
        name: &str,
        program: &Program,
        plain: &[&Resolved],
        scripted: bool,
        words: &[Resolved],
    ) {
        // These take a second file to write to.
        let copies = matches!(name, "uniq" | "xxd" | "iconv");
        let in_place =
            matches!(name, "sed" | "yq") && words[1..].iter().any(|word| is_in_place(program, word));
        let has_target = words.iter().any(|w| w.text.starts_with("-t") || w.text.starts_with("--target-dir"));
        for (index, word) in plain.iter().enumerate() {
            if name == "[" && word.text == "]" {
                continue;
            }
            let last = index + 1 == plain.len();
            match program.operands {
                Operands::Read => self.operand(name, word, copies && index == 1),
                Operands::Write => self.operand(name, word, true),
                Operands::SkipRead if index == 0 && !scripted => {}
                Operands::SkipRead => self.operand(name, word, in_place),
                Operands::SkipWrite if index == 0 && !word.text.contains('/') => {}
                Operands::SkipWrite => self.operand(name, word, true),
                Operands::Target if !last && self.linked(name, word, words) => {}
                Operands::Target => {
                    // What `mv` takes away is only renamed.
                    self.fills = name != "mv" || last;
                    if name == "mv" && !last {
                        self.operand(name, word, false);
                    }
                    let outer = self.destroys;
                    self.destroys &= !is_new_name(name, word, words);
                    self.operand(name, word, name == "mv" || (last && !has_target));
                    self.destroys = outer;
                }
                Operands::Unknown | Operands::Inert => self.seeming(word),
            }
        }
        let fetches = name == "curl"
            && words
                .iter()
                .any(|w| w.text == "--remote-name" || is_bundle(risk::bundle(program, &w.text), 'O'));
        if program.here || fetches {
            self.touch(&Resolved::fixed("."), true);
        }
        if name == "git"
            && plain.first().is_some_and(|word| matches!(word.text.as_str(), "clone" | "init" | "worktree"))
        {
            let target = plain.get(if plain[0].text == "init" { 1 } else { 2 });
            match target.filter(|word| word.is_static) {
                Some(target) => self.file(target, true),
                // A clone names its folder after its source.
                None => self.out.fills_unknown |= plain[0].text == "clone",
            }
        }
    }

    /// `ln -s ../a b/c`: a relative target counts from the folder of the link. Where that folder is known, it is noted.
    fn linked(&mut self, name: &str, target: &Resolved, words: &[Resolved]) -> bool {
        let [_, flag, _, link] = words else { return false };
        let is_plain = |word: &Resolved| {
            word.is_static && word.glob.is_none() && !word.text.is_empty() && !word.text.starts_with('-')
        };
        if name != "ln"
            || !matches!(flag.text.as_str(), "-s" | "-sf" | "-sfn" | "-sn" | "-snf" | "--symbolic")
            || ![target, link].iter().all(|word| is_plain(word))
            || target.text.starts_with('/')
        {
            return false;
        }
        // The link may be a folder already; then the new one is made in there.
        let (folder, name) = link.text.rsplit_once('/').unwrap_or((".", &link.text));
        let is_folder = matches!(name, "" | "." | "..");
        for from in [folder, link.text.as_str()].iter().skip(usize::from(is_folder)) {
            self.touch(&Resolved::fixed(&format!("{from}/{}", target.text)), false);
        }
        true
    }

    /// An operand that is a file, whatever it looks like, to all but a few programs.
    fn operand(&mut self, name: &str, word: &Resolved, write: bool) {
        if path::is_url(&word.text) && !ADDRESSED.contains(&name) {
            self.touch(word, write);
        } else {
            self.file(word, write);
        }
    }

    fn file(&mut self, word: &Resolved, write: bool) {
        if word.text == "-" || path::is_url(&word.text) {
            return;
        }
        if let Some(rest) = path::of_url(&word.text).filter(|_| word.is_static) {
            self.touch(&Resolved::fixed(rest), write);
            // Few programs know addresses; to the others it is a name like any.
            if word.text.contains("//") {
                return;
            }
        }
        self.touch(word, write);
    }

    fn value(&mut self, word: &Resolved, how: Use) {
        match how {
            Use::Nothing => {}
            Use::Read | Use::Pair => self.file(word, false),
            Use::Write => self.file(word, true),
            Use::Upload => {
                if let Some(file) = word.text.split_once(['@', '<']).map(|(_, file)| file) {
                    self.file(&part(word, file), false);
                }
            }
        }
    }

    /// A word of a program of which nothing is known.
    pub(super) fn seeming(&mut self, word: &Resolved) {
        if !word.is_static || path::is_url(&word.text) {
            return;
        }
        let text = word.text.as_str();
        let (key, value) = text.split_once('=').unwrap_or(("", text));
        let is_key = !key.is_empty() && !key.contains('/');
        let value = if is_key { value } else { text };
        if let Some(rest) = path::of_url(value) {
            self.touch(&Resolved::fixed(rest), false);
            return;
        }
        if path::looks_like(value) || word.glob.is_some() {
            self.touch(&part(word, value), false);
        }
        // `host:/path`, `a:/b`, `@/file`: the absolute part may be meant.
        if let Some(start) = value.find(":/").or_else(|| value.find("@/")) {
            self.touch(&part(word, &value[start + 1..]), false);
        }
    }

    /// A path inside a flag that the table does not know: `--x=/etc`, `-I/etc`.
    fn embedded(&mut self, word: &Resolved) {
        if !word.is_static {
            return;
        }
        if let Some((_, value)) = word.text.split_once('=') {
            return self.seeming(&part(word, value));
        }
        if word.text.starts_with("--") {
            return;
        }
        if let Some(start) = word.text.find(['/', '~']) {
            let start = if word.text[..start].ends_with("..") { start - 2 } else { start };
            self.touch(&part(word, &word.text[start..]), false);
        }
    }

    /// `tar` says in its first letters whether its archive and its folder are written.
    fn tar(&mut self, words: &[Resolved], old_style: &str) {
        let texts: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
        let has = |letter: char, long: &[&str]| {
            old_style.contains(letter)
                || texts.iter().any(|text| {
                    is_bundle(text, letter) || long.contains(&text.split('=').next().unwrap_or(""))
                })
        };
        let extracts = has('x', &["--extract", "--get"]);
        let creates = has('c', &["--create"])
            || has('r', &["--append"])
            || has('u', &["--update"])
            || has('A', &["--delete"]);
        let mut into = None;
        let mut rest = words[1..].iter().enumerate();
        while let Some((index, word)) = rest.next() {
            let text = word.text.as_str();
            let old = index == 0 && !old_style.is_empty() && text.contains('f');
            if let Some(value) = text.strip_prefix("--file=") {
                self.file(&part(word, value), creates);
            } else if let Some(value) = text.strip_prefix("--directory=") {
                into = Some(part(word, value));
            } else if old || text == "--file" || (is_bundle(text, 'f') && text.ends_with('f')) {
                if let Some((_, next)) = rest.next() {
                    self.file(next, creates);
                }
            } else if text == "-C" || text == "--directory" || (is_bundle(text, 'C') && text.ends_with('C')) {
                into = rest.next().map(|(_, next)| next.clone());
            } else if is_bundle(text, 'f') || is_bundle(text, 'C') {
                let start = text.find(['f', 'C']).map_or(text.len(), |at| at + 1);
                self.file(&part(word, &text[start..]), true);
            } else if !text.starts_with('-') && index > 0 {
                self.file(word, false);
            }
        }
        if let Some(into) = into {
            self.file(&into, extracts);
        } else if extracts {
            self.touch(&Resolved::fixed("."), true);
        }
        if old_style.contains('P')
            || texts.iter().any(|text| text.starts_with("--abs") || is_bundle(text, 'P'))
        {
            self.doubt("`tar` may write to absolute paths");
        }
    }
}

/// Could an argument make the command run something else?
pub(super) fn can_run(name: &str, program: Option<&Program>, words: &[Resolved]) -> bool {
    let looks = name == "git" && git::looks(words);
    program.is_none_or(Program::can_run) && !looks && !tools::takes_anything(name, words)
}

/// Does a test with this operator look at the file behind it, or at those on both sides of it?
pub(super) fn tests_file(operator: &str) -> bool {
    let letter = operator.strip_prefix('-').filter(|letter| letter.len() == 1);
    letter.is_some_and(|letter| "aefdrwxsLhbcgkpuSGON".contains(letter)) || compares_files(operator)
}

fn compares_files(operator: &str) -> bool {
    matches!(operator, "-nt" | "-ot" | "-ef")
}

/// Is this very word of a test a file? What is compared, or asked whether it is empty, is a text.
fn is_tested(word: &Resolved, words: &[Resolved]) -> bool {
    let Some(at) = words.iter().position(|other| std::ptr::eq(other, word)) else { return true };
    let beside = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| word.text.as_str());
    tests_file(beside(at.checked_sub(1))) || compares_files(beside(at.checked_add(1)))
}

/// Is it the name that `mv` gives? Only what it takes away is lost.
fn is_new_name(name: &str, word: &Resolved, words: &[Resolved]) -> bool {
    let has_target = |word: &Resolved| is_bundle(&word.text, 't') || word.text.starts_with("--t");
    name == "mv"
        && words.last() == Some(word)
        && word::is_one(&word.text)
        && !words.iter().any(has_target)
        && words.iter().filter(|other| *other == word).count() == 1
}

/// A piece of a word, as doubtful as the whole.
fn part(word: &Resolved, text: &str) -> Resolved {
    let offset = word.text.len() - text.len().min(word.text.len());
    let glob = word.glob.and_then(|at| at.checked_sub(offset)).filter(|at| *at <= text.len());
    Resolved { text: text.to_owned(), glob, ..word.clone() }
}

fn is_in_place(program: &Program, word: &Resolved) -> bool {
    word.text.starts_with("--in-place") || is_bundle(risk::bundle(program, &word.text), 'i')
}

/// Is it a group of short flags with this letter?
fn is_bundle(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// `of=file`.
fn keyed<'t>(program: &Program, text: &'t str) -> Option<(Use, &'t str)> {
    let find =
        |keys: &[&str]| keys.iter().filter(|key| key.ends_with('=')).find_map(|key| text.strip_prefix(*key));
    find(&program.writes)
        .map(|value| (Use::Write, value))
        .or_else(|| find(&program.reads).map(|value| (Use::Read, value)))
}

/// What the table says of a flag; the value is inside the word or, if `None`, the next word.
fn flag<'t>(program: &Program, text: &'t str) -> Option<(Use, Option<&'t str>)> {
    let how = |is_meant: &dyn Fn(&str) -> bool| {
        [
            (Use::Write, &program.writes),
            (Use::Read, &program.reads),
            (Use::Upload, &program.uploads),
            (Use::Pair, &program.pairs),
            (Use::Nothing, &program.valued),
        ]
        .into_iter()
        .find_map(|(how, flags)| flags.iter().any(|flag| is_meant(flag)).then_some(how))
    };
    if let Some(found) = how(&|flag| flag == text) {
        return Some((found, None));
    }
    if text.starts_with("--") {
        let (name, value) = text.split_once('=')?;
        return how(&|flag| flag == name).map(|found| (found, Some(value)));
    }
    for (index, letter) in text.char_indices().skip(1) {
        let (before, value) = text.split_at(index + letter.len_utf8());
        if let Some(found) = how(&|flag| flag.strip_prefix('-') == Some(&before[index..])) {
            return Some((found, Some(value).filter(|value| !value.is_empty())));
        }
    }
    None
}
