//! `gephost approve` and `gephost reject`: what a person says to proposals that autopilot may not apply by itself.
//!
//! Approved is applied the same way as everything: judged anew on the base of now, validated, published as a branch.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::event_log::{Contents, EntryBody, State, Waiting};
use gephost_core::gate::Decision;
use gephost_core::proposal::MAX_JSON_BYTES;
use gephost_runner::cycle::publish::{Ended, Subject};
use gephost_runner::cycle::{Judged, gate, gene_history};
use gephost_runner::registry::Registry;
use serde_json::{Value, json};

use super::publish::{self, Applying, Attempt, Wish};
use super::{gate as gate_command, said};
use crate::args::{ApproveArguments, RejectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;
use crate::render::style::{bold, dim, printable};

pub(super) fn approve(
    environment: &Environment,
    output: Output,
    arguments: &ApproveArguments,
) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let state = folder.log_state()?;
    let Some(asked) = &arguments.proposal else { return Ok(list(&state)) };
    let (id, waiting) = find(&state, asked)?;
    let approver = approver(environment, arguments.by.as_deref())?;
    publish::check_stops(environment, &folder)?;
    let command = format!("approve {id} --apply");
    let wish = Wish { apply: arguments.apply, land: arguments.land, why: arguments.why.as_deref() };
    let applying = Applying::begin(&folder, wish, &command)?;
    let is_open = applying.is_some();
    let judged = judge(&folder, id)?;
    if let Some(approved) = judged.verdict.approved() {
        as_queued(id, waiting, &publish::contents(approved))?;
    }
    let mut text = render::cycle::candidate(&judged);
    let mut applied = Value::Null;
    let exit = if judged.verdict.decision() != Decision::Pass {
        text.push_str("\nRejected by the gate on the base of now. Nothing was changed; it still waits.\n");
        let _ = writeln!(text, "To take it out of the queue: gephost reject {id} --why TEXT");
        Exit::Refused
    } else if let Some(applying) = applying {
        let applying = Applying { approver: Some(&approver), ..applying };
        let ended = carry_out(environment, output, &folder, &judged, waiting, &applying)?;
        text.push_str(&publish::page(&[&judged], &ended));
        if ended.published.is_none() {
            text.push_str("Nothing was published; your checkout is as it was.\n");
        }
        applied = publish::documents(&ended).into_iter().next().unwrap_or_default();
        publish::exit_of_ended(&ended)
    } else {
        let _ =
            writeln!(text, "\nNothing was changed or recorded. To approve and apply it: gephost approve {id} --apply");
        Exit::Done
    };
    let document = json!({
        "schema": "gephost.approval/1",
        "proposal": id,
        "approver": is_open.then_some(approver),
        "verdict": judged.verdict,
        "diff": judged.verdict.diff(),
        "applied": applied,
    });
    Ok(Report { exit, document, text })
}

/// Writes the approval down, and applies what was approved.
fn carry_out(
    environment: &Environment,
    output: Output,
    folder: &Project,
    judged: &Judged,
    waiting: &Waiting,
    applying: &Applying<'_>,
) -> Result<Ended, Failure> {
    let signals = waiting.finding.as_ref().map(|finding| finding.signals.clone()).unwrap_or_default();
    let isolation = publish::isolation_of(folder, &judged.proposal.id)?;
    publish::remember(folder, &signals, std::slice::from_ref(judged), isolation.as_deref())?;
    let approver = applying.approver.unwrap_or(&environment.operator.name).to_owned();
    append(folder, &EntryBody::Approved { proposal: judged.proposal.id.clone(), approver })?;
    output.note(&format!("validating: {}", printable(&judged.proposal.title)));
    let genes = Registry::new(folder.state.assets())
        .genes()
        .map_err(|error| Failure::new(Exit::Failed, "assets", error.to_string()))?;
    let gene = genes.iter().find(|gene| Some(&gene.id) == judged.proposal.gene.as_ref());
    let recorded = publish::recorded_commands(folder, &waiting.calls)?;
    let subject = Subject { finding: waiting.finding.as_ref(), signals: &signals, isolation: isolation.as_deref() };
    let attempt = [Attempt { judged, gene }];
    let project = folder.repository()?;
    publish::publish_approved(environment, folder, &project, &attempt, &recorded, subject, applying)
}

/// The saved proposal, on the base of now. Its id must be that of its content: what is applied is what was queued.
fn judge(folder: &Project, id: &str) -> Result<Judged, Failure> {
    let file = folder.state.proposals().join(format!("{id}.json"));
    let broken = |why: String| {
        Failure::new(Exit::Usage, "proposal", format!("{}: {why}", file.display()))
            .hint(format!("`gephost reject {id} --why TEXT` takes it out of the queue"))
    };
    let bytes = file.read(MAX_JSON_BYTES as u64).map_err(|error| broken(error.to_string()))?;
    let bytes = bytes.ok_or_else(|| broken("it is missing".to_owned()))?;
    let proposal = gate_command::parse_proposal(bytes).map_err(|error| broken(error.to_string()))?;
    if proposal.id != id || proposal.content_id() != id {
        return Err(broken("the file was changed since it was queued".to_owned()));
    }
    let base = gephost_app::base(&folder.repository()?)?;
    let tried = gene_history(proposal.gene.as_deref(), &folder.past()?.attempts);
    let policy = folder.config.grants.policy_for(&folder.config.policy, proposal.gene.as_deref());
    let verdict = gate(proposal.clone(), &base, &policy, tried)
        .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
    Ok(Judged { proposal, verdict })
}

