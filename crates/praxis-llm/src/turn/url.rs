//! The address of a request.

/// A base address with a path behind it; what either has behind a question mark is kept.
pub(super) fn join(base: &str, path: &str) -> String {
    let (base, query) = base.split_once('?').unwrap_or((base, ""));
    let base = base.trim_end_matches('/');
    match (query.is_empty(), path.contains('?')) {
        (true, _) => format!("{base}{path}"),
        (false, true) => format!("{base}{path}&{query}"),
        (false, false) => format!("{base}{path}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_before_queries() {
        assert_eq!(join("http://x/v1", "/messages"), "http://x/v1/messages");
        assert_eq!(join("http://x/v1/?v=1", "/m"), "http://x/v1/m?v=1");
        assert_eq!(join("http://x?v=1", "/m?alt=sse"), "http://x/m?alt=sse&v=1");
    }
}
