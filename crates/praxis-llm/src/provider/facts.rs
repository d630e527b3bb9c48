//! Models with what the configuration says about them.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use praxis_config::{self as config, ModelConfig, ProviderConfig};
use serde_json::{Map, Value};

use super::{ProviderError, Providers, suggest};
use crate::Modality;
use crate::catalogue::{Interleaved, Limit, Model, ModelSource, Status};
use crate::cost::{Cost, Price, Prices};

/// A model that may be used. `Debug` shows the model alone, for headers may hold keys.
#[derive(Clone, Default, PartialEq)]
pub struct Offered {
    /// What is known of it; `id` is its id on the wire.
    pub model: Model,
    /// Options sent with every request.
    pub options: Map<String, Value>,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, String>,
    /// Named sets of options that the configuration adds or changes; `None` takes one away.
    pub variants: IndexMap<String, Option<Map<String, Value>>>,
}

impl std::fmt::Debug for Offered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offered").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Providers {
    /// The models of a provider that may be used, by id.
    pub fn models(&self, provider: &str) -> Result<IndexMap<String, Offered>, ProviderError> {
        self.info(provider)?;
        let known = self.catalogue.models(self.catalogue_id(provider))?;
        let config = self.configured.get(provider);
        let mut offered: IndexMap<String, Offered> =
            known.iter().map(|(id, model)| (id.clone(), from_catalogue(model.clone()))).collect();
        for (id, own) in config.iter().flat_map(|config| &config.models) {
            let base = known.get(own.id.as_deref().unwrap_or(id)).or_else(|| known.get(id));
            offered.insert(id.clone(), configured(id, own, base.cloned()));
        }
        offered.retain(|id, one| self.is_offered(config, id, &one.model));
        Ok(offered)
    }

    /// One model; the provider's others stay unread unless it is unknown.
    pub fn model(&self, provider: &str, id: &str) -> Result<Offered, ProviderError> {
        self.info(provider)?;
        let catalogue = self.catalogue_id(provider);
        let config = self.configured.get(provider);
        let own = config.and_then(|config| config.models.get(id));
        let wire_id = own.and_then(|own| own.id.as_deref()).unwrap_or(id);
        let mut base = self.catalogue.model(catalogue, wire_id)?;
        if base.is_none() && wire_id != id {
            base = self.catalogue.model(catalogue, id)?;
        }
        let found = match (own, base) {
            (Some(own), base) => Some(configured(id, own, base)),
            (None, base) => base.map(from_catalogue),
        };
        if let Some(found) = found.filter(|found| self.is_offered(config, id, &found.model)) {
            return Ok(found);
        }
        let near = suggest::near(id, self.models(provider)?.keys().map(String::as_str));
        Err(ProviderError::UnknownModel { provider: provider.to_owned(), id: id.to_owned(), near })
    }

    fn is_offered(&self, config: Option<&ProviderConfig>, id: &str, model: &Model) -> bool {
        let has = |list: &Vec<String>| list.iter().any(|known| known == id);
        let ready = match model.status {
            Some(Status::Deprecated) => false,
            Some(Status::Alpha) => self.with_alpha,
            Some(Status::Beta | Status::Active) | None => true,
        };
        let allowed = config.is_none_or(|config| {
            config.whitelist.as_ref().is_none_or(has) && !config.blacklist.as_ref().is_some_and(has)
        });
        ready && allowed
    }
}

fn from_catalogue(mut model: Model) -> Offered {
    let source = model.provider.get_or_insert_default();
    // What a mode adds to a body is written in the wire's spelling, options in ours.
    let options = std::mem::take(&mut source.body).into_iter().map(|(name, value)| (camel(&name), value));
    let options = options.collect();
    let headers = std::mem::take(&mut source.headers);
    Offered { model, options, headers, variants: IndexMap::new() }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| {
        let mut letters = word.chars();
        camel + &letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    })
}

