//! Finds lines in files by a regular expression.

use std::path::Path;

use praxis_os::RealPath;
use praxis_os::search::{self, Access, FileLines, Hidden, LINE_CHARS, Matches, Scope};
use praxis_proto::Action;
use praxis_text::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::place::{self, Place};
use crate::{Ask, Cx, Report, Tool, ToolError};

/// Find lines in files by a regular expression.
///
/// - Gives files in alphabetical order with line numbers, 100 matching lines at most unless `limit` says otherwise.
/// - The pattern is case-sensitive (begin it with `(?i)` to change that) and matches within one line. Look-around and
///   backreferences are not supported. Escape what is meant literally: `foo\(`.
/// - Ignored and binary files are left out, hidden ones are searched. Lines over 2000 characters are cut.
/// - Use `path` and `include` to narrow the search, and read to see what is around a match.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The regular expression.
    pattern: String,
    /// The directory or file to search, absolute or relative to the project directory, which it is unless given.
    path: Option<String>,
    /// A glob that files must match, for example `*.rs` or `src/**/*.{ts,tsx}`.
    include: Option<String>,
    /// The most matching lines to give, 100 unless given, 1000 at most.
    limit: Option<u64>,
}

/// The `grep` tool.
#[derive(Debug, Clone, Copy)]
pub struct Grep;

impl Tool for Grep {
    type Input = Input;

    const NAME: &'static str = "grep";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        if input.pattern.is_empty() {
            return Err(ToolError::misuse("pattern is required"));
        }
        let place = Place::resolve(cx, input.path.as_deref())?;
        cx.ask_outside(&place.real).await?;
        let _content = cx.ask(ask(&input)).await?;

        let (root, reader, pattern) = (place.real.clone(), cx.clone(), input.pattern.clone());
        let skip = place::skip(cx, &place.real);
        let (glob, limit) = (input.include.filter(|glob| !glob.is_empty()), place::limit(input.limit));
        let matches = place::blocking(cx, Self::NAME, move |cancel| {
            let scope = Scope { glob, skip, limit, cancel, ..Scope::new(root.as_path(), Hidden::Include) };
            let access = |path: &Path| access(&reader, path);
            search::grep(&scope, &search::Grep { pattern: &pattern, line_chars: LINE_CHARS, access: &access })
        })
        .await?;
        report(input.pattern, &place, &matches)
    }
}

fn ask(input: &Input) -> Ask {
    let ask = Ask::new(Grep::NAME, &input.pattern).with("pattern", input.pattern.as_str());
    let given = [("path", &input.path), ("include", &input.include)];
    given.into_iter().fold(ask, |ask, (key, value)| match value {
        Some(value) => ask.with(key, value.as_str()),
        None => ask,
    })
}

/// A line of a file is shown only where `read` would show the file without asking.
fn access(cx: &Cx, path: &Path) -> Access {
    let name = cx.instance().name_of(&RealPath::already_resolved(path.to_owned()));
    match cx.authority().decide("read", &name, &[]).action {
        Action::Allow => Access::Open,
        Action::Ask => Access::Withheld,
        Action::Deny => Access::Closed,
    }
}

fn report(pattern: String, place: &Place, matches: &Matches) -> Result<Report, ToolError> {
    let partial = place::partial(matches.ending)?;
    let (blocks, shown) = blocks(place, &matches.files, Limits::default().bytes);
    let more = matches.more || shown < matches.files.iter().map(|file| file.lines.len()).sum();
    let truncated = more || partial.is_some();

    let mut parts = Vec::new();
    if shown == 0 {
        parts.push("No files found".to_owned());
    } else {
        let available = if more { " (more matches available)" } else { "" };
        parts.push(format!("Found {shown} matches{available}\n{}", blocks.join("\n\n")));
    }
    if more {
        parts.push("(Results truncated. Consider using a more specific path or pattern.)".to_owned());
    }
    parts.extend(partial);
    parts.extend(withheld(matches.withheld));
    Ok(Report::new(pattern, parts.join("\n\n")).with("matches", shown).with("truncated", truncated))
}

/// One block per file, as many lines as fit, and how many those are. The first line always fits.
fn blocks(place: &Place, files: &[FileLines], most_bytes: usize) -> (Vec<String>, usize) {
    let (mut blocks, mut shown, mut bytes) = (Vec::new(), 0, 0);
    for file in files {
        let mut block = format!("{}:", place.tell(&file.path));
        for line in &file.lines {
            bytes += line.text.len();
            if bytes > most_bytes && shown > 0 {
                if block.contains('\n') {
                    blocks.push(block);
                }
                return (blocks, shown);
            }
            block.push_str(&format!("\n  Line {}: {}", line.number, line.text));
            shown += 1;
        }
        blocks.push(block);
    }
    (blocks, shown)
}

/// Files are withheld whether they match or not: a count of their matches would tell what is in them.
fn withheld(files: usize) -> Option<String> {
    match files {
        0 => None,
        1 => Some("(1 file that needs permission to read was not searched)".to_owned()),
        _ => Some(format!("({files} files that need permission to read were not searched)")),
    }
}
