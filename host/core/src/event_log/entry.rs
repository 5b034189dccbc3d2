//! The kinds of log entries, as written on disk. A new version may add kinds and members, but never change or remove
//! one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blast_radius::BlastRadius;
use crate::command::RecordedRun;
use crate::contest::Tried;
use crate::diagnosis::FindingRef;
use crate::impact::Impact;
use crate::model::NoOpKind;
use crate::policy::Phase;
use crate::validation::Level;

/// Whether the gate passed a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Every layer ran and passed.
    Pass,
    /// At least one layer did not pass.
    Reject,
}

/// The content of one file before and after a change: the first half of each SHA-256, absent if there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// Path from the project's root.
    pub path: String,
    /// Of the file before the change; absent if the change adds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// Of the file after the change; absent if the change deletes it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
}

/// The outcome of one cycle of autopilot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CycleOutcome {
    /// A branch was published.
    Published,
    /// Candidates were validated, and none held.
    Failed,
    /// The gate refused every candidate.
    Refused,
    /// No gene made a proposal.
    NoProposal,
    /// Every proposal was known already: published, declined, waiting or failed on this base.
    Known,
    /// A candidate awaits approval.
    Waits,
    /// A candidate would undo an earlier one.
    Loop,
    /// The session's wall time or the model's budget was used up before the cycle ended.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EntryBody {
    /// `gephost record` ran a command and stored it as `RunEvent`s.
    Recorded {
        /// The session of those events.
        session: String,
        /// How many events.
        events: u64,
        /// The call id of those events.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call_id: Option<String>,
        /// The command's words, so that gephost can run it again; absent if something in them was redacted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        argv: Option<Vec<String>>,
        /// How it ended, and where it ran.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        run: Option<RecordedRun>,
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
        /// Id of the gene; absent for a person's own proposal.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        gene: Option<String>,
        /// Its title, one line.
        title: String,
        /// The signals it answers.
        signals: Vec<String>,
        /// The gene's isolation: `thread`, or `process` with what confined it. Absent if no gene ran.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        isolation: Option<String>,
        /// The recorded calls that its finding rests on: their commands validate it.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        calls: Vec<String>,
        /// Whether a dry run made it: it was shown and saved, and not tried.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        dry_run: bool,
    },
    /// The gate judged a proposal.
    Gated {
        /// Id of the proposal.
        proposal: String,
        /// The gate's decision.
        verdict: GateVerdict,
        /// The reasons of a reject; empty for a pass.
        reasons: Vec<String>,
        /// The computed risk, 0 to 100.
        risk_score: u8,
        /// The files of the parsed patch.
        files: Vec<String>,
        /// Their contents before and after; empty for a reject.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        contents: Vec<Contents>,
    },
    /// The operator's intent to apply a proposal, on disk before any effect (seed 003, "Safety Invariants").
    ApplyIntent {
        /// Id of the proposal.
        proposal: String,
        /// The operator: `user@host`.
        operator: String,
        /// The agent that acts with the person's account, if it named itself.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        agent: Option<String>,
        /// The reason, if the operator gave one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        why: Option<String>,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The branch to publish.
        branch: String,
        /// Who approved it, if it had to wait for approval.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        approver: Option<String>,
        /// The files to change.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        files: Vec<String>,
    },
    /// The validation of a proposal ended.
    ValidationFinished {
        /// Id of the proposal.
        proposal: String,
        /// Id of the validation report.
        report: String,
        /// The verdict's name ([`crate::evaluate::Decision::as_str`]).
        decision: String,
        /// Whether the validation succeeded.
        success: bool,
        /// How far the commands were confined.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        sandbox: Option<Level>,
    },
    /// The branch was published.
    Applied {
        /// Id of the proposal.
        proposal: String,
        /// The branch that was published, below `evo/`.
        branch: String,
        /// Full hexadecimal id of its commit.
        commit: String,
        /// The size of the change.
        blast_radius: BlastRadius,
        /// Id of its evolution event.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        event: Option<String>,
        /// Id of the capsule that it made.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        capsule: Option<String>,
        /// Asset id of that capsule: what its file is believed by later.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        capsule_asset: Option<String>,
        /// Id of the capsule whose change it made again, instead of a new capsule.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reused: Option<String>,
        /// Id of the gene, if the apply added it to the assets.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        gene_added: Option<String>,
    },
    /// The operator's intent to move the checked-out branch forward to a published commit, on disk before any effect.
    LandIntent {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The branch to move.
        into: String,
        /// Full hexadecimal id of the commit where it is.
        from: String,
        /// Full hexadecimal id of the commit to move it to.
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
    /// The checked-out branch did not move; the published branch stays.
    LandFailed {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The reason.
        reason: String,
    },
    /// The apply failed and left nothing behind.
    ApplyFailed {
        /// Id of the proposal.
        proposal: String,
        /// The reason.
        reason: String,
    },
    /// The operator's intent to roll back a published change, on disk before any effect.
    RollbackIntent {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The operator: `user@host`.
        operator: String,
        /// The agent that acts with the person's account, if it named itself.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        agent: Option<String>,
        /// Why.
        reason: String,
        /// The branch for the commit that undoes a landed change; absent if the published branch is deleted instead.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_branch: Option<String>,
        /// The branch to move forward to that commit, if requested.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        land_into: Option<String>,
    },
    /// A published change was rolled back.
    RolledBack {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// Why.
        reason: String,
        /// The branch of the commit that undoes a landed change; the published branch stays then.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_branch: Option<String>,
        /// Full hexadecimal id of that commit.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        revert_commit: Option<String>,
        /// The branch that was moved forward to that commit.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        landed_into: Option<String>,
    },
    /// The rollback failed; the published change stays.
    RollbackFailed {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// The reason.
        reason: String,
    },
    /// A person moved the policy to its next phase (seed 004 section 10).
    PolicyPromoted {
        /// The phase that was left.
        from: Phase,
        /// The phase that counts from now on.
        to: Phase,
        /// Who decided it, and vouches that people reviewed the earlier proposals.
        by: String,
        /// Why.
        why: String,
    },
    /// A cycle started to try its candidates.
    CycleStarted {
        /// Its id, which is also the id of its `EvolutionEvent`.
        cycle: String,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The finding to fix; absent for a person's own proposal.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        finding: Option<FindingRef>,
        /// Ids of the proposals that passed the gate, best first.
        candidates: Vec<String>,
    },
    /// A cycle goes on: a change fixed one failure, another one shows, and candidates are tried that build on the
    /// change.
    CycleContinued {
        /// Its id.
        cycle: String,
        /// Which step the candidates add, from 2.
        step: u64,
        /// Id of the candidate that they build on.
        on: String,
        /// The line of output that names the failure which shows after that candidate.
        failure: String,
        /// Ids of the proposals that passed the gate, best first. Each is the whole repair so far, as one change.
        candidates: Vec<String>,
    },
    /// A cycle ended: every candidate has a fate, and at most one was published.
    CycleEnded {
        /// Its id.
        cycle: String,
        /// The proposal that was published.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        winner: Option<String>,
        /// The outcome of each candidate, best first.
        candidates: Vec<Tried>,
    },
    /// A proposal passed the gate and awaits approval, because its risk is above what autopilot may apply.
    Queued {
        /// Id of the proposal.
        proposal: String,
        /// The computed risk, 0 to 100.
        risk_score: u8,
        /// The highest risk that autopilot applies.
        max_risk: u8,
        /// The finding to fix.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        finding: Option<FindingRef>,
        /// The calls that the finding rests on. The operator's recorded calls among them validate the change.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        calls: Vec<String>,
    },
    /// A person approved a queued proposal.
    Approved {
        /// Id of the proposal.
        proposal: String,
        /// The name of who decided: one line of at most 200 bytes.
        approver: String,
    },
    /// A person declined a queued proposal.
    Declined {
        /// Id of the proposal.
        proposal: String,
        /// The name of who decided: one line of at most 200 bytes.
        approver: String,
        /// Why.
        why: String,
    },
    /// Autopilot started a session, or resumed one after a crash.
    AutopilotStarted {
        /// Who started the session: `user@host`.
        operator: String,
        /// The most cycles of the session.
        max_cycles: u64,
        /// The highest risk that autopilot applies.
        max_risk: u8,
        /// Whether it resumes a session.
        resumed: bool,
    },
    /// Autopilot took a finding. The entry is on disk before autopilot does anything about it.
    AutopilotTook {
        /// The finding.
        finding: FindingRef,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The time of the finding's newest evidence (RFC 3339), if its log has times.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        evidence_until: Option<String>,
    },
    /// Autopilot ended its work on a finding.
    AutopilotLeft {
        /// The finding.
        finding: FindingRef,
        /// What became of the finding.
        outcome: CycleOutcome,
        /// The reason, as one line for people.
        reason: String,
    },
    /// Autopilot ended a session by itself.
    AutopilotStopped {
        /// Why.
        reason: String,
        /// The number of cycles in the session.
        cycles: u64,
    },
    /// The impact of a published change on its finding, as far as it is known by now.
    Evaluated {
        /// Id of the proposal.
        proposal: String,
        /// The published branch.
        branch: String,
        /// How often the finding came before and after the change, and what follows from that.
        impact: Impact,
    },
    /// A model was asked about findings and made no candidate.
    ModelNoOp {
        /// The model: `model:` and its name.
        model: String,
        /// The kind of reason.
        no_op: NoOpKind,
        /// The reason, as one line for people.
        reason: String,
        /// Name of the stored exchange with the model, if it is stored.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exchange: Option<String>,
    },
    /// A note that changes no state.
    Note {
        /// What a person or gephost notes, as one line.
        text: String,
    },
}

impl EntryBody {
    /// Whether it only reports something: it changes no state and may follow any entry.
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
