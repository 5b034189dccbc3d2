//! The import `run-log`: the observation as columns, handed over in batches.
//!
//! The columns are built once for a cycle and shared by all genes. Without a filter a batch is a slice of each column.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::run_event::{EventType, FailureKind, Outcome, RunEvent};
use gephost_core::signal;
use wasmtime::component::Resource;

use super::bindings::gephost::gene::run_log::{self as wit, Batch, Filter, Host, HostCursor, Names};
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

const NO_TOOL: u32 = u32::MAX;
/// The most events in one batch.
const MAX_BATCH: u32 = 65_536;
/// The most texts' bytes in one batch; a batch ends early at this bound.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// The observation as columns.
#[derive(Debug, Default)]
pub struct RunLog {
    timestamp_us: Vec<i64>,
    kind: Vec<u8>,
    outcome: Vec<u8>,
    failure_kind: Vec<u8>,
    tool: Vec<u32>,
    session: Vec<u32>,
    duration_ms: Vec<f64>,
    signature: Vec<u32>,
    text_ends: Vec<usize>,
    heap: Vec<u8>,
    tools: Vec<String>,
    sessions: Vec<String>,
}

impl RunLog {
    /// Turns events into columns. Event `i` becomes row `i`.
    pub fn new(events: &[RunEvent]) -> Self {
        let mut log = Self::default();
        let mut tools = Interner::default();
        let mut sessions = Interner::default();
        for event in events {
            log.timestamp_us.push(event.timestamp.map_or(i64::MIN, jiff::Timestamp::as_microsecond));
            log.kind.push(kind_position(event.event_type));
            log.outcome.push(outcome_position(event.outcome));
            log.failure_kind.push(failure_position(event.kind));
            log.tool.push(event.tool_name.as_ref().map_or(NO_TOOL, |tool| tools.position(tool)));
            log.session.push(sessions.position(&event.session_key));
            log.duration_ms.push(event.duration_ms.unwrap_or(f64::NAN));
            log.signature.push(signature(event));
            for text in [&event.input, &event.output] {
                log.heap.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
                log.text_ends.push(log.heap.len());
            }
        }
        log.tools = tools.names;
        log.sessions = sessions.names;
        log
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    fn text_range(&self, row: usize) -> std::ops::Range<usize> {
        let start = if row == 0 { 0 } else { self.text_ends.get(2 * row - 1).copied().unwrap_or_default() };
        start..self.text_ends.get(2 * row + 1).copied().unwrap_or(start)
    }

    /// The rows' columns, in order. `rows` are valid and rising.
    fn batch(&self, rows: &[usize]) -> Batch {
        let pick = |column: &[u8]| rows.iter().filter_map(|&row| column.get(row).copied()).collect::<Vec<_>>();
        let pick_u32 = |column: &[u32]| rows.iter().filter_map(|&row| column.get(row).copied()).collect::<Vec<_>>();
        let mut heap = Vec::with_capacity(rows.iter().map(|&row| self.text_range(row).len()).sum());
        let mut text_ends = Vec::with_capacity(rows.len() * 2);
        for &row in rows {
            let range = self.text_range(row);
            let base = heap.len();
            let middle = self.text_ends.get(2 * row).copied().unwrap_or(range.end) - range.start;
            heap.extend_from_slice(self.heap.get(range).unwrap_or_default());
            text_ends.push(narrow(base + middle));
            text_ends.push(narrow(heap.len()));
        }
        Batch {
            index: rows.iter().map(|&row| row as u64).collect(),
            timestamp_us: rows.iter().filter_map(|&row| self.timestamp_us.get(row).copied()).collect(),
            kind: pick(&self.kind),
            outcome: pick(&self.outcome),
            failure_kind: pick(&self.failure_kind),
            tool: pick_u32(&self.tool),
            session: pick_u32(&self.session),
            duration_ms: rows.iter().filter_map(|&row| self.duration_ms.get(row).copied()).collect(),
            signature: pick_u32(&self.signature),
            text_ends,
            heap,
        }
    }
}

/// An offset within a batch; [`MAX_BATCH_BYTES`] and the clip of each text keep it far below the bound.
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[derive(Default)]
struct Interner {
    positions: HashMap<Arc<str>, u32>,
    names: Vec<String>,
}

impl Interner {
    fn position(&mut self, name: &Arc<str>) -> u32 {
        if let Some(position) = self.positions.get(name) {
            return *position;
        }
        let position = narrow(self.names.len());
        self.names.push(name.to_string());
        self.positions.insert(Arc::clone(name), position);
        position
    }
}

fn signature(event: &RunEvent) -> u32 {
    let failed = event.outcome == Some(Outcome::Failure) || event.event_type == EventType::Exception;
    let text = event.output.as_deref().filter(|_| failed);
    text.and_then(signal::error_signature).map_or(0, |line| signal::signature_hash(&line))
}

fn kind_position(kind: EventType) -> u8 {
    match kind {
        EventType::InboundMsg => 0,
        EventType::OutboundMsg => 1,
        EventType::ToolStart => 2,
        EventType::ToolEnd => 3,
        EventType::Exception => 4,
    }
}

fn outcome_position(outcome: Option<Outcome>) -> u8 {
    match outcome {
        None => 0,
        Some(Outcome::Success) => 1,
        Some(Outcome::Failure) => 2,
        Some(Outcome::Rejected) => 3,
        Some(Outcome::Cascade) => 4,
        Some(Outcome::Unfinished) => 5,
    }
}

fn failure_position(kind: Option<FailureKind>) -> u8 {
    match kind {
        None => 0,
        Some(FailureKind::TestFailure) => 1,
        Some(FailureKind::CompileLint) => 2,
        Some(FailureKind::ExitNonzero) => 3,
        Some(FailureKind::FileNotFound) => 4,
        Some(FailureKind::EditMismatch) => 5,
        Some(FailureKind::Timeout) => 6,
        Some(FailureKind::Permission) => 7,
        Some(FailureKind::MissingModule) => 8,
        Some(FailureKind::MissingCommand) => 9,
        Some(FailureKind::Git) => 10,
        Some(FailureKind::Network) => 11,
        Some(FailureKind::Traceback) => 12,
        Some(FailureKind::Other) => 13,
    }
}

/// A walk in progress.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Cursor {
    filter: Sieve,
    next: usize,
}

