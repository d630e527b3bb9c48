//! Addresses with `${VAR}` in them.

use std::net::IpAddr;

/// Fills the variables of an address; the error is the first without a value.
pub(super) fn fill<'a>(address: &str, value: impl Fn(&str) -> Option<&'a str>) -> Result<String, String> {
    let mut filled = String::with_capacity(address.len());
    let mut rest = address;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(value(name).ok_or_else(|| name.to_owned())?.trim());
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled.trim_end_matches('/').to_owned())
}

/// An address without what may be a password or a key in it.
pub(super) fn shown(address: &str) -> String {
    let plain = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = plain.split_once("://") else { return plain.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{path}", authority.rsplit('@').next().unwrap_or_default())
}

/// Whether an address is on this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let Some((_, rest)) = address.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn variables_are_filled_and_a_missing_one_is_named() {
        let value = |name: &str| (name == "NAME").then_some(" me ");
        assert_eq!(fill("https://${NAME}.x/${NAME}/", value), Ok("https://me.x/me".into()));
        assert_eq!(fill("https://x/${OTHER}", value), Err("OTHER".into()));
        assert_eq!(fill("https://x/${NAME", value), Ok("https://x/${NAME".into()));
        assert_eq!(fill("https://x/$NAME//", value), Ok("https://x/$NAME".into()));
    }

    #[test]
    fn this_machine_has_many_names() {
        for here in
            ["http://localhost:1/v1", "http://127.0.0.1", "http://[::1]:8080/x", "http://u@127.9.9.9/"]
        {
            assert!(is_loopback(here), "{here}");
        }
        for there in
            ["https://api.openai.com/v1", "http://localhost.evil.org", "127.0.0.1", "http://a@b/127.0.0.1"]
        {
            assert!(!is_loopback(there), "{there}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        assert_eq!(shown("https://me:s3cret@box:1/v1?key=s3cret"), "https://box:1/v1");
        assert_eq!(shown("http://box"), "http://box");
    }

    proptest! {
        #[test]
        fn no_address_is_too_odd(address in "[a${}:/@\\[\\]]{0,40}") {
            let _ = (is_loopback(&address), shown(&address));
            let _ = fill(&address, |_| Some("v"));
        }
    }
}
