//! `gephost rollback ID` and `gephost undo`: take a published change back.

use gephost_app::Project;
use gephost_app::land::Landed;
use gephost_app::rollback::{LastTakenBack, RollbackOptions, RollbackReport, TakenBack, Undone, Way};
use serde_json::json;

use crate::args;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, bold, good, printable};

pub(super) fn run(environment: &Environment, arguments: &args::RollbackArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let rolled_back = project.rollback(&arguments.id, &options(&arguments.options))?;
    Ok(report(&project, &rolled_back))
}

pub(super) fn undo(environment: &Environment, arguments: &args::RollbackOptions) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    match project.undo(&options(arguments))? {
        Undone::TakenBack(taken) => Ok(report(&project, &taken)),
        Undone::Nothing(last) => Ok(nothing(&project, last.as_ref())),
    }
}

fn options(arguments: &args::RollbackOptions) -> RollbackOptions {
    RollbackOptions { why: arguments.why.clone(), land: arguments.land, dry_run: arguments.dry_run }
}

/// No change stands.
fn nothing(project: &Project, last: Option<&LastTakenBack>) -> Report {
    let mut text = "Nothing to undo: no change that gephost published stands.\n".to_owned();
    if let Some(LastTakenBack { proposal, branch, at }) = last {
        text.push_str(&format!("The last one, {branch}, was taken back at {at}. "));
        text.push_str(&format!("To apply it again: {}\n", again(project, proposal)));
    }
    let document = json!({
        "schema": "gephost.rollback/1",
        "taken_back": false,
        "undo": last.map(|last| again(project, &last.proposal)),
    });
    Report { exit: Exit::Done, document, text }
}

/// The command that applies a proposal again.
fn again(project: &Project, proposal: &str) -> String {
    format!("gephost apply {} --apply", project.proposal_file(proposal).display())
}

fn report(project: &Project, rolled_back: &RollbackReport) -> Report {
    let RollbackReport { dry_run, proposal, applied, taken } = rolled_back;
    let landed = taken.landed.as_ref();
    let undo = match &taken.reverted {
        Some(reverted) if landed.and_then(Landed::into).is_none() => format!("git branch -D {}", reverted.branch),
        _ => again(project, proposal),
    };
    let undo = (!dry_run).then_some(undo);
    let document = json!({
        "schema": "gephost.rollback/1",
        "taken_back": !dry_run,
        "proposal": proposal,
        "branch": applied.branch,
        "commit": applied.commit,
        "way": taken.way.as_str(),
        "revert_branch": taken.reverted.as_ref().map(|reverted| &reverted.branch),
        "revert_commit": taken.reverted.as_ref().map(|reverted| &reverted.commit),
        "landed_into": landed.and_then(Landed::into),
        "not_landed": landed.and_then(Landed::refusal),
        "undo": undo,
    });
    let exit = if landed.and_then(Landed::refusal).is_some() { Exit::Conflict } else { Exit::Done };
    Report { exit, document, text: page(&applied.branch, taken, undo.as_deref()) }
}

fn page(branch: &str, taken: &TakenBack, undo: Option<&str>) -> String {
    let Some(undo) = undo else {
        let what = match taken.way {
            Way::Drop => "the branch would be dropped",
            Way::Forget => "the branch is gone already; the log and the assets would say so",
            Way::Revert => "it has landed: a commit that undoes it would be published on a branch of its own",
        };
        return format!("{} {branch}: {what}. Nothing was changed.\n", bold("Dry run."));
    };
    let landed = taken.landed.as_ref();
    let mut text = match (taken.way, &taken.reverted) {
        (_, Some(reverted)) => match landed.and_then(Landed::into) {
            Some(into) => format!(
                "{branch} had landed; {} undoes it, and {} has moved forward to that\n",
                reverted.branch,
                good(printable(into))
            ),
            None => format!(
                "{branch} has landed; {} undoes it\n  look:  git diff HEAD...{}\n  land:  git merge --ff-only {}\n",
                good(&reverted.branch),
                reverted.branch,
                reverted.branch
            ),
        },
        (Way::Forget, None) => format!("{} {branch}: the branch was gone already\n", bold("Taken back")),
        (_, None) => format!("{} {branch}: the branch is dropped\n", bold("Taken back")),
    };
    if let Some(reason) = landed.and_then(Landed::refusal) {
        text.push_str(&format!("{}  {}\n", bad("Not landed"), printable(reason)));
    }
    text.push_str(&format!("  undo:  {undo}\n"));
    text
}
