//! Proposals that await approval, and the decisions on them.

use std::collections::BTreeMap;

use super::super::entry::Contents;
use super::transition::{IllegalTransition, check, illegal};
use crate::diagnosis::FindingRef;

/// A proposal that awaits approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its computed risk, 0 to 100.
    pub risk_score: u8,
    /// The highest risk that autopilot applies.
    pub max_risk: u8,
    /// The finding to fix.
    pub finding: Option<FindingRef>,
    /// The calls that the finding rests on.
    pub calls: Vec<String>,
    /// The queued contents of its files before and after, which an approval covers.
    pub contents: Vec<Contents>,
    /// Who approved it. It stays in the queue until its apply starts.
    pub approver: Option<String>,
}

/// All of them, by id of the proposal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queue {
    waiting: BTreeMap<String, Waiting>,
    declined: BTreeMap<String, String>,
}

impl Queue {
    /// The waiting proposals, by id.
    pub fn waiting(&self) -> impl ExactSizeIterator<Item = (&str, &Waiting)> {
        self.waiting.iter().map(|(id, waiting)| (id.as_str(), waiting))
    }

    /// The proposal with this id, if it awaits approval.
    pub fn get(&self, id: &str) -> Option<&Waiting> {
        self.waiting.get(id)
    }

    /// Who declined a proposal, and why, if someone did.
    pub fn declined(&self, id: &str) -> Option<&str> {
        self.declined.get(id).map(String::as_str)
    }

    pub(super) fn put(&mut self, id: &str, waiting: Waiting) {
        self.waiting.insert(id.to_owned(), waiting);
    }

    /// Removes a proposal whose apply starts.
    pub(super) fn take(&mut self, id: &str) {
        self.waiting.remove(id);
    }

    pub(super) fn approve(&mut self, id: &str, approver: &str) -> Result<(), IllegalTransition> {
        let waiting = self.waiting.get_mut(id).ok_or_else(|| illegal("approved", id, NOT_WAITING))?;
        waiting.approver = Some(approver.to_owned());
        Ok(())
    }

    pub(super) fn decline(&mut self, id: &str, approver: &str, why: &str) -> Result<(), IllegalTransition> {
        check(self.waiting.remove(id).is_some(), "declined", id, NOT_WAITING)?;
        self.declined.insert(id.to_owned(), format!("{approver}: {why}"));
        Ok(())
    }
}

const NOT_WAITING: &str = "it is not awaiting approval";
