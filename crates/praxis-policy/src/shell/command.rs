//! Simple commands as the tree has them: their words, their redirections, their heredocs.

use super::feed::Feed;
use super::tree::Node;
use super::walk::{Walker, short};
use super::word::{self, Resolved};
use super::{Dialect, How, agree, path};

impl Walker<'_> {
    /// A command node; `extra` are words that the grammar put behind a redirection.
    pub(super) fn command_node(&mut self, node: Node<'_>, extra: &[Resolved], text: &str, depth: usize) {
        self.set_between_words(node.text(text));
        let handed = self.feed.take();
        let outer_input = std::mem::take(&mut self.outer_input);
        let children = node.children().collect::<Vec<_>>();
        self.gaps(&children, text);
        let joined = joins(&children, text);
        let mut words = Vec::new();
        let mut special = Vec::new();
        let mut set = Vec::new();
        let mut more = Vec::new();
        for (at, child) in children.iter().enumerate() {
            match child.kind() {
                _ if joined[at] == Joined::Done => {}
                "variable_assignment" => {
                    let name = child.text(text).split(['=', '+', '[']).next().unwrap_or_default();
                    set.push(name.to_owned());
                    if self.changes_meaning(child.text(text)) {
                        let splits = self.only_splits(child.text(text));
                        special.push((name.to_owned(), splits));
                    }
                }
                "file_redirect" => more.extend(self.redirect(*child, text)),
                "herestring_redirect" | "comment" => {}
                "heredoc_redirect" => more.extend(self.heredoc_words(*child, text)),
                "subshell" | "ERROR" => self.doubt("the script has a syntax error"),
                _ => {
                    let end = if let Joined::Until(end) = joined[at] { end } else { child.end() };
                    let source = text.get(child.start()..end).unwrap_or_default();
                    words.extend(word::resolve(source, &self.seen()));
                }
            }
        }
        words.extend(more);
        words.extend_from_slice(extra);
        let reads = words.first().is_some_and(|head| head.is_static && head.text == "read");
        for (name, splits) in special {
            // `IFS=, read a b`: it is gone with that `read`.
            if !(splits && reads) {
                self.doubt(format!("the variable `{name}` changes what the command does"));
            }
        }
        let has_input = !outer_input && takes_input(node);
        let feed = if has_input { self.given(node, text) } else { handed };
        // Without its file a command does not even start, and says nothing.
        let said = self.output(&words, feed.as_ref()).filter(|_| !opens_file(node, text));
        self.feed = feed;
        // What is assigned for the command alone is seen by functions and by `eval`.
        let outer: Vec<_> =
            set.iter().map(|name| self.state.variables.get(name).cloned().flatten()).collect();
        for name in &set {
            self.state.set(name, None);
        }
        self.run(&words);
        for (name, value) in set.iter().zip(outer) {
            let is_kept = self.dialect != Dialect::Bash;
            self.state.set(name, value.filter(|_| !is_kept));
        }
        self.feed = None;
        self.loosen("");
        for child in &children {
            match child.kind() {
                "heredoc_redirect" => self.heredoc(*child, None, text, depth),
                "subshell" | "ERROR" | "command_substitution" | "process_substitution" => {
                    self.walk(*child, text, depth)
                }
                _ => {
                    let met = self.nested(*child, text, depth);
                    self.check(child.text(text), met);
                }
            }
        }
        self.said = said;
    }

    /// Is it an assignment of a known text to `IFS`? To `read` that says where its line is cut, and nothing else.
    fn only_splits(&self, source: &str) -> bool {
        let is_known = |value: &str| {
            word::resolve(value, &self.seen()).iter().all(|word| word.is_static && word.glob.is_none())
        };
        source.strip_prefix("IFS=").is_some_and(is_known)
    }

    /// Words that touch, or are parted by something that is no space, are read otherwise by the shell.
    pub(super) fn gaps(&mut self, children: &[Node<'_>], text: &str) {
        for pair in children.windows(2) {
            let gap = text.get(pair[0].end()..pair[1].start()).unwrap_or_default();
            if gap == " " {
                continue;
            }
            let is_redirect = pair.iter().any(|node| node.kind().ends_with("redirect"));
            let bare = gap.replace("\\\n", "").replace("\\\r\n", "");
            if (gap.is_empty() && !is_redirect) || !bare.chars().all(|c| matches!(c, ' ' | '\t')) {
                self.doubt("words are joined in an unusual way");
            }
        }
    }

    /// The grammar must have found every substitution that the text has.
    pub(super) fn check(&mut self, source: &str, met: usize) {
        if met == 0 && !source.starts_with('\'') && hides(source) {
            self.doubt(format!("a substitution in `{}` cannot be read", short(source)));
        }
    }

    /// Something with redirections behind it.
    pub(super) fn redirected(&mut self, node: Node<'_>, text: &str, depth: usize) {
        let body = node.field("body");
        match body {
            // The redirection belongs to the last command of the list, in the folder where that one runs.
            Some(list) if list.kind() == "list" => self.list(list, Some(node), text, depth),
            body => self.redirected_on(node, body, text, depth),
        }
    }

    /// The redirections of `node` on `body`, which may be only the end of what the grammar put before them.
    pub(super) fn redirected_on(&mut self, node: Node<'_>, body: Option<Node<'_>>, text: &str, depth: usize) {
        let whole = node.field("body");
        self.set_between_words(node.text(text));
        let mut extra = self.lost(node, text);
        for child in node.named() {
            match child.kind() {
                "file_redirect" => extra.extend(self.redirect(child, text)),
                "heredoc_redirect" => extra.extend(self.heredoc_words(child, text)),
                _ => {}
            }
        }
        if let Some(body) = body {
            let handed = self.feed.take();
            let has_input = takes_input(node);
            self.feed = if has_input { self.given(node, text) } else { handed };
            match body.kind() {
                "command" => self.outer_input = has_input,
                // It is the last command of a pipe that the redirection belongs to.
                "pipeline" if has_input => self.tail_input = Some(self.feed.take()),
                _ => {}
            }
            let before = self.state.clone();
            let pipes = |part: Node<'_>| {
                part.kind() == "heredoc_redirect" && part.named().any(|inner| inner.kind() == "pipeline")
            };
            if node.named().any(pipes) {
                self.apart(|me| me.with_extra(body, &extra, text, depth));
            } else {
                self.with_extra(body, &extra, text, depth);
            }
            // `a && b | c > f`: the grammar has it all in the pipe, but the shell opens `f` behind `a`.
            let has_list = body.kind() == "pipeline" && body.inside().any(|part| part.kind() == "list");
            if has_list && self.state != before {
                let redirects = self.redirects.len();
                for child in node.named().filter(|child| child.kind() == "file_redirect") {
                    self.redirect(child, text);
                }
                self.redirects.truncate(redirects);
            }
            // A file that cannot be opened keeps the whole from running, and texts are made before it runs.
            if opens_file(node, text) || makes_text(node, text) {
                self.state.merge(&before);
            }
        } else if !extra.is_empty() {
            self.run(&extra);
        }
        self.loosen("");
        let said = self.said.take().filter(|_| !opens_file(node, text));
        self.said.clone_from(&said);
        for child in node.named() {
            if Some(child) == whole {
                continue;
            }
            if child.kind() == "heredoc_redirect" {
                self.heredoc(child, said.clone(), text, depth);
            } else {
                let met = self.nested(child, text, depth);
                self.check(child.text(text), met);
            }
        }
    }

    /// Words that the grammar dropped between a command and its first redirection, such as the `-` of `sh - <<E`.
    fn lost(&self, node: Node<'_>, text: &str) -> Vec<Resolved> {
        let children = node.children().collect::<Vec<_>>();
        let [body, next, ..] = children.as_slice() else { return Vec::new() };
        if agree::dropped(node, text).is_some() {
            return vec![Resolved::fixed("-")];
        }
        if body.kind() != "command" {
            return Vec::new();
        }
        let gap = text.get(body.end()..next.start()).unwrap_or_default().replace("\\\n", " ");
        gap.split_whitespace().flat_map(|raw| word::resolve(raw, &self.seen())).collect()
    }

    /// Hands words behind a redirection to the command that they belong to.
    pub(super) fn with_extra(&mut self, body: Node<'_>, extra: &[Resolved], text: &str, depth: usize) {
        match body.kind() {
            "command" => self.command_node(body, extra, text, depth + 1),
            "pipeline" => self.pipe(&body.named().collect::<Vec<_>>(), None, extra, text, depth),
            _ => {
                if !extra.is_empty() {
                    self.doubt("words follow a redirection");
                }
                self.loosen("");
                self.walk(body, text, depth);
            }
        }
    }

    /// Notes the file of a redirection; gives the words that the grammar took for more files.
    pub(super) fn redirect(&mut self, node: Node<'_>, text: &str) -> Vec<Resolved> {
        // `-2>f`: to the shell that is a word.
        if node.text(text).starts_with('-') {
            self.doubt("a number below zero stands before a redirection");
        }
        let mut targets =
            node.named().filter(|part| part.kind() != "file_descriptor" && part.kind() != "ERROR");
        let Some(target) = targets.next() else { return Vec::new() };
        let sign = text.get(node.start()..target.start()).unwrap_or_default().replace("\\\n", "");
        if sign.trim_end().ends_with("&-") {
            // It only closes a descriptor; what follows are words of the command.
            let words = std::iter::once(target).chain(targets);
            return words.flat_map(|part| word::resolve(part.text(text), &self.seen())).collect();
        }
        let source = target.text(text);
        let is_descriptor = source.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        let is_process = target.kind() == "process_substitution";
        let copies = sign.contains('&') && !sign.contains("&>") && is_descriptor;
        if !copies && !is_process {
            let writes = sign.contains('>');
            for file in word::resolve(source, &self.seen()) {
                self.touch_as(&file, if writes { How::Fill } else { How::Read });
                if writes && !path::is_harmless(&file.text) {
                    self.redirects.push(format!("{} {}", sign.trim(), file.text));
                }
            }
        }
        let mut extra = Vec::new();
        for part in targets {
            extra.extend(word::resolve(part.text(text), &self.seen()));
        }
        extra
    }

    /// Redirections that no listed command took up stand for themselves, behind `source` if there is one.
    pub(super) fn loosen(&mut self, source: &str) {
        if self.redirects.is_empty() {
            return;
        }
        let text = format!("{source} {}", std::mem::take(&mut self.redirects).join(" "));
        self.out.loose.push(text.trim().to_owned());
    }

    /// Words and files on the line of a heredoc.
    fn heredoc_words(&mut self, node: Node<'_>, text: &str) -> Vec<Resolved> {
        let mut extra = Vec::new();
        let arguments: Vec<_> = node.fields("argument").collect();
        for argument in arguments {
            extra.extend(word::resolve(argument.text(text), &self.seen()));
        }
        for child in node.named().filter(|child| child.kind() == "file_redirect") {
            extra.extend(self.redirect(child, text));
        }
        extra
    }

    /// What a heredoc carries: substitutions in its body, and the rest of its line.
    ///
    /// A pipe behind it hears what its command said.
    pub(super) fn heredoc(&mut self, node: Node<'_>, said: Option<Feed>, text: &str, depth: usize) {
        let mut quoted = false;
        for child in node.named() {
            match child.kind() {
                "heredoc_start" => quoted = child.text(text).contains(['\'', '"', '\\']),
                "heredoc_body" if quoted => {}
                "heredoc_body" => {
                    // The shell joins such lines before it looks for substitutions, even in quotes inside them.
                    if child.text(text).contains("\\\n") && openings(child.text(text)) > 0 {
                        self.doubt("lines of a heredoc with a substitution are joined");
                    }
                    // Sums and defaults in it can assign.
                    let body = child.text(text);
                    let sums = ["$((", "$["].iter().any(|sign| body.contains(sign));
                    if sums || (body.contains("${") && body.contains('=')) {
                        self.state.forget();
                    }
                    let met = self.nested(child, text, depth);
                    if met < openings(child.text(text)) {
                        self.body(child.text(text));
                    }
                }
                "heredoc_end" => {}
                "file_redirect" | "herestring_redirect" => {
                    let met = self.nested(child, text, depth);
                    self.check(child.text(text), met);
                }
                "pipeline" => {
                    let mut parts: Vec<_> = child.named().collect();
                    while let [only] = parts.as_slice()
                        && only.kind() == "pipeline"
                    {
                        parts = only.named().collect();
                    }
                    self.pipe(&parts, said.clone(), &[], text, depth);
                }
                "command" | "list" | "redirected_statement" | "subshell" => self.walk(child, text, depth),
                _ if child.kind() == "ERROR" => self.walk(child, text, depth),
                "word" | "string" | "raw_string" | "concatenation" | "number" | "ansi_c_string" => {
                    let met = self.nested(child, text, depth);
                    self.check(child.text(text), met);
                }
                _ => self.walk(child, text, depth),
            }
        }
    }

    /// Reads a heredoc body again as a quoted word, for the grammar overlooks some of what is in it.
    fn body(&mut self, body: &str) {
        if body.contains('"') || body.trim_end().ends_with('\\') {
            return self.doubt("a substitution in a heredoc cannot be read");
        }
        let known = self.out.commands.len();
        self.apart(|me| me.script(&format!(": \"{body}\"")));
        if self.out.commands.len() > known {
            self.out.commands.remove(known);
        }
        if self.out.commands.len() == known {
            self.doubt("a substitution in a heredoc cannot be read");
        }
    }
}

