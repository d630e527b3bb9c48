//! `find`: its roots, the files it writes, the commands it runs on what it finds.

use super::walk::{Walker, short};
use super::word::{Resolved, Sweep};
use super::{How, Reach};

/// Roots whose commands are followed.
const MOST_ROOTS: usize = 16;

impl Walker<'_> {
    /// `find`: its roots, the files it writes, the commands it runs on what it finds.
    pub(super) fn find(&mut self, at: usize, words: &[Resolved], level: usize) {
        if let Some(word) = words[1..].iter().find(|word| !word.is_static && !word.tame) {
            // One word can be `-delete`.
            self.mark(at, format!("the argument `{}` of `find` is not known", short(&word.text)));
        }
        let starts_test = |word: &&Resolved| !matches!(word.text.as_str(), "-H" | "-L" | "-P");
        let rest: Vec<&Resolved> = words[1..].iter().filter(starts_test).collect();
        let end = rest.iter().position(|word| word.text.starts_with(['-', '(', '!'])).unwrap_or(rest.len());
        let mut roots: Vec<Resolved> = rest[..end].iter().map(|word| (*word).clone()).collect();
        if roots.is_empty() {
            roots.push(Resolved::fixed("."));
        }
        let deletes = rest.iter().any(|word| word.text == "-delete");
        for root in &roots {
            self.touch(root, deletes);
        }
        let follows = words.iter().any(|word| matches!(word.text.as_str(), "-L" | "-follow"));
        if deletes && follows {
            self.mark_files(at, "`find` deletes what lies behind links".into());
        }
        let all = &rest[end..];
        let mut tests = all.iter();
        while let Some(word) = tests.next() {
            // Only the tests before an act pick what it is done to.
            let before = &all[..all.len() - tests.len() - 1];
            let sweep = if narrows(before) { Sweep::Few } else { Sweep::All };
            for root in &mut roots {
                root.sweep = sweep;
            }
            match word.text.as_str() {
                "-delete" => {
                    self.sweep("delete", Reach::Tree, &roots.iter().collect::<Vec<_>>(), false);
                    // It asks for the same leave as `-exec rm {} +`.
                    self.list_only(&["rm", "{}"].map(Resolved::fixed));
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let mut inner: Vec<Resolved> = Vec::new();
                    for word in tests.by_ref() {
                        // A plus ends it only right behind the names.
                        let is_end = word.text == "+" && inner.last().is_some_and(|last| last.text == "{}");
                        if word.text == ";" || is_end {
                            break;
                        }
                        inner.push((*word).clone());
                    }
                    self.found(&inner, &roots, level);
                }
                "-fprint" | "-fprintf" | "-fprint0" | "-fls" => {
                    if let Some(file) = tests.next() {
                        self.touch_as(file, How::Fill);
                    }
                }
                "-newer" | "-samefile" | "-files0-from" | "-anewer" | "-cnewer" => {
                    if let Some(file) = tests.next() {
                        self.touch(file, false);
                    }
                }
                _ => {}
            }
        }
    }

    /// A command that runs on what was found: listed as written, its paths judged by the roots.
    fn found(&mut self, inner: &[Resolved], roots: &[Resolved], level: usize) {
        if inner.first().is_some_and(|head| head.text.contains("{}")) {
            return self.doubt("`find` runs what it finds");
        }
        // What is found would have to be followed through the wrapper or into the script.
        let program = inner.first().and_then(|head| self.table.program(head.text.rsplit('/').next()?));
        if program.is_some_and(|program| program.wrap.is_some() || program.shell) {
            self.doubt("`find` hands what it finds to a program that runs another");
        }
        let placed = inner.iter().any(|word| word.text.contains("{}"));
        let puts = inner.iter().any(|word| word.text.contains("{}") && word.text != "{}");
        let outer = self.puts_names;
        self.puts_names |= puts;
        for (turn, root) in roots.iter().take(MOST_ROOTS).enumerate() {
            let known = self.out.commands.len();
            let words: Vec<Resolved> = inner
                .iter()
                .map(|word| Resolved {
                    text: word.text.replace("{}", &root.text),
                    glob: if word.text.contains("{}") {
                        root.glob.filter(|_| word.text == "{}")
                    } else {
                        word.glob
                    },
                    sweep: if word.text.contains("{}") { root.sweep } else { word.sweep },
                    ..word.clone()
                })
                .collect();
            self.apart(|me| me.run_at(&words, level + 1));
            if turn > 0 {
                self.out.commands.truncate(known);
            } else if placed && self.out.commands.len() > known {
                let dynamic = self.out.commands[known].dynamic;
                let risky = self.out.commands[known].risky.take();
                let at = self.list_only(inner);
                self.out.commands.swap_remove(known.min(at));
                if let Some(command) = self.out.commands.get_mut(known) {
                    command.dynamic |= dynamic;
                    command.risky = risky;
                }
            }
            if !placed {
                break;
            }
        }
        self.puts_names = outer;
        if roots.len() > MOST_ROOTS {
            self.doubt("`find` has too many roots");
        }
    }
}

/// Do the tests of a `find` leave most of what is there alone? Every branch must have a test that picks.
pub(super) fn narrows(tests: &[&Resolved]) -> bool {
    const PICKS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-newer",
        "-mtime",
        "-mmin",
        "-ctime",
        "-cmin",
        "-atime",
        "-amin",
        "-size",
        "-empty",
        "-samefile",
        "-inum",
        "-lname",
    ];
    let texts: Vec<&str> = tests.iter().map(|word| word.text.as_str()).collect();
    texts.split(|text| matches!(*text, "-o" | "-or" | ",")).all(|branch| {
        branch.iter().enumerate().any(|(at, text)| {
            let is_not = |text: &&str| matches!(*text, "!" | "-not");
            // A bracket that is negated may hold any of them.
            let is_open = |pair: &[&str]| is_not(&pair[0]) && pair[1] == "(";
            let negated = (at > 0 && is_not(&branch[at - 1])) || texts.windows(2).any(is_open);
            let any = branch.get(at + 1).is_some_and(|value| value.chars().all(|c| "*?./".contains(c)));
            PICKS.contains(text) && !negated && !any
        })
    })
}
