//! Options of a request: what a provider and a model want by default, degrees of thinking, and how the layers of
//! configuration lie on each other. Pure functions over tables; the spelling is that of OpenCode's configuration.

mod base;
mod sampling;
mod sdk;
mod spelling;
mod variants;
mod versions;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::catalogue::ReasoningOption;

pub use base::{CacheKey, base, small};
pub use sampling::{OUTPUT_CAP, max_output_tokens, sampling};
pub use sdk::Sdk;
pub use variants::variants;

/// Named sets of options, such as degrees of thinking; the weakest first.
pub type Variants = IndexMap<String, Map<String, Value>>;

/// Whom options are for.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The provider's id.
    pub provider: &'a str,
    /// The package that OpenCode would use.
    pub npm: &'a str,
    /// The model's id on the wire.
    pub model: &'a str,
    /// Whether it thinks.
    pub reasoning: bool,
    /// When it came out.
    pub release_date: &'a str,
    /// The most it can answer; 0 is not known.
    pub output_limit: u64,
    /// How its thinking can be tuned, where the catalogue says so.
    pub reasoning_options: Option<&'a [ReasoningOption]>,
    /// Azure alone: an address for each model instead of one for all.
    pub completion_urls: bool,
}

impl Subject<'_> {
    /// Whose dialect its options are written in.
    pub fn sdk(&self) -> Sdk {
        Sdk::of(self.npm, self.provider)
    }

    /// Whether the model's id has any of these in it, in any case.
    fn is_any(&self, parts: &[&str]) -> bool {
        let id = self.model.to_ascii_lowercase();
        parts.iter().any(|part| id.contains(part))
    }
}

/// Lays options on each other: the later wins, objects merge, lists are replaced.
pub fn layer<'a>(layers: impl IntoIterator<Item = &'a Map<String, Value>>) -> Map<String, Value> {
    let mut merged = Map::new();
    for upper in layers {
        merge(&mut merged, upper);
    }
    merged
}

fn merge(lower: &mut Map<String, Value>, upper: &Map<String, Value>) {
    for (name, value) in upper {
        match (lower.get_mut(name), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            _ => drop(lower.insert(name.clone(), value.clone())),
        }
    }
}

/// An object literal as the map it is.
fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn later_layers_win_objects_merge_and_lists_are_replaced() {
        let layers = [
            map(json!({"a": 1, "deep": {"x": 1, "y": {"z": 1}}, "list": [1, 2]})),
            map(json!({"b": 2, "deep": {"y": {"w": 2}}, "list": [3]})),
            map(json!({"a": {"now": "an object"}, "deep": {"x": null}})),
        ];
        assert_eq!(
            Value::Object(layer(&layers)),
            json!({"a": {"now": "an object"}, "deep": {"x": null, "y": {"z": 1, "w": 2}}, "list": [3], "b": 2})
        );
    }

    fn any_map() -> impl Strategy<Value = Map<String, Value>> {
        let leaf = prop_oneof![any::<bool>().prop_map(Value::Bool), any::<u8>().prop_map(Value::from)];
        let any = leaf.prop_recursive(3, 16, 3, |inner| {
            proptest::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect()))
        });
        proptest::collection::btree_map("[abc]", any, 0..4).prop_map(|fields| fields.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_layer_on_itself_changes_nothing_and_layers_can_be_laid_in_steps(a in any_map(), b in any_map(), c in any_map()) {
            prop_assert_eq!(layer([&a, &a]), a.clone());
            prop_assert_eq!(layer([&layer([&a, &b]), &c]), layer([&a, &b, &c]));
        }
    }
}
