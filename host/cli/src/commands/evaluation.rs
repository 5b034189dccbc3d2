//! What published changes did to their findings: measured over the logs whenever those are read, and written down when
//! the answer is a new one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gephost_app::{Project, state_of};
use gephost_core::event_log::{Entry, EntryBody, FindingRef, State};
use gephost_core::impact::{Effect, Impact, MIN_CALLS, impact};
use gephost_core::run_event::RunEvent;
use gephost_runner::worktree;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::exit_code::Exit;
use crate::render::style::{bad, bold, dim, good, note, printable};

/// The most published changes that are looked at; the newest count.
const MAX_CHANGES: usize = 50;

/// A published change that stands, and what it did.
pub(super) struct Evaluated {
    pub(super) proposal: String,
    pub(super) branch: String,
    pub(super) finding: FindingRef,
    pub(super) impact: Impact,
}

/// Measures every published change that answers a finding and was not taken back. Newest first.
pub(super) fn measure(
    project: &worktree::Project,
    entries: &[Entry],
    state: &State,
    events: &[RunEvent],
) -> Result<Vec<Evaluated>, Failure> {
    let times = times(entries);
    let mut measured = Vec::new();
    for cycle in state.cycles().iter().rev() {
        let (Some(proposal), Some(finding)) = (&cycle.winner, &cycle.finding) else { continue };
        let standing = state.proposal(proposal).map(|proposal| proposal.applied.as_slice()).unwrap_or_default();
        let known = |branch: &str| measured.iter().any(|known: &Evaluated| known.branch == branch);
        let Some(applied) = standing.iter().rev().find(|applied| !known(&applied.branch)) else { continue };
        let Some(time) = times.get(applied.branch.as_str()) else { continue };
        let mut impact = impact(events, finding, *time);
        let in_use = project
            .is_in_use(&applied.commit)
            .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
        if !in_use {
            impact.effect = Effect::NotInUse;
        }
        let (branch, finding) = (applied.branch.clone(), finding.clone());
        measured.push(Evaluated { proposal: proposal.clone(), branch, finding, impact });
        if measured.len() == MAX_CHANGES {
            break;
        }
    }
    Ok(measured)
}

/// When each branch was published, or, where gephost moved the checked-out branch to it, when that was.
fn times(entries: &[Entry]) -> BTreeMap<&str, Timestamp> {
    let mut times = BTreeMap::new();
    for entry in entries {
        if let EntryBody::Applied { branch, .. } | EntryBody::Landed { branch, .. } = &entry.body {
            times.insert(branch.as_str(), entry.at);
        }
    }
    times
}

/// Measures, and writes down each answer that is another one than last time.
pub(super) fn update(
    folder: &Project,
    project: &worktree::Project,
    events: &[RunEvent],
) -> Result<Vec<Evaluated>, Failure> {
    let entries = folder.entries()?;
    let state = state_of(&entries)?;
    let measured = measure(project, &entries, &state, events)?;
    for Evaluated { proposal, branch, impact, .. } in &measured {
        let is_new = state.impact(branch).is_none_or(|known| known.effect != impact.effect);
        if impact.effect.is_answer() && is_new {
            let (proposal, branch) = (proposal.clone(), branch.clone());
            let body = EntryBody::Evaluated { proposal, branch, impact: *impact };
            folder.append(&body)?;
        }
    }
    Ok(measured)
}

/// For a person, two lines a change.
pub(super) fn page<'a>(measured: impl IntoIterator<Item = &'a Evaluated>) -> String {
    let mut text = String::new();
    for Evaluated { proposal, branch, finding, impact } in measured {
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
pub(super) fn documents(measured: &[Evaluated]) -> Vec<Value> {
    let document = |Evaluated { proposal, branch, finding, impact }: &Evaluated| {
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
