//! The walk over the syntax tree: what runs, in which order, in which shell.

use indexmap::IndexSet;

use super::feed::Feed;
use super::state::{Seen, State, Value};
use super::table::Table;
use super::tree::Node;
use super::word::{self, Resolved};
use super::{
    About, Analysis, Dialect, Doubt, How, Place, Touched, agree, gaps, harmless, lexer, operands, parse, path,
};

/// Syntax inside syntax; deeper scripts are dynamic.
pub(super) const DEEPEST: usize = 160;
/// Scripts inside scripts (`sh -c`, `eval`, …).
const DEEPEST_SCRIPT: usize = 8;
/// Doubts of one kind that are kept.
const MOST_REASONS: usize = 16;
/// Commands listed; a script with more is dynamic.
const MOST_COMMANDS: usize = 20_000;
/// Words of one script.
const MOST_WORDS: usize = 8_000;
/// Bytes of one that cannot be read for sure.
const LONGEST_UNSURE: usize = 24_000;

/// Walks trees and gathers what they do.
pub(super) struct Walker<'p> {
    pub(super) place: Place<'p>,
    pub(super) table: &'static Table,
    pub(super) out: Analysis,
    pub(super) state: State,
    pub(super) scripts: usize,
    fuse: parse::Fuse,
    /// The shell that runs what is being read.
    pub(super) dialect: Dialect,
    /// Does what the current command writes replace content, rather than names and rights?
    pub(super) fills: bool,
    /// Does the current command destroy what it is aimed at?
    pub(super) destroys: bool,
    /// Is what is touched right now only started?
    is_run: bool,
    /// What the next command finds on its input.
    pub(super) feed: Option<Feed>,
    /// Does a redirection further out take the place of what the next command is given?
    pub(super) outer_input: bool,
    /// What the last command of the next pipe finds on its input, where a redirection says so.
    pub(super) tail_input: Option<Option<Feed>>,
    /// Did the names that were handed over last come without their folder?
    pub(super) bare_names: bool,
    /// Are names that were found put into the words of the current command?
    pub(super) puts_names: bool,
    /// What the last command said.
    pub(super) said: Option<Feed>,
    /// Does a pipe take only the last command of the list that comes next?
    pub(super) tail_is_piped: bool,
    /// Does a pipe take only the first command of the list that comes next?
    pub(super) head_is_piped: bool,
    /// Braces that the grammar took for commands.
    pub(super) braces: usize,
    /// Functions that are being called.
    pub(super) calls: Vec<String>,
    /// Bytes of text read once more.
    pub(super) again: usize,
    /// Redirections whose command comes next.
    pub(super) redirects: Vec<String>,
    paths: IndexSet<String>,
    writes: IndexSet<String>,
    touched: IndexSet<Touched>,
}

impl<'p> Walker<'p> {
    pub(super) fn new(place: Place<'p>, fuse: parse::Fuse) -> Self {
        Self {
            fuse,
            state: State::new(&place),
            place,
            table: Table::get(),
            out: Analysis::default(),
            scripts: 0,
            dialect: place.shell,
            fills: true,
            destroys: false,
            is_run: false,
            feed: None,
            outer_input: false,
            tail_input: None,
            bare_names: true,
            puts_names: false,
            said: None,
            tail_is_piped: false,
            head_is_piped: false,
            braces: 0,
            calls: Vec::new(),
            again: 0,
            redirects: Vec::new(),
            paths: IndexSet::new(),
            writes: IndexSet::new(),
            touched: IndexSet::new(),
        }
    }

    pub(super) fn finish(mut self, script: &str) -> Analysis {
        self.check_trap();
        self.out.unread = self.out.dynamic.then(|| script.to_owned());
        self.out.paths = self.paths.into_iter().collect();
        self.out.writes = self.writes.into_iter().collect();
        self.out.touched = self.touched.into_iter().collect();
        self.out
    }

    /// Declares the script dynamic: which program runs, or what it does, is not known.
    pub(super) fn doubt(&mut self, reason: impl Into<String>) {
        self.doubt_about(About::Program, reason);
    }

    /// Declares that a part of the script is not read at all.
    pub(super) fn unseen(&mut self, reason: &str) {
        self.out.unseen = true;
        self.doubt(reason);
    }

    /// Declares that it is not known which files are touched.
    pub(super) fn doubt_files(&mut self, reason: impl Into<String>) {
        let about = if self.destroys { About::Loss } else { About::Files };
        self.doubt_about(about, reason);
    }

