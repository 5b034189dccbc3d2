//! Stages select, propose and gate: asks the best gene first, and judges every candidate that it gives.

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::evaluate::success_streak;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gate::{Decision, GeneHistory, PATH_NOT_ALLOWED, ParsedChange, Severity, Verdict, review};
use gephost_core::gene::{Category, Manifest};
use gephost_core::grant::ForbiddenPathError;
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;
use gephost_core::run_event::RunEvent;
use gephost_core::select::{How, Proven, Selection, Tried, Wrong, not_asked, select};
use gephost_core::signal::pattern_matches;
use gephost_runner::checkout::MAX_BLOB_BYTES;
use gephost_runner::recording::Taken;
use gephost_runner::sandbox::{Attempt, AttemptOutcome, Gene, LogLevel, LogLine};
use gephost_runner::worktree::{BaseTree, ReadError};

use super::stage::{Diagnosed, Stage};
use crate::gene_call::GeneCall;

/// A candidate and the gate's word on it.
#[derive(Debug)]
pub struct Judged {
    /// What the gene proposed.
    pub proposal: Proposal,
    /// What the gate said.
    pub verdict: Verdict,
    /// The recorded calls that its finding rests on: their commands validate it.
    pub calls: Vec<String>,
}

/// What the selected genes proposed.
#[derive(Debug)]
pub struct Proposed {
    /// Who was asked, and why.
    pub selection: Selection,
    /// Candidates of the first gene that had any, in its order.
    pub candidates: Vec<Judged>,
    /// The calls.
    pub calls: Vec<GeneCall>,
}

impl Stage<'_> {
    /// Ranks the strategy genes for a diagnosis, of these events. Without a finding that it may be asked about, a gene is
    /// not asked: there is nothing to repair.
    pub fn select(&self, diagnosed: &Diagnosed, events: &[RunEvent]) -> Selection {
        let findings = &diagnosed.diagnosis.findings;
        let not_asked = not_asked(&self.past.wrong, findings, events, self.asked);
        let may_ask = |gene: &str| not_asked.iter().filter(|no| no.gene == gene).count() < findings.len();
        let strategies = self.genes.iter().map(Gene::manifest).filter(|manifest| manifest.world.proposes());
        let genes: Vec<Manifest> = strategies.filter(|manifest| may_ask(&manifest.gene.id)).cloned().collect();
        let proven = self
            .past
            .capsules
            .iter()
            .map(|capsule| Proven { capsule, streak: success_streak(&capsule.id, &self.past.events) });
        let tried = self.past.events.iter().flat_map(tried).chain(self.past.wrong.iter().filter_map(failed_again));
        let (proven, tried) = (proven.collect::<Vec<_>>(), tried.collect::<Vec<_>>());
        select(&diagnosed.diagnosis.signals, &genes, &proven, &tried, self.inputs.now, pattern_matches)
            .without(not_asked)
    }

    /// Asks the ranked genes until one has candidates, and gates each of those against the base, by the policy narrowed
    /// to what the gene may change.
    pub fn propose(
        &self,
        base: &BaseTree,
        diagnosed: &Diagnosed,
        selection: Selection,
    ) -> Result<Proposed, ProposeError> {
        let mut calls = Vec::new();
        let mut candidates = Vec::new();
        for ranked in &selection.ranked {
            let Some(gene) = self.genes.iter().find(|gene| gene.id() == ranked.gene) else { continue };
            let terms = self.terms(gene);
            let policy = terms.grant.narrow(&self.config.policy, &gene.manifest().gene.constraints)?;
            let mut diagnosis = diagnosed.diagnosis.clone();
            diagnosis.findings.retain(|finding| selection.asks(gene.id(), &finding.id));
            let call = gene.propose(&diagnosis, &terms.inputs, &terms.granted, &terms.budgets);
            let taken = Taken::proposals(gene, terms.made(), &diagnosis, &call).ok();
            calls.push(GeneCall::new(gene, "propose", &call, &terms.budgets, taken));
            for proposal in call.result.unwrap_or_default() {
                let calls = self.recorded_calls(&diagnosis, &proposal);
                candidates.push(self.judge(base, &policy, proposal, calls)?);
            }
            // Who asked for nothing in particular is not refused an improvement that the policy has no room for.
            let is_offer = gene.manifest().gene.category != Category::Repair && selection.ranked.len() > 1;
            if is_offer && candidates.iter().all(is_outside_of_the_policy) {
                let notes: Vec<LogLine> = candidates.drain(..).map(|judged| not_allowed(&judged)).collect();
                if let Some(call) = calls.last_mut() {
                    call.log.extend(notes);
                }
            }
            if !candidates.is_empty() || calls.last().is_some_and(|call| call.failure.is_some()) {
                break;
            }
        }
        Ok(Proposed { selection, candidates, calls })
    }

    pub(super) fn judge(
        &self,
        base: &BaseTree,
        policy: &Policy,
        proposal: Proposal,
        calls: Vec<String>,
    ) -> Result<Judged, ReadError> {
        let history = gene_history(proposal.gene.as_deref(), &self.inputs.history);
        let candidate = ParsedChange::read(proposal).recorded(!calls.is_empty());
        let snapshot = base.snapshot(&candidate.base_paths(), MAX_BLOB_BYTES)?;
        let edited = self.source.uncommitted(&candidate, &snapshot);
        let verdict = review(&candidate, &snapshot, policy, history).with_uncommitted(&edited);
        Ok(Judged { proposal: candidate.proposal().clone(), verdict, calls })
    }

    /// The recorded calls that the finding of a proposal rests on.
    pub(super) fn recorded_calls(&self, diagnosis: &Diagnosis, proposal: &Proposal) -> Vec<String> {
        let finding = answered(diagnosis, proposal.diagnosis_ref.as_deref());
        let events = finding.into_iter().flat_map(|finding| &finding.evidence);
        let mut calls: Vec<String> =
            events.filter_map(|evidence| self.recorded.get(&evidence.event)).cloned().collect();
        calls.sort();
        calls.dedup();
        calls
    }
}

