//! Which tools are not worth showing to a model because every use of them is denied.

use praxis_proto::{Action, Rule};

use crate::{Authority, Ceiling, wildcard};

/// The permission that a tool is judged by.
pub fn permission_of(tool: &str) -> &str {
    match tool {
        "edit" | "write" | "apply_patch" => "edit",
        "list_mcp_resources" | "list_mcp_resource_templates" | "read_mcp_resource" => "read",
        own => own,
    }
}

/// Whether the last rule about this tool, whatever its pattern, is a deny of everything.
///
/// Rules hide by their last word alone, as OpenCode's do; a ceiling hides only when nothing under it is left.
pub fn disabled(tool: &str, authority: &Authority) -> bool {
    let permission = permission_of(tool);
    hides(permission, authority.rules())
        || authority.ceilings().iter().any(|ceiling| ceiling.hides(permission))
}

fn hides(permission: &str, rules: &[Rule]) -> bool {
    rules
        .iter()
        .rev()
        .find(|rule| wildcard::matches(permission, &rule.permission))
        .is_some_and(|rule| rule.pattern == "*" && rule.action == Action::Deny)
}

impl Ceiling {
    fn hides(&self, permission: &str) -> bool {
        hides(permission, self.rules())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_disabled(tool: &str, rules: &[(&str, &str, Action)]) -> bool {
        let rules = rules.iter().map(|(p, t, a)| Rule::built_in("test", p, t, *a)).collect();
        disabled(tool, &Authority::new(rules))
    }

    #[test]
    fn pinned_cases() {
        use Action::{Allow, Ask, Deny};
        assert!(!is_disabled("task", &[("task", "*", Deny), ("task", "general", Allow)]));
        assert!(is_disabled("task", &[("task", "general", Allow), ("task", "*", Deny)]));
        assert!(!is_disabled("bash", &[("bash", "rm *", Deny)]));
        assert!(!is_disabled("bash", &[("bash", "*", Ask)]));
        assert!(is_disabled("bash", &[("*", "*", Deny)]));
        assert!(!is_disabled("bash", &[("*", "*", Deny), ("bash", "*", Allow)]));
        assert!(!is_disabled("bash", &[]));
    }

    #[test]
    fn tools_that_write_are_judged_as_edit_and_resources_as_read() {
        for tool in ["edit", "write", "apply_patch"] {
            assert!(is_disabled(tool, &[("edit", "*", Action::Deny)]), "{tool}");
        }
        assert!(is_disabled("read_mcp_resource", &[("read", "*", Action::Deny)]));
        assert!(!is_disabled("bash", &[("edit", "*", Action::Deny)]));
    }

    #[test]
    fn a_ceiling_hides_too() {
        let ceiling = Ceiling::new("explore", vec![Rule::built_in("t", "*", "*", Action::Deny)]);
        let authority = Authority::new(vec![Rule::built_in("t", "*", "*", Action::Allow)]).under(ceiling);
        assert!(disabled("edit", &authority));
    }
}
