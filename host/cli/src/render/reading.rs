//! What reading logs came to, when there was nothing to diagnose: why, and what to do next.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gephost_app::observe::{Reading, ReadingState};
use gephost_core::observe::{FileSummary, UNKNOWN_FORMAT};
use gephost_runner::observe::{Discovered, Unreadable};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::size::size;
use super::style::{bold, dim, printable};
use super::verdict::plural;

/// Most files of a place of which it is said why they cannot be read.
const MAX_REASONS: usize = 3;

/// Why the first of these files cannot be read, a line each.
pub(crate) fn reasons<'a>(unreadable: impl IntoIterator<Item = &'a Unreadable>) -> impl Iterator<Item = String> {
    let line = |file: &Unreadable| format!("{}: {}", printable(&file.path), printable(&file.reason));
    unreadable.into_iter().take(MAX_REASONS).map(line)
}

/// The project's own sessions that the user did not let gephost read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    /// How many files.
    pub(crate) files: u64,
    /// Their total size.
    pub(crate) bytes: u64,
    /// What reads them.
    pub(crate) command: String,
    /// The agents, each with its number of files.
    agents: BTreeMap<&'static str, u64>,
}

impl Unread {
    /// Those among what was found; `None` if there are none.
    pub(crate) fn of(found: &[Discovered], command: &str) -> Option<Self> {
        let command = command.to_owned();
        let mut unread = Self { files: 0, bytes: 0, command, agents: BTreeMap::new() };
        for place in found.iter().filter(|place| place.own.count > 0) {
            unread.files += place.own.count;
            unread.bytes += place.own.bytes;
            *unread.agents.entry(place.location.agent).or_default() += place.own.count;
        }
        (unread.files > 0).then_some(unread)
    }

    /// What they are: "12 session files of Claude Code and Codex, 3.4 MiB".
    pub(crate) fn what(&self) -> String {
        let agents: Vec<&str> = self.agents.keys().copied().collect();
        let agents = match agents.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        };
        format!("{} session {} of {agents}, {}", self.files, plural(self.files, "file"), size(self.bytes))
    }
}

/// What was read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ObservedRow<'a> {
    /// Whether there was anything to diagnose.
    state: ReadingState,
    /// Logs that were read.
    logs: u64,
    /// Sessions with events that count.
    sessions: u64,
    /// Events that count.
    events: u64,
    /// Only events since then count (RFC 3339); null if all do.
    since: Option<String>,
    /// The time of the newest event, whether it counts or not (RFC 3339).
    newest: Option<String>,
    /// The project's own sessions that are not read, because the user did not allow it.
    unread: Option<UnreadRow<'a>>,
}

/// Sessions of agents that worked in the project.
#[derive(Debug, Serialize, JsonSchema)]
struct UnreadRow<'a> {
    /// How many files.
    files: u64,
    /// Their total size.
    bytes: u64,
    /// The command that reads them.
    command: &'a str,
}

impl<'a> ObservedRow<'a> {
    pub(crate) fn of(reading: &Reading, unread: Option<&'a Unread>) -> Self {
        let unread =
            unread.map(|unread| UnreadRow { files: unread.files, bytes: unread.bytes, command: &unread.command });
        Self {
            state: reading.state,
            logs: reading.logs,
            sessions: reading.sessions,
            events: reading.events,
            since: reading.since.map(|since| since.to_string()),
            newest: reading.newest.map(|newest| newest.to_string()),
            unread,
        }
    }
}

/// A command that may come next, and what it does.
type Step = (String, String);

/// A time to the second, which is all that a person needs.
pub(crate) fn second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Which of the events count, if not all do: `12 events of 3 sessions since 2026-01-31T00:00:00Z`.
pub(crate) fn counted(reading: &Reading) -> Option<String> {
    let (events, sessions) = (reading.events, reading.sessions);
    let since = second(reading.since?);
    let (event, session) = (plural(events, "event"), plural(sessions, "session"));
    Some(format!("what counts: {events} {event} of {sessions} {session} since {since}"))
}

/// Why there is nothing to diagnose.
pub(crate) fn why_nothing(reading: &Reading, files: &[FileSummary]) -> String {
    let why = match (reading.state, reading.since) {
        (ReadingState::NothingSince, Some(since)) => {
            let newest = reading.newest.map(second).unwrap_or_default();
            return format!("no event since {}; the newest is of {newest}", second(since));
        }
        (ReadingState::NoLogs, _) => "no log was read",
        _ if files.iter().all(|file| file.lines == 0) => "the logs are empty",
        _ if files.iter().all(|file| file.format == UNKNOWN_FORMAT) => "no log of a format that gephost knows was read",
        _ => "the logs hold no event of an agent",
    };
    why.to_owned()
}

/// Why there is nothing to diagnose, and what to do. `command` completes a command with the options of this one, but for the
/// time from which events count.
pub(crate) fn nothing(
    reading: &Reading,
    files: &[FileSummary],
    unread: Option<&Unread>,
    command: &dyn Fn(&str) -> String,
) -> String {
    let observed = match reading.state {
        ReadingState::NoLogs => "no log".to_owned(),
        _ => format!("{} {}", reading.logs, plural(reading.logs, "log")),
    };
    let mut text = String::new();
    let _ = writeln!(text, "{}  {observed}", bold("Observed  "));
    let _ = writeln!(text, "{}  not known: {}", bold("Findings  "), why_nothing(reading, files));
    let mut head = bold("Next      ");
    for (command, what) in steps(reading, unread, command) {
        let _ = writeln!(text, "{head}  {command}\n              {}", dim(what));
        head = " ".repeat(10);
    }
    text
}

fn steps(reading: &Reading, unread: Option<&Unread>, command: &dyn Fn(&str) -> String) -> Vec<Step> {
    if let (ReadingState::NothingSince, Some(newest)) = (reading.state, reading.newest) {
        let day = newest.strftime("%Y-%m-%d");
        let back = printable(&command(&format!("gephost diagnose --since {day}")));
        return vec![(back, "the day of the newest event; without --since, all events count".to_owned())];
    }
    let mut steps = Vec::new();
    if let Some(unread) = unread {
        steps.push((unread.command.clone(), format!("reads this project's {}", unread.what())));
    }
    let further = [
        ("gephost record -- COMMAND", "runs a command that fails, and keeps what it prints"),
        ("gephost diagnose FILE", "reads a log or a folder of logs that you name"),
        ("gephost observe --discover", "shows where agents keep logs on this machine"),
    ];
    steps.extend(further.map(|(command, what)| (command.to_owned(), what.to_owned())));
    steps
}
