//! The view of a command: which places it can see, and what it may do there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Limits;

/// What a command sees and may do. What no place names is not there at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct View {
    /// Files and folders with all below them; the nearest place around a path decides about it.
    pub places: Vec<Place>,
    /// What stands at `/tmp`.
    pub temp: Temp,
    /// How far its network reaches.
    pub network: Network,
    /// Whether it may talk to programs outside by Unix sockets (Docker, D-Bus, an SSH agent): a way out.
    pub unix_sockets: bool,
    /// How much it may use.
    pub limits: Limits,
    /// Refuse to prepare when an essential part cannot be had, instead of saying so.
    pub required: bool,
}

/// A file or folder with all below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Where.
    #[serde(with = "bytes")]
    pub path: PathBuf,
    /// What a command may do there.
    pub access: Access,
}

/// What a command may do in a place, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// It is there and empty, and cannot be changed.
    Masked,
    /// It can be read.
    Read,
    /// It can be read and written.
    Write,
}

/// The folder for temporary files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Temp {
    /// One that begins empty and is gone with the command.
    #[default]
    Private,
    /// This one, whichever name the command knows it by.
    Folder(#[serde(with = "bytes")] PathBuf),
}

/// How far the network of a command reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// As far as the user's.
    Allow,
    /// Nowhere.
    #[default]
    Deny,
    /// To servers that the command itself starts, on a loopback interface of its own.
    Loopback,
}

impl Place {
    /// A place that can be read.
    pub fn read(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: Access::Read }
    }

    /// A place that can be written.
    pub fn write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: Access::Write }
    }

    /// A place that looks empty.
    pub fn masked(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: Access::Masked }
    }
}

impl View {
    /// What may be done at a path; nothing if it is not there for the command.
    pub fn access(&self, path: &Path) -> Option<Access> {
        let around = self.places.iter().filter(|place| path.starts_with(&place.path));
        // Of equal places the last counts, as everywhere.
        let nearest = around.max_by_key(|place| place.path.components().count());
        nearest.map(|place| place.access)
    }

    /// The places that can be written, the last named first, without those inside others.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        let last_first = self.with(Access::Write).collect::<Vec<_>>().into_iter().rev();
        let mut found: Vec<&Path> = Vec::new();
        for place in last_first {
            if !found.iter().any(|other| place.starts_with(other)) {
                found.retain(|other| !other.starts_with(place));
                found.push(place);
            }
        }
        found.into_iter()
    }

    /// The places with this access.
    pub(super) fn with(&self, access: Access) -> impl Iterator<Item = &Path> {
        self.places.iter().filter(move |place| place.access == access).map(|place| place.path.as_path())
    }
}

/// Paths need not be text.
mod bytes {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Name {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => Name::Text(text.to_owned()),
            None => Name::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
        .serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        Ok(match Name::deserialize(from)? {
            Name::Text(text) => PathBuf::from(text),
            Name::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_decides() {
        let view = View {
            places: vec![
                Place::read("/usr"),
                Place::write("/work"),
                Place::read("/work/.git"),
                Place::masked("/work/.env"),
            ],
            ..View::default()
        };
        let access = |path: &str| view.access(Path::new(path));
        assert_eq!(access("/usr/bin/sh"), Some(Access::Read));
        assert_eq!(access("/work/src/a.rs"), Some(Access::Write));
        assert_eq!(access("/work/.git/config"), Some(Access::Read));
        assert_eq!(access("/work/.gitignore"), Some(Access::Write));
        assert_eq!(access("/work/.env"), Some(Access::Masked));
        assert_eq!(access("/etc/passwd"), None);
    }

    #[test]
    fn places_travel_whatever_their_names_are() {
        use std::os::unix::ffi::OsStringExt;
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/work/\xff".to_vec()));
        let view =
            View { places: vec![Place::write(odd)], temp: Temp::Folder("/t".into()), ..View::default() };
        let json = serde_json::to_string(&view).unwrap_or_default();
        assert_eq!(serde_json::from_str::<View>(&json).ok(), Some(view));
    }
}
