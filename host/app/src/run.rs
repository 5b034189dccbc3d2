//! A whole cycle: up to the verdict, and, if the locks are open, on to a published branch.

use std::path::PathBuf;

use gephost_core::event_log::State;
use gephost_runner::worktree::{self, DropError, check_droppable};

use crate::apply::{Accepted, ApplyOptions, ApplySession, Ended, Repair, Searcher, by_finding};
use crate::contents::contents;
use crate::cycle::{Cycle, CycleOptions, Proposals};
use crate::error::AppError;
use crate::impact::MeasuredChange;
use crate::project::Project;
use crate::sink::Note;
use crate::stages::{Diagnosed, Judged, Proposed, Search};

/// What a cycle came to.
#[derive(Debug)]
pub struct RunReport {
    /// What it found and proposes.
    pub proposals: Proposals,
    /// What became of the best candidates.
    pub ending: RunEnding,
    /// What the changes that were published before did to their findings.
    pub impacts: Vec<MeasuredChange>,
}

/// How a cycle ended.
#[derive(Debug)]
pub enum RunEnding {
    /// There is no candidate.
    NoCandidate,
    /// The gate refused every candidate.
    Refused,
    /// What would be tried is published on a branch that stands. Nothing was changed.
    AlreadyPublished(AlreadyPublished),
    /// The best candidate that passed is saved in this file, unless the state folder cannot be written. Nothing was changed.
    DryRun(Option<PathBuf>),
    /// Every candidate that passed weakens tests, so a person decides. The best one is saved in this file. Nothing was changed.
    Waits(PathBuf),
    /// Candidates were tried, finding by finding, until one held or none was left.
    Applied(Vec<Ended>),
}

/// A published branch with the change of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlreadyPublished {
    /// Id of the proposal that it was published for.
    pub proposal: String,
    /// The branch that has the change already.
    pub branch: String,
    /// Full hexadecimal id of its commit.
    pub commit: String,
}

impl RunEnding {
    /// What was published, if anything was.
    pub fn published(&self) -> Option<&Ended> {
        match self {
            Self::Applied(tried) => tried.last().filter(|ended| ended.published.is_some()),
            Self::NoCandidate | Self::Refused | Self::AlreadyPublished(_) | Self::DryRun(_) | Self::Waits(_) => None,
        }
    }
}

impl Project {
    /// Observes, diagnoses, selects, proposes and gates. If the locks are open, validates the candidates and publishes
    /// the best one that holds.
    pub fn run(&self, options: &CycleOptions, apply: &ApplyOptions) -> Result<RunReport, AppError> {
        let consultant = self.consultant(options)?;
        let session = ApplySession::begin(self, &self.repository()?, apply, "run --apply")?;
        let cycle = Cycle::open(self, options, consultant)?;
        cycle.note_checkout()?;
        let searcher = session.as_ref().map(|session| Searcher::new(&cycle, session));
        let search = searcher.as_ref().map(|searcher| searcher as &dyn Search);
        let (diagnosed, proposed, consulted) = cycle.up_to_gate(search)?;
        let ending = self.conclude(&cycle, &diagnosed, &proposed, session.as_ref())?;
        let impacts = self.measure(&cycle.repository()?.git, &cycle.observation.events, false)?;
        let clue = cycle.clue(&diagnosed, &proposed)?;
        Ok(RunReport {
            proposals: Proposals { findings: cycle.findings(diagnosed, consulted), proposed, clue },
            ending,
            impacts,
        })
    }

