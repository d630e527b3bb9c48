//! From a tree to a script.

use std::time::Duration;

use super::fields::{Fields, word};
use super::tree::{Node, ScriptError, Value};
use super::{After, Chunks, Line, Script, Speech, Turn, condition, fault};
use crate::{FinishReason, Usage};

/// The longest wait, a day.
const MOST_WAIT_MS: u64 = 24 * 60 * 60 * 1_000;
/// The most deltas of one text.
const MOST_CHUNKS: u64 = 1_000_000;
/// The most text that `times` may make.
const MOST_TEXT: u64 = 64 << 20;
/// The most tokens.
const MOST_TOKENS: u64 = 1 << 40;

const PARTS: &[&str] = &["think", "say", "call", "calls", "hold"];
const TURN: &[&str] = &[
    "expect",
    "when",
    "times",
    "think",
    "say",
    "call",
    "calls",
    "hold",
    "parts",
    "chunks",
    "interleave",
    "usage",
    "finish",
    "delay_ms",
    "gap_ms",
    "drip_bytes",
    "fail",
];
const FINISHES: &[(&str, FinishReason)] = &[
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool-calls", FinishReason::ToolCalls),
    ("content-filter", FinishReason::ContentFilter),
    ("error", FinishReason::Error),
    ("other", FinishReason::Other),
    ("unknown", FinishReason::Unknown),
];

pub(super) fn script(file: &str, node: &Node) -> Result<Script, ScriptError> {
    if let Value::List(items) = &node.value {
        return Ok(Script { name: file.to_owned(), turns: turns(items)?, after: After::default() });
    }
    let fields = Fields::of(node, "a script", &["name", "turns", "after"])?;
    let list = fields.needed("turns", "a script")?;
    let Value::List(items) = &list.value else { return Err(list.wrong("a list of turns")) };
    let words = [("error", After::Error), ("repeat", After::Repeat), ("stop", After::Stop)];
    let after = fields.read("after", |node| word(node, &words))?.unwrap_or_default();
    let turns = turns(items)?;
    if after == After::Repeat && turns.iter().all(|turn| turn.when.is_some()) {
        return Err(list
            .place
            .error("`after: repeat` needs a turn without `when`: there is nothing to repeat"));
    }
    Ok(Script { name: fields.text("name")?.unwrap_or_else(|| file.to_owned()), turns, after })
}

fn turns(items: &[Node]) -> Result<Vec<Turn>, ScriptError> {
    items.iter().map(turn).collect()
}

fn turn(node: &Node) -> Result<Turn, ScriptError> {
    let place = Some(node.place.clone());
    if let Value::Text(text) = &node.value {
        return Ok(Turn { place, ..Turn::says(text) });
    }
    let fields = Fields::of(node, "a turn", TURN)?;
    let wait =
        |name: &str| Ok(fields.number(name, MOST_WAIT_MS)?.map_or(Duration::ZERO, Duration::from_millis));
    let when = fields.read("when", |node| condition::read(node, "`when`"))?;
    if let (None, Some(times)) = (&when, fields.get("times")) {
        return Err(times
            .place
            .error("`times` goes with `when`; a turn without it is played once, in order"));
    }
    Ok(Turn {
        place,
        expect: fields.read("expect", |node| condition::read(node, "`expect`"))?.unwrap_or_default(),
        when,
        times: fields.number("times", u64::MAX)?,
        lines: all_lines(&fields)?,
        chunks: fields.read("chunks", chunks)?.unwrap_or_default(),
        interleave: fields.read("interleave", Node::boolean)?.unwrap_or(false),
        finish: fields.read("finish", |node| word(node, FINISHES))?,
        usage: fields.read("usage", usage)?.unwrap_or_default(),
        delay: wait("delay_ms")?,
        gap: wait("gap_ms")?,
        drip: fields.number("drip_bytes", MOST_TEXT)?.map(|bytes| bytes.max(1) as usize),
        fault: fields.read("fail", fault::read)?,
    })
}

fn all_lines(fields: &Fields<'_>) -> Result<Vec<Line>, ScriptError> {
    let mut all = lines(fields)?;
    let Some(parts) = fields.get("parts") else { return Ok(all) };
    if !all.is_empty() {
        return Err(parts.place.error("what the turn says stands either in `parts` or beside it, not both"));
    }
    for part in parts.items() {
        all.extend(lines(&Fields::of(part, "a part", PARTS)?)?);
    }
    Ok(all)
}

