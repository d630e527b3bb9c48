//! The embedded catalogue: an index of providers, then each provider's models, all deflated one by one, so that a
//! program with one provider does not pay for the others.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::CatalogueError;
use super::model::{Model, ProviderInfo};
use super::text::Text;

/// The first bytes, with a version.
const MAGIC: &[u8] = b"praxis catalogue 1\n";
/// No part of a catalogue unpacks to more than this.
const MOST_UNPACKED: u64 = 64 << 20;

/// A packed catalogue with its index read.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    entries: Vec<Entry>,
    bytes: &'static [u8],
}

/// A provider and where its models are.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    info: ProviderInfo,
    at: usize,
    length: usize,
}

impl Packed {
    /// Reads the index.
    pub(super) fn open(packed: &'static [u8]) -> Result<Self, CatalogueError> {
        let rest = packed.strip_prefix(MAGIC).ok_or(CatalogueError::Packed)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(CatalogueError::Packed)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| CatalogueError::Packed)?;
        let (index, bytes) = rest.split_at_checked(length).ok_or(CatalogueError::Packed)?;
        let entries = serde_json::from_str(&inflate(index)?).map_err(|_| CatalogueError::Packed)?;
        Ok(Self { entries, bytes })
    }

    pub(super) fn providers(&self) -> impl Iterator<Item = &ProviderInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// The models of a provider as JSON text.
    pub(super) fn models(&self, provider: &str) -> Result<Option<String>, CatalogueError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.info.id == provider) else {
            return Ok(None);
        };
        let end = entry.at.checked_add(entry.length).ok_or(CatalogueError::Packed)?;
        let packed = self.bytes.get(entry.at..end).ok_or(CatalogueError::Packed)?;
        inflate(packed).map(Some)
    }
}

/// Packs a catalogue in the shape of models.dev, keeping what we use of it.
pub fn pack(json: &str) -> Result<Vec<u8>, CatalogueError> {
    let text = Text::read(json)?;
    let (mut entries, mut blobs) = (Vec::new(), Vec::new());
    for info in text.providers() {
        let models: IndexMap<String, Model> =
            text.models(&info.id).map(super::read_models).unwrap_or_default();
        let written = serde_json::to_vec(&models).map_err(|_| CatalogueError::Packed)?;
        let packed = deflate(&written)?;
        entries.push(Entry { info: info.clone(), at: blobs.len(), length: packed.len() });
        blobs.extend_from_slice(&packed);
    }
    let index = deflate(&serde_json::to_vec(&entries).map_err(|_| CatalogueError::Packed)?)?;
    let length = u32::try_from(index.len()).map_err(|_| CatalogueError::Packed)?;
    Ok([MAGIC, &length.to_le_bytes(), &index, &blobs].concat())
}

fn deflate(bytes: &[u8]) -> Result<Vec<u8>, CatalogueError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|_| CatalogueError::Packed)
}

fn inflate(packed: &[u8]) -> Result<String, CatalogueError> {
    let mut text = String::new();
    let mut decoder = DeflateDecoder::new(packed).take(MOST_UNPACKED);
    decoder.read_to_string(&mut text).map_err(|_| CatalogueError::Packed)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let json = r#"{
            "b": {"id": "b", "name": "B", "env": ["B_KEY"], "api": "http://b", "models": {"one": {"id": "one", "name": "One"}}},
            "a": {"id": "a", "models": {}}
        }"#;
        let packed = Packed::open(pack(json).unwrap().leak()).unwrap();
        assert_eq!(packed.providers().map(|info| info.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        let models: IndexMap<String, Model> =
            serde_json::from_str(&packed.models("b").unwrap().unwrap()).unwrap();
        assert_eq!(models["one"], Model { id: "one".into(), name: "One".into(), ..Model::default() });
        assert_eq!(packed.models("a").unwrap().as_deref(), Some("{}"));
        assert_eq!(packed.models("c").unwrap(), None);
    }

    #[test]
    fn damage_at_any_byte_is_an_error_or_other_text_but_never_a_panic() {
        let whole = pack(r#"{"a": {"id": "a", "models": {"m": {"id": "m"}}}}"#).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            for damaged in [changed, whole[..at].to_vec()] {
                if let Ok(packed) = Packed::open(damaged.leak()) {
                    let _ = packed.models("a");
                }
            }
        }
    }
}
