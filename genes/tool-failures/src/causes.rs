//! Failures in groups: one group for each cause and what tells it apart, whatever the last line of the output says.
//!
//! Memory is bounded for any log: [`MAX_GROUPS`] groups, and in each [`MAX_EVENTS`] events, [`MAX_NAMES`] names and
//! [`MAX_LINES`] different lines. Whatever exceeds these limits is counted.

use std::collections::BTreeMap;

use gephost_gene::run_log::{Correction, FailureKind};

use crate::advice::Corrections;
use crate::call::{Call, hash};
use crate::cause::{Cause, Key};
use crate::cause_line::{Weight, is_summary};
use crate::classify::Classified;
use crate::groups::{Failure, Newest};
use crate::line::normal_hash;
use crate::order::{self, by_count};

/// Most groups. When there are more, those with a single failure are dropped.
pub(crate) const MAX_GROUPS: usize = 2048;
/// Most events that a group names.
const MAX_EVENTS: usize = 10_000;
/// Most names that a group counts, and most different lines.
const MAX_NAMES: usize = 256;
const MAX_LINES: usize = 64;

/// The failures of one cause.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) cause: Cause,
    /// The program or tool of its failures; empty if they have none in common.
    pub(crate) program: String,
    pub(crate) failures: u32,
    /// The kind of the newest failure.
    pub(crate) kind: FailureKind,
    /// The weight of the newest failure's line.
    pub(crate) weight: Weight,
    pub(crate) newest: Newest,
    /// The numbers of the events, ascending.
    pub(crate) events: Vec<u64>,
    /// The names in the messages, and how often each was seen.
    pub(crate) names: BTreeMap<String, u32>,
    /// Different names that were seen, also those beyond the limit.
    pub(crate) distinct: u32,
    /// The different lines by their normal form: the newest line, and how often.
    pub(crate) lines: BTreeMap<u64, (String, u32)>,
    /// Path and line in the project's source that the newest failure points at.
    pub(crate) place: Option<(String, u32)>,
    /// What the newest failing tool that made a suggestion suggested, and how often in a row.
    pub(crate) suggestion: Option<(String, u32)>,
    pub(crate) corrections: Corrections,
    /// The steps of chains and scripts that failed, and how often.
    pub(crate) steps: BTreeMap<String, u32>,
    /// Test runs whose line is the error of most failing tests.
    pub(crate) shared: u32,
    /// Failures after which the same worked with `sudo`.
    pub(crate) with_sudo: u32,
    /// Failures in scripts that the agent wrote for one use.
    pub(crate) scratch: u32,
    /// Whether the shell died after a command that removed something.
    pub(crate) follows_removal: bool,
}

/// All groups, by the hash of their cause and what tells it apart.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    groups: BTreeMap<u64, Group>,
    left_out: u64,
}

impl Causes {
    /// Adds one failure.
    pub(crate) fn add(
        &mut self,
        call: &Call<'_>,
        failure: &Classified<'_>,
        identity: Option<u64>,
        correction: Option<&Correction>,
    ) {
        let key = key(failure);
        if self.groups.len() >= MAX_GROUPS && !self.groups.contains_key(&key) {
            self.make_room();
        }
        let group = self.groups.entry(key).or_insert_with(|| Group::of(failure));
        group.failures = group.failures.saturating_add(1);
        group.kind = call.kind;
        group.shared = group.shared.saturating_add(u32::from(failure.is_shared));
        group.scratch = group.scratch.saturating_add(u32::from(failure.is_of_scratch));
        group.weight = failure.weight;
        group.add_program(&failure.program);
        group.newest.push(call, failure.line, identity);
        if group.events.len() < MAX_EVENTS {
            group.events.push(call.event);
        }
        for name in &failure.names {
            group.add_name(name, 1);
        }
        group.add_line(failure.line);
        if failure.place.is_some() {
            group.place = failure.place.map(|(path, line)| (path.to_owned(), line));
        }
        if let Some(step) = &failure.step {
            group.add_step(step);
        }
        if let Some(suggestion) = failure.suggestion {
            let known = group.suggestion.take().filter(|(known, _)| known == suggestion);
            group.suggestion = Some((suggestion.to_owned(), known.map_or(1, |(_, count)| count.saturating_add(1))));
        }
        if let Some(correction) = correction {
            group.corrections.add(correction);
        }
    }

    /// Drops the groups with one failure; if there are none, the smallest ones.
    fn make_room(&mut self) {
        let before = self.groups.len();
        let mut least = 1;
        while self.groups.len() >= MAX_GROUPS {
            self.groups.retain(|_, group| group.failures > least);
            least = least.saturating_mul(2);
        }
        self.left_out += (before - self.groups.len()) as u64;
    }

    /// The groups, by their key.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (u64, &Group)> {
        self.groups.iter().map(|(key, group)| (*key, group))
    }

    /// How many groups exceeded the limit.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }
}

