//! A model and everything a request to it needs.

use std::time::Duration;

use praxis_config::{ProviderConfig, Timeout};
use serde_json::{Map, Value};

use super::facts::Offered;
use super::format::native_address;
use super::key::{self, KeySource};
use super::{COMPATIBLE, Callers, Choice, ProviderError, Providers, Unsupported, WireKind, url};
use crate::catalogue::{Interleaved, Model, ProviderInfo};
use crate::options::{self, CacheKey, Sdk, Subject, Variants, layer};
use crate::{Headers, Secret, Target};

/// How long to wait for an answer to begin, unless the configuration says otherwise or the server is on this machine,
/// where a large model may take its time.
const HEADER_TIMEOUT: Duration = Duration::from_secs(300);

/// How long to wait between pieces of an answer, likewise: providers send something at least every half minute.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(300);

/// A model that can be asked. `Debug` leaves out what may hold keys.
#[derive(Clone)]
pub struct Resolved {
    /// What lowering must know.
    pub target: Target,
    /// What is known of the model: limits, prices, abilities.
    pub model: Model,
    /// Where and how it is asked.
    pub endpoint: Endpoint,
    /// Options sent with every request.
    pub options: Map<String, Value>,
    /// Degrees of thinking and whatever else the configuration names, the weakest first.
    pub variants: Variants,
    /// Options of the provider that are not for the connection, such as `includeUsage`.
    pub provider_options: Map<String, Value>,
    /// `setCacheKey` of the provider's options.
    pub cache_key: Option<bool>,
    /// Where the key comes from.
    pub key_source: KeySource,
    /// Who has made calls of its own so far, this model perhaps among them.
    pub callers: Callers,
}

/// Where and how a model is asked.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The wire format.
    pub wire: WireKind,
    /// Its address, without a slash at the end.
    pub base_url: String,
    /// Headers, the key among them.
    pub headers: Headers,
    /// How long to wait.
    pub timeouts: Timeouts,
}

/// How long to wait; `None` is as long as it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// For the whole request.
    pub request: Option<Duration>,
    /// Until the answer begins.
    pub header: Option<Duration>,
    /// Between pieces of the answer.
    pub chunk: Option<Duration>,
}

/// For what a model is asked, as far as options depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The session's id.
    pub session: &'a str,
    /// Whether it is small work, such as a title.
    pub small: bool,
    /// Options of the agent.
    pub agent: &'a Map<String, Value>,
    /// The chosen variant; one that the model does not have is passed over.
    pub variant: Option<&'a str>,
}

impl std::fmt::Debug for Resolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { target, endpoint, key_source, .. } = self;
        f.debug_struct("Resolved")
            .field("target", target)
            .field("endpoint", endpoint)
            .field("key_source", key_source)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("wire", &self.wire)
            .field("base_url", &url::shown(&self.base_url))
            .field("headers", &self.headers)
            .field("timeouts", &self.timeouts)
            .finish()
    }
}

impl Resolved {
    /// What defaults depend on.
    pub fn subject(&self) -> Subject<'_> {
        let completion_urls = self.provider_options.get("useCompletionUrls") == Some(&Value::Bool(true));
        Subject { completion_urls, ..subject(&self.target, &self.model) }
    }

    /// The options of one request, from all layers.
    pub fn options_for(&self, asked: Asked<'_>) -> Map<String, Value> {
        let subject = self.subject();
        let base = if asked.small {
            options::small(&subject, &self.variants)
        } else {
            options::base(&subject, CacheKey { session: asked.session, wanted: self.cache_key })
        };
        let variant = asked.variant.filter(|_| !asked.small).and_then(|name| self.variants.get(name));
        layer([&base, &self.options, asked.agent].into_iter().chain(variant))
    }
}

fn subject<'a>(target: &'a Target, model: &'a Model) -> Subject<'a> {
    Subject {
        provider: &target.provider,
        npm: &target.npm,
        model: &target.wire_model,
        reasoning: model.reasoning,
        release_date: &model.release_date,
        output_limit: model.limit.output,
        reasoning_options: model.reasoning_options.as_deref(),
        completion_urls: false,
    }
}

