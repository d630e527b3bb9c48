//! Loops and functions: the same text, run more than once.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Simple;
use super::state::{Function, Value};
use super::tree::Node;
use super::walk::{Walker, short};
use super::word;
use super::{arithmetic, path};

/// Rounds of one loop that are followed one by one.
const MOST_ROUNDS: usize = 32;
/// What a call costs beside its text, in bytes.
const CALL: usize = 256;
/// Text that may be read again for loops and calls, in bytes; what goes beyond is not followed.
const MOST_AGAIN: usize = 64 * 1_024;

impl Walker<'_> {
    /// May this much text be read once more?
    fn again(&mut self, bytes: usize) -> bool {
        self.again += bytes;
        self.again <= MOST_AGAIN
    }

    /// A loop: what its body leaves behind meets its own beginning.
    pub(super) fn repeated(&mut self, node: Node<'_>, text: &str, depth: usize) {
        if node.kind() == "c_style_for_statement" {
            let header = node.text(text).split_once("((").and_then(|(_, rest)| rest.split_once("))"));
            for part in header.map_or("", |(header, _)| header).split(';') {
                self.arithmetic(part);
            }
        }
        let variable = node.field("variable").map_or("", |name| name.text(text));
        if self.table.is_special(variable) {
            self.state.shadowed.get_or_insert(format!("the variable `{variable}`"));
        }
        let before = self.state.clone();
        match self.rounds(node, text) {
            Some((name, values)) => self.unrolled(node, &name, values, text, depth),
            None => {
                self.forget_assigned(node, text);
                self.round(node, text, depth);
            }
        }
        if ["break", "continue", "return"].iter().any(|word| node.text(text).contains(word)) {
            self.forget_assigned(node, text);
        }
        self.state.merge(&before);
    }

    /// One way through a loop.
    fn round(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let before = self.state.clone();
        if node.kind() == "c_style_for_statement" {
            // Its head is arithmetic, although some of it looks like assignments.
            for child in node.named() {
                match child.kind() {
                    "do_group" | "compound_statement" => self.walk(child, text, depth),
                    _ => _ = self.nested(child, text, depth),
                }
            }
        } else {
            self.sequence(node, text, depth);
        }
        if self.state.folders != before.folders {
            self.doubt_files("a loop changes its folder");
            if node.text(text).contains("PWD") {
                self.doubt("a loop changes its folder and uses its name");
            }
            self.state.lose_folder();
        }
        let is_changed = self.state.shadowed.is_some() && before.shadowed.is_none();
        if is_changed || self.state.functions != before.functions {
            self.doubt("a loop changes what its commands mean");
        }
        self.state.merge(&before);
    }

    /// Forgets what the rounds before this one may have assigned.
    fn forget_assigned(&mut self, node: Node<'_>, text: &str) {
        let mut assigned: HashMap<String, bool> = HashMap::new();
        if node.kind() == "c_style_for_statement" {
            assigned.extend(arithmetic::assigned(node.text(text)).into_iter().map(|name| (name, true)));
        }
        for part in std::iter::once(node).chain(node.inside()) {
            let source = part.text(text);
            match part.kind() {
                "variable_assignment" => {
                    let (name, value) = source.split_once('=').unwrap_or((source, ""));
                    let is_number = !value.is_empty()
                        && (value.bytes().all(|byte| byte.is_ascii_digit())
                            || (value.starts_with("$((") && word::is_one_group(value)));
                    let name = name.trim_end_matches('+').split('[').next().unwrap_or_default();
                    *assigned.entry(name.to_owned()).or_insert(true) &= is_number;
                }
                "arithmetic_expansion" | "compound_statement" | "c_style_for_statement"
                    if source.contains("((") =>
                {
                    for name in arithmetic::assigned(source) {
                        assigned.entry(name).or_insert(true);
                    }
                }
                "for_statement" => {
                    let name = part.field("variable").map_or("", |name| name.text(text));
                    assigned.insert(name.to_owned(), false);
                }
                "declaration_command" | "unset_command" | "function_definition" => return self.forget_all(),
                "command" => {
                    let name = part.named().find(|child| child.kind() == "command_name");
                    let name = name.map_or("", |name| name.text(text));
                    if name == "read" {
                        let words = part.named().skip(1).map(|word| word.text(text));
                        for word in words.chain(["REPLY"]) {
                            if !is_plain(word) {
                                return self.forget_all();
                            }
                            assigned.insert(word.to_owned(), false);
                        }
                    } else if !is_plain(name) || self.sets_variables(name) {
                        return self.forget_all();
                    }
                }
                "expansion" if source.contains('=') => return self.forget_all(),
                _ => {}
            }
        }
        for (name, is_number) in assigned {
            let was_number =
                self.state.variables.get(&name).and_then(Option::as_ref).is_some_and(Value::is_number);
            self.state.set(&name, (is_number && was_number).then_some(Value::Number));
        }
    }

    fn forget_all(&mut self) {
        self.state.forget();
    }

    /// May a command of this name assign variables?
    fn sets_variables(&self, name: &str) -> bool {
        let known = self.table.program(name);
        known.is_some_and(|program| program.forget || program.shadow)
            || matches!(name, "eval" | "printf" | "command" | "builtin" | "exec")
            || self.state.functions.contains_key(name)
    }

    /// The variable of a `for` and all its values, if they are known and few.
    fn rounds(&mut self, node: Node<'_>, text: &str) -> Option<(String, Vec<Value>)> {
        if node.kind() != "for_statement" || !node.text(text).starts_with("for") {
            return None;
        }
        let name = node.field("variable")?.text(text).to_owned();
        let mut values = Vec::new();
        for source in node.fields("value") {
            if let Some(counted) = self.counted(source.text(text)) {
                values.extend(counted);
                continue;
            }
            for value in word::resolve(source.text(text), &self.seen()) {
                if word::runs_in_brackets(&value.text) {
                    self.doubt(format!("a value of `{name}` runs a command where it is taken for a number"));
                }
                if !value.is_static {
                    return None;
                }
                if value.glob.is_none() {
                    values.push(Value::Text(value.text));
                    continue;
                }
                self.doubt_files(format!(
                    "which files `{}` gives to a loop is not known",
                    short(&value.text)
                ));
                // A name with a sign of patterns in it would be one more pattern.
                let start = value.glob.unwrap_or(0);
                if value.text[..start].contains(['\\', '\'']) || path::cut_glob(&value.text, start).is_none()
                {
                    return None;
                }
                self.touch(&value, false);
                values.push(Value::Pattern(value.text));
            }
        }
        if values.len() > MOST_ROUNDS {
            // Of so many it counts only that they are numbers.
            values = values.iter().all(Value::is_number).then(|| vec![Value::Number])?;
        }
        let cost = node.text(text).len().saturating_mul(values.len());
        (!values.is_empty() && !self.table.is_special(&name) && self.again(cost)).then_some((name, values))
    }

    /// What `$(seq 1 5)` gives to a loop.
    fn counted(&self, source: &str) -> Option<Vec<Value>> {
        let inside = source.strip_prefix("$(seq ")?.strip_suffix(')')?;
        if self.state.shadowed.is_some() || self.state.functions.contains_key("seq") {
            return None;
        }
        let numbers: Option<Vec<u32>> = inside
            .split_whitespace()
            .map(|text| text.parse().ok().filter(|number: &u32| number.to_string() == text))
            .collect();
        let (from, step, to) = match numbers?.as_slice() {
            [to] => (1, 1, *to),
            [from, to] => (*from, 1, *to),
            [from, step, to] if *step > 0 => (*from, *step, *to),
            _ => return None,
        };
        let step = usize::try_from(step).ok()?;
        let counted: Vec<u32> = (from..=to).step_by(step).take(MOST_ROUNDS + 1).collect();
        if counted.len() > MOST_ROUNDS {
            return Some(vec![Value::Number]);
        }
        Some(counted.into_iter().map(|number| Value::Text(number.to_string())).collect())
    }

    fn unrolled(&mut self, node: Node<'_>, name: &str, values: Vec<Value>, text: &str, depth: usize) {
        let start = self.out.commands.len();
        if values.iter().any(|value| matches!(value, Value::Pattern(_) | Value::Number)) {
            // Each round stands for many.
            self.forget_assigned(node, text);
        }
        for value in values {
            self.state.set(name, Some(value));
            let known = self.out.commands.len();
            self.round(node, text, depth);
            self.drop_repeated(start, known);
        }
    }

    /// Drops what is listed from `from` on and stands between `start` and there already.
    fn drop_repeated(&mut self, start: usize, from: usize) {
        let later = self.out.commands.split_off(from);
        let known: HashSet<&Simple> = self.out.commands[start..].iter().collect();
        let fresh: Vec<Simple> = later.iter().filter(|command| !known.contains(command)).cloned().collect();
        self.out.commands.extend(fresh);
    }

    /// A function: its commands are judged where it stands, and again where it is called.
    pub(super) fn function(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let name = node.field("name").map_or("", |name| name.text(text)).to_owned();
        let body = node.field("body").map_or("", |body| body.text(text));
        let start = self.out.commands.len();
        if node.named().any(|child| child.kind().ends_with("redirect")) {
            // They are opened at each call, wherever that is.
            self.doubt_files("a function has redirections of its own");
        }
        self.apart(|me| {
            // What it changes counts where it is called.
            me.state.trapped = Rc::default();
            me.state.forget();
            me.sequence(node, text, depth);
        });
        let listed = self.out.commands[start..].iter().cloned().collect();
        let function = Function { body: body.to_owned(), listed };
        self.state.define(name, function);
    }

    /// A call of a function of the script.
    pub(super) fn call(&mut self, at: usize, name: &str, function: Option<Rc<Function>>, level: usize) {
        let is_command = self.table.knows(name) || matches!(name, "cd" | "chdir" | "pushd" | "popd");
        if is_command || level > 0 {
            return self.mark(at, format!("the function `{name}` changes what `{name}` means"));
        }
        let Some(function) = function else {
            return self.mark(at, format!("it is not known what the function `{name}` does"));
        };
        if self.calls.iter().any(|called| called == name) {
            return self.mark(at, format!("the function `{name}` calls itself"));
        }
        if !self.again(function.body.len() + CALL) {
            return self.mark(at, format!("the function `{name}` is called too often"));
        }
        self.out.commands[at].is_call = true;
        self.out.commands[at].destroys = false;
        self.calls.push(name.to_owned());
        let known = self.out.commands.len();
        let before = self.state.clone();
        self.script(&function.body);
        // Who knows how much of it happens before it ends.
        if ["return", "exit", "break", "continue"].iter().any(|word| function.body.contains(word)) {
            self.state.forget();
            self.state.merge(&before);
        }
        let later = self.out.commands.split_off(known);
        self.out.commands.extend(later.into_iter().filter(|command| !function.listed.contains(command)));
        self.calls.pop();
    }
}

/// Is it a name as it stands?
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./[".contains(&byte))
}
