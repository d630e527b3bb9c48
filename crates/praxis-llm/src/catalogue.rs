//! Which providers and models there are: a catalogue in the shape of models.dev, embedded, read only as far as it is
//! asked, and refreshed only on request.

mod cache;
mod model;
mod packed;
mod text;

use std::path::PathBuf;

use indexmap::IndexMap;
use serde_json::value::RawValue;

pub use cache::{DEFAULT_URL, Refreshed, cache_path, cached_variables, refresh};
pub use model::{
    Experimental, Interleaved, Limit, Modalities, Mode, Model, ModelSource, ProviderInfo, ReasoningOption,
    Status, kind_name,
};
pub use packed::pack;

use packed::Packed;
use text::Text;

/// The catalogue of the day this was built; `examples/pack_catalogue.rs` writes it.
static EMBEDDED: &[u8] = include_bytes!("../data/catalogue.bin");

/// Why a catalogue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// It is not what models.dev gives.
    #[error("this is no model catalogue: {0}")]
    Shape(String),
    /// The embedded one is damaged, or too large to be packed.
    #[error("the packed catalogue is damaged; build the program again")]
    Packed,
    /// A file cannot be read or written.
    #[error("could not {action} {}: {problem}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// The server did not give one.
    #[error("could not fetch the catalogue: {0}; what was there stays in use")]
    Fetch(String),
}

/// A catalogue; opening it reads the list of providers, and models are read when they are asked for.
#[derive(Debug)]
pub struct Catalogue {
    source: Source,
    origin: Origin,
    warnings: Vec<String>,
}

/// Where a catalogue comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The program itself.
    Embedded,
    /// A file.
    File(PathBuf),
}

#[derive(Debug)]
enum Source {
    Packed(Packed),
    Text(Text),
}

impl Catalogue {
    /// The one inside the program.
    pub fn embedded() -> Result<Self, CatalogueError> {
        let source = Source::Packed(Packed::open(EMBEDDED)?);
        Ok(Self { source, origin: Origin::Embedded, warnings: Vec::new() })
    }

