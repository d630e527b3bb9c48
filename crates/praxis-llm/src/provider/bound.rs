//! Where a key may go: to the provider's own server, and to one that somebody vouches for.
//!
//! An address comes from many places, and one of them may be a file that came with somebody else's project. So a key
//! does not follow the address: it knows its servers, and is handed out for no other.

use super::key::Key;
use super::{ProviderError, Providers, format, url};
use crate::Secret;
use crate::catalogue::ProviderInfo;

/// Whom a request goes to: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    scheme: String,
    host: String,
    port: String,
}

impl Server {
    /// The server of an address; none of one that could be read in two ways.
    fn of(address: &str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // A name and password before the host are no part of it. Anything odd in them may hide where the host begins.
        let authority = match authority.rsplit_once('@') {
            Some((user, host)) if user.chars().all(|c| c.is_ascii_alphanumeric() || ":-._~%".contains(c)) => {
                host
            }
            Some(_) => return None,
            None => authority,
        };
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, behind) = v6.split_once(']')?;
                (host, behind.strip_prefix(':').or_else(|| behind.is_empty().then_some(""))?)
            }
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
        if host.is_empty() || !host.chars().all(is_host) || !port.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let port = match (port, scheme.as_str()) {
            ("", "https") => "443",
            ("", "http") => "80",
            (port, _) => port,
        };
        let port = port.to_owned();
        Some(Self { host: host.trim_end_matches('.').to_ascii_lowercase(), scheme, port })
    }
}

impl Providers {
    /// The key, for a request to this address.
    pub(super) fn released<'k>(
        &self,
        key: &'k Key,
        info: &ProviderInfo,
        npm: &str,
        model: &str,
        address: &str,
    ) -> Result<&'k Secret, ProviderError> {
        let is_meant = |known: &str| {
            let filled = self.filled(info, known).ok();
            filled.is_some_and(|known| {
                known == address || Server::of(&known).is_some_and(|it| Some(it) == Server::of(address))
            })
        };
        let id = self.catalogue_id(&info.id);
        let vouched = self.configured.get(&info.id).map(|config| &config.vouched);
        let catalogued = self.catalogue.provider(id).and_then(|known| known.api.as_deref());
        let of_model = || {
            let known = self.catalogue.model(id, model).ok().flatten()?;
            known.provider?.api
        };
        let is_own = vouched.into_iter().flatten().any(|known| is_meant(known))
            || catalogued.is_some_and(is_meant)
            || format::native_address(npm, &info.id).is_some_and(is_meant)
            || of_model().is_some_and(|known| is_meant(&known));
        if is_own {
            return Ok(&key.secret);
        }
        Err(ProviderError::ForeignServer {
            provider: info.id.clone(),
            source_name: key.source.to_string(),
            address: url::shown(address),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(one: &str, two: &str) -> bool {
        Server::of(one).is_some_and(|one| Some(one) == Server::of(two))
    }

    #[test]
    fn a_server_is_scheme_host_and_port() {
        for (one, two) in [
            ("https://api.openai.com/v1", "https://API.openai.com:443/other?x#y"),
            ("http://box", "http://me:pw@box:80/"),
            ("http://[::1]:8080/x", "http://[::1]:8080"),
            ("https://a.example.", "https://a.example"),
        ] {
            assert!(same(one, two), "{one} {two}");
        }
        for (one, two) in [
            ("https://api.openai.com/v1", "http://api.openai.com/v1"),
            ("https://api.openai.com/v1", "https://api.openai.com:444/v1"),
            ("https://api.openai.com/v1", "https://api.openai.com.evil.example/v1"),
            ("https://api.openai.com/v1", "https://api.openai.com@evil.example/v1"),
            ("https://api.openai.com/v1", "https://evil.example/api.openai.com"),
            ("https://api.openai.com/v1", "https://evil.example\\@api.openai.com/v1"),
            ("https://api.openai.com/v1", "https://evil.example#@api.openai.com/v1"),
            ("https://api.openai.com/v1", "https://evil.example?@api.openai.com/v1"),
            ("https://api.openai.com/v1", "https:evil.example/https://api.openai.com/v1"),
            ("nonsense", "nonsense"),
        ] {
            assert!(!same(one, two), "{one} {two}");
        }
    }

    proptest! {
        /// Whatever we take for the host, the address must not be one that could mean another.
        #[test]
        fn a_host_is_read_as_others_read_it(address in "(https?://)?[ab.@:/\\\\?#\\[\\]% ]{0,20}") {
            if let Some(server) = Server::of(&address) {
                prop_assert!(address.to_ascii_lowercase().contains(&server.host));
                prop_assert!(!server.host.contains(['/', '\\', '@', '?', '#', ' ']));
            }
        }
    }
}
