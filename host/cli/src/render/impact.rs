//! What published changes did to their findings.

use std::fmt::Write as _;

use gephost_app::impact::MeasuredChange;
use gephost_core::diagnosis::FindingRef;
use gephost_core::impact::{Effect, MIN_CALLS, Window};
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bad, bold, dim, good, note, printable};

/// What a published change did to its finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EvaluationRow<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// The published branch.
    branch: &'a str,
    /// The finding.
    finding: &'a FindingRef,
    effect: Effect,
    /// Until the change was applied.
    before: Window,
    /// Since then.
    after: Window,
    per_hundred: Rates,
    /// How often chance alone gives a difference as large, from 0 to 1.
    p_value: f64,
    /// The least calls on each side for an answer.
    minimum_calls: u64,
}

/// Failures per hundred calls.
#[derive(Debug, Serialize, JsonSchema)]
struct Rates {
    /// Until the change was applied; 0 without calls.
    before: f64,
    /// Since then; 0 without calls.
    after: f64,
}

/// Every measured change.
pub(crate) fn rows(measured: &[MeasuredChange]) -> Vec<EvaluationRow<'_>> {
    measured.iter().map(EvaluationRow::of).collect()
}

/// The same as text, two lines for each change.
pub(crate) fn page<'a>(rows: impl IntoIterator<Item = &'a EvaluationRow<'a>>) -> String {
    let mut text = String::new();
    for row in rows {
        let word = match row.effect {
            Effect::Improved => good("improved"),
            Effect::Worse => bad("worse"),
            effect => note(effect.as_str().replace('_', " ")),
        };
        let _ =
            writeln!(text, "{}  {word}: {}  {}", bold("Evaluation"), printable(&row.finding.title), dim(row.branch));
        let _ = writeln!(text, "            {}", row.sentence());
        if row.effect == Effect::Worse {
            let _ = writeln!(text, "  undo:  gephost rollback {}", row.proposal);
        }
    }
    text
}

impl<'a> EvaluationRow<'a> {
    fn of(change: &'a MeasuredChange) -> Self {
        let MeasuredChange { proposal, branch, finding, impact } = change;
        Self {
            proposal,
            branch,
            finding,
            effect: impact.effect,
            before: impact.before,
            after: impact.after,
            per_hundred: Rates { before: impact.before.per_hundred(), after: impact.after.per_hundred() },
            p_value: impact.p_value(),
            minimum_calls: MIN_CALLS,
        }
    }

    /// Whether it says what the change did, or only why that is unknown.
    pub(crate) fn is_answer(&self) -> bool {
        self.effect.is_answer()
    }

    fn sentence(&self) -> String {
        let (before, after) = (self.before, self.after);
        let rates = format!(
            "{:.1} of 100 tool calls before ({} of {}), {:.1} since ({} of {})",
            self.per_hundred.before, before.failures, before.calls, self.per_hundred.after, after.failures, after.calls
        );
        match self.effect {
            Effect::NotInUse => "the branch is not merged, so its effect cannot be measured yet".to_owned(),
            Effect::NotEnough => {
                format!("not enough yet, at least {} calls on both sides: {rates}", self.minimum_calls)
            }
            Effect::Improved | Effect::Unchanged | Effect::Worse => {
                format!("{rates}; by chance alone {:.1} of 100 times (Fisher's exact test)", self.p_value * 100.0)
            }
        }
    }
}
