//! `gephost apply`: a saved proposal, gated again against the base of now, validated and published.

use gephost_app::Project;
use gephost_core::event_log::Contents;
use gephost_core::gate::Decision;
use gephost_core::proposal::Change;
use gephost_runner::cycle::publish::{Ended, Subject};
use gephost_runner::cycle::{Judged, gate, gene_history};
use gephost_runner::registry::Registry;
use gephost_runner::worktree;
use serde_json::{Value, json};

use super::gate as gate_command;
use super::publish::{self, Applying, Attempt, Wish};
use crate::args::ApplyArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;
use crate::render::style::printable;

pub(super) fn run(environment: &Environment, output: Output, arguments: &ApplyArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let proposal = gate_command::read_proposal(environment, &arguments.file)?.map_err(|error| {
        Failure::new(Exit::Usage, "proposal", format!("{}: {error}", arguments.file.display()))
            .hint("a proposal is a JSON object with `unified_diff` or `changes`, or a bare unified diff")
    })?;
    let wish = Wish { apply: arguments.apply, land: arguments.land, why: arguments.why.as_deref() };
    let command = format!("apply {} --apply", proposal.id);
    let applying = Applying::begin(&folder, wish, &command)?;
    let project = folder.repository()?;
    let base = gephost_app::base(&project)?;
    let past = folder.past()?;
    let tried = gene_history(proposal.gene.as_deref(), &past.attempts);
    let policy = folder.config.grants.policy_for(&folder.config.policy, proposal.gene.as_deref());
    let verdict = gate(proposal.clone(), &base, &policy, tried)
        .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
    let judged = Judged { proposal, verdict };
    check_base(&folder, &judged)?;
    let mut text = render::cycle::candidate(&judged);
    let passed = judged.verdict.decision() == Decision::Pass;
    let mut applied = Value::Null;
    let exit = match applying {
        _ if !passed => {
            text.push_str("\nRejected by the gate. Nothing was changed.\n");
            Exit::Refused
        }
        None => {
            text.push_str("\nDry run. Nothing was changed. To apply it: the same command with --apply\n");
            Exit::Done
        }
        Some(applying) => {
            output.note(&format!("validating: {}", printable(&judged.proposal.title)));
            let ended = apply(environment, &folder, &project, &judged, &applying)?;
            text.push_str(&publish::page(&[&judged], &ended));
            applied = publish::documents(&ended).into_iter().next().unwrap_or_default();
            if ended.published.is_none() {
                text.push_str("Nothing was published; your checkout is as it was.\n");
            }
            publish::exit_of_ended(&ended)
        }
    };
    let document = json!({
        "schema": "gephost.apply/1",
        "ok": exit == Exit::Done || applied["success"] == true,
        "verdict": judged.verdict,
        "diff": judged.verdict.diff(),
        "applied": applied,
    });
    Ok(Report { exit, document, text })
}

/// Refuses a whole content, or a deletion, that was proposed for another state of its file: it would take back what was
/// done to that since. A diff says itself what it is for.
fn check_base(folder: &Project, judged: &Judged) -> Result<(), Failure> {
    let state = folder.log_state()?;
    let (Some(known), Some(approved)) = (state.proposal(&judged.proposal.id), judged.verdict.approved()) else {
        return Ok(());
    };
    let now = publish::contents(approved);
    let moved = judged.proposal.changes.iter().find_map(|change| {
        let (Change::NewContent { path, .. } | Change::Delete { path }) = change else { return None };
        let of = |contents: &[Contents]| contents.iter().find(|one| one.path == *path).map(|one| one.before.clone());
        let then = of(&known.contents)?;
        (of(&now) != Some(then)).then_some(path)
    });
    let Some(path) = moved else { return Ok(()) };
    let message = format!(
        "proposal {} has the whole content of {}, which changed since it was proposed: it would take that back",
        judged.proposal.id,
        printable(path)
    );
    Err(Failure::new(Exit::Conflict, "stale_base", message).hint("let the gene propose anew: gephost run"))
}

fn apply(
    environment: &Environment,
    folder: &Project,
    project: &worktree::Project,
    judged: &Judged,
    applying: &Applying<'_>,
) -> Result<Ended, Failure> {
    publish::remember(folder, &[], std::slice::from_ref(judged), None)?;
    let genes = Registry::new(folder.state.assets())
        .genes()
        .map_err(|error| Failure::new(Exit::Failed, "assets", error.to_string()))?;
    let gene = genes.iter().find(|gene| Some(&gene.id) == judged.proposal.gene.as_ref());
    let attempt = Attempt { judged, gene };
    publish::publish_approved(environment, folder, project, &[attempt], &[], Subject::default(), applying)
}
