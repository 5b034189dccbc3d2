//! The events of a scripted run log.

use crate::run_log::{Batch, EventKind, FailureKind, Filter, Names, Outcome};

/// An event of the run log, as a test writes it.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEvent {
    /// Microseconds since the Unix epoch.
    pub timestamp_us: Option<i64>,
    /// The kind of event.
    pub kind: EventKind,
    /// The outcome of a call.
    pub outcome: Outcome,
    /// The kind of failure.
    pub failure_kind: FailureKind,
    /// The name of the tool.
    pub tool: Option<String>,
    /// The name of the session.
    pub session: String,
    /// Milliseconds from start to end.
    pub duration_ms: Option<f64>,
    /// The error signature. gephost computes it from the output; here a test says which failures have the same one.
    pub signature: Option<u32>,
    /// The tool's input, or the message.
    pub input: String,
    /// The tool's output.
    pub output: String,
}

impl LogEvent {
    /// A message of the user.
    #[must_use]
    pub fn message(text: &str) -> Self {
        Self::of(EventKind::InboundMsg, Outcome::None, None, text, "")
    }

    /// A call that succeeded.
    #[must_use]
    pub fn call(tool: &str, input: &str, output: &str) -> Self {
        Self::of(EventKind::ToolEnd, Outcome::Success, Some(tool), input, output)
    }

    /// A call that failed.
    #[must_use]
    pub fn failed_call(tool: &str, input: &str, output: &str) -> Self {
        let event = Self::of(EventKind::ToolEnd, Outcome::Failure, Some(tool), input, output);
        Self { failure_kind: FailureKind::Other, ..event }
    }

    /// An exception outside of any call.
    #[must_use]
    pub fn exception(text: &str) -> Self {
        Self::of(EventKind::Exception, Outcome::None, None, text, "")
    }

    fn of(kind: EventKind, outcome: Outcome, tool: Option<&str>, input: &str, output: &str) -> Self {
        Self {
            timestamp_us: None,
            kind,
            outcome,
            failure_kind: FailureKind::None,
            tool: tool.map(str::to_owned),
            session: "session".to_owned(),
            duration_ms: None,
            signature: None,
            input: input.to_owned(),
            output: output.to_owned(),
        }
    }

    /// Whether a filter selects this event.
    pub(super) fn passes(&self, filter: &Filter) -> bool {
        let tool = |wanted: &String| self.tool.as_ref() == Some(wanted);
        (filter.kinds.is_empty() || filter.kinds.contains(&self.kind))
            && (filter.outcomes.is_empty() || filter.outcomes.contains(&self.outcome))
            && (filter.tools.is_empty() || filter.tools.iter().any(tool))
            && filter.since_us.is_none_or(|since| self.timestamp_us.is_some_and(|time| time >= since))
    }
}

/// The names of tools and sessions, in the order in which the log has them.
pub(super) fn names(events: &[LogEvent]) -> Names {
    let mut names = Names { tools: Vec::new(), sessions: Vec::new() };
    for event in events {
        if let Some(tool) = event.tool.as_ref().filter(|tool| !names.tools.contains(tool)) {
            names.tools.push(tool.clone());
        }
        if !names.sessions.contains(&event.session) {
            names.sessions.push(event.session.clone());
        }
    }
    names
}

/// Numbered events as columns.
pub(super) fn batch(names: &Names, events: &[(u64, LogEvent)]) -> Batch {
    let position = |list: &[String], name: &str| {
        list.iter().position(|known| known == name).and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
    };
    let mut heap = Vec::new();
    let mut text_ends = Vec::new();
    for (_, event) in events {
        for text in [&event.input, &event.output] {
            heap.extend_from_slice(text.as_bytes());
            text_ends.push(u32::try_from(heap.len()).expect("the events of a test have less than 4 GiB"));
        }
    }
    let tool = |event: &LogEvent| event.tool.as_ref().map_or(u32::MAX, |tool| position(&names.tools, tool));
    Batch {
        index: events.iter().map(|(index, _)| *index).collect(),
        timestamp_us: events.iter().map(|(_, event)| event.timestamp_us.unwrap_or(i64::MIN)).collect(),
        kind: events.iter().map(|(_, event)| event.kind as u8).collect(),
        outcome: events.iter().map(|(_, event)| event.outcome as u8).collect(),
        failure_kind: events.iter().map(|(_, event)| event.failure_kind as u8).collect(),
        tool: events.iter().map(|(_, event)| tool(event)).collect(),
        session: events.iter().map(|(_, event)| position(&names.sessions, &event.session)).collect(),
        duration_ms: events.iter().map(|(_, event)| event.duration_ms.unwrap_or(f64::NAN)).collect(),
        signature: events.iter().map(|(_, event)| event.signature.unwrap_or(0)).collect(),
        text_ends,
        heap,
    }
}
