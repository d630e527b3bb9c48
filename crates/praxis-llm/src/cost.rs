//! What an answer cost: tokens split so that nothing counts twice, prices and sums without rounding.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Usage;

/// Parts of a dollar that are counted: 10⁻¹² dollars, a price of one dollar for a million tokens being a million of
/// them for each token.
const PARTS_PER_DOLLAR: f64 = 1e12;
/// Parts for a token, at one dollar for a million tokens.
const PARTS_PER_PRICE: f64 = 1e6;
/// Above this many tokens of input the old kind of price row holds.
const LONG_CONTEXT: u64 = 200_000;
/// Copilot bills in units of 10⁻¹¹ dollars.
const PARTS_PER_NANO_AIU: u128 = 10;

/// An amount of dollars, exact to 10⁻¹².
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(u128);

impl Money {
    /// What Copilot says it billed, in its own unit.
    pub fn from_nano_aiu(units: u64) -> Self {
        Self(u128::from(units) * PARTS_PER_NANO_AIU)
    }

    /// In dollars, for JSON and for people.
    pub fn dollars(self) -> f64 {
        // Below 9,000 dollars every part is exact.
        self.0 as f64 / PARTS_PER_DOLLAR
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.dollars())
    }
}

/// Dollars for a million tokens, exact to six places behind the point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(u64);

impl Price {
    /// From dollars for a million tokens; what is no price (negative, endless) is free.
    pub fn per_million(dollars: f64) -> Self {
        // The conversion saturates, and what is not a number becomes nothing.
        Self((dollars * PARTS_PER_PRICE).round() as u64)
    }

    /// Dollars for a million tokens.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PARTS_PER_PRICE
    }

    /// What that many tokens cost.
    pub fn of(self, tokens: u64) -> Money {
        Money(u128::from(self.0) * u128::from(tokens))
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let dollars = self.dollars();
        if dollars.fract() == 0.0 && dollars < 1e9 {
            return serializer.serialize_u64(dollars as u64);
        }
        serializer.serialize_f64(dollars)
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::per_million)
    }
}

/// The prices of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prices {
    /// Input.
    pub input: Price,
    /// Output, reasoning included.
    pub output: Price,
    /// Input read from the cache.
    #[serde(alias = "cached_input", alias = "cache_input", skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Price>,
    /// Input written to the cache.
    #[serde(alias = "cached_write", skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Price>,
}

impl Prices {
    fn of(&self, tokens: &Tokens) -> Money {
        [
            self.input.of(tokens.input),
            self.output.of(tokens.output),
            self.output.of(tokens.reasoning),
            self.cache_read.unwrap_or_default().of(tokens.cache.read),
            self.cache_write.unwrap_or_default().of(tokens.cache.write),
        ]
        .into_iter()
        .sum()
    }
}

/// All price rows of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// The row for ordinary requests.
    #[serde(flatten)]
    pub base: Prices,
    /// Rows for longer input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierRow>,
    /// The row above 200,000 tokens of input, where there are no tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_over_200k: Option<Prices>,
}

/// A price row for longer input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierRow {
    /// When it holds.
    pub tier: Tier,
    /// Its prices.
    #[serde(flatten)]
    pub prices: Prices,
}

/// When a price row holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// What is measured; only `context` is known, and it is meant where nothing is said.
    #[serde(rename = "type", default = "context", skip_serializing_if = "is_context")]
    pub kind: String,
    /// Above how many tokens.
    pub size: u64,
}

fn context() -> String {
    "context".to_owned()
}

fn is_context(kind: &str) -> bool {
    kind == "context"
}

impl Cost {
    /// What an answer cost.
    pub fn of(&self, tokens: &Tokens) -> Money {
        self.row(tokens.all_input()).of(tokens)
    }

    /// The row that holds for that much input, the cache included.
    pub fn row(&self, input: u64) -> &Prices {
        let tier = self
            .tiers
            .iter()
            .filter(|row| is_context(&row.tier.kind) && row.tier.size < input)
            .max_by_key(|row| row.tier.size);
        match (tier, &self.context_over_200k) {
            (Some(row), _) => &row.prices,
            (None, Some(long)) if input > LONG_CONTEXT => long,
            _ => &self.base,
        }
    }
}

/// The tokens of an answer as they are stored: no token counts twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The provider's total, where it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Input that was neither read from the cache nor written to it.
    pub input: u64,
    /// Output without reasoning.
    pub output: u64,
    /// Reasoning.
    pub reasoning: u64,
    /// Input and the cache.
    pub cache: CacheTokens,
}

/// Input and the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTokens {
    /// Read from it.
    pub read: u64,
    /// Written to it.
    pub write: u64,
}

