//! `gephost status`: what is going on in a project, on one screen.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::status::Status;
use gephost_core::event_log::State;
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;
use crate::render::style::{bad, bold, dim, good, note, printable};

/// The most branches that are shown.
const SHOWN_BRANCHES: usize = 5;

pub(super) fn run(environment: &Environment) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    let status = project.status()?;
    let state = &status.state;
    let document = json!({
        "schema": "gephost.status/1",
        "project": project.root,
        "state": { "id": project.state.id(), "folder": project.state.root().path() },
        "head": status.head.as_ref().map(|head| json!({ "commit": head.commit, "branch": head.branch })),
        "may_apply": status.may_apply(),
        "dry_run": status.dry_run,
        "waits_for_trust": project.waiting,
        "apply_enabled": status.apply_enabled,
        "kill_switch": status.kill_switch.is_some(),
        "at_work": status.at_work,
        "journal": status.left.iter().map(|record| printable(&record.describe())).collect::<Vec<_>>(),
        "last_cycle": state.cycles().last().map(cycle_document),
        "autopilot": {
            "session": state.autopilot().session().map(|session| json!({ "cycles": session.cycles, "max_cycles": session.max_cycles })),
            "stopped": state.autopilot().stopped(),
        },
        "branches": standing(state).collect::<Vec<_>>(),
        "waiting": render::queue::documents(state),
    });
    Ok(Report { exit: Exit::Done, document, text: page(&project, &status) })
}

fn page(project: &Project, status: &Status) -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "{}  {what}", bold(format!("{name:<10}")));
    };
    let commit = match &status.head {
        Some(head) => {
            let branch = head.branch.as_deref().unwrap_or("detached HEAD");
            format!("{branch} {}", head.commit.get(..12).unwrap_or_default())
        }
        None => "in no git repository".to_owned(),
    };
    line("Project", format!("{}  {}", project.root.display(), dim(commit)));
    line("State", printable(&project.state.root().display().to_string()));
    let untrusted = project.waiting.iter().any(|key| key.key == "apply.enabled");
    let apply = match (&status.kill_switch, status.dry_run, status.apply_enabled) {
        (Some(path), ..) => bad(format!("stopped by {}", path.display())),
        (_, true, _) => note("locked: `dry_run = true`"),
        (.., false) if untrusted => note("locked: `[apply] enabled` waits for your trust"),
        (.., false) => note("locked: `[apply] enabled` is not set"),
        (.., true) => good("possible with --apply"),
    };
    line("Apply", apply);
    if !project.waiting.is_empty() {
        let keys: Vec<&str> = project.waiting.iter().map(|key| key.key).collect();
        line("Untrusted", note(format!("{} of gephost.toml: gephost trust", keys.join(", "))));
    }
    if let Some(holder) = &status.at_work {
        let what = format!("process {} runs `gephost {}` since {}", holder.pid, holder.command, holder.since);
        line("At work", note(printable(&what)));
    }
    for record in &status.left {
        line("Cut short", bad(printable(&record.describe())));
    }
    line("Cycle", last_cycle(&status.state));
    line("Autopilot", autopilot(&status.state));
    text.push_str(&branches(&status.state));
    text.push_str(&render::queue::page(&status.state));
    text
}

fn last_cycle(state: &State) -> String {
    let Some(cycle) = state.cycles().last() else { return "none yet".to_owned() };
    let about = cycle.finding.as_ref().map_or("a person's proposal", |finding| finding.title.as_str());
    let stands = |winner: &String| state.standing().iter().any(|(proposal, _)| proposal == winner);
    let came = match (&cycle.winner, &cycle.tried) {
        (Some(winner), _) if stands(winner) => good(format!("published {winner}")),
        (Some(winner), _) => note(format!("published {winner}, taken back since")),
        (None, Some(_)) => bad("nothing held"),
        (None, None) => note("not ended"),
    };
    format!("{}  {}: {came}", dim(&cycle.id), printable(about))
}

fn autopilot(state: &State) -> String {
    match (state.autopilot().session(), state.autopilot().stopped()) {
        (Some(session), _) => format!("a session is open: {} of {} cycles", session.cycles, session.max_cycles),
        (None, Some(reason)) => format!("stopped: {}", printable(reason)),
        (None, None) => "never ran".to_owned(),
    }
}

fn branches(state: &State) -> String {
    let standing = state.standing();
    let mut text = String::new();
    for (proposal, applied) in standing.iter().rev().take(SHOWN_BRANCHES) {
        let effect = state.impact(&applied.branch).map_or("not evaluated yet", |impact| impact.effect.as_str());
        let landed = applied.landed.as_ref().map(|into| format!(", landed on {into}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}  {}  {}",
            bold("Branch    "),
            applied.branch,
            dim(format!("{proposal}, {effect}{landed}"))
        );
    }
    if standing.len() > SHOWN_BRANCHES {
        let more = standing.len() - SHOWN_BRANCHES;
        let _ = writeln!(text, "            {}", dim(format!("and {more} more; `gephost report` has all")));
    }
    text
}

fn standing(state: &State) -> impl Iterator<Item = Value> {
    state.standing().into_iter().rev().map(|(proposal, applied)| {
        json!({
            "proposal": proposal,
            "branch": applied.branch,
            "commit": applied.commit,
            "landed": applied.landed,
            "effect": state.impact(&applied.branch).map(|impact| impact.effect.as_str()),
        })
    })
}

/// One cycle, for a program.
pub(super) fn cycle_document(cycle: &gephost_core::event_log::Cycle) -> Value {
    json!({
        "cycle": cycle.id,
        "base_commit": cycle.base_commit,
        "finding": cycle.finding,
        "winner": cycle.winner,
        "candidates": cycle.candidates,
        "tried": cycle.tried,
    })
}