fn configured(id: &str, own: &ModelConfig, base: Option<Model>) -> Offered {
    let mut offered = match base {
        Some(base) => from_catalogue(base),
        // Of a model that nobody knows it is assumed that it reads, writes and calls tools.
        None => Offered {
            model: Model { id: id.to_owned(), name: id.to_owned(), tool_call: true, ..Model::default() },
            ..Offered::default()
        },
    };
    overlay(&mut offered.model, own);
    offered.options.extend(own.options.clone());
    offered.headers.extend(own.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
    offered.variants = own
        .variants
        .iter()
        .map(|(name, variant)| {
            (name.clone(), (variant.disabled != Some(true)).then(|| variant.options.clone()))
        })
        .collect();
    offered
}

fn overlay(model: &mut Model, own: &ModelConfig) {
    fn set<T: Clone>(field: &mut T, value: &Option<T>) {
        if let Some(value) = value {
            field.clone_from(value);
        }
    }
    set(&mut model.id, &own.id);
    set(&mut model.name, &own.name);
    set(&mut model.release_date, &own.release_date);
    set(&mut model.attachment, &own.attachment);
    set(&mut model.reasoning, &own.reasoning);
    set(&mut model.temperature, &own.temperature);
    set(&mut model.tool_call, &own.tool_call);
    model.family = own.family.clone().or(model.family.take());
    model.interleaved = own.interleaved.as_ref().map(interleaved).or(model.interleaved.take());
    model.cost = own.cost.as_ref().map(cost).or(model.cost.take());
    model.status = own.status.map(status).or(model.status);
    if let Some(limit) = &own.limit {
        model.limit = self::limit(limit);
    }
    if let Some(modalities) = &own.modalities {
        set(&mut model.modalities.input, &modalities.input.as_deref().map(kinds));
        set(&mut model.modalities.output, &modalities.output.as_deref().map(kinds));
    }
    if let Some(own) = &own.provider {
        let known = model.provider.take().unwrap_or_default();
        // Another package does not speak the shape that the catalogue tells of.
        let shape = known.shape.filter(|_| own.npm.is_none());
        let (npm, api) = (own.npm.clone().or(known.npm), own.api.clone().or(known.api));
        model.provider = Some(ModelSource { npm, api, shape, ..ModelSource::default() });
    }
}

fn limit(own: &config::ModelLimit) -> Limit {
    // The conversions saturate, so an odd number becomes none or very many.
    Limit {
        context: own.context as u64,
        input: own.input.map(|count| count as u64),
        output: own.output as u64,
    }
}

fn cost(own: &config::Cost) -> Cost {
    let prices = |input, output, read: Option<f64>, write: Option<f64>| Prices {
        input: Price::per_million(input),
        output: Price::per_million(output),
        cache_read: read.map(Price::per_million),
        cache_write: write.map(Price::per_million),
    };
    let long = own.context_over_200k.as_ref();
    Cost {
        base: prices(own.input, own.output, own.cache_read, own.cache_write),
        tiers: Vec::new(),
        context_over_200k: long.map(|row| prices(row.input, row.output, row.cache_read, row.cache_write)),
    }
}

fn interleaved(own: &config::Interleaved) -> Interleaved {
    match own {
        config::Interleaved::Switch(on) => Interleaved::Switch(*on),
        config::Interleaved::Name(name) => Interleaved::Name(name.clone()),
        config::Interleaved::Field(field) => Interleaved::Field { field: field.field.clone() },
    }
}

fn status(own: config::ModelStatus) -> Status {
    match own {
        config::ModelStatus::Alpha => Status::Alpha,
        config::ModelStatus::Beta => Status::Beta,
        config::ModelStatus::Deprecated => Status::Deprecated,
        config::ModelStatus::Active => Status::Active,
    }
}

fn kinds(own: &[config::Modality]) -> Vec<Modality> {
    let kind = |kind: &config::Modality| match kind {
        config::Modality::Text => Modality::Text,
        config::Modality::Audio => Modality::Audio,
        config::Modality::Image => Modality::Image,
        config::Modality::Video => Modality::Video,
        config::Modality::Pdf => Modality::Pdf,
    };
    own.iter().map(kind).collect()
}
