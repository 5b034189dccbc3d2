//! The candidates of a cycle: what they are before they are tried, and what became of them.

use gephost_core::blast_radius::BlastRadius;
use gephost_core::command::ValidationCommand;
use gephost_core::contest::Step;
use gephost_core::evaluate::Evaluation;
use gephost_core::event_log::{Fate, FindingRef, Tried};
use gephost_core::gate::Approved;
use gephost_core::gene::Gene as GeneAsset;
use gephost_core::proposal::Proposal;
use gephost_core::validation::{CommandRun, Level};
use gephost_runner::worktree::{Committed, Published};

use crate::land::Landed;
use crate::stages::Judged;

/// One candidate, beside the approved change itself.
#[derive(Clone, Copy)]
pub struct Intent<'a> {
    /// The proposal that was approved.
    pub proposal: &'a Proposal,
    /// The paths that the gate approved, with the bytes before and after.
    pub approved: &'a Approved,
    /// The change as a diff, as the gate printed it.
    pub diff: &'a str,
    /// Id of the capsule whose change it makes again; `None` for a change that makes a capsule of its own.
    pub capsule: Option<&'a str>,
    /// The commands that must hold: the operator's, then the proposal's.
    pub commands: &'a [ValidationCommand],
    /// The gene that proposed it, as an asset; absent for a proposal that a person brought. Of several steps, the gene
    /// that proposed the last one.
    pub gene: Option<&'a GeneAsset>,
    /// The steps that it is the sum of; empty for a change of one step.
    pub steps: &'a [Step],
}

/// What a cycle is about.
#[derive(Clone, Copy, Default)]
pub struct Subject<'a> {
    /// The finding to be fixed, redacted; absent for a proposal that a person brought.
    pub finding: Option<&'a FindingRef>,
    /// Signals that the candidates answer.
    pub signals: &'a [String],
    /// Under what the gene ran, as its call says; absent where none did.
    pub isolation: Option<&'a str>,
}

/// What became of a cycle.
#[derive(Debug)]
pub struct Ended {
    /// Id of the cycle and of its evolution event.
    pub cycle: String,
    /// What became of each candidate, best-ranked first.
    pub candidates: Vec<Candidate>,
    /// The branch, where a candidate held.
    pub published: Option<Published>,
    /// What became of the wish to land it, where there was one.
    pub landed: Option<Landed>,
    /// How far the validation commands were confined.
    pub sandbox: Level,
    /// The sum of several steps that may be tried only after an approval, if nothing was published.
    pub waits: Option<Box<Judged>>,
}

/// What became of one candidate.
#[derive(Debug)]
pub struct Candidate {
    /// Title of the proposal.
    pub title: String,
    /// How far the change reaches.
    pub blast_radius: BlastRadius,
    /// The computed risk, from 0 to 100.
    pub risk_score: u8,
    /// What became of it, and why.
    pub tried: Tried,
    /// What the commands showed; absent where they did not come to an end.
    pub evaluation: Option<Evaluation>,
    /// The runs of each command on base and change, in the order of the commands; empty if it was not validated.
    pub runs: Vec<CommandRun>,
    /// Id of the validation report.
    pub report: Option<String>,
}

impl Ended {
    /// The candidate that was published, else the best-ranked one that was validated.
    pub fn foremost(&self) -> Option<&Candidate> {
        let published = self.candidates.iter().find(|candidate| candidate.tried.fate == Fate::Published);
        published.or_else(|| self.candidates.iter().find(|candidate| candidate.evaluation.is_some()))
    }
}

/// A candidate whose commit is made.
pub(super) struct Begun<'a> {
    pub(super) intent: Intent<'a>,
    pub(super) committed: Committed,
    pub(super) branch: String,
}