impl Tokens {
    /// All input, the cache included.
    pub fn all_input(&self) -> u64 {
        self.input.saturating_add(self.cache.read).saturating_add(self.cache.write)
    }
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Self {
        let [read, write, reasoning] =
            [usage.cached_input_tokens, usage.cache_write_tokens, usage.reasoning_tokens]
                .map(Option::unwrap_or_default);
        Self {
            total: usage.total_tokens,
            input: usage.input_tokens.unwrap_or_default().saturating_sub(read).saturating_sub(write),
            output: usage.output_tokens.unwrap_or_default().saturating_sub(reasoning),
            reasoning,
            cache: CacheTokens { read, write },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn cost(json: serde_json::Value) -> Cost {
        serde_json::from_value(json).unwrap()
    }

    fn usage(input: u64, output: u64, reasoning: u64, read: u64, write: u64) -> Usage {
        Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            total_tokens: None,
            reasoning_tokens: Some(reasoning),
            cached_input_tokens: Some(read),
            cache_write_tokens: Some(write),
        }
    }

    #[test]
    fn inclusive_totals_become_parts_that_do_not_overlap() {
        assert_eq!(
            Tokens::from(&usage(100, 50, 20, 30, 10)),
            Tokens {
                total: None,
                input: 60,
                output: 30,
                reasoning: 20,
                cache: CacheTokens { read: 30, write: 10 }
            }
        );
        // A provider that contradicts itself does not make tokens negative.
        assert_eq!(Tokens::from(&usage(5, 1, 9, 30, 10)).input, 0);
        assert_eq!(Tokens::from(&Usage::default()), Tokens::default());
    }

    #[test]
    fn a_sum_is_exact_where_floating_point_is_not() {
        let cost = cost(
            json!({"input": 0.1, "output": 0.2, "cache_read": 0.049999999999999996, "cache_write": 3.75}),
        );
        let tokens = Tokens::from(&usage(1_000_003, 7, 3, 2, 1));
        // 1,000,000 × 0.1 + (4 + 3) × 0.2 + 2 × 0.05 + 1 × 3.75, each for a million.
        assert_eq!(cost.of(&tokens), Money(100_000_000_000 + 1_400_000 + 100_000 + 3_750_000));
        let day: Money = std::iter::repeat_n(Price::per_million(0.1).of(1), 10_000_000).sum();
        assert_eq!(day.dollars(), 1.0);
    }

    #[test]
    fn the_row_depends_on_all_input() {
        let tiers = cost(json!({
            "input": 1, "output": 1,
            "tiers": [
                {"input": 3, "output": 3, "tier": {"type": "context", "size": 500_000}},
                {"input": 2, "output": 2, "tier": {"size": 128_000}},
                {"input": 9, "output": 9, "tier": {"type": "moon", "size": 1}},
            ],
            "context_over_200k": {"input": 8, "output": 8},
        }));
        let price = |input| tiers.row(input).input.dollars();
        assert_eq!(
            [0, 128_000, 128_001, 200_001, 500_000, 500_001].map(price),
            [1.0, 1.0, 2.0, 2.0, 2.0, 3.0]
        );
        let old = cost(json!({"input": 1, "output": 1, "context_over_200k": {"input": 8, "output": 8}}));
        assert_eq!([200_000, 200_001].map(|input| old.row(input).input.dollars()), [1.0, 8.0]);
        // The cache counts as input.
        let tokens = Tokens::from(&usage(200_001, 0, 0, 200_000, 0));
        assert_eq!(old.of(&tokens), Price::per_million(8.0).of(1));
    }

    #[test]
    fn what_is_no_price_is_free_and_copilot_bills_itself() {
        for odd in [f64::NAN, f64::NEG_INFINITY, -1.0] {
            assert_eq!(Price::per_million(odd), Price::default());
        }
        assert_eq!(Money::from_nano_aiu(100_000_000_000).dollars(), 1.0);
        assert_eq!(Money::from_nano_aiu(1).to_string(), "$0.00000000001");
    }

    #[test]
    fn a_cost_survives_being_written() {
        let written = json!({"input": 3, "output": 15, "cache_read": 0.3, "tiers": [{"tier": {"size": 5}, "input": 1.5, "output": 2}]});
        assert_eq!(serde_json::to_value(cost(written.clone())).unwrap(), written);
    }

    proptest! {
        #[test]
        fn no_token_counts_twice(input: u32, output: u32, reasoning: u32, read: u32, write: u32) {
            let tokens = Tokens::from(&usage(input.into(), output.into(), reasoning.into(), read.into(), write.into()));
            prop_assert_eq!(tokens.all_input(), u64::from(input).max(u64::from(read) + u64::from(write)));
            prop_assert_eq!(tokens.output + tokens.reasoning, u64::from(output).max(reasoning.into()));
        }

        #[test]
        fn a_price_of_six_places_is_kept_exactly(parts in 0u64..9_000_000_000_000) {
            let text = format!("{}.{:06}", parts / 1_000_000, parts % 1_000_000);
            let price: Price = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(price, Price(parts));
            let again: Price = serde_json::from_str(&serde_json::to_string(&price).unwrap()).unwrap();
            prop_assert_eq!(again, price);
        }

        #[test]
        fn cost_adds_up_and_never_overflows(a: u64, b: u64, price: u64) {
            let (a, b) = (a / 2, b / 2);
            prop_assert_eq!(Price(price).of(a) + Price(price).of(b), Price(price).of(a + b));
            let tokens = Tokens { input: u64::MAX, output: u64::MAX, reasoning: u64::MAX, ..Tokens::default() };
            let prices = Prices { input: Price(price), output: Price(u64::MAX), ..Prices::default() };
            let cost = Cost { base: prices, ..Cost::default() };
            prop_assert!(cost.of(&tokens) >= Price(u64::MAX).of(u64::MAX));
        }
    }
}
