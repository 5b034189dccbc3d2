//! Events folded into groups: one a tool, one an error signature.
//!
//! Memory is bounded whatever the log: at most [`MAX_GROUPS`] groups of each kind and [`MAX_OPEN`] remembered
//! failures; what finds no room is counted. Groups are ordered by name, so the same log gives the same report.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::last_line::telling_line;

/// Most tools, and most error signatures, that are told apart.
pub(crate) const MAX_GROUPS: usize = 512;
/// Longest name of a tool, so that a finding's id stays under its 200 bytes.
const NAME_BYTES: usize = 160;
/// Newest failures kept as evidence, a group.
pub(crate) const MAX_EVIDENCE: usize = 8;
/// Most failed inputs that are watched for a later success of the same call.
pub(crate) const MAX_OPEN: usize = 65_536;

/// One finished call, or an exception (no tool).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Number of the event in the run log.
    pub(crate) event: u64,
    /// Which tool; `None` for an exception outside a call.
    pub(crate) tool: Option<&'a str>,
    /// Whether it failed.
    pub(crate) failed: bool,
    /// The normalised error signature, for failures that have one.
    pub(crate) signature: Option<u32>,
    /// The signal of the failure's kind, for example `missing_module`.
    pub(crate) kind: Option<&'static str>,
    /// What was asked.
    pub(crate) input: &'a str,
    /// What came back.
    pub(crate) output: &'a str,
}

/// One failure kept as evidence.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// Number of the event.
    pub(crate) event: u64,
    /// What failed, one line.
    pub(crate) line: String,
    /// The signal of its kind.
    pub(crate) kind: Option<&'static str>,
    /// Which call it was: tool and input.
    call: Option<u64>,
}

/// What is known of one tool or of one error signature.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// Calls that count. For a signature: the failures that carry it.
    pub(crate) calls: u32,
    /// Failures among them.
    pub(crate) failures: u32,
    /// Whether the newest call that counts failed.
    pub(crate) newest_failed: bool,
    /// The newest failures, oldest first.
    pub(crate) newest: VecDeque<Failure>,
    /// The tool of the newest failure.
    pub(crate) tool: Option<String>,
}

/// The fold.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    tools: BTreeMap<String, Group>,
    signatures: BTreeMap<u32, Group>,
    /// Calls whose last end was a failure, by hash of tool and input.
    open: BTreeSet<u64>,
    /// Whether a failure found no room in `open`; from then on nothing counts as recovered.
    open_full: bool,
    left_out: u64,
}

impl Tally {
    /// Takes one call in; calls come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        // A call that passed matters only where one that failed is still open: most logs never hash an input.
        let identity = if call.failed || !self.open.is_empty() { identity(call) } else { None };
        self.watch(identity, call.failed);
        let failure = call.failed.then(|| Failure {
            event: call.event,
            line: telling_line(call.output),
            kind: call.kind,
            call: identity,
        });
        let mut placed = true;
        if let Some(tool) = call.tool {
            placed &= record(&mut self.tools, name(tool), call, failure.as_ref());
        }
        if let (Some(signature), Some(_)) = (call.signature, &failure) {
            placed &= record(&mut self.signatures, &signature, call, failure.as_ref());
        }
        self.left_out += u64::from(!placed);
    }

    /// Groups by tool, by name.
    pub(crate) fn tools(&self) -> impl Iterator<Item = (&str, &Group)> {
        self.tools.iter().map(|(name, group)| (name.as_str(), group))
    }

    /// Groups by error signature.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = (u32, &Group)> {
        self.signatures.iter().map(|(signature, group)| (*signature, group))
    }

    /// Whether the same tool with the same input passed after this failure.
    pub(crate) fn recovered(&self, failure: &Failure) -> bool {
        failure.call.is_some_and(|call| !self.open_full && !self.open.contains(&call))
    }

    /// Events that found no room in a group.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
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

/// Adds to a group, making it where there is room; says whether there was.
fn record<Q, K>(groups: &mut BTreeMap<K, Group>, key: &Q, call: &Call<'_>, failure: Option<&Failure>) -> bool
where
    K: Ord + std::borrow::Borrow<Q>,
    Q: Ord + ToOwned<Owned = K> + ?Sized,
{
    if !groups.contains_key(key) {
        if groups.len() >= MAX_GROUPS {
            return false;
        }
        groups.insert(key.to_owned(), Group::default());
    }
    let Some(group) = groups.get_mut(key) else { return false };
    group.calls = group.calls.saturating_add(1);
    group.newest_failed = call.failed;
    if let Some(failure) = failure {
        group.failures = group.failures.saturating_add(1);
        group.tool = call.tool.map(str::to_owned);
        if group.newest.len() == MAX_EVIDENCE {
            group.newest.pop_front();
        }
        group.newest.push_back(failure.clone());
    }
    true
}

/// A tool's name, at most [`NAME_BYTES`] bytes: names that differ only behind that share a group.
fn name(tool: &str) -> &str {
    tool.get(..tool.floor_char_boundary(NAME_BYTES)).unwrap_or(tool)
}

/// FNV-1a, 64 bits, over tool and input. A call without input has no identity: nothing says that it is the same.
fn identity(call: &Call<'_>) -> Option<u64> {
    let tool = call.tool?;
    if call.input.trim().is_empty() {
        return None;
    }
    let bytes = tool.bytes().chain([0]).chain(call.input.trim().bytes());
    Some(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
}
