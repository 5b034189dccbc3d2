//! `gephost approve` and `gephost reject`: what a person says to proposals that autopilot may not apply by itself.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::apply::ApplyOptions;
use gephost_app::approvals::Approval;
use gephost_core::event_log::State;
use serde_json::json;

use super::cycle::exit_of_ended;
use crate::args::{ApproveArguments, RejectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;

pub(super) fn approve(environment: &Environment, arguments: &ApproveArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let Some(asked) = &arguments.proposal else { return Ok(list(&*project.log_state()?)) };
    let options = ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() };
    let approval = project.approve(asked, arguments.by.as_deref(), &options)?;
    let Approval { proposal, approver, judged, applied } = &approval;
    let mut text = render::cycle::candidate(judged);
    let exit = match applied {
        Some(ended) => {
            text.push_str(&render::applied::page_of_one(ended));
            exit_of_ended(ended)
        }
        None if !judged.passes() => {
            text.push_str("\nRejected by the gate on the base of now. Nothing was changed; it still waits.\n");
            let _ = writeln!(text, "To take it out of the queue: gephost reject {proposal} --why TEXT");
            Exit::Refused
        }
        None => {
            text.push_str("\nNothing was changed or recorded. ");
            let _ = writeln!(text, "To approve and apply it: gephost approve {proposal} --apply");
            Exit::Done
        }
    };
    let document = json!({
        "schema": "gephost.approval/1",
        "proposal": proposal,
        "approver": approver,
        "verdict": judged.verdict,
        "diff": judged.verdict.diff(),
        "applied": applied.as_ref().map(render::applied::document_of_one),
    });
    Ok(Report { exit, document, text })
}

pub(super) fn reject(environment: &Environment, arguments: &RejectArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let rejected = project.reject(&arguments.proposal, arguments.by.as_deref(), &arguments.why)?;
    let text = format!("{} is rejected; autopilot does not try it again.\n", rejected.proposal);
    let document = json!({
        "schema": "gephost.rejection/1",
        "proposal": rejected.proposal,
        "approver": rejected.approver,
        "why": rejected.why,
    });
    Ok(Report { exit: Exit::Done, document, text })
}

/// All that waits.
fn list(state: &State) -> Report {
    let document = json!({ "schema": "gephost.queue/1", "waiting": render::queue::documents(state) });
    let mut text = render::queue::page(state);
    if text.is_empty() {
        text.push_str("Nothing waits for a person.\n");
    }
    Report { exit: Exit::Done, document, text }
}
