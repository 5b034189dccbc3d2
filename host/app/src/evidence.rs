//! Where the events of findings are: file and line of the transcript, and what the calls were.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gephost_core::correction::{Correction, Difference};
use gephost_core::diagnosis::Finding;
use gephost_core::run_event::{EventType, Outcome, RunEvent};
use gephost_runner::observe::Observation;
use schemars::JsonSchema;
use serde::Serialize;

/// The most places of a finding in a list.
const MAX_PLACES: usize = 8;
/// The most events of a finding that is shown whole.
const MAX_EVENTS: usize = 200;

/// Where a finding was seen, for a list of findings.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Evidenced {
    /// The agents in whose logs it was seen, by the name of the log's format.
    pub agents: Vec<String>,
    /// The newest events of its evidence.
    pub places: Vec<Place>,
}

/// One event in a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Number of the event; `gephost observe --event N` shows it.
    pub event: u64,
    /// The file in which the agent recorded it.
    pub file: String,
    /// Its line, from 1; 0 if the transcript has no lines.
    pub line: u64,
    /// The first line of the call, or of the error.
    pub text: String,
}

impl Place {
    /// What an editor can open: `file:line`. If all of a session is one line, it has the number of the event, too, which
    /// `gephost observe --event` takes.
    pub fn at(&self) -> String {
        let event = if self.is_found_by_line() { String::new() } else { format!(" (event #{})", self.event) };
        format!("{}:{}{event}", self.file, self.line)
    }

    /// Whether the line tells the event apart. The first line of a log begins a session, so an event there is in a transcript
    /// that is one line of JSON.
    fn is_found_by_line(&self) -> bool {
        self.line > 1
    }

    /// Whether an editor would open the same line for both. A transcript without lines, or of one line, has only its events.
    fn is_at(&self, other: &Self) -> bool {
        let is_same_line = (&self.file, self.line) == (&other.file, other.line);
        self.event == other.event || self.is_found_by_line() && is_same_line
    }
}

/// An event with its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EventDetail {
    /// Number of the event.
    pub event: u64,
    /// The file in which the agent recorded it.
    pub file: String,
    /// Its line, from 1; 0 if the transcript has no lines.
    pub line: u64,
    /// When: RFC 3339, in UTC.
    pub time: Option<String>,
    /// The session's key: which agent, and which of its sessions.
    pub session: String,
    /// The name of the tool that was called; `None` for an event that is no call.
    pub tool: Option<String>,
    /// How the call ended.
    pub outcome: Option<Outcome>,
    /// The command or the tool's input, or the message.
    pub input: Option<String>,
    /// The tool's output or the exception's text.
    pub output: Option<String>,
    /// What worked next, if something did.
    pub worked_next: Option<WorkedNext>,
}

/// The next similar call that worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkedNext {
    /// Number of the event that ended it.
    pub event: u64,
    /// How it differs from the failed call.
    pub difference: Difference,
    /// The part of the failed call that differs.
    pub before: String,
    /// The part that stands in its place.
    pub after: String,
    /// The command or the tool's input; `None` if the log has none.
    pub input: Option<String>,
}

/// The calls of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayCount {
    /// The day in UTC, for example `2026-01-31`.
    pub day: String,
    /// Calls that succeeded or failed, and exceptions.
    pub calls: u64,
    /// Those of them that failed.
    pub failures: u64,
}

/// The calls of each day on which there were some, oldest first. Events without a time are left out.
pub(crate) fn days(observation: &Observation) -> Vec<DayCount> {
    let mut days: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for event in &observation.events {
        let failed = match (event.event_type, event.outcome) {
            _ if event.is_failure() => true,
            (EventType::ToolEnd, Some(Outcome::Success)) => false,
            _ => continue,
        };
        let Some(time) = event.timestamp else { continue };
        let (calls, failures) = days.entry(time.strftime("%Y-%m-%d").to_string()).or_default();
        *calls += 1;
        *failures += u64::from(failed);
    }
    days.into_iter().map(|(day, (calls, failures))| DayCount { day, calls, failures }).collect()
}

