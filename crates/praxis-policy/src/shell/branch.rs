//! Ways that a script may take: after each of them every state counts that may hold.

use super::state::State;
use super::tree::Node;
use super::walk::Walker;

/// The states in which a chain may be: when what ran so far did its work, and when it failed.
struct Chain {
    done: State,
    failed: State,
}

impl Walker<'_> {
    /// `a && b || c`: a chain that leans to the left, taken apart without recursion.
    ///
    /// The grammar hangs redirections of the last command on the whole; `redirected` is that node.
    pub(super) fn list(&mut self, node: Node<'_>, redirected: Option<Node<'_>>, text: &str, depth: usize) {
        let is_piped = std::mem::take(&mut self.tail_is_piped);
        let is_fed = std::mem::take(&mut self.head_is_piped);
        let mut rights = Vec::new();
        let mut first = node;
        while first.kind() == "list" {
            let parts = first.children().collect::<Vec<_>>();
            let Some((left, rest)) = parts.split_first() else { return };
            rights.extend(rest.iter().rev().copied());
            first = *left;
        }
        let before = self.state.clone();
        if is_fed {
            self.apart(|me| me.walk(first, text, depth));
        } else {
            self.walk(first, text, depth);
        }
        let mut chain = Chain { done: self.did(first, &before, text), failed: self.state.clone() };
        let mut is_or = false;
        rights.reverse();
        for (at, part) in rights.iter().copied().enumerate() {
            match part.kind() {
                "&&" => is_or = false,
                "||" => is_or = true,
                _ => {
                    let is_last = at + 1 == rights.len();
                    let tail = redirected.filter(|_| is_last);
                    let before = if is_or { chain.failed.clone() } else { chain.done.clone() };
                    self.state = before.clone();
                    let act = |me: &mut Self| match tail {
                        Some(node) => me.redirected_on(node, Some(part), text, depth),
                        None => me.walk(part, text, depth),
                    };
                    if is_last && is_piped {
                        self.apart(act)
                    } else {
                        act(self)
                    }
                    let done = self.did(part, &before, text);
                    if is_or {
                        chain.done.merge(&done);
                        chain.failed = self.state.clone();
                    } else {
                        chain.failed.merge(&self.state);
                        chain.done = done;
                    }
                }
            }
        }
        self.state = chain.done;
        self.state.merge(&chain.failed);
    }

    /// The state where the part did its work: a `cd` that did has left.
    fn did(&self, part: Node<'_>, before: &State, text: &str) -> State {
        let mut state = self.state.clone();
        let source = part.text(text);
        let is_move = source == "cd" || source.starts_with("cd ") || source.starts_with("pushd ");
        if part.kind() == "command" && is_move && self.state.folders != before.folders {
            state.fallback.clone_from(&state.landed);
        }
        state
    }

    /// `if`: each branch begins where the tests before it left off.
    pub(super) fn branches(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let mut ends: Vec<State> = Vec::new();
        let mut has_else = false;
        let mut in_body = false;
        let mut tested = self.state.clone();
        let children = node.children().collect::<Vec<_>>();
        for (at, child) in children.iter().copied().enumerate() {
            match child.kind() {
                "then" => {
                    tested = self.state.clone();
                    in_body = true;
                }
                "elif_clause" => {
                    ends.push(std::mem::replace(&mut self.state, tested.clone()));
                    self.branches(child, text, depth + 1);
                    // What its tests left and what its body left are both in there; so is a body that did not run.
                    tested = self.state.clone();
                }
                "else_clause" => {
                    ends.push(std::mem::replace(&mut self.state, tested.clone()));
                    has_else = true;
                    self.sequence(child, text, depth);
                }
                _ if !child.is_named() => {}
                _ if children.get(at + 1).is_some_and(|next| next.kind() == "&") => {
                    self.apart(|me| me.walk(child, text, depth));
                }
                _ => self.walk(child, text, depth),
            }
        }
        if !has_else && in_body {
            ends.push(tested);
        }
        for end in ends {
            self.state.merge(&end);
        }
    }

    /// `case`: one item runs, or none, and one may fall through to the next.
    pub(super) fn cases(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let mut all = None;
        for child in node.named() {
            if child.kind() == "case_item" {
                let start = all.get_or_insert_with(|| self.state.clone()).clone();
                self.state = start.clone();
                self.sequence(child, text, depth);
                if let Some(all) = &mut all {
                    all.merge(&self.state);
                }
            } else {
                self.walk(child, text, depth);
            }
        }
        if let Some(all) = all {
            self.state = all;
        }
    }
}
