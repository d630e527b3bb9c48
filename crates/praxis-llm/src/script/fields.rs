//! The fields of a map, of which only known ones are taken.

use super::tree::{Key, Node, Place, ScriptError, Value};

/// How alike two keys must be for one to be meant by the other.
const ALIKE: f64 = 0.75;

/// A map whose keys are all known.
pub(super) struct Fields<'a> {
    pub(super) place: &'a Place,
    entries: &'a [(Key, Node)],
}

impl<'a> Fields<'a> {
    /// Checks the keys; `what` names the map in errors, for example `a turn`.
    pub(super) fn of(node: &'a Node, what: &str, known: &[&str]) -> Result<Self, ScriptError> {
        let Value::Map(entries) = &node.value else {
            let kind = node.kind();
            return Err(node
                .place
                .error(format!("{what} is a map with the keys {}; this is {kind}", list(known))));
        };
        for (key, _) in entries {
            if !known.contains(&key.name.as_str()) {
                return Err(unknown(key, what, known));
            }
        }
        Ok(Self { place: &node.place, entries })
    }

    /// What a key holds; nothing if the key is absent or empty.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        let (_, node) = self.entries.iter().find(|(key, _)| key.name == name)?;
        (!matches!(node.value, Value::Null)).then_some(node)
    }

    /// Reads what a key holds.
    pub(super) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Node) -> Result<T, ScriptError>,
    ) -> Result<Option<T>, ScriptError> {
        self.get(name).map(read).transpose()
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, ScriptError> {
        self.read(name, Node::text)
    }

    /// A list of texts; one text is a list of itself, and none is empty.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, ScriptError> {
        Ok(self.read(name, Node::texts)?.unwrap_or_default())
    }

    pub(super) fn number(&self, name: &str, most: u64) -> Result<Option<u64>, ScriptError> {
        self.read(name, |node| node.number(most))
    }

    /// Fails unless the key is there.
    pub(super) fn needed(&self, name: &str, what: &str) -> Result<&'a Node, ScriptError> {
        self.get(name).ok_or_else(|| self.place.error(format!("{what} needs the key `{name}`")))
    }
}

/// One of a few words.
pub(super) fn word<T: Copy>(node: &Node, words: &[(&str, T)]) -> Result<T, ScriptError> {
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let Value::Text(text) = &node.value else { return Err(node.wrong(&format!("one of {}", list(&names)))) };
    words.iter().find(|(name, _)| name == text).map(|(_, value)| *value).ok_or_else(|| {
        node.place.error(format!(
            "`{text}` is not known here; it can be {}{}",
            list(&names),
            meant(text, &names)
        ))
    })
}

fn unknown(key: &Key, what: &str, known: &[&str]) -> ScriptError {
    let Key { name, place } = key;
    place.error(format!("{what} has no key `{name}`; its keys are {}{}", list(known), meant(name, known)))
}

fn meant(name: &str, known: &[&str]) -> String {
    let alike = |known: &&str| match strsim::osa_distance(name, known) {
        // Two letters in the wrong order are more alike than the measure for longer words says.
        0 | 1 => 1.0,
        _ if name.contains(*known) => ALIKE,
        _ => strsim::jaro_winkler(name, known),
    };
    let nearest = known.iter().map(|known| (alike(known), known)).filter(|(alike, _)| *alike >= ALIKE);
    let nearest = nearest.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, known)| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// Names in backticks.
pub(super) fn list<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
