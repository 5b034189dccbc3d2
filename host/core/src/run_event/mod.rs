//! What an agent did, one event at a time: the live type, and its form on disk (seed 004 section 3.1).
//!
//! The live [`RunEvent`] is redacted already: readers never build one from text that did not pass
//! [`crate::redact`] (invariant 12).

mod disk;
mod identity;
mod usage;

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use disk::{DiskError, LOG_MAX_CHARS, from_disk_line, to_disk_line};
pub use usage::{Spent, Usage};

/// Most bytes of [`RunEvent::input`].
pub const MAX_INPUT_BYTES: usize = 4 * 1024;
/// Most bytes of [`RunEvent::output`] where something failed.
pub const MAX_FAILURE_OUTPUT_BYTES: usize = 16 * 1024;
/// Most bytes of [`RunEvent::output`] where nothing failed.
pub const MAX_OUTPUT_BYTES: usize = 1024;

/// The five kinds of event of seed 004 section 3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// The person, or whoever drives the agent, said something.
    InboundMsg,
    /// The agent said something.
    OutboundMsg,
    /// A tool was called.
    ToolStart,
    /// A tool call came back.
    ToolEnd,
    /// Something failed outside a tool call: the model's API, a hook, the agent itself.
    Exception,
}

/// What a tool call's end means (`LOG-FORMATS`, "What counts as a failure").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it was called for.
    Success,
    /// It did not.
    Failure,
    /// The person said no, or stopped it.
    Rejected,
    /// An echo of another call that failed.
    Cascade,
    /// It has not come back.
    Unfinished,
}

/// What kind of failure it was. A guide for grouping, not a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test run with failing tests.
    TestFailure,
    /// A compiler or linter found errors.
    CompileLint,
    /// A command exited with a code other than 0, and nothing says more.
    ExitNonzero,
    /// A file or directory was not there.
    FileNotFound,
    /// An edit that did not fit the file.
    EditMismatch,
    /// A time limit ran out.
    Timeout,
    /// Access was denied by the system.
    Permission,
    /// An import or a package was not there.
    MissingModule,
    /// A program was not there.
    MissingCommand,
    /// git refused.
    Git,
    /// A connection failed.
    Network,
    /// An uncaught exception with a stack trace.
    Traceback,
    /// None of these.
    Other,
}

/// One event of an agent's run. Texts are redacted and clipped.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// When; absent where the log has no time.
    pub timestamp: Option<Timestamp>,
    /// Which session, as the log names it.
    pub session_key: Arc<str>,
    /// What happened.
    pub event_type: EventType,
    /// Where an inbound message came from.
    pub channel: Option<Arc<str>>,
    /// Which tool, for tool events.
    pub tool_name: Option<Arc<str>>,
    /// What pairs a start with its end.
    pub call_id: Option<Arc<str>>,
    /// Milliseconds from start to end, for ends.
    pub duration_ms: Option<f64>,
    /// What the end means. On a start: `Unfinished` where no end came, else absent.
    pub outcome: Option<Outcome>,
    /// What kind of failure, where the outcome is one, and for exceptions.
    pub kind: Option<FailureKind>,
    /// Whether the format itself marks it as failed (error flag or exit code); always so for exceptions.
    pub flagged: bool,
    /// What was asked: the command or the tool's input as text, or the message.
    pub input: Option<String>,
    /// What came back: the tool's output or the exception's text.
    pub output: Option<String>,
    /// What the requests to a model used that led to this event, or that it led to; absent where the log tells nothing.
    /// Each request is on one event of its session.
    pub spent: Option<Box<Spent>>,
    /// Line of the source file, from 1; 0 where there are no lines.
    pub line: u64,
}

impl RunEvent {
    /// An event of which nothing else is known: no time, no text, not flagged, from no line.
    pub fn bare(session_key: Arc<str>, event_type: EventType) -> Self {
        Self {
            timestamp: None,
            session_key,
            event_type,
            channel: None,
            tool_name: None,
            call_id: None,
            duration_ms: None,
            outcome: None,
            kind: None,
            flagged: false,
            input: None,
            output: None,
            spent: None,
            line: 0,
        }
    }
}
