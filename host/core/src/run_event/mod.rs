//! What an agent did, one event at a time: the type in memory, and its form on disk (seed 004 section 3.1).
//!
//! A [`RunEvent`] in memory is already redacted: readers build events only from text that passed [`crate::redact`]
//! (invariant 12).

mod disk;
mod identity;
mod usage;

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use disk::{DiskError, LOG_MAX_CHARS, from_disk_line, to_disk_line};
pub use usage::{Spent, Usage};

/// Most bytes of [`RunEvent::input`].
pub const MAX_INPUT_BYTES: usize = 4 * 1024;
/// Most bytes of [`RunEvent::output`] if something failed.
pub const MAX_FAILURE_OUTPUT_BYTES: usize = 16 * 1024;
/// Most bytes of [`RunEvent::output`] if nothing failed.
pub const MAX_OUTPUT_BYTES: usize = 1024;

/// The five kinds of event of seed 004 section 3.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// The user, or a program that drives the agent, sent a message.
    InboundMsg,
    /// The agent sent a message.
    OutboundMsg,
    /// The agent called a tool.
    ToolStart,
    /// A tool call returned.
    ToolEnd,
    /// Something failed outside a tool call: the model's API, a hook or the agent itself.
    Exception,
}

/// How a tool call ended (`LOG-FORMATS`, "What counts as a failure").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The call did what it was meant to do.
    Success,
    /// The call did not do what it was meant to do.
    Failure,
    /// The user rejected or stopped the call.
    Rejected,
    /// The call failed only because another one did.
    Cascade,
    /// The call has no result: its end is not in the log, it still ran, or the agent broke it off.
    Unfinished,
}

/// What kind of failure it was. It serves to group failures and does not decide whether a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test run had failing tests.
    TestFailure,
    /// A compiler or linter reported errors.
    CompileLint,
    /// A command exited with a code other than 0, and no other kind fits.
    ExitNonzero,
    /// A file or directory does not exist.
    FileNotFound,
    /// An edit did not match the file's content.
    EditMismatch,
    /// A time limit was exceeded.
    Timeout,
    /// The system denied access.
    Permission,
    /// An imported module or a package is missing.
    MissingModule,
    /// A program is not installed.
    MissingCommand,
    /// A git command failed.
    Git,
    /// A connection failed.
    Network,
    /// An uncaught exception, with a stack trace.
    Traceback,
    /// None of the kinds above.
    Other,
}

/// One event of an agent's run. Texts are redacted and clipped.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    /// When it happened; absent if the log gives no time.
    pub timestamp: Option<Timestamp>,
    /// The session, as the log names it.
    pub session_key: Arc<str>,
    /// Which of the five kinds it is.
    pub event_type: EventType,
    /// Where an inbound message came from.
    pub channel: Option<Arc<str>>,
    /// Name of the tool, for tool events.
    pub tool_name: Option<Arc<str>>,
    /// Id that the start and the end of a call share.
    pub call_id: Option<Arc<str>>,
    /// Milliseconds from the start of a call to its end; set on ends.
    pub duration_ms: Option<f64>,
    /// How the call ended. On a start: `Unfinished` if the call has no end, else absent.
    pub outcome: Option<Outcome>,
    /// The kind of failure, for failed calls and for exceptions.
    pub kind: Option<FailureKind>,
    /// Whether the log itself marks the event as failed (error flag or exit code). Always true for exceptions.
    pub flagged: bool,
    /// The command or the tool's input as text, or the message.
    pub input: Option<String>,
    /// The tool's output or the exception's text.
    pub output: Option<String>,
    /// What the model requests used that led to this event, or that it led to; absent if the log does not say. Each
    /// request is counted on exactly one event of its session.
    pub spent: Option<Box<Spent>>,
    /// Line of the source file, from 1; 0 if the source has no lines.
    pub line: u64,
}

impl RunEvent {
    /// Whether it is the end of a call that failed, or an exception.
    pub fn is_failure(&self) -> bool {
        match self.event_type {
            EventType::ToolEnd => self.outcome == Some(Outcome::Failure),
            EventType::Exception => true,
            _ => false,
        }
    }

    /// Whether it is a failure, and not a turn that a person ended, which the formats report as an exception.
    pub fn failed_by_itself(&self) -> bool {
        let is_aborted_turn = self.event_type == EventType::Exception
            && self.output.as_deref().is_some_and(|output| output.starts_with("turn aborted"));
        self.is_failure() && !is_aborted_turn
    }

    /// An event with only these two fields set: no time, no text, no line, not flagged.
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
