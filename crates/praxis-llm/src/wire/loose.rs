//! Reading fields whose type differs from server to server: a wrong type is as good as an absent field.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor, value};
use serde_json::Value;

/// A text field, borrowed where it has no escapes. A number is its digits; anything else is none.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.as_str().is_empty()
    }

    /// The text, if it is there and not empty.
    pub(crate) fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

/// A count of tokens. Negative, infinite and unreadable values are none.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Count(pub(crate) Option<u64>);

impl Count {
    /// This one if it is told, else the other.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}

/// The sum of what is told; not told if nothing is.
pub(crate) fn sum(counts: &[Count]) -> Option<u64> {
    counts.iter().filter_map(|count| count.0).reduce(u64::saturating_add)
}

/// Text that holds JSON, or the JSON itself where a server forgot to put it into a string.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Json<'a>(pub(crate) Option<Cow<'a, str>>);

/// A list without the entries that are no objects; a wrong type is the empty list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// An object, or none if something else is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Answers for the types that a visitor does not want.
macro_rules! pass_over {
    ($value:expr; $($kind:ident)*) => { $(pass_over!(@one $kind $value);)* };
    (@one unit $value:expr) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($value) } };
    (@one bool $value:expr) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($value) } };
    (@one number $value:expr) => {
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($value) }
    };
    (@one text $value:expr) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($value) } };
    (@one seq $value:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
    (@one map $value:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
}
pub(crate) use pass_over;

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(number.to_string()))))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(number.to_string()))))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Text(None))
            }

            pass_over!(Text(None); unit bool seq map);
        }
        from.deserialize_any(Reading)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a count")
            }

            fn visit_u64<E>(self, count: u64) -> Result<Count, E> {
                Ok(Count(Some(count)))
            }

            fn visit_i64<E>(self, count: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(count).ok()))
            }

            fn visit_f64<E>(self, count: f64) -> Result<Count, E> {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "in range, checked here"
                )]
                let whole = (0.0..9e15).contains(&count).then(|| count.round() as u64);
                Ok(Count(whole))
            }

            pass_over!(Count(None); unit bool text seq map);
        }
        from.deserialize_any(Reading)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Json<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON, as text or as it is")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Json(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Json(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                let value = Value::deserialize(value::MapAccessDeserializer::new(map))?;
                Ok(Json(Some(Cow::Owned(value.to_string()))))
            }

            pass_over!(Json(None); unit bool number seq);
        }
        from.deserialize_any(Reading)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = List<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(Object(entry)) = seq.next_element::<Object<T>>()? {
                    entries.extend(entry);
                }
                Ok(List(entries))
            }

            pass_over!(List(Vec::new()); unit bool number text map);
        }
        from.deserialize_any(Reading(std::marker::PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(value::MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
            }

            pass_over!(Object(None); unit bool number text seq);
        }
        from.deserialize_any(Reading(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Thing<'a> {
        #[serde(borrow)]
        text: Text<'a>,
        count: Count,
        #[serde(borrow)]
        json: Json<'a>,
        list: List<Inner>,
        object: Object<Inner>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Inner {
        count: Count,
    }

    #[test]
    fn fields_of_the_right_type_are_read() {
        let text = r#"{"text":"a","count":3,"json":"{\"a\"","list":[{"count":1},7,{}],"object":{"count":2}}"#;
        let expected = Thing {
            text: Text(Some("a".into())),
            count: Count(Some(3)),
            json: Json(Some("{\"a\"".into())),
            list: List(vec![Inner { count: Count(Some(1)) }, Inner::default()]),
            object: Object(Some(Inner { count: Count(Some(2)) })),
        };
        assert_eq!(serde_json::from_str::<Thing<'_>>(text).unwrap(), expected);
    }

    #[test]
    fn plain_text_is_not_copied() {
        let thing: Thing<'_> = serde_json::from_str(r#"{"text":"plain"}"#).unwrap();
        assert!(matches!(thing.text.0, Some(Cow::Borrowed("plain"))));
    }

    #[test]
    fn fields_of_a_wrong_type_are_absent() {
        for odd in ["null", "true", "-1.5", "[1,{}]", "1e300"] {
            let text = format!(
                r#"{{"text":{odd},"count":{odd},"json":{odd},"list":{{"a":1}},"object":{odd},"more":{odd}}}"#
            );
            assert_eq!(serde_json::from_str::<Thing<'_>>(&text).unwrap(), Thing::default(), "{odd}");
        }
    }

    #[test]
    fn json_that_is_not_in_a_string_is_taken_as_it_is() {
        let thing: Thing<'_> = serde_json::from_str(r#"{"json": {"a": [1, "x"]}, "text": 429}"#).unwrap();
        assert_eq!(thing.json.0.as_deref(), Some(r#"{"a":[1,"x"]}"#));
        assert_eq!(thing.text.filled(), Some("429"));
    }
}
