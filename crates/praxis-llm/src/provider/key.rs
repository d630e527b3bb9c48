//! Where a key comes from: the configuration before the auth file before the environment.

use std::fmt;

use super::{ProviderError, Providers};
use crate::auth::Place;
use crate::catalogue::ProviderInfo;
use crate::{Secret, SecretError};

/// Where a key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The configuration: a key, a header, or a server that needs none.
    Config,
    /// An environment variable.
    Variable(String),
    /// Stored by a log-in.
    Stored(Place),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config => f.write_str("the configuration"),
            Self::Variable(name) => write!(f, "${name}"),
            Self::Stored(place) => write!(f, "{place}"),
        }
    }
}

/// A key and where it was found.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub(super) secret: Secret,
    pub(super) source: KeySource,
}

impl Providers {
    /// The key of a provider, if there is one.
    pub(super) fn key(&self, info: &ProviderInfo) -> Result<Option<Key>, ProviderError> {
        let checked = |source: KeySource, secret: Result<Secret, SecretError>| match secret {
            Ok(secret) => Ok(Some(Key { secret, source })),
            Err(problem) => {
                let source_name = source.to_string();
                Err(ProviderError::BadKey { provider: info.id.clone(), source_name, problem })
            }
        };
        let configured = self.configured.get(&info.id).and_then(|config| config.options.api_key.as_deref());
        // An empty one is a variable that was not set.
        if let Some(key) = configured.filter(|key| !key.trim().is_empty()) {
            return checked(KeySource::Config, Secret::new(key));
        }
        let stored = self.auth.get(&info.id);
        if let Some((credential, place)) = stored
            && (credential.kind() != "oauth" || info.id.starts_with("github-copilot"))
            && let Some(key) = credential.key()
        {
            return checked(KeySource::Stored(place.clone()), key);
        }
        if let Some((name, value)) = self.key_variable(info) {
            return checked(KeySource::Variable(name.to_owned()), Secret::new(value));
        }
        match stored {
            Some((credential, _)) if credential.kind() == "oauth" => {
                Err(ProviderError::OauthOnly(info.id.clone()))
            }
            _ => Ok(None),
        }
    }

    /// The first variable that holds a key.
    fn key_variable<'a>(&'a self, info: &'a ProviderInfo) -> Option<(&'a str, &'a str)> {
        variables(info).find_map(|name| Some((name, self.variable(name)?)))
    }
}

/// The variables that may hold a provider's key. Where it has several, some name a region or an account; and the token
/// that GitHub's other tools leave in the environment opens no Copilot.
pub(super) fn variables(info: &ProviderInfo) -> impl Iterator<Item = &str> {
    let alone = info.env.len() == 1;
    let copilot = info.id.starts_with("github-copilot");
    let holds_key =
        move |name: &&str| !copilot && (alone || name.ends_with("KEY") || name.ends_with("TOKEN"));
    info.env.iter().map(String::as_str).filter(holds_key)
}

/// Endings of variables that hold a secret.
const SECRET_ENDINGS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS", "PAT"];

/// Of the variables that a provider names, those that hold a key or another secret; a region or an account is none.
pub fn secret_variables(env: &[String]) -> impl Iterator<Item = &str> {
    let alone = env.len() == 1;
    let is_secret = move |name: &&str| alone || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending));
    env.iter().map(String::as_str).filter(is_secret)
}

/// The other way to give a key, as the end of a sentence.
pub(super) fn or_set(env: &[String]) -> String {
    match env.first() {
        Some(name) => format!(", or set `{name}`"),
        None => String::new(),
    }
}
