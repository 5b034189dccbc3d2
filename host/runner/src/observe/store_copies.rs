//! Reads the run store together with the logs that it was filled from. Events that are in both count once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gephost_core::observe::FileSummary;
use gephost_core::run_event::{EventType, RunEvent};

use super::item::LogItem;
use crate::place::Place;
use crate::run_store::{RunStore, RunStoreError, folder_name};

/// Most events of the logs that are remembered. Beyond that, the oldest copies in the store may count twice.
const MAX_EVENTS: usize = 8_000_000;

/// The store's files, and the events of the logs that may also be in them.
#[derive(Debug, Default)]
pub(super) struct StoreCopies {
    /// Each file with its whole path, which summaries show.
    files: Vec<(PathBuf, Place)>,
    /// Whether a session has a folder in the store.
    sessions: HashMap<Arc<str>, bool>,
    folders: HashSet<String>,
    events: HashSet<u64>,
}

impl StoreCopies {
    /// The store's files, except those that are read as logs anyway.
    pub(super) fn of(store: &RunStore, named: &[PathBuf]) -> Result<Self, RunStoreError> {
        let mut files: Vec<_> = store.files()?.into_iter().map(|place| (place.path(), place)).collect();
        files.retain(|(path, _)| named.binary_search(path).is_err());
        let folder = |(_, place): &(PathBuf, Place)| Some(place.parent().name().to_str()?.to_owned());
        let folders = files.iter().filter_map(folder).collect();
        Ok(Self { files, folders, ..Self::default() })
    }

    pub(super) fn files(&self) -> &[(PathBuf, Place)] {
        &self.files
    }

    /// Remembers an event of a log.
    pub(super) fn add_log_event(&mut self, event: &RunEvent) {
        if self.folders.is_empty() || self.events.len() >= MAX_EVENTS {
            return;
        }
        let folders = &self.folders;
        let session = self.sessions.entry(event.session_key.clone());
        if *session.or_insert_with(|| folders.contains(&folder_name(&event.session_key))) {
            self.events.insert(event.identity());
        }
    }

    /// Passes on the events of a store file that no log contained.
    pub(super) fn store_only(&self, path: &Path) -> StoreOnly<'_> {
        let summary = FileSummary { path: path.to_string_lossy().into_owned(), ..FileSummary::default() };
        StoreOnly { copies: self, summary, starts: HashSet::new() }
    }
}

/// The events of one store file that no log contained.
pub(super) struct StoreOnly<'a> {
    copies: &'a StoreCopies,
    summary: FileSummary,
    starts: HashSet<u64>,
}

impl StoreOnly<'_> {
    pub(super) fn take(&mut self, item: LogItem<'_>, take: &mut dyn FnMut(LogItem<'_>)) {
        match &item {
            LogItem::Event { event, .. } if self.copies.events.contains(&event.identity()) => return,
            LogItem::Event { event, sequence, .. } => {
                self.summary.count(event);
                if event.event_type == EventType::ToolStart {
                    self.starts.insert(*sequence);
                }
            }
            LogItem::Ended { unfinished, .. } => {
                let open = unfinished.iter().filter(|sequence| self.starts.contains(sequence));
                self.summary.outcomes.unfinished += open.count() as u64;
            }
        }
        take(item);
    }

    /// The numbers of the file without the events that a log contained; `None` if none remain.
    pub(super) fn summary(self, whole: FileSummary) -> Option<FileSummary> {
        let FileSummary { events, flagged, outcomes, usage, .. } = self.summary;
        let any = events != gephost_core::observe::EventCounts::default() || whole.skipped > 0;
        any.then_some(FileSummary { events, flagged, outcomes, usage, ..whole })
    }
}
