//! Derives GEP signals from `RunEvent`s: short names of what happened, by which genes and capsules are chosen (protocol
//! facts, section 3). Each signal says how often it occurred, when first and last, and in which events.
//!
//! Calls that the user rejected, failures caused by other failures and calls without a result raise no error signals:
//! they would lead to useless proposals. Several errors of the model's API in a row count as one incident. Past cycles
//! (failure streaks, loops of failed repairs, stagnation) raise signals through [`history_signals`].

mod history;
mod keywords;
mod pattern;
mod signature;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::run_event::{EventType, FailureKind, RunEvent};
use crate::text::{clip, without_controls};
pub use history::history_signals;
pub(crate) use pattern::Written;
pub use pattern::{Pattern, pattern_matches, pattern_problem};
pub use signature::{cause_lines, error_signature, normal_signal, normalise_signature, signal_key, signature_hash};

/// Most events that a signal refers to. Its count has no limit.
pub const MAX_EVENT_REFS: usize = 32;
/// Most characters of a user's message that a signal's name quotes.
const MAX_SNIPPET_CHARS: usize = 200;
/// How many failures with the same normalised signature make a recurring error.
const RECURRING: u64 = 3;
/// How many calls of one tool in a row count as repeated use.
const REPEATED_USE: u64 = 5;
/// How many calls of one tool count as high use.
const HIGH_USE: u64 = 10;

/// Something that happened, under its GEP name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signal {
    /// Such as `log_error`, `errsig:…` or `user_feature_request:…`, without control and direction-changing characters.
    pub name: String,
    /// How many events raised it.
    pub count: u64,
    /// Time of the first such event that has a time.
    #[serde(serialize_with = "as_text")]
    pub first: Option<Timestamp>,
    /// Time of the last such event that has a time.
    #[serde(serialize_with = "as_text")]
    pub last: Option<Timestamp>,
    /// Indexes of the first [`MAX_EVENT_REFS`] such events in the list that was given.
    pub events: Vec<u64>,
}

#[expect(clippy::ref_option, reason = "serde hands a field by reference")]
fn as_text<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_string()).serialize(serializer)
}

/// All signals of a run, sorted by name, without duplicates. The same events give the same signals, byte for byte.
pub fn signals(events: &[RunEvent]) -> Vec<Signal> {
    let mut raised = Raised::default();
    let mut errors: BTreeMap<u32, (String, Vec<u64>)> = BTreeMap::new();
    let mut before: Option<&RunEvent> = None;
    for (index, event) in (0u64..).zip(events) {
        let again = before.replace(event).is_some_and(|before| is_same_incident(before, event));
        if event.failed_by_itself() && !again {
            raise_failure(&mut raised, &mut errors, event, index);
        }
        if event.event_type == EventType::InboundMsg && event.channel.as_deref() != Some("harness") {
            raise_requests(&mut raised, event, index);
        }
    }
    raise_recurring(&mut raised, events, &errors);
    raise_tool_use(&mut raised, events);
    if events.is_empty() {
        raised.add("session_logs_missing", None);
    } else if raised.by_name.is_empty() {
        raised.add("stable_success_plateau", None);
    }
    raised.by_name.into_values().collect()
}

/// Whether an exception is a retry: it directly follows one of the same kind in the same session.
fn is_same_incident(before: &RunEvent, event: &RunEvent) -> bool {
    let exceptions = [before, event].iter().all(|event| event.event_type == EventType::Exception);
    exceptions && before.session_key == event.session_key && before.kind == event.kind
}

#[derive(Default)]
struct Raised {
    by_name: BTreeMap<String, Signal>,
}

impl Raised {
    fn add(&mut self, name: &str, event: Option<(u64, &RunEvent)>) {
        let name = without_controls(name);
        let signal = match self.by_name.entry(name.clone().into_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(Signal { name: name.into_owned(), count: 0, first: None, last: None, events: Vec::new() })
            }
        };
        signal.count += 1;
        let Some((index, event)) = event else { return };
        signal.first = earlier(signal.first, event.timestamp);
        signal.last = signal.last.max(event.timestamp);
        if signal.events.len() < MAX_EVENT_REFS {
            signal.events.push(index);
        }
    }
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn raise_failure(raised: &mut Raised, errors: &mut BTreeMap<u32, (String, Vec<u64>)>, event: &RunEvent, index: u64) {
    let text = event.output.as_deref().unwrap_or_default();
    raised.add("log_error", Some((index, event)));
    raised.add("error", Some((index, event)));
    let by_type = if event.event_type == EventType::Exception { "exception" } else { "failed" };
    raised.add(by_type, Some((index, event)));
    let by_kind = match event.kind {
        Some(FailureKind::Timeout) => Some("timeout"),
        Some(FailureKind::Traceback) => Some("exception").filter(|name| *name != by_type),
        Some(FailureKind::MissingCommand | FailureKind::MissingModule) => Some("capability_gap"),
        _ => None,
    };
    for name in by_kind.into_iter().chain(keywords::of_failure(text)) {
        raised.add(name, Some((index, event)));
    }
    if let Some(signature) = error_signature(text) {
        raised.add(&signature, Some((index, event)));
        let same = errors.entry(signature_hash(&signature)).or_insert_with(|| (signature, Vec::new()));
        same.1.push(index);
    }
}

fn raise_requests(raised: &mut Raised, event: &RunEvent, index: u64) {
    let text = event.input.as_deref().unwrap_or_default();
    for (name, said) in keywords::of_person(text) {
        raised.add(name, Some((index, event)));
        if keywords::QUOTED.contains(&name) {
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            raised.add(&format!("{name}:{}", clip(&said, MAX_SNIPPET_CHARS)), Some((index, event)));
        }
    }
}

/// Raises `recurring_error`, and a signal with the number of occurrences for each recurring signature.
fn raise_recurring(raised: &mut Raised, events: &[RunEvent], errors: &BTreeMap<u32, (String, Vec<u64>)>) {
    for (signature, indexes) in errors.values() {
        let times = indexes.len() as u64;
        if times < RECURRING {
            continue;
        }
        let line = signature.strip_prefix("errsig:").unwrap_or(signature);
        let name = format!("recurring_errsig({times}x):{line}");
        for index in indexes {
            let event = usize::try_from(*index).ok().and_then(|at| events.get(at));
            raised.add(&name, event.map(|event| (*index, event)));
            raised.add("recurring_error", event.map(|event| (*index, event)));
        }
    }
}

fn raise_tool_use(raised: &mut Raised, events: &[RunEvent]) {
    let starts = || (0u64..).zip(events).filter(|(_, event)| event.event_type == EventType::ToolStart);
    let mut uses: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut row: (&str, Vec<u64>) = ("", Vec::new());
    let mut rows: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (index, event) in starts() {
        let tool = event.tool_name.as_deref().unwrap_or_default();
        uses.entry(tool).or_default().push(index);
        if row.0 != tool {
            row = (tool, Vec::new());
        }
        row.1.push(index);
        if row.1.len() as u64 == REPEATED_USE {
            rows.entry(tool).or_default().append(&mut row.1);
        }
    }
    let high = uses.iter().filter(|(_, indexes)| indexes.len() as u64 >= HIGH_USE);
    let named = high.map(|used| ("high_tool_usage", used)).chain(rows.iter().map(|used| ("repeated_tool_usage", used)));
    for (name, (tool, indexes)) in named {
        for index in indexes {
            let event = usize::try_from(*index).ok().and_then(|at| events.get(at));
            raised.add(&format!("{name}:{tool}"), event.map(|event| (*index, event)));
        }
    }
}

#[cfg(test)]
mod tests;
