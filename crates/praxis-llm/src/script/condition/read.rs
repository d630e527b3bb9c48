//! Conditions as they are written.

use regex::{Regex, RegexBuilder};

use super::{Conditions, ResultMatch, TextMatch};
use crate::script::fields::Fields;
use crate::script::tree::{Node, ScriptError, Value};

/// The most memory that a compiled pattern may take.
const PATTERN_CAP: usize = 1 << 20;
/// The most messages that can be counted.
const MOST_MESSAGES: u64 = 1 << 32;

const CONDITIONS: &[&str] =
    &["user", "system", "anywhere", "model", "agent", "tools", "without", "result", "result_of", "messages"];

pub(in crate::script) fn read(node: &Node, what: &str) -> Result<Conditions, ScriptError> {
    let fields = Fields::of(node, what, CONDITIONS)?;
    let text = |name: &str| Ok(fields.read(name, text)?.unwrap_or_default());
    let no_tools =
        fields.get("tools").is_some_and(|tools| matches!(&tools.value, Value::Text(word) if word == "none"));
    let mut results = fields.read("result", results)?.unwrap_or_default();
    for tool in fields.texts("result_of")? {
        results.push(ResultMatch { of: Some(tool), ..ResultMatch::default() });
    }
    Ok(Conditions {
        user: text("user")?,
        system: text("system")?,
        anywhere: text("anywhere")?,
        model: text("model")?,
        agent: text("agent")?,
        tools: if no_tools { Vec::new() } else { fields.texts("tools")? },
        no_tools,
        without: fields.texts("without")?,
        results,
        messages: fields.number("messages", MOST_MESSAGES)?,
    })
}

fn text(node: &Node) -> Result<TextMatch, ScriptError> {
    if let Value::Text(_) | Value::List(_) = node.value {
        return Ok(TextMatch { contains: node.texts()?, ..TextMatch::default() });
    }
    let fields = Fields::of(node, "a condition on a text", &["contains", "lacks", "equals", "regex"])?;
    Ok(TextMatch {
        contains: fields.texts("contains")?,
        lacks: fields.texts("lacks")?,
        equals: fields.text("equals")?,
        regex: fields.read("regex", pattern)?,
    })
}

fn pattern(node: &Node) -> Result<Regex, ScriptError> {
    let pattern = node.text()?;
    RegexBuilder::new(&pattern).size_limit(PATTERN_CAP).build().map_err(|error| {
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        node.place.error(format!("`{pattern}` is not a regular expression: {reason}"))
    })
}

fn results(node: &Node) -> Result<Vec<ResultMatch>, ScriptError> {
    node.items().iter().map(result).collect()
}

fn result(node: &Node) -> Result<ResultMatch, ScriptError> {
    if let Value::Text(_) = node.value {
        return Ok(ResultMatch { text: text(node)?, ..ResultMatch::default() });
    }
    let fields = Fields::of(node, "a condition on a result", &["of", "id", "text", "error"])?;
    Ok(ResultMatch {
        of: fields.text("of")?,
        id: fields.text("id")?,
        text: fields.read("text", text)?.unwrap_or_default(),
        error: fields.read("error", Node::boolean)?,
    })
}