    /// Declares the script dynamic.
    pub(super) fn doubt_about(&mut self, about: About, reason: impl Into<String>) {
        self.out.dynamic = true;
        let doubt = Doubt { about, text: reason.into() };
        let alike = self.out.doubts.iter().filter(|other| other.about == about).count();
        if alike < MOST_REASONS && !self.out.doubts.contains(&doubt) {
            self.out.doubts.push(doubt);
        }
    }

    /// Reads a script in the current state.
    pub(super) fn script(&mut self, text: &str) {
        if self.scripts >= DEEPEST_SCRIPT || self.out.commands.len() > MOST_COMMANDS {
            return self.unseen("scripts are nested too deep or do too much");
        }
        let lexed = lexer::lex(text, self.dialect);
        // The grammar takes its time with each word.
        let is_long = match &lexed {
            Ok(lexed) => lexed.words.len() > MOST_WORDS,
            Err(_) => text.len() > LONGEST_UNSURE,
        };
        if is_long {
            return self.unseen("the script has more words than can be read");
        }
        let tree = match parse::tree(text, &self.fuse) {
            Ok(tree) => tree,
            Err(reason) => return self.unseen(reason),
        };
        if tree.has_error {
            self.doubt("the script has a syntax error");
        }
        if text.contains("\n\\\n") {
            // The grammar lets the line before it go on.
            self.doubt("a line begins with an escaped line end");
        }
        if gaps::any(&tree, text) {
            self.doubt("a part of the script cannot be read");
        }
        if matches!(self.dialect, Dialect::Zsh | Dialect::Other)
            && text.contains(|sign| "$`~*?[]{}()=^#!<>\\%".contains(sign))
        {
            self.doubt("the shell that runs it may mean another thing");
        }
        match lexed {
            Ok(lexed) => {
                if let Some(reason) = agree::differs(&tree, &lexed, text) {
                    self.doubt(reason);
                }
            }
            Err(reason) => self.doubt(format!("the script cannot be read for sure: {reason}")),
        }
        self.scripts += 1;
        self.walk(tree.root(), text, 0);
        self.scripts -= 1;
    }

    /// Runs `act` as a subshell would: what it changes is gone afterwards.
    pub(super) fn apart(&mut self, act: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        act(self);
        self.check_trap();
        self.state = before;
    }

    pub(super) fn walk(&mut self, node: Node<'_>, text: &str, depth: usize) {
        if depth > DEEPEST {
            return self.doubt("the script is nested too deep");
        }
        let depth = depth + 1;
        let may_say = matches!(node.kind(), "command" | "redirected_statement" | "pipeline");
        if !may_say || node.kind() == "pipeline" {
            self.feed = None;
        }
        self.said = None;
        self.step(node, text, depth);
        if !may_say {
            self.said = None;
        }
    }

    fn step(&mut self, node: Node<'_>, text: &str, depth: usize) {
        match node.kind() {
            "command" => self.command_node(node, &[], text, depth),
            "redirected_statement" => self.redirected(node, text, depth),
            "list" => self.list(node, None, text, depth),
            "pipeline" => self.pipe(&node.named().collect::<Vec<_>>(), None, &[], text, depth),
            "command_substitution" | "process_substitution" => {
                if node.text(text).starts_with('`') && node.text(text).contains('\\') {
                    self.doubt("a substitution in backquotes has escapes");
                }
                self.apart(|me| me.sequence(node, text, depth));
            }
            "subshell" => self.apart(|me| me.sequence(node, text, depth)),
            "if_statement" => self.branches(node, text, depth),
            "case_statement" => self.cases(node, text, depth),
            "elif_clause" | "else_clause" | "case_item" => {
                let before = self.state.clone();
                self.sequence(node, text, depth);
                self.state.merge(&before);
            }
            "arithmetic_expansion" | "expansion" | "string" | "concatenation" => {
                self.nested(node, text, depth);
            }
            "compound_statement" if node.text(text).starts_with("((") => {
                let inside = node.text(text);
                self.nested(node, text, depth);
                self.arithmetic(inside.get(2..inside.len().saturating_sub(2)).unwrap_or_default());
            }
            "while_statement" | "for_statement" | "c_style_for_statement" => self.repeated(node, text, depth),
            "function_definition" => self.function(node, text, depth),
            "variable_assignment" => self.assignment(node, text, depth),
            "declaration_command" | "unset_command" => self.declaration(node, text, depth),
            "test_command" => self.test(node, text, depth),
            "file_redirect" => {
                let extra = self.redirect(node, text);
                if !extra.is_empty() {
                    self.doubt("words follow a redirection without a command");
                }
                self.loosen("");
                self.nested(node, text, depth);
            }
            "heredoc_redirect" => self.heredoc(node, None, text, depth),
            "word" | "raw_string" | "comment" | "ansi_c_string" | "number" => {}
            "ERROR" => {
                self.doubt("the script has a syntax error");
                self.sequence(node, text, depth);
            }
            _ => self.sequence(node, text, depth),
        }
    }

