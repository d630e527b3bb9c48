//! Builtins that declare variables: what they assign, and what their attributes change.

use super::Dialect;
use super::tree::Node;
use super::walk::Walker;
use super::word;

impl Walker<'_> {
    /// `export`, `declare`, `unset` and their kind.
    pub(super) fn declaration(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let children = node.children().collect::<Vec<_>>();
        self.gaps(&children, text);
        let mut words = Vec::new();
        for child in &children {
            words.extend(word::resolve(child.text(text), &self.seen()));
        }
        let head = words.first().map(|word| word.text.clone()).unwrap_or_default();
        let at = self.list_only(&words);
        if words.iter().any(|word| word::runs_in_brackets(&word.text)) {
            self.mark(at, format!("`{head}` may run what stands in brackets"));
        }
        // Attributes change what is assigned: numbers are evaluated, names lead elsewhere, letters change.
        let flags: String =
            words[1..].iter().map(|w| w.text.as_str()).filter(|text| text.starts_with(['-', '+'])).collect();
        if flags.contains(['i', 'n']) && head != "unset" {
            self.mark(at, format!("`{head} {flags}` changes what assignments mean"));
        }
        if self.dialect != Dialect::Bash && matches!(head.as_str(), "declare" | "typeset") {
            self.mark(at, format!("not every shell has `{head}`"));
        }
        // In a function they end with it.
        let is_local = !self.calls.is_empty() && head != "export" && head != "readonly";
        let is_plain = matches!(head.as_str(), "declare" | "typeset" | "export" | "readonly")
            && !is_local
            && !flags.contains(['i', 'n', 'l', 'u', 'a', 'A', 'c', 'f', 'F', 'g', 't', 'I']);
        let freezes = head == "readonly" || flags.contains('r');
        for (child, word) in children.iter().zip(&words).skip(1) {
            let name = word.text.split(['=', '+', '[']).next().unwrap_or_default();
            let value = word.text.strip_prefix(name).and_then(|rest| rest.strip_prefix('='));
            let is_harmless = word.is_static
                && word.glob.is_none()
                && value.is_some_and(|value| self.is_harmless(name, value));
            if (self.table.is_special(name) && !is_harmless)
                || (head != "unset" && !word.is_static && child.kind() != "variable_assignment")
            {
                self.state.shadowed.get_or_insert(format!("the variable `{name}`"));
            }
        }
        if words.iter().any(|word| word.text == "-f" || word.text == "-n" || word.text == "-i") {
            self.state.shadowed.get_or_insert(format!("`{head}`"));
        }
        if words.len() != children.len()
            || words[1..].iter().any(|word| !word.is_static && !word.text.contains('='))
        {
            self.state.forget();
            self.mark(at, format!("which variables `{head}` means is not known"));
        }
        for (child, word) in children.iter().zip(&words) {
            if child.kind() == "variable_assignment" {
                self.assignment(*child, text, depth);
            } else {
                let met = self.nested(*child, text, depth);
                self.check(child.text(text), met);
            }
            let name = word.text.split(['=', '+', '[']).next().unwrap_or_default();
            let is_assigned = child.kind() == "variable_assignment";
            if !is_plain || !is_assigned {
                // `export x` and its like leave a value as it is.
                if !(is_plain && word.text == name) {
                    self.state.set(name, None);
                }
            }
            // What is assigned to a name of the function's own is gone with it.
            if freezes || is_local || (!is_plain && !flags.is_empty()) {
                self.state.freeze(name);
            }
        }
    }
}
