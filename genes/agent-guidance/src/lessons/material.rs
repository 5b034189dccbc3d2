//! What the lessons of one agent are made from.

use std::collections::BTreeSet;

use crate::log::{Failure, Log};

/// The sessions of one agent, and how often something must have failed.
pub(crate) struct Material<'a> {
    pub(crate) log: &'a Log,
    /// The sessions of this agent.
    pub(crate) sessions: &'a BTreeSet<u32>,
    /// Failures from which a cause counts.
    pub(crate) least: u32,
    /// The time limit that the agent's settings give each call, in seconds.
    pub(crate) time_limit: Option<u64>,
}

/// `9 edits failed in 3 sessions`.
pub(crate) fn failed(failures: &[&Failure], one: &str, several: &str) -> String {
    let sessions = failures.iter().map(|failure| failure.session).collect::<BTreeSet<_>>().len();
    let what = if failures.len() == 1 { one } else { several };
    let place = if sessions == 1 { "session" } else { "sessions" };
    format!("{} {what} in {sessions} {place}", failures.len())
}
