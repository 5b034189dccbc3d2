//! `gephost rollback ID` and `gephost undo`: take a published change back.
//!
//! It is its own flag: taking back what gephost published needs no `--apply`. `dry_run = true` in the config blocks it as
//! it blocks everything, and `--dry-run` only says what would be done. A landed change is undone by a commit on a branch
//! of its own; the person merges it, as the change itself was merged, or says `--land`.

use gephost_app::Project;
use gephost_core::event_log::{AppliedBranch, EntryBody, State};
use gephost_runner::cycle::Landed;
use gephost_runner::cycle::rollback::{RollbackError, Rollbacks, TakenBack, Way};
use gephost_runner::journal::Journal;
use gephost_runner::worktree::{self, DropError, PublishError};
use serde_json::json;

use crate::args::{RollbackArguments, RollbackOptions};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, bold, good, printable};

/// The reason in the log where nobody gave one.
const ASKED: &str = "asked for";

pub(super) fn run(environment: &Environment, arguments: &RollbackArguments) -> Result<Report, Failure> {
    let scene = Scene::open(environment, &arguments.options, "rollback")?;
    let state = scene.folder.log_state()?;
    let (proposal, applied) = named(&state, &arguments.id)?;
    scene.take_back(environment, &state, proposal, applied, &arguments.options)
}

pub(super) fn undo(environment: &Environment, options: &RollbackOptions) -> Result<Report, Failure> {
    let scene = Scene::open(environment, options, "undo")?;
    let state = scene.folder.log_state()?;
    match state.standing().last() {
        Some((proposal, applied)) => scene.take_back(environment, &state, proposal, applied, options),
        None => nothing(&scene.folder),
    }
}

/// An undo takes back the newest change that stands; an undo itself is not undone by another one.
fn nothing(folder: &Project) -> Result<Report, Failure> {
    let entries = folder.entries()?;
    let last = entries.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::RolledBack { proposal, branch, .. } => Some((proposal.clone(), branch.clone(), entry.at)),
        _ => None,
    });
    let mut text = "Nothing to undo: no change that gephost published stands.\n".to_owned();
    if let Some((proposal, branch, at)) = &last {
        text.push_str(&format!("The last one, {branch}, was taken back at {at}. "));
        text.push_str(&format!("To apply it again: {}\n", again(folder, proposal)));
    }
    let document = json!({
        "schema": "gephost.rollback/1",
        "taken_back": false,
        "undo": last.map(|(proposal, ..)| again(folder, &proposal)),
    });
    Ok(Report { exit: Exit::Done, document, text })
}

fn again(folder: &Project, proposal: &str) -> String {
    format!("gephost apply {} --apply", folder.state.proposals().join(format!("{proposal}.json")).display())
}

/// What a rollback works with.
struct Scene {
    folder: Project,
    project: worktree::Project,
    /// With the lock; nobody needs it to say what would be done.
    journal: Option<Journal>,
}

impl Scene {
    fn open(environment: &Environment, options: &RollbackOptions, command: &str) -> Result<Self, Failure> {
        let folder = Project::open(environment)?;
        if folder.config.file.dry_run && !options.dry_run {
            let message = "`dry_run = true` in gephost.toml forbids every change, this one too";
            return Err(Failure::new(Exit::Usage, "apply_locked", message)
                .hint("take the key out, or say `--dry-run` to see what would be done"));
        }
        let project = folder.repository()?;
        let journal = if options.dry_run {
            folder.settle_left(&project)?;
            None
        } else {
            Some(folder.begin(&project, command)?)
        };
        Ok(Self { folder, project, journal })
    }

