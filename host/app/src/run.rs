//! A whole cycle: up to the verdict, and, if the locks are open, on to a published branch.

use std::path::PathBuf;

use crate::apply::{Accepted, ApplyOptions, ApplySession, Ended, Repair, by_finding};
use crate::cycle::{Cycle, CycleOptions, Proposals};
use crate::error::AppError;
use crate::impact::MeasuredChange;
use crate::project::Project;
use crate::sink::Note;
use crate::stages::{Diagnosed, Judged, Proposed};

/// What a cycle came to.
#[derive(Debug)]
pub struct RunReport {
    /// What it found and proposes.
    pub proposals: Proposals,
    /// How it ended.
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
    /// The best candidate that passed is saved in this file, unless the state folder cannot be written. Nothing was changed.
    DryRun(Option<PathBuf>),
    /// Candidates were tried, finding by finding, until one held or none was left.
    Applied(Vec<Ended>),
}

impl RunEnding {
    /// What was published, if anything was.
    pub fn published(&self) -> Option<&Ended> {
        match self {
            Self::Applied(tried) => tried.last().filter(|ended| ended.published.is_some()),
            Self::NoCandidate | Self::Refused | Self::DryRun(_) => None,
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
        let (diagnosed, proposed, consulted) = cycle.up_to_gate()?;
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
        let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| judged.passes()).collect();
        match (passed.first(), session) {
            (None, _) => Ok(RunEnding::Refused),
            (Some(best), None) => Ok(RunEnding::DryRun(is_saved.then(|| self.proposal_file(&best.proposal.id)))),
            (Some(_), Some(session)) => {
                let repair = Repair { cycle, diagnosed, proposed, accepts: &|_| Ok(Accepted::Yes) };
                self.try_findings(&repair, &passed, session)
            }
        }
    }

    /// Tries the candidates that passed, finding by finding, until one holds.
    fn try_findings(
        &self,
        repair: &Repair<'_>,
        passed: &[&Judged],
        session: &ApplySession,
    ) -> Result<RunEnding, AppError> {
        let mut tried = Vec::new();
        for candidates in by_finding(passed) {
            for judged in &candidates {
                self.note_validation(judged);
            }
            tried.push(self.try_candidates(repair, &candidates, session)?);
            if tried.last().is_some_and(|ended| ended.published.is_some()) {
                break;
            }
        }
        Ok(RunEnding::Applied(tried))
    }
}
