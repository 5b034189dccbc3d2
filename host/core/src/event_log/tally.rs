//! The figures of a report over the log: numbers of proposals, attempts and published branches.
//!
//! An attempt is an intent to apply. A dry run has no intent, so it does not count. What it proposes is looked at and not tried,
//! so it counts apart from the proposals and verdicts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::entry::{EntryBody, GateVerdict};
use crate::contest::{Fate, Tried};

/// How much happened, by the entries of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Proposals that were made, without those of dry runs.
    pub proposed: u64,
    /// Different proposals that only dry runs made so far.
    pub only_dry: u64,
    /// Verdicts that passed.
    pub passed: u64,
    /// Verdicts that did not.
    pub rejected: u64,
    /// Intents to apply, without those that were steps to a published repair.
    pub attempted: u64,
    /// Branches that were published, whether they were rolled back later or not.
    pub succeeded: u64,
    /// Attempts that ended without a branch.
    pub failed: u64,
    /// Published branches that were rolled back.
    pub rolled_back: u64,
    /// Number of verdicts by risk score, in steps of ten: 0 to 9, 10 to 19 … and 90 to 100.
    pub risk_histogram: [u64; 10],
    /// How many verdicts named each file.
    pub files: BTreeMap<String, u64>,
}

impl Tally {
    /// The counts over these entries, in the order of the log.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a EntryBody>) -> Self {
        let mut tally = Self::default();
        // Of each proposal, whether it counts as it was logged last.
        let mut counts: BTreeMap<&str, bool> = BTreeMap::new();
        let mut tried: BTreeSet<&str> = BTreeSet::new();
        let mut waiting: BTreeSet<&str> = BTreeSet::new();
        for entry in entries {
            match entry {
                EntryBody::Proposed { proposal, dry_run, .. } => {
                    // An approval logs what it covers once more.
                    let is_new = !dry_run && !waiting.contains(proposal.as_str());
                    counts.insert(proposal, is_new);
                    tally.proposed += u64::from(is_new);
                    if !dry_run {
                        tried.insert(proposal);
                    }
                }
                EntryBody::Gated { proposal, .. } if counts.get(proposal.as_str()) == Some(&false) => {}
                EntryBody::Queued { proposal, .. } => drop(waiting.insert(proposal)),
                EntryBody::Approved { proposal, .. } | EntryBody::Declined { proposal, .. } => {
                    waiting.remove(proposal.as_str());
                }
                entry => tally.count(entry),
            }
        }
        tally.only_dry = counts.keys().filter(|proposal| !tried.contains(*proposal)).count() as u64;
        tally
    }

    fn count(&mut self, entry: &EntryBody) {
        match entry {
            EntryBody::Gated { verdict, risk_score, files, .. } => self.count_verdict(*verdict, *risk_score, files),
            EntryBody::ApplyIntent { .. } => self.attempted += 1,
            EntryBody::Applied { .. } => self.succeeded += 1,
            EntryBody::ApplyFailed { .. } => self.failed += 1,
            EntryBody::RolledBack { .. } => self.rolled_back += 1,
            EntryBody::CycleEnded { candidates, .. } => self.take_out_steps(candidates),
            EntryBody::Proposed { .. }
            | EntryBody::Recorded { .. }
            | EntryBody::Observed { .. }
            | EntryBody::ValidationFinished { .. }
            | EntryBody::LandIntent { .. }
            | EntryBody::Landed { .. }
            | EntryBody::LandFailed { .. }
            | EntryBody::RollbackIntent { .. }
            | EntryBody::RollbackFailed { .. }
            | EntryBody::PolicyPromoted { .. }
            | EntryBody::CycleStarted { .. }
            | EntryBody::CycleContinued { .. }
            | EntryBody::Queued { .. }
            | EntryBody::Approved { .. }
            | EntryBody::Declined { .. }
            | EntryBody::AutopilotStarted { .. }
            | EntryBody::AutopilotTook { .. }
            | EntryBody::AutopilotLeft { .. }
            | EntryBody::AutopilotStopped { .. }
            | EntryBody::Evaluated { .. }
            | EntryBody::ModelNoOp { .. }
            | EntryBody::Note { .. } => {}
        }
    }

    /// A candidate that a published repair is built on is no attempt of its own.
    fn take_out_steps(&mut self, candidates: &[Tried]) {
        let steps = candidates.iter().filter(|tried| tried.fate == Fate::Extended).count() as u64;
        self.attempted = self.attempted.saturating_sub(steps);
        self.failed = self.failed.saturating_sub(steps);
    }

    fn count_verdict(&mut self, verdict: GateVerdict, risk_score: u8, files: &[String]) {
        match verdict {
            GateVerdict::Pass => self.passed += 1,
            GateVerdict::Reject => self.rejected += 1,
        }
        let ten = usize::from(risk_score / 10).min(self.risk_histogram.len() - 1);
        if let Some(count) = self.risk_histogram.get_mut(ten) {
            *count += 1;
        }
        for file in files {
            *self.files.entry(file.clone()).or_default() += 1;
        }
    }

    /// The share of ended attempts that succeeded, in percent; 0 if none ended.
    pub fn success_percent(&self) -> f64 {
        let ended = self.succeeded.saturating_add(self.failed);
        #[expect(clippy::cast_precision_loss, reason = "counts of log entries stay far below 2^53")]
        let percent = if ended == 0 { 0.0 } else { self.succeeded as f64 * 100.0 / ended as f64 };
        percent
    }

    /// The files that verdicts named most often, with their counts; ties by name.
    pub fn top_files(&self, limit: usize) -> Vec<(&str, u64)> {
        let mut files: Vec<_> = self.files.iter().map(|(file, count)| (file.as_str(), *count)).collect();
        files.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        files.truncate(limit);
        files
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::entry;
    use super::*;

    fn tally(names: &str) -> Tally {
        let entries: Vec<_> = names.split_whitespace().map(entry).collect();
        Tally::of(&entries)
    }

    #[test]
    fn t22_counts_and_rate() {
        let tally = tally("proposed pass intent holds applied proposed pass intent breaks failed");
        assert_eq!((tally.proposed, tally.attempted, tally.succeeded, tally.failed), (2, 2, 1, 1));
        assert_eq!(tally.success_percent().to_string(), "50");
        assert_eq!(tally.risk_histogram, [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(tally.top_files(5), [("docs/a.md", 2)]);
    }

    #[test]
    fn t23_nothing_is_zero_and_no_division() {
        assert_eq!(tally(""), Tally::default());
        assert_eq!(tally("").success_percent().to_string(), "0");
        assert_eq!(tally("proposed reject").success_percent().to_string(), "0");
    }

    #[test]
    fn f11_a_dry_run_is_no_attempt_and_f16_a_failed_one_is_not_applied() {
        assert_eq!(tally("proposed pass").attempted, 0);
        assert_eq!(tally("proposed pass intent failed").succeeded, 0);
    }

    #[test]
    fn what_only_a_dry_run_proposed_counts_apart() {
        let figures = |names: &str| {
            let tally = tally(names);
            (tally.proposed, tally.passed, tally.rejected, tally.only_dry, tally.files.len())
        };
        assert_eq!(figures("dry pass"), (0, 0, 0, 1, 0));
        // The same proposal before and after the policy allows it.
        assert_eq!(figures("dry reject dry pass"), (0, 0, 0, 1, 0));
        assert_eq!(figures("dry pass proposed pass intent"), (1, 1, 0, 0, 1));
        // An approval logs the proposal again, and one that was declined may be made again.
        assert_eq!(figures("proposed pass queued proposed pass approved intent holds"), (1, 1, 0, 0, 1));
        assert_eq!(figures("proposed pass queued declined proposed pass queued"), (2, 2, 0, 0, 1));
        // A dry run of what was tried before.
        assert_eq!(figures("proposed pass intent dry reject"), (1, 1, 0, 0, 1));
    }

    #[test]
    fn a_step_to_a_published_repair_is_no_failed_attempt() {
        let words = "proposed pass intent breaks failed proposed pass intent holds applied";
        let ended = |fate| EntryBody::CycleEnded {
            cycle: "evt_1".to_owned(),
            winner: None,
            candidates: vec![Tried::new("gep-1", fate, ""), Tried::new("gep-2", Fate::Published, "")],
        };
        let of = |fate| Tally::of(words.split_whitespace().map(entry).chain([ended(fate)]).collect::<Vec<_>>().iter());
        let (step, failed) = (of(Fate::Extended), of(Fate::Failed));
        assert_eq!((step.proposed, step.attempted, step.failed, step.succeeded), (2, 1, 0, 1));
        assert_eq!((failed.proposed, failed.attempted, failed.failed, failed.succeeded), (2, 2, 1, 1));
    }

    #[test]
    fn the_highest_risk_has_a_place() {
        let mut tally = Tally::default();
        tally.count_verdict(GateVerdict::Reject, 100, &[]);
        tally.count_verdict(GateVerdict::Reject, u8::MAX, &[]);
        assert_eq!(tally.risk_histogram[9], 2);
    }
}