    /// Statements one after the other; what ends in `&` runs apart.
    pub(super) fn sequence(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let children = node.children().collect::<Vec<_>>();
        for (at, child) in children.iter().enumerate() {
            if !child.is_named() {
                continue;
            }
            if children.get(at + 1).is_some_and(|next| next.kind() == "&") {
                self.apart(|me| me.walk(*child, text, depth));
            } else {
                self.walk(*child, text, depth);
            }
        }
    }

    /// A value that is set without a command.
    pub(super) fn assignment(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let source = node.text(text);
        let (name, value) = source.split_once('=').unwrap_or((source, ""));
        let values = word::resolve(value, &self.seen());
        if let Some((_, index)) = source.split('=').next().and_then(|name| name.split_once('[')) {
            self.arithmetic(index.trim_end_matches('+').trim_end_matches(']'));
        }
        let name = name.trim_end_matches('+').split('[').next().unwrap_or_default().to_owned();
        let plain = source.starts_with(&format!("{name}=")) && !value.starts_with('(');
        let known = match values.as_slice() {
            // A tilde behind a colon counts, too, but only here.
            _ if value.contains(":~") => None,
            [only] if plain && only.is_static && only.glob.is_none() => Some(only.text.clone()),
            [] if plain => Some(String::new()),
            _ => None,
        };
        if self.changes_meaning(source) {
            self.state.shadowed.get_or_insert(format!("the variable `{name}`"));
        }
        if known.as_deref().is_some_and(word::runs_in_brackets) {
            self.doubt(format!("the value of `{name}` runs a command where it is taken for a number"));
        }
        self.nested(node, text, depth);
        let known = match known {
            Some(text) => Some(Value::Text(text)),
            None if plain && self.gives_number(value) => Some(Value::Number),
            None if plain && self.gives_fresh(value) => Some(Value::Fresh),
            None => None,
        };
        self.state.set(&name, known);
    }

    /// Does an assignment, as written, change what commands do? Not with a value that is known to be harmless.
    pub(super) fn changes_meaning(&self, source: &str) -> bool {
        let name = source.split(['=', '+', '[']).next().unwrap_or_default();
        let value = source.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
        let is_known = |value: &str| match word::resolve(value, &self.seen()).as_slice() {
            [only] if only.is_static && only.glob.is_none() => self.is_harmless(name, &only.text),
            [] => self.is_harmless(name, ""),
            _ => false,
        };
        self.table.is_special(name) && !value.is_some_and(is_known)
    }

    /// May a special variable have this value without a change in what runs?
    pub(super) fn is_harmless(&self, name: &str, value: &str) -> bool {
        let from = if self.state.folders.is_empty() { &[][..] } else { &self.state.fallback };
        let from: Vec<String> = self.state.folders.iter().chain(from).cloned().collect();
        harmless::fits(value, self.table.harmless_values(name), &from, self.place.cwd)
    }

    /// Files that a test looks at.
    fn test(&mut self, node: Node<'_>, text: &str, depth: usize) {
        self.compared(node, text);
        let mut waiting: Vec<_> = node.named().map(|part| (part, true)).collect();
        let mut seen = 0;
        while let Some((part, may_be_file)) = waiting.pop() {
            seen += 1;
            match part.kind() {
                "word" | "string" | "raw_string" | "concatenation" | "ansi_c_string"
                    if seen < MOST_COMMANDS =>
                {
                    for found in word::resolve(part.text(text), &self.seen()) {
                        if word::runs_in_brackets(&found.text) {
                            self.doubt("a test may run what stands in brackets");
                        }
                        if may_be_file && found.is_static && path::looks_like(&found.text) {
                            self.touch_run(&found);
                        }
                    }
                }
                "command_substitution" | "process_substitution" | "redirected_statement" => {}
                // An operator says what its operands are.
                "unary_expression" | "binary_expression" => {
                    let operator = part.children().find(|child| is_operator(child.kind()));
                    let files = operator.is_none_or(|sign| operands::tests_file(sign.text(text)));
                    waiting.extend(part.named().map(|part| (part, files)));
                }
                _ => waiting.extend(part.named().map(|part| (part, may_be_file))),
            }
        }
        self.nested(node, text, depth);
    }

