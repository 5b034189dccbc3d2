//! What an entry of the log may say. A written form: a kind or a member is added, never changed or removed.

use serde::{Deserialize, Serialize};

use crate::blast_radius::BlastRadius;
use crate::contest::Tried;
use crate::diagnosis::FindingRef;
use crate::impact::Impact;
use crate::model::NoOpKind;
use crate::policy::Phase;
use crate::validation::Level;

/// What the gate said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Every layer passed.
    Pass,
    /// One did not.
    Reject,
}

/// What a change has in one file: the beginnings of the SHA-256 over the content, absent where there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// Path from the project's root.
    pub path: String,
    /// Before the change.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// After it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

/// What one cycle of autopilot came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CycleOutcome {
    /// A branch was published.
    Published,
    /// Candidates were validated, and none holds.
    Failed,
    /// The gate refused every candidate.
    Refused,
    /// No gene had an answer.
    NoProposal,
    /// Every answer was known already: published, declined, waiting or failed on this base.
    Known,
    /// A candidate waits for a person.
    Waits,
    /// A candidate would undo an earlier one.
    Loop,
    /// The session's wall time, or what the model may cost, was used up before it came to an end.
    OutOfBudget,
}

impl CycleOutcome {
    /// The name in reports and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::NoProposal => "no_proposal",
            Self::Known => "known",
            Self::Waits => "waits",
            Self::Loop => "loop",
            Self::OutOfBudget => "out_of_budget",
        }
    }
}

