//! A repair of several layers: if a change fixes one failure and another one shows, further steps are tried that build on
//! the change, depth first and best-ranked first, within the bounds of `[layers]`.
//!
//! What must stay true: only what passes is published, and what is tried at each step is the whole repair so far, as one
//! approved change of the base; every step looks at the stop signs before it begins; nothing is built on a change that
//! broke a test (`next_failure`).

use std::cell::OnceCell;
use std::time::Duration;

use gephost_core::config::LayersTable;
use gephost_core::contest::Step;
use gephost_core::evaluate::next_failure;
use gephost_core::event_log::{EntryBody, Fate};
use gephost_core::proposal::Proposal;
use gephost_runner::journal::{Entry, Operation};

use super::applier::Applier;
use super::candidate::Intent;
use super::contest::Contested;
use super::failure::ApplyFailure;
use super::ids::Ids;
use super::next_step::{NextStep, SoFar, Sum};
use crate::deadline::Deadline;
use crate::sink::Note;
use crate::stages::Judged;

/// Room for the sums that a cycle may try. They stay where they are while others are added.
pub(super) struct Sums(Vec<OnceCell<Sum>>);

impl Sums {
    pub(super) fn new(table: &LayersTable) -> Self {
        Self((0..table.max_validations).map(|_| OnceCell::new()).collect())
    }

    fn room(&self) -> usize {
        self.0.iter().filter(|slot| slot.get().is_none()).count()
    }

    /// `None` if there is no room.
    fn put(&self, sum: Sum) -> Option<&Sum> {
        let free = self.0.iter().find(|slot| slot.get().is_none())?;
        Some(free.get_or_init(|| sum))
    }
}

/// Where a candidate comes from.
#[derive(Clone, Copy, Default)]
struct Origin<'a> {
    /// The candidate that it builds on, by its rank in the cycle.
    on: Option<usize>,
    /// What it is the sum of; `None` for a candidate of one step.
    sum: Option<&'a Sum>,
}

/// The candidates of a cycle: those that it started with, then those of further steps.
pub(super) struct RepairCourse<'r, 'a> {
    applier: &'r Applier<'r>,
    ids: &'r Ids,
    sums: &'a Sums,
    until: Deadline,
    origins: Vec<Origin<'a>>,
    /// The failure that shows after each candidate, if a further step may build on it.
    failures: Vec<Option<String>>,
    /// All candidates.
    pub(super) intents: Vec<Intent<'a>>,
    /// What became of them.
    pub(super) contested: Contested<'a>,
    /// The first sum that may be tried only after an approval.
    pub(super) waits: Option<Box<Judged>>,
}

impl<'r, 'a> RepairCourse<'r, 'a> {
    /// Tries the candidates of the first step.
    pub(super) fn new(applier: &'r Applier<'r>, intents: &[Intent<'a>], ids: &'r Ids, sums: &'a Sums) -> Self {
        let time = Duration::from_secs(applier.project.config.file.layers.max_wall_s);
        let mut course = Self {
            applier,
            ids,
            sums,
            until: Deadline::after(time),
            origins: vec![Origin::default(); intents.len()],
            failures: Vec::new(),
            intents: intents.to_vec(),
            contested: applier.contest(intents, ids, Vec::new()),
            waits: None,
        };
        course.look_for_failures();
        course
    }

    /// Tries further steps until a repair holds, none is left to build on, or somebody stops it.
    pub(super) fn go_on(&mut self, next: &dyn NextStep, entry: &mut Entry) -> Result<(), ApplyFailure> {
        if self.table().max_depth == 1 {
            return Ok(());
        }
        let mut open = self.open(0);
        while let Some(rank) = open.pop() {
            if self.contested.winner.is_some() || self.is_stopped() {
                break;
            }
            let first = self.intents.len();
            match self.bound(rank) {
                Some(bound) => self.end_at(rank, bound),
                None => self.take_step(rank, next, entry)?,
            }
            open.extend(self.open(first));
        }
        Ok(())
    }

    fn table(&self) -> &'r LayersTable {
        &self.applier.project.config.file.layers
    }

    /// Whether there is a reason to stop, now or earlier.
    fn is_stopped(&mut self) -> bool {
        if let (Err(sign), None) = (self.applier.check_stops(), &self.contested.stopped) {
            self.contested.stopped = Some(sign.into());
        }
        self.contested.stopped.is_some()
    }

    /// The candidates from this rank on that can be built on, the best-ranked last.
    fn open(&self, first: usize) -> Vec<usize> {
        (first..self.intents.len()).rev().filter(|rank| self.failures[*rank].is_some()).collect()
    }

    /// How many steps a candidate has.
    fn depth(&self, rank: usize) -> usize {
        self.origins[rank].sum.map_or(1, |sum| sum.steps.len())
    }

    /// The bound that keeps a candidate from being built on.
    fn bound(&self, rank: usize) -> Option<String> {
        let LayersTable { max_depth, max_validations, max_wall_s, .. } = self.table();
        if self.depth(rank) as u64 >= *max_depth {
            return Some(format!("`[layers] max_depth` is {max_depth}"));
        }
        if self.sums.room() == 0 {
            return Some(format!("`[layers] max_validations` is {max_validations}"));
        }
        self.until.is_over().then(|| format!("`[layers] max_wall_s` is {max_wall_s}"))
    }

    /// Says why nothing is built on a candidate.
    fn end_at(&mut self, rank: usize, reason: String) {
        self.contested.candidates[rank].tried.no_further = Some(self.applier.clean(&reason));
    }

