//! Scripts inside a script: what another shell is given, `eval`, `trap`, and words that become a command line.

use std::rc::Rc;

use super::Dialect;
use super::feed::Feed;
use super::walk::{Walker, short};
use super::word::Resolved;

impl Walker<'_> {
    /// `sh -c script`, `sh file`, or a shell that reads its input.
    pub(super) fn shell(&mut self, at: usize, words: &[Resolved]) {
        let mut script_next = false;
        let mut rest = words[1..].iter();
        while let Some(word) = rest.next() {
            if !word.is_static || word.glob.is_some() {
                return self.mark(at, "what the shell runs is not known".into());
            }
            let text = word.text.as_str();
            let is_plain = |flag: char| matches!(flag, 'n' | 'e' | 'u' | 'x' | 'v');
            let names_option = text
                .strip_prefix('-')
                .and_then(|flags| flags.strip_suffix('o'))
                .is_some_and(|flags| flags.chars().all(is_plain));
            if names_option || matches!(text, "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                if let Some(value) = rest.next()
                    && text.starts_with("--")
                {
                    self.touch(value, false);
                    self.mark(at, "the shell reads a start file".into());
                }
                continue;
            }
            if text.starts_with("--") && text.len() > 2 {
                if Self::is_question(word) {
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
            self.runs(at, text);
            for argument in rest {
                if super::path::looks_like(&argument.text) || !argument.is_static {
                    self.touch(argument, false);
                }
            }
            return;
        }
        self.fed(at);
    }

    /// Notes that a file of the project is run as a script.
    pub(super) fn runs(&mut self, at: usize, file: &str) {
        if file.starts_with('/') {
            return self.out.runs.push(file.to_owned());
        }
        if self.state.folders.is_empty() {
            return self.mark(at, format!("the folder of `{}` is not known", short(file)));
        }
        for folder in self.state.folders.iter().chain(&self.state.fallback) {
            self.out.runs.push(super::path::join(folder, file));
        }
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

    pub(super) fn eval(&mut self, at: usize, words: &[Resolved]) {
        let words = if words.first().is_some_and(|word| word.text == "--") { &words[1..] } else { words };
        if words.iter().any(|word| !word.is_static || word.glob.is_some()) {
            self.state.shadowed.get_or_insert("`eval`".into());
            return self.mark(at, "what `eval` runs is not known".into());
        }
        let script: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        self.script(&script.join(" "));
    }

    pub(super) fn trap(&mut self, words: &[Resolved]) {
        if let Some(word) = words[1..].iter().find(|word| !word.text.starts_with('-') && word.text != "-") {
            if word.is_static {
                self.apart(|me| me.script(&word.text));
            } else {
                self.doubt("what `trap` runs is not known");
            }
        }
    }

    /// Programs that hand their words to a shell; they are dynamic, but what can be seen is listed.
    pub(super) fn joined(&mut self, words: &[Resolved]) {
        let rest =
            words.iter().position(|word| !word.text.starts_with('-')).map_or(&[][..], |at| &words[at..]);
        if rest.iter().all(|word| word.is_static) {
            let script: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            self.apart(|me| me.script(&script.join(" ")));
        }
    }
}