/// Does the command find something else on its input than what a pipe gives it?
fn takes_input(node: Node<'_>) -> bool {
    node.named().any(|part| {
        part.kind().starts_with("here")
            || (part.kind() == "file_redirect" && part.children().any(|sign| sign.kind().starts_with('<')))
    })
}

/// Does it open a file, which may not be there to be opened?
fn opens_file(node: Node<'_>, text: &str) -> bool {
    node.named().any(|part| {
        let target = part.named().last().map_or("", |target| target.text(text));
        part.kind() == "file_redirect"
            && !path::is_harmless(target)
            && !target.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Is it given a text that something is put into?
fn makes_text(node: Node<'_>, text: &str) -> bool {
    node.named().any(|part| part.kind().starts_with("here") && part.text(text).contains(['$', '`']))
}

/// How a child of a command stands to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// A word of its own.
    Alone,
    /// The first part of a word that goes on over line ends.
    Until(usize),
    /// A later part of such a word.
    Done,
}

/// Finds words that the grammar cut at an escaped line end, where the shell does not.
fn joins(children: &[Node<'_>], text: &str) -> Vec<Joined> {
    let mut joined = vec![Joined::Alone; children.len()];
    let mut first = 0;
    for at in 1..children.len() {
        let gap = text.get(children[at - 1].end()..children[at].start()).unwrap_or_default();
        let is_broken = gap.starts_with('\\') && gap.replace("\\\n", "").is_empty();
        if is_broken && !children[at - 1..=at].iter().any(|node| node.kind().ends_with("redirect")) {
            joined[first] = Joined::Until(children[at].end());
            joined[at] = Joined::Done;
        } else {
            first = at;
        }
    }
    joined
}

/// How many substitutions a text opens, escapes left out.
fn openings(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut ticks, mut at) = (0, 0_usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'`' => ticks += 1,
            b'$' if bytes.get(at + 1) == Some(&b'(') && bytes.get(at + 2) != Some(&b'(') => count += 1,
            _ => {}
        }
        at += 1;
    }
    count + ticks.div_ceil(2)
}

/// Does a word seem to have a substitution outside single quotes?
fn hides(source: &str) -> bool {
    if !source.bytes().any(|byte| matches!(byte, b'(' | b'`')) {
        return false;
    }
    let (mut single, mut double) = (false, false);
    let bytes = source.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !single => at += 1,
            b'\'' if !double => single = !single,
            b'"' if !single => double = !double,
            b'`' if !single => return true,
            b'$' if !single && bytes.get(at + 1) == Some(&b'(') && bytes.get(at + 2) != Some(&b'(') => {
                return true;
            }
            b'<' | b'>' if !single && !double && bytes.get(at + 1) == Some(&b'(') => return true,
            _ => {}
        }
        at += 1;
    }
    false
}