/// Where each of these findings was seen.
pub(crate) fn evidenced(findings: &[Finding], observation: &Observation) -> Vec<Evidenced> {
    let formats: BTreeMap<&str, &str> =
        observation.files.iter().map(|file| (file.path.as_str(), file.format)).collect();
    let of = |finding: &Finding| {
        let mut agents: Vec<String> = Vec::new();
        for event in &finding.events {
            let origin = position(*event).and_then(|at| observation.origin(at));
            let format = origin.and_then(|path| formats.get(path));
            if let Some(format) = format.filter(|format| !agents.iter().any(|agent| agent == *format)) {
                agents.push((*format).to_owned());
            }
        }
        let mut places: Vec<Place> = Vec::new();
        for evidence in &finding.evidence {
            let Some(place) = place(observation, evidence.event, &evidence.line) else { continue };
            if places.len() < MAX_PLACES && !places.iter().any(|known| known.is_at(&place)) {
                places.push(place);
            }
        }
        Evidenced { agents, places }
    };
    findings.iter().map(of).collect()
}

fn place(observation: &Observation, number: u64, text: &str) -> Option<Place> {
    let at = position(number)?;
    let event = observation.events.get(at)?;
    let file = observation.origin(at)?.to_owned();
    Some(Place { event: number, file, line: event.line, text: text.to_owned() })
}

/// The events that a finding explains, the newest first, with what worked next.
pub(crate) fn details(finding: &Finding, observation: &Observation, corrections: &[Correction]) -> Vec<EventDetail> {
    let worked = |number: u64| {
        let at = corrections.binary_search_by_key(&number, |correction| correction.failed).ok()?;
        let correction = corrections.get(at)?;
        Some(WorkedNext {
            event: correction.worked,
            difference: correction.difference,
            before: correction.before.clone(),
            after: correction.after.clone(),
            input: position(correction.worked).and_then(|at| observation.events.get(at)?.input.clone()),
        })
    };
    let detail = |number: &u64| Some(EventDetail { worked_next: worked(*number), ..detail(observation, *number)? });
    newest_first(&finding.events, &observation.events).iter().take(MAX_EVENTS).filter_map(detail).collect()
}

/// The numbers of events by their times, the newest first. Events without a time come last; of equals, the last one first.
fn newest_first(numbers: &[u64], events: &[RunEvent]) -> Vec<u64> {
    let mut numbers = numbers.to_vec();
    // Sessions are numbered one after the other, and may have run side by side.
    let time = |number: u64| position(number).and_then(|at| events.get(at)?.timestamp);
    numbers.sort_by_key(|number| Reverse((time(*number), *number)));
    numbers
}

/// One event of an observation with its texts; `None` if there is no event of this number.
pub fn detail(observation: &Observation, number: u64) -> Option<EventDetail> {
    let at = position(number)?;
    let event: &RunEvent = observation.events.get(at)?;
    Some(EventDetail {
        event: number,
        file: observation.origin(at).unwrap_or_default().to_owned(),
        line: event.line,
        time: event.timestamp.map(|time| time.to_string()),
        session: event.session_key.to_string(),
        tool: event.tool_name.as_deref().map(str::to_owned),
        outcome: event.outcome,
        input: event.input.clone(),
        output: event.output.clone(),
        worked_next: None,
    })
}

fn position(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_ordered_by_time_and_not_by_session() {
        let event = |time: Option<&str>| RunEvent {
            timestamp: time.map(|time| format!("2026-01-01T{time}:00Z").parse().expect("a time")),
            ..RunEvent::bare("s".into(), EventType::ToolEnd)
        };
        let events =
            [event(Some("09:00")), event(None), event(Some("11:00")), event(Some("08:00")), event(Some("09:00"))];
        assert_eq!(newest_first(&[0, 1, 2, 3, 4, 9], &events), [2, 4, 0, 3, 9, 1]);
    }

    #[test]
    fn an_event_of_a_one_line_transcript_is_found_by_its_number() {
        let place = |event, line| Place { event, file: "a.json".to_owned(), line, text: String::new() };
        assert_eq!(place(7, 12).at(), "a.json:12");
        assert_eq!(place(7, 1).at(), "a.json:1 (event #7)");
        assert!(place(7, 12).is_at(&place(8, 12)), "an editor opens the same line");
        assert!(!place(7, 1).is_at(&place(8, 1)), "these are different calls");
        assert!(place(7, 1).is_at(&place(7, 1)));
    }
}
