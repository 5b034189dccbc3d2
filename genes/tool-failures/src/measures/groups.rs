//! Calls by tool: how many, how many failed, how long they took, and which failed calls have not succeeded since.
//!
//! Memory is bounded for any log: [`MAX_TOOLS`] tools and [`MAX_OPEN`] open failures. Whatever exceeds these limits is
//! counted. A successful call allocates nothing.

use crate::by_number::Numbers;
use crate::call::Call;
use crate::measures::latency::Latency;
use crate::order::sort_by;
use crate::output::line::collapsed;
use crate::thresholds::Thresholds;

/// Most tools that have a group of their own.
pub(crate) const MAX_TOOLS: usize = 512;
/// Longest name of a tool, so that a finding's id stays below the contract's 200 bytes.
const NAME_BYTES: usize = 160;
/// Most failures that a group keeps as evidence: the newest.
pub(crate) const MAX_EVIDENCE: usize = 8;
/// Most open failures: calls whose latest attempt failed.
pub(crate) const MAX_OPEN: usize = 65_536;

/// A failure that is kept as evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    /// Number of the event.
    pub(crate) event: u64,
    /// As in [`Call::time`].
    time: i64,
    /// The cause line, as it is in the log.
    pub(crate) line: String,
    /// The first line of the input.
    pub(crate) input: String,
    /// The identity of the call.
    call: Option<u64>,
}

impl Failure {
    /// What orders failures by their time; those at the same time, or without one, by their place in the log.
    pub(crate) fn age(&self) -> (i64, u64) {
        (self.time, self.event)
    }
}

/// The newest failures of a group, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newest(Vec<Failure>);

impl Newest {
    /// Adds a failure, and returns whether it is the newest. If the list is full, it takes the place and the memory of the
    /// oldest.
    pub(crate) fn push(&mut self, call: &Call<'_>, line: &str, identity: Option<u64>) -> bool {
        let age = (call.time, call.event);
        let at = self.0.partition_point(|known| known.age() < age);
        let is_full = self.0.len() >= MAX_EVIDENCE;
        if is_full && at == 0 {
            return false;
        }
        let is_newest = at == self.0.len();
        let mut failure = if is_full { self.0.remove(0) } else { Failure::default() };
        collapsed(line, &mut failure.line);
        collapsed(call.input.trim_start().lines().next().unwrap_or_default(), &mut failure.input);
        (failure.event, failure.time, failure.call) = (call.event, call.time, identity);
        self.0.insert(at - usize::from(is_full), failure);
        is_newest
    }

    /// Keeps those whose events fit.
    pub(crate) fn retain(&mut self, fits: impl Fn(u64) -> bool) {
        self.0.retain(|failure| fits(failure.event));
    }

    /// Adds those of another group.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.0.extend(other.0.iter().cloned());
        sort_by(&mut self.0, |a, b| a.age().cmp(&b.age()));
        self.0.drain(..self.0.len().saturating_sub(MAX_EVIDENCE));
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
    /// Failures of which no line says why.
    pub(crate) unexplained: u32,
    pub(crate) newest: Newest,
    pub(crate) latency: Latency,
    /// Whether one of its calls has failed, so that later calls must be identified.
    has_failed: bool,
}

/// All groups.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    tools: Vec<Tool>,
    /// For the position of a tool's name in the log: its place in `tools`, counted from 1. 0 means not known yet.
    slots: Vec<u16>,
    /// Identities of the calls whose latest attempt failed.
    open: Numbers,
    /// Whether `open` overflowed. From then on no failure counts as resolved.
    open_full: bool,
    left_out: u64,
}

impl Groups {
    /// Adds one call; calls must come oldest first. `line` explains a failure. Returns the identity of the call, if it
    /// matters whether it is repeated.
    pub(crate) fn add(&mut self, call: &Call<'_>, line: &str, thresholds: &Thresholds) -> Option<u64> {
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
                tool.unexplained = tool.unexplained.saturating_add(u32::from(line.is_empty()));
                tool.has_failed = true;
                tool.newest.push(call, line, identity);
            }
        }
        self.track(identity, call.failed);
        identity
    }

    /// The tools, in the order of their first call.
    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Whether the same call succeeded after this failure.
    pub(crate) fn is_resolved(&self, failure: &Failure) -> bool {
        failure.call.is_some_and(|call| !self.open_full && !self.open.has(call))
    }

    /// How many calls exceeded the limits.
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
        if failed {
            self.open.insert(identity, MAX_OPEN);
            self.open_full |= !self.open.has(identity);
        } else {
            self.open.remove(identity);
        }
    }
}

/// A tool's name for an id: one line of at most [`NAME_BYTES`] bytes.
fn clean(name: &str) -> String {
    let cut = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name);
    cut.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
