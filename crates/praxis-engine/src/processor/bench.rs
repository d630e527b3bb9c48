//! What all calls of a turn share.

use std::sync::Arc;

use praxis_policy::Authority;
use praxis_proto::SessionStatus;
use praxis_tools::schema::Shape;
use praxis_tools::{CxParts, ImageLimits, Offer};
use tokio::sync::watch;

use super::call::STRUCTURED_TOOL;
use crate::doom::Doom;
use crate::hooks::Extensions;
use crate::lanes::Lanes;
use crate::model::Answerer;
use crate::outcome::Why;
use crate::record::Record;
use crate::runner::Stop;
use crate::snapshots::Snapshots;

/// What all calls of a turn share.
pub(crate) struct Bench {
    pub(crate) offer: Offer,
    /// What calls are given, but for their ids.
    pub(crate) cx: CxParts,
    pub(crate) answerer: Answerer,
    pub(crate) hooks: Arc<Extensions>,
    pub(crate) snapshots: Arc<dyn Snapshots>,
    pub(crate) doom: Arc<Doom>,
    /// How many calls may run at once.
    pub(crate) lanes: Arc<Lanes>,
    /// How large a picture may be.
    pub(crate) images: ImageLimits,
    /// Whether this step offers no tools.
    pub(crate) last: bool,
    /// The schema that a structured answer must fit.
    pub(crate) shape: Option<Arc<Shape>>,
    /// Whether the run goes on when the user says no.
    pub(crate) continues: bool,
    pub(crate) stop: Stop,
    pub(crate) state: watch::Sender<SessionStatus>,
}

impl Bench {
    /// What the called tool is really called; what nobody understands keeps its name.
    pub(super) fn name_of(&self, called: &str) -> String {
        if self.shape.is_some() && called == STRUCTURED_TOOL {
            return called.to_owned();
        }
        self.offer.understand(called).unwrap_or(called).to_owned()
    }

    pub(super) fn why_cancelled(&self) -> String {
        self.stop.why().unwrap_or(Why::User).told()
    }

    pub(super) fn status(&self, record: &Record, status: SessionStatus) {
        self.state.send_replace(status.clone());
        record.status(status);
    }

    pub(super) fn authority(&self) -> &Authority {
        &self.cx.authority
    }
}
