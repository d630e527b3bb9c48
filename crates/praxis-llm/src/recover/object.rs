//! Calls written as JSON objects.

use serde_json::{Map, Value};

use super::reader::{Call, Step, Stop};
use super::tools::Tools;
use crate::json::{Ending, repair};

const NAMES: [&str; 5] = ["name", "tool", "function", "tool_name", "function_name"];
const ARGUMENTS: [&str; 6] = ["arguments", "parameters", "args", "input", "params", "tool_input"];
/// What may stand beside them.
const BESIDE: [&str; 5] = ["id", "type", "index", "call_id", "tool_call_id"];
const LIST: &str = "tool_calls";

/// How sure it must be that an object is a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// It stands between marks; a name is enough.
    Marked,
    /// Nothing says so but the object: it needs arguments that fit the tool, and nothing else in it.
    Unmarked,
}

/// The length of the JSON at the start of a text. Only brackets and strings are looked at.
pub(super) fn extent(text: &str) -> Step<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<u8> = None;
    let mut escaped = false;
    let mut last = b'[';
    for (at, byte) in text.bytes().enumerate() {
        if let Some(open) = quote {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if byte == open => quote = None,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quote = Some(byte),
            // Elsewhere it is an apostrophe.
            b'\'' if matches!(last, b'{' | b'[' | b',' | b':') => quote = Some(byte),
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Ok(at + 1),
            b'}' | b']' => depth = depth.checked_sub(1).ok_or(Stop::Wrong)?,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
    }
    Err(Stop::Open)
}

/// Looks at the first field of a text that is not all there, so that other JSON need not be held to its end.
pub(super) fn peek(text: &str, tools: &Tools) -> Step<()> {
    let text = text.strip_prefix('[').unwrap_or(text).trim_start();
    if text.is_empty() {
        return Ok(());
    }
    let inside = text.strip_prefix('{').ok_or(Stop::Wrong)?.trim_start();
    let Some(quote) = inside.chars().next() else { return Ok(()) };
    if quote.is_alphabetic() {
        return Ok(());
    }
    if !matches!(quote, '"' | '\'') {
        return Err(Stop::Wrong);
    }
    let Some((name, rest)) = inside[1..].split_once(quote) else { return Ok(()) };
    if ![&NAMES[..], &ARGUMENTS, &BESIDE, &[LIST]].iter().any(|names| names.contains(&name)) {
        return Err(Stop::Wrong);
    }
    let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
    let tool = value.and_then(|value| value.strip_prefix(quote)?.split_once(quote));
    match tool {
        Some((tool, _)) if NAMES.contains(&name) && tools.find(tool).is_none() => Err(Stop::Wrong),
        _ => Ok(()),
    }
}

/// The calls that a JSON text is.
pub(super) fn calls(text: &str, proof: Proof, tools: &Tools) -> Option<Vec<Call>> {
    let value = repair(text, Ending::Whole)?;
    let mut calls = Vec::new();
    collect(value, proof, tools, &mut calls)?;
    (!calls.is_empty()).then_some(calls)
}

/// The arguments that a JSON text is, for a tool that was named before.
pub(super) fn arguments(text: &str) -> Option<Value> {
    repair(text, Ending::Whole).and_then(object).map(Value::Object)
}

fn collect(value: Value, proof: Proof, tools: &Tools, calls: &mut Vec<Call>) -> Option<()> {
    match value {
        Value::Array(items) => items.into_iter().try_for_each(|item| {
            // Lists of lists are something else.
            if item.is_array() { None } else { collect(item, proof, tools, calls) }
        }),
        Value::Object(mut fields) => {
            if let Some(list) = fields.remove(LIST).filter(Value::is_array) {
                return only_beside(&fields).then(|| collect(list, proof, tools, calls))?;
            }
            if let Some(inner) = fields.get_mut("function").filter(|inner| inner.is_object()) {
                let inner = inner.take();
                fields.remove("function");
                return only_beside(&fields).then(|| collect(inner, proof, tools, calls))?;
            }
            calls.push(call(fields, proof, tools)?);
            Some(())
        }
        _ => None,
    }
}

fn call(mut fields: Map<String, Value>, proof: Proof, tools: &Tools) -> Option<Call> {
    let name = only(&mut fields, &NAMES)??;
    let given = only(&mut fields, &ARGUMENTS)?;
    let name = tools.find(name.as_str()?)?.to_owned();
    let alone = only_beside(&fields);
    let input = match (given, proof) {
        (Some(given), Proof::Marked) => object(given)?,
        (Some(given), Proof::Unmarked) if alone => object(given)?,
        (None, Proof::Marked) if alone => Map::new(),
        _ => return None,
    };
    let fits = proof == Proof::Marked && !input.contains_key("properties") || tools.fits(&name, &input);
    fits.then_some(Call { name, input: Value::Object(input) })
}

/// Takes out the one field that goes by one of some names. Nothing if there are two.
fn only(fields: &mut Map<String, Value>, names: &[&str]) -> Option<Option<Value>> {
    let mut found = names.iter().filter_map(|name| fields.remove(*name));
    let first = found.next();
    found.next().is_none().then_some(first)
}

fn only_beside(fields: &Map<String, Value>) -> bool {
    fields
        .iter()
        .all(|(name, value)| BESIDE.contains(&name.as_str()) && !value.is_object() && !value.is_array())
}

/// Arguments are an object, or a text that spells one.
fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields),
        Value::Null => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => match repair(&text, Ending::Whole)? {
            Value::Object(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}