/// Refuses what would not do what was queued: the files that it changes are not those of then. A whole new content would
/// take back what was done to them since.
fn as_queued(id: &str, waiting: &Waiting, now: &[Contents]) -> Result<(), Failure> {
    if waiting.contents == now {
        return Ok(());
    }
    let moved: Vec<_> = now.iter().filter(|change| !waiting.contents.contains(change)).collect();
    let paths = moved.iter().map(|change| printable(&change.path)).collect::<Vec<_>>().join(", ");
    let message = format!("proposal {id} was queued for another base: {paths} changed since");
    let hint = format!("`gephost reject {id} --why TEXT` takes it out of the queue, and autopilot proposes anew");
    Err(Failure::new(Exit::Conflict, "stale_base", message).hint(hint))
}

pub(super) fn reject(environment: &Environment, arguments: &RejectArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let state = folder.log_state()?;
    let (id, _) = find(&state, &arguments.proposal)?;
    let approver = approver(environment, arguments.by.as_deref())?;
    let why = said(&mut folder.config.policy.redactor(), "--why", &arguments.why)?;
    let body = EntryBody::Declined { proposal: id.to_owned(), approver: approver.clone(), why: why.clone() };
    append(&folder, &body)?;
    let text = format!("{id} is rejected; autopilot does not try it again.\n");
    let document = json!({ "schema": "gephost.rejection/1", "proposal": id, "approver": approver, "why": why });
    Ok(Report { exit: Exit::Done, document, text })
}

/// What waits, whole.
fn list(state: &State) -> Report {
    let document = json!({ "schema": "gephost.queue/1", "waiting": queue(state) });
    let mut text = waiting_lines(state);
    if text.is_empty() {
        text.push_str("Nothing waits for a person.\n");
    }
    Report { exit: Exit::Done, document, text }
}

/// What waits, for a program.
pub(super) fn queue(state: &State) -> Vec<Value> {
    let waiting = state.queue().waiting().map(|(id, waiting)| {
        json!({
            "proposal": id,
            "title": state.proposal(id).map(|proposal| proposal.title.clone()),
            "risk_score": waiting.risk_score,
            "max_risk": waiting.max_risk,
            "finding": waiting.finding,
        })
    });
    waiting.collect()
}

/// What waits, for a person; nothing where nothing does.
pub(super) fn waiting_lines(state: &State) -> String {
    let mut text = String::new();
    for (id, waiting) in state.queue().waiting() {
        let title = state.proposal(id).map(|proposal| proposal.title.as_str()).unwrap_or_default();
        let risk = format!("risk {} of 100, over {}", waiting.risk_score, waiting.max_risk);
        let _ = writeln!(text, "{}  {id}  {}  {}", bold("Waits     "), printable(title), dim(risk));
        let _ = writeln!(text, "  look:     gephost approve {id}");
        let _ = writeln!(text, "  approve:  gephost approve {id} --apply");
        let _ = writeln!(text, "  reject:   gephost reject {id} --why TEXT");
    }
    text
}

/// The waiting proposal with this id, or with the only id that begins so.
fn find<'a>(state: &'a State, asked: &str) -> Result<(&'a str, &'a Waiting), Failure> {
    let mut found: Vec<_> = state.queue().waiting().filter(|(id, _)| id.starts_with(asked)).collect();
    if let Some(exact) = found.iter().find(|(id, _)| *id == asked) {
        return Ok(*exact);
    }
    let message = match (found.len(), found.pop(), state.queue().declined(asked)) {
        (1, Some(only), _) if !asked.is_empty() => return Ok(only),
        (2.., ..) => format!("more than one id begins with {asked:?}"),
        (_, _, Some(why)) => format!("proposal {asked} was rejected ({})", printable(why)),
        _ => format!("no proposal {:?} waits for a person", printable(asked)),
    };
    Err(Failure::new(Exit::Usage, "not_waiting", message).hint("`gephost approve --list` says what waits"))
}

fn approver(environment: &Environment, by: Option<&str>) -> Result<String, Failure> {
    let name = by.unwrap_or(&environment.operator.name);
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() || line.chars().any(char::is_control) || line.len() > 200 {
        return Err(Failure::new(Exit::Usage, "usage", "`--by` is no name: one line of at most 200 bytes"));
    }
    Ok(line)
}

fn append(folder: &Project, body: &EntryBody) -> Result<(), Failure> {
    Ok(folder.append(body)?)
}
