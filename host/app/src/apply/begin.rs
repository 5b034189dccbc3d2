//! The first effect of a candidate: its intent in the log, then its commit, which nothing names yet.

use std::collections::BTreeSet;

use gephost_core::event_log::EntryBody;
use gephost_runner::event_log::LogError;
use gephost_runner::worktree::{CommitMessage, Committed, apply, branch_name};
use jiff::Timestamp;

use super::applier::Applier;
use super::candidate::{Begun, Intent};
use super::failure::ApplyFailure;
use super::ids::Ids;

impl Applier<'_> {
    /// Logs the intent, and makes the commit in memory.
    pub(super) fn begin<'a>(&self, intent: Intent<'a>, ids: &Ids) -> Result<Begun<'a>, ApplyFailure> {
        self.check_stops()?;
        let at = self.project.environment.now();
        let operator = &self.project.environment.operator;
        let branch = branch_name(at, &intent.proposal.title);
        self.append(&EntryBody::ApplyIntent {
            proposal: intent.approved.proposal_id().to_owned(),
            operator: operator.name.clone(),
            agent: operator.agent.clone(),
            why: self.why.map(|why| self.clean(why)),
            base_commit: intent.approved.base_commit().to_owned(),
            branch: branch.clone(),
            approver: self.approver.map(str::to_owned),
            files: intent.approved.changes().iter().map(|change| change.path.to_string()).collect(),
        })?;
        match self.commit(&intent, at, ids) {
            Ok(committed) => Ok(Begun { intent, committed, branch }),
            Err(error) => {
                self.give_up(intent.approved.proposal_id(), &error.to_string())?;
                Err(error)
            }
        }
    }

    /// Logs that nothing came of an intent.
    pub(super) fn give_up(&self, proposal: &str, reason: &str) -> Result<(), LogError> {
        self.append(&EntryBody::ApplyFailed { proposal: proposal.to_owned(), reason: self.clean(reason) })
    }

    fn commit(&self, intent: &Intent<'_>, at: Timestamp, ids: &Ids) -> Result<Committed, ApplyFailure> {
        let operator = &self.project.environment.operator;
        let risk = intent.approved.risk_score().to_string();
        let genes = genes_of(intent);
        let event = ids.event();
        let tests: Vec<String> = intent.commands.iter().map(|command| self.clean(command.text())).collect();
        let mut trailers = vec![("Gephost-Proposal", intent.approved.proposal_id()), ("Gephost-Event", event.as_str())];
        trailers.extend(genes.iter().map(|gene| ("Gephost-Gene", *gene)));
        trailers.push(("Gephost-Risk", risk.as_str()));
        // The commit gets a branch only if these hold.
        trailers.extend(tests.iter().map(|test| ("Gephost-Test", test.as_str())));
        trailers.push(("Gephost-Operator", operator.name.as_str()));
        trailers.extend(operator.agent.as_ref().map(|agent| ("Gephost-Agent", agent.as_str())));
        trailers.push(("Gephost-Approver", self.approver.unwrap_or(&operator.name)));
        let (title, body) = (self.clean(&intent.proposal.title), self.clean(&intent.proposal.objective));
        let message = CommitMessage::new(&title, &body, &trailers);
        Ok(apply(self.repository, intent.approved, &message, &self.identity(at)?)?)
    }
}

/// The ids of the genes that proposed a change, each once: one for each step.
fn genes_of<'a>(intent: &Intent<'a>) -> Vec<&'a str> {
    let mut genes: Vec<&str> = intent.steps.iter().filter_map(|step| step.gene.as_deref()).collect();
    if genes.is_empty() {
        genes.extend(intent.gene.map(|gene| gene.id.as_str()));
    }
    let mut known = BTreeSet::new();
    genes.retain(|gene| known.insert(*gene));
    genes
}
