//! The cycles that tried candidates: the finding and the outcome of each.

use std::collections::BTreeSet;

use super::super::entry::EntryBody;
use super::transition::{IllegalTransition, check, illegal};
use crate::contest::Tried;
use crate::diagnosis::FindingRef;

/// One cycle, from the start of its first trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The id of the cycle, which is also that of its evolution event.
    pub id: String,
    /// Full hexadecimal id of the base commit.
    pub base_commit: String,
    /// The finding to fix.
    pub finding: Option<FindingRef>,
    /// Ids of its proposals: those that it started with, best first, then those of further steps.
    pub candidates: Vec<String>,
    /// The proposal that was published.
    pub winner: Option<String>,
    /// The outcome of each candidate; `None` while the cycle runs, and if a crash ended it.
    pub tried: Option<Vec<Tried>>,
}

/// All cycles, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cycles {
    all: Vec<Cycle>,
    ids: BTreeSet<String>,
}

impl Cycles {
    /// Every cycle, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Cycle> + ExactSizeIterator {
        self.all.iter()
    }

    /// The cycle that was started last, whether it ended or not.
    pub fn last(&self) -> Option<&Cycle> {
        self.all.last()
    }

    pub(super) fn apply(&mut self, body: &EntryBody) -> Result<(), IllegalTransition> {
        match body {
            EntryBody::CycleStarted { cycle, base_commit, finding, candidates } => {
                check(self.ids.insert(cycle.clone()), "cycle_started", cycle, "a cycle with this id exists already")?;
                self.all.push(Cycle {
                    id: cycle.clone(),
                    base_commit: base_commit.clone(),
                    finding: finding.clone(),
                    candidates: candidates.clone(),
                    winner: None,
                    tried: None,
                });
            }
            EntryBody::CycleContinued { cycle, on, candidates, .. } => {
                const KIND: &str = "cycle_continued";
                let open = self.running(KIND, cycle)?;
                check(open.candidates.contains(on), KIND, cycle, "it builds on no candidate of the cycle")?;
                open.candidates.extend(candidates.iter().cloned());
            }
            EntryBody::CycleEnded { cycle, winner, candidates } => {
                const KIND: &str = "cycle_ended";
                let open = self.running(KIND, cycle)?;
                let asked = winner.iter().chain(candidates.iter().map(|tried| &tried.proposal));
                let known = asked.into_iter().all(|proposal| open.candidates.contains(proposal));
                check(known, KIND, cycle, "it names a proposal that is not a candidate of the cycle")?;
                open.winner.clone_from(winner);
                open.tried = Some(candidates.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// The cycle with this id, if it is the running one.
    fn running(&mut self, kind: &'static str, cycle: &str) -> Result<&mut Cycle, IllegalTransition> {
        let open = self.all.last_mut().filter(|last| last.id == cycle && last.tried.is_none());
        open.ok_or_else(|| illegal(kind, cycle, "it is not the running cycle"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;
    use crate::contest::Fate;

    fn started(cycle: &str) -> EntryBody {
        EntryBody::CycleStarted {
            cycle: cycle.to_owned(),
            base_commit: "b".to_owned(),
            finding: None,
            candidates: vec!["p".to_owned()],
        }
    }

    fn ended(cycle: &str, proposal: &str) -> EntryBody {
        let tried = Tried::new(proposal, Fate::Failed, "tests");
        EntryBody::CycleEnded { cycle: cycle.to_owned(), winner: None, candidates: vec![tried] }
    }

    fn continued(cycle: &str, on: &str, candidate: &str) -> EntryBody {
        EntryBody::CycleContinued {
            cycle: cycle.to_owned(),
            step: 2,
            on: on.to_owned(),
            failure: "KeyError".to_owned(),
            candidates: vec![candidate.to_owned()],
        }
    }

    #[test]
    fn a_cycle_ends_once_and_names_its_own_candidates() {
        let check = |entries: &[EntryBody], problem: Option<&str>| {
            let mut state = State::default();
            let result = entries.iter().try_for_each(|entry| state.apply(entry));
            assert_eq!(result.err().map(|illegal| illegal.problem), problem, "{entries:?}");
        };
        check(&[started("1"), ended("1", "p"), started("2"), ended("2", "p")], None);
        // A crash leaves the first one open.
        check(&[started("1"), started("2"), ended("2", "p")], None);
        check(&[started("1"), ended("1", "p"), started("1")], Some("a cycle with this id exists already"));
        check(&[ended("1", "p")], Some("it is not the running cycle"));
        check(&[started("1"), started("2"), ended("1", "p")], Some("it is not the running cycle"));
        check(&[started("1"), ended("1", "p"), ended("1", "p")], Some("it is not the running cycle"));
        check(&[started("1"), continued("1", "p", "q"), continued("1", "q", "r"), ended("1", "r")], None);
        check(&[started("1"), continued("1", "q", "r")], Some("it builds on no candidate of the cycle"));
        check(&[started("1"), ended("1", "p"), continued("1", "p", "q")], Some("it is not the running cycle"));
        check(&[started("1"), ended("1", "q")], Some("it names a proposal that is not a candidate of the cycle"));
    }
}
