//! What happened so far: the figures of all cycles and what the published changes did, or the story of one cycle.

use gephost_core::contest::Step;
use gephost_core::event_log::{Cycle, Entry, EntryBody, State, Tally};
use serde_json::{Map, Value};

use crate::error::AppError;
use crate::impact::MeasuredChange;
use crate::observe::LogOptions;
use crate::past::assets_failed;
use crate::project::Project;

/// The figures of all cycles.
#[derive(Debug)]
pub struct Summary {
    /// Counts over the whole log.
    pub tally: Tally,
    /// What the published changes did to their findings.
    pub impacts: Vec<MeasuredChange>,
}

/// The story of one cycle.
#[derive(Debug)]
pub struct Story {
    /// The cycle, as the log has it.
    pub cycle: Cycle,
    /// Its candidates, best first.
    pub candidates: Vec<CandidateStory>,
    /// What its published change did to the finding.
    pub impacts: Vec<MeasuredChange>,
}

/// What the log and the assets have of one candidate of a cycle.
#[derive(Debug, Default)]
pub struct CandidateStory {
    /// Id of the proposal.
    pub proposal: String,
    /// The proposal's title, redacted; empty if the log does not know the proposal.
    pub title: String,
    /// The gene that proposed it; `None` if a person did, or if several genes proposed its steps.
    pub gene: Option<String>,
    /// Its risk when the cycle began, from 0 to 100.
    pub risk_score: Option<u8>,
    /// The files that it changes.
    pub files: Vec<String>,
    /// What became of it; `None` if its cycle did not end.
    pub fate: Option<gephost_core::event_log::Fate>,
    /// Why.
    pub reason: String,
    /// The steps that it is the sum of; empty for a change of one step.
    pub steps: Vec<Step>,
    /// Why no further step was built on it, if another failure shows after it.
    pub no_further: Option<String>,
    /// Its branch, if it was published.
    pub branch: Option<String>,
    /// Its validation report, as the assets have it.
    pub report: Option<Map<String, Value>>,
}

impl Project {
    /// The figures of all cycles, with the published changes measured over the logs of now.
    pub fn report(&self) -> Result<Summary, AppError> {
        let impacts = self.measure_now()?;
        let tally = Tally::of(self.entries()?.iter().map(|entry| &entry.body));
        Ok(Summary { tally, impacts })
    }

    /// The story of the newest cycle with this id, with this proposal, or that published this branch.
    pub fn story(&self, id: &str) -> Result<Story, AppError> {
        let measured = self.measure_now()?;
        let entries = self.entries()?;
        let state = self.log_state()?;
        let cycle = find(&state, id)?;
        let started =
            |entry: &Entry| matches!(&entry.body, EntryBody::CycleStarted { cycle: id, .. } if *id == cycle.id);
        let begin = entries.iter().position(started).unwrap_or_default();
        let (before, since) = entries.split_at(begin);
        let candidates = cycle.candidates.iter().map(|id| self.candidate(before, since, &state, cycle, id));
        let candidates = candidates.collect::<Result<_, _>>()?;
        let own = |change: &MeasuredChange| Some(&change.proposal) == cycle.winner.as_ref();
        Ok(Story { cycle: cycle.clone(), candidates, impacts: measured.into_iter().filter(own).collect() })
    }

    /// What the published changes did, over the logs of now. Nothing if nothing was published.
    fn measure_now(&self) -> Result<Vec<MeasuredChange>, AppError> {
        if self.log_state()?.standing().is_empty() || !self.is_in_repository() {
            return Ok(Vec::new());
        }
        let observation = self.observe(&LogOptions::default())?;
        self.measure(&self.repository()?, &observation.events, false)
    }

    /// One candidate of a cycle. `before` are the entries before the cycle, `since` those from its first entry on.
    fn candidate(
        &self,
        before: &[Entry],
        since: &[Entry],
        state: &State,
        cycle: &Cycle,
        id: &str,
    ) -> Result<CandidateStory, AppError> {
        let known = state.proposal(id);
        let tried = cycle.tried.iter().flatten().find(|tried| tried.proposal == id);
        let mut story = CandidateStory {
            proposal: id.to_owned(),
            title: known.map(|known| known.title.clone()).unwrap_or_default(),
            gene: known.and_then(|known| known.gene.clone()),
            fate: tried.map(|tried| tried.fate),
            reason: tried.map(|tried| tried.reason.clone()).unwrap_or_default(),
            steps: tried.map(|tried| tried.steps.clone()).unwrap_or_default(),
            no_further: tried.and_then(|tried| tried.no_further.clone()),
            ..CandidateStory::default()
        };
        // Another cycle may be judged after this one ended, and before it starts itself.
        let is_own =
            |entry: &&Entry| !matches!(entry.body, EntryBody::CycleStarted { .. } | EntryBody::CycleEnded { .. });
        let own = || since.iter().skip(1).take_while(is_own);
        // A candidate of a further step is gated while the cycle runs.
        for entry in before.iter().chain(own()) {
            if let EntryBody::Gated { proposal, risk_score, files, .. } = &entry.body
                && proposal == id
            {
                (story.risk_score, story.files) = (Some(*risk_score), files.clone());
            }
        }
        for entry in own() {
            match &entry.body {
                EntryBody::Applied { proposal, branch, .. } if proposal == id => story.branch = Some(branch.clone()),
                EntryBody::ValidationFinished { proposal, report, .. } if proposal == id => {
                    story.report = self.validation_report(report)?;
                }
                _ => {}
            }
        }
        Ok(story)
    }

    fn validation_report(&self, id: &str) -> Result<Option<Map<String, Value>>, AppError> {
        let found = self.registry.report(id).map_err(|error| assets_failed(&error))?;
        Ok(found.map(|report| report.document().clone()))
    }
}

fn find<'a>(state: &'a State, id: &str) -> Result<&'a Cycle, AppError> {
    let branch_of = |proposal: &String| {
        state.proposal(proposal).is_some_and(|proposal| proposal.applied.iter().any(|applied| applied.branch == id))
    };
    let mut newest = state.cycles().iter().rev();
    newest
        .find(|cycle| {
            cycle.id == id
                || cycle.candidates.iter().any(|candidate| candidate == id)
                || cycle.winner.iter().any(branch_of)
        })
        .ok_or_else(|| {
            let message = format!("there is no cycle, proposal or branch {id:?} in the log");
            AppError::usage("unknown_id", message).hint("`gephost log` shows them all")
        })
}