/// Whether the gate only says that the policy does not allow the paths.
fn is_outside_of_the_policy(judged: &Judged) -> bool {
    let mut refusals =
        judged.verdict.violations().filter(|violation| violation.severity == Severity::Reject).peekable();
    refusals.peek().is_some() && refusals.all(|violation| violation.rule == PATH_NOT_ALLOWED)
}

fn not_allowed(judged: &Judged) -> LogLine {
    let paths: Vec<&str> = judged.verdict.violations().filter_map(|violation| violation.path.as_deref()).collect();
    let message = format!(
        "it would propose {:?}, but `[policy] allow` does not name {}",
        judged.proposal.title,
        paths.join(", ")
    );
    LogLine { level: LogLevel::Info, message }
}

/// Why the genes' proposals cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// The base cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A gene forbids itself what cannot be enforced.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenPathError),
}

/// The finding that a proposal answers: the only one, since nothing else was asked about, or the one that it names.
pub(crate) fn answered<'a>(diagnosis: &'a Diagnosis, named: Option<&str>) -> Option<&'a Finding> {
    match diagnosis.findings.as_slice() {
        [only] => Some(only),
        findings => findings.iter().find(|finding| Some(finding.id.as_str()) == named),
    }
}

/// Puts one proposal through the gate, against a commit. `is_recorded` says whether a recorded command validates it.
pub fn gate(
    proposal: Proposal,
    base: &BaseTree,
    policy: &Policy,
    history: GeneHistory,
    is_recorded: bool,
) -> Result<Verdict, ReadError> {
    let candidate = ParsedChange::read(proposal).recorded(is_recorded);
    let snapshot = base.snapshot(&candidate.base_paths(), MAX_BLOB_BYTES)?;
    Ok(review(&candidate, &snapshot, policy, history))
}

/// What a gene's earlier tries came to.
pub fn gene_history(gene: Option<&str>, history: &[Attempt]) -> GeneHistory {
    let own = history.iter().filter(|attempt| Some(attempt.gene.as_str()) == gene);
    own.fold(GeneHistory::default(), |mut sum, attempt| {
        sum.tries += 1;
        sum.successes += u32::from(attempt.outcome == AttemptOutcome::Success);
        sum
    })
}

/// What selection learns from an event: one line for each gene that it used.
fn tried(event: &EvolutionEvent) -> impl Iterator<Item = Tried> {
    event.genes_used.iter().map(|gene| Tried {
        gene: gene.clone(),
        signals: event.signals.clone(),
        success: event.outcome.is_success(),
        at: event.at,
    })
}

/// What selection learns from a published change whose finding failed again. Every other false repair has an event.
fn failed_again(wrong: &Wrong) -> Option<Tried> {
    (wrong.how == How::FailedAgain).then(|| Tried {
        gene: wrong.gene.clone(),
        signals: wrong.finding.signals.clone(),
        success: false,
        at: Some(wrong.at),
    })
}

impl Proposed {
    /// Under what the gene of the candidates ran.
    pub fn isolation(&self) -> Option<&str> {
        // Nobody is asked after a gene that had candidates.
        self.calls.last().map(|call| call.isolation.as_str())
    }

    /// The first candidate that passed the gate.
    pub fn passed(&self) -> Option<&Judged> {
        self.candidates.iter().find(|judged| judged.verdict.decision() == Decision::Pass)
    }
}
