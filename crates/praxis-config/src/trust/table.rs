//! Every key of the configuration, and what of it counts where the project is not trusted.

/// What counts of a value in a project's configuration that nobody trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// All of it: text, looks, and limits that harm nobody.
    Free,
    /// What counts of each of its members.
    Inside,
    /// Nothing.
    Waits,
    /// Rules: as a ceiling.
    Rules,
    /// Tools switched on and off: as a ceiling.
    Switches,
    /// As far as it is stricter than what is in force without it.
    Strictness,
    /// One of these values, which narrow.
    Only(&'static [&'static str]),
    /// All of it, for an agent that only the project has.
    OwnAgent,
    /// A prompt that runs nothing.
    Template,
    /// Paths that lead nowhere else than into the project.
    Paths,
    /// A further folder, if it lies in the project.
    Reference,
    /// Switching it off, whole or by name.
    Off,
}

/// The keys; `*` is any name. What is not listed waits.
pub(crate) const TABLE: &[(&str, Class)] = &[
    ("$schema", Class::Free),
    ("shell", Class::Waits),
    ("shell_tool", Class::Inside),
    ("shell_tool.timeout_ms", Class::Free),
    ("shell_tool.on_timeout", Class::Free),
    ("shell_tool.environment", Class::Waits),
    ("logLevel", Class::Free),
    ("server", Class::Waits),
    ("command", Class::Inside),
    ("command.*", Class::Inside),
    ("command.*.template", Class::Template),
    ("command.*.description", Class::Free),
    // Agents that only look; another one may do more than the one the user is with.
    ("command.*.agent", Class::Only(&["plan", "explore"])),
    ("command.*.model", Class::Waits),
    ("command.*.variant", Class::Waits),
    ("command.*.subtask", Class::Free),
    ("skills", Class::Inside),
    ("skills.paths", Class::Paths),
    ("skills.urls", Class::Waits),
    ("references", Class::Inside),
    ("references.*", Class::Reference),
    ("reference", Class::Inside),
    ("reference.*", Class::Reference),
    ("watcher", Class::Inside),
    ("watcher.ignore", Class::Free),
    // Without snapshots nothing can be taken back; with them a disk may fill.
    ("snapshot", Class::Waits),
    ("plugin", Class::Waits),
    ("share", Class::Only(&["disabled"])),
    ("autoshare", Class::Only(&["false"])),
    ("autoupdate", Class::Only(&["false"])),
    // A list takes the place of the user's, so even a shorter one may let a provider in.
    ("disabled_providers", Class::Waits),
    ("enabled_providers", Class::Waits),
    // Another model costs other money and sends the code to somebody else.
    ("model", Class::Waits),
    ("small_model", Class::Waits),
    ("default_agent", Class::Only(&["plan"])),
    ("subagent_depth", Class::Only(&["0"])),
    ("username", Class::Free),
    ("agent", Class::Inside),
    ("agent.*", Class::Inside),
    ("agent.*.model", Class::Waits),
    ("agent.*.variant", Class::Waits),
    ("agent.*.temperature", Class::OwnAgent),
    ("agent.*.top_p", Class::OwnAgent),
    ("agent.*.prompt", Class::Free),
    ("agent.*.description", Class::Free),
    ("agent.*.mode", Class::OwnAgent),
    ("agent.*.hidden", Class::OwnAgent),
    ("agent.*.color", Class::Free),
    ("agent.*.steps", Class::OwnAgent),
    ("agent.*.maxSteps", Class::OwnAgent),
    ("agent.*.options", Class::Waits),
    // Who takes the place of a missing agent may do more.
    ("agent.*.disable", Class::OwnAgent),
    ("agent.*.permission", Class::Rules),
    ("agent.*.tools", Class::Switches),
    ("mode", Class::Inside),
    ("mode.*", Class::Inside),
    ("mode.*.model", Class::Waits),
    ("mode.*.variant", Class::Waits),
    ("mode.*.temperature", Class::OwnAgent),
    ("mode.*.top_p", Class::OwnAgent),
    ("mode.*.prompt", Class::Free),
    ("mode.*.description", Class::Free),
    ("mode.*.mode", Class::OwnAgent),
    ("mode.*.hidden", Class::OwnAgent),
    ("mode.*.color", Class::Free),
    ("mode.*.steps", Class::OwnAgent),
    ("mode.*.maxSteps", Class::OwnAgent),
    ("mode.*.options", Class::Waits),
    ("mode.*.disable", Class::OwnAgent),
    ("mode.*.permission", Class::Rules),
    ("mode.*.tools", Class::Switches),
    ("provider", Class::Inside),
    ("provider.*", Class::Waits),
    ("mcp", Class::Off),
    ("formatter", Class::Off),
    ("lsp", Class::Off),
    ("instructions", Class::Paths),
    ("permission", Class::Rules),
    ("tools", Class::Switches),
    ("sandbox", Class::Inside),
    ("sandbox.mode", Class::Strictness),
    ("sandbox.writable", Class::Waits),
    ("sandbox.readable", Class::Waits),
    ("sandbox.unreadable", Class::Strictness),
    ("sandbox.network", Class::Strictness),
    ("sandbox.unix_sockets", Class::Strictness),
    ("sandbox.limits", Class::Inside),
    ("sandbox.limits.cpu_seconds", Class::Strictness),
    ("sandbox.limits.memory_mb", Class::Strictness),
    ("sandbox.limits.file_size_mb", Class::Strictness),
    ("sandbox.limits.processes", Class::Strictness),
    ("sandbox.auto_allow", Class::Strictness),
    ("attachment", Class::Free),
    ("enterprise", Class::Waits),
    ("tool_output", Class::Free),
    ("compaction", Class::Free),
    ("experimental", Class::Waits),
];

