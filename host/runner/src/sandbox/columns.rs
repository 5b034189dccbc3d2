//! The observation as columns, which are built once per cycle and shared by all genes.

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::OnceLock;

use gephost_core::correction::Correction;
use gephost_core::recording::{Blob, Digest, Hasher};
use gephost_core::run_event::{EventType, FailureKind, Outcome, RunEvent};
use gephost_core::signal;

use super::bindings::gephost::gene::run_log::{self as wit, Batch};
use super::interner::{Interner, narrow};
use super::usage::UsageColumns;

pub(super) const NO_TOOL: u32 = u32::MAX;

/// The observation as columns.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RunLog {
    pub(super) timestamp_us: Vec<i64>,
    #[serde(with = "serde_bytes")]
    pub(super) kind: Vec<u8>,
    #[serde(with = "serde_bytes")]
    pub(super) outcome: Vec<u8>,
    #[serde(with = "serde_bytes")]
    pub(super) failure_kind: Vec<u8>,
    pub(super) tool: Vec<u32>,
    pub(super) session: Vec<u32>,
    pub(super) duration_ms: Vec<f64>,
    pub(super) signature: Vec<u32>,
    pub(super) text_ends: Vec<usize>,
    #[serde(with = "serde_bytes")]
    pub(super) heap: Vec<u8>,
    pub(super) tools: Vec<String>,
    pub(super) sessions: Vec<String>,
    pub(super) usage: UsageColumns,
    /// The written form, which is made once for all recordings of a run.
    #[serde(skip)]
    pub(super) written: OnceLock<Blob>,
    /// The calls that worked next, which are looked for when they are first asked for.
    #[serde(skip)]
    pub(super) corrections: OnceLock<Vec<Correction>>,
}

impl RunLog {
    /// Turns events into columns. Event `i` becomes row `i`. Takes the events one by one, so a long log need not be in
    /// memory twice.
    pub fn new<E: Borrow<RunEvent>>(events: impl IntoIterator<Item = E>) -> Self {
        let mut log = Self::default();
        let mut tools = Interner::default();
        let mut sessions = Interner::default();
        let mut models = Interner::default();
        for (row, event) in events.into_iter().enumerate() {
            let event = event.borrow();
            log.timestamp_us.push(event.timestamp.map_or(i64::MIN, jiff::Timestamp::as_microsecond));
            log.kind.push(kind_position(event.event_type));
            log.outcome.push(outcome_position(event.outcome));
            log.failure_kind.push(failure_position(event.kind));
            log.tool.push(event.tool_name.as_ref().map_or(NO_TOOL, |tool| tools.position(tool)));
            log.session.push(sessions.position(&event.session_key));
            log.duration_ms.push(event.duration_ms.unwrap_or(f64::NAN));
            log.signature.push(signature(event));
            if let Some(spent) = &event.spent {
                log.usage.push(row, spent, &mut models);
            }
            for text in [&event.input, &event.output] {
                log.heap.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
                log.text_ends.push(log.heap.len());
            }
        }
        log.tools = tools.names;
        log.sessions = sessions.names;
        log.usage.name(models.names);
        log
    }

    /// The input of a row; empty if there is none.
    pub(super) fn input(&self, row: usize) -> &str {
        let start = self.text_range(row).start;
        let end = self.text_ends.get(2 * row).copied().unwrap_or(start);
        self.heap.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// The output of a row; empty if there is none.
    pub(super) fn output(&self, row: usize) -> &str {
        let end = self.text_range(row).end;
        let start = self.text_ends.get(2 * row).copied().unwrap_or(end);
        self.heap.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    pub(super) fn names_digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        for names in [&self.tools, &self.sessions] {
            hasher.number(names.len() as u64);
            for name in names {
                hasher.field(name.as_bytes());
            }
        }
        hasher.digest()
    }

    pub(super) fn text_range(&self, row: usize) -> Range<usize> {
        let start = if row == 0 { 0 } else { self.text_ends.get(2 * row - 1).copied().unwrap_or_default() };
        start..self.text_ends.get(2 * row + 1).copied().unwrap_or(start)
    }

    /// The columns of these rows. `rows` are valid and ascending. Consecutive rows, as there are without a filter, are
    /// copied as blocks.
    pub(super) fn batch(&self, rows: &[usize]) -> Batch {
        match (rows.first(), rows.last()) {
            (Some(&first), Some(&last)) if last + 1 - first == rows.len() => self.block(first..last + 1),
            _ => self.picked(rows),
        }
    }

    fn block(&self, rows: Range<usize>) -> Batch {
        let texts = self.text_range(rows.start).start..self.text_range(rows.end - 1).end;
        let ends = slice(&self.text_ends, &(2 * rows.start..2 * rows.end));
        Batch {
            index: rows.clone().map(|row| row as u64).collect(),
            timestamp_us: slice(&self.timestamp_us, &rows).to_vec(),
            kind: slice(&self.kind, &rows).to_vec(),
            outcome: slice(&self.outcome, &rows).to_vec(),
            failure_kind: slice(&self.failure_kind, &rows).to_vec(),
            tool: slice(&self.tool, &rows).to_vec(),
            session: slice(&self.session, &rows).to_vec(),
            duration_ms: slice(&self.duration_ms, &rows).to_vec(),
            signature: slice(&self.signature, &rows).to_vec(),
            text_ends: ends.iter().map(|end| narrow(end - texts.start)).collect(),
            heap: slice(&self.heap, &texts).to_vec(),
        }
    }

    fn picked(&self, rows: &[usize]) -> Batch {
        let mut heap = Vec::with_capacity(rows.iter().map(|&row| self.text_range(row).len()).sum());
        let mut text_ends = Vec::with_capacity(rows.len() * 2);
        for &row in rows {
            let range = self.text_range(row);
            let base = heap.len();
            let middle = self.text_ends.get(2 * row).copied().unwrap_or(range.end) - range.start;
            heap.extend_from_slice(slice(&self.heap, &range));
            text_ends.push(narrow(base + middle));
            text_ends.push(narrow(heap.len()));
        }
        Batch {
            index: rows.iter().map(|&row| row as u64).collect(),
            timestamp_us: pick(&self.timestamp_us, rows),
            kind: pick(&self.kind, rows),
            outcome: pick(&self.outcome, rows),
            failure_kind: pick(&self.failure_kind, rows),
            tool: pick(&self.tool, rows),
            session: pick(&self.session, rows),
            duration_ms: pick(&self.duration_ms, rows),
            signature: pick(&self.signature, rows),
            text_ends,
            heap,
        }
    }
}

/// A part of a column. Empty if the range is not valid, which callers rule out.
fn slice<'a, T>(column: &'a [T], range: &Range<usize>) -> &'a [T] {
    column.get(range.clone()).unwrap_or_default()
}

fn pick<T: Copy>(column: &[T], rows: &[usize]) -> Vec<T> {
    let mut picked = Vec::with_capacity(rows.len());
    picked.extend(rows.iter().filter_map(|&row| column.get(row).copied()));
    picked
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

const _: () = {
    // The positions above are those of the enums in wit/v0.1.2.
    assert!(wit::EventKind::Exception as u8 == 4);
    assert!(wit::Outcome::Unfinished as u8 == 5);
    assert!(wit::FailureKind::Other as u8 == 13);
};
