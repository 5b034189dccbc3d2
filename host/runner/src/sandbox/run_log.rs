//! The import `run-log`: hands over the observation in batches. Without a filter, a batch is a slice of each column.

use std::collections::HashSet;
use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::{Decision, Digest, Hasher};
use wasmtime::component::Resource;

use super::audit::Handed;
use super::bindings::gephost::gene::run_log::{self as wit, Batch, Filter, Host, HostCursor, Names, UsageBatch};
use super::bindings::gephost::gene::types::HostError;
use super::columns::RunLog;
use super::cursor::{Cursor, RowFilter};
use super::state::GeneState;

/// Events between two checks of the clock. A filter may refuse all of ten million.
const ROWS_BETWEEN_LOOKS: usize = 1 << 16;
/// Most events in one batch.
pub(super) const MAX_BATCH: u32 = 65_536;
/// Most rows of usage in one batch.
pub(super) const MAX_ROWS: u32 = 65_536;
/// Bytes of a row of usage: an event's number, session and model, and five numbers.
const ROW_BYTES: usize = 56;
/// Most bytes of texts in one batch. A batch ends early at this bound.
pub(super) const MAX_BATCH_BYTES: usize = 8 << 20;

impl RowFilter {
    fn new(filter: Filter, log: &RunLog) -> Self {
        // The lists of a guest may be long, so each is read once and no event is compared with them.
        let tools = (!filter.tools.is_empty()).then(|| {
            let asked: HashSet<&str> = filter.tools.iter().map(String::as_str).collect();
            log.tools.iter().map(|tool| asked.contains(tool.as_str())).collect()
        });
        let nothing_asked = filter.kinds.is_empty() && filter.outcomes.is_empty() && filter.since_us.is_none();
        Self {
            everything: nothing_asked && tools.is_none(),
            kinds: bits(filter.kinds.into_iter().map(|kind| kind as u8)),
            outcomes: bits(filter.outcomes.into_iter().map(|outcome| outcome as u8)),
            tools,
            since_us: filter.since_us.unwrap_or(i64::MIN),
        }
    }

    fn passes(&self, log: &RunLog, row: usize) -> bool {
        let among = |set: u32, column: &[u8]| column.get(row).is_some_and(|position| set >> position & 1 == 1);
        let tool = |tools: &Vec<bool>| log.tool.get(row).and_then(|&tool| tools.get(tool as usize)) == Some(&true);
        if self.everything {
            return true;
        }
        among(self.kinds, &log.kind)
            && among(self.outcomes, &log.outcome)
            && self.tools.as_ref().is_none_or(tool)
            && log.timestamp_us.get(row).is_some_and(|&time| time >= self.since_us)
    }
}

/// A set of these positions, all below 32. An empty list means everything.
fn bits(positions: impl ExactSizeIterator<Item = u8>) -> u32 {
    if positions.len() == 0 { u32::MAX } else { positions.fold(0, |set, position| set | 1 << position) }
}

