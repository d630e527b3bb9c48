//! Which of two sandbox settings is the stricter, key by key.
//!
//! A project that nobody trusts may only tighten, and what managed configuration says can only be tightened: both are
//! [`tighten`], with the layers in another order.

use std::cmp::Ordering;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;

use crate::config::{Sandbox, SandboxMode, SandboxNetwork};
use crate::merge::append_new;
use crate::node::{Node, Value};

/// The key whose members are limits, where less is stricter and nothing is no limit.
const LIMITS: &str = "limits";
/// The key whose paths are closed, so that more of them is stricter.
const UNREADABLE: &str = "unreadable";

/// The settings of `base` with everything of `by` that is stricter. Both are objects as layers hold them.
pub(crate) fn tighten(base: Option<Node>, by: &Node) -> Option<Node> {
    let Some(members) = by.as_object() else { return base };
    let mut result = base.unwrap_or_else(|| Node::object(by.origin.clone()));
    let in_force = settings(&result);
    let Some(fields) = result.as_object_mut() else { return Some(result) };
    for (key, node) in members {
        if key == UNREADABLE {
            close(fields, key, node);
        } else if key == LIMITS {
            let limits = fields.entry(LIMITS.into()).or_insert_with(|| Node::object(node.origin.clone()));
            for (name, limit) in node.as_object().into_iter().flatten() {
                if compare_limit(name, limit, &in_force) == Some(Ordering::Greater)
                    && let Some(fields) = limits.as_object_mut()
                {
                    fields.insert(name.clone(), limit.clone());
                }
            }
        } else {
            let known = fields.contains_key(key);
            match compare(key, node, &in_force) {
                Some(Ordering::Greater) => drop(fields.insert(key.clone(), node.clone())),
                // What is the default anyway is written down by whoever wants it so.
                Some(Ordering::Equal) if !known => drop(fields.insert(key.clone(), node.clone())),
                Some(Ordering::Equal | Ordering::Less) | None => {}
            }
        }
    }
    fields.retain(|key, node| key != LIMITS || node.as_object().is_some_and(|limits| !limits.is_empty()));
    (!fields.is_empty()).then_some(result)
}

/// Whether a value under `sandbox` would loosen what is in force without it. What nobody knows does.
pub(crate) fn loosens(key: &str, value: &Node, base: Option<&Node>) -> bool {
    let in_force = base.map(settings).unwrap_or_default();
    match key.split_once('.') {
        Some((LIMITS, name)) => compare_limit(name, value, &in_force).is_none_or(|order| order.is_lt()),
        _ if key == UNREADABLE => false,
        _ => compare(key, value, &in_force).is_none_or(|order| order.is_lt()),
    }
}

/// How a value compares to what is in force; `Greater` is stricter. None for a key that cannot be stricter.
fn compare(key: &str, value: &Node, in_force: &Sandbox) -> Option<Ordering> {
    Some(match key {
        "mode" => mode(read(value)?).cmp(&mode(in_force.mode())),
        "network" => network(read(value)?).cmp(&network(in_force.network())),
        "unix_sockets" => in_force.unix_sockets.unwrap_or(false).cmp(&read(value)?),
        "auto_allow" => in_force.auto_allow.unwrap_or(false).cmp(&read(value)?),
        _ => return None,
    })
}

fn compare_limit(name: &str, value: &Node, in_force: &Sandbox) -> Option<Ordering> {
    let limits = &in_force.limits;
    let known = match name {
        "cpu_seconds" => limits.cpu_seconds,
        "memory_mb" => limits.memory_mb,
        "file_size_mb" => limits.file_size_mb,
        "processes" => limits.processes,
        _ => return None,
    };
    Some(known.unwrap_or(u64::MAX).cmp(&read(value)?))
}

fn mode(mode: SandboxMode) -> u8 {
    match mode {
        SandboxMode::Off => 0,
        SandboxMode::Auto => 1,
        SandboxMode::Required => 2,
    }
}

fn network(network: SandboxNetwork) -> u8 {
    match network {
        SandboxNetwork::Allow => 0,
        SandboxNetwork::Loopback => 1,
        SandboxNetwork::Deny => 2,
    }
}

fn close(fields: &mut IndexMap<String, Node>, key: &str, more: &Node) {
    let Value::Array(more) = &more.value else { return };
    let known = fields.entry(key.to_owned()).or_insert_with(|| {
        let origin = more.first().map_or(praxis_proto::Origin::Session, |node| node.origin.clone());
        Node::new(Value::Array(Vec::new()), origin)
    });
    if let Value::Array(items) = &mut known.value {
        append_new(items, more.clone());
    }
}

fn settings(node: &Node) -> Sandbox {
    read(node).unwrap_or_default()
}

