//! Which model is used when nobody says.

use std::cmp::Reverse;
use std::fmt;

use indexmap::IndexMap;

use super::{Listing, Offered, ProviderError, Providers};
use crate::Modality;

/// Good first models, the later before the earlier.
const PREFERRED: &[&str] = &["gpt-5", "claude-sonnet-4", "big-pickle", "gemini-3-pro"];
/// Families for small work, the first before the others.
const SMALL: &[&str] = &["gemini-flash", "gpt-nano", "claude-haiku"];

/// A model, as `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The provider's id.
    pub provider: String,
    /// The model's id, which may contain slashes.
    pub model: String,
}

impl Choice {
    /// Reads `provider/model`.
    pub fn parse(text: &str) -> Result<Self, ProviderError> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
            }
            _ => Err(ProviderError::NoModel(text.to_owned())),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

impl Providers {
    /// The model to use: the configured one, else the last used that is still there, else the best of the first
    /// provider that can be used, configured ones first.
    pub fn default_model(&self, recent: &[Choice]) -> Result<Choice, ProviderError> {
        if let Some(configured) = &self.model {
            return Choice::parse(configured);
        }
        if let Some(last) = recent.iter().find(|choice| self.is_available(choice)) {
            return Ok(last.clone());
        }
        let usable: Vec<Listing> = self.list().into_iter().filter(|one| one.standing.is_usable()).collect();
        let is_configured = |one: &&Listing| self.configured.contains_key(&one.info.id);
        let by_config =
            usable.iter().filter(is_configured).chain(usable.iter().filter(|one| !is_configured(one)));
        for Listing { info, .. } in by_config {
            if let Some(model) = best(&self.models(&info.id)?) {
                return Ok(Choice { provider: info.id.clone(), model });
            }
        }
        Err(ProviderError::NothingUsable)
    }

    /// The model for small work beside a model of `provider`, if there is one.
    pub fn small_model(&self, provider: &str) -> Option<Choice> {
        if let Some(configured) = &self.small_model {
            return Choice::parse(configured).ok().filter(|choice| self.is_available(choice));
        }
        let families: Vec<&str> = match provider {
            "azure" => return None,
            "opencode" => vec!["gpt-nano"],
            provider if provider.starts_with("github-copilot") => {
                ["gpt-mini"].into_iter().chain(SMALL.iter().copied()).collect()
            }
            _ => SMALL.to_vec(),
        };
        let models = self.models(provider).ok()?;
        let newest = |family: &&str| {
            let members = models.iter().filter(|(_, one)| one.model.family.as_deref() == Some(family));
            members.max_by_key(|(_, one)| &one.model.release_date).map(|(id, _)| id.clone())
        };
        let model = families.iter().find_map(newest)?;
        Some(Choice { provider: provider.to_owned(), model })
    }

    fn is_available(&self, choice: &Choice) -> bool {
        self.info(&choice.provider).is_ok_and(|info| self.standing(&info).is_usable())
            && self.model(&choice.provider, &choice.model).is_ok()
    }
}

/// The best of a provider's models: one that calls tools, if any does.
fn best(models: &IndexMap<String, Offered>) -> Option<String> {
    let rank = |id: &String, one: &Offered| {
        let preferred = PREFERRED.iter().rposition(|part| id.contains(part)).map_or(0, |place| place + 1);
        let works = one.model.tool_call && one.model.modalities.output.contains(&Modality::Text);
        (Reverse(works), Reverse(preferred), Reverse(id.contains("latest")), Reverse(id.clone()))
    };
    models.iter().min_by_key(|(id, one)| rank(id, one)).map(|(id, _)| id.clone())
}
