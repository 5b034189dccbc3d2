//! What the agent did. Capability `run-log`.
//!
//! The host hands over columns; [`for_each`] shows them as rows without copying a text.

use crate::HostError;
use crate::bindings::imports::gephost::gene::run_log as raw;
pub use raw::{
    Batch, Cursor, EventKind, FailureKind, Filter, Names, Outcome, UsageBatch, models, open, tool_names, usage,
};

/// Events a batch: big enough to make the crossing cheap, small enough to stay in the cache.
const BATCH: u32 = 2048;

/// One event, borrowed from its batch.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Number of the event in the run log.
    pub index: u64,
    /// Microseconds since the Unix epoch, where the log has a time.
    pub timestamp_us: Option<i64>,
    /// What happened.
    pub kind: EventKind,
    /// What the end means.
    pub outcome: Outcome,
    /// What kind of failure.
    pub failure_kind: FailureKind,
    /// Which tool.
    pub tool: Option<&'a str>,
    /// Its position among [`Names::tools`]: the same for the whole call, so that a fold need not compare names.
    pub tool_number: Option<u32>,
    /// Which session.
    pub session: &'a str,
    /// Its position among [`Names::sessions`].
    pub session_number: u32,
    /// Milliseconds from start to end, where known.
    pub duration_ms: Option<f64>,
    /// The normalised error signature's hash, for failures.
    pub signature: Option<u32>,
    /// What was asked: the tool's input, or the message.
    pub input: &'a str,
    /// What came back.
    pub output: &'a str,
}

/// A filter that lets everything pass.
#[must_use]
pub fn everything() -> Filter {
    Filter { kinds: Vec::new(), outcomes: Vec::new(), tools: Vec::new(), since_us: None }
}

/// Calls `visit` with every event that passes the filter, oldest first.
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

/// What the requests to a model used that one event stands for. `None` is a number that the log does not tell; the three
/// of the prompt add up to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Number of the event in the run log.
    pub index: u64,
    /// Position of its session among [`Names::sessions`].
    pub session_number: u32,
    /// Position of the model among [`models`].
    pub model_number: Option<u32>,
    /// Tokens of the prompt that were read anew.
    pub input: Option<u64>,
    /// Tokens of the answer.
    pub output: Option<u64>,
    /// Tokens of the prompt that came from a cache.
    pub cache_read: Option<u64>,
    /// Tokens of the prompt that were put into a cache.
    pub cache_write: Option<u64>,
    /// Billionths of a US dollar, where the log itself says how much.
    pub cost_nano_usd: Option<u64>,
}

/// A walk over what requests used, beside one over the events: oldest first.
#[derive(Debug, Default)]
pub struct Usages {
    batch: Option<UsageBatch>,
    row: usize,
    next: u64,
    is_over: bool,
}

impl Usages {
    /// The next that belongs to the event of this number or to one before it; `None` where there is no more so far.
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
    let told = |column: &[u64]| column.get(row).copied().filter(|number| *number != u64::MAX);
    Some(Used {
        index: *batch.index.get(row)?,
        session_number: *batch.session.get(row)?,
        model_number: batch.model.get(row).copied().filter(|model| *model != u32::MAX),
        input: told(&batch.input),
        output: told(&batch.output),
        cache_read: told(&batch.cache_read),
        cache_write: told(&batch.cache_write),
        cost_nano_usd: told(&batch.cost_nano_usd),
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
