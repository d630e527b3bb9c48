//! Which providers can be used, and everything a request to one of their models needs: the catalogue, the
//! configuration, the environment and the stored credentials put together.

mod bound;
mod callers;
mod choice;
mod facts;
mod format;
mod key;
mod listing;
mod local;
mod recent;
mod resolve;
mod suggest;
mod url;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use praxis_config::{Config, ProviderConfig, Surroundings};

pub use callers::Callers;
pub use choice::Choice;
pub use facts::Offered;
pub use format::{Unsupported, WireKind};
pub use key::{KeySource, secret_variables};
pub use listing::{Listing, Standing};
pub use local::{Found, LocalServer, find_local, local_servers};
pub use recent::{recent, remember};
pub use resolve::{Asked, Endpoint, Resolved, Timeouts};
pub(crate) use url::is_loopback;

use crate::auth::{Auth, AuthError};
use crate::catalogue::{Catalogue, CatalogueError, ProviderInfo};

/// The package of a provider that names none.
const COMPATIBLE: &str = "@ai-sdk/openai-compatible";

/// Why a model cannot be used. Never holds a key.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// There is no such provider.
    #[error("there is no provider `{id}`; {}`praxis models --all` lists them", suggest::shown(near))]
    UnknownProvider {
        /// What was asked for.
        id: String,
        /// What may be meant.
        near: Vec<String>,
    },
    /// The configuration rules it out.
    #[error("the provider `{0}` is switched off by `disabled_providers` or `enabled_providers`")]
    SwitchedOff(String),
    /// The provider has no such model, or none that may be used.
    #[error(
        "`{provider}` has no model `{id}`; {}`praxis models {provider}` lists them",
        suggest::shown(near)
    )]
    UnknownModel {
        /// The provider.
        provider: String,
        /// What was asked for.
        id: String,
        /// What may be meant.
        near: Vec<String>,
    },
    /// What was written is no `provider/model`.
    #[error("`{0}` is no model; write provider/model, for example anthropic/claude-sonnet-4-5")]
    NoModel(String),
    /// There is no key for it.
    #[error("there is no key for `{provider}`: run `praxis auth login {provider}`{}", key::or_set(env))]
    NoKey {
        /// The provider.
        provider: String,
        /// The variables that could hold one.
        env: Vec<String>,
    },
    /// A key is there and cannot be sent.
    #[error("the key of `{provider}` from {source_name} {problem}")]
    BadKey {
        /// The provider.
        provider: String,
        /// Where it was found.
        source_name: String,
        /// What is wrong with it, without its content.
        problem: crate::SecretError,
    },
    /// A key is there and would go to a server that is not the provider's and that nobody vouches for.
    #[error(
        "the key of `{provider}` from {source_name} is not sent to {address}: that is not its own server, and your own \
         configuration does not name it; set `provider.{provider}.options.baseURL` there, or trust the folder that \
         does with `praxis trust add`"
    )]
    ForeignServer {
        /// The provider.
        provider: String,
        /// Where the key was found.
        source_name: String,
        /// The address, without what may be a password in it.
        address: String,
    },
    /// A header is configured that cannot be sent.
    #[error("the header `{name}` of `{provider}` {problem}")]
    BadHeader {
        /// The provider.
        provider: String,
        /// The header.
        name: String,
        /// What is wrong with it, without its content.
        problem: crate::SecretError,
    },
    /// A header is configured whose name is none.
    #[error("`{provider}` has a header whose name cannot be sent: `{}`", name.escape_debug())]
    BadHeaderName {
        /// The provider.
        provider: String,
        /// The name.
        name: String,
    },
    /// The log-in that is stored is of a kind that is not supported.
    #[error(
        "the stored log-in of `{0}` is OAuth, which is not supported; run `praxis auth login {0}` with a key"
    )]
    OauthOnly(String),
    /// Its requests need more than a key.
    #[error("`{provider}` is not supported: {reason}")]
    Unsupported {
        /// The provider.
        provider: String,
        /// What it needs.
        reason: Unsupported,
    },
    /// Nobody knows where it is.
    #[error("`{0}` has no address; set `provider.{0}.options.baseURL` in the configuration")]
    NoAddress(String),
    /// Its address has a variable without a value.
    #[error("the address of `{provider}` needs `{variable}`; set it in the environment")]
    NoVariable {
        /// The provider.
        provider: String,
        /// The variable.
        variable: String,
    },
    /// No provider can be used at all.
    #[error(
        "no model can be used yet: run `praxis auth login`, or start a local server and run `praxis models --local`; \
         `praxis demo` needs neither"
    )]
    NothingUsable,
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The stored credentials cannot be read.
    #[error(transparent)]
    Auth(#[from] AuthError),
}

