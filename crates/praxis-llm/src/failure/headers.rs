//! Headers of an answer that say something about a failure, and none that could hold a secret.

/// The most headers that are kept.
const MOST: usize = 32;

const NAMES: &[&str] = &[
    "cf-ray",
    "content-type",
    "date",
    "retry-after",
    "retry-after-ms",
    "server",
    "via",
    "x-should-retry",
    "request-id",
    "x-request-id",
    "apim-request-id",
    "x-amzn-requestid",
];

/// The headers worth keeping, in their order.
pub fn told_headers<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    let told = headers.filter(|(name, _)| NAMES.contains(name) || name.contains("ratelimit-"));
    told.take(MOST).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A header by its name in lower case.
pub(super) fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}