/// What stands in one map: a hold comes first, then thoughts, text and calls.
fn lines(fields: &Fields<'_>) -> Result<Vec<Line>, ScriptError> {
    let mut all = Vec::new();
    all.extend(fields.text("hold")?.map(Line::Hold));
    all.extend(fields.read("think", thought)?);
    all.extend(fields.read("say", |node| speech(node, &["text", "times"]))?.map(Line::Say));
    if let Some(node) = fields.get("call") {
        let Value::Map(entries) = &node.value else { return Err(node.wrong("a map of tools to arguments")) };
        for (key, arguments) in entries {
            all.push(call(None, key.name.clone(), as_arguments(arguments)?, None));
        }
    }
    for node in fields.get("calls").map_or(&[][..], Node::items) {
        all.push(listed_call(node)?);
    }
    Ok(all)
}

fn thought(node: &Node) -> Result<Line, ScriptError> {
    let known = ["text", "times", "signature"];
    let signature = match &node.value {
        Value::Map(_) => Fields::of(node, "a thought", &known)?.text("signature")?,
        _ => None,
    };
    Ok(Line::Think { speech: speech(node, &known)?, signature })
}

fn speech(node: &Node, known: &[&str]) -> Result<Speech, ScriptError> {
    match &node.value {
        Value::Text(text) => Ok(Speech::Whole(text.clone())),
        Value::List(_) => Ok(Speech::Pieces(node.texts()?)),
        Value::Map(_) => {
            let fields = Fields::of(node, "a text with more to say about it", known)?;
            let text = fields.needed("text", "it")?;
            let Some(times) = fields.number("times", MOST_CHUNKS)? else { return speech(text, known) };
            let text = text.text()?;
            if text.len() as u64 * times > MOST_TEXT {
                let cap = MOST_TEXT >> 20;
                return Err(fields
                    .place
                    .error(format!("this is more than {cap} MiB of text; say it fewer times")));
            }
            Ok(Speech::Times(text, times as usize))
        }
        _ => Err(node.wrong(
            "a text (in quotes if it looks like something else), a list of texts or a map with `text`",
        )),
    }
}

fn listed_call(node: &Node) -> Result<Line, ScriptError> {
    let fields = Fields::of(node, "a call", &["tool", "args", "raw", "id", "signature"])?;
    let tool = fields.needed("tool", "a call")?.text()?;
    let arguments = match (fields.get("args"), fields.read("raw", |node| speech(node, &["text", "times"]))?) {
        (Some(args), Some(_)) => return Err(args.place.error("a call has either `args` or `raw`, not both")),
        (Some(args), None) => as_arguments(args)?,
        (None, Some(raw)) => raw,
        (None, None) => Speech::Whole("{}".to_owned()),
    };
    Ok(call(fields.text("id")?, tool, arguments, fields.text("signature")?))
}

fn as_arguments(node: &Node) -> Result<Speech, ScriptError> {
    match &node.value {
        Value::Map(_) => Ok(Speech::Whole(node.json().to_string())),
        Value::Null => Ok(Speech::Whole("{}".to_owned())),
        _ => Err(node.wrong("a map of arguments (other JSON can be sent with `raw`)")),
    }
}

fn call(id: Option<String>, tool: String, arguments: Speech, signature: Option<String>) -> Line {
    Line::Call { id, tool, arguments, signature }
}

fn chunks(node: &Node) -> Result<Chunks, ScriptError> {
    match &node.value {
        Value::Text(_) => word(node, &[("words", Chunks::Words)]),
        _ => Ok(Chunks::Count(node.number(MOST_CHUNKS)? as usize)),
    }
}

fn usage(node: &Node) -> Result<Usage, ScriptError> {
    let known = ["input", "output", "total", "reasoning", "cached", "cache_write"];
    let fields = Fields::of(node, "`usage`", &known)?;
    let tokens = |name: &str| fields.number(name, MOST_TOKENS);
    let (input, output) = (tokens("input")?, tokens("output")?);
    let sum = input.zip(output).map(|(input, output)| input + output);
    let usage = Usage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: tokens("total")?.or(sum),
        reasoning_tokens: tokens("reasoning")?,
        cached_input_tokens: tokens("cached")?,
        cache_write_tokens: tokens("cache_write")?,
    };
    let parts = usage.cached_input_tokens.unwrap_or(0) + usage.cache_write_tokens.unwrap_or(0);
    if input.is_some_and(|input| parts > input) {
        return Err(fields
            .place
            .error("`input` counts cached tokens too, so it cannot be less than they are"));
    }
    if output.zip(usage.reasoning_tokens).is_some_and(|(output, reasoning)| reasoning > output) {
        return Err(fields.place.error("`output` counts reasoning too, so it cannot be less than that"));
    }
    Ok(usage)
}
