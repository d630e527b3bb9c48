//! Text that the grammar passes over. It loses a word now and then; no word may go unseen.

use super::agree;
use super::tree::Tree;

/// Is there text between the nodes of the tree that is no space?
pub(super) fn any(tree: &Tree, text: &str) -> bool {
    let root = tree.root();
    !blank(text, 0, root.start())
        || !blank(text, root.end(), text.len())
        || tree.nodes().any(|parent| {
            let kind = parent.kind();
            let mut before = None;
            let mut gaps = parent.children().filter(|after| {
                let Some(before) = before.replace(*after) else { return false };
                // Words between a command and its redirections are taken up with the redirections.
                let is_dash = |(start, _)| before.end() <= start && start < after.start();
                let is_known = || {
                    kind == "redirected_statement"
                        && (before.kind() == "command" || agree::dropped(parent, text).is_some_and(is_dash))
                };
                let has_end = || is_of_one_line(kind) && ends_line(text, before.end(), after.start());
                (!blank(text, before.end(), after.start()) && !is_known()) || has_end()
            });
            !matches!(kind, "string" | "heredoc_body" | "expansion") && gaps.next().is_some()
        })
}

/// Do the parts of such a node stand on one line?
fn is_of_one_line(kind: &str) -> bool {
    matches!(kind, "command" | "file_redirect" | "herestring_redirect" | "redirected_statement")
        || matches!(kind, "declaration_command" | "unset_command" | "variable_assignments")
}

/// Does a line end in this part?
fn ends_line(text: &str, start: usize, end: usize) -> bool {
    let gap = text.get(start..end).unwrap_or_default();
    gap.contains('\n') && gap.replace("\\\n", "").contains('\n')
}

/// Is there nothing but space and escaped line ends in this part?
fn blank(text: &str, start: usize, end: usize) -> bool {
    if start == end {
        return true;
    }
    let gap = text.get(start..end).unwrap_or_default();
    let is_space = |text: &str| text.bytes().all(|sign| sign.is_ascii_whitespace());
    is_space(gap) || is_space(&gap.replace("\\\n", ""))
}
