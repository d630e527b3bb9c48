//! Finds files by name.

use praxis_os::search::{self, Hidden, Listing, Scope};
use schemars::JsonSchema;
use serde::Deserialize;

use super::place::{self, Place};
use crate::{Ask, Cx, Report, Tool, ToolError};

/// Find files by a glob pattern such as `**/*.rs` or `src/**/*.{ts,tsx}`.
///
/// - Gives absolute paths in alphabetical order, 100 at most unless `limit` says otherwise.
/// - A pattern without a slash matches file names in any folder; one with a slash starts at `path`.
/// - Ignored and hidden files are left out, unless the pattern names them: `.github/**`, `node_modules/foo/**`.
/// - Use it when you know something about the name; use grep when you know something about the content.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Input {
    /// The glob pattern.
    pattern: String,
    /// The directory to search, absolute or relative to the project directory, which it is unless given.
    path: Option<String>,
    /// The most paths to give, 100 unless given, 1000 at most.
    limit: Option<u64>,
}

/// The `glob` tool.
#[derive(Debug, Clone, Copy)]
pub struct Glob;

impl Tool for Glob {
    type Input = Input;

    const NAME: &'static str = "glob";

    async fn run(&self, input: Input, cx: &Cx) -> Result<Report, ToolError> {
        if input.pattern.is_empty() {
            return Err(ToolError::misuse("pattern is required"));
        }
        let place = Place::resolve(cx, input.path.as_deref())?;
        cx.ask_outside(&place.real).await?;
        let _names = cx.ask(ask(&input)).await?;

        let (root, pattern, limit) = (place.real.clone(), input.pattern, place::limit(input.limit));
        let skip = place::skip(cx, &place.real);
        let listing = place::blocking(cx, Self::NAME, move |cancel| {
            search::list(&Scope {
                glob: Some(pattern),
                skip,
                limit,
                cancel,
                ..Scope::new(root.as_path(), Hidden::Skip)
            })
        })
        .await?;
        report(cx.instance().name_of(&place.real), &place, &listing)
    }
}

fn ask(input: &Input) -> Ask {
    let ask = Ask::new(Glob::NAME, &input.pattern).with("pattern", input.pattern.as_str());
    match &input.path {
        Some(path) => ask.with("path", path.as_str()),
        None => ask,
    }
}

fn report(title: String, place: &Place, listing: &Listing) -> Result<Report, ToolError> {
    let partial = place::partial(listing.ending)?;
    let count = listing.paths.len();
    let truncated = listing.more || partial.is_some();
    let mut lines: Vec<String> = listing.paths.iter().map(|path| place.tell(path)).collect();
    if lines.is_empty() {
        lines.push("No files found".to_owned());
    }
    if listing.more {
        lines.push(format!(
            "\n(Results are truncated: only the first {count} are shown. Use a more specific path or pattern.)"
        ));
    }
    lines.extend(partial.map(|note| format!("\n{note}")));
    Ok(Report::new(title, lines.join("\n")).with("count", count).with("truncated", truncated))
}
