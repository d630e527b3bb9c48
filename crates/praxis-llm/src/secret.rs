//! Keys and tokens: never shown, never half broken.

use std::fmt;
use std::sync::Arc;

/// What is shown instead of a secret.
const HIDDEN: &str = "[hidden]";

/// A key or a token. `Debug` and `Display` show that there is one, never which.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// Why a text cannot be a key. Says where it is wrong, never what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// There is nothing in it.
    #[error("is empty; paste the key again")]
    Empty,
    /// It goes on behind a line break, so more than a key was pasted.
    #[error("has a line break after {0} characters; paste the key alone")]
    LineBreak(usize),
    /// A header cannot hold it.
    #[error("has a character that no key has, after {0} others; copy the key again")]
    Character(usize),
}

impl Secret {
    /// Takes a key as people paste it: space around it is dropped, anything inside that cannot be sent is refused.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let key = text.trim();
        if key.is_empty() {
            return Err(SecretError::Empty);
        }
        // A header takes visible ASCII and spaces; what else there is came with the paste.
        match key.chars().enumerate().find(|(_, c)| !matches!(c, ' '..='~')) {
            None => Ok(Self(key.into())),
            Some((at, '\n' | '\r')) => Err(SecretError::LineBreak(at)),
            Some((at, _)) => Err(SecretError::Character(at)),
        }
    }

    /// The key itself, for a header or the auth file.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Headers of a request, keys among them: `Debug` shows names alone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Secret)>);

impl Headers {
    /// Sets a header; an earlier one of that name, in any case, goes.
    pub fn set(&mut self, name: &str, value: Secret) {
        self.0.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.0.push((name.to_ascii_lowercase(), value));
    }

    /// The value of a header.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All of them, names in lower case.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Secret)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trimmed_and_never_shown() {
        let key = Secret::new(" \tsk-123 \r\n").unwrap();
        assert_eq!(key.expose(), "sk-123");
        assert_eq!(format!("{key} {key:?} {:?}", Some(&key)), "[hidden] [hidden] Some([hidden])");
    }

    #[test]
    fn what_a_header_cannot_hold_is_refused_without_being_repeated() {
        for (text, expected) in [
            ("", SecretError::Empty),
            (" \n", SecretError::Empty),
            ("sk-1\nsk-2", SecretError::LineBreak(4)),
            ("sk-1\r\nx", SecretError::LineBreak(4)),
            ("sk\0", SecretError::Character(2)),
            ("sk-\u{2013}1", SecretError::Character(3)),
            ("sk\u{200b}", SecretError::Character(2)),
        ] {
            let error = Secret::new(text).unwrap_err();
            assert_eq!(error, expected, "{text:?}");
            assert!(!error.to_string().contains("sk"), "{error}");
        }
    }

    #[test]
    fn a_header_is_there_once_whatever_its_case() {
        let mut headers = Headers::default();
        headers.set("Authorization", Secret::new("one").unwrap());
        headers.set("authorization", Secret::new("two").unwrap());
        assert_eq!(headers.iter().count(), 1);
        assert_eq!(headers.get("AUTHORIZATION").map(Secret::expose), Some("two"));
        assert_eq!(format!("{headers:?}"), r#"{"authorization": [hidden]}"#);
    }
}