impl Host for GeneState {
    fn tool_names(&mut self) -> wasmtime::Result<Result<Names, HostError>> {
        if let Err(denied) = self.enter(Capability::RunLog, "tool-names", "")? {
            return Ok(Err(denied));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let bytes = log.tools.iter().chain(&log.sessions).map(|name| name.len() as u64).sum();
        self.meter.hand_over(bytes)?;
        let handed = Handed::Digest(bytes, log.names_digest());
        self.audit.record(Capability::RunLog, "tool-names", "", Decision::Granted, handed);
        Ok(Ok(Names { tools: log.tools.clone(), sessions: log.sessions.clone() }))
    }

    fn open(&mut self, filter: Filter) -> wasmtime::Result<Result<Resource<Cursor>, HostError>> {
        let target = shown(&filter);
        if let Err(denied) = self.enter(Capability::RunLog, "open", &target)? {
            return Ok(Err(denied));
        }
        let filter = RowFilter::new(filter, &self.inputs.run_log);
        match self.table.push(Cursor { filter, next: 0 }) {
            Ok(cursor) => {
                self.audit.record(Capability::RunLog, "open", &target, Decision::Granted, Handed::Nothing);
                Ok(Ok(cursor))
            }
            Err(_) => Err(self.meter.exhaust(super::budget::Budget::HostCalls)),
        }
    }

    fn models(&mut self) -> wasmtime::Result<Result<Vec<String>, HostError>> {
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

    fn usage(&mut self, first: u64, max: u32) -> wasmtime::Result<Result<Option<UsageBatch>, HostError>> {
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
        let handed = Handed::Digest(bytes, usage_digest(&batch));
        self.audit.record(Capability::RunLog, "usage", &target, Decision::Granted, handed);
        Ok(Ok((!batch.index.is_empty()).then_some(batch)))
    }

    fn corrections(&mut self, first: u64, max: u32) -> wasmtime::Result<Result<Vec<wit::Correction>, HostError>> {
        self.hand_corrections(first, max)
    }
}

impl HostCursor for GeneState {
    fn next(&mut self, cursor: Resource<Cursor>, max: u32) -> wasmtime::Result<Result<Option<Batch>, HostError>> {
        self.meter.host_call()?;
        self.audit.begin();
        if max == 0 {
            let invalid = HostError::Invalid("a batch of at most 0 events".to_owned());
            self.audit.refuse(Capability::RunLog, "cursor.next", "", &invalid);
            return Ok(Err(invalid));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let cursor = self.table.get_mut(&cursor)?;
        let rows = cursor.advance(&log, max.min(MAX_BATCH) as usize, || self.meter.in_time())?;
        if rows.is_empty() {
            self.audit.record(Capability::RunLog, "cursor.next", "end", Decision::Granted, Handed::Nothing);
            return Ok(Ok(None));
        }
        let batch = log.batch(&rows);
        // Five columns of four or eight bytes, three of one.
        let bytes = (batch.heap.len() + rows.len() * 51) as u64;
        self.meter.hand_over(bytes)?;
        let handed = Handed::Digest(bytes, rows_digest(&rows));
        self.audit.record(Capability::RunLog, "cursor.next", &shown_rows(&rows), Decision::Granted, handed);
        Ok(Ok(Some(batch)))
    }

    fn drop(&mut self, cursor: Resource<Cursor>) -> wasmtime::Result<()> {
        self.table.delete(cursor)?;
        Ok(())
    }
}

/// `event-kind` of the contract, in its order.
const KINDS: [&str; 5] = ["inbound-msg", "outbound-msg", "tool-start", "tool-end", "exception"];
/// `outcome` of the contract, in its order.
const OUTCOMES: [&str; 6] = ["none", "success", "failure", "rejected", "cascade", "unfinished"];

/// A filter as the audit shows it.
fn shown(filter: &Filter) -> String {
    let mut parts = Vec::new();
    let names = |names: Vec<String>| names.join(",");
    let of = |all: &[&str], number: u8| all.get(usize::from(number)).copied().unwrap_or_default().to_owned();
    if !filter.kinds.is_empty() {
        let kinds = filter.kinds.iter().take(8).map(|kind| of(&KINDS, *kind as u8)).collect();
        parts.push(format!("kinds={}", names(kinds)));
    }
    if !filter.outcomes.is_empty() {
        let outcomes = filter.outcomes.iter().take(8).map(|outcome| of(&OUTCOMES, *outcome as u8)).collect();
        parts.push(format!("outcomes={}", names(outcomes)));
    }
    if !filter.tools.is_empty() {
        let tools = filter.tools.iter().take(8).map(|tool| tool.chars().take(60).collect()).collect();
        parts.push(format!("tools={}", names(tools)));
    }
    if let Some(since) = filter.since_us {
        parts.push(format!("since={since}"));
    }
    if parts.is_empty() { "all".to_owned() } else { parts.join(" ") }
}

/// The events of a batch as the audit shows them: `events 0..4096` or, with gaps, `12 of the events 3..900`.
fn shown_rows(rows: &[usize]) -> String {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return String::new() };
    let span = last + 1 - first;
    let gaps = if span == rows.len() { String::new() } else { format!("{} of the ", rows.len()) };
    format!("{gaps}events {first}..{}", last + 1)
}

/// A digest of a batch. It covers only the row numbers: with the digest of the whole run log, which a recording also
/// has, they determine the content. So ten million events are not hashed a second time.
fn rows_digest(rows: &[usize]) -> Digest {
    let mut hasher = Hasher::default();
    let (first, last) = (rows.first().copied().unwrap_or_default(), rows.last().copied().unwrap_or_default());
    hasher.number(rows.len() as u64);
    hasher.number(first as u64);
    hasher.number(last as u64);
    if last + 1 - first != rows.len() {
        for &row in rows {
            hasher.number(row as u64);
        }
    }
    hasher.digest()
}

impl Cursor {
    /// The next rows that pass the filter: at most `max`, and of bounded size.
    fn advance(
        &mut self,
        log: &RunLog,
        max: usize,
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<Vec<usize>> {
        let mut rows = Vec::with_capacity(max.min(log.len().saturating_sub(self.next)));
        let mut bytes = 0;
        while rows.len() < max && self.next < log.len() && bytes < MAX_BATCH_BYTES {
            if self.filter.passes(log, self.next) {
                bytes += log.text_range(self.next).len();
                rows.push(self.next);
            }
            self.next += 1;
            if self.next.is_multiple_of(ROWS_BETWEEN_LOOKS) {
                in_time()?;
            }
        }
        Ok(rows)
    }
}

/// A digest of rows of usage. With the digest of the run log, the numbers of the events determine the content.
fn usage_digest(batch: &UsageBatch) -> Digest {
    let mut hasher = Hasher::default();
    hasher.number(batch.index.len() as u64);
    for event in &batch.index {
        hasher.number(*event);
    }
    hasher.digest()
}
