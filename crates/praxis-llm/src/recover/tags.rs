//! Calls between tags.

use serde_json::{Map, Value};

use super::reader::{Call, Reader, Step, Stop, is_word};

/// Tags around calls.
const AROUND: [&str; 7] =
    ["tool_call", "tool_calls", "function_call", "function_calls", "toolcall", "tool_use", "tools"];
/// Tags that name a tool.
const NAMING: [&str; 2] = ["invoke", "function"];
/// Tags of arguments.
const ARGUMENT: [&str; 3] = ["parameter", "param", "arg"];
/// Tags of results, which models that print their calls like to make up.
const RESULT: [&str; 7] = [
    "tool_response",
    "tool_responses",
    "tool_result",
    "tool_results",
    "function_results",
    "function_result",
    "function_response",
];

/// What DeepSeek's models put in front of a tag's name.
const DEEPSEEK: &str = "｜DSML｜";

/// The longest tag.
const TAG_CAP: usize = 256;

/// The longest name of a tag, with what stands in front of it.
const NAME_CAP: usize = 48;

struct Tag<'a> {
    name: String,
    /// As it was written, with what stands in front.
    full: &'a str,
    closing: bool,
    alone: bool,
    /// What stands behind `=` in the tag's name, or in its attribute `name`.
    value: Option<&'a str>,
}

impl<'a> Reader<'a> {
    /// Whatever begins with an angle.
    pub(super) fn angle(&mut self) -> Step<()> {
        let after = &self.rest[1..];
        let after = after.strip_prefix('/').unwrap_or(after);
        let is_token = after.starts_with(['|', '｜']) && !after.starts_with(DEEPSEEK);
        if is_token {
            if DEEPSEEK.starts_with(after) {
                return Err(Stop::Open);
            }
            return self.token();
        }
        if after.is_empty() {
            return Err(Stop::Open);
        }
        if !self.place.tags && !self.marked && !after.starts_with(DEEPSEEK) {
            return Err(Stop::Wrong);
        }
        let tag = self.tag()?;
        let name = tag.name.as_str();
        if tag.closing {
            return if AROUND.contains(&name) || NAMING.contains(&name) {
                self.close_mark()
            } else {
                Err(Stop::Wrong)
            };
        }
        if RESULT.contains(&name) {
            return self.made_up();
        }
        match tag.value {
            Some(tool) if AROUND.contains(&name) || NAMING.contains(&name) => self.invoke(tool, &tag),
            None if AROUND.contains(&name) => {
                self.open_mark();
                Ok(())
            }
            _ => Err(Stop::Wrong),
        }
    }

    /// A tool, its arguments, and the tag that closes them.
    fn invoke(&mut self, tool: &str, tag: &Tag<'a>) -> Step<()> {
        let name = self.tools.find(tool).ok_or(Stop::Wrong)?.to_owned();
        self.fresh = true;
        if tag.alone {
            self.found([Call { name, input: Value::Object(Map::new()) }]);
            return Ok(());
        }
        self.blank();
        let input = if self.rest.starts_with(['{', '`']) {
            let input = self.arguments()?;
            self.blank();
            let closing = self.tag()?;
            if !closing.closing || closing.full != tag.full {
                return Err(Stop::Wrong);
            }
            input
        } else {
            Value::Object(self.arguments_in_tags(&name, tag.full)?)
        };
        self.found([Call { name, input }]);
        Ok(())
    }

    fn arguments_in_tags(&mut self, tool: &str, closed_by: &str) -> Step<Map<String, Value>> {
        let mut arguments = Map::new();
        loop {
            self.blank();
            let tag = self.tag()?;
            if tag.closing && tag.full == closed_by {
                return Ok(arguments);
            }
            let argument = tag.value.filter(|_| !tag.closing && ARGUMENT.contains(&tag.name.as_str()));
            let argument = argument.ok_or(Stop::Wrong)?;
            let text = self.until(&format!("</{}>", tag.full))?;
            let value = self.tools.argument(tool, argument, unwrapped(text));
            if arguments.insert(argument.to_owned(), value).is_some() {
                return Err(Stop::Wrong);
            }
        }
    }

