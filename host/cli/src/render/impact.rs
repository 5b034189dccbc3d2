//! What published changes did to their findings.

use std::fmt::Write as _;

use gephost_app::impact::MeasuredChange;
use gephost_core::impact::{Effect, Impact, MIN_CALLS};
use serde_json::{Value, json};

use super::style::{bad, bold, dim, good, note, printable};

/// For a person, two lines a change.
pub(crate) fn page<'a>(measured: impl IntoIterator<Item = &'a MeasuredChange>) -> String {
    let mut text = String::new();
    for MeasuredChange { proposal, branch, finding, impact } in measured {
        let effect = impact.effect;
        let word = match effect {
            Effect::Improved => good("improved"),
            Effect::Worse => bad("worse"),
            Effect::Unchanged | Effect::NotEnough | Effect::NotInUse => note(effect.as_str().replace('_', " ")),
        };
        let _ = writeln!(text, "{}  {word}: {}  {}", bold("Evaluation"), printable(&finding.title), dim(branch));
        let _ = writeln!(text, "            {}", sentence(impact));
        if effect == Effect::Worse {
            let _ = writeln!(text, "  undo:  gephost rollback {proposal}");
        }
    }
    text
}

fn sentence(impact: &Impact) -> String {
    let (before, after) = (impact.before, impact.after);
    let rates = format!(
        "{:.1} of 100 tool calls before ({} of {}), {:.1} since ({} of {})",
        before.per_hundred(),
        before.failures,
        before.calls,
        after.per_hundred(),
        after.failures,
        after.calls
    );
    match impact.effect {
        Effect::NotInUse => "the branch is not merged, so nothing can be told yet".to_owned(),
        Effect::NotEnough => format!("not enough yet, at least {MIN_CALLS} calls on both sides: {rates}"),
        Effect::Improved | Effect::Unchanged | Effect::Worse => {
            format!("{rates}; by chance alone {:.1} of 100 times (Fisher's exact test)", impact.p_value() * 100.0)
        }
    }
}

/// For a program.
pub(crate) fn documents(measured: &[MeasuredChange]) -> Vec<Value> {
    let document = |MeasuredChange { proposal, branch, finding, impact }: &MeasuredChange| {
        json!({
            "proposal": proposal,
            "branch": branch,
            "finding": finding,
            "effect": impact.effect.as_str(),
            "before": impact.before,
            "after": impact.after,
            "per_hundred": { "before": impact.before.per_hundred(), "after": impact.after.per_hundred() },
            "p_value": impact.p_value(),
            "minimum_calls": MIN_CALLS,
        })
    };
    measured.iter().map(document).collect()
}
