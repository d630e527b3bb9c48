//! Numbers as JavaScript writes them: a count may arrive as `3.0`, as a huge value, or broken.

use serde::{Deserialize, Deserializer};

/// Largest count that JavaScript holds exactly.
const MOST: f64 = 9_007_199_254_740_991.0;

/// A count: broken, negative and infinite values are zero.
pub(crate) fn whole<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    Number::deserialize(input).map(Number::count)
}

/// The same where there may be none.
pub(crate) fn maybe_whole<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<Number>::deserialize(input)?.map(Number::count))
}

/// Money: broken, negative and infinite values are zero, as a ledger cannot hold them.
pub(crate) fn money<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(input)?.filter(|amount| amount.is_finite() && *amount > 0.0).unwrap_or(0.0))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Count(u64),
    Broken(Option<f64>),
}

impl Number {
    fn count(self) -> u64 {
        match self {
            Self::Count(count) => count.min(MOST as u64),
            Self::Broken(Some(value)) if value.is_finite() && value > 0.0 => value.min(MOST).round() as u64,
            Self::Broken(_) => 0,
        }
    }
}
