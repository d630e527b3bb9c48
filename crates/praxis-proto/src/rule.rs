//! Permission rules and where they were written.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a rule says about an act. Ordered from the most lenient to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Do it without a question.
    Allow,
    /// Ask the user first.
    Ask,
    /// Never.
    Deny,
}

impl Action {
    /// The action as it is written in configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the configuration spelling.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|action| action.as_str() == text)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A position in a file, counted from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file.
    pub file: Arc<PathBuf>,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// Who wrote a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Praxis itself; the text names the part, for example `defaults` or `agent plan`.
    BuiltIn(&'static str),
    /// A configuration file.
    File(Place),
    /// An environment variable or a command-line argument, by name.
    Named(Arc<str>),
    /// The session's own rules.
    Session,
}

impl Origin {
    /// The file position, where there is one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::File(place) => Some(place),
            Self::BuiltIn(_) | Self::Named(_) | Self::Session => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(part) => write!(f, "built-in {part}"),
            Self::File(place) => write!(f, "{}:{}", place.file.display(), place.line),
            Self::Named(name) => f.write_str(name),
            Self::Session => f.write_str("session"),
        }
    }
}

/// One line of a ruleset. Both fields are wildcards; the last rule that matches decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Which permission, for example `edit` or `mcp_*`.
    pub permission: String,
    /// Which resources, for example `src/*`.
    pub pattern: String,
    /// What to do.
    pub action: Action,
    /// Where it was written.
    pub origin: Origin,
}

impl Rule {
    /// A rule of Praxis' own.
    pub fn built_in(part: &'static str, permission: &str, pattern: &str, action: Action) -> Self {
        Self {
            permission: permission.to_owned(),
            pattern: pattern.to_owned(),
            action,
            origin: Origin::BuiltIn(part),
        }
    }
}

/// `edit *.md` with its origin in front: what a person needs to find the line.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{} {}`", self.origin, self.permission, self.pattern)
    }
}

/// The wire form is OpenCode's three fields, and the origin for people.
impl Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("permission", &self.permission)?;
        map.serialize_entry("pattern", &self.pattern)?;
        map.serialize_entry("action", &self.action)?;
        map.serialize_entry("source", &self.origin.to_string())?;
        if let Some(place) = self.origin.place() {
            map.serialize_entry("file", place.file.as_path())?;
            map.serialize_entry("line", &place.line)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictness_orders_actions() {
        assert!(Action::Allow < Action::Ask && Action::Ask < Action::Deny);
        assert_eq!(Action::parse("allow"), Some(Action::Allow));
        assert_eq!(Action::parse("Allow"), None);
    }

    #[test]
    fn a_rule_tells_where_it_stands() {
        let place = Place { file: Arc::new("praxis.json".into()), line: 3, column: 9 };
        let rule = Rule {
            permission: "edit".into(),
            pattern: "*.md".into(),
            action: Action::Deny,
            origin: Origin::File(place),
        };
        assert_eq!(rule.to_string(), "praxis.json:3 `edit *.md`");
        assert_eq!(
            serde_json::to_string(&rule).unwrap(),
            r#"{"permission":"edit","pattern":"*.md","action":"deny","source":"praxis.json:3","file":"praxis.json","line":3}"#
        );
    }
}