    /// Walks the commands inside the words of a node; tells how many substitutions it met.
    pub(super) fn nested(&mut self, node: Node<'_>, text: &str, depth: usize) -> usize {
        if depth > DEEPEST {
            self.doubt("the script is nested too deep");
            return 0;
        }
        let source = node.text(text);
        match node.kind() {
            "arithmetic_expansion" => {
                let inside = source.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
                self.arithmetic(inside.unwrap_or(source));
            }
            "expansion" => self.expanded(source),
            _ if node.named().next().is_none() => return 0,
            _ => {}
        }
        let mut met = 0;
        for child in node.named() {
            match child.kind() {
                "command_substitution" | "process_substitution" => {
                    met += 1;
                    self.walk(child, text, depth + 1);
                }
                "redirected_statement" => self.walk(child, text, depth + 1),
                "expansion" | "arithmetic_expansion" => met += self.nested(child, text, depth + 1),
                _ if child.named().next().is_some() => met += self.nested(child, text, depth + 1),
                _ => {}
            }
        }
        if node.kind() == "expansion" && source.ends_with("@P}") {
            self.doubt("a value is read as a prompt, which may run commands");
        }
        if node.kind() == "expansion" && (source.contains('=') || source.contains('@')) {
            self.state.forget();
        }
        met
    }

    pub(super) fn seen(&self) -> Seen<'_> {
        Seen { state: &self.state, place: &self.place }
    }

    /// Notes that a path is read or written; false if it cannot be known which.
    pub(super) fn touch(&mut self, word: &Resolved, write: bool) -> bool {
        let how = match (write, self.fills) {
            (false, _) => How::Read,
            (true, false) => How::Change,
            (true, true) => How::Fill,
        };
        self.touch_as(word, how)
    }

    /// The same, when it is known what is done.
    pub(super) fn touch_as(&mut self, word: &Resolved, how: How) -> bool {
        if word.tame {
            return true;
        }
        let is_known = self.touch_known(word, how);
        self.out.fills_unknown |= !is_known && how == How::Fill;
        is_known
    }

    /// Notes a program that is started by its path, or a file that is only asked for.
    pub(super) fn touch_run(&mut self, program: &Resolved) {
        self.is_run = true;
        self.touch_as(program, How::Read);
        self.is_run = false;
    }

    fn touch_known(&mut self, word: &Resolved, how: How) -> bool {
        if !word.is_static {
            let text = short(&word.text);
            let told = format!("the argument `{text}` of");
            let about = if self.destroys { About::Loss } else { About::Files };
            let is_told = |doubt: &Doubt| doubt.about == about && doubt.text.starts_with(&told);
            // The same word was told already, with the command that it belongs to.
            if !self.out.doubts.iter().any(is_told) {
                self.doubt_files(format!("the path `{text}` is not known"));
            }
            return false;
        }
        let (text, glob) = match word.glob {
            None => (word.text.as_str(), None),
            Some(glob) => match path::cut_glob(&word.text, glob) {
                Some((folder, pattern)) => (folder, Some(pattern)),
                None => {
                    self.doubt_files(format!("the pattern `{}` may climb", short(&word.text)));
                    return false;
                }
            },
        };
        if text.is_empty() {
            return true;
        }
        if text.starts_with('/') {
            self.note("/", text, glob, how, None);
            return !path::is_network(text);
        }
        if self.state.folders.is_empty() {
            self.doubt_files(format!("the folder of `{}` is not known", short(text)));
            return false;
        }
        for folder in self.state.folders.clone() {
            self.note(&folder, text, glob, how, None);
        }
        // Where a `cd` may have failed, everything happens where it was meant to leave.
        for folder in self.state.fallback.clone() {
            self.note(&folder, text, glob, how, self.state.meant());
        }
        true
    }

    fn note(&mut self, base: &str, text: &str, glob: Option<&str>, how: How, unless: Option<String>) {
        let path = path::absolute(base, text);
        if path::is_network(&path) {
            return self.doubt("the shell opens a connection");
        }
        if path::is_harmless(&path) {
            return;
        }
        let touched = Touched {
            path: path::join(base, text),
            glob: glob.map(str::to_owned),
            how,
            unless,
            is_run: self.is_run,
        };
        if !self.touched.insert(touched) {
            return;
        }
        if how != How::Read {
            self.writes.insert(path.clone());
        }
        self.paths.insert(path);
    }
}

/// Is it an operator of a test that has operands of its own, not one that joins or negates tests?
fn is_operator(kind: &str) -> bool {
    matches!(kind, "test_operator" | "=" | "==" | "!=" | "=~" | "<" | ">")
}

/// A text short enough for a reason.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