/// Keys of other programs' own files, which nothing here reads.
const NOBODYS: [&str; 4] = ["theme", "keybinds", "tui", "layout"];

/// What counts of the value under these keys.
pub(crate) fn class_of(path: &[String]) -> Class {
    if let [key] = path
        && NOBODYS.contains(&key.as_str())
    {
        return Class::Free;
    }
    let is_it = |row: &&(&str, Class)| {
        let keys: Vec<&str> = row.0.split('.').collect();
        keys.len() == path.len() && keys.iter().zip(path).all(|(key, given)| *key == "*" || key == given)
    };
    TABLE.iter().find(is_it).map_or(Class::Waits, |(_, class)| *class)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value as Json;

    use super::*;
    use crate::config::Config;

    /// Every key of the schema as a path; a map's names are `*`.
    fn keys(schema: &Json, at: &Json, path: &str, found: &mut BTreeSet<String>, depth: usize) {
        let at = match at.get("$ref").and_then(Json::as_str) {
            Some(reference) => &schema["$defs"][reference.strip_prefix("#/$defs/").unwrap()],
            None => at,
        };
        assert!(depth < 12, "{path} goes round in circles");
        for form in ["anyOf", "oneOf"].iter().filter_map(|name| at.get(name)?.as_array()).flatten() {
            keys(schema, form, path, found, depth + 1);
        }
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, value) in at.get("properties").and_then(Json::as_object).into_iter().flatten() {
            found.insert(below(name));
            keys(schema, value, &below(name), found, depth + 1);
        }
        if let Some(value @ Json::Object(_)) = at.get("additionalProperties") {
            found.insert(below("*"));
            keys(schema, value, &below("*"), found, depth + 1);
        }
    }

    fn schema_keys() -> BTreeSet<String> {
        let schema = Config::schema();
        let mut found = BTreeSet::new();
        keys(&schema, &schema, "", &mut found, 0);
        found
    }

    fn listed(path: &str) -> Option<Class> {
        TABLE.iter().find(|(key, _)| *key == path).map(|(_, class)| *class)
    }

    #[test]
    fn every_key_of_the_configuration_is_in_the_table() {
        let found = schema_keys();
        assert!(found.contains("agent.*.prompt") && found.contains("sandbox.limits.processes"), "{found:?}");
        let undecided: Vec<&String> = found
            .iter()
            .filter(|path| {
                let decided = |end: usize| {
                    let class = listed(&path[..end]);
                    class.is_some_and(|class| end == path.len() || class != Class::Inside)
                };
                let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
                !ends.into_iter().any(decided)
            })
            .collect();
        assert!(undecided.is_empty(), "say in the table whether these need trust: {undecided:?}");
    }

    #[test]
    fn the_table_has_no_key_that_the_configuration_has_not() {
        let found = schema_keys();
        let gone: Vec<&str> =
            TABLE.iter().map(|(path, _)| *path).filter(|path| !found.contains(*path)).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }

    #[test]
    fn what_nobody_knows_waits() {
        let class = |path: &[&str]| class_of(&path.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(class(&["hooks"]), Class::Waits);
        assert_eq!(class(&["agent", "a.b", "reasoningEffort"]), Class::Waits);
        assert_eq!(class(&["agent", "a.b", "prompt"]), Class::Free);
        assert_eq!(class(&["command", "x", "template"]), Class::Template);
        assert_eq!(class(&["theme"]), Class::Free);
    }
}
