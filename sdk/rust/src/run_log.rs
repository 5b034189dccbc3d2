//! What the agent did. Capability `run-log`.
//!
//! The host hands over columns. [`for_each`] presents them as rows, without copying texts.

use crate::HostError;
use crate::host::run_log as raw;
pub use raw::{
    Batch, Correction, Cursor, Difference, EventKind, FailureKind, Filter, Names, Outcome, UsageBatch, corrections,
    models, open, tool_names, usage,
};

/// Events in a batch: enough to make a call of the host cheap, few enough to stay in the processor's cache.
const BATCH: u32 = 2048;

/// One event, borrowed from its batch.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Number of the event in the run log.
    pub index: u64,
    /// Microseconds since the Unix epoch, if the log has a time.
    pub timestamp_us: Option<i64>,
    /// The kind of event.
    pub kind: EventKind,
    /// The outcome of a call.
    pub outcome: Outcome,
    /// The kind of failure.
    pub failure_kind: FailureKind,
    /// The name of the tool.
    pub tool: Option<&'a str>,
    /// Position of the tool's name in [`Names::tools`]. It stays the same during the whole call, so that a gene need not
    /// compare names.
    pub tool_number: Option<u32>,
    /// The name of the session.
    pub session: &'a str,
    /// Position of the session's name in [`Names::sessions`].
    pub session_number: u32,
    /// Milliseconds from start to end, if known.
    pub duration_ms: Option<f64>,
    /// The normalised error signature of a failure or exception.
    pub signature: Option<u32>,
    /// The tool's input, or the message.
    pub input: &'a str,
    /// The tool's output.
    pub output: &'a str,
}

/// A filter that selects every event.
#[must_use]
pub fn everything() -> Filter {
    Filter { kinds: Vec::new(), outcomes: Vec::new(), tools: Vec::new(), since_us: None }
}

/// Calls `visit` with every event that the filter selects, oldest first.
pub fn for_each(filter: &Filter, mut visit: impl FnMut(Event<'_>)) -> Result<(), HostError> {
    let names = tool_names()?;
    let cursor = open(filter)?;
    while let Some(batch) = cursor.next(BATCH)? {
        for row in 0..batch.index.len() {
            visit(event(&names, &batch, row).ok_or_else(|| HostError::Failed("a column is too short".to_owned()))?);
        }
    }
    Ok(())
}

/// All corrections of the log, by the number of the failed call: what worked next.
pub fn all_corrections() -> Result<Vec<Correction>, HostError> {
    let mut all: Vec<Correction> = Vec::new();
    loop {
        let first = all.last().map_or(0, |last| last.failed.saturating_add(1));
        let more = corrections(first, BATCH)?;
        if more.is_empty() {
            return Ok(all);
        }
        all.extend(more);
    }
}

/// What the requests to a model used that are counted at one event. `None` is a value that the log does not have. The prompt
/// is the sum of `input`, `cache_read` and `cache_write`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Number of the event in the run log.
    pub index: u64,
    /// Position of the session's name in [`Names::sessions`].
    pub session_number: u32,
    /// Position of the model's name in [`models`].
    pub model_number: Option<u32>,
    /// Tokens of the prompt that were neither read from a cache nor written to one.
    pub input: Option<u64>,
    /// Tokens of the answer, including reasoning.
    pub output: Option<u64>,
    /// Tokens of the prompt that were read from a cache.
    pub cache_read: Option<u64>,
    /// Tokens of the prompt that were written to a cache.
    pub cache_write: Option<u64>,
    /// The cost in billionths of a US dollar, if the log has it.
    pub cost_nano_usd: Option<u64>,
}

/// An iterator over what requests used, oldest first. It runs in step with a loop over the events.
#[derive(Debug, Default)]
pub struct Usages {
    batch: Option<UsageBatch>,
    row: usize,
    next: u64,
    is_over: bool,
}

