//! Taking from a project's layer what may count without trust, and naming the rest.

use std::path::Path;

use indexmap::IndexMap;
use praxis_proto::Origin;

use super::rules::Lines;
use super::table::{Class, class_of};
use super::{Want, WantKind, hash, words};
use crate::node::{Node, Value};
use crate::owner::Ground;
use crate::strictness;
use crate::substitute::tokens;
use crate::surroundings::Surroundings;
use crate::text::SourceName;

/// Agents that come with the program, whose nature is not the project's to change.
const BUILT_IN: [&str; 7] = ["build", "plan", "general", "explore", "compaction", "title", "summary"];

/// What a project's layers want, and what of them counts without trust.
#[derive(Debug)]
pub(crate) struct Sifter<'a> {
    ground: &'a Ground,
    surroundings: &'a Surroundings,
    /// The configuration without the project's.
    own: &'a Node,
    wants: Vec<Want>,
    lines: Lines,
    /// The file that is being looked at, as it is remembered.
    file: String,
}

/// What counts of a layer without trust.
pub(crate) type Sifted = Option<Node>;

impl<'a> Sifter<'a> {
    pub(crate) fn new(ground: &'a Ground, surroundings: &'a Surroundings, own: &'a Node) -> Self {
        let (wants, lines) = (Vec::new(), Lines::default());
        Self { ground, surroundings, own, wants, lines, file: String::new() }
    }

    /// Looks through one layer whose variables and files are not filled in.
    pub(crate) fn layer(&mut self, node: &Node, source: &SourceName) -> Sifted {
        self.file = match source {
            SourceName::File(path) => self.ground.relative(path).to_string_lossy().into_owned(),
            SourceName::Variable(name) => name.to_string(),
        };
        self.members(node, &mut Vec::new())
    }

    /// A file that is not in the project, or whose text makes no sense before its variables are filled in.
    pub(crate) fn whole_file(&mut self, path: &Path, why: &str, content: &str) {
        let shown = self.ground.relative(path).display().to_string();
        self.wants.push(Want {
            kind: WantKind::Reading,
            text: crate::problem::harmless(&format!("`{shown}`, {why}")),
            origin: SourceName::file(path).origin(1, 1),
            hash: hash(&["file", &shown, content]),
            except: std::collections::BTreeSet::new(),
        });
    }

    /// Everything that was found, in the order in which people are told.
    pub(crate) fn wants(self) -> Vec<Want> {
        let mut wants = self.wants;
        wants.extend(self.lines.wants());
        wants.sort_by_key(|want| want.kind);
        let mut seen = std::collections::HashSet::new();
        wants.retain(|want| seen.insert((want.hash.clone(), want.except.clone())));
        wants
    }

    fn members(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let Some(members) = node.as_object() else {
            // A wrong shape is for the checks to tell.
            return Some(node.clone());
        };
        let mut kept = IndexMap::new();
        for (key, member) in members {
            path.push(key.clone());
            let counts = match tokens(key).is_empty() {
                true => self.value(member, path),
                false => self.filled_in(member, path),
            };
            path.pop();
            if let Some(counts) = counts {
                kept.insert(key.clone(), counts);
            }
        }
        // What is nothing but its waiting members must not leave an empty agent behind.
        let is_left = !kept.is_empty() || members.is_empty() || path.is_empty();
        let is_whole =
            !is_command(path) || kept.contains_key("template") || !members.contains_key("template");
        (is_left && is_whole).then(|| Node { value: Value::Object(kept), ..node.clone() })
    }

