//! What requests to a model used, as sparse columns beside the run log's: an event has a row where its log tells it.
//! Nothing is copied for the events that tell nothing, nor for genes that never ask.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::{Decision, Digest, Hasher};
use gephost_core::run_event::Spent;
use serde::{Deserialize, Serialize};

use super::audit::Handed;
use super::bindings::gephost::gene::run_log::UsageBatch;
use super::bindings::gephost::gene::types::HostError;
use super::run_log::Interner;
use super::state::GeneState;

/// Stands for a number that the log does not tell.
const UNTOLD: u64 = u64::MAX;
/// Stands for a model that the log does not name.
const NO_MODEL: u32 = u32::MAX;
/// The most rows in one batch.
const MAX_ROWS: u32 = 65_536;
/// Bytes of a row: an event's number, session and model, and five numbers.
const ROW_BYTES: usize = 56;

/// The rows, by the number of their event, and the models' names.
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
    models: Vec<String>,
}

impl UsageColumns {
    pub(super) fn push(&mut self, event: usize, spent: &Spent, models: &mut Interner) {
        let usage = &spent.usage;
        self.event.push(event as u64);
        self.model.push(spent.model.as_ref().map_or(NO_MODEL, |model| models.position(model)));
        self.input.push(usage.input_tokens.unwrap_or(UNTOLD));
        self.output.push(usage.output_tokens.unwrap_or(UNTOLD));
        self.cache_read.push(usage.cache_read_tokens.unwrap_or(UNTOLD));
        self.cache_write.push(usage.cache_write_tokens.unwrap_or(UNTOLD));
        self.cost_nano_usd.push(usage.cost_nano_usd.unwrap_or(UNTOLD));
    }

    pub(super) fn name(&mut self, models: Vec<String>) {
        self.models = models;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.event.is_empty()
    }

    /// Whether the columns fit each other and a run log of so many events, when they come from elsewhere.
    pub(super) fn fits(&self, events: usize) -> bool {
        let rows = self.event.len();
        let columns = [&self.input, &self.output, &self.cache_read, &self.cache_write, &self.cost_nano_usd];
        columns.iter().all(|column| column.len() == rows)
            && self.model.len() == rows
            && self.model.iter().all(|model| *model == NO_MODEL || (*model as usize) < self.models.len())
            && self.event.is_sorted_by(|a, b| a < b)
            && self.event.last().is_none_or(|last| *last < events as u64)
    }

    fn batch(&self, first: u64, max: usize, sessions: &[u32]) -> UsageBatch {
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

impl GeneState {
    /// `run-log.models`.
    pub(super) fn hand_models(&mut self) -> wasmtime::Result<Result<Vec<String>, HostError>> {
        if let Err(denied) = self.enter(Capability::RunLog, "models", "")? {
            return Ok(Err(denied));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let models = &log.usage.models;
        let bytes = models.iter().map(|name| name.len() as u64).sum();
        self.meter.hand_over(bytes)?;
        let mut hasher = Hasher::default();
        for name in models {
            hasher.field(name.as_bytes());
        }
        let handed = Handed::Digest(bytes, hasher.digest());
        self.audit.record(Capability::RunLog, "models", "", Decision::Granted, handed);
        Ok(Ok(models.clone()))
    }

    /// `run-log.usage`.
    pub(super) fn hand_usage(
        &mut self,
        first: u64,
        max: u32,
    ) -> wasmtime::Result<Result<Option<UsageBatch>, HostError>> {
        let target = format!("from event {first}");
        if let Err(denied) = self.enter(Capability::RunLog, "usage", &target)? {
            return Ok(Err(denied));
        }
        if max == 0 {
            let invalid = HostError::Invalid("a batch of at most 0 rows".to_owned());
            self.audit.refuse(Capability::RunLog, "usage", &target, &invalid);
            return Ok(Err(invalid));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let batch = log.usage.batch(first, max.min(MAX_ROWS) as usize, &log.session);
        let bytes = (batch.index.len() * ROW_BYTES) as u64;
        self.meter.hand_over(bytes)?;
        let handed = Handed::Digest(bytes, rows_digest(&batch));
        self.audit.record(Capability::RunLog, "usage", &target, Decision::Granted, handed);
        Ok(Ok((!batch.index.is_empty()).then_some(batch)))
    }
}

/// The rows' events: with the run log's digest beside it, they stand for the numbers.
fn rows_digest(batch: &UsageBatch) -> Digest {
    let mut hasher = Hasher::default();
    hasher.number(batch.index.len() as u64);
    for event in &batch.index {
        hasher.number(*event);
    }
    hasher.digest()
}
