//! What the readers of both schemas share: what they remember between the events of a file, and common fields.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::observe::Transcript;
use crate::observe::content::{Text, lenient};
use crate::outcome::was_not_run;
use crate::run_event::Usage;

/// Most actions without an observation.
pub(super) const MAX_ACTIONS: usize = 4096;

#[derive(Default)]
pub(super) struct OpenHands {
    pub(super) by_instance: bool,
    /// Whether the file holds one event, with the other events in files next to it.
    pub(super) single_event: bool,
    pub(super) session: Option<Arc<str>>,
    /// Call ids by the id of their action.
    pub(super) actions: HashMap<i64, String>,
    /// The usage that answers have reported so far, and whether a total, which includes them, was reported.
    pub(super) reported: Usage,
    pub(super) total_reported: bool,
    /// Whether the instance has reported its whole usage.
    pub(super) all_reported: bool,
    /// Calls over ACP, and whether they have ended.
    pub(super) acp: HashMap<String, bool>,
}

#[derive(Deserialize)]
pub(super) struct Metadata<'a> {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) exit_code: Option<i64>,
    /// What the harness adds to an output for the model.
    #[serde(borrow, default)]
    suffix: Text<'a>,
}

impl Metadata<'_> {
    /// Why the harness did not run the command, if it did not: the one before still runs.
    pub(super) fn refusal(&self) -> Option<&str> {
        Some(self.suffix.0.trim()).filter(|text| was_not_run(text))
    }
}

impl OpenHands {
    /// The session: the instance, else the file, or the folder that contains the folder of events.
    pub(super) fn session(&mut self, out: &mut Transcript<'_>) -> Arc<str> {
        let single_event = self.single_event;
        let named = || if single_event { out.session_of_events() } else { out.file_session() };
        self.session.get_or_insert_with(named).clone()
    }
}
