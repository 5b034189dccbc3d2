//! From gated candidates to an apply: whose finding each answers, which commands validate it, and how far those are
//! confined.

use gephost_core::command::ValidationCommand;
use gephost_core::diagnosis::Finding;
use gephost_core::gene::Gene as GeneAsset;
use gephost_runner::validate::{Chosen, Launcher, choose};
use gephost_runner::worktree;

use super::applier::{Applier, Tools};
use super::candidate::{Ended, Intent, Subject};
use super::further::{Accepted, Further};
use super::next_step::NextStep;
use super::session::ApplySession;
use crate::commands::calls_of;
use crate::cycle::Cycle;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;
use crate::stages::{Diagnosed, Judged, Proposed, answered};

/// A judged proposal, with the gene that made it.
pub(crate) struct Attempt<'a> {
    pub(crate) judged: &'a Judged,
    pub(crate) gene: Option<&'a GeneAsset>,
}

/// Candidates for the same finding, in their order; findings in the order of their best candidates.
pub(crate) fn by_finding<'a>(candidates: &[&'a Judged]) -> Vec<Vec<&'a Judged>> {
    let mut groups: Vec<Vec<&Judged>> = Vec::new();
    for judged in candidates.iter().copied() {
        let answers = |group: &&mut Vec<&Judged>| {
            group.first().is_some_and(|first| first.proposal.diagnosis_ref == judged.proposal.diagnosis_ref)
        };
        match groups.iter_mut().find(answers) {
            Some(group) => group.push(judged),
            None => groups.push(vec![judged]),
        }
    }
    groups
}

/// The finding that a proposal answers.
pub(crate) fn finding_of<'a>(diagnosed: &'a Diagnosed, judged: &Judged) -> Option<&'a Finding> {
    answered(&diagnosed.diagnosis, judged.proposal.diagnosis_ref.as_deref())
}

/// A cycle whose candidates are tried.
pub(crate) struct Repair<'a> {
    pub(crate) cycle: &'a Cycle<'a>,
    pub(crate) diagnosed: &'a Diagnosed,
    pub(crate) proposed: &'a Proposed,
    /// Whether the sum of several steps may be tried.
    pub(crate) accepts: &'a dyn Fn(&Judged) -> Result<Accepted, AppError>,
}

impl Repair<'_> {
    /// What led to the candidates, as recordings.
    fn recordings(&self) -> Vec<String> {
        let calls = self.diagnosed.calls.iter().chain(&self.proposed.calls);
        calls.filter_map(|call| call.recording.clone()).collect()
    }
}

impl Project {
    /// Tries candidates for one finding of a cycle, side by side, and then further steps that build on them.
    pub(crate) fn try_candidates(
        &self,
        repair: &Repair<'_>,
        candidates: &[&Judged],
        session: &ApplySession,
    ) -> Result<Ended, AppError> {
        let (cycle, diagnosed) = (repair.cycle, repair.diagnosed);
        if let Some(error) = &cycle.past_failed {
            return Err(error.clone());
        }
        let finding = candidates.first().and_then(|judged| finding_of(diagnosed, judged));
        let recorded = self.recorded_commands(&calls_of(&cycle.observation.events, finding))?;
        let finding = finding.map(|finding| self.reference(finding));
        let genes: Vec<Option<GeneAsset>> =
            candidates.iter().map(|judged| cycle.gene_asset(judged.proposal.gene.as_deref())).collect();
        let attempts: Vec<Attempt<'_>> =
            candidates.iter().zip(&genes).map(|(judged, gene)| Attempt { judged, gene: gene.as_ref() }).collect();
        // The log has it since the candidates were remembered.
        let isolation = candidates.first().map(|judged| self.isolation_of(&judged.proposal.id)).transpose()?.flatten();
        let subject = Subject {
            finding: finding.as_ref(),
            signals: &diagnosed.diagnosis.signals,
            isolation: isolation.as_deref(),
        };
        let further = Further {
            cycle,
            recorded: &recorded,
            calls: candidates.first().map_or(&[], |judged| &judged.calls),
            signals: &diagnosed.diagnosis.signals,
            first_recordings: repair.recordings(),
            accepts: repair.accepts,
            until: session.until,
        };
        self.apply_attempts(&cycle.repository()?.git, &attempts, &recorded, subject, session, Some(&further))
    }

    /// Applies the best of the approved proposals. `recorded` are the commands that the operator recorded, and `next`
    /// proposes further steps if none of the proposals holds.
    pub(crate) fn apply_attempts(
        &self,
        repository: &worktree::Project,
        attempts: &[Attempt<'_>],
        recorded: &[ValidationCommand],
        subject: Subject<'_>,
        session: &ApplySession,
        next: Option<&dyn NextStep>,
    ) -> Result<Ended, AppError> {
        self.check_stops(session.until)?;
        let launcher = self.launcher()?;
        let chosen = self.confinement(&launcher)?;
        let applier = Applier {
            approver: session.approver.as_deref(),
            why: session.options.why.as_deref(),
            land: session.options.land,
            until: session.until,
            ..Applier::new(self, repository, &session.journal, Tools { launcher: &launcher, chosen: &chosen })
        };
        let mut ready = Vec::new();
        for attempt in attempts {
            let Some(change) = attempt.judged.verdict.approved() else {
                return Err(AppError::new(ErrorKind::Refused, "refused", "rejected by the gate"));
            };
            ready.push((attempt, change, self.commands(recorded, change.commands())));
        }
        let intents: Vec<Intent<'_>> = ready
            .iter()
            .map(|(attempt, approved, commands)| Intent {
                proposal: &attempt.judged.proposal,
                approved,
                diff: attempt.judged.verdict.diff(),
                capsule: attempt.judged.capsule.as_deref(),
                commands,
                gene: attempt.gene,
                steps: &[],
            })
            .collect();
        Ok(applier.apply_in_steps(subject, &intents, next)?)
    }

    /// What starts validation commands.
    pub(super) fn launcher(&self) -> Result<Launcher, AppError> {
        self.environment.launcher().ok_or_else(|| {
            AppError::usage("sandbox", "there is no `gephost` program to start validation commands with")
        })
    }

    /// How far validation commands are confined: what the config wants, as far as this machine has it.
    pub(super) fn confinement(&self, launcher: &Launcher) -> Result<Chosen, AppError> {
        let table = &self.config.file.validation;
        choose(table.sandbox, table.network, launcher).map_err(|error| {
            AppError::usage("sandbox", error.to_string())
                .hint("`gephost doctor` shows what works on this machine; nothing was changed")
        })
    }
}
