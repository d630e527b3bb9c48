//! Call ids in the form that a server takes.

use std::collections::{HashMap, HashSet};

/// What a server wants of a call id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// At most so many bytes.
    UpTo(usize),
    /// Letters, digits, `_` and `-`.
    Word,
    /// Nine letters or digits.
    Nine,
}

/// Maps the ids of one conversation. Two ids never become one, and an id becomes the same at each place.
///
/// What an id becomes depends only on the ids before it, so the beginning of a growing conversation stays as it is and
/// can be cached.
#[derive(Debug, Clone)]
pub(crate) struct CallIds {
    form: Form,
    /// What each id became; none if it stayed as it was.
    mapped: HashMap<String, Option<String>>,
    /// What ids became that did not stay.
    changed: HashSet<String>,
}

impl CallIds {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, mapped: HashMap::new(), changed: HashSet::new() }
    }

    /// The id to send.
    pub(crate) fn map(&mut self, id: &str) -> String {
        if let Some(mapped) = self.mapped.get(id) {
            return mapped.as_deref().unwrap_or(id).to_owned();
        }
        let plain = self.form.shape(id);
        let mut mapped = plain.clone();
        let mut number = self.mapped.len();
        while self.is_taken(&mapped) {
            mapped = self.form.numbered(&plain, number);
            number += 1;
        }
        let stays = mapped == id;
        if !stays {
            self.changed.insert(mapped.clone());
        }
        self.mapped.insert(id.to_owned(), (!stays).then(|| mapped.clone()));
        mapped
    }

    fn is_taken(&self, id: &str) -> bool {
        self.changed.contains(id) || matches!(self.mapped.get(id), Some(None))
    }
}

impl Form {
    fn shape(self, id: &str) -> String {
        match self {
            Self::UpTo(cap) => id[..id.floor_char_boundary(cap)].to_owned(),
            Self::Word if id.is_empty() => "call".to_owned(),
            Self::Word => id.chars().map(|c| if is_word(c) { c } else { '_' }).collect(),
            Self::Nine => {
                let kept: String = id.chars().filter(char::is_ascii_alphanumeric).take(9).collect();
                format!("{kept:0<9}")
            }
        }
    }

    /// The same for an id that would be taken, with a number at its end.
    fn numbered(self, plain: &str, number: usize) -> String {
        let number = number.to_string();
        match self {
            Self::UpTo(cap) => {
                let kept = plain.floor_char_boundary(cap.saturating_sub(number.len()).min(plain.len()));
                format!("{}{number}", &plain[..kept])
            }
            Self::Word => format!("{plain}_{number}"),
            Self::Nine => format!("{}{number}", &plain[..9usize.saturating_sub(number.len())]),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_take_the_form_of_the_server() {
        let map = |form, id| CallIds::new(form).map(id);
        assert_eq!(map(Form::Nine, "call_8Zk3-q"), "call8Zk3q");
        assert_eq!(map(Form::Nine, "a-1"), "a10000000");
        assert_eq!(map(Form::Word, "functions.read:0"), "functions_read_0");
        assert_eq!(map(Form::UpTo(5), "call_long"), "call_");
        assert_eq!(map(Form::UpTo(40), "call_short"), "call_short");
    }

    #[test]
    fn ids_that_would_be_one_stay_two() {
        let mut ids = CallIds::new(Form::Nine);
        let sent = ["toolu_01AAAAAA", "toolu_01AABBBB", "toolu_01AAAAAA", "toolu01AA"].map(|id| ids.map(id));
        assert_eq!(sent, ["toolu01AA", "toolu01A1", "toolu01AA", "toolu01A2"]);
    }

    proptest! {
        #[test]
        fn the_mapping_is_one_to_one_and_in_form(given in prop::collection::vec("[ab_.é]{0,12}", 1..60)) {
            for form in [Form::UpTo(4), Form::Word, Form::Nine] {
                let mut ids = CallIds::new(form);
                let sent: Vec<String> = given.iter().map(|id| ids.map(id)).collect();
                for (i, one) in given.iter().enumerate() {
                    for (j, other) in given.iter().enumerate() {
                        prop_assert_eq!(one == other, sent[i] == sent[j]);
                    }
                    let fits = match form {
                        Form::UpTo(cap) => sent[i].len() <= cap,
                        Form::Word => !sent[i].is_empty() && sent[i].chars().all(is_word),
                        Form::Nine => sent[i].len() == 9 && sent[i].chars().all(|c| c.is_ascii_alphanumeric()),
                    };
                    prop_assert!(fits, "{:?} {}", form, sent[i]);
                }
            }
        }
    }
}