    fn take_back(
        &self,
        environment: &Environment,
        state: &State,
        proposal: &str,
        applied: &AppliedBranch,
        options: &RollbackOptions,
    ) -> Result<Report, Failure> {
        let rollbacks = Rollbacks {
            project: &self.project,
            config: &self.folder.config,
            state: &self.folder.state,
            log: &self.folder.log,
            registry: &self.folder.registry,
            operator: &environment.operator,
            land: options.land,
            signing_environment: &environment.signing,
            clock: environment.clock,
        };
        let why = options.why.as_deref().unwrap_or(ASKED);
        let taken = match &self.journal {
            Some(journal) => rollbacks.take_back(journal, state, proposal, applied, why),
            None => rollbacks.way(applied).map(|way| TakenBack { way, reverted: None, landed: None }),
        }
        .map_err(|error| failure(&error))?;
        let landed = taken.landed.as_ref();
        let undo = match &taken.reverted {
            Some(reverted) if landed.and_then(Landed::into).is_none() => format!("git branch -D {}", reverted.branch),
            _ => again(&self.folder, proposal),
        };
        let taken_back = self.journal.is_some();
        let document = json!({
            "schema": "gephost.rollback/1",
            "taken_back": taken_back,
            "proposal": proposal,
            "branch": applied.branch,
            "commit": applied.commit,
            "way": taken.way.as_str(),
            "revert_branch": taken.reverted.as_ref().map(|reverted| &reverted.branch),
            "revert_commit": taken.reverted.as_ref().map(|reverted| &reverted.commit),
            "landed_into": landed.and_then(Landed::into),
            "not_landed": landed.and_then(Landed::refusal),
            "undo": taken_back.then_some(&undo),
        });
        let text = page(&applied.branch, &taken, taken_back.then_some(undo.as_str()));
        let exit = if landed.and_then(Landed::refusal).is_some() { Exit::Conflict } else { Exit::Done };
        Ok(Report { exit, document, text })
    }
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

/// The standing change with this branch, or this proposal's id or the beginning of it.
fn named<'a>(state: &'a State, id: &str) -> Result<(&'a str, &'a AppliedBranch), Failure> {
    let standing = state.standing();
    if let Some(found) = standing.iter().find(|(_, applied)| applied.branch == id || applied.commit == id) {
        return Ok(*found);
    }
    let of_event = |applied: &AppliedBranch| applied.assets.event.as_deref() == Some(id);
    let matches =
        |proposal: &str, applied: &AppliedBranch| !id.is_empty() && (proposal.starts_with(id) || of_event(applied));
    let found: Vec<_> = standing.iter().filter(|(proposal, applied)| matches(proposal, applied)).collect();
    match found.as_slice() {
        [one] => Ok(**one),
        [] => {
            let message = format!("no change that gephost published and that stands is called {id:?}");
            Err(Failure::new(Exit::Usage, "not_applied", message).hint(listed(&standing)))
        }
        many => {
            let many: Vec<_> = many.iter().map(|found| **found).collect();
            let message = format!("{id:?} is the name of {} changes that stand", many.len());
            Err(Failure::new(Exit::Usage, "ambiguous", message).hint(listed(&many)))
        }
    }
}

fn listed(standing: &[(&str, &AppliedBranch)]) -> String {
    if standing.is_empty() {
        return "none stands; `gephost log` shows what was".to_owned();
    }
    let branches: Vec<&str> = standing.iter().map(|(_, applied)| applied.branch.as_str()).collect();
    format!("these stand: {}", branches.join(", "))
}

fn failure(error: &RollbackError) -> Failure {
    let (exit, code) = match error {
        RollbackError::Drop(DropError::Git { .. } | DropError::Io { .. }) => (Exit::Failed, "rollback"),
        RollbackError::Drop(_) | RollbackError::Elsewhere { .. } | RollbackError::Revert { .. } => {
            (Exit::Conflict, "depended_on")
        }
        RollbackError::Publish(PublishError::BaseMoved { .. }) => (Exit::Conflict, "base_moved"),
        RollbackError::Identity(_) => (Exit::Usage, "config"),
        _ => (Exit::Failed, "rollback"),
    };
    Failure::new(exit, code, error.to_string())
}
