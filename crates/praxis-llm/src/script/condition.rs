//! What a request must be, and how it differs.

mod read;

use std::fmt;

use regex::Regex;

use super::fields::list;
use super::{Seen, SeenResult};
pub(super) use read::read;

/// How much of a text a difference shows.
const SHOWN: usize = 300;

/// What a request must be. Without any condition everything fits.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    /// The last text of the user.
    pub user: TextMatch,
    /// The system text.
    pub system: TextMatch,
    /// Any text of the conversation, new results included.
    pub anywhere: TextMatch,
    /// The model's id.
    pub model: TextMatch,
    /// The agent.
    pub agent: TextMatch,
    /// Tools that must be offered.
    pub tools: Vec<String>,
    /// Whether no tool at all may be offered.
    pub no_tools: bool,
    /// Tools that must not be offered.
    pub without: Vec<String>,
    /// Results that the request must bring back.
    pub results: Vec<ResultMatch>,
    /// How many messages there must be.
    pub messages: Option<u64>,
}

/// What a text must be. Without any condition everything fits.
#[derive(Debug, Clone, Default)]
pub struct TextMatch {
    /// Texts that must be in it.
    pub contains: Vec<String>,
    /// Texts that must not be in it.
    pub lacks: Vec<String>,
    /// The text that it must be.
    pub equals: Option<String>,
    /// A pattern that must be found in it.
    pub regex: Option<Regex>,
}

/// What a result must be; one result must fit in all.
#[derive(Debug, Clone, Default)]
pub struct ResultMatch {
    /// The tool.
    pub of: Option<String>,
    /// The call.
    pub id: Option<String>,
    /// What came.
    pub text: TextMatch,
    /// Whether it must be an error, or must not. Formats that cannot say so fit.
    pub error: Option<bool>,
}

/// One way in which a request is not what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which part of the request.
    pub what: &'static str,
    /// What it should be.
    pub wanted: String,
    /// What it is.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {} {}\n    but it is {}", self.what, self.wanted, self.got)
    }
}

impl Conditions {
    /// Whether a request fits.
    pub fn fits(&self, seen: &Seen) -> bool {
        self.differences(seen).is_empty()
    }

    /// All ways in which a request does not fit.
    pub fn differences(&self, seen: &Seen) -> Vec<Difference> {
        let mut found = Vec::new();
        self.user.check("the last user text", Some(seen.last_user()), &mut found);
        self.system.check("the system text", Some(&seen.system), &mut found);
        self.model.check("the model", seen.model.as_deref(), &mut found);
        self.agent.check("the agent", seen.agent.as_deref(), &mut found);
        if !self.anywhere.is_free() {
            self.anywhere.check("the conversation", Some(&conversation(seen)), &mut found);
        }
        self.check_tools(seen, &mut found);
        found.extend(self.results.iter().filter_map(|result| result.difference(&seen.results)));
        if let Some(wanted) = self.messages.filter(|wanted| *wanted != seen.messages.len() as u64) {
            let (wanted, got) = (format!("should be {wanted}"), seen.messages.len().to_string());
            found.push(Difference { what: "the number of messages", wanted, got });
        }
        found
    }

    fn check_tools(&self, seen: &Seen, found: &mut Vec<Difference>) {
        let offered = |tool: &&String| seen.tools.contains(*tool);
        let missing: Vec<&String> = self.tools.iter().filter(|tool| !offered(tool)).collect();
        let present: Vec<&String> = self.without.iter().filter(offered).collect();
        let mut wanted = Vec::new();
        if self.no_tools && !seen.tools.is_empty() {
            wanted.push("should be none".to_owned());
        }
        if !missing.is_empty() {
            wanted.push(format!("should have {}", list(&missing)));
        }
        if !present.is_empty() {
            wanted.push(format!("should not have {}", list(&present)));
        }
        if wanted.is_empty() {
            return;
        }
        let got = if seen.tools.is_empty() { "empty".to_owned() } else { list(&seen.tools) };
        found.push(Difference { what: "the list of tools", wanted: wanted.join(" and "), got });
    }
}