/// A filter, turned into what the columns hold.
#[derive(Debug)]
struct Sieve {
    /// Bit `k` is set if kind `k` passes.
    kinds: u32,
    outcomes: u32,
    /// Whether the tool at this position passes.
    tools: Option<Vec<bool>>,
    since_us: i64,
}

impl Sieve {
    fn new(filter: Filter, log: &RunLog) -> Self {
        // A guest's lists may be long: each is read once, and no event is compared with one.
        let tools = (!filter.tools.is_empty()).then(|| {
            let asked: HashSet<&str> = filter.tools.iter().map(String::as_str).collect();
            log.tools.iter().map(|tool| asked.contains(tool.as_str())).collect()
        });
        Self {
            kinds: bits(filter.kinds.into_iter().map(|kind| kind as u8)),
            outcomes: bits(filter.outcomes.into_iter().map(|outcome| outcome as u8)),
            tools,
            since_us: filter.since_us.unwrap_or(i64::MIN),
        }
    }

    fn passes(&self, log: &RunLog, row: usize) -> bool {
        let among = |set: u32, column: &[u8]| column.get(row).is_some_and(|position| set >> position & 1 == 1);
        let tool = |tools: &Vec<bool>| log.tool.get(row).and_then(|&tool| tools.get(tool as usize)) == Some(&true);
        among(self.kinds, &log.kind)
            && among(self.outcomes, &log.outcome)
            && self.tools.as_ref().is_none_or(tool)
            && log.timestamp_us.get(row).is_some_and(|&time| time >= self.since_us)
    }
}

/// The set of these positions, all of them below 32; an empty list means everything.
fn bits(positions: impl ExactSizeIterator<Item = u8>) -> u32 {
    if positions.len() == 0 { u32::MAX } else { positions.fold(0, |set, position| set | 1 << position) }
}

impl Host for GeneState {
    fn tool_names(&mut self) -> wasmtime::Result<Result<Names, HostError>> {
        if let Err(denied) = self.enter(Capability::RunLog)? {
            return Ok(Err(denied));
        }
        let log = Arc::clone(&self.inputs.run_log);
        self.meter.hand_over(log.tools.iter().chain(&log.sessions).map(|name| name.len() as u64).sum())?;
        Ok(Ok(Names { tools: log.tools.clone(), sessions: log.sessions.clone() }))
    }

    fn open(&mut self, filter: Filter) -> wasmtime::Result<Result<Resource<Cursor>, HostError>> {
        if let Err(denied) = self.enter(Capability::RunLog)? {
            return Ok(Err(denied));
        }
        let filter = Sieve::new(filter, &self.inputs.run_log);
        match self.table.push(Cursor { filter, next: 0 }) {
            Ok(cursor) => Ok(Ok(cursor)),
            Err(_) => Err(self.meter.exhaust(super::budget::Budget::HostCalls)),
        }
    }
}

impl HostCursor for GeneState {
    fn next(&mut self, cursor: Resource<Cursor>, max: u32) -> wasmtime::Result<Result<Option<Batch>, HostError>> {
        self.meter.host_call()?;
        if max == 0 {
            return Ok(Err(HostError::Invalid("a batch of at most 0 events".to_owned())));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let cursor = self.table.get_mut(&cursor)?;
        let rows = cursor.advance(&log, max.min(MAX_BATCH) as usize);
        if rows.is_empty() {
            return Ok(Ok(None));
        }
        let batch = log.batch(&rows);
        // Five columns of four or eight bytes, three of one.
        self.meter.hand_over((batch.heap.len() + rows.len() * 51) as u64)?;
        Ok(Ok(Some(batch)))
    }

    fn drop(&mut self, cursor: Resource<Cursor>) -> wasmtime::Result<()> {
        self.table.delete(cursor)?;
        Ok(())
    }
}

impl Cursor {
    /// The next rows that pass, at most `max` of them, and of bounded size.
    fn advance(&mut self, log: &RunLog, max: usize) -> Vec<usize> {
        let mut rows = Vec::with_capacity(max.min(log.len().saturating_sub(self.next)));
        let mut bytes = 0;
        while rows.len() < max && self.next < log.len() && bytes < MAX_BATCH_BYTES {
            if self.filter.passes(log, self.next) {
                bytes += log.text_range(self.next).len();
                rows.push(self.next);
            }
            self.next += 1;
        }
        rows
    }
}

const _: () = {
    // The positions above are those of the enums in wit/v0.1.
    assert!(wit::EventKind::Exception as u8 == 4);
    assert!(wit::Outcome::Unfinished as u8 == 5);
    assert!(wit::FailureKind::Other as u8 == 13);
};
