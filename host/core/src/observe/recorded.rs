//! The run events of a command that gephost ran itself: for the user, or to validate a change.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::outcome::{Call, judge};
use crate::redact::Redactor;
use crate::run_event::{EventType, MAX_FAILURE_OUTPUT_BYTES, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, Outcome, RunEvent};
use crate::text::clip_middle;

/// A command that gephost ran, and how it ended.
#[derive(Debug, Clone, Copy)]
pub struct RanCommand<'a> {
    /// The session of the events.
    pub session: &'a str,
    /// The id that the start and the end share.
    pub call_id: &'a str,
    /// The command, quoted as a shell reads it.
    pub line: &'a str,
    /// Standard output, then standard error.
    pub output: &'a str,
    /// The exit code, or 128 plus the number of the signal that ended it.
    pub exit_code: i32,
    /// When it started.
    pub started: Timestamp,
    /// How long it ran, if that is to be told.
    pub duration: Option<Duration>,
}

impl RanCommand<'_> {
    /// Its start and its end, judged, redacted and then clipped (invariant 12).
    pub fn events(&self, redactor: &mut Redactor) -> [RunEvent; 2] {
        let tool = program(self.line);
        let flagged = self.exit_code != 0;
        let judgement = judge(&Call {
            tool: &tool,
            command: Some(self.line),
            output: self.output,
            flagged,
            exit_code: Some(i64::from(self.exit_code)),
            ..Call::default()
        });
        let outcome = judgement.outcome;
        let limit = if outcome == Outcome::Failure { MAX_FAILURE_OUTPUT_BYTES } else { MAX_OUTPUT_BYTES };
        let shown = redactor.redact(self.line).into_owned();
        let start = RunEvent {
            timestamp: Some(self.started),
            tool_name: Some(Arc::from(tool.as_str())),
            call_id: Some(Arc::from(self.call_id)),
            input: Some(clip_middle(&shown, MAX_INPUT_BYTES).into_owned()),
            ..RunEvent::bare(Arc::from(self.session), EventType::ToolStart)
        };
        let elapsed = self.duration.and_then(|duration| SignedDuration::try_from(duration).ok()).unwrap_or_default();
        let end = RunEvent {
            timestamp: self.started.checked_add(elapsed).ok(),
            event_type: EventType::ToolEnd,
            duration_ms: self.duration.map(|duration| duration.as_secs_f64() * 1000.0),
            outcome: Some(outcome),
            kind: judgement.kind,
            flagged,
            output: Some(clip_middle(&redactor.redact(self.output), limit).into_owned()),
            ..start.clone()
        };
        [start, end]
    }
}

/// The program's name without its folder: what findings group by.
fn program(line: &str) -> String {
    let first = line.split_whitespace().next().unwrap_or_default();
    first.trim_matches(['\'', '"']).rsplit('/').next().unwrap_or_default().to_owned()
}
