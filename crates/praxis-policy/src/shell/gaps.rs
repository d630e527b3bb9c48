//! Text that the grammar passes over. It loses a word now and then; no word may go unseen.

use super::tree::Tree;

/// Is there text between the nodes of the tree that is no space?
pub(super) fn any(tree: &Tree, text: &str) -> bool {
    let root = tree.root();
    !blank(text, 0, root.start())
        || !blank(text, root.end(), text.len())
        || tree.nodes().any(|parent| {
            let is_text = matches!(parent.kind(), "string" | "heredoc_body" | "expansion");
            let mut pairs = parent.children().zip(parent.children().skip(1));
            !is_text
                && pairs.any(|(before, after)| {
                    // Words between a command and its redirections are taken up with the redirections.
                    let is_known = parent.kind() == "redirected_statement" && before.kind() == "command";
                    !is_known && !blank(text, before.end(), after.start())
                })
        })
}

/// Is there nothing but space and escaped line ends in this part?
fn blank(text: &str, start: usize, end: usize) -> bool {
    let gap = text.get(start..end).unwrap_or_default();
    let is_space = |text: &str| text.bytes().all(|sign| sign.is_ascii_whitespace());
    is_space(gap) || is_space(&gap.replace("\\\n", ""))
}
