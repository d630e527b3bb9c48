//! What a tool asks for.

use praxis_os::RealPath;
use praxis_policy::{Act, Care};
use serde_json::{Map, Value};

use crate::Instance;

/// The request to do one act on named resources. [`Cx::ask`](crate::Cx::ask) turns it into a grant.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Ask {
    pub(crate) permission: String,
    pub(crate) patterns: Vec<String>,
    pub(crate) always: Vec<String>,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) act: Act,
    pub(crate) care: Care,
    pub(crate) contained: bool,
}

impl Ask {
    /// An ask for a permission on one resource; an "always" would cover everything of that permission.
    pub fn new(permission: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self::on(permission, vec![pattern.into()])
    }

    /// An ask for a permission on several resources, each of which must be allowed.
    pub fn on(permission: impl Into<String>, patterns: Vec<String>) -> Self {
        Self {
            permission: permission.into(),
            patterns,
            always: vec!["*".to_owned()],
            metadata: Map::new(),
            act: Act::Custom,
            care: Care::Usual,
            contained: false,
        }
    }

    /// To read a file of the project, or one outside that was asked for first.
    pub fn read(instance: &Instance, path: &RealPath) -> Self {
        Self { act: Act::Read(path.as_path().to_owned()), ..Self::new("read", instance.name_of(path)) }
    }

    /// To replace or create a file.
    pub fn edit(instance: &Instance, path: &RealPath) -> Self {
        Self { act: Act::Write(vec![path.as_path().to_owned()]), ..Self::new("edit", instance.name_of(path)) }
    }

    /// To exchange messages with a URL.
    pub fn fetch(permission: &str, pattern: impl Into<String>, url: impl Into<String>) -> Self {
        Self { act: Act::Fetch(url.into()), ..Self::new(permission, pattern) }
    }

    /// What the grant will be good for.
    pub fn to(mut self, act: Act) -> Self {
        self.act = act;
        self
    }

    /// What an "always" would allow instead.
    pub fn always(mut self, patterns: impl IntoIterator<Item = String>) -> Self {
        self.always = patterns.into_iter().collect();
        self
    }

    /// A broad allow shall not suffice, for this reason.
    pub fn doubt(self, reason: impl Into<String>) -> Self {
        self.careful(Care::doubt(reason))
    }

    /// Only a person shall be able to allow it; `act` completes "this would …".
    pub fn confirm(self, act: impl Into<String>) -> Self {
        self.careful(Care::Confirm(act.into()))
    }

    /// The kernel contains the act: a rule's question about it needs no person.
    pub fn contained(mut self, contained: bool) -> Self {
        self.contained = contained;
        self
    }

    /// How careful the desk shall be.
    pub fn careful(mut self, care: Care) -> Self {
        self.care = care;
        self
    }

    /// Something for a client to show.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }
}
