//! The failing calls that a diagnosis is about, as a strategy reads them. Capability `run-log`.
//!
//! A finding names at most 32 events as evidence, but it may explain thousands. [`causes`] asks the host for all of them,
//! [`read`] reads the newest, and [`in_order`] puts them into the order in which a strategy should look at them.

use std::collections::{BTreeSet, VecDeque};

use crate::run_log::{self, EventKind, Filter, Outcome};
use crate::{Diagnosis, Finding, HostError, explained};

/// Most events of one finding that are kept: its evidence, then the newest of the others.
const MAX_OF_A_FINDING: usize = 128;
/// Most events of findings that are read.
const MAX_EXPLAINED: usize = 256;
/// Most failing events of no finding that are read: the newest.
const MAX_OTHERS: usize = 64;

/// The part of a finding that a repair needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The id of the finding.
    pub id: String,
    /// The events of its evidence, the most informative first, then the newest of the others that it explains.
    pub events: Vec<u64>,
}

/// A failing event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its number in the run log.
    pub event: u64,
    /// The tool's input.
    pub input: String,
    /// The tool's output.
    pub output: String,
}

/// The findings of a diagnosis, in its order.
pub fn causes(diagnosis: Diagnosis) -> Vec<Cause> {
    let cause = |finding: Finding| {
        let mut events = Vec::new();
        for line in finding.evidence {
            add(&mut events, line.event, MAX_OF_A_FINDING);
        }
        let others = explained(&finding.id).map(|explanation| explanation.events);
        for event in others.into_iter().flatten().rev() {
            add(&mut events, event, MAX_OF_A_FINDING);
        }
        Cause { id: finding.id, events }
    };
    diagnosis.findings.into_iter().map(cause).collect()
}

/// Reads the failed calls, and the exceptions if `with_exceptions`, newest first: those of the causes, and the newest of
/// the others.
pub fn read(causes: &[Cause], with_exceptions: bool) -> Result<Vec<Failure>, HostError> {
    let mut wanted = BTreeSet::new();
    wanted.extend(by_rank(causes));
    let mut failures: Vec<Failure> = Vec::new();
    let failed = Filter { kinds: vec![EventKind::ToolEnd], outcomes: vec![Outcome::Failure], ..run_log::everything() };
    let raised = Filter { kinds: vec![EventKind::Exception], ..run_log::everything() };
    for filter in if with_exceptions { vec![failed, raised] } else { vec![failed] } {
        let mut others = VecDeque::new();
        run_log::for_each(&filter, |event| {
            let failure =
                Failure { event: event.index, input: event.input.to_owned(), output: event.output.to_owned() };
            if wanted.contains(&event.index) {
                insert(&mut failures, failure);
            } else {
                others.push_back(failure);
                if others.len() > MAX_OTHERS {
                    others.pop_front();
                }
            }
        })?;
        for failure in others {
            insert(&mut failures, failure);
        }
    }
    Ok(failures)
}

/// Inserts a failure before the older ones. They come in the order of their events, so its place is near the start; sorting
/// them would cost each component 5 KB.
fn insert(failures: &mut Vec<Failure>, failure: Failure) {
    let place = failures.partition_point(|known| known.event > failure.event);
    failures.insert(place, failure);
}

/// The failures of the causes, in the order of the causes, then all others. `failures` must be ordered newest first, as
/// [`read`] returns them.
pub fn in_order<'a>(causes: &[Cause], failures: &'a [Failure]) -> Vec<&'a Failure> {
    let mut is_taken = vec![false; failures.len()];
    let mut ordered = Vec::with_capacity(failures.len());
    let explained = causes.iter().flat_map(|cause| &cause.events);
    let explained = explained.filter_map(|event| failures.binary_search_by(|it| event.cmp(&it.event)).ok());
    for position in explained.chain(0..failures.len()) {
        if let (Some(taken), Some(failure)) = (is_taken.get_mut(position), failures.get(position))
            && !std::mem::replace(taken, true)
        {
            ordered.push(failure);
        }
    }
    ordered
}

/// The id of the finding that a failure belongs to: the first one that explains it, else the first of all; empty without
/// a finding.
pub fn finding_of<'a>(failure: &Failure, causes: &'a [Cause]) -> &'a str {
    let explaining = causes.iter().find(|cause| cause.events.contains(&failure.event));
    explaining.or(causes.first()).map_or("", |cause| cause.id.as_str())
}

/// The events of all causes that are read, the first of each, then the second of each, and so on: a finding with many
/// events leaves room for the others.
fn by_rank(causes: &[Cause]) -> Vec<u64> {
    let mut events = Vec::new();
    for rank in 0..MAX_OF_A_FINDING {
        for cause in causes {
            if let Some(event) = cause.events.get(rank) {
                add(&mut events, *event, MAX_EXPLAINED);
            }
        }
    }
    events
}

/// Adds a number that is not in the list, unless the list is full.
fn add(list: &mut Vec<u64>, number: u64, most: usize) {
    if list.len() < most && !list.contains(&number) {
        list.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(id: &str, events: &[u64]) -> Cause {
        Cause { id: id.to_owned(), events: events.to_vec() }
    }

    fn failures(events: &[u64]) -> Vec<Failure> {
        let failure = |event: &u64| Failure { event: *event, input: String::new(), output: String::new() };
        events.iter().map(failure).collect()
    }

    #[test]
    fn failures_are_ordered_like_the_findings_and_each_comes_once() {
        let causes = [cause("a", &[5, 2]), cause("b", &[2, 9, 1])];
        let failures = failures(&[9, 7, 5, 2]);
        let order: Vec<u64> = in_order(&causes, &failures).iter().map(|failure| failure.event).collect();
        assert_eq!(order, [5, 2, 9, 7]);
        let of: Vec<&str> = failures.iter().map(|failure| finding_of(failure, &causes)).collect();
        assert_eq!(of, ["b", "a", "a", "a"]);
        assert_eq!(finding_of(&failures[0], &[]), "");
    }

    #[test]
    fn a_finding_with_many_events_leaves_room_for_the_others() {
        let causes = [cause("a", &[1, 2, 3, 4]), cause("b", &[3, 8])];
        assert_eq!(by_rank(&causes), [1, 3, 2, 8, 4]);
    }
}
