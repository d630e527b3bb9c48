//! Laying one layer over another.

use indexmap::IndexMap;

use crate::node::{Node, Value};

/// Lays `over` on `base`: objects are merged key by key, everything else is replaced.
///
/// A key that `base` has keeps its place, a new one is appended; the order of rules depends on that.
/// `instructions`, `plugin` and the paths of `sandbox` are lists that every layer adds to.
pub(crate) fn merge(base: &mut Node, over: Node) {
    lay(base, over, Slot::Root);
}

/// Which part of the configuration a node is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    Root,
    Agents,
    Agent,
    Permission,
    PermissionRules,
    Instructions,
    Plugins,
    Sandbox,
    SandboxPaths,
    Plain,
}

impl Slot {
    fn of_child(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "agent" | "mode") => Self::Agents,
            (Self::Agents, _) => Self::Agent,
            (Self::Root | Self::Agent, "permission") => Self::Permission,
            (Self::Permission, _) => Self::PermissionRules,
            (Self::Root, "instructions") => Self::Instructions,
            (Self::Root, "plugin") => Self::Plugins,
            (Self::Root, "sandbox") => Self::Sandbox,
            (Self::Sandbox, "writable" | "readable" | "unreadable") => Self::SandboxPaths,
            (_, _) => Self::Plain,
        }
    }
}

