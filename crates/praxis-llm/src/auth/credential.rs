//! One stored credential, in OpenCode's shape.

use serde_json::Value;

use crate::{Secret, SecretError};

/// A credential as it is stored; its parts are read when they are needed. `Debug` shows its kind alone.
#[derive(Clone, Copy)]
pub struct Credential<'a>(pub(super) &'a Value);

impl<'a> Credential<'a> {
    /// `api`, `oauth` or `wellknown`; empty if it is none of OpenCode's.
    pub fn kind(&self) -> &'a str {
        self.text("type").unwrap_or_default()
    }

    /// What is sent as the key: the key itself, the access token, or the token that a server handed out.
    pub fn key(&self) -> Option<Result<Secret, SecretError>> {
        let field = match self.kind() {
            "oauth" => "access",
            "wellknown" => "token",
            _ => "key",
        };
        self.text(field).map(Secret::new)
    }

    /// Until when an access token holds, in milliseconds; `None` is for good.
    pub fn expires(&self) -> Option<u64> {
        self.0.get("expires")?.as_u64().filter(|ms| *ms > 0)
    }

    /// Something stored beside the key, such as an account.
    pub fn metadata(&self, name: &str) -> Option<&'a str> {
        self.0.get("metadata")?.get(name)?.as_str()
    }

    /// When it was stored, in milliseconds, if we stored it.
    pub fn added(&self) -> Option<u64> {
        self.metadata(super::file::ADDED)?.parse().ok()
    }

    fn text(&self, field: &str) -> Option<&'a str> {
        self.0.get(field)?.as_str()
    }
}

impl std::fmt::Debug for Credential<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credential({})", self.kind())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_has_its_key() {
        for (stored, key) in [
            (json!({"type": "api", "key": " k\n"}), Some(Ok("k"))),
            (json!({"type": "oauth", "access": "a", "refresh": "r", "expires": 7}), Some(Ok("a"))),
            (json!({"type": "wellknown", "key": "NAME", "token": "t"}), Some(Ok("t"))),
            (json!({"type": "api", "key": "a\nb"}), Some(Err(SecretError::LineBreak(1)))),
            (json!({"type": "api"}), None),
            (json!("odd"), None),
        ] {
            let found = Credential(&stored).key();
            let found = found.as_ref().map(|key| key.as_ref().map(Secret::expose).map_err(|e| *e));
            assert_eq!(found, key, "{stored}");
        }
        assert_eq!(Credential(&json!({"expires": 7})).expires(), Some(7));
        assert_eq!(Credential(&json!({"expires": 0})).expires(), None);
    }
}
