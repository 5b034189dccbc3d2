//! Applies a saved proposal: gated again against the base of now, validated and published.

use gephost_core::event_log::Contents;
use gephost_core::proposal::{Change, Proposal};
use gephost_runner::worktree;

use super::candidate::{Ended, Subject};
use super::candidates::Attempt;
use super::session::{ApplyOptions, ApplySession};
use crate::contents::contents;
use crate::error::{AppError, ErrorKind, printable};
use crate::past::assets_failed;
use crate::project::{Project, base};
use crate::sink::Note;
use crate::stages::{Judged, gate};

/// What became of a saved proposal.
#[derive(Debug)]
pub struct SavedApply {
    /// The proposal, with the gate's verdict on the base of now.
    pub judged: Judged,
    /// Whether it was refused, only judged, or tried.
    pub ending: SavedEnding,
}

/// How the apply of one saved proposal ended.
#[derive(Debug)]
pub enum SavedEnding {
    /// The gate rejected it. Nothing was changed.
    Refused,
    /// It passed the gate. Nothing was changed.
    DryRun,
    /// It was validated, and published if it held.
    Applied(Ended),
}

impl Project {
    /// Gates a proposal that somebody brought, and applies it if the locks are open.
    pub fn apply(&self, proposal: Proposal, options: &ApplyOptions) -> Result<SavedApply, AppError> {
        let repository = self.repository()?;
        let command = format!("apply {} --apply", proposal.id);
        let session = ApplySession::begin(self, &repository, options, &command)?;
        let judged = self.judge_saved(&repository, proposal)?;
        self.check_base(&judged)?;
        let ending = match session {
            _ if !judged.passes() => SavedEnding::Refused,
            None => SavedEnding::DryRun,
            Some(session) => {
                self.note_validation(&judged);
                self.remember(&[], std::slice::from_ref(&judged), None, false)?;
                let recorded = self.recorded_commands(&judged.calls)?;
                SavedEnding::Applied(self.apply_saved(&repository, &judged, &recorded, Subject::default(), &session)?)
            }
        };
        Ok(SavedApply { judged, ending })
    }

    /// The gate's verdict on a saved proposal, on the base of now.
    pub(crate) fn judge_saved(&self, repository: &worktree::Project, proposal: Proposal) -> Result<Judged, AppError> {
        let base = base(repository)?;
        let tried = self.past_of(|_| false)?.gene_history(proposal.gene.as_deref());
        let policy = self.config.grants.policy_for(&self.config.policy, proposal.gene.as_deref());
        let calls = self.calls_of_proposal(&proposal.id)?;
        let verdict = gate(proposal.clone(), &base, &policy, tried, !calls.is_empty())
            .map_err(|error| AppError::failed("repository", error))?;
        Ok(Judged { proposal, verdict, calls, worth: None, capsule: None })
    }

    /// Applies one proposal, with its gene as the assets have it.
    pub(crate) fn apply_saved(
        &self,
        repository: &worktree::Project,
        judged: &Judged,
        recorded: &[gephost_core::command::ValidationCommand],
        subject: Subject<'_>,
        session: &ApplySession,
    ) -> Result<Ended, AppError> {
        let known = |id: &String| self.registry.gene(id).map_err(|error| assets_failed(&error));
        let gene = judged.proposal.gene.as_ref().map(known).transpose()?.flatten();
        let gene = gene.as_ref();
        self.apply_attempts(repository, &[Attempt { judged, gene }], recorded, subject, session, None)
    }

    /// Notes that a candidate is validated now.
    pub(crate) fn note_validation(&self, judged: &Judged) {
        self.environment.sink.note(Note::Step(&format!("validating: {}", judged.proposal.title)));
    }

    /// Refuses a whole content, or a deletion, that was proposed for another state of its file: it would take back what
    /// was done to that since. A diff says itself what it is for.
    fn check_base(&self, judged: &Judged) -> Result<(), AppError> {
        let state = self.log_state()?;
        let (Some(known), Some(approved)) = (state.proposal(&judged.proposal.id), judged.verdict.approved()) else {
            return Ok(());
        };
        let now = contents(approved);
        let moved = judged.proposal.changes.iter().find_map(|change| {
            let (Change::NewContent { path, .. } | Change::Delete { path }) = change else { return None };
            let of =
                |contents: &[Contents]| contents.iter().find(|one| one.path == *path).map(|one| one.before.clone());
            let then = of(&known.contents)?;
            (of(&now) != Some(then)).then_some(path)
        });
        let Some(path) = moved else { return Ok(()) };
        let message = format!(
            "proposal {} has the whole content of {}, which changed since it was proposed: it would take that back",
            judged.proposal.id,
            printable(path)
        );
        Err(AppError::new(ErrorKind::Conflict, "stale_base", message).hint("to get a new proposal: gephost run"))
    }
}