impl Providers {
    /// Puts together what a request to a model needs.
    pub fn resolve(&self, choice: &Choice) -> Result<Resolved, ProviderError> {
        let info = self.info(&choice.provider)?;
        let Offered { model, options, headers, variants } = self.model(&info.id, &choice.model)?;
        let source = model.provider.clone().unwrap_or_default();
        let npm = source.npm.clone().or_else(|| info.npm.clone()).unwrap_or_else(|| COMPATIBLE.to_owned());
        if let Some(reason) = Unsupported::of(&npm) {
            return Err(ProviderError::Unsupported { provider: info.id, reason });
        }
        let config = self.configured.get(&info.id);
        let sdk = Sdk::of(&npm, &info.id);
        let shape = source.shape.as_deref().or_else(|| azure_shape(sdk, config));
        let wire = WireKind::of(sdk, &info.id, &model.id, shape);
        let base_url = self.address(&info, &npm, source.api.as_deref())?;

        let key = self.key(&info)?;
        let (key, key_source) = match &key {
            Some(key) => {
                let secret = self.released(key, &info, &npm, &choice.model, &base_url)?;
                (Some(secret), key.source.clone())
            }
            None if self.needs_no_key(&info) || url::is_loopback(&base_url) => (None, KeySource::Config),
            None => {
                let env = key::variables(&info).map(str::to_owned).collect();
                return Err(ProviderError::NoKey { provider: info.id, env });
            }
        };
        let own = config.and_then(|config| config.options.other.get("headers")).and_then(Value::as_object);
        let own =
            own.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
        let more = own.chain(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let headers = all_headers(&info.id, key.map(|key| (wire.key_header(sdk), key)), more)?;

        let target = Target {
            provider: info.id,
            model: choice.model.clone(),
            wire_model: model.id.clone(),
            input: model.modalities.input.clone(),
            reasoning: model.reasoning,
            interleaved: interleaved(&model, sdk),
            output_limit: model.limit.output,
            npm,
        };
        let timeouts = timeouts(config, &base_url);
        Ok(Resolved {
            variants: own_variants(options::variants(&subject(&target, &model)), variants),
            provider_options: provider_options(config),
            cache_key: config.and_then(|config| config.options.set_cache_key),
            endpoint: Endpoint { wire, base_url, headers, timeouts },
            target,
            model,
            options,
            key_source,
            callers: self.callers.clone(),
        })
    }

    /// The configuration's address before the model's, the provider's and the one everybody knows.
    fn address(
        &self,
        info: &ProviderInfo,
        npm: &str,
        of_model: Option<&str>,
    ) -> Result<String, ProviderError> {
        let config = self.configured.get(&info.id);
        let options = config.map(|config| &config.options);
        let written = options
            .and_then(|options| options.base_url.as_deref())
            .or_else(|| config.and_then(|config| config.api.as_deref()))
            .or(of_model)
            .or(info.api.as_deref())
            .or_else(|| native_address(npm, &info.id))
            .ok_or_else(|| ProviderError::NoAddress(info.id.clone()))?;
        self.filled(info, written)
    }

    /// An address with its variables filled in.
    pub(super) fn filled(&self, info: &ProviderInfo, written: &str) -> Result<String, ProviderError> {
        let options = self.configured.get(&info.id).map(|config| &config.options);
        let stored = self.auth.get(&info.id).map(|(credential, _)| credential);
        let value = |name: &str| {
            let names = [name, if name == "AZURE_RESOURCE_NAME" { "resourceName" } else { name }];
            let configured = names.iter().find_map(|name| options?.other.get(*name)?.as_str());
            let stored = || names.iter().find_map(|name| stored?.metadata(name));
            configured.or_else(stored).or_else(|| self.variable(name))
        };
        url::fill(written, value)
            .map_err(|variable| ProviderError::NoVariable { provider: info.id.clone(), variable })
    }
}

/// Azure can be told to use the older format at an address for each model.
fn azure_shape(sdk: Sdk, config: Option<&ProviderConfig>) -> Option<&'static str> {
    let urls = config?.options.other.get("useCompletionUrls")? == &Value::Bool(true);
    (urls && sdk == Sdk::Azure).then_some("completions")
}

fn all_headers<'a>(
    provider: &str,
    key: Option<((&str, &str), &Secret)>,
    more: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Headers, ProviderError> {
    let mut headers = Headers::default();
    let bad = |name: &str| {
        let (provider, name) = (provider.to_owned(), name.to_owned());
        move |problem| ProviderError::BadHeader { provider, name, problem }
    };
    if let Some(((name, before), key)) = key {
        headers.set(name, Secret::new(&format!("{before}{}", key.expose())).map_err(bad(name))?);
    }
    // What is written by hand wins over the key.
    for (name, value) in more {
        if !is_header_name(name) {
            return Err(ProviderError::BadHeaderName {
                provider: provider.to_owned(),
                name: name.to_owned(),
            });
        }
        headers.set(name, Secret::new(value).map_err(bad(name))?);
    }
    Ok(headers)
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// DeepSeek's models want their thoughts back, wherever they are served.
fn interleaved(model: &Model, sdk: Sdk) -> Option<String> {
    match &model.interleaved {
        Some(Interleaved::Switch(false)) => None,
        Some(told) if told.field().is_some() => told.field().map(str::to_owned),
        _ => {
            let deepseek = sdk == Sdk::Compatible && model.id.to_ascii_lowercase().contains("deepseek");
            deepseek.then(|| "reasoning_content".to_owned())
        }
    }
}

fn timeouts(config: Option<&ProviderConfig>, base_url: &str) -> Timeouts {
    let far = !url::is_loopback(base_url);
    let (header, chunk) = (far.then_some(HEADER_TIMEOUT), far.then_some(CHUNK_TIMEOUT));
    let Some(ProviderConfig { options, .. }) = config else {
        return Timeouts { request: None, header, chunk };
    };
    let chosen = |given: Option<Timeout>, default| match given {
        Some(Timeout::Milliseconds(ms)) => Some(Duration::from_millis(ms)),
        Some(Timeout::Switch(false)) => None,
        Some(Timeout::Switch(true)) | None => default,
    };
    Timeouts {
        request: chosen(options.timeout, None),
        header: chosen(options.header_timeout, header),
        chunk: chosen(options.chunk_timeout, chunk),
    }
}

fn provider_options(config: Option<&ProviderConfig>) -> Map<String, Value> {
    let mut options = config.map(|config| config.options.other.clone()).unwrap_or_default();
    options.shift_remove("headers");
    options
}

/// The configuration adds variants, changes them and takes them away.
fn own_variants(
    mut variants: Variants,
    own: impl IntoIterator<Item = (String, Option<Map<String, Value>>)>,
) -> Variants {
    for (name, options) in own {
        match options {
            None => drop(variants.shift_remove(&name)),
            Some(options) => {
                let merged = layer(variants.get(&name).into_iter().chain([&options]));
                variants.insert(name, merged);
            }
        }
    }
    variants
}