    /// Asks for candidates that build on this one, and tries them.
    fn take_step(&mut self, rank: usize, next: &dyn NextStep, entry: &mut Entry) -> Result<(), ApplyFailure> {
        let step = self.depth(rank) + 1;
        let failure = self.failures[rank].clone().unwrap_or_default();
        let Some(commit) = self.contested.commits[rank].clone() else { return Ok(()) };
        self.note(&format!("step {step}: now fails with: {failure}"));
        let most = usize::try_from(self.table().max_candidates).unwrap_or(usize::MAX);
        let found = next.propose(&SoFar {
            step,
            commit: &commit,
            runs: &self.contested.candidates[rank].runs,
            sum: self.intents[rank].approved.changes(),
            parts: self.parts(rank),
            steps: self.steps(rank, next),
            tried: &self.intents,
            room: self.sums.room().min(most),
        });
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                // An interrupt, or the end of the session's time, ends a gene and a wait for a model too.
                if !self.is_stopped() {
                    self.applier.project.environment.sink.note(Note::Warning(&error.message));
                    self.end_at(rank, error.message);
                }
                return Ok(());
            }
        };
        if self.waits.is_none() {
            self.waits = found.waits;
        }
        let sums: Vec<&'a Sum> = found.sums.into_iter().filter_map(|sum| self.sums.put(sum)).collect();
        if sums.is_empty() {
            self.end_at(rank, found.reason.unwrap_or_default());
            return Ok(());
        }
        self.announce(rank, step, failure, &sums, entry)?;
        self.try_sums(rank, &sums);
        Ok(())
    }

    /// Says in the log and in the journal what is tried next. The log comes first: a cycle may end only with candidates that
    /// the log knows, and a crash ends it with those of the journal.
    fn announce(
        &self,
        on: usize,
        step: usize,
        failure: String,
        sums: &[&Sum],
        entry: &mut Entry,
    ) -> Result<(), ApplyFailure> {
        let ids: Vec<String> = sums.iter().map(|sum| sum.judged.proposal.id.clone()).collect();
        self.applier.append(&EntryBody::CycleContinued {
            cycle: self.ids.event(),
            step: step as u64,
            on: self.contested.candidates[on].tried.proposal.clone(),
            failure: self.applier.clean(&failure),
            candidates: ids.clone(),
        })?;
        entry.update(|operation| {
            if let Operation::Cycle { candidates, .. } = operation {
                candidates.extend(ids);
            }
        })?;
        Ok(())
    }

    fn try_sums(&mut self, on: usize, sums: &[&'a Sum]) {
        let first = self.intents.len();
        for &sum in sums {
            let Some(approved) = sum.judged.verdict.approved() else { continue };
            self.note(&format!("validating: {}", sum.judged.proposal.title));
            self.origins.push(Origin { on: Some(on), sum: Some(sum) });
            self.intents.push(Intent {
                proposal: &sum.judged.proposal,
                approved,
                diff: sum.judged.verdict.diff(),
                capsule: None,
                commands: &sum.commands,
                gene: sum.gene.as_ref(),
                steps: &sum.steps,
            });
        }
        let bases = std::mem::take(&mut self.contested.bases);
        let round = self.applier.contest(&self.intents[first..], &self.ids.at_rank(first), bases);
        let all = &mut self.contested;
        all.candidates.extend(round.candidates);
        all.commits.extend(round.commits);
        all.bases = round.bases;
        all.winner = round.winner.map(|(rank, begun)| (first + rank, begun));
        all.stopped = round.stopped;
        all.broken = all.broken.take().or(round.broken);
        self.look_for_failures();
        self.extend_origins();
    }

    /// Notes of the newest candidates after which failure they can be built on.
    fn look_for_failures(&mut self) {
        for rank in self.failures.len()..self.intents.len() {
            let candidate = &self.contested.candidates[rank];
            let earlier = self.origins[rank].on.map(|on| self.contested.candidates[on].runs.as_slice());
            let has_failed = candidate.tried.fate == Fate::Failed && candidate.evaluation.is_some();
            let failure = if has_failed { next_failure(&candidate.runs, earlier) } else { None };
            if let Some(last) = self.contested.candidates[rank].tried.steps.last_mut() {
                last.then_fails.clone_from(&failure);
            }
            self.failures.push(failure);
        }
    }

    /// If a sum holds, what it builds on is a part of it, and has not failed.
    fn extend_origins(&mut self) {
        let mut at = self.contested.winner.as_ref().and_then(|(rank, _)| self.origins[*rank].on);
        while let Some(rank) = at {
            let tried = &mut self.contested.candidates[rank].tried;
            tried.fate = Fate::Extended;
            tried.reason = format!("{}, and the repair that holds is built on it", tried.reason);
            at = self.origins[rank].on;
        }
    }

    fn parts(&self, rank: usize) -> Vec<&Proposal> {
        match self.origins[rank].sum {
            Some(sum) => sum.parts.iter().collect(),
            None => vec![self.intents[rank].proposal],
        }
    }

    fn steps(&self, rank: usize, next: &dyn NextStep) -> Vec<Step> {
        let known = &self.contested.candidates[rank].tried.steps;
        if !known.is_empty() {
            return known.clone();
        }
        let first = next.first(self.intents[rank].proposal);
        vec![Step { then_fails: self.failures[rank].clone(), ..first }]
    }

    fn note(&self, text: &str) {
        self.applier.project.environment.sink.note(Note::Step(text));
    }
}
