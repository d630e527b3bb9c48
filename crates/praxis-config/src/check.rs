//! Checking a tree against the schema, so that every complaint has a file, a line and a path of keys.
//!
//! A derived decoder stops at its first error and knows no places; and of a value with several forms it can
//! only say that none fits. Walking the generated schema finds everything at once, unknown keys included.

use serde_json::Value as Json;

use crate::config::Config;
use crate::node::{Node, Value};
use crate::problem::{Findings, Problem, Warning, did_you_mean, nearest, printable};

/// Keys of the terminal UI's own file, which older set-ups have here.
const IGNORED: [&str; 4] = ["theme", "keybinds", "tui", "layout"];
/// Options of model providers that look like a misspelled field and are none.
const NO_MISSPELLING: [&str; 2] = ["top_k", "topK"];

/// The schema, ready to hold trees against it.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Json,
}

impl Checker {
    pub(crate) fn new() -> Self {
        Self { schema: Config::schema() }
    }

    /// Whether an agent has a field of that name.
    pub(crate) fn is_agent_field(&self, name: &str) -> bool {
        self.schema.pointer("/$defs/AgentConfig/properties").is_some_and(|fields| fields.get(name).is_some())
    }

    /// Everything that is wrong with a configuration, and everything that looks wrong.
    pub(crate) fn check(&self, node: &Node, findings: &mut Findings) {
        self.walk(&self.schema, node, "", findings);
    }