fn lay(base: &mut Node, over: Node, slot: Slot) {
    // A later map of patterns adds to an earlier plain action: `"bash": {"git *": "allow"}` over
    // `"bash": "ask"` must not open every other command. A later plain action still replaces everything.
    if slot == Slot::PermissionRules && base.as_str().is_some() && over.as_object().is_some() {
        let plain = std::mem::replace(base, Node::object(over.origin.clone()));
        *base = Node { key: plain.key.clone(), ..plain.under("*") };
    }
    match (&mut base.value, over.value) {
        (Value::Object(members), Value::Object(more)) => {
            for (key, node) in more {
                match members.get_mut(&key) {
                    Some(existing) => lay(existing, node, slot.of_child(&key)),
                    None => {
                        members.insert(key, node);
                    }
                }
            }
        }
        (Value::Array(items), Value::Array(more))
            if matches!(slot, Slot::Instructions | Slot::SandboxPaths) =>
        {
            append(items, more, |node| node.to_json().to_string(), Keep::First);
        }
        (Value::Array(items), Value::Array(more)) if slot == Slot::Plugins => {
            append(items, more, plugin_name, Keep::Last);
        }
        (value, new) => *value = new,
    }
    base.origin = over.origin;
    base.filled = over.filled;
    base.key = over.key.or(base.key.take());
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Keep {
    First,
    Last,
}

/// Appends what the list does not hold yet.
pub(crate) fn append_new(items: &mut Vec<Node>, more: Vec<Node>) {
    append(items, more, |node| node.to_json().to_string(), Keep::First);
}

fn append(items: &mut Vec<Node>, more: Vec<Node>, name: fn(&Node) -> String, keep: Keep) {
    let mut by_name = IndexMap::new();
    for node in std::mem::take(items).into_iter().chain(more) {
        let name = name(&node);
        if keep == Keep::Last {
            by_name.shift_remove(&name);
        }
        by_name.entry(name).or_insert(node);
    }
    items.extend(by_name.into_values());
}

/// The package without its version, or the path: what makes two entries the same plugin.
fn plugin_name(node: &Node) -> String {
    let spec = match &node.value {
        Value::Array(items) => items.first().and_then(Node::as_str),
        _ => node.as_str(),
    };
    let Some(spec) = spec else { return node.to_json().to_string() };
    if spec.contains("://") || spec.starts_with(['/', '.', '~']) {
        return spec.to_owned();
    }
    // The first character may be the `@` of a scope.
    match spec.char_indices().skip(1).find(|(_, c)| *c == '@') {
        Some((at, _)) => spec[..at].to_owned(),
        None => spec.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use praxis_proto::Origin;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    fn merged(layers: &[Json]) -> Json {
        let mut base = Node::object(Origin::Session);
        for layer in layers {
            merge(&mut base, Node::from_json(layer, &Origin::BuiltIn("layer")));
        }
        base.to_json()
    }

    fn text(json: &Json) -> String {
        json.to_string()
    }

    #[test]
    fn keys_keep_their_place_and_new_ones_come_last() {
        let result =
            merged(&[json!({"a": 1, "b": {"x": 1, "y": 2}}), json!({"c": 0, "b": {"z": 3, "x": 9}})]);
        assert_eq!(text(&result), r#"{"a":1,"b":{"x":9,"y":2,"z":3},"c":0}"#);
    }

    #[test]
    fn lists_are_replaced_but_instructions_and_plugins_grow() {
        let result = merged(&[
            json!({"instructions": ["a", "b"], "plugin": ["p@1", "@s/q@1", "./x.ts"], "watcher": {"ignore": ["a"]}}),
            json!({"instructions": ["b", "c"], "plugin": [["p@2", {"k": 1}], "@s/q"], "watcher": {"ignore": ["b"]}}),
        ]);
        assert_eq!(
            result,
            json!({
                "instructions": ["a", "b", "c"],
                "plugin": ["./x.ts", ["p@2", {"k": 1}], "@s/q"],
                "watcher": {"ignore": ["b"]},
            })
        );
    }

    #[test]
    fn patterns_add_to_an_earlier_plain_action_and_a_plain_action_replaces_patterns() {
        let ask = json!({"permission": {"bash": "ask", "edit": "deny"}});
        let git = json!({"permission": {"bash": {"git *": "allow"}}});
        let deny = json!({"permission": {"bash": "deny"}});
        assert_eq!(
            text(&merged(&[ask.clone(), git.clone()])),
            r#"{"permission":{"bash":{"*":"ask","git *":"allow"},"edit":"deny"}}"#
        );
        assert_eq!(text(&merged(&[ask, git, deny])), r#"{"permission":{"bash":"deny","edit":"deny"}}"#);
    }

    fn tree() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (0..9).prop_map(Json::from),
            "[a-c*]{0,2}".prop_map(Json::from)
        ];
        let key = "permission|agent|bash|plugin|instructions|[a-c]";
        let value = leaf.prop_recursive(4, 40, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::vec((key, inner), 0..4)
                    .prop_map(|pairs| Json::Object(pairs.into_iter().collect()))
            ]
        });
        prop::collection::vec((key, value), 0..5).prop_map(|pairs| Json::Object(pairs.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn nothing_over_a_tree_and_a_tree_over_nothing_is_the_tree(tree in tree()) {
            prop_assert_eq!(text(&merged(&[tree.clone(), json!({})])), text(&tree));
            prop_assert_eq!(text(&merged(std::slice::from_ref(&tree))), text(&tree));
        }

        #[test]
        fn the_left_order_stands_and_the_last_scalar_wins(left in tree(), right in tree()) {
            let result = merged(&[left.clone(), right.clone()]);
            let (left, right, result) = (left.as_object().unwrap(), right.as_object().unwrap(), result.as_object().unwrap().clone());
            let kept: Vec<_> = result.keys().take(left.len()).cloned().collect();
            prop_assert_eq!(kept, left.keys().cloned().collect::<Vec<_>>());
            for (key, value) in right {
                if !value.is_object() && !value.is_array() {
                    prop_assert_eq!(&result[key], value);
                }
            }
        }

        #[test]
        fn a_layer_laid_again_changes_nothing_more(left in tree(), right in tree()) {
            // The first time may still take doubles out of a list that the layer itself holds.
            let twice = merged(&[left.clone(), right.clone(), right.clone()]);
            prop_assert_eq!(merged(&[left, right.clone(), right.clone(), right]), twice);
        }
    }
}
