//! What a session of autopilot holds, and how it logs.

use std::sync::Arc;

use gephost_core::config::AutopilotTable;
use gephost_core::event_log::{Contents, CycleOutcome, EntryBody};

use super::report::{PassedOver, SessionEvent};
use crate::apply::{ApplySession, Ended};
use crate::consultant::Consultant;
use crate::cycle::CycleOptions;
use crate::deadline::Deadline;
use crate::error::AppError;
use crate::project::Project;

/// A session of autopilot.
pub(super) struct AutopilotSession<'p> {
    pub(super) project: &'p Project,
    pub(super) options: &'p CycleOptions,
    /// The model, if one is asked: its limits hold for the whole session.
    pub(super) consultant: Option<Arc<Consultant>>,
    /// With what it applies; `None` for a dry run.
    pub(super) applying: Option<ApplySession>,
    /// When it is to be over; what goes on then is ended.
    pub(super) until: Deadline,
    /// Findings that a dry run has looked at, which leaves nothing in the log.
    pub(super) seen: Vec<(String, String)>,
    /// Changes that a dry run would have tried.
    pub(super) would_try: Vec<Vec<Contents>>,
    pub(super) events: Vec<SessionEvent>,
    pub(super) passed_over: Vec<PassedOver>,
}

/// What one cycle came to.
pub(super) struct Decided {
    pub(super) outcome: CycleOutcome,
    pub(super) reason: String,
    /// What was tried, if anything was.
    pub(super) applied: Option<Ended>,
}

impl Decided {
    pub(super) fn new(outcome: CycleOutcome, reason: impl Into<String>) -> Self {
        Self { outcome, reason: reason.into(), applied: None }
    }
}

impl AutopilotSession<'_> {
    pub(super) fn table(&self) -> &AutopilotTable {
        &self.project.config.file.autopilot
    }

    pub(super) fn is_dry(&self) -> bool {
        self.applying.is_none()
    }

    /// Appends to the log, which a dry run leaves alone.
    pub(super) fn append(&self, body: &EntryBody) -> Result<(), AppError> {
        if self.is_dry() { Ok(()) } else { self.project.append(body) }
    }
}
