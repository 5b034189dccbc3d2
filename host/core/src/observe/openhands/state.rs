//! What both schemas need: what is remembered between the events of a file, and the members that they share.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::observe::Transcript;
use crate::observe::content::loose;
use crate::run_event::Usage;

/// Most actions that wait for their observation.
pub(super) const MAX_ACTIONS: usize = 4096;

#[derive(Default)]
pub(super) struct OpenHands {
    pub(super) by_instance: bool,
    /// The file holds one event, and those before it lie beside it.
    pub(super) alone: bool,
    pub(super) session: Option<Arc<str>>,
    /// Call ids by the id of their action.
    pub(super) actions: HashMap<i64, String>,
    /// What the answers so far told, and whether a total did, which has them all.
    pub(super) answered: Usage,
    pub(super) total_told: bool,
    /// Whether the instance told what all of it used.
    pub(super) all_told: bool,
    /// Calls over ACP, and whether they have ended.
    pub(super) acp: HashMap<String, bool>,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    #[serde(default, deserialize_with = "loose")]
    pub(super) exit_code: Option<i64>,
}

impl OpenHands {
    /// The instance; where it names none the file, or what holds the folder of events.
    pub(super) fn session(&mut self, out: &mut Transcript<'_>) -> Arc<str> {
        let alone = self.alone;
        let named = || if alone { out.session_of_events() } else { out.file_session() };
        self.session.get_or_insert_with(named).clone()
    }
}
