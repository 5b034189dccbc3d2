//! What an entry of the log may say. A written form: a kind or a member is added, never changed or removed.

use serde::{Deserialize, Serialize};

use crate::gate::BlastRadius;
use crate::policy::Phase;

/// What the gate said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateVerdict {
    /// Every layer passed.
    Pass,
    /// One did not.
    Reject,
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
    },
    /// The operator's intent, on disk before any effect (seed 003, "Safety Invariants").
    ApplyIntent {
        /// Id of the proposal.
        proposal: String,
        /// Who wants it: user and host, or the agent.
        operator: String,
        /// Full hexadecimal id of the base commit.
        base_commit: String,
        /// The branch that shall be published.
        branch: String,
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
    },
    /// It was not, and nothing of it is left.
    ApplyFailed {
        /// Id of the proposal.
        proposal: String,
        /// Why not.
        reason: String,
    },
    /// A published branch was taken back.
    RolledBack {
        /// Id of the proposal.
        proposal: String,
        /// Which branch.
        branch: String,
        /// Why.
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
    /// Something worth knowing that changes no state.
    Note {
        /// One line.
        text: String,
    },
}