impl TextMatch {
    /// A text that must be in it.
    pub fn contains(text: impl Into<String>) -> Self {
        Self { contains: vec![text.into()], ..Self::default() }
    }

    /// A text that it must be.
    pub fn equals(text: impl Into<String>) -> Self {
        Self { equals: Some(text.into()), ..Self::default() }
    }

    fn is_free(&self) -> bool {
        let Self { contains, lacks, equals, regex } = self;
        contains.is_empty() && lacks.is_empty() && equals.is_none() && regex.is_none()
    }

    /// Every condition in words, and whether it holds.
    fn conditions(&self, text: &str) -> Vec<(bool, String)> {
        let contains =
            self.contains.iter().map(|part| (text.contains(part), format!("should contain {part:?}")));
        let lacks =
            self.lacks.iter().map(|part| (!text.contains(part), format!("should not contain {part:?}")));
        let equals = self.equals.iter().map(|whole| (whole == text, format!("should be {whole:?}")));
        let matches = self.regex.iter().map(|regex| {
            let words = format!("should match the pattern `{regex}`");
            (regex.is_match(text), words)
        });
        contains.chain(lacks).chain(equals).chain(matches).collect()
    }

    /// What it should be, for each condition that does not hold.
    fn unmet(&self, text: &str) -> Vec<String> {
        let unmet = self.conditions(text).into_iter().filter(|(holds, _)| !holds);
        unmet.map(|(_, words)| words).collect()
    }

    fn check(&self, what: &'static str, text: Option<&str>, found: &mut Vec<Difference>) {
        if self.is_free() {
            return;
        }
        let unmet = self.unmet(text.unwrap_or_default());
        let got = || text.map_or_else(|| "not known here".to_owned(), shown);
        // What is not known can fit nothing, not even a text that lacks something.
        if text.is_none() && unmet.is_empty() {
            found.push(Difference { what, wanted: "should be known".to_owned(), got: got() });
        }
        found.extend(unmet.into_iter().map(|wanted| Difference { what, wanted, got: got() }));
    }
}

impl ResultMatch {
    fn fits(&self, result: &SeenResult) -> bool {
        self.of.as_ref().is_none_or(|of| *of == result.tool)
            && self.id.as_ref().is_none_or(|id| *id == result.id)
            && self.error.is_none_or(|error| result.is_error.is_none_or(|is_error| is_error == error))
            && self.text.unmet(&result.text).is_empty()
    }

    fn difference(&self, results: &[SeenResult]) -> Option<Difference> {
        if results.iter().any(|result| self.fits(result)) {
            return None;
        }
        let mut wanted = vec!["should have one".to_owned()];
        wanted.extend(self.of.iter().map(|of| format!("of `{of}`")));
        wanted.extend(self.id.iter().map(|id| format!("with the id `{id}`")));
        wanted.extend(self.error.map(|error| format!("that is {} error", if error { "an" } else { "no" })));
        let text: Vec<String> = self.text.conditions("").into_iter().map(|(_, words)| words).collect();
        wanted.extend((!text.is_empty()).then(|| format!("that {}", text.join(" and "))));
        let got = if results.is_empty() {
            "empty".to_owned()
        } else {
            results.iter().map(told).collect::<Vec<_>>().join("; ")
        };
        Some(Difference { what: "the list of new results", wanted: wanted.join(" "), got })
    }
}

fn told(result: &SeenResult) -> String {
    let kind = if result.is_error == Some(true) { "an error of" } else { "one of" };
    format!("{kind} `{}`: {}", result.tool, shown(&result.text))
}

fn conversation(seen: &Seen) -> String {
    let texts = seen.messages.iter().map(|message| message.text.as_str());
    texts.chain(seen.results.iter().map(|result| result.text.as_str())).collect::<Vec<_>>().join("\n")
}

/// A text in quotes, its middle left out if it is long.
pub(super) fn shown(text: &str) -> String {
    let length = text.chars().count();
    if length <= SHOWN {
        return format!("{text:?}");
    }
    let half = SHOWN / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!("{head:?} … {} characters … {tail:?}", length - 2 * half)
}