/// One entry. `proposal` is the id of a proposal throughout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EntryBody {
    /// `gephost record` ran a command and kept it as `RunEvent`s.
    Recorded {
        /// The session that it became.
        session: String,
        /// How many events.
        events: u64,
        /// What pairs the events of the call.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call_id: Option<String>,
        /// The command's words, so that it can be run again; absent where something in them was redacted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        argv: Option<Vec<String>>,
    },
    /// Agent logs were read.
    Observed {
        /// How many files.
        files: u64,
        /// How many events.
        events: u64,
        /// The signals that were raised.
        signals: Vec<String>,
    },
    /// A gene made a proposal.
    Proposed {
        /// Id of the proposal.
        proposal: String,
        /// Id of the gene; absent for one that a person brought.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        gene: Option<String>,
        /// Its title, one line.
        title: String,
        /// The signals it answers.
        signals: Vec<String>,
        /// Under what the gene ran: `thread`, or `process` with what confined it. Absent where no gene did.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        isolation: Option<String>,
    },
    /// The gate judged it.
    Gated {
        /// Id of the proposal.
        proposal: String,
        /// What the gate said.
        verdict: GateVerdict,
        /// Why not; empty for a pass.
        reasons: Vec<String>,
        /// The computed risk, 0 to 100.
        risk_score: u8,
        /// The files of the parsed patch.
        files: Vec<String>,
        /// The same with what is in them before and after, where it passed.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        contents: Vec<Contents>,
    },
    /// The operator's intent, on disk before any effect (seed 003, "Safety Invariants").
    ApplyIntent {
        /// Id of the proposal.
        proposal: String,
        /// Who wants it: `user@host`.
        operator: String,
        /// The agent in whose name the person's account acts, where one said so.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        agent: Option<String>,
        /// Why, in the operator's words, where there are any.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        why: Option<String>,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The branch that shall be published.
        branch: String,
        /// Who approved it, where it had to wait for a person.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        approver: Option<String>,
        /// The files that shall change.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        files: Vec<String>,
    },
    /// The validation commands ran.
    ValidationFinished {
        /// Id of the proposal.
        proposal: String,
        /// Id of the validation report.
        report: String,
        /// The verdict's name ([`crate::evaluate::Decision::as_str`]).
        decision: String,
        /// Whether the change holds.
        success: bool,
        /// How far the commands were confined.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        sandbox: Option<Level>,
    },
    /// The branch was published.
    Applied {
        /// Id of the proposal.
        proposal: String,
        /// The branch.
        branch: String,
        /// Full hexadecimal id of its commit.
        commit: String,
        /// How far the change reaches.
        blast_radius: BlastRadius,
        /// Id of the evolution event that tells of it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        event: Option<String>,
        /// Id of the capsule that it left.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        capsule: Option<String>,
        /// Id of the gene, where the assets did not hold it before.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        gene_added: Option<String>,
    },
    /// The operator's intent to move the checked-out branch forward to a published commit, on disk before any effect.
    LandIntent {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The branch that shall move.
        into: String,
        /// Full hexadecimal id of the commit where it is.
        from: String,
        /// Full hexadecimal id of the commit where it shall be.
        to: String,
    },
    /// The checked-out branch was moved forward to the published commit.
    Landed {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The branch that moved.
        into: String,
        /// Full hexadecimal id of the commit where it was.
        from: String,
        /// Full hexadecimal id of the commit where it is.
        to: String,
    },
    /// It was not; the published branch stands as before.
    LandFailed {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// Why not.
        reason: String,
    },
    /// It was not, and nothing of it is left.
    ApplyFailed {
        /// Id of the proposal.
        proposal: String,
        /// Why not.
        reason: String,
    },
    /// The operator's intent to take a published change back, on disk before any effect.
    RollbackIntent {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// Who wants it: `user@host`.
        operator: String,
        /// The agent in whose name the person's account acts, where one said so.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        agent: Option<String>,
        /// Why.
        reason: String,
        /// The branch for the commit that undoes a landed change; absent where the published branch is dropped.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_branch: Option<String>,
        /// The branch that shall be moved forward to that commit, where that is wanted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        land_into: Option<String>,
    },
    /// A published change was taken back.
    RolledBack {
        /// Id of the proposal.
        proposal: String,
        /// Which branch.
        branch: String,
        /// Why.
        reason: String,
        /// The branch of the commit that undoes it, where it had landed; the published branch stays then.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_branch: Option<String>,
        /// Full hexadecimal id of that commit.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_commit: Option<String>,
        /// The branch that was moved forward to that commit.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        landed_into: Option<String>,
    },
    /// It was not, and the published change stands as before.
    RollbackFailed {
        /// Id of the proposal.
        proposal: String,
        /// Which branch.
        branch: String,
        /// Why not.
        reason: String,
    },
    /// A person let the policy move to its next phase (seed 004 section 10).
    PolicyPromoted {
        /// The phase before.
        from: Phase,
        /// The phase after.
        to: Phase,
        /// Who decided so, and vouches that the earlier proposals were reviewed.
        by: String,
        /// Why.
        why: String,
    },
    /// A cycle begins to try its candidates.
    CycleStarted {
        /// Its id, which is that of the `EvolutionEvent` that it ends in.
        cycle: String,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// What is to be mended; absent for a proposal that a person brought.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        finding: Option<FindingRef>,
        /// Ids of the proposals that passed the gate, best first.
        candidates: Vec<String>,
    },
    /// A cycle came to its end.
    CycleEnded {
        /// Its id.
        cycle: String,
        /// The proposal that was published.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        winner: Option<String>,
        /// What became of each candidate, best first.
        candidates: Vec<Tried>,
    },
    /// A proposal passed the gate and waits for a person, since its risk is above what autopilot may apply.
    Queued {
        /// Id of the proposal.
        proposal: String,
        /// The computed risk, 0 to 100.
        risk_score: u8,
        /// The highest that is applied without a person.
        max_risk: u8,
        /// What is to be mended.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        finding: Option<FindingRef>,
        /// The calls that the finding rests on, of which those that the operator recorded are run to validate it.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        calls: Vec<String>,
    },
    /// A person let a waiting proposal be applied.
    Approved {
        /// Id of the proposal.
        proposal: String,
        /// Who.
        approver: String,
    },
    /// A person said no to a waiting proposal.
    Declined {
        /// Id of the proposal.
        proposal: String,
        /// Who.
        approver: String,
        /// Why.
        why: String,
    },
    /// Autopilot began, or went on with a session that a crash had ended.
    AutopilotStarted {
        /// Who wants it.
        operator: String,
        /// The most cycles of the session.
        max_cycles: u64,
        /// The highest risk that is applied without a person.
        max_risk: u8,
        /// Whether it goes on.
        resumed: bool,
    },
    /// Autopilot took a finding in hand; on disk before it does anything about it.
    AutopilotTook {
        /// Which.
        finding: FindingRef,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The time of the finding's newest evidence (RFC 3339), where the log that it stands in has times.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        evidence_until: Option<String>,
    },
    /// What came of that.
    AutopilotLeft {
        /// Which finding.
        finding: FindingRef,
        /// What came of it.
        outcome: CycleOutcome,
        /// Why, for a person; one line.
        reason: String,
    },
    /// Autopilot ended of its own accord.
    AutopilotStopped {
        /// Why.
        reason: String,
        /// How many cycles the session had.
        cycles: u64,
    },
    /// What a published change did to its finding, as far as can be told by now.
    Evaluated {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// What it did.
        impact: Impact,
    },
    /// A model was asked about findings, and came to no candidate.
    ModelNoOp {
        /// Who was asked: `model:` and the model's name.
        model: String,
        /// Which kind of reason.
        no_op: NoOpKind,
        /// The reason, for a person; one line.
        reason: String,
        /// Name of what was asked and answered, where that is kept.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exchange: Option<String>,
    },
    /// Something worth knowing that changes no state.
    Note {
        /// One line.
        text: String,
    },
}

impl EntryBody {
    /// Whether it may follow anything and changes no state: a report of what happened.
    pub fn is_report(&self) -> bool {
        matches!(
            self,
            Self::Recorded { .. }
                | Self::Observed { .. }
                | Self::PolicyPromoted { .. }
                | Self::ModelNoOp { .. }
                | Self::Note { .. }
        )
    }
}