/// The hash that tells the groups apart.
fn key(failure: &Classified<'_>) -> u64 {
    let cause = failure.cause as u64;
    let name = || failure.names.first().map_or("", String::as_str);
    match failure.cause.about().key {
        // A server on this machine has another reason not to answer than one elsewhere.
        _ if failure.cause == Cause::Network => hash(cause, &[u8::from(is_local(name()))]),
        Key::None => hash(cause, b""),
        Key::Program => hash(cause, failure.program.as_bytes()),
        Key::Name => hash(cause, name().as_bytes()),
        // What only says that a step failed has another reason in each program.
        Key::Line if is_summary(failure.line) => {
            hash(hash(cause, &normal_hash(failure.line).to_le_bytes()), failure.program.as_bytes())
        }
        Key::Line => hash(cause, &normal_hash(failure.line).to_le_bytes()),
    }
}

/// Whether a host is this machine.
pub(crate) fn is_local(host: &str) -> bool {
    ["localhost", "127.", "0.0.0.0", "[::1]", "::1"].iter().any(|local| host.starts_with(local))
}

impl Group {
    fn of(failure: &Classified<'_>) -> Self {
        Self {
            cause: failure.cause,
            program: String::new(),
            failures: 0,
            kind: FailureKind::None,
            weight: failure.weight,
            newest: Newest::default(),
            events: Vec::new(),
            names: BTreeMap::new(),
            distinct: 0,
            lines: BTreeMap::new(),
            place: None,
            suggestion: None,
            corrections: Corrections::default(),
            steps: BTreeMap::new(),
            shared: 0,
            scratch: 0,
            with_sudo: 0,
            follows_removal: false,
        }
    }

    /// Takes the failures out whose events fit, into a group of another cause. `None` if none fits.
    pub(crate) fn split_off(&mut self, cause: Cause, fits: impl Fn(u64) -> bool) -> Option<Self> {
        let (own, rest): (Vec<u64>, Vec<u64>) = self.events.iter().partition(|event| fits(**event));
        if own.is_empty() {
            return None;
        }
        let mut other = self.clone();
        other.cause = cause;
        other.newest.retain(&fits);
        self.newest.retain(|event| !fits(event));
        other.failures = u32::try_from(own.len()).unwrap_or(u32::MAX);
        self.failures = self.failures.saturating_sub(other.failures);
        (other.events, self.events) = (own, rest);
        other.names.clear();
        other.distinct = 0;
        Some(other)
    }

    fn add_step(&mut self, step: &str) {
        if self.steps.len() < MAX_LINES || self.steps.contains_key(step) {
            let known = self.steps.entry(step.to_owned()).or_default();
            *known = known.saturating_add(1);
        }
    }

    /// Adds the failures of another group, which this one explains.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.failures = self.failures.saturating_add(other.failures);
        self.shared = self.shared.saturating_add(other.shared);
        self.scratch = self.scratch.saturating_add(other.scratch);
        self.events.extend(&other.events);
        order::sort(&mut self.events);
        self.events.dedup();
        self.events.truncate(MAX_EVENTS);
        self.newest.merge(&other.newest);
        for (name, count) in &other.names {
            self.add_name(name, *count);
        }
        for (key, (line, count)) in &other.lines {
            let known = self.lines.entry(*key).or_insert_with(|| (line.clone(), 0));
            known.1 = known.1.saturating_add(*count);
        }
        self.corrections.merge(&other.corrections);
        for (step, count) in &other.steps {
            let known = self.steps.entry(step.clone()).or_default();
            *known = known.saturating_add(*count);
        }
    }

    /// The program of all failures; of different ones what they have in common, which may be nothing.
    fn add_program(&mut self, program: &str) {
        if self.failures == 1 {
            program.clone_into(&mut self.program);
        } else if self.program != program {
            let first = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
            self.program = if first(&self.program) == first(program) { first(program) } else { String::new() };
        }
    }

    pub(crate) fn add_name(&mut self, name: &str, count: u32) {
        if let Some(known) = self.names.get_mut(name) {
            *known = known.saturating_add(count);
            return;
        }
        self.distinct = self.distinct.saturating_add(1);
        if self.names.len() < MAX_NAMES {
            self.names.insert(name.to_owned(), count);
        }
    }

    fn add_line(&mut self, line: &str) {
        let key = normal_hash(line);
        if self.lines.len() < MAX_LINES || self.lines.contains_key(&key) {
            let known = self.lines.entry(key).or_default();
            crate::line::collapsed(line, &mut known.0);
            known.1 = known.1.saturating_add(1);
        }
    }

    /// The names, the most frequent first.
    pub(crate) fn frequent_names(&self) -> Vec<&str> {
        let names = by_count(self.names.iter().map(|(name, count)| (name.as_str(), *count)));
        names.into_iter().map(|(name, _)| name).collect()
    }

    /// The different lines with how often each was seen, the most frequent first.
    pub(crate) fn frequent_lines(&self) -> Vec<(&str, u32)> {
        by_count(self.lines.values().map(|(line, count)| (line.as_str(), *count)))
    }

    /// The newest failure.
    pub(crate) fn latest(&self) -> Option<&Failure> {
        self.newest.iter().next()
    }
}
