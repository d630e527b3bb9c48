//! Words of commands: names of files, quoted in every way, and all that a shell expands.

use super::grammar::Maker;
use super::mutate::requote;
use super::{pick, pieces};

pub(super) const VARIABLES: &[&str] = &["x", "y", "z", "v", "a", "HOME", "PWD", "i"];

impl Maker<'_> {
    /// Any word.
    pub(super) fn word(&mut self) -> String {
        if self.spice == 0 && self.rng.u32(0..10) != 0 {
            return self.tame_word();
        }
        let kind = self.rng.u32(0..100);
        match kind {
            0..42 => self.any("files"),
            42..50 => self.any("plain"),
            50..56 => self.any("options"),
            56..62 => {
                let word = pieces::any(self.rng, "letters");
                requote(self.rng, word)
            }
            62..66 => self.ansi(),
            66..72 => self.any("braces"),
            72..78 => self.any("globs"),
            78..92 => self.variable(),
            92..94 => self.arithmetic(),
            94..97 if self.spice > 1 => self.substitution(),
            97..99 if self.spice > 2 => self.odd_expansion(),
            _ => {
                let (one, two) = (self.small(), self.small());
                format!("{one}{two}")
            }
        }
    }

    /// A word that the text tells.
    fn tame_word(&mut self) -> String {
        match self.rng.u32(0..100) {
            0..55 => self.any("files"),
            55..62 => self.any("safe"),
            62..68 => self.any("options"),
            68..76 => {
                let word = pieces::any(self.rng, "letters");
                requote(self.rng, word)
            }
            76..79 => self.ansi(),
            79..83 => self.any("braces"),
            83..87 => self.any("globs"),
            _ => self.known_variable(),
        }
    }

    /// A variable that the script has set before, if there is one.
    pub(super) fn known_variable(&mut self) -> String {
        let Some(name) = self.set.last().copied().filter(|_| self.rng.u32(0..4) > 0) else {
            return (*pick(self.rng, &["", "\"\"", "", "\"/f\"", "/f", "~"])).to_owned();
        };
        self.any("known").replace('N', name)
    }

    fn small(&mut self) -> String {
        self.any("small")
    }

    fn ansi(&mut self) -> String {
        self.any("ansi")
    }

    /// A variable in one of its many forms.
    pub(super) fn variable(&mut self) -> String {
        let name = *pick(self.rng, VARIABLES);
        let list = match self.rng.u32(0..10) {
            0..6 => "usual",
            6..9 => "unusual",
            _ => "special",
        };
        self.any(list).replace('N', name)
    }

    fn arithmetic(&mut self) -> String {
        let name = *pick(self.rng, VARIABLES);
        self.any("arithmetic").replace('N', name)
    }

    /// The output of a command as a word.
    pub(super) fn substitution(&mut self) -> String {
        if self.depth > 3 {
            return "$(ls)".to_owned();
        }
        self.depth += 1;
        let inner = self.statement();
        self.depth -= 1;
        match self.rng.u32(0..10) {
            0..4 => format!("$({inner})"),
            4..7 => format!("\"$({inner})\""),
            7 if !inner.contains(['`', '\\']) => format!("`{inner}`"),
            8 => format!("<({inner})"),
            _ => format!("$( {inner}\n)"),
        }
    }

    fn odd_expansion(&mut self) -> String {
        self.any("substitutions")
    }

    /// A file as a redirection has it.
    pub(super) fn target(&mut self) -> String {
        if self.rng.u32(0..5) == 0 { self.word() } else { self.any("files") }
    }
}