    /// Ends a cycle: saves and logs what was proposed, and applies it if the locks are open.
    fn conclude(
        &self,
        cycle: &Cycle<'_>,
        diagnosed: &Diagnosed,
        proposed: &Proposed,
        session: Option<&ApplySession>,
    ) -> Result<RunEnding, AppError> {
        if proposed.candidates.is_empty() {
            return Ok(RunEnding::NoCandidate);
        }
        let is_dry = session.is_none();
        let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| judged.passes()).collect();
        let groups = by_finding(&passed);
        let (groups, published) =
            if is_dry { (groups, None) } else { self.unpublished(&cycle.repository()?.git, groups)? };
        if let Some(published) = published.filter(|_| groups.is_empty()) {
            return Ok(RunEnding::AlreadyPublished(published));
        }
        let signals = &diagnosed.diagnosis.signals;
        let remembered = self.remember(signals, &proposed.candidates, proposed.isolation(), is_dry);
        // A state folder that cannot be written costs a dry run the saved file, and not what it found.
        let is_saved = match remembered {
            Err(error) if is_dry && error.code == "io" => {
                self.environment.sink.note(Note::Warning(&format!("no proposal is saved: {error}")));
                false
            }
            remembered => remembered.map(|()| true)?,
        };
        match (passed.first(), session) {
            (None, _) => Ok(RunEnding::Refused),
            (Some(best), None) => Ok(RunEnding::DryRun(is_saved.then(|| self.proposal_file(&best.proposal.id)))),
            (Some(best), Some(session)) => {
                let groups = without_weakened(groups);
                if groups.is_empty() {
                    return Ok(RunEnding::Waits(self.proposal_file(&best.proposal.id)));
                }
                let repair = Repair { cycle, diagnosed, proposed, accepts: &|sum| Ok(accepts(sum)) };
                self.try_findings(&repair, &groups, session)
            }
        }
    }

    /// The candidates for findings of which none is published, and the first branch that is.
    fn unpublished<'a>(
        &self,
        repository: &worktree::Project,
        groups: Vec<Vec<&'a Judged>>,
    ) -> Result<(Vec<Vec<&'a Judged>>, Option<AlreadyPublished>), AppError> {
        let state = self.log_state()?;
        let mut fresh = Vec::new();
        let mut published = None;
        for group in groups {
            match group.iter().find_map(|judged| standing(&state, repository, judged)) {
                Some(found) => drop(published.get_or_insert(found)),
                None => fresh.push(group),
            }
        }
        Ok((fresh, published))
    }

    /// Tries the candidates that passed, finding by finding, until one holds.
    fn try_findings(
        &self,
        repair: &Repair<'_>,
        groups: &[Vec<&Judged>],
        session: &ApplySession,
    ) -> Result<RunEnding, AppError> {
        let mut tried = Vec::new();
        for candidates in groups {
            for judged in candidates {
                self.note_validation(judged);
            }
            tried.push(self.try_candidates(repair, candidates, session)?);
            if tried.last().is_some_and(|ended| ended.published.is_some()) {
                break;
            }
        }
        Ok(RunEnding::Applied(tried))
    }
}

/// The candidates that leave the tests as strict as they are. A person decides about the others.
fn without_weakened(groups: Vec<Vec<&Judged>>) -> Vec<Vec<&Judged>> {
    let kept = groups.into_iter().map(|mut group| {
        group.retain(|judged| !judged.verdict.weakens_tests());
        group
    });
    kept.filter(|group| !group.is_empty()).collect()
}

/// Whether the sum of several steps may be tried: what holds for a candidate holds for it too.
fn accepts(sum: &Judged) -> Accepted {
    let weakens = || Accepted::No("the sum weakens tests, so a person decides about it".to_owned());
    if sum.verdict.weakens_tests() { weakens() } else { Accepted::Yes }
}

/// The branch that has the change of a candidate, if one does and it is still there.
fn standing(state: &State, repository: &worktree::Project, judged: &Judged) -> Option<AlreadyPublished> {
    let now = contents(judged.verdict.approved()?);
    state.standing().into_iter().rev().find_map(|(proposal, applied)| {
        let known = state.proposal(proposal)?;
        let is_gone = || {
            let found = check_droppable(repository, &applied.branch, &applied.commit);
            matches!(found, Err(DropError::Gone { .. }))
        };
        (known.contents == now && !is_gone()).then(|| AlreadyPublished {
            proposal: proposal.to_owned(),
            branch: applied.branch.clone(),
            commit: applied.commit.clone(),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gephost_core::gate::{Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, review};
    use gephost_core::path::RepoPath;
    use gephost_core::policy::{Policy, PolicyTable, ValidationTable};
    use gephost_core::proposal::{Change, Proposal};

    use super::*;

    const TESTS: &str = "def test_one():\n    assert f(1) == 1\n    assert f(2) == 2\n";

    /// A candidate for a repository with one test, judged by the default policy.
    fn judged(path: &str, text: &str) -> Judged {
        let table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
        let policy = Policy::from_tables(table, &ValidationTable::default(), &[]).expect("a policy");
        let state = BlobState { mode: FileMode::Regular, content: Arc::from(TESTS.as_bytes()) };
        let entry = (RepoPath::new("tests/test_a.py").expect("a path"), BaseEntry::Blob(state));
        let base = Base { commit: "0".repeat(40), entries: [entry].into(), case_collisions: Vec::new(), unsearched: 0 };
        let change = Change::NewContent { path: path.to_owned(), content: text.into() };
        let proposal = Proposal { changes: vec![change], ..Proposal::from_diff("") };
        let verdict = review(&ParsedChange::read(proposal.clone()), &base, &policy, GeneHistory::default());
        Judged { proposal, verdict, calls: Vec::new(), worth: None, capsule: None }
    }

    #[test]
    fn what_weakens_a_test_is_left_to_a_person() {
        let milder = judged("tests/test_a.py", "def test_one():\n    assert f(1) == 1\n");
        let fine = judged("src/a.py", "def f(n):\n    return n\n");
        assert_eq!((milder.verdict.decision(), fine.verdict.decision()), (Decision::Pass, Decision::Pass));
        let kept = without_weakened(vec![vec![&milder, &fine], vec![&milder]]);
        assert_eq!(kept.iter().map(Vec::len).collect::<Vec<_>>(), [1], "only the candidate that weakens nothing");
        assert!(matches!(accepts(&milder), Accepted::No(_)) && matches!(accepts(&fine), Accepted::Yes));
    }
}
