//! What the lessons need of the run log: the failures that findings explain, what worked next, and which commands work.
//!
//! Memory is bounded: [`MAX_FAILURES`] failures with clipped texts, and [`MAX_COMMANDS`] different commands.

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::run_log::{Correction, Difference};

/// Most failures that are kept.
pub(crate) const MAX_FAILURES: usize = 20_000;
/// Most bytes of an input or output that are kept of a failure.
pub(crate) const MAX_TEXT: usize = 2048;
/// Most different commands that are counted.
pub(crate) const MAX_COMMANDS: usize = 4096;

/// A finding of the diagnosis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Finding {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    /// Numbers of all events that it explains.
    pub(crate) events: Vec<u64>,
    /// The values of its first facet: names of programs, paths and so on.
    pub(crate) values: Vec<String>,
    /// Whether its failures were meant to happen.
    pub(crate) expected: bool,
}

/// A failed call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    pub(crate) event: u64,
    pub(crate) session: u32,
    pub(crate) tool: String,
    pub(crate) input: String,
    pub(crate) output: String,
    /// Microseconds since the Unix epoch.
    pub(crate) time: Option<i64>,
}

/// How a correction changed the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) difference: Difference,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl From<Correction> for Change {
    fn from(correction: Correction) -> Self {
        Self { difference: correction.difference, before: correction.before, after: correction.after }
    }
}

/// How often a command succeeded.
pub(crate) type Worked = BTreeMap<String, u32>;

/// What the lessons need of the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    /// The failures that findings explain, by event number.
    pub(crate) failures: BTreeMap<u64, Failure>,
    /// What worked next, by the number of the failed call.
    pub(crate) changes: BTreeMap<u64, Change>,
    /// Commands of the table `commands` that succeeded, by session.
    pub(crate) worked: BTreeMap<u32, Worked>,
    /// Commands that succeeded behind a `cd`, in a folder that may be the root or not.
    pub(crate) worked_elsewhere: BTreeSet<String>,
    /// How often a whole file was read in one session, by session and path.
    pub(crate) reads: BTreeMap<(u32, String), u32>,
    /// The tools of each session.
    pub(crate) tools: BTreeMap<u32, BTreeSet<String>>,
    /// Calls that ended, by day since the Unix epoch and session.
    pub(crate) calls: BTreeMap<(i64, u32), u64>,
}

/// Microseconds of a day.
const DAY_US: i64 = 86_400_000_000;

/// The day of a time, counted from the Unix epoch.
pub(crate) fn day(time: i64) -> i64 {
    time.div_euclid(DAY_US)
}

impl Log {
    /// The failures of a finding in these sessions, oldest first.
    pub(crate) fn failures_of(&self, finding: &Finding, sessions: &BTreeSet<u32>) -> Vec<&Failure> {
        let failures = finding.events.iter().filter_map(|event| self.failures.get(event));
        failures.filter(|failure| sessions.contains(&failure.session)).collect()
    }

    /// How a failed call was corrected.
    pub(crate) fn change(&self, failure: &Failure) -> Option<&Change> {
        self.changes.get(&failure.event)
    }

    /// How often each command succeeded in these sessions.
    pub(crate) fn worked_in(&self, sessions: &BTreeSet<u32>) -> Worked {
        let mut sum = Worked::new();
        for (_, worked) in self.worked.iter().filter(|(session, _)| sessions.contains(session)) {
            for (command, times) in worked {
                *sum.entry(command.clone()).or_default() += times;
            }
        }
        sum
    }
}

/// The start of a text, at most [`MAX_TEXT`] bytes.
pub(crate) fn clipped(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default().to_owned()
}
