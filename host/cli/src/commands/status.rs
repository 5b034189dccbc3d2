//! `gephost status`: what is going on in a project, on one screen. Reads the log and looks at a few files; no gene is
//! loaded and nothing is written.

use std::fmt::Write as _;

use gephost_app::{Project, kill_switch};
use gephost_core::event_log::State;
use gephost_runner::instance::Instance;
use gephost_runner::journal;
use serde_json::{Value, json};

use super::approvals;
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, bold, dim, good, note, printable};

/// The most branches that are shown.
const SHOWN_BRANCHES: usize = 5;

pub(super) fn run(environment: &Environment) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let state = folder.log_state()?;
    let head = if folder.is_in_repository() { Some(gephost_app::head(&folder.repository()?)?) } else { None };
    let lock = folder.state.lock();
    let holder = Instance::holder(&lock).map_err(|error| io(&lock.path(), "look at", &error))?;
    let left =
        journal::look(&folder.state).map_err(|error| Failure::new(Exit::Failed, "journal", error.to_string()))?;
    let stopped = kill_switch(&folder.state).is_some();
    let file = &folder.config.file;
    let may_apply = file.apply.enabled && !file.dry_run;

    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "{}  {what}", bold(format!("{name:<10}")));
    };
    let commit = head.as_ref().map_or_else(
        || "in no git repository".to_owned(),
        |head| {
            format!(
                "{} {}",
                head.branch.as_deref().unwrap_or("detached HEAD"),
                head.commit.get(..12).unwrap_or_default()
            )
        },
    );
    line("Project", format!("{}  {}", folder.root.display(), dim(commit)));
    line("State", printable(&folder.state.root().display().to_string()));
    line(
        "Apply",
        match (stopped, file.dry_run, file.apply.enabled) {
            (true, ..) => bad(format!("stopped by {}", folder.state.stop().display())),
            (_, true, _) => note("locked: `dry_run = true`"),
            (.., false) => note("locked: `[apply] enabled` is not set"),
            (.., true) => good("possible with --apply"),
        },
    );
    if let Some(holder) = &holder {
        let what = format!("process {} runs `gephost {}` since {}", holder.pid, holder.command, holder.since);
        line("At work", note(printable(&what)));
    }
    for record in &left {
        line("Cut short", bad(printable(&record.describe())));
    }
    line("Cycle", last_cycle(&state));
    line("Autopilot", autopilot(&state));
    text.push_str(&branches(&state));
    text.push_str(&approvals::waiting_lines(&state));
    let document = json!({
        "schema": "gephost.status/1",
        "project": folder.root,
        "state": { "id": folder.state.id(), "folder": folder.state.root().path() },
        "head": head.as_ref().map(|head| json!({ "commit": head.commit, "branch": head.branch })),
        "may_apply": may_apply && !stopped,
        "dry_run": file.dry_run,
        "apply_enabled": file.apply.enabled,
        "kill_switch": stopped,
        "at_work": holder,
        "journal": left.iter().map(|record| printable(&record.describe())).collect::<Vec<_>>(),
        "last_cycle": state.cycles().last().map(cycle_document),
        "autopilot": {
            "session": state.autopilot().session().map(|session| json!({ "cycles": session.cycles, "max_cycles": session.max_cycles })),
            "stopped": state.autopilot().stopped(),
        },
        "branches": standing(&state).collect::<Vec<_>>(),
        "waiting": approvals::queue(&state),
    });
    Ok(Report { exit: Exit::Done, document, text })
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
