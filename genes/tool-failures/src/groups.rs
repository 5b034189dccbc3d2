//! Calls in groups: one group for each tool, and one for each error, by the normal form of its cause line.
//!
//! Memory is bounded for any log: [`MAX_TOOLS`] tools, [`MAX_ERRORS`] errors and [`MAX_OPEN`] open failures. Whatever
//! exceeds these limits is counted. A successful call allocates nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gephost_gene::run_log::FailureKind;

use crate::call::{Call, hash};
use crate::cause_line::Weight;
use crate::latency::Latency;
use crate::line::{collapsed, normal_hash};
use crate::thresholds::Thresholds;

/// Most tools that have a group of their own.
pub(crate) const MAX_TOOLS: usize = 512;
/// Most errors that have a group. When there are more, those that occurred once are dropped.
pub(crate) const MAX_ERRORS: usize = 2048;
/// Longest name of a tool, so that a finding's id stays below the contract's 200 bytes.
const NAME_BYTES: usize = 160;
/// Most failures that a group keeps as evidence: the newest.
pub(crate) const MAX_EVIDENCE: usize = 8;
/// Most open failures: calls whose latest attempt failed.
pub(crate) const MAX_OPEN: usize = 65_536;
/// Most sessions that are counted for an error.
pub(crate) const MAX_SESSIONS: usize = 16;

/// A failure that is kept as evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    /// Number of the event.
    pub(crate) event: u64,
    /// The cause line, as it is in the log.
    pub(crate) line: String,
    /// The first line of the input.
    pub(crate) input: String,
    /// The identity of the call.
    call: Option<u64>,
}

/// The newest failures of a group, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newest(VecDeque<Failure>);

impl Newest {
    /// Adds a failure. If the list is full, it takes the place and the memory of the oldest.
    fn push(&mut self, call: &Call<'_>, line: &str, identity: Option<u64>) {
        let oldest = if self.0.len() < MAX_EVIDENCE { None } else { self.0.pop_front() };
        let mut failure = oldest.unwrap_or_default();
        collapsed(line, &mut failure.line);
        collapsed(call.input.trim_start().lines().next().unwrap_or_default(), &mut failure.input);
        failure.event = call.event;
        failure.call = identity;
        self.0.push_back(failure);
    }

    /// The failures, newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter().rev()
    }
}

/// What is known of one tool.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Calls that succeeded or failed.
    pub(crate) calls: u32,
    pub(crate) failures: u32,
    pub(crate) newest: Newest,
    pub(crate) latency: Latency,
    /// Whether one of its calls has failed, so that later calls must be identified.
    has_failed: bool,
}

/// What is known of one error.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) failures: u32,
    pub(crate) kind: FailureKind,
    /// The weight of its cause line.
    pub(crate) weight: Weight,
    pub(crate) newest: Newest,
    /// Path and line in the project's source that the newest failure points at.
    pub(crate) place: Option<(String, u32)>,
    /// The tool of the newest failure; `None` for an exception.
    pub(crate) tool: Option<usize>,
    pub(crate) sessions: Vec<u32>,
}

/// All groups.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    tools: Vec<Tool>,
    /// For the position of a tool's name in the log: its place in `tools`, counted from 1. 0 means not known yet.
    slots: Vec<u16>,
    errors: BTreeMap<u64, Error>,
    /// Identities of the calls whose latest attempt failed.
    open: BTreeSet<u64>,
    /// Whether `open` overflowed. From then on no failure counts as resolved.
    open_full: bool,
    left_out: u64,
}

impl Groups {
    /// Adds one call; calls must come oldest first. `cause` is the cause line of a failure, `place` where it points.
    pub(crate) fn add(
        &mut self,
        call: &Call<'_>,
        cause: (&str, Weight),
        place: Option<(&str, u32)>,
        thresholds: &Thresholds,
    ) {
        let slot = call.tool.and_then(|number| self.slot(number, call.name));
        self.left_out += u64::from(call.tool.is_some() && slot.is_none());
        let tool = slot.and_then(|slot| self.tools.get_mut(slot));
        // A success matters only after a failure of the same tool, so most calls are never hashed.
        let has_failed = tool.as_ref().is_some_and(|tool| tool.has_failed);
        let identity = if call.failed || has_failed { call.identity() } else { None };
        if let Some(tool) = tool {
            tool.calls = tool.calls.saturating_add(1);
            tool.latency.add(call, thresholds);
            if call.failed {
                tool.failures = tool.failures.saturating_add(1);
                tool.has_failed = true;
                tool.newest.push(call, cause.0, identity);
            }
        }
        self.track(identity, call.failed);
        if call.failed {
            self.add_error(call, slot, cause, identity, place);
        }
    }

