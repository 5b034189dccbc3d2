//! Every tool call of the logs with what became of it, so that anyone can check the judgement against the file.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use gephost_core::run_event::{EventType, FailureKind, Outcome, RunEvent};
use gephost_runner::observe::LogItem;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// One call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
pub(super) struct Call {
    /// The log.
    path: String,
    /// The session that it belongs to.
    session_key: Arc<str>,
    /// The log's own id of the call.
    call_id: Option<Arc<str>>,
    /// The tool.
    tool: Option<Arc<str>>,
    outcome: Outcome,
    /// What kind of failure it was.
    kind: Option<FailureKind>,
    /// Whether the log itself marks it as failed.
    flagged: bool,
    /// Milliseconds that it took.
    duration_ms: Option<f64>,
    /// The line of the result; of the call where there is none.
    line: u64,
    /// The line of the call.
    start_line: Option<u64>,
}

/// The calls, as they are read.
#[derive(Debug, Default)]
pub(super) struct Calls {
    ended: Vec<Call>,
    /// The starts of the present file that no end has come for, by their sequence; and the newest of each id.
    open: BTreeMap<u64, Call>,
    by_id: HashMap<Arc<str>, u64>,
}

impl Calls {
    /// Takes what was read. Calls that came back before `since` are left out.
    pub(super) fn take(&mut self, item: LogItem<'_>, since: Option<Timestamp>) {
        match item {
            LogItem::Event { path, sequence, event, .. } => {
                let old = since.is_some_and(|since| event.timestamp.is_some_and(|time| time < since));
                let call = || call(&path.to_string_lossy(), &event);
                match (event.event_type, &event.call_id) {
                    (EventType::ToolStart, Some(id)) if !old => {
                        self.open.insert(sequence, call());
                        self.by_id.insert(id.clone(), sequence);
                    }
                    (EventType::ToolEnd, id) if !old => {
                        let started = id.as_ref().and_then(|id| self.by_id.remove(id));
                        let start = started.and_then(|sequence| self.open.remove(&sequence));
                        self.ended.push(Call { start_line: start.map(|start| start.line), ..call() });
                    }
                    _ => {}
                }
            }
            LogItem::Ended { unfinished, .. } => {
                let open = std::mem::take(&mut self.open);
                self.by_id.clear();
                let left = open.into_iter().filter(|(sequence, _)| unfinished.binary_search(sequence).is_ok());
                self.ended.extend(left.map(|(_, call)| Call { start_line: Some(call.line), ..call }));
            }
        }
    }

    /// In the order of files and lines, with paths as the person spelled them.
    pub(super) fn listed(mut self, spelled: &dyn Fn(&str) -> String) -> Vec<Call> {
        self.ended.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        for call in &mut self.ended {
            call.path = spelled(&call.path);
        }
        self.ended
    }
}

fn call(path: &str, event: &RunEvent) -> Call {
    Call {
        path: path.to_owned(),
        session_key: event.session_key.clone(),
        call_id: event.call_id.clone(),
        tool: event.tool_name.clone(),
        outcome: event.outcome.unwrap_or(Outcome::Unfinished),
        kind: event.kind,
        flagged: event.flagged,
        duration_ms: event.duration_ms,
        line: event.line,
        start_line: None,
    }
}

/// One line a call.
pub(super) fn page(calls: &[Call]) -> String {
    let mut text = String::new();
    for call in calls {
        let name =
            |value: serde_json::Result<serde_json::Value>| value.ok().and_then(|v| v.as_str().map(str::to_owned));
        let outcome = name(serde_json::to_value(call.outcome)).unwrap_or_default();
        let kind = call.kind.and_then(|kind| name(serde_json::to_value(kind))).unwrap_or_default();
        let tool = call.tool.as_deref().unwrap_or("?");
        let _ = writeln!(text, "{}:{}  {outcome:<10} {kind:<15} {tool}", call.path, call.line);
    }
    text
}
