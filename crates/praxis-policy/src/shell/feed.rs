//! What flows through pipes and heredocs, where the text of the script tells it.

use super::tree::Node;
use super::walk::{DEEPEST, Walker};
use super::word::{self, Resolved, Sweep};

/// Words from a pipe that `xargs` is followed with.
const MOST_WORDS: usize = 64;

/// What a command finds on its input.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Feed {
    /// Exactly this text.
    Text(String),
    /// Names of what is in these places. Bare names, without their folder, may begin with a dash.
    Names {
        /// The places.
        places: Vec<Resolved>,
        /// Are the names bare?
        bare: bool,
    },
}

impl Walker<'_> {
    /// The commands of a pipe, each with what the one before it says.
    pub(super) fn pipe(
        &mut self,
        parts: &[Node<'_>],
        first: Option<Feed>,
        extra: &[Resolved],
        text: &str,
        depth: usize,
    ) {
        if depth > DEEPEST {
            return self.doubt("the script is nested too deep");
        }
        let mut redirects = std::mem::take(&mut self.redirects);
        let tail_input = self.tail_input.take();
        let mut said = first;
        for (at, part) in parts.iter().enumerate() {
            let last = at + 1 == parts.len();
            if last {
                std::mem::swap(&mut self.redirects, &mut redirects);
            }
            self.feed = said.take();
            if last && let Some(input) = &tail_input {
                self.feed.clone_from(input);
                self.outer_input = part.kind() == "command";
            }
            self.said = None;
            let extra = if last { extra } else { &[] };
            // `cd x && ls 2>&1 | cat`: the grammar puts the whole list into the pipe, the shell only its end.
            if at == 0 && leads_to_list(*part) {
                self.tail_is_piped = true;
                self.with_extra(*part, extra, text, depth + 1);
                self.tail_is_piped = false;
            } else if last && part.kind() == "list" {
                // `a | b | c && cd x`: the same at the other end, where the list goes on after the pipe.
                self.head_is_piped = true;
                self.with_extra(*part, extra, text, depth + 1);
                self.head_is_piped = false;
            } else {
                self.apart(|me| me.with_extra(*part, extra, text, depth + 1));
            }
            self.feed = None;
            said = self.said.take();
        }
        self.said = said;
    }

    /// The text of a heredoc or herestring among the redirections of a node, if it is known.
    pub(super) fn given(&self, node: Node<'_>, text: &str) -> Option<Feed> {
        let given = node.named().filter(|part| part.kind().starts_with("here")).last()?;
        // The last one counts, and a file may be it.
        let is_file = |part: Node<'_>| {
            part.kind() == "file_redirect" && part.children().any(|sign| sign.kind().starts_with('<'))
        };
        if node.named().any(is_file) {
            return None;
        }
        if given.kind() == "herestring_redirect" {
            let parts: Vec<_> = given.named().collect();
            let [source] = parts.as_slice() else { return None };
            return match word::resolve(source.text(text), &self.seen()).as_slice() {
                [only] if only.is_static => Some(Feed::Text(format!("{}\n", only.text))),
                _ => None,
            };
        }
        let mut quoted = false;
        let mut body = "";
        for part in given.named() {
            match part.kind() {
                "heredoc_start" => quoted = part.text(text).contains(['\'', '"', '\\']),
                "heredoc_body" => body = part.text(text),
                _ => {}
            }
        }
        if !quoted && body.contains(['$', '`', '\\']) {
            return None;
        }
        let lines = body.split_inclusive('\n');
        Some(Feed::Text(match given.text(text).starts_with("<<-") {
            true => lines.map(|line| line.trim_start_matches('\t')).collect(),
            false => lines.collect(),
        }))
    }

    /// What a command says when it is given `feed`.
    pub(super) fn output(&self, words: &[Resolved], feed: Option<&Feed>) -> Option<Feed> {
        let (head, rest) = words.split_first()?;
        if self.state.shadowed.is_some() || self.state.functions.contains_key(&head.text) {
            return None;
        }
        let known = rest.iter().all(|word| word.is_static && word.glob.is_none());
        let texts: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        match head.text.as_str() {
            "echo" if known => echoed(&texts),
            "printf" if known => printed(&texts),
            "cat" if texts.iter().all(|text| *text == "-") => feed.cloned(),
            "tee" => feed.cloned(),
            "ls" => Some(Feed::Names { places: listed("ls", rest), bare: true }),
            "find" if !rest.iter().any(prints) => {
                Some(Feed::Names { places: listed("find", rest), bare: false })
            }
            "git" if texts.first() == Some(&"ls-files") => {
                Some(Feed::Names { places: listed("find", &[]), bare: true })
            }
            "grep" | "rg" if texts.iter().any(|text| lists(text)) => {
                let roots: Vec<&Resolved> =
                    rest.iter().filter(|word| !word.text.starts_with('-')).skip(1).collect();
                let bare = roots.is_empty() || roots.iter().any(|root| !root.is_static);
                let found = roots.into_iter().map(|root| Resolved { sweep: Sweep::Few, ..root.clone() });
                let places = if bare { listed("find", &[]) } else { found.collect() };
                Some(Feed::Names { places, bare })
            }
            _ => None,
        }
    }

    /// The commands that `xargs` makes of `command` and its input, and whether they are exactly known.
    pub(super) fn piped_into(
        &mut self,
        options: &[Resolved],
        command: &[Resolved],
    ) -> (Vec<Vec<Resolved>>, bool) {
        let Some(feed) = self.feed.take().filter(|_| !command.is_empty()) else { return (Vec::new(), false) };
        // Options that leave it at one command with all the words.
        let is_plain = |word: &Resolved| {
            let number = word.text.strip_prefix("-P").unwrap_or(&word.text);
            matches!(word.text.as_str(), "-r" | "-t") || number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let (words, known) = match feed {
            Feed::Names { places, bare } => {
                self.bare_names = bare;
                (places, false)
            }
            Feed::Text(text) => {
                let words = text.split_whitespace().take(MOST_WORDS + 1).map(Resolved::fixed);
                let words: Vec<Resolved> = words.collect();
                let known = words.len() <= MOST_WORDS && !text.contains(['\'', '"', '\\']);
                (words, known && options.iter().all(is_plain))
            }
        };
        let Some(token) = token(options) else {
            return (vec![command.iter().cloned().chain(words).collect()], known);
        };
        let replaced = |with: &Resolved| {
            let put = |word: &Resolved| match word.text.contains(&token) {
                true => {
                    let text = word.text.replace(&token, &with.text);
                    let glob = with.glob.and_then(|_| text.find('*'));
                    Resolved { text, glob, sweep: with.sweep, ..word.clone() }
                }
                false => word.clone(),
            };
            command.iter().map(put).collect()
        };
        (words.iter().map(replaced).collect(), false)
    }
}

