//! Do the grammar and our own reader find the same words, comments, heredocs and commands in a script?

use std::cmp::Reverse;

use super::lexer::{Lexed, Span};
use super::tree::{Node, Tree};

/// What differs, for people; nothing if the two agree.
pub(super) fn differs(tree: &Tree, lexed: &Lexed, text: &str) -> Option<&'static str> {
    let mut found = Found::of(tree);
    // The grammar drops a lone dash before a redirection; the walk takes it up from there.
    found.nodes.extend(tree.nodes().filter_map(|node| dropped(node, text)));
    found.nodes.sort_unstable_by_key(order);
    let words = sorted(&lexed.words);
    if !includes(&found.nodes, &sorted(&lexed.operators)) {
        return Some("an operator of the script can be read in two ways");
    }
    if !includes(&found.nodes, &words) || !includes(&words, &found.words) {
        return Some("a word of the script can be read in two ways");
    }
    if !includes(&found.assignments, &sorted(&lexed.assignments)) {
        return Some("an assignment of the script can be read in two ways");
    }
    if !includes(&found.sums, &sorted(&lexed.sums)) {
        return Some("arithmetic of the script can be read in two ways");
    }
    if !includes(&words, &found.brackets) {
        return Some("a test of the script can be read in two ways");
    }
    if !includes(&found.redirects, &sorted(&lexed.redirects)) {
        return Some("a redirection of the script can be read in two ways");
    }
    let mut names = lexed.names.clone();
    names.sort_unstable();
    if found.names != names {
        return Some("it can be read in two ways which words are commands");
    }
    if found.comments != lexed.comments {
        return Some("a comment of the script can be read in two ways");
    }
    // An empty body has no node, and the grammar may drop the empty lines at the beginning of one.
    let mut bodies = sorted(&lexed.bodies);
    bodies.retain(|(start, end)| start < end);
    let trimmed =
        |spans: &[Span]| -> Vec<Span> { spans.iter().map(|span| without_empty_lines(*span, text)).collect() };
    (trimmed(&found.bodies) != trimmed(&bodies)).then_some("a heredoc of the script can be read in two ways")
}

/// What the grammar found, each sorted: sets of a long script are too slow when they are hashed.
#[derive(Default)]
struct Found {
    /// Every node, whatever it is.
    nodes: Vec<Span>,
    words: Vec<Span>,
    /// The brackets of tests, which are words to the shell.
    brackets: Vec<Span>,
    /// The parts of redirections.
    redirects: Vec<Span>,
    comments: Vec<Span>,
    bodies: Vec<Span>,
    assignments: Vec<Span>,
    /// Arithmetic that is a command.
    sums: Vec<Span>,
    /// Where the names of commands begin.
    names: Vec<usize>,
}

impl Found {
    fn of(tree: &Tree) -> Self {
        let mut found = Self { nodes: tree.nodes().map(span).collect(), ..Self::default() };
        for node in tree.nodes().filter(|node| node.is_named()) {
            let kind = node.kind();
            let (start, end) = span(node);
            match kind {
                "command_name" | "declaration_command" | "unset_command" => found.names.push(start),
                "test_command" if node.children().next().map(Node::kind) == Some("[") => {
                    found.brackets.extend([(start, start + 1), (end.saturating_sub(1), end)]);
                    found.names.push(start);
                }
                "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                    found.redirects.extend(node.children().map(span));
                }
                "variable_assignment" => found.assignments.push((start, end)),
                "compound_statement" if node.children().next().map(Node::kind) == Some("((") => {
                    found.sums.push((start, end));
                }
                "comment" => found.comments.push((start, end)),
                "heredoc_body" => found.bodies.push((start, end)),
                _ => {}
            }
            if holds_words(kind) {
                found.words.extend(node.named().filter(|child| is_word(child.kind())).map(span));
            }
        }
        for spans in [
            &mut found.nodes,
            &mut found.words,
            &mut found.brackets,
            &mut found.redirects,
            &mut found.comments,
            &mut found.bodies,
            &mut found.assignments,
            &mut found.sums,
        ] {
            spans.sort_unstable_by_key(order);
        }
        found.names.sort_unstable();
        found
    }
}

/// The lone dash that the grammar dropped between a command and its first redirection.
pub(super) fn dropped(node: Node<'_>, text: &str) -> Option<Span> {
    if node.kind() != "redirected_statement" {
        return None;
    }
    let mut children = node.children();
    let (body, next) = (children.next()?, children.next()?);
    let is_command = matches!(body.kind(), "command" | "list" | "pipeline");
    let gap = text.get(body.end()..next.start()).filter(|_| is_command)?;
    let start = body.end() + gap.find('-')?;
    (gap.trim_matches([' ', '\t']) == "-").then_some((start, start + 1))
}

/// Where a body begins that is more than empty lines.
fn without_empty_lines((start, end): Span, text: &str) -> Span {
    let body = text.get(start..end).unwrap_or_default();
    match body.find(|sign| sign != '\n') {
        Some(empty) => (start + empty, end),
        None => (start, end),
    }
}

fn span(node: Node<'_>) -> Span {
    (node.start(), node.end())
}

/// The order in which the grammar gives its nodes, so that little is left to sort: what is outside comes first.
fn order(&(start, end): &Span) -> (usize, Reverse<usize>) {
    (start, Reverse(end))
}

fn sorted(spans: &[Span]) -> Vec<Span> {
    let mut spans = spans.to_vec();
    spans.sort_unstable_by_key(order);
    spans
}

/// Is every one of `some` among `all`? Both are sorted.
fn includes(all: &[Span], some: &[Span]) -> bool {
    let mut rest = all.iter();
    let mut last = None;
    some.iter().all(|span| {
        let is_known = last == Some(span) || rest.find(|other| order(other) >= order(span)) == Some(span);
        last = Some(span);
        is_known
    })
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
