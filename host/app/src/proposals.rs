//! Saved proposals, and what the log says of them. Neither is an apply.

use std::path::PathBuf;

use gephost_core::diagnosis::Finding;
use gephost_core::event_log::{Entry, EntryBody, FindingRef, GateVerdict, State};
use gephost_core::gate::{Approved, Decision};
use gephost_core::proposal::{GateStatus, ProposalDocument, Status};
use gephost_runner::place::Place;

use crate::contents::contents;
use crate::error::AppError;
use crate::project::Project;
use crate::stages::Judged;

impl Judged {
    /// Whether the gate passed it.
    pub fn passes(&self) -> bool {
        self.verdict.decision() == Decision::Pass
    }

    /// The proposal as it is saved: one JSON object.
    pub fn saved(&self) -> String {
        self.proposal.to_json(&self.status())
    }

    /// The same as a value.
    pub fn document(&self) -> ProposalDocument<'_> {
        self.proposal.document(&self.status())
    }

    fn status(&self) -> Status {
        let gate = if self.passes() { GateStatus::Passed } else { GateStatus::Rejected };
        let risk_score = Some(self.verdict.risk().score);
        Status { risk_score, gate, ..Status::default() }
    }
}

impl Project {
    /// Where a proposal is saved.
    pub fn proposal_file(&self, id: &str) -> PathBuf {
        self.saved_proposal(id).path()
    }

    /// The same as a place.
    pub(crate) fn saved_proposal(&self, id: &str) -> Place {
        self.state.proposals().join(format!("{id}.json"))
    }

    /// Saves each candidate that passed, and logs what the gate said of each. `isolation` is where their gene ran. A dry
    /// run logs nothing that the log says already, so that looking twice counts once.
    pub(crate) fn remember(
        &self,
        signals: &[String],
        candidates: &[Judged],
        isolation: Option<&str>,
        is_dry: bool,
    ) -> Result<(), AppError> {
        self.create_state()?;
        let folder = self.state.proposals();
        folder.create().map_err(|error| AppError::io(&folder.path(), "create", &error))?;
        let state = self.log_state()?;
        let mut entries = Vec::new();
        // A proposal that another gephost applies at this moment is left alone: a dry run beside that has nothing to add.
        for judged in candidates.iter().filter(|judged| !is_in_flight(&state, &judged.proposal.id)) {
            if judged.passes() {
                let file = self.saved_proposal(&judged.proposal.id);
                let text = judged.saved() + "\n";
                file.write(text.as_bytes()).map_err(|error| AppError::io(&file.path(), "write", &error))?;
            }
            let judged = self.judged_entries(signals, judged, isolation, is_dry);
            if !is_dry || !says(&self.entries()?, &judged[1]) {
                entries.extend(judged);
            }
        }
        self.append_all(&entries)
    }

    fn judged_entries(
        &self,
        signals: &[String],
        judged: &Judged,
        isolation: Option<&str>,
        dry_run: bool,
    ) -> [EntryBody; 2] {
        let mut redactor = self.config.policy.redactor();
        let proposal = &judged.proposal;
        let approved = judged.verdict.approved();
        let proposed = EntryBody::Proposed {
            proposal: proposal.id.clone(),
            gene: proposal.gene.clone(),
            title: redactor.redact(&proposal.title).into_owned(),
            signals: signals.iter().map(|signal| redactor.redact(signal).into_owned()).collect(),
            isolation: isolation.map(str::to_owned),
            calls: judged.calls.clone(),
            dry_run,
        };
        let gated = EntryBody::Gated {
            proposal: proposal.id.clone(),
            verdict: if judged.passes() { GateVerdict::Pass } else { GateVerdict::Reject },
            reasons: judged.verdict.reasons().map(ToString::to_string).collect(),
            risk_score: judged.verdict.risk().score,
            files: approved.map(files).unwrap_or_default(),
            contents: approved.map(contents).unwrap_or_default(),
        };
        [proposed, gated]
    }

    /// Where the gene of a proposal that the log knows ran.
    pub(crate) fn isolation_of(&self, id: &str) -> Result<Option<String>, AppError> {
        Ok(self.entries()?.iter().rev().find_map(|entry| match &entry.body {
            EntryBody::Proposed { proposal, isolation, .. } if proposal == id => isolation.clone(),
            _ => None,
        }))
    }

    /// A finding for the log, redacted.
    pub(crate) fn reference(&self, finding: &Finding) -> FindingRef {
        let mut redactor = self.config.policy.redactor();
        FindingRef {
            gene: finding.gene.clone(),
            id: finding.id.clone(),
            title: redactor.redact(&finding.title).into_owned(),
            signals: finding.signals.iter().map(|signal| redactor.redact(signal).into_owned()).collect(),
        }
    }
}

fn is_in_flight(state: &State, proposal: &str) -> bool {
    state.proposal(proposal).is_some_and(|known| known.in_flight.is_some())
}

/// Whether the log's last verdict on a proposal is this one. The same id is the same content.
fn says(log: &[Entry], now: &EntryBody) -> bool {
    let EntryBody::Gated { proposal: id, .. } = now else { return false };
    let of_it = |body: &&EntryBody| matches!(body, EntryBody::Gated { proposal, .. } if proposal == id);
    log.iter().rev().map(|entry| &entry.body).find(of_it) == Some(now)
}

fn files(approved: &Approved) -> Vec<String> {
    approved.changes().iter().map(|change| change.path.to_string()).collect()
}
