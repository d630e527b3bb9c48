//! What happens after a write: formatters and diagnostics, through a port and never for long.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::task::JoinSet;

use crate::{Boxed, Cx};

const FORMAT_DEADLINE: Duration = Duration::from_secs(10);
const CHECK_DEADLINE: Duration = Duration::from_secs(5);
/// Errors told of one file.
const MOST_ERRORS: usize = 20;
/// Other files whose errors are told.
const MOST_OTHERS: usize = 5;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It does not work.
    Error,
    /// It may not work.
    Warning,
    /// Good to know.
    Note,
}

/// Something a language server says about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// What a project does with files after they were written. Everything is optional.
pub trait AfterWrite: Send + Sync {
    /// Formats the file in place; true if anything may have changed.
    fn format<'a>(&'a self, path: &'a Path) -> Boxed<'a, bool> {
        let _ = path;
        Box::pin(std::future::ready(false))
    }

    /// What is wrong with the file now, and with others because of it.
    fn check<'a>(&'a self, path: &'a Path) -> Boxed<'a, Vec<(PathBuf, Vec<Diagnostic>)>> {
        let _ = path;
        Box::pin(std::future::ready(Vec::new()))
    }

    /// A file was read and may soon be edited: a good moment to get ready.
    fn warm(&self, path: &Path) {
        let _ = path;
    }
}

/// Nothing happens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAfterWrite;

impl AfterWrite for NoAfterWrite {}

/// What was found about files, each with its path.
pub(crate) type Findings = Vec<(PathBuf, Vec<Diagnostic>)>;

impl dyn AfterWrite {
    /// Formats within the deadline; one that takes longer is left to itself.
    pub(crate) async fn format_in_time(&self, path: &Path, cx: &Cx) -> bool {
        tokio::select! {
            () = cx.cancelled() => false,
            formatted = tokio::time::timeout(FORMAT_DEADLINE, self.format(path)) => formatted.unwrap_or_else(|_| {
                tracing::warn!(path = %path.display(), "a formatter took too long");
                true
            }),
        }
    }
}

/// Checks files side by side within one deadline; late findings are not worth the wait.
pub(crate) async fn check_in_time(after: &Arc<dyn AfterWrite>, paths: Vec<PathBuf>, cx: &Cx) -> Findings {
    let mut checks = JoinSet::new();
    for path in paths {
        let after = Arc::clone(after);
        checks.spawn(async move { after.check(&path).await });
    }
    let mut findings = Findings::new();
    let deadline = tokio::time::Instant::now() + CHECK_DEADLINE;
    loop {
        let found = tokio::select! {
            () = cx.cancelled() => break,
            found = tokio::time::timeout_at(deadline, checks.join_next()) => found,
        };
        match found {
            Ok(Some(found)) => findings.extend(found.unwrap_or_default()),
            Ok(None) | Err(_) => break,
        }
    }
    // Whoever came first, the report is the same.
    findings.sort_by(|(a, _), (b, _)| a.cmp(b));
    findings.dedup_by(|(a, _), (b, _)| a == b);
    findings
}

/// The errors of one file as the model reads them, or nothing.
pub(crate) fn report_file(path: &Path, findings: &Findings) -> Option<String> {
    let (_, diagnostics) = findings.iter().find(|(file, _)| file == path)?;
    block(path, diagnostics)
}

/// The errors of up to five other files.
pub(crate) fn report_others(path: &Path, findings: &Findings) -> Option<String> {
    let others = findings.iter().filter(|(file, _)| file != path);
    let blocks: Vec<String> =
        others.filter_map(|(file, diagnostics)| block(file, diagnostics)).take(MOST_OTHERS).collect();
    (!blocks.is_empty()).then(|| blocks.join("\n"))
}

fn block(path: &Path, diagnostics: &[Diagnostic]) -> Option<String> {
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    if errors.is_empty() {
        return None;
    }
    let mut text = format!("<diagnostics file=\"{}\">\n", path.display());
    for Diagnostic { line, column, message, .. } in errors.iter().take(MOST_ERRORS) {
        let _ = writeln!(text, "ERROR [{line}:{column}] {message}");
    }
    if errors.len() > MOST_ERRORS {
        let _ = writeln!(text, "... and {} more", errors.len() - MOST_ERRORS);
    }
    text.push_str("</diagnostics>");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(severity: Severity, count: u32) -> Vec<Diagnostic> {
        (1..=count)
            .map(|line| Diagnostic { severity, line, column: 2, message: format!("m{line}") })
            .collect()
    }

    #[test]
    fn errors_are_told_and_warnings_are_not() {
        let path = Path::new("/a.rs");
        let findings = vec![(path.to_owned(), found(Severity::Error, 1))];
        assert_eq!(
            report_file(path, &findings).unwrap(),
            "<diagnostics file=\"/a.rs\">\nERROR [1:2] m1\n</diagnostics>"
        );
        assert_eq!(report_others(path, &findings), None);
        let findings = vec![(path.to_owned(), found(Severity::Warning, 3))];
        assert_eq!(report_file(path, &findings), None);
        let findings = vec![(path.to_owned(), found(Severity::Error, 21))];
        assert!(report_file(path, &findings).unwrap().contains("ERROR [20:2] m20\n... and 1 more\n"));
    }
}
