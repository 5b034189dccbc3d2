//! The order of an apply: the contest, then the branch, the log, the assets, and the landing.

use gephost_core::event_log::{EntryBody, Fate};
use gephost_core::gene::Gene as GeneAsset;
use gephost_runner::event_log::LogError;
use gephost_runner::journal::{AssetDocuments, Entry, Landing, Operation, Publishing, Winner, with_branch};
use gephost_runner::worktree::{Published, publish};
use serde_json::{Map, Value};

use super::applier::Applier;
use super::candidate::{Begun, Candidate, Ended, Intent, Subject};
use super::failure::ApplyFailure;
use super::ids::Ids;
use super::layers::{RepairCourse, Sums};
use super::next_step::NextStep;
use crate::land::{self, Landed};

impl Applier<'_> {
    /// Tries the candidates, best first and side by side, and publishes the best-ranked one that holds. Whatever
    /// happens, the log says how each ended, now or after the next start.
    pub fn apply(&self, subject: Subject<'_>, intents: &[Intent<'_>]) -> Result<Ended, ApplyFailure> {
        self.apply_in_steps(subject, intents, None)
    }

    /// The same. If none holds, further steps are tried that build on those after which another failure shows.
    pub(super) fn apply_in_steps(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        next: Option<&dyn NextStep>,
    ) -> Result<Ended, ApplyFailure> {
        self.check_stops()?;
        self.project.registry.check_appends()?;
        let at = self.project.log.after_last(self.project.environment.now())?;
        let ids = Ids::new(at);
        let candidates = intents.iter().map(|intent| intent.approved.proposal_id().to_owned()).collect();
        let operation = Operation::Cycle { cycle: ids.event(), candidates, publishing: None };
        let mut entry = self.journal.begin(at, operation)?;
        match self.carry_out(subject, intents, &ids, next, &mut entry) {
            // An entry that cannot be removed is settled once more at the next start, to no effect.
            Ok(ended) => entry.end().map(|()| ended).map_err(ApplyFailure::from),
            Err(error) => Err(self.settle(entry, error)),
        }
    }

    fn settle(&self, entry: Entry, error: ApplyFailure) -> ApplyFailure {
        match self.project.settler(self.repository).settle(entry, &self.clean(&error.to_string())) {
            Ok(settled) if settled.published.is_none() => error,
            Ok(settled) => ApplyFailure::Settled { error: Box::new(error), settled },
            Err(also) => ApplyFailure::Unsettled { error: Box::new(error), also: Box::new(also) },
        }
    }

    fn carry_out(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        ids: &Ids,
        next: Option<&dyn NextStep>,
        entry: &mut Entry,
    ) -> Result<Ended, ApplyFailure> {
        let base_commit = intents.first().map(|intent| intent.approved.base_commit().to_owned()).unwrap_or_default();
        self.append(&EntryBody::CycleStarted {
            cycle: ids.event(),
            base_commit,
            finding: subject.finding.cloned(),
            candidates: intents.iter().map(|intent| intent.approved.proposal_id().to_owned()).collect(),
        })?;
        let sums = Sums::new(&self.project.config.file.layers);
        let mut course = RepairCourse::new(self, intents, ids, &sums);
        if let Some(next) = next {
            course.go_on(next, entry)?;
        }
        let RepairCourse { contested: contest, intents, waits, .. } = course;
        let mut candidates = contest.candidates;
        if let Some(stopped) = contest.stopped {
            self.end_cycle(ids, None, &candidates)?;
            return Err(stopped);
        }
        if let Some((rank, _)) = &contest.winner
            && let Some(winner) = candidates.get_mut(*rank)
        {
            winner.tried.fate = Fate::Published;
        }
        let (published, landed) = self.finish(subject, &intents, ids, &candidates, contest.winner, entry)?;
        if let Some(broken) = contest.broken
            && candidates.iter().all(|candidate| candidate.evaluation.is_none())
        {
            return Err(broken);
        }
        let waits = waits.filter(|_| published.is_none());
        Ok(Ended { cycle: ids.event(), candidates, published, landed, sandbox: self.tools.chosen.level, waits })
    }

    fn end_cycle(&self, ids: &Ids, winner: Option<&str>, candidates: &[Candidate]) -> Result<(), LogError> {
        self.append(&EntryBody::CycleEnded {
            cycle: ids.event(),
            winner: winner.map(str::to_owned),
            candidates: candidates.iter().map(|candidate| candidate.tried.clone()).collect(),
        })
    }

    /// Writes the plan into the journal, and carries it out: publishes the winner, and records all. What did not win is
    /// gone with this process.
    fn finish(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        ids: &Ids,
        candidates: &[Candidate],
        begun: Option<(usize, Begun<'_>)>,
        entry: &mut Entry,
    ) -> Result<(Option<Published>, Option<Landed>), ApplyFailure> {
        let assets = self.assets(subject, intents, ids, candidates)?;
        let winner = begun.as_ref().map(|(rank, begun)| self.winner(*rank, begun, ids, &assets)).transpose()?;
        let tried = candidates.iter().map(|candidate| candidate.tried.clone()).collect();
        let plan = Publishing { winner: winner.clone(), tried, assets: assets.clone() };
        entry.update(|operation| {
            if let Operation::Cycle { publishing, .. } = operation {
                *publishing = Some(Box::new(plan));
            }
        })?;
        let mut published = None;
        if let (Some((_, begun)), Some(winner)) = (&begun, &winner) {
            self.check_stops()?;
            let by = self.identity(self.project.environment.now())?;
            let made = publish(self.repository, &begun.committed, &begun.branch, &by, &entry.file().mark)?;
            self.append(&with_branch(&winner.applied, &made))?;
            published = Some(made);
        }
        self.end_cycle(ids, winner.as_ref().map(|winner| winner.proposal.as_str()), candidates)?;
        self.project.registry.put_documents(&assets)?;
        let landed = match (&winner, &published) {
            (Some(winner), Some(published)) if self.land => {
                Some(self.land_published(&winner.proposal, published, entry)?)
            }
            _ => None,
        };
        Ok((published, landed))
    }

    /// Moves the checked-out branch forward to what was published, if that touches nothing of the user's.
    fn land_published(&self, proposal: &str, published: &Published, entry: &mut Entry) -> Result<Landed, ApplyFailure> {
        let mark = entry.file().mark.clone();
        let planned = match self.check_stops() {
            Err(sign) => Err(sign.to_string()),
            Ok(()) => land::plan(self.repository, &published.commit, &mark).map_err(|error| error.to_string()),
        };
        let landing = match planned {
            Ok(landing) => landing,
            Err(reason) => return Ok(Landed::Not { reason }),
        };
        entry.update(|operation| {
            if let Operation::Cycle { publishing: Some(publishing), .. } = operation
                && let Some(winner) = &mut publishing.winner
            {
                winner.landing = Some(landing.clone());
            }
        })?;
        let Landing { into, from, to } = landing.clone();
        let (proposal, branch) = (proposal.to_owned(), published.branch.clone());
        self.append(&EntryBody::LandIntent {
            proposal: proposal.clone(),
            branch: branch.clone(),
            into: into.clone(),
            from: from.clone(),
            to: to.clone(),
        })?;
        let by = self.identity(self.project.environment.now())?;
        let landed = land::carry_out(self.repository, &landing, &by, &mark)?;
        self.append(&match &landed {
            Landed::Into(_) => EntryBody::Landed { proposal, branch, into, from, to },
            Landed::Not { reason } => EntryBody::LandFailed { proposal, branch, reason: self.clean(reason) },
        })?;
        Ok(landed)
    }

    fn winner(
        &self,
        rank: usize,
        begun: &Begun<'_>,
        ids: &Ids,
        assets: &AssetDocuments,
    ) -> Result<Winner, ApplyFailure> {
        let proposal = begun.intent.approved.proposal_id().to_owned();
        let known = self.project.registry.genes()?;
        let new = |gene: &&GeneAsset| known.iter().all(|known| known.id != gene.id);
        let capsule = begun.intent.capsule.is_none().then(|| ids.capsule(rank));
        let applied = EntryBody::Applied {
            proposal: proposal.clone(),
            branch: begun.branch.clone(),
            commit: begun.committed.commit().to_owned(),
            blast_radius: begun.intent.approved.blast_radius(),
            event: Some(ids.event()),
            capsule_asset: capsule.as_deref().and_then(|id| asset_id(assets, id)),
            capsule,
            reused: begun.intent.capsule.map(str::to_owned),
            gene_added: begun.intent.gene.filter(new).map(|gene| gene.id.clone()),
        };
        let commit = begun.committed.commit().to_owned();
        Ok(Winner { proposal, branch: begun.branch.clone(), commit, applied, landing: None })
    }
}

/// The asset id of a capsule that is about to be stored.
fn asset_id(assets: &AssetDocuments, id: &str) -> Option<String> {
    let text = |document: &Map<String, Value>, key: &str| document.get(key)?.as_str().map(str::to_owned);
    let capsule = assets.capsules.iter().find(|capsule| text(capsule, "id").as_deref() == Some(id))?;
    text(capsule, "asset_id")
}
