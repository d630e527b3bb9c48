//! What a want is in plain words. None of them holds a secret: of headers and variables only the names are told.

use super::WantKind;
use crate::node::{Node, Value};
use crate::problem::harmless;
use crate::substitute::tokens;

/// What a value under these keys wants.
pub(super) fn of(path: &[String], node: &Node) -> (WantKind, String) {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let (kind, text) = match keys.as_slice() {
        ["provider", id] => (WantKind::Requests, provider(id, node)),
        ["model"] => (WantKind::Requests, format!("to the model {}", value(node))),
        ["small_model"] => (WantKind::Requests, format!("for small work to the model {}", value(node))),
        ["agent" | "mode", name, "model"] => {
            (WantKind::Requests, format!("of the agent `{name}` to the model {}", value(node)))
        }
        ["command", name, "model"] => {
            (WantKind::Requests, format!("of the command /{name} to the model {}", value(node)))
        }
        ["enterprise"] => (WantKind::Requests, format!("for sharing: {}", value(node))),
        ["mcp", name] => match node.get("url").and_then(Node::as_str) {
            Some(url) => (WantKind::Requests, format!("of the MCP server `{name}` to {}", address(url))),
            None => (WantKind::Programs, format!("the MCP server `{name}`{}", command(node))),
        },
        ["formatter"] => (WantKind::Programs, "the built-in formatters".to_owned()),
        ["formatter", name] => (WantKind::Programs, format!("the formatter `{name}`{}", command(node))),
        ["lsp"] => (WantKind::Programs, "the built-in language servers".to_owned()),
        ["lsp", name] => (WantKind::Programs, format!("the language server `{name}`{}", command(node))),
        ["plugin", _] => (WantKind::Programs, format!("the plugin {}", value(node))),
        ["shell"] => (WantKind::Programs, format!("every command with the shell {}", value(node))),
        ["shell_tool", "environment"] => (WantKind::Programs, environment(node)),
        ["command", name, "template"] => {
            (WantKind::Programs, format!("before the prompt of /{name}: {}", scripts(node)))
        }
        ["sandbox", rest @ ..] => (WantKind::Sandbox, format!("{}: {}", rest.join("."), value(node))),
        ["instructions" | "skills", ..] => (WantKind::Reading, format!("instructions from {}", value(node))),
        ["references" | "reference", name] => {
            (WantKind::Reading, format!("the folder `{name}` at {}", value(node)))
        }
        _ => (WantKind::Settings, format!("`{}`: {}", keys.join("."), value(node))),
    };
    let put_in = tokens_in(node);
    let behind = if put_in.is_empty() { String::new() } else { format!("; it reads {}", put_in.join(", ")) };
    (kind, harmless(&(text + &behind)))
}

/// What a text that would be filled in wants.
pub(super) fn substitution(path: &[String], node: &Node) -> String {
    let key_tokens = path.iter().flat_map(|key| tokens(key)).map(told);
    let all: Vec<String> = key_tokens.chain(tokens_in(node)).collect();
    harmless(&format!("{} for `{}`", all.join(", "), path.join(".")))
}

/// The variables and files that are named anywhere in a value.
pub(super) fn tokens_in(node: &Node) -> Vec<String> {
    match &node.value {
        Value::String(text) => tokens(text).into_iter().map(told).collect(),
        Value::Array(items) => items.iter().flat_map(tokens_in).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, node)| tokens(key).into_iter().map(told).chain(tokens_in(node)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn told(token: (bool, &str)) -> String {
    match token {
        (true, name) => format!("${name}"),
        (false, path) => format!("the file {path}"),
    }
}

fn provider(id: &str, node: &Node) -> String {
    let options = node.get("options");
    let text = |node: Option<&Node>| node.and_then(Node::as_str).map(address);
    let written = text(options.and_then(|options| options.get("baseURL"))).or_else(|| text(node.get("api")));
    let of_models = node.get("models").and_then(Node::as_object).into_iter().flatten();
    let more = of_models.filter_map(|(_, model)| text(model.get("provider")?.get("api")));
    let addresses: Vec<String> = written.into_iter().chain(more).collect();
    let mut said = match addresses.as_slice() {
        [] => format!("with settings of its own for `{id}`"),
        addresses => format!("for `{id}` to {}", addresses.join(", ")),
    };
    if options.is_some_and(|options| options.get("apiKey").is_some()) {
        said.push_str(", with a key that it names");
    }
    if let Some(names) = options.and_then(|options| options.get("headers")).and_then(Node::as_object) {
        said.push_str(&format!(
            ", with the headers {}",
            names.keys().cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(Value::Array(names)) = node.get("env").map(|node| &node.value) {
        let names: Vec<&str> = names.iter().filter_map(Node::as_str).collect();
        said.push_str(&format!(", with the key in {}", names.join(", ")));
    }
    said
}

/// An address without what may be a password or a key in it.
fn address(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = plain.split_once("://") else { return plain.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or_default())
}

fn command(node: &Node) -> String {
    let Some(Value::Array(words)) = node.get("command").map(|node| &node.value) else { return String::new() };
    let words: Vec<&str> = words.iter().filter_map(Node::as_str).collect();
    format!(": `{}`", words.join(" "))
}

fn environment(node: &Node) -> String {
    let names = |key: &str| -> Vec<String> {
        match node.get(key).map(|node| &node.value) {
            Some(Value::Array(names)) => names.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
            Some(Value::Object(members)) => members.keys().cloned().collect(),
            _ => Vec::new(),
        }
    };
    let parts: Vec<String> = [("set", "with their own"), ("keep", "with your"), ("drop", "without")]
        .into_iter()
        .filter_map(|(key, how)| Some(names(key)).filter(|names| !names.is_empty()).map(|n| (how, n)))
        .map(|(how, names)| format!("{how} {}", names.join(", ")))
        .collect();
    format!("commands {}", parts.join("; "))
}

/// What a template would run.
fn scripts(node: &Node) -> String {
    let text = node.as_str().unwrap_or_default();
    let scripts: Vec<String> = text
        .split("!`")
        .skip(1)
        .map(|rest| format!("`{}`", rest.split('`').next().unwrap_or_default()))
        .collect();
    scripts.join(", ")
}

/// A value as people read it; of an object only the names of its members.
fn value(node: &Node) -> String {
    match &node.value {
        Value::String(text) => format!("`{}`", address(text)),
        Value::Object(members) => members.keys().cloned().collect::<Vec<_>>().join(", "),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(value).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) => node.to_json().to_string(),
    }
}
