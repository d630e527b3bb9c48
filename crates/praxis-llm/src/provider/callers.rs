//! Who has made calls of its own since the program started.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Endpoint;
use crate::Target;

/// The models, each at its server, that have made a call as their wire format has it. Clones share what they know.
///
/// Whoever has made one knows how to, so that what it prints afterwards is text.
#[derive(Debug, Clone, Default)]
pub struct Callers(Arc<Mutex<HashSet<(String, String)>>>);

impl Callers {
    /// A model has made a call.
    pub(crate) fn note(&self, endpoint: &Endpoint, target: &Target) {
        let caller = (endpoint.base_url.clone(), target.wire_model.clone());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(caller);
    }

    /// Whether any model of a server has made one.
    pub(crate) fn knows_server(&self, endpoint: &Endpoint) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|(server, _)| *server == endpoint.base_url)
    }

    /// Whether this very model has made one.
    pub(crate) fn knows_model(&self, endpoint: &Endpoint, target: &Target) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().any(|(server, model)| *server == endpoint.base_url && *model == target.wire_model)
    }
}
