//! Fields of streamed JSON, read without copying and without failing over what does not matter.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text, borrowed where it has no escapes; null is the empty text.
///
/// `Option<Cow<str>>` would always be copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text, unless it is empty.
    pub(crate) fn filled(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or null")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Text::default())
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A number of tokens. What is negative counts as 0, what is no number is not told: an answer never fails over its bill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) Option<u64>);

impl Count {
    /// This one if it is told, else the other.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Count, E> {
                Ok(Count(Some(number)))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Count, E> {
                Ok(Count(Some(u64::try_from(number).unwrap_or(0))))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Count, E> {
                // The cast gives 0 for what is negative or no number, and the largest count for what is too large.
                Ok(Count(Some(number as u64)))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_unit<E>(self) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Count, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Count(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Count, A::Error> {
                while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Count(None))
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

/// The sum of what is told; not told if nothing is.
pub(crate) fn sum(counts: &[Count]) -> Option<u64> {
    counts.iter().filter_map(|count| count.0).reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_escapes_is_borrowed() {
        let plain: Text<'_> = serde_json::from_str("\"abc\"").unwrap();
        assert!(matches!(plain.0, Cow::Borrowed("abc")));
        assert_eq!(serde_json::from_str::<Text<'_>>(r#""a\n""#).unwrap().as_str(), "a\n");
        assert_eq!(serde_json::from_str::<Text<'_>>("null").unwrap(), Text::default());
        assert!(serde_json::from_str::<Text<'_>>("5").is_err());
    }

    #[test]
    fn a_count_is_never_a_reason_to_fail() {
        let cases = [
            ("12", Some(12)),
            ("12.9", Some(12)),
            ("-3", Some(0)),
            ("1e300", Some(u64::MAX)),
            ("null", None),
            ("\"many\"", None),
            ("[1, {}]", None),
            ("{\"a\": [1]}", None),
            ("true", None),
        ];
        for (json, count) in cases {
            assert_eq!(serde_json::from_str::<Count>(json).unwrap(), Count(count), "{json}");
        }
    }
}
