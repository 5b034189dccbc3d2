//! Events folded into groups: one a tool, one an error (by the normal form of its telling line).
//!
//! Memory is bounded whatever the log: [`MAX_TOOLS`] tools, [`MAX_ERRORS`] errors, [`MAX_OPEN`] remembered failures; what
//! finds no room is counted. A call that passed costs no allocation.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gephost_gene::run_log::FailureKind;

use crate::call::{Call, hash};
use crate::line::{collapsed, normal_hash};
use crate::pace::Pace;
use crate::telling::Weight;
use crate::thresholds::Thresholds;

/// Most tools that are told apart.
pub(crate) const MAX_TOOLS: usize = 512;
/// Most errors that are told apart. Where there are more, those seen once make room.
pub(crate) const MAX_ERRORS: usize = 2048;
/// Longest name of a tool, so that a finding's id stays under its 200 bytes.
const NAME_BYTES: usize = 160;
/// Newest failures kept as evidence, a group.
pub(crate) const MAX_EVIDENCE: usize = 8;
/// Most failed inputs that are watched for a later success of the same call.
pub(crate) const MAX_OPEN: usize = 65_536;
/// Most sessions of an error that are counted.
pub(crate) const MAX_SESSIONS: usize = 16;

/// One failure kept as evidence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure {
    /// Number of the event.
    pub(crate) event: u64,
    /// What failed, one line, as the log has it.
    pub(crate) line: String,
    /// What was asked, its first line.
    pub(crate) asked: String,
    /// Which call it was: tool and input.
    call: Option<u64>,
}

/// The newest failures of a group, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newest(VecDeque<Failure>);

impl Newest {
    /// Keeps one more, in the memory of the oldest where there are enough.
    fn push(&mut self, call: &Call<'_>, line: &str, identity: Option<u64>) {
        let oldest = if self.0.len() < MAX_EVIDENCE { None } else { self.0.pop_front() };
        let mut failure = oldest.unwrap_or_default();
        collapsed(line, &mut failure.line);
        collapsed(call.input.trim_start().lines().next().unwrap_or_default(), &mut failure.asked);
        failure.event = call.event;
        failure.call = identity;
        self.0.push_back(failure);
    }

    /// The newest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter().rev()
    }
}

/// What is known of one tool.
#[derive(Debug, Default)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Calls that count: those that passed or failed.
    pub(crate) calls: u32,
    pub(crate) failures: u32,
    pub(crate) newest: Newest,
    pub(crate) pace: Pace,
    /// Whether one of its failures is watched for a later success.
    watched: bool,
}

/// What is known of one error.
#[derive(Debug)]
pub(crate) struct Error {
    pub(crate) failures: u32,
    pub(crate) kind: FailureKind,
    /// How much its line says.
    pub(crate) weight: Weight,
    pub(crate) newest: Newest,
    /// Where the newest failure points in the project's source.
    pub(crate) place: Option<(String, u32)>,
    /// The tool of the newest failure; `None` for exceptions.
    pub(crate) tool: Option<usize>,
    pub(crate) sessions: Vec<u32>,
}

/// The groups.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    tools: Vec<Tool>,
    /// By the position of a tool's name: which of `tools`, from 1. As long as the list of names at most.
    slots: Vec<u16>,
    errors: BTreeMap<u64, Error>,
    /// Calls whose last end was a failure.
    open: BTreeSet<u64>,
    /// Whether a failure found no room in `open`; from then on nothing counts as recovered.
    open_full: bool,
    left_out: u64,
}

impl Tally {
    /// Takes one call in; calls come oldest first. `told` is the line that says why it failed, `place` where in the source.
    pub(crate) fn add(
        &mut self,
        call: &Call<'_>,
        told: (&str, Weight),
        place: Option<(&str, u32)>,
        thresholds: &Thresholds,
    ) {
        let slot = call.tool.and_then(|number| self.slot(number, call.name));
        self.left_out += u64::from(call.tool.is_some() && slot.is_none());
        let tool = slot.and_then(|slot| self.tools.get_mut(slot));
        // A call that passed matters only where one of its tool failed: most are never hashed.
        let watched = tool.as_ref().is_some_and(|tool| tool.watched);
        let identity = if call.failed || watched { call.identity() } else { None };
        if let Some(tool) = tool {
            tool.calls = tool.calls.saturating_add(1);
            tool.pace.add(call, thresholds);
            if call.failed {
                tool.failures = tool.failures.saturating_add(1);
                tool.watched = true;
                tool.newest.push(call, told.0, identity);
            }
        }
        self.watch(identity, call.failed);
        if call.failed {
            self.add_error(call, slot, told, identity, place);
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
        // A line that says nothing makes no two failures the same, but for those of one tool and kind.
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

    /// Drops the errors that were seen once; where all came back, those that came back least.
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

    /// A tool's name; empty for exceptions.
    pub(crate) fn name(&self, tool: Option<usize>) -> &str {
        tool.and_then(|slot| self.tools.get(slot)).map_or("", |tool| tool.name.as_str())
    }

    /// The errors, by the hash of their normal form.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (u64, &Error)> {
        self.errors.iter().map(|(key, error)| (*key, error))
    }

    /// Whether the same tool with the same input passed after this failure.
    pub(crate) fn recovered(&self, failure: &Failure) -> bool {
        failure.call.is_some_and(|call| !self.open_full && !self.open.contains(&call))
    }

    /// Calls of tools that found no room, and errors that were dropped for want of it.
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
        // Names that differ only behind the cut, or in what no line shows, share a group.
        let name: String = clean(name);
        let known = self.tools.iter().position(|tool| tool.name == name);
        let slot = known.unwrap_or_else(|| {
            self.tools.push(Tool { name, ..Tool::default() });
            self.tools.len() - 1
        });
        *self.slots.get_mut(number)? = u16::try_from(slot + 1).ok()?;
        Some(slot)
    }

    fn watch(&mut self, identity: Option<u64>, failed: bool) {
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

/// A tool's name for ids: one line, at most [`NAME_BYTES`] bytes.
fn clean(name: &str) -> String {
    let cut = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name);
    cut.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
