//! What requests to a model used, as sparse columns beside those of the run log. Only events with usage have a row, so
//! nothing is copied for other events or for genes that do not ask.

use gephost_core::run_event::Spent;
use serde::{Deserialize, Serialize};

use super::bindings::gephost::gene::run_log::UsageBatch;
use super::interner::Interner;

/// Stands for a number that the log does not have.
const UNKNOWN: u64 = u64::MAX;
/// Stands for a model that the log does not name.
const NO_MODEL: u32 = u32::MAX;

/// The rows, sorted by the number of their event, and the names of the models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageColumns {
    event: Vec<u64>,
    model: Vec<u32>,
    input: Vec<u64>,
    output: Vec<u64>,
    cache_read: Vec<u64>,
    cache_write: Vec<u64>,
    cost_nano_usd: Vec<u64>,
    pub(super) models: Vec<String>,
}

impl UsageColumns {
    pub(super) fn push(&mut self, event: usize, spent: &Spent, models: &mut Interner) {
        let usage = &spent.usage;
        self.event.push(event as u64);
        self.model.push(spent.model.as_ref().map_or(NO_MODEL, |model| models.position(model)));
        self.input.push(usage.input_tokens.unwrap_or(UNKNOWN));
        self.output.push(usage.output_tokens.unwrap_or(UNKNOWN));
        self.cache_read.push(usage.cache_read_tokens.unwrap_or(UNKNOWN));
        self.cache_write.push(usage.cache_write_tokens.unwrap_or(UNKNOWN));
        self.cost_nano_usd.push(usage.cost_nano_usd.unwrap_or(UNKNOWN));
    }

    pub(super) fn name(&mut self, models: Vec<String>) {
        self.models = models;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.event.is_empty()
    }

    /// Whether the columns fit each other and a run log of this many events. Checked for columns from a recording.
    pub(super) fn fits(&self, events: usize) -> bool {
        let rows = self.event.len();
        let columns = [&self.input, &self.output, &self.cache_read, &self.cache_write, &self.cost_nano_usd];
        columns.iter().all(|column| column.len() == rows)
            && self.model.len() == rows
            && self.model.iter().all(|model| *model == NO_MODEL || (*model as usize) < self.models.len())
            && self.event.is_sorted_by(|a, b| a < b)
            && self.event.last().is_none_or(|last| *last < events as u64)
    }

    pub(super) fn batch(&self, first: u64, max: usize, sessions: &[u32]) -> UsageBatch {
        let start = self.event.partition_point(|event| *event < first);
        let rows = start..start.saturating_add(max).min(self.event.len());
        let numbers = |column: &[u64]| column.get(rows.clone()).unwrap_or_default().to_vec();
        let index = numbers(&self.event);
        let session = |event: &u64| usize::try_from(*event).ok().and_then(|at| sessions.get(at)).copied();
        UsageBatch {
            session: index.iter().map(|event| session(event).unwrap_or_default()).collect(),
            index,
            model: self.model.get(rows.clone()).unwrap_or_default().to_vec(),
            input: numbers(&self.input),
            output: numbers(&self.output),
            cache_read: numbers(&self.cache_read),
            cache_write: numbers(&self.cache_write),
            cost_nano_usd: numbers(&self.cost_nano_usd),
        }
    }
}
