//! Text that the grammar passes over. It loses a word now and then; no word may go unseen.

use tree_sitter::Tree;

/// Is there text between the nodes of the tree that is no space?
pub(super) fn any(tree: &Tree, text: &str) -> bool {
    let root = tree.root_node();
    if !blank(text, 0, root.start_byte()) || !blank(text, root.end_byte(), text.len()) {
        return true;
    }
    let mut cursor = tree.walk();
    let mut parents = Vec::new();
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            parents.push(node.kind());
            continue;
        }
        let mut previous = node;
        while !cursor.goto_next_sibling() {
            parents.pop();
            if !cursor.goto_parent() {
                return false;
            }
            previous = cursor.node();
        }
        let parent = parents.last().copied().unwrap_or_default();
        // Words between a command and its redirections are taken up with the redirections.
        let is_known = parent == "redirected_statement" && previous.kind() == "command";
        let is_text = matches!(parent, "string" | "heredoc_body" | "expansion");
        if !is_known && !is_text && !blank(text, previous.end_byte(), cursor.node().start_byte()) {
            return true;
        }
    }
}

/// Is there nothing but space and escaped line ends in this part?
fn blank(text: &str, start: usize, end: usize) -> bool {
    let gap = text.get(start..end).unwrap_or_default();
    gap.chars().all(|sign| sign.is_ascii_whitespace())
        || gap.replace("\\\n", "").chars().all(|sign| sign.is_ascii_whitespace())
}