impl Usages {
    /// The next usage at the event of this number or at an earlier one; `None` if there is no more up to there.
    pub fn up_to(&mut self, event: u64) -> Result<Option<Used>, HostError> {
        loop {
            if let Some(used) = self.batch.as_ref().and_then(|batch| used(batch, self.row)) {
                self.row += usize::from(used.index <= event);
                return Ok((used.index <= event).then_some(used));
            }
            if self.is_over {
                return Ok(None);
            }
            self.batch = usage(self.next, BATCH)?;
            self.row = 0;
            let last = self.batch.as_ref().and_then(|batch| batch.index.last());
            self.is_over = last.is_none();
            self.next = last.map_or(self.next, |last| last.saturating_add(1));
        }
    }
}

fn used(batch: &UsageBatch, row: usize) -> Option<Used> {
    let value = |column: &[u64]| column.get(row).copied().filter(|number| *number != u64::MAX);
    Some(Used {
        index: *batch.index.get(row)?,
        session_number: *batch.session.get(row)?,
        model_number: batch.model.get(row).copied().filter(|model| *model != u32::MAX),
        input: value(&batch.input),
        output: value(&batch.output),
        cache_read: value(&batch.cache_read),
        cache_write: value(&batch.cache_write),
        cost_nano_usd: value(&batch.cost_nano_usd),
    })
}

fn event<'a>(names: &'a Names, batch: &'a Batch, row: usize) -> Option<Event<'a>> {
    let start = if row == 0 { 0 } else { *batch.text_ends.get(2 * row - 1)? };
    let middle = *batch.text_ends.get(2 * row)?;
    let end = *batch.text_ends.get(2 * row + 1)?;
    let timestamp = *batch.timestamp_us.get(row)?;
    let duration = *batch.duration_ms.get(row)?;
    let signature = *batch.signature.get(row)?;
    let (tool_number, session_number) = (*batch.tool.get(row)?, *batch.session.get(row)?);
    let tool = names.tools.get(tool_number as usize);
    Some(Event {
        index: *batch.index.get(row)?,
        timestamp_us: (timestamp != i64::MIN).then_some(timestamp),
        kind: kind(*batch.kind.get(row)?),
        outcome: outcome(*batch.outcome.get(row)?),
        failure_kind: failure_kind(*batch.failure_kind.get(row)?),
        tool: tool.map(String::as_str),
        tool_number: tool.map(|_| tool_number),
        session: names.sessions.get(session_number as usize).map_or("", String::as_str),
        session_number,
        duration_ms: (!duration.is_nan()).then_some(duration),
        signature: (signature != 0).then_some(signature),
        input: text(batch, start, middle)?,
        output: text(batch, middle, end)?,
    })
}

fn text(batch: &Batch, start: u32, end: u32) -> Option<&str> {
    std::str::from_utf8(batch.heap.get(start as usize..end as usize)?).ok()
}

fn kind(position: u8) -> EventKind {
    const KINDS: [EventKind; 4] =
        [EventKind::InboundMsg, EventKind::OutboundMsg, EventKind::ToolStart, EventKind::ToolEnd];
    KINDS.get(usize::from(position)).copied().unwrap_or(EventKind::Exception)
}

fn outcome(position: u8) -> Outcome {
    const OUTCOMES: [Outcome; 5] =
        [Outcome::None, Outcome::Success, Outcome::Failure, Outcome::Rejected, Outcome::Cascade];
    OUTCOMES.get(usize::from(position)).copied().unwrap_or(Outcome::Unfinished)
}

fn failure_kind(position: u8) -> FailureKind {
    const KINDS: [FailureKind; 13] = [
        FailureKind::None,
        FailureKind::TestFailure,
        FailureKind::CompileLint,
        FailureKind::ExitNonzero,
        FailureKind::FileNotFound,
        FailureKind::EditMismatch,
        FailureKind::Timeout,
        FailureKind::Permission,
        FailureKind::MissingModule,
        FailureKind::MissingCommand,
        FailureKind::Git,
        FailureKind::Network,
        FailureKind::Traceback,
    ];
    KINDS.get(usize::from(position)).copied().unwrap_or(FailureKind::Other)
}
