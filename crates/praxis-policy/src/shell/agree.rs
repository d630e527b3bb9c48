//! Do the grammar and our own reader find the same words, comments, heredocs and commands in a script?

use std::collections::HashSet;

use super::lexer::{Lexed, Span};
use super::tree::{Node, Tree};

/// What differs, for people; nothing if the two agree.
pub(super) fn differs(tree: &Tree, lexed: &Lexed) -> Option<&'static str> {
    let spans: HashSet<Span> = tree.nodes().map(|node| (node.start(), node.end())).collect();
    if lexed.operators.iter().any(|operator| !spans.contains(operator)) {
        return Some("an operator of the script can be read in two ways");
    }
    if lexed.words.iter().any(|word| !spans.contains(word)) {
        return Some("a word of the script can be read in two ways");
    }
    let words: HashSet<Span> = lexed.words.iter().copied().collect();
    let mut names = Vec::new();
    let mut comments = Vec::new();
    let mut bodies = Vec::new();
    let mut redirects = HashSet::new();
    for node in tree.nodes() {
        let kind = node.kind();
        match kind {
            "command_name" | "declaration_command" | "unset_command" => names.push(node.start()),
            "test_command" => {
                let first = node.children().next().map(Node::kind);
                if first == Some("[") {
                    let (start, end) = (node.start(), node.end());
                    if !words.contains(&(start, start + 1)) || !words.contains(&(end.saturating_sub(1), end))
                    {
                        return Some("a test of the script can be read in two ways");
                    }
                    names.push(start);
                }
            }
            "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                redirects.extend(node.children().map(|child| (child.start(), child.end())));
            }
            "comment" => comments.push((node.start(), node.end())),
            "heredoc_body" => bodies.push((node.start(), node.end())),
            _ => {}
        }
        if holds_words(kind) {
            let odd =
                |child: &Node<'_>| is_word(child.kind()) && !words.contains(&(child.start(), child.end()));
            if node.named().any(|child| odd(&child)) {
                return Some("a word of the script can be read in two ways");
            }
        }
    }
    if lexed.redirects.iter().any(|sign| !redirects.contains(sign)) {
        return Some("a redirection of the script can be read in two ways");
    }
    names.sort_unstable();
    let mut expected = lexed.names.clone();
    expected.sort_unstable();
    if names != expected {
        return Some("it can be read in two ways which words are commands");
    }
    comments.sort_unstable();
    if comments != lexed.comments {
        return Some("a comment of the script can be read in two ways");
    }
    bodies.sort_unstable();
    // An empty body has no node.
    let mut expected: Vec<Span> = lexed.bodies.iter().copied().filter(|(start, end)| start < end).collect();
    expected.sort_unstable();
    (bodies != expected).then_some("a heredoc of the script can be read in two ways")
}

/// Are words of the script the direct children of such a node?
fn holds_words(kind: &str) -> bool {
    matches!(
        kind,
        "command"
            | "declaration_command"
            | "unset_command"
            | "file_redirect"
            | "herestring_redirect"
            | "heredoc_redirect"
            | "for_statement"
            | "case_statement"
            | "case_item"
            | "redirected_statement"
            | "function_definition"
            | "array"
            | "program"
            | "list"
            | "pipeline"
    )
}

fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "concatenation"
            | "number"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
            | "command_name"
            | "variable_assignment"
            | "extglob_pattern"
    )
}
