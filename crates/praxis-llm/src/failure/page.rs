//! Web pages where an error was expected: they come from something in between.

/// Whether a body is a web page.
pub(super) fn is_page(body: &str) -> bool {
    let start = body.trim_start().get(..15).unwrap_or(body.trim_start()).to_ascii_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<head")
}

/// What to say instead of the page.
pub(super) fn hint(status: u16, provider: &str) -> String {
    match status {
        401 => format!(
            "a gateway or proxy before `{provider}` refused the request (401) and sent a web page; log in to it \
             again, then run `praxis auth login {provider}` if the key is old"
        ),
        403 => format!(
            "a gateway or proxy before `{provider}` forbids the request (403) and sent a web page; your account or \
             network has no permission for it"
        ),
        404 => format!(
            "the server of `{provider}` has nothing at this address (404) and sent a web page; check its `baseURL`"
        ),
        500.. => format!("the server of `{provider}` has trouble ({status}) and sent a web page"),
        _ => format!(
            "the server of `{provider}` sent a web page instead of an answer ({status}); check its `baseURL` and the \
             proxy"
        ),
    }
}