    fn value(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let class = class_of(path);
        match class {
            Class::Inside if path == &["sandbox"] && node.as_str().is_some() => {
                path.push("mode".to_owned());
                let kept = self.value(node, path);
                path.pop();
                kept
            }
            Class::Inside => self.members(node, path),
            Class::Waits if path == &["plugin"] => self.each(node, path),
            Class::Waits => self.waits(node, path),
            Class::Rules => self.rules(node, path),
            Class::Off => self.off(node, path),
            _ if !words::tokens_in(node).is_empty() => self.filled_in(node, path),
            Class::Free => Some(node.clone()),
            Class::Switches => {
                self.lines.switches(agent_of(path), node);
                Some(node.clone())
            }
            Class::Strictness => self.stricter(node, path),
            Class::Only(values) => {
                let word = node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned);
                if values.contains(&word.as_str()) { Some(node.clone()) } else { self.waits(node, path) }
            }
            Class::OwnAgent if self.is_projects_agent(path) => Some(node.clone()),
            Class::Template if !node.as_str().is_some_and(|text| text.contains("!`")) => Some(node.clone()),
            Class::OwnAgent | Class::Template => self.waits(node, path),
            Class::Paths => self.paths(node, path),
            Class::Reference if self.is_folder_inside(node) => Some(node.clone()),
            Class::Reference => self.waits(node, path),
        }
    }

    fn waits(&mut self, node: &Node, path: &[String]) -> Sifted {
        let (kind, text) = words::of(path, node);
        // Where files are named, the same text means another file in another folder.
        let file = if text.contains("the file ") || path[0] == "plugin" { self.file.as_str() } else { "" };
        self.wants.push(Want {
            kind,
            text,
            origin: origin(node),
            hash: hash(&[&path.join("\u{0}"), &node.to_json().to_string(), file, &self.code(node, path)]),
            except: std::collections::BTreeSet::new(),
        });
        None
    }

    /// A plugin is what its file says: another text is another plugin.
    fn code(&self, node: &Node, path: &[String]) -> String {
        let spec = match &node.value {
            Value::Array(pair) => pair.first().and_then(Node::as_str),
            _ => node.as_str(),
        };
        let Some(spec) = spec.filter(|_| path[0] == "plugin") else { return String::new() };
        let base = origin(node).place().and_then(|place| place.file.parent().map(Path::to_path_buf));
        let file = self.surroundings.resolve(spec, &base.unwrap_or_default());
        std::fs::read(file).map(|bytes| blake3::hash(&bytes).to_hex().to_string()).unwrap_or_default()
    }

    /// A value with `{env:…}` or `{file:…}` in it. It is neither looked up nor read.
    fn filled_in(&mut self, node: &Node, path: &[String]) -> Sifted {
        self.wants.push(Want {
            kind: WantKind::Reading,
            text: words::substitution(path, node),
            origin: origin(node),
            hash: hash(&["filled in", &path.join("\u{0}"), &node.to_json().to_string(), &self.file]),
            except: std::collections::BTreeSet::new(),
        });
        None
    }

    /// Every entry of a list waits for itself.
    fn each(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let Value::Array(items) = &node.value else { return self.waits(node, path) };
        for (index, item) in items.iter().enumerate() {
            // The place in the list says nothing about what it is.
            path.push(if path[0] == "plugin" { String::new() } else { index.to_string() });
            self.waits(item, path);
            path.pop();
        }
        None
    }

    /// Rules are kept whole, for a ceiling: there an allow loosens nothing.
    fn rules(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let kept = self.without_tokens(node, path)?;
        self.lines.rules(agent_of(path), &kept);
        Some(kept)
    }

    /// The value without the members that would be filled in, each of which is a want.
    fn without_tokens(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let Some(members) = node.as_object() else {
            let plain = words::tokens_in(node).is_empty();
            return if plain { Some(node.clone()) } else { self.filled_in(node, path) };
        };
        let mut kept = IndexMap::new();
        for (key, member) in members {
            path.push(key.clone());
            let counts = match tokens(key).is_empty() {
                true => self.without_tokens(member, path),
                false => self.filled_in(member, path),
            };
            path.pop();
            kept.extend(counts.map(|counts| (key.clone(), counts)));
        }
        Some(Node { value: Value::Object(kept), ..node.clone() })
    }

    fn stricter(&mut self, node: &Node, path: &[String]) -> Sifted {
        if strictness::loosens(&path[1..].join("."), node, self.own.get("sandbox")) {
            return self.waits(node, path);
        }
        self.lines.narrowed_by(format!("{} {}", path.join("."), node.to_json()));
        Some(node.clone())
    }

    /// Programs that are switched off; the others wait, each for itself.
    fn off(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let Some(members) = node.as_object() else {
            let is_off = node.value == Value::Bool(false);
            return if is_off { Some(node.clone()) } else { self.waits(node, path) };
        };
        let mut kept = IndexMap::new();
        for (name, member) in members {
            let switch = |key: &str| member.get(key).map(|node| node.value.clone());
            let alone = member.as_object().is_some_and(|fields| fields.len() == 1);
            let is_off = switch("enabled") == Some(Value::Bool(false))
                || switch("disabled") == Some(Value::Bool(true));
            if alone && is_off {
                kept.insert(name.clone(), member.clone());
                continue;
            }
            path.push(name.clone());
            self.waits(member, path);
            path.pop();
        }
        (!kept.is_empty()).then(|| Node { value: Value::Object(kept), ..node.clone() })
    }

    /// Paths that stay in the project; which files they are is seen when they are looked for.
    fn paths(&mut self, node: &Node, path: &mut Vec<String>) -> Sifted {
        let Value::Array(items) = &node.value else { return Some(node.clone()) };
        let mut kept = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) if !self.stays_inside(text) => {
                    path.push(index.to_string());
                    self.waits_as(item, path);
                    path.pop();
                }
                _ => kept.push(item.clone()),
            }
        }
        Some(Node { value: Value::Array(kept), ..node.clone() })
    }

    /// An entry of a list, whose place in it says nothing.
    fn waits_as(&mut self, node: &Node, path: &mut [String]) {
        if let Some(last) = path.last_mut() {
            last.clear();
        }
        self.waits(node, path);
    }

    fn stays_inside(&self, text: &str) -> bool {
        let plain = !text.contains("://") && !text.starts_with('~');
        let path = Path::new(text);
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        let wild = text.contains(['*', '?', '[', '{']);
        plain && !climbs && (path.is_relative() || (!wild && self.ground.holds(path)))
    }

    /// Whether a reference is a folder of the project, which can be read anyway.
    fn is_folder_inside(&self, node: &Node) -> bool {
        let path = node.as_str().or_else(|| node.get("path").and_then(Node::as_str));
        path.is_some_and(|path| {
            let is_path = node.as_str().is_none() || path.starts_with(['.', '/']);
            is_path && !path.starts_with('~') && self.ground.holds(&self.ground.root().join(path))
        })
    }

    /// Whether neither the user nor we have an agent of that name.
    fn is_projects_agent(&self, path: &[String]) -> bool {
        let [_, name, ..] = path else { return false };
        let is_known = self.own.get("agent").is_some_and(|agents| agents.get(name).is_some());
        !is_known && !BUILT_IN.contains(&name.as_str())
    }
}

fn is_command(path: &[String]) -> bool {
    matches!(path, [section, _] if section == "command")
}

/// The agent whose rules these are; none is everybody.
fn agent_of(path: &[String]) -> Option<&str> {
    match path {
        [section, name, _] if section == "agent" || section == "mode" => Some(name),
        _ => None,
    }
}

/// Where something is written: its key, if it has one.
fn origin(node: &Node) -> Origin {
    node.key.as_ref().unwrap_or(&node.origin).clone()
}
