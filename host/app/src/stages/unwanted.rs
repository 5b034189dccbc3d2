//! Candidates that people do not want: the same change was published and taken back several times, for whatever finding.

use gephost_core::select::{WRONG_AT_MOST, taken_back};
use gephost_runner::sandbox::{LogLevel, LogLine};

use super::judged::Judged;
use super::stage::Stage;
use crate::contents::contents;

impl Stage<'_> {
    /// Why a candidate is not proposed, if it is not: people took this very change back before. A gene that the request
    /// names may propose it.
    pub(super) fn unwanted(&self, judged: &Judged) -> Option<String> {
        let gene = judged.proposal.gene.as_deref()?;
        let contents = contents(judged.verdict.approved()?);
        let days: Vec<String> =
            taken_back(&self.past.wrong, &contents).map(|at| at.strftime("%Y-%m-%d").to_string()).collect();
        let is_wanted = days.len() < WRONG_AT_MOST || self.asked.iter().any(|asked| asked == gene);
        (!is_wanted).then(|| {
            format!(
                "the change {:?} was taken back {} times ({}); `--gene {gene}` proposes it again",
                judged.proposal.title,
                days.len(),
                days.join(", ")
            )
        })
    }

    /// Takes the unwanted ones out of these candidates. Returns why, for the log of their gene.
    pub(super) fn without_unwanted(&self, candidates: &mut Vec<Judged>) -> Vec<LogLine> {
        let mut said = Vec::new();
        candidates.retain(|judged| {
            let reason = self.unwanted(judged);
            let is_kept = reason.is_none();
            said.extend(reason.map(|message| LogLine { level: LogLevel::Info, message }));
            is_kept
        });
        said
    }
}
