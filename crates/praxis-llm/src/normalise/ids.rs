//! Ids of calls: each its own, in the form that the model's server takes.

use std::collections::HashSet;

use crate::{AssistantPart, Message, Target};

/// Whose models want short ids.
const MISTRAL: [&str; 5] = ["mistral", "devstral", "codestral", "pixtral", "mixtral"];

/// How long those are.
const SHORT: usize = 9;

/// What a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Any,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Nine letters or digits.
    Short,
}

/// The ids given so far. Which one a call gets depends only on the calls before it.
#[derive(Debug, Clone)]
pub(super) struct Names {
    form: Form,
    taken: HashSet<String>,
    /// The next number for an id that is taken. It never goes back, so that no number is tried twice.
    next: usize,
}

impl Names {
    pub(super) fn new(target: &Target) -> Self {
        Self { form: Form::of(target), taken: HashSet::new(), next: 1 }
    }

    /// Renames calls together with their results, which stand right behind them in the same order.
    pub(super) fn rename(&mut self, messages: &mut [Message]) {
        let mut renamed: Vec<String> = Vec::new();
        for message in messages {
            match message {
                Message::Assistant(parts) => {
                    renamed.clear();
                    for part in parts {
                        let AssistantPart::Call { id, .. } = part else { continue };
                        self.give(id);
                        renamed.push(id.clone());
                    }
                }
                Message::Tool(results) => {
                    for (result, id) in results.iter_mut().zip(&renamed) {
                        result.id.clone_from(id);
                    }
                }
                Message::User(_) | Message::Note(_) => {}
            }
        }
    }

    fn give(&mut self, id: &mut String) {
        if !self.form.fits(id) {
            *id = self.form.shape(id);
        }
        if self.taken.insert(id.clone()) {
            return;
        }
        let plain = std::mem::take(id);
        loop {
            let tried = self.form.numbered(&plain, self.next);
            self.next += 1;
            if self.taken.insert(tried.clone()) {
                *id = tried;
                return;
            }
        }
    }
}

impl Form {
    fn of(target: &Target) -> Self {
        let model = target.model.to_ascii_lowercase();
        let mistral = target.npm == "@ai-sdk/mistral" || target.provider == "mistral";
        if mistral || MISTRAL.iter().any(|name| model.contains(name)) {
            return Self::Short;
        }
        let claude = model.contains("claude") || target.wire_model.to_ascii_lowercase().contains("claude");
        if claude || super::family(target) == Some("anthropic") { Self::Word } else { Self::Any }
    }

    fn fits(self, id: &str) -> bool {
        match self {
            Self::Any => !id.is_empty(),
            Self::Word => !id.is_empty() && id.bytes().all(is_word),
            Self::Short => id.len() == SHORT && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }

    fn shape(self, id: &str) -> String {
        match self {
            Self::Any | Self::Word if id.is_empty() => "call".to_owned(),
            Self::Any => id.to_owned(),
            Self::Word => {
                id.chars().map(|c| if c.is_ascii() && is_word(c as u8) { c } else { '_' }).collect()
            }
            Self::Short => {
                let kept: String = id.chars().filter(char::is_ascii_alphanumeric).take(SHORT).collect();
                format!("{kept:0<SHORT$}")
            }
        }
    }

    fn numbered(self, plain: &str, number: usize) -> String {
        match self {
            Self::Any | Self::Word => format!("{plain}_{number}"),
            Self::Short => {
                let number = number.to_string();
                format!("{}{number}", &plain[..SHORT.saturating_sub(number.len())])
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(form: Form, ids: &[&str]) -> Vec<String> {
        let mut names = Names { form, taken: HashSet::new(), next: 1 };
        let give = |id: &&str| {
            let mut id = (*id).to_owned();
            names.give(&mut id);
            id
        };
        ids.iter().map(give).collect()
    }

    #[test]
    fn ids_take_the_form_of_the_server() {
        assert_eq!(given(Form::Any, &["functions.read:0", ""]), ["functions.read:0", "call"]);
        assert_eq!(given(Form::Word, &["functions.read:0", "é", ""]), ["functions_read_0", "_", "call"]);
        assert_eq!(
            given(Form::Short, &["call_8Zk3-quite", "a-1", "", "abcdefghi"]),
            ["call8Zk3q", "a10000000", "000000000", "abcdefghi"]
        );
    }

    #[test]
    fn ids_that_would_be_one_stay_apart() {
        assert_eq!(given(Form::Any, &["a", "a", "a_1", "a"]), ["a", "a_1", "a_1_2", "a_3"]);
        assert_eq!(given(Form::Word, &["a.b", "a:b", "a_b_1"]), ["a_b", "a_b_1", "a_b_1_2"]);
        assert_eq!(
            given(Form::Short, &["toolu_01AAAAAA", "toolu_01AABBBB", "toolu01A1"]),
            ["toolu01AA", "toolu01A1", "toolu01A2"]
        );
    }
}
