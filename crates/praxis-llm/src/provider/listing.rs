//! Which providers can be used, and why, or why not.

use super::key::{self, KeySource};
use super::{COMPATIBLE, ProviderError, Providers, Unsupported, url};
use crate::catalogue::ProviderInfo;

/// A provider and whether it can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The provider.
    pub info: ProviderInfo,
    /// Whether it can be used.
    pub standing: Standing,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// With a key from there.
    Usable(KeySource),
    /// As soon as there is a key, for example in one of these variables.
    NoKey(Vec<String>),
    /// Not with a key alone.
    Unsupported(Unsupported),
    /// Not as it is; the sentence says what to do.
    Broken(String),
}

impl Standing {
    /// Whether it can be used.
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Usable(_))
    }
}

impl Providers {
    /// Every provider that may be used, those of the catalogue first.
    pub fn list(&self) -> Vec<Listing> {
        let listing = |id: &str| {
            let info = self.info(id).ok()?;
            Some(Listing { standing: self.standing(&info), info })
        };
        self.ids().filter_map(listing).collect()
    }

    /// Whether a provider can be used.
    pub fn standing(&self, info: &ProviderInfo) -> Standing {
        if let Some(reason) = Unsupported::of(info.npm.as_deref().unwrap_or(COMPATIBLE)) {
            return Standing::Unsupported(reason);
        }
        match self.key(info) {
            Ok(Some(key)) => Standing::Usable(key.source),
            Ok(None) if self.needs_no_key(info) => Standing::Usable(KeySource::Config),
            Ok(None) => Standing::NoKey(key::variables(info).map(str::to_owned).collect()),
            Err(ProviderError::NoKey { env, .. }) => Standing::NoKey(env),
            Err(problem) => Standing::Broken(problem.to_string()),
        }
    }

    /// Whether the configuration makes a provider usable without a key: one of its own, another server for a known
    /// one, headers that do a key's work, or a server on this machine.
    pub(super) fn needs_no_key(&self, info: &ProviderInfo) -> bool {
        let Some(config) = self.configured.get(&info.id) else { return false };
        let options = &config.options;
        self.catalogue.provider(self.catalogue_id(&info.id)).is_none()
            || options.base_url.is_some()
            || options.other.contains_key("headers")
            || info.api.as_deref().is_some_and(url::is_loopback)
    }
}