    fn walk(&self, schema: &Json, node: &Node, path: &str, findings: &mut Findings) {
        let Some(schema) = self.resolve(schema) else { return };
        if let Some(forms) = forms(schema) {
            self.one_of(forms, node, path, findings);
            return;
        }
        if !accepts(schema, node) {
            let problem = format!("expected {}, found {}", expected(schema), node.kind());
            findings.problems.push(Problem::value(&node.origin, path, problem));
            return;
        }
        match &node.value {
            Value::Object(_) => self.object(schema, node, path, findings),
            Value::Array(items) => self.array(schema, items, node, path, findings),
            Value::Number(number) => {
                let limit = |name: &str| schema.get(name).and_then(Json::as_f64);
                let value = number.as_f64().unwrap_or_default();
                let problem = match (limit("minimum"), limit("maximum")) {
                    (Some(least), _) if value < least => format!("expected {least} or more, found {number}"),
                    (_, Some(most)) if value > most => format!("expected {most} or less, found {number}"),
                    _ => return,
                };
                findings.problems.push(Problem::value(&node.origin, path, problem));
            }
            Value::String(text) => {
                let words = words(schema);
                if !words.is_empty() && !words.contains(&text.as_str()) {
                    findings.problems.push(not_among(&words, text, node, path));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// A value with several forms: complaints are about the form that was meant.
    fn one_of(&self, forms: &[Json], node: &Node, path: &str, findings: &mut Findings) {
        let forms: Vec<&Json> = forms.iter().filter_map(|form| self.resolve(form)).collect();
        let fitting: Vec<&Json> = forms.iter().copied().filter(|form| accepts(form, node)).collect();
        if fitting.is_empty() {
            let mut kinds: Vec<String> = forms.iter().map(|form| expected(form)).collect();
            kinds.dedup();
            let problem = format!("expected {}, found {}", listed(&kinds), node.kind());
            findings.problems.push(Problem::value(&node.origin, path, problem));
            return;
        }
        let vocabulary: Vec<&str> = fitting.iter().flat_map(|form| words(form)).collect();
        if let Some(text) = node.as_str()
            && fitting.iter().all(|form| !words(form).is_empty())
        {
            if !vocabulary.contains(&text) {
                findings.problems.push(not_among(&vocabulary, text, node, path));
            }
            return;
        }
        let meant = fitting.iter().find(|form| self.is_marked_as(form, node)).copied();
        let tries = meant.map_or(fitting, |form| vec![form]);
        let best = tries
            .into_iter()
            .map(|form| {
                let mut attempt = Findings::default();
                self.walk(form, node, path, &mut attempt);
                attempt
            })
            .min_by_key(|attempt| (attempt.problems.len(), attempt.warnings.len()));
        if let Some(best) = best {
            findings.extend(best);
        }
    }

    /// Whether the node's `type` names this form.
    fn is_marked_as(&self, form: &Json, node: &Node) -> bool {
        let mark = node.get("type").and_then(Node::as_str);
        let names = form.pointer("/properties/type").and_then(|schema| self.resolve(schema));
        mark.is_some_and(|mark| names.is_some_and(|schema| words(schema).contains(&mark)))
    }

    fn object(&self, schema: &Json, node: &Node, path: &str, findings: &mut Findings) {
        let Some(members) = node.as_object() else { return };
        let properties = schema.get("properties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        for name in required.filter_map(Json::as_str).filter(|name| !members.contains_key(*name)) {
            let problem = format!("`{name}` is missing; add it");
            findings.problems.push(Problem::value(&node.origin, path, problem));
        }
        for (key, member) in members {
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            if let Some(known) = properties.and_then(|properties| properties.get(key)) {
                self.walk(known, member, &below, findings);
                continue;
            }
            let names = properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str));
            let origin = member.key.as_ref().unwrap_or(&member.origin);
            match schema.get("additionalProperties") {
                Some(Json::Bool(false)) if path.is_empty() && IGNORED.contains(&key.as_str()) => {}
                Some(Json::Bool(false)) => {
                    let hint = did_you_mean(key, names);
                    let message = format!("unknown key `{below}` is ignored{hint}");
                    findings.warnings.push(Warning::new(origin, message));
                }
                Some(more @ Json::Object(_)) => self.walk(more, member, &below, findings),
                Some(_) | None => {
                    if let Some(name) =
                        nearest(key, names).filter(|_| !NO_MISSPELLING.contains(&key.as_str()))
                    {
                        let message = format!("`{below}` is passed on as an option; did you mean `{name}`?");
                        findings.warnings.push(Warning::new(origin, message));
                    }
                }
            }
        }
    }

    fn array(&self, schema: &Json, items: &[Node], node: &Node, path: &str, findings: &mut Findings) {
        let size = |name: &str| schema.get(name).and_then(Json::as_u64);
        let count = items.len() as u64;
        if size("minItems").is_some_and(|least| count < least)
            || size("maxItems").is_some_and(|most| count > most)
        {
            let wanted = size("minItems").unwrap_or_default();
            let problem = format!("expected a list of {wanted} entries, found {count}");
            findings.problems.push(Problem::value(&node.origin, path, problem));
            return;
        }
        let fixed = schema.get("prefixItems").and_then(Json::as_array);
        for (index, item) in items.iter().enumerate() {
            let schema = fixed.and_then(|fixed| fixed.get(index)).or_else(|| schema.get("items"));
            if let Some(schema) = schema {
                self.walk(schema, item, &format!("{path}.{index}"), findings);
            }
        }
    }

    /// The schema behind a reference; none where another module does the checking.
    fn resolve<'a>(&'a self, schema: &'a Json) -> Option<&'a Json> {
        let Some(reference) = schema.get("$ref").and_then(Json::as_str) else { return Some(schema) };
        let name = reference.strip_prefix("#/$defs/")?;
        // Rules have stricter checks and better messages of their own.
        if name == "Permission" {
            return None;
        }
        self.schema.get("$defs")?.get(name)
    }
}

fn forms(schema: &Json) -> Option<&Vec<Json>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()
}

/// The words a string may be; none where it may be anything.
fn words(schema: &Json) -> Vec<&str> {
    if let Some(word) = schema.get("const").and_then(Json::as_str) {
        return vec![word];
    }
    if let Some(forms) = forms(schema) {
        return forms.iter().flat_map(words).collect();
    }
    schema.get("enum").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

/// Whether the value is of the schema's kind, whatever is in it.
fn accepts(schema: &Json, node: &Node) -> bool {
    if forms(schema).is_some_and(|forms| !forms.iter().any(|form| accepts(form, node))) {
        return false;
    }
    let Some(kind) = schema.get("type").and_then(Json::as_str) else { return true };
    match &node.value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => kind == "number" || (kind == "integer" && !number.is_f64()),
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

/// What a schema takes, for messages.
fn expected(schema: &Json) -> String {
    let words = words(schema);
    if !words.is_empty() {
        return listed(&words);
    }
    match schema.get("type").and_then(Json::as_str) {
        Some("string") => "a string",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "an object",
        _ => "another value",
    }
    .to_owned()
}

fn not_among(words: &[&str], text: &str, node: &Node, path: &str) -> Problem {
    let hint = did_you_mean(text, words.iter().copied());
    let problem = match node.filled {
        // It may be a secret that landed in the wrong place.
        true => format!("expected {}, found another word in a variable or file", listed(words)),
        false => format!("expected {}, found `{}`{hint}", listed(words), printable(text)),
    };
    Problem::value(&node.origin, path, problem)
}

/// `a, b or c`.
fn listed<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use praxis_proto::Origin;
    use serde_json::json;

    use super::*;

    fn check(json: &Json) -> Vec<String> {
        let mut findings = Findings::default();
        Checker::new().check(&Node::from_json(json, &Origin::Named("here".into())), &mut findings);
        let problems = findings.problems.iter().map(ToString::to_string);
        problems.chain(findings.warnings.iter().map(ToString::to_string)).collect()
    }

    #[test]
    fn wrong_kinds_are_found_at_every_depth() {
        assert_eq!(
            check(&json!({
                "model": null,
                "agent": {"review": {"temperature": "hot", "steps": 0, "mode": "primry"}},
                "server": {"port": 70000},
                "mcp": {"files": {"type": "local", "command": "npx"}, "odd": 5},
                "formatter": "yes",
                "plugin": [["a", {}, 3]],
                "provider": {"p": {"models": {"m": {"cost": {"input": 1}}}}},
            })),
            [
                "here: `model`: expected a string, found null",
                "here: `agent.review.temperature`: expected a number, found a string",
                "here: `agent.review.steps`: expected 1 or more, found 0",
                "here: `agent.review.mode`: expected primary, subagent or all, found `primry`; did you mean `primary`?",
                "here: `server.port`: expected 65535 or less, found 70000",
                "here: `mcp.files.command`: expected a list, found a string",
                "here: `mcp.odd`: expected an object, found a number",
                "here: `formatter`: expected true or false or an object, found a string",
                "here: `plugin.0`: expected a list of 2 entries, found 3",
                "here: `provider.p.models.m.cost`: `output` is missing; add it",
            ]
        );
    }

    #[test]
    fn unknown_keys_are_mentioned_where_they_are_not_options() {
        assert_eq!(
            check(&json!({
                "modell": "a/b", "theme": "dark", "keybinds": {},
                "compaction": {"prun": true},
                "agent": {"a": {"promt": "x", "reasoningEffort": "high", "top_k": 3}},
                "mcp": {"m": {"type": "remote", "url": "u", "header": {}}},
                "experimental": {"todoread_tool": true, "zzz": 1},
            })),
            [
                "here: unknown key `modell` is ignored; did you mean `model`?",
                "here: unknown key `compaction.prun` is ignored; did you mean `prune`?",
                "here: `agent.a.promt` is passed on as an option; did you mean `prompt`?",
                "here: unknown key `mcp.m.header` is ignored; did you mean `headers`?",
                "here: unknown key `experimental.zzz` is ignored",
            ]
        );
    }
}
