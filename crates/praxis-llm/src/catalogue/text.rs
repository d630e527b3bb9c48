//! A catalogue as JSON text in the shape of models.dev; each provider's models stay text until somebody asks.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::CatalogueError;
use super::model::ProviderInfo;

/// A catalogue with its providers read.
#[derive(Debug)]
pub(super) struct Text {
    providers: IndexMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    info: ProviderInfo,
    models: Box<RawValue>,
}

#[derive(Deserialize)]
struct Models {
    models: Box<RawValue>,
}

impl Text {
    /// Reads a catalogue; a provider that is out of shape is left out, but one must be whole.
    pub(super) fn read(json: &str) -> Result<Self, CatalogueError> {
        let raw: IndexMap<String, &RawValue> =
            serde_json::from_str(json).map_err(|e| CatalogueError::Shape(e.to_string()))?;
        let mut providers = IndexMap::new();
        for (id, value) in raw {
            match entry(&id, value) {
                Ok(entry) => drop(providers.insert(id, entry)),
                Err(problem) => tracing::debug!(provider = id, %problem, "a provider is left out"),
            }
        }
        if providers.is_empty() {
            return Err(CatalogueError::Shape("it holds no provider".to_owned()));
        }
        Ok(Self { providers })
    }

    pub(super) fn providers(&self) -> impl Iterator<Item = &ProviderInfo> {
        self.providers.values().map(|entry| &entry.info)
    }

    /// The models of a provider as JSON text.
    pub(super) fn models(&self, provider: &str) -> Option<&str> {
        self.providers.get(provider).map(|entry| entry.models.get())
    }
}

fn entry(id: &str, value: &RawValue) -> Result<Entry, serde_json::Error> {
    let Models { models } = serde_json::from_str(value.get())?;
    let mut info: ProviderInfo = serde_json::from_str(value.get())?;
    // The key is what people write in front of the slash.
    id.clone_into(&mut info.id);
    if info.name.is_empty() {
        id.clone_into(&mut info.name);
    }
    Ok(Entry { info, models })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_provider_does_not_hide_the_others() {
        let text =
            Text::read(r#"{"bad": 1, "worse": {"name": "W"}, "good": {"id": "x", "models": {}}}"#).unwrap();
        let names: Vec<_> = text.providers().map(|info| (info.id.as_str(), info.name.as_str())).collect();
        assert_eq!(names, [("good", "good")]);
        for empty in ["", "[]", "{}", r#"{"bad": 1}"#, "<html>"] {
            assert!(matches!(Text::read(empty), Err(CatalogueError::Shape(_))), "{empty}");
        }
    }
}