    /// One in the shape of models.dev.
    pub fn from_json(json: &str, origin: Origin) -> Result<Self, CatalogueError> {
        Ok(Self { source: Source::Text(Text::read(json)?), origin, warnings: Vec::new() })
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What was wrong on the way to it, for people.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The providers, in the order of the catalogue.
    pub fn providers(&self) -> impl Iterator<Item = &ProviderInfo> {
        let (packed, text) = match &self.source {
            Source::Packed(packed) => (Some(packed.providers()), None),
            Source::Text(text) => (None, Some(text.providers())),
        };
        packed.into_iter().flatten().chain(text.into_iter().flatten())
    }

    /// One provider.
    pub fn provider(&self, id: &str) -> Option<&ProviderInfo> {
        self.providers().find(|info| info.id == id)
    }

    /// The models of a provider, each mode as a model of its own; of an unknown provider none.
    pub fn models(&self, provider: &str) -> Result<IndexMap<String, Model>, CatalogueError> {
        self.with_models(provider, |text| {
            let mut models = read_models(text);
            let modes: Vec<_> = models.iter().flat_map(|(id, model)| modes(id, model)).collect();
            for (id, mode) in modes {
                models.entry(id).or_insert(mode);
            }
            models
        })
        .map(Option::unwrap_or_default)
    }

    /// One model; the others stay unread.
    pub fn model(&self, provider: &str, id: &str) -> Result<Option<Model>, CatalogueError> {
        let found = self.with_models(provider, |text| {
            let raw = raw_models(text);
            if let Some(raw) = raw.get(id) {
                return read_model(id, raw);
            }
            // A mode has its model's id in front.
            let bases = raw
                .iter()
                .filter(|(base, _)| id.strip_prefix(base.as_str()).is_some_and(|m| m.starts_with('-')));
            bases
                .filter_map(|(base, raw)| read_model(base, raw).map(|model| modes(base, &model)))
                .flatten()
                .find_map(|(name, model)| (name == id).then_some(model))
        });
        found.map(Option::flatten)
    }

    fn with_models<T>(
        &self,
        provider: &str,
        work: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, CatalogueError> {
        match &self.source {
            Source::Packed(packed) => Ok(packed.models(provider)?.map(|text| work(&text))),
            Source::Text(text) => Ok(text.models(provider).map(work)),
        }
    }
}

fn raw_models(text: &str) -> IndexMap<String, &RawValue> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The models that are in shape; the others are left out.
fn read_models(text: &str) -> IndexMap<String, Model> {
    let read = |(id, raw): (String, &RawValue)| read_model(&id, raw).map(|model| (id, model));
    raw_models(text).into_iter().filter_map(read).collect()
}

fn read_model(id: &str, raw: &RawValue) -> Option<Model> {
    let mut model: Model = match serde_json::from_str(raw.get()) {
        Ok(model) => model,
        Err(problem) => {
            tracing::debug!(model = id, %problem, "a model is left out");
            return None;
        }
    };
    for field in [&mut model.id, &mut model.name] {
        if field.is_empty() {
            id.clone_into(field);
        }
    }
    Some(model)
}

/// A model's modes as models: other prices, and a body and headers of their own.
fn modes(id: &str, model: &Model) -> Vec<(String, Model)> {
    let modes = model.experimental.iter().flat_map(|experimental| &experimental.modes);
    let one = |(name, mode): (&String, &Mode)| {
        let source = model.provider.clone().unwrap_or_default();
        let own = mode.provider.clone();
        let provider = ModelSource {
            npm: own.npm.or(source.npm),
            api: own.api.or(source.api),
            shape: own.shape.or(source.shape),
            body: own.body,
            headers: own.headers,
        };
        let mode = Model {
            name: format!("{} {}", model.name, capitalised(name)),
            cost: mode.cost.clone().or_else(|| model.cost.clone()),
            experimental: None,
            provider: Some(provider),
            ..model.clone()
        };
        (format!("{id}-{name}"), mode)
    };
    modes.map(one).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_catalogue_is_whole() {
        let catalogue = Catalogue::embedded().unwrap();
        let ids: Vec<&str> = catalogue.providers().map(|info| info.id.as_str()).collect();
        assert_eq!((ids.len(), ids.contains(&"anthropic")), (35, true));
        let models: usize = ids.iter().map(|id| catalogue.models(id).unwrap().len()).sum();
        assert_eq!(models, 1_701);
        assert!(EMBEDDED.len() < 70_000, "{} bytes", EMBEDDED.len());
    }

    #[test]
    fn one_model_is_what_the_whole_list_says() {
        let catalogue = Catalogue::embedded().unwrap();
        let all = catalogue.models("anthropic").unwrap();
        let one = catalogue.model("anthropic", "claude-sonnet-4-5").unwrap().unwrap();
        assert_eq!(&one, &all["claude-sonnet-4-5"]);
        assert_eq!((one.limit.context, one.limit.output), (200_000, 64_000));
        assert_eq!(one.cost.unwrap().base.output.dollars(), 15.0);
        assert_eq!(catalogue.model("anthropic", "claude-0").unwrap(), None);
        assert_eq!(catalogue.model("nobody", "x").unwrap(), None);
        assert_eq!(catalogue.models("nobody").unwrap(), IndexMap::new());
    }

    #[test]
    fn a_mode_is_a_model_with_its_own_price_and_body() {
        let json = r#"{"p": {"models": {"m": {"name": "M", "cost": {"input": 1, "output": 2}, "experimental": {"modes": {
            "fast": {"cost": {"input": 6, "output": 12}, "provider": {"body": {"speed": "fast"}, "headers": {"x-beta": "fast"}}}}}}}}}"#;
        let catalogue = Catalogue::from_json(json, Origin::Embedded).unwrap();
        let models = catalogue.models("p").unwrap();
        assert_eq!(models.keys().collect::<Vec<_>>(), ["m", "m-fast"]);
        let fast = catalogue.model("p", "m-fast").unwrap().unwrap();
        assert_eq!(&fast, &models["m-fast"]);
        assert_eq!((fast.id.as_str(), fast.name.as_str()), ("m", "M Fast"));
        assert_eq!(fast.cost.unwrap().base.input.dollars(), 6.0);
        assert_eq!(fast.provider.unwrap().body["speed"], "fast");
        assert_eq!(catalogue.model("p", "m-slow").unwrap(), None);
    }
}
