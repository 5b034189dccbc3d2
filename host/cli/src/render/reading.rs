//! What reading logs came to, when there was nothing to diagnose: why, and what to do next.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gephost_app::observe::{Reading, ReadingState};
use gephost_core::observe::{FileSummary, UNKNOWN_FORMAT};
use gephost_runner::observe::{Discovered, Unreadable};
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
type Step<'a> = (&'a str, String);

/// Why there is nothing to diagnose, and what to do.
pub(crate) fn nothing(reading: &Reading, files: &[FileSummary], unread: Option<&Unread>) -> String {
    let logs = format!("{} {}", reading.logs, plural(reading.logs, "log"));
    let newest = reading.newest.map(|newest| newest.to_string()).unwrap_or_default();
    let (observed, why) = match (reading.state, reading.since) {
        (ReadingState::NothingSince, Some(since)) => {
            (logs, format!("no event since {since}; the newest is of {newest}"))
        }
        (ReadingState::NoLogs, _) => ("no log".to_owned(), "no log was read".to_owned()),
        _ if files.iter().all(|file| file.format == UNKNOWN_FORMAT) => {
            (logs, "no log of a format that gephost knows was read".to_owned())
        }
        _ => (logs, "the logs hold no event of an agent".to_owned()),
    };
    let mut text = String::new();
    let _ = writeln!(text, "{}  {observed}", bold("Observed  "));
    let _ = writeln!(text, "{}  not known: {why}", bold("Findings  "));
    let mut head = bold("Next      ");
    for (command, what) in steps(reading.state, unread) {
        let _ = writeln!(text, "{head}  {command}\n              {}", dim(what));
        head = " ".repeat(10);
    }
    text
}

fn steps(state: ReadingState, unread: Option<&Unread>) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    if state == ReadingState::NothingSince {
        steps
            .push(("gephost diagnose --since 30d", "looks further back; without --since, all events count".to_owned()));
        return steps;
    }
    if let Some(unread) = unread {
        steps.push((&unread.command, format!("reads this project's {}", unread.what())));
    }
    steps.push(("gephost record -- COMMAND", "runs a command that fails, and keeps what it prints".to_owned()));
    steps.push(("gephost diagnose FILE", "reads a log or a folder of logs that you name".to_owned()));
    steps.push(("gephost observe --discover", "shows where agents keep logs on this machine".to_owned()));
    steps
}