    fn add_error(
        &mut self,
        call: &Call<'_>,
        tool: Option<usize>,
        (line, weight): (&str, Weight),
        identity: Option<u64>,
        place: Option<(&str, u32)>,
    ) {
        // Failures without a cause line are the same error only if tool and kind are the same.
        let vague = weight <= Weight::Footer;
        let key = if vague { hash(call.kind as u64, call.name.as_bytes()) } else { normal_hash(line) };
        if self.errors.len() >= MAX_ERRORS && !self.errors.contains_key(&key) {
            self.make_room();
        }
        let error = self.errors.entry(key).or_insert_with(|| Error {
            failures: 0,
            kind: call.kind,
            weight,
            newest: Newest::default(),
            place: None,
            tool: None,
            sessions: Vec::new(),
        });
        error.failures = error.failures.saturating_add(1);
        error.kind = call.kind;
        error.tool = tool;
        error.newest.push(call, line, identity);
        error.place = place.map(|(path, line)| (path.to_owned(), line));
        if error.sessions.len() < MAX_SESSIONS && !error.sessions.contains(&call.session) {
            error.sessions.push(call.session);
        }
    }

    /// Drops the errors that occurred once; if there are none, those that occurred least often.
    fn make_room(&mut self) {
        let before = self.errors.len();
        let mut least = 1;
        while self.errors.len() >= MAX_ERRORS {
            self.errors.retain(|_, error| error.failures > least);
            least = least.saturating_mul(2);
        }
        self.left_out += (before - self.errors.len()) as u64;
    }

    /// The tools, in the order of their first call.
    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// A tool's name, or an empty text for an exception.
    pub(crate) fn name(&self, tool: Option<usize>) -> &str {
        tool.and_then(|slot| self.tools.get(slot)).map_or("", |tool| tool.name.as_str())
    }

    /// The errors, by the hash of their normal form.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (u64, &Error)> {
        self.errors.iter().map(|(key, error)| (*key, error))
    }

    /// Whether the same call succeeded after this failure.
    pub(crate) fn is_resolved(&self, failure: &Failure) -> bool {
        failure.call.is_some_and(|call| !self.open_full && !self.open.contains(&call))
    }

    /// How many calls and errors exceeded the limits.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    fn slot(&mut self, number: u32, name: &str) -> Option<usize> {
        let number = number as usize;
        if let Some(slot) = self.slots.get(number).filter(|slot| **slot > 0) {
            return Some(usize::from(*slot) - 1);
        }
        if self.tools.len() >= MAX_TOOLS {
            return None;
        }
        if self.slots.len() <= number {
            self.slots.resize(number + 1, 0);
        }
        // Names that differ only after the cut, or only in control characters, share a group.
        let name: String = clean(name);
        let known = self.tools.iter().position(|tool| tool.name == name);
        let slot = known.unwrap_or_else(|| {
            self.tools.push(Tool { name, ..Tool::default() });
            self.tools.len() - 1
        });
        *self.slots.get_mut(number)? = u16::try_from(slot + 1).ok()?;
        Some(slot)
    }

    fn track(&mut self, identity: Option<u64>, failed: bool) {
        let Some(identity) = identity else { return };
        if !failed {
            self.open.remove(&identity);
        } else if self.open.len() < MAX_OPEN {
            self.open.insert(identity);
        } else {
            self.open_full |= !self.open.contains(&identity);
        }
    }
}

/// A tool's name for an id: one line of at most [`NAME_BYTES`] bytes.
fn clean(name: &str) -> String {
    let cut = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name);
    cut.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