/// A value as what it should be; none where it is something else, which the checks have told already.
fn read<T: DeserializeOwned>(node: &Node) -> Option<T> {
    serde_json::from_value(node.to_json()).ok()
}

#[cfg(test)]
mod tests {
    use praxis_proto::Origin;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    fn node(json: &Json) -> Node {
        Node::from_json(json, &Origin::Session)
    }

    fn tightened(base: &Json, by: &Json) -> Json {
        tighten(Some(node(base)), &node(by)).map_or(json!({}), |node| node.to_json())
    }

    #[test]
    fn only_what_is_stricter_counts() {
        let base = json!({
            "mode": "auto", "network": "loopback", "writable": ["a"], "unreadable": ["x"], "unix_sockets": true,
            "auto_allow": true, "limits": { "memory_mb": 100, "processes": 5 },
        });
        let looser = json!({
            "mode": "off", "network": "allow", "writable": ["/"], "unreadable": [], "unix_sockets": true,
            "auto_allow": true, "limits": { "memory_mb": 200 }, "readable": ["/"], "caches": ["/"],
        });
        assert_eq!(tightened(&base, &looser), base);
        let stricter = json!({
            "mode": "required", "network": "deny", "unreadable": ["x", "y"], "unix_sockets": false,
            "auto_allow": false, "limits": { "memory_mb": 50, "cpu_seconds": 9 },
        });
        assert_eq!(
            tightened(&base, &stricter),
            json!({
                "mode": "required", "network": "deny", "writable": ["a"], "unreadable": ["x", "y"],
                "unix_sockets": false, "auto_allow": false,
                "limits": { "memory_mb": 50, "processes": 5, "cpu_seconds": 9 },
            })
        );
    }

    #[test]
    fn nothing_is_tightened_by_nothing() {
        assert_eq!(tighten(None, &node(&json!({ "mode": "off", "writable": ["/"] }))), None);
        assert_eq!(tightened(&json!({}), &json!({ "mode": "required" })), json!({ "mode": "required" }));
        assert_eq!(tightened(&json!({}), &json!({ "limits": {} })), json!({}));
    }

    #[test]
    fn loosening_is_judged_by_what_is_in_force() {
        let required = node(&json!({ "mode": "required", "limits": { "processes": 9 } }));
        let is_loose = |key: &str, value: Json, base: Option<&Node>| loosens(key, &node(&value), base);
        assert!(is_loose("mode", json!("off"), None) && !is_loose("mode", json!("auto"), None));
        assert!(is_loose("mode", json!("auto"), Some(&required)));
        assert!(is_loose("limits.processes", json!(10), Some(&required)));
        assert!(!is_loose("limits.processes", json!(10), None));
        assert!(is_loose("writable", json!(["x"]), None) && is_loose("readable", json!(["x"]), None));
        assert!(!is_loose("unreadable", json!(["x"]), None) && !is_loose("unix_sockets", json!(false), None));
    }

    fn any_settings() -> impl Strategy<Value = Json> {
        let word = |words: &'static [&'static str]| prop::sample::select(words).prop_map(Json::from);
        let field = prop_oneof![
            word(&["off", "auto", "required"]).prop_map(|v| ("mode", v)),
            word(&["allow", "deny", "loopback"]).prop_map(|v| ("network", v)),
            any::<bool>().prop_map(|v| ("unix_sockets", v.into())),
            any::<bool>().prop_map(|v| ("auto_allow", v.into())),
            prop::collection::vec("[ab]", 0..3).prop_map(|v| ("unreadable", v.into())),
            (1u64..4).prop_map(|v| ("limits", json!({ "processes": v }))),
        ];
        prop::collection::vec(field, 0..6)
            .prop_map(|fields| Json::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()))
    }

    proptest! {
        /// Whatever is laid over it, nothing that was in force is loosened.
        #[test]
        fn tightening_never_loosens(base in any_settings(), by in any_settings()) {
            let (before, after): (Sandbox, Sandbox) =
                (settings(&node(&base)), serde_json::from_value(tightened(&base, &by)).unwrap());
            prop_assert!(mode(after.mode()) >= mode(before.mode()));
            prop_assert!(network(after.network()) >= network(before.network()));
            prop_assert!(after.unix_sockets.unwrap_or(false) <= before.unix_sockets.unwrap_or(false));
            prop_assert!(after.auto_allow.unwrap_or(false) <= before.auto_allow.unwrap_or(false));
            prop_assert!(before.unreadable.iter().all(|path| after.unreadable.contains(path)));
            prop_assert!(after.limits.processes.unwrap_or(u64::MAX) <= before.limits.processes.unwrap_or(u64::MAX));
        }
    }
}
