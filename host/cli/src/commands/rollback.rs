//! `gephost rollback ID` and `gephost undo`: take a published change back.

use gephost_app::Project;
use gephost_app::land::Landed;
use gephost_app::rollback::{LastTakenBack, RollbackOptions, RollbackReport, TakenBack, Undone, Way};
use gephost_core::command::ValidationCommand;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::reading::second;
use crate::render::style::{bad, bold, good, printable};

pub(super) fn run(environment: &Environment, arguments: &args::RollbackArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let rolled_back = project.rollback(&arguments.id, &options(&arguments.options))?;
    Ok(Report::of(&RollbackPage::of(&project, &rolled_back)))
}

pub(super) fn undo(environment: &Environment, arguments: &args::RollbackOptions) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    match project.undo(&options(arguments))? {
        Undone::TakenBack(taken) => Ok(Report::of(&RollbackPage::of(&project, &taken))),
        Undone::Nothing(last) => Ok(Report::of(&RollbackPage::nothing(&project, last.as_ref()))),
    }
}

fn options(arguments: &args::RollbackOptions) -> RollbackOptions {
    RollbackOptions { why: arguments.why.clone(), land: arguments.land, dry_run: arguments.dry_run }
}

/// A change that was taken back, or would be.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RollbackPage<'a> {
    /// Whether a change was taken back.
    taken_back: bool,
    #[serde(flatten)]
    change: Option<TakenBackRow<'a>>,
    /// The command that reverses it; null for a dry run.
    undo: Option<String>,
    #[serde(skip)]
    last: Option<&'a LastTakenBack>,
}

/// The change that is taken back.
#[derive(Debug, Serialize, JsonSchema)]
struct TakenBackRow<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// The published branch.
    branch: &'a str,
    /// Full hexadecimal id of its commit.
    commit: &'a str,
    /// `drop` if its branch is deleted, `forget` if the branch was gone already, `revert` if a new commit undoes it.
    way: &'static str,
    /// The branch of the commit that undoes it.
    revert_branch: Option<&'a str>,
    /// Full hexadecimal id of that commit.
    revert_commit: Option<&'a str>,
    /// The branch that was moved forward to that commit.
    landed_into: Option<&'a str>,
    /// Why none was moved, if one should have been.
    not_landed: Option<&'a str>,
    #[serde(skip)]
    taken: &'a TakenBack,
}

/// The command that applies a proposal again.
fn again(project: &Project, proposal: &str) -> String {
    let file = project.proposal_file(proposal).display().to_string();
    ValidationCommand::quote(&["gephost", "apply", &file, "--apply"].map(str::to_owned))
}

impl<'a> RollbackPage<'a> {
    /// No change stands.
    fn nothing(project: &Project, last: Option<&'a LastTakenBack>) -> Self {
        let undo = last.map(|last| match &last.waits {
            Some(revert) => format!("git branch -D {}", revert.branch),
            None => again(project, &last.proposal),
        });
        Self { taken_back: false, change: None, undo, last }
    }

    fn of(project: &Project, rolled_back: &'a RollbackReport) -> Self {
        let RollbackReport { dry_run, proposal, applied, taken } = rolled_back;
        let landed = taken.landed.as_ref();
        let undo = match &taken.reverted {
            Some(reverted) if landed.and_then(Landed::branch).is_none() => format!("git branch -D {}", reverted.branch),
            _ => again(project, proposal),
        };
        let change = TakenBackRow {
            proposal,
            branch: &applied.branch,
            commit: &applied.commit,
            way: taken.way.as_str(),
            revert_branch: taken.reverted.as_ref().map(|reverted| reverted.branch.as_str()),
            revert_commit: taken.reverted.as_ref().map(|reverted| reverted.commit.as_str()),
            landed_into: landed.and_then(Landed::branch),
            not_landed: landed.and_then(Landed::refusal),
            taken,
        };
        Self { taken_back: !dry_run, change: Some(change), undo: (!dry_run).then_some(undo), last: None }
    }

    fn nothing_text(&self) -> String {
        if let (Some(LastTakenBack { branch, waits: Some(revert), .. }), Some(undo)) = (self.last, &self.undo) {
            let waits = &revert.branch;
            return format!(
                "Nothing else to undo. {branch} has landed, and {} undoes it, but has not landed yet.\n  look:  git diff \
                 HEAD...{waits}\n  land:  git merge --ff-only {waits}\n  undo:  {undo}\n",
                good(waits)
            );
        }
        let mut text = "Nothing to undo: no change that gephost published is still in effect.\n".to_owned();
        if let (Some(LastTakenBack { branch, at, .. }), Some(undo)) = (self.last, &self.undo) {
            let at = second(*at);
            text.push_str(&format!("The last one, {branch}, was taken back at {at}. To apply it again: {undo}\n"));
        }
        text
    }
}

impl Page for RollbackPage<'_> {
    const KIND: &'static str = "rollback";

    fn text(&self) -> String {
        match &self.change {
            Some(change) => change.text(self.undo.as_deref()),
            None => self.nothing_text(),
        }
    }

    fn exit(&self) -> Exit {
        let is_left = self.change.as_ref().is_some_and(|change| change.not_landed.is_some());
        if is_left { Exit::Conflict } else { Exit::Done }
    }
}

impl TakenBackRow<'_> {
    fn text(&self, undo: Option<&str>) -> String {
        let (branch, taken) = (self.branch, self.taken);
        let Some(undo) = undo else {
            let what = match taken.way {
                Way::Drop => "the branch would be dropped",
                Way::Forget => "the branch is gone already; the log and the assets would say so",
                Way::Revert => "it has landed: a commit that undoes it would be published on a branch of its own",
            };
            return format!("{} {branch}: {what}. Nothing was changed.\n", bold("Dry run."));
        };
        let mut text = match (taken.way, &taken.reverted) {
            (_, Some(reverted)) => match self.landed_into {
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
        if let Some(reason) = self.not_landed {
            text.push_str(&format!("{}  {}\n", bad("Not landed"), printable(reason)));
        }
        text.push_str(&format!("  undo:  {undo}\n"));
        text
    }
}
