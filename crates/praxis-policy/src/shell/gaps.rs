//! Text that the grammar passes over. It loses a word now and then; no word may go unseen.

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
                let is_known = || kind == "redirected_statement" && before.kind() == "command";
                !blank(text, before.end(), after.start()) && !is_known()
            });
            !matches!(kind, "string" | "heredoc_body" | "expansion") && gaps.next().is_some()
        })
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