    /// A tool's name between marks: GLM's pairs of keys and values, or Mistral's arguments behind it.
    pub(super) fn named(&mut self) -> Step<()> {
        let len = self.rest.len() - self.rest.trim_start_matches(is_word).len();
        let word = &self.rest[..len];
        if len == self.rest.len() {
            return Err(if self.tools.may_become(word) { Stop::Open } else { Stop::Wrong });
        }
        let name = self.tools.find(word).ok_or(Stop::Wrong)?.to_owned();
        self.skip(len);
        if self.literal("[CALL_ID]")? {
            self.rest = self.rest.trim_start_matches(is_word);
        }
        let input = if self.literal("[ARGS]")? || self.rest.starts_with('{') {
            self.arguments()?
        } else {
            Value::Object(self.keys_and_values(&name)?)
        };
        self.found([Call { name, input }]);
        Ok(())
    }

    fn keys_and_values(&mut self, tool: &str) -> Step<Map<String, Value>> {
        let mut arguments = Map::new();
        loop {
            self.blank();
            let at = self.rest;
            let tag = self.tag()?;
            if tag.closing && AROUND.contains(&tag.name.as_str()) {
                // Left to whoever closes the mark.
                self.rest = at;
                return Ok(arguments);
            }
            if tag.name != "arg_key" || tag.closing {
                return Err(Stop::Wrong);
            }
            let name = self.until("</arg_key>")?.trim();
            self.blank();
            if self.tag()?.name != "arg_value" {
                return Err(Stop::Wrong);
            }
            let text = self.until("</arg_value>")?;
            let value = self.tools.argument(tool, name, unwrapped(text));
            if arguments.insert(name.to_owned(), value).is_some() {
                return Err(Stop::Wrong);
            }
        }
    }

    fn tag(&mut self) -> Step<Tag<'a>> {
        let Some(text) = self.rest.strip_prefix('<') else {
            return Err(if self.rest.is_empty() { Stop::Open } else { Stop::Wrong });
        };
        let (closing, text) = text.strip_prefix('/').map_or((false, text), |text| (true, text));
        let end = text.find(|c: char| !(is_word(c) || matches!(c, ':' | '｜'))).unwrap_or(text.len());
        let full = &text[..end];
        if end == text.len() {
            return Err(if end <= NAME_CAP { Stop::Open } else { Stop::Wrong });
        }
        let name = full.strip_prefix(DEEPSEEK).unwrap_or(full);
        let name = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
        if !is_known(&name) {
            return Err(Stop::Wrong);
        }
        let attributes = &text[end..];
        let Some(close) = unquoted_close(attributes) else {
            return Err(if attributes.len() <= TAG_CAP { Stop::Open } else { Stop::Wrong });
        };
        let inside = &attributes[..close];
        let alone = inside.ends_with('/');
        let value = value(inside.trim_end_matches('/'))?;
        self.rest = &attributes[close + 1..];
        Ok(Tag { name, full, closing, alone, value })
    }
}

fn is_known(name: &str) -> bool {
    let lists: [&[&str]; 5] = [&AROUND, &NAMING, &ARGUMENT, &RESULT, &["arg_key", "arg_value"]];
    lists.iter().any(|list| list.contains(&name))
}

/// Where a tag closes; an angle between quotes is part of a value.
fn unquoted_close(attributes: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in attributes.char_indices().take_while(|(at, _)| *at <= TAG_CAP) {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(at),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// `=name`, `name="name"`, or nothing.
fn value(inside: &str) -> Step<Option<&str>> {
    let inside = inside.trim();
    if inside.is_empty() {
        return Ok(None);
    }
    if let Some(value) = inside.strip_prefix('=') {
        let value = value.trim().trim_matches(['"', '\'']);
        let plain = !value.is_empty() && value.chars().all(is_word);
        return if plain { Ok(Some(value)) } else { Err(Stop::Wrong) };
    }
    let value = inside.strip_prefix("name").map(str::trim_start).and_then(|rest| rest.strip_prefix('='));
    let value = value.map(str::trim_start).ok_or(Stop::Wrong)?;
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or(Stop::Wrong)?;
    let (value, _) = value[1..].split_once(quote).ok_or(Stop::Wrong)?;
    Ok(Some(value))
}

/// Templates put an argument on lines of its own.
fn unwrapped(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}
