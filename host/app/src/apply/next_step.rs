//! What a repair of several layers asks for at each step, and what it gets.

use gephost_core::command::ValidationCommand;
use gephost_core::contest::Step;
use gephost_core::gate::ApprovedChange;
use gephost_core::gene::Gene as GeneAsset;
use gephost_core::proposal::Proposal;
use gephost_core::validation::CommandRun;

use super::candidate::Intent;
use crate::error::AppError;
use crate::stages::Judged;

/// Proposes the next step of a repair.
pub(crate) trait NextStep {
    /// The first step of a repair, as it was proposed.
    fn first(&self, proposal: &Proposal) -> Step;

    /// The candidates for a further step. Nothing changes, except that the log says what was proposed.
    fn propose(&self, so_far: &SoFar<'_>) -> Result<Found, AppError>;
}

/// A repair as far as it came, and the failure that shows after it.
pub(crate) struct SoFar<'s> {
    /// Which step is asked for, from 2.
    pub(crate) step: usize,
    /// The commit of the repair so far, in memory.
    pub(crate) commit: &'s str,
    /// The runs of the commands on the base and on that commit.
    pub(crate) runs: &'s [CommandRun],
    /// The repair so far, as one change of the base.
    pub(crate) sum: &'s [ApprovedChange],
    /// The proposals of its steps.
    pub(crate) parts: Vec<&'s Proposal>,
    pub(crate) steps: Vec<Step>,
    /// Everything that was tried in this cycle.
    pub(crate) tried: &'s [Intent<'s>],
    /// How many candidates are wanted at most.
    pub(crate) room: usize,
}

/// What a further step may be.
#[derive(Default)]
pub(crate) struct Found {
    /// The candidates, best first.
    pub(crate) sums: Vec<Sum>,
    /// Why there is none, or why one was left out.
    pub(crate) reason: Option<String>,
    /// The best one that may be tried only after an approval.
    pub(crate) waits: Option<Box<Judged>>,
}

/// A candidate for a further step: the whole repair with that step, as one change of the base that passed the gate.
pub(crate) struct Sum {
    /// The whole repair.
    pub(crate) judged: Judged,
    /// The proposals of its steps.
    pub(crate) parts: Vec<Proposal>,
    pub(crate) steps: Vec<Step>,
    /// The gene that proposed the last step, as an asset.
    pub(crate) gene: Option<GeneAsset>,
    /// What validates it.
    pub(crate) commands: Vec<ValidationCommand>,
}