/// Everything that decides which models can be used. `Debug` shows nothing of it, for keys are among it.
pub struct Providers {
    catalogue: Catalogue,
    auth: Auth,
    configured: IndexMap<String, ProviderConfig>,
    enabled: Option<Vec<String>>,
    disabled: Vec<String>,
    model: Option<String>,
    small_model: Option<String>,
    variables: BTreeMap<String, String>,
    with_alpha: bool,
    callers: Callers,
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Providers").finish_non_exhaustive()
    }
}

impl Providers {
    /// Reads the catalogue's index and the stored credentials; no model is read yet and no socket opened.
    pub fn open(surroundings: &Surroundings, config: &Config) -> Result<Self, ProviderError> {
        Ok(Self {
            catalogue: Catalogue::open(surroundings)?,
            auth: Auth::open(surroundings)?,
            configured: config.provider.clone(),
            enabled: config.enabled_providers.clone(),
            disabled: config.disabled_providers.clone().unwrap_or_default(),
            model: config.model.clone(),
            small_model: config.small_model.clone(),
            variables: surroundings.variables.clone(),
            with_alpha: surroundings.is_on("ENABLE_EXPERIMENTAL_MODELS"),
            callers: Callers::default(),
        })
    }

    /// The catalogue behind it.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The stored credentials behind it.
    pub fn auth(&self) -> &Auth {
        &self.auth
    }

    /// What looks wrong and does not matter enough to stop.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.catalogue.warnings().iter().chain(self.auth.warnings()).map(String::as_str)
    }

    /// Every provider that may be used, those of the catalogue first.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let known = self.catalogue.providers().map(|info| info.id.as_str());
        let own = self.configured.keys().map(String::as_str);
        known
            .chain(own.filter(|id| self.catalogue.provider(id).is_none()))
            .filter(|id| !self.is_switched_off(id))
    }

    fn is_switched_off(&self, id: &str) -> bool {
        let is = |known: &String| known == id;
        self.disabled.iter().any(is) || self.enabled.as_ref().is_some_and(|enabled| !enabled.iter().any(is))
    }

    /// The id under which the catalogue knows a provider.
    fn catalogue_id<'a>(&'a self, id: &'a str) -> &'a str {
        self.configured.get(id).and_then(|config| config.id.as_deref()).unwrap_or(id)
    }

    /// A provider with what the configuration says about it.
    pub fn info(&self, id: &str) -> Result<ProviderInfo, ProviderError> {
        let known = self.catalogue.provider(self.catalogue_id(id));
        let config = self.configured.get(id);
        if known.is_none() && config.is_none() {
            let near = suggest::near(id, self.ids());
            return Err(ProviderError::UnknownProvider { id: id.to_owned(), near });
        }
        if self.is_switched_off(id) {
            return Err(ProviderError::SwitchedOff(id.to_owned()));
        }
        let mut info = known.cloned().unwrap_or_default();
        id.clone_into(&mut info.id);
        if let Some(config) = config {
            info.name = config.name.clone().unwrap_or(info.name);
            info.env = config.env.clone().unwrap_or(info.env);
            info.npm = config.npm.clone().or(info.npm);
            info.api = config.api.clone().or(info.api);
        }
        if info.name.is_empty() {
            id.clone_into(&mut info.name);
        }
        Ok(info)
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.trim().is_empty())
    }
}

#[cfg(test)]
mod tests;
