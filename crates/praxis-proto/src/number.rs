//! Numbers as JavaScript writes them: a count may arrive as `3.0`, as a huge value, or broken.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, de};

/// Largest count that JavaScript holds exactly.
const MOST: u64 = 9_007_199_254_740_991;

/// A count: broken, negative and infinite values are zero.
pub(crate) fn whole<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    input.deserialize_any(Count).map(Option::unwrap_or_default)
}

/// The same where there may be none.
pub(crate) fn maybe_whole<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    input.deserialize_any(Count)
}

/// Money: broken, negative and infinite values are zero, as a ledger cannot hold them.
pub(crate) fn money<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(input)?.filter(|amount| amount.is_finite() && *amount > 0.0).unwrap_or(0.0))
}

/// Takes a number as it comes: trying one type after the other would cost more than all the rest of a part.
struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.min(MOST)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(u64::try_from(value).unwrap_or(0).min(MOST)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        // The cast takes what is no number, or below zero, as zero.
        Ok(Some((value.round() as u64).min(MOST)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(self)
    }
}
