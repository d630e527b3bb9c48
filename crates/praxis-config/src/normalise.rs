//! Older spellings turned into today's, so that the rest of the program knows one form only.

use indexmap::IndexMap;
use praxis_proto::{Action, Origin};

use crate::check::Checker;
use crate::merge::merge;
use crate::node::{Node, Value};
use crate::surroundings::Surroundings;
use crate::text::SourceName;

/// Turns one layer, already checked, into the form that layers are merged in.
pub(crate) fn layer(node: &mut Node, checker: &Checker, source: &SourceName, surroundings: &Surroundings) {
    let Some(members) = node.as_object_mut() else { return };
    widen_permission(members);
    widen_sandbox(members);
    rename(members, "reference", "references");
    modes_to_agents(members);
    for agent in objects(members.get_mut("agent")) {
        widen_permission(agent);
        rename(agent, "maxSteps", "steps");
        // The key is the name; a copy of it is no option for a model provider.
        agent.shift_remove("name");
        unknown_to_options(agent, checker);
    }
    if let Some(base) = source.directory() {
        anchor_plugins(members, base, surroundings);
    }
}

/// Finishes the merged configuration: what depends on all layers at once.
pub(crate) fn merged(node: &mut Node, surroundings: &Surroundings) {
    let Some(members) = node.as_object_mut() else { return };
    tools_to_permission(members);
    for agent in objects(members.get_mut("agent")) {
        tools_to_permission(agent);
    }
    let share_all = members.get("autoshare").filter(|node| node.value == Value::Bool(true));
    if let Some(origin) = share_all.map(|node| node.origin.clone()) {
        members.entry("share".into()).or_insert_with(|| Node::string("auto", origin));
    }
    members
        .entry("username".into())
        .or_insert_with(|| Node::string(&surroundings.username, Origin::BuiltIn("user name")));
    for (flag, key) in [("DISABLE_AUTOCOMPACT", "auto"), ("DISABLE_PRUNE", "prune")] {
        if let Some((name, _)) = surroundings.flag_entry(flag).filter(|_| surroundings.is_on(flag)) {
            let off = Node::new(Value::Bool(false), Origin::Named(name.into()));
            let compaction =
                members.entry("compaction".into()).or_insert_with(|| Node::object(off.origin.clone()));
            if let Some(fields) = compaction.as_object_mut() {
                fields.insert(key.into(), off);
            }
        }
    }
}

/// `"permission": "ask"` means `"permission": {"*": "ask"}`.
fn widen_permission(members: &mut IndexMap<String, Node>) {
    if let Some(node) = members.get_mut("permission").filter(|node| node.as_str().is_some()) {
        let plain = std::mem::replace(node, Node::object(node.origin.clone()));
        *node = Node { key: plain.key.clone(), ..plain.under("*") };
    }
}

/// `"sandbox": "auto"` means `"sandbox": {"mode": "auto"}`: a nearer layer's settings must not switch it off.
fn widen_sandbox(members: &mut IndexMap<String, Node>) {
    if let Some(node) = members.get_mut("sandbox").filter(|node| node.as_str().is_some()) {
        let plain = std::mem::replace(node, Node::object(node.origin.clone()));
        *node = Node { key: plain.key.clone(), ..plain.under("mode") };
    }
}

/// The members of a map of objects.
fn objects(map: Option<&mut Node>) -> impl Iterator<Item = &mut IndexMap<String, Node>> {
    map.and_then(Node::as_object_mut)
        .into_iter()
        .flat_map(|members| members.values_mut())
        .filter_map(Node::as_object_mut)
}

/// Moves what stands under an old key to the new one; where both are there the new one wins.
fn rename(members: &mut IndexMap<String, Node>, old: &str, new: &str) {
    let Some(moved) = members.shift_remove(old) else { return };
    match members.shift_remove(new) {
        None => {
            members.insert(new.to_owned(), moved);
        }
        Some(explicit) => {
            let mut both = moved.under(new);
            merge(&mut both, explicit.under(new));
            if let Value::Object(fields) = both.value {
                members.extend(fields);
            }
        }
    }
}

/// `mode` holds primary agents. They count as agents of this layer, so that a nearer layer can change them.
fn modes_to_agents(members: &mut IndexMap<String, Node>) {
    let Some(modes) = members.shift_remove("mode") else { return };
    let Value::Object(entries) = modes.value else { return };
    let mut agents = Node::object(modes.origin);
    if let Value::Object(target) = &mut agents.value {
        for (name, mut mode) in entries {
            let primary = Node::string("primary", mode.origin.clone());
            if let Some(fields) = mode.as_object_mut() {
                fields.insert("mode".into(), primary);
            }
            target.insert(name, mode);
        }
    }
    let mut both = Node::object(agents.origin.clone());
    if let Some(existing) = members.shift_remove("agent") {
        merge(&mut both, existing.under("agent"));
    }
    merge(&mut both, agents.under("agent"));
    if let Value::Object(fields) = both.value {
        members.extend(fields);
    }
}

/// Fields an agent does not have are options for the model provider.
fn unknown_to_options(agent: &mut IndexMap<String, Node>, checker: &Checker) {
    let unknown: Vec<String> = agent.keys().filter(|key| !checker.is_agent_field(key)).cloned().collect();
    for key in unknown {
        let Some(node) = agent.shift_remove(&key) else { continue };
        let options = agent.entry("options".into()).or_insert_with(|| Node::object(node.origin.clone()));
        if let Some(fields) = options.as_object_mut() {
            fields.insert(key, node);
        }
    }
}

/// The permissions that the older `tools` switches stand for, laid under the explicit ones.
fn tools_to_permission(members: &mut IndexMap<String, Node>) {
    let Some(tools) = members.get("tools").and_then(Node::as_object) else { return };
    let mut switches = IndexMap::new();
    for (name, node) in tools {
        let Value::Bool(on) = node.value else { continue };
        let permission = match name.as_str() {
            "write" | "edit" | "patch" | "multiedit" => "edit",
            other => other,
        };
        let action = if on { Action::Allow } else { Action::Deny };
        // Of several names for one permission the last counts, as everywhere.
        switches.insert(permission.to_owned(), Node::string(action.as_str(), node.origin.clone()));
    }
    let Some(origin) = switches.values().next().map(|node| node.origin.clone()) else { return };
    let mut both = Node::new(Value::Object(switches), origin).under("permission");
    if let Some(explicit) = members.shift_remove("permission") {
        merge(&mut both, explicit.under("permission"));
    }
    if let Value::Object(fields) = both.value {
        members.extend(fields);
    }
}

/// Paths of plugins are relative to the file that names them; once merged, nobody would know which that was.
fn anchor_plugins(members: &mut IndexMap<String, Node>, base: &std::path::Path, surroundings: &Surroundings) {
    let Some(Value::Array(plugins)) = members.get_mut("plugin").map(|node| &mut node.value) else { return };
    for plugin in plugins {
        let spec = match &mut plugin.value {
            Value::Array(pair) => pair.first_mut(),
            _ => Some(plugin),
        };
        if let Some(Node { value: Value::String(path), .. }) = spec
            && (path.starts_with("./") || path.starts_with("../") || path.starts_with("~/"))
        {
            let relative = path.strip_prefix("./").unwrap_or(path);
            *path = surroundings.resolve(relative, base).to_string_lossy().into_owned();
        }
    }
}