/// What `xargs -I` replaces.
pub(super) fn token(options: &[Resolved]) -> Option<String> {
    let at = options.iter().position(|word| {
        word.text.starts_with("-I") || word.text.starts_with("-i") || word.text.starts_with("--replace")
    })?;
    let text = options[at].text.as_str();
    let attached = text.strip_prefix("--replace=").or_else(|| text.get(2..)).filter(|_| text != "--replace");
    let token = match attached {
        Some("") if text == "-I" => options.get(at + 1).map(|word| word.text.as_str()),
        Some("") | None => Some("{}"),
        some => some,
    };
    token.filter(|token| !token.is_empty()).map(str::to_owned)
}

/// Does the text of a node begin with a list that is not in brackets?
fn leads_to_list(node: Node<'_>) -> bool {
    let mut at = Some(node);
    for _ in 0..DEEPEST {
        at = match at {
            Some(list) if list.kind() == "list" => return true,
            Some(node) if node.kind() == "redirected_statement" => node.field("body"),
            Some(node) if node.kind() == "pipeline" => node.named().next(),
            _ => return false,
        };
    }
    false
}

fn echoed(texts: &[&str]) -> Option<Feed> {
    let said = texts.strip_prefix(&["-n"]).unwrap_or(texts);
    let line = said.join(" ");
    let is_plain = !line.contains('\\') && said.first().is_none_or(|first| !first.starts_with('-'));
    is_plain.then(|| Feed::Text(format!("{line}\n")))
}

fn printed(texts: &[&str]) -> Option<Feed> {
    let (format, rest) = texts.split_first()?;
    let said = match (*format, rest) {
        ("%s", [_, ..]) => rest.concat(),
        ("%s\\n", [_, ..]) => rest.join("\n"),
        (format, []) if !format.contains('%') => format.replace("\\n", "\n"),
        _ => return None,
    };
    (!said.contains('\\')).then_some(Feed::Text(said))
}

/// Does `find` print something else than names?
fn prints(word: &Resolved) -> bool {
    matches!(word.text.as_str(), "-printf" | "-exec" | "-execdir" | "-ls" | "-ok" | "-okdir")
}

/// Does an option make a search tell names only?
fn lists(text: &str) -> bool {
    matches!(text, "--files-with-matches" | "--files-without-match" | "--files")
        || (text.starts_with('-') && !text.starts_with("--") && text.contains(['l', 'L']))
}

/// The places whose names a listing gives.
fn listed(name: &str, words: &[Resolved]) -> Vec<Resolved> {
    let ends = |word: &Resolved| name == "find" && word.text.starts_with(['-', '(', '!']);
    let places: Vec<&Resolved> =
        words.iter().take_while(|word| !ends(word)).filter(|word| !word.text.starts_with('-')).collect();
    let tests: Vec<&Resolved> = words.iter().skip(places.len()).collect();
    let sweep = if name == "find" && super::find::narrows(&tests) { Sweep::Few } else { Sweep::All };
    let here = Resolved::fixed(".");
    let places = if places.is_empty() { vec![&here] } else { places };
    let listed = |place: &Resolved| match name {
        "find" => Resolved { sweep, ..place.clone() },
        // The names in a folder, as a pattern would give them.
        _ => {
            Resolved { text: format!("{}/*", place.text), glob: Some(place.text.len() + 1), ..place.clone() }
        }
    };
    places.into_iter().map(listed).collect()
}
