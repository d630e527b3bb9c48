//! What `code.txt` says, ready to be asked.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The table as data; it is the place to let a new word in.
const TEXT: &str = include_str!("../code.txt");

/// Built once: it is constant, so that sharing it shares no state.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(TEXT));

type Names = HashSet<&'static str>;

/// The words that each language may use.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) python: Language,
    pub(super) node: Language,
}

/// The words of one language.
#[derive(Debug, Default)]
pub(super) struct Language {
    pub(super) never: Names,
    pub(super) unsaid: Names,
    /// Modules and objects with what may be taken from them.
    pub(super) modules: HashMap<&'static str, Names>,
    /// Those of them whose names are harmless from them alone.
    pub(super) strict: Names,
    pub(super) plain: Names,
    pub(super) refused: Names,
    pub(super) attributes: Names,
    pub(super) files: Names,
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
            match words.next().and_then(|kind| kind.split_once('-')) {
                Some(("python", kind)) => table.python.learn(kind, words),
                Some(("node", kind)) => table.node.learn(kind, words),
                _ => {}
            }
        }
        table
    }
}

impl Language {
    fn learn(&mut self, kind: &str, mut words: impl Iterator<Item = &'static str>) {
        match kind {
            "never" => self.never.extend(words),
            "unsaid" => self.unsaid.extend(words),
            "plain" => self.plain.extend(words),
            "refused" => self.refused.extend(words),
            "attribute" => self.attributes.extend(words),
            "file" => self.files.extend(words),
            "module" | "strict" | "object" => {
                let Some(name) = words.next() else { return };
                let names: Names = words.collect();
                if kind == "module" {
                    self.attributes.extend(&names);
                } else {
                    self.strict.insert(name);
                }
                self.modules.insert(name, names);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_has_a_known_kind() {
        const KINDS: &[&str] =
            &["never", "unsaid", "module", "strict", "object", "refused", "attribute", "file", "plain"];
        for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let kind = line.split(' ').next().unwrap_or_default();
            assert!(kind.split_once('-').is_some_and(|(_, kind)| KINDS.contains(&kind)), "{line}");
        }
    }

    #[test]
    fn nothing_is_both_let_in_and_kept_out() {
        let python = &Table::get().python;
        assert_eq!(python.attributes.intersection(&python.never).collect::<Vec<_>>(), Vec::<&&str>::new());
        for (module, names) in &python.modules {
            assert_eq!(names.intersection(&python.never).next(), None, "{module}");
            // Those that are kept out under their own name may have a harmless part.
            assert!(!python.refused.contains(module) || python.strict.contains(module), "{module}");
        }
    }
}
