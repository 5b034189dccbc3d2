//! `gephost approve` and `gephost reject`: what a person says to proposals that autopilot may not apply by itself.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::apply::ApplyOptions;
use gephost_app::approvals::{Approval, Rejection};
use schemars::JsonSchema;
use serde::Serialize;

use super::apply::JudgedPart;
use super::cycle::exit_of_ended;
use crate::args::{ApproveArguments, RejectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::applied;
use crate::render::cycle::candidate;
use crate::render::queue::{self, WaitingRow};

pub(super) fn approve(environment: &Environment, arguments: &ApproveArguments) -> Result<Report, Failure> {
    let project = Project::open_for(environment, arguments.apply)?;
    let Some(asked) = &arguments.proposal else { return list(&project) };
    let options = ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() };
    let approval = project.approve(asked, arguments.by.as_deref(), &options)?;
    Ok(Report::of(&ApprovalPage::of(&approval)))
}

/// A proposal that somebody looked at or approved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovalPage<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// Who approved it; null if it was only looked at.
    approver: Option<&'a str>,
    #[serde(flatten)]
    judged: JudgedPart<'a>,
    #[serde(skip)]
    approval: &'a Approval,
}

impl<'a> ApprovalPage<'a> {
    fn of(approval: &'a Approval) -> Self {
        Self {
            proposal: &approval.proposal,
            approver: approval.approver.as_deref(),
            judged: JudgedPart::of(&approval.judged.verdict, approval.applied.as_ref()),
            approval,
        }
    }
}

impl Page for ApprovalPage<'_> {
    const KIND: &'static str = "approval";

    fn text(&self) -> String {
        let Approval { proposal, judged, applied, .. } = self.approval;
        let mut text = candidate(judged, None);
        match applied {
            Some(ended) => text.push_str(&applied::page_of_one(ended)),
            None if !judged.passes() => {
                text.push_str("\nRejected by the gate on the current base. Nothing was changed, and the proposal still awaits approval.\n");
                let _ = writeln!(text, "To take it out of the queue: gephost reject {proposal} --why TEXT");
            }
            None => {
                text.push_str("\nNothing was changed or recorded. ");
                let _ = writeln!(text, "To approve and apply it: gephost approve {proposal} --apply");
            }
        }
        text
    }

    fn exit(&self) -> Exit {
        match &self.approval.applied {
            Some(ended) => exit_of_ended(ended),
            None if !self.approval.judged.passes() => Exit::Refused,
            None => Exit::Done,
        }
    }
}

pub(super) fn reject(environment: &Environment, arguments: &RejectArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let rejected = project.reject(&arguments.proposal, arguments.by.as_deref(), &arguments.why)?;
    let Rejection { proposal, approver, why } = rejected;
    let undo = format!("gephost apply {} --apply", project.proposal_file(&proposal).display());
    Ok(Report::of(&RejectionPage { proposal, approver, why, undo }))
}

/// A proposal that was rejected.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RejectionPage {
    /// Its id.
    proposal: String,
    /// Who rejected it.
    approver: String,
    /// Why.
    why: String,
    /// The command that applies it all the same.
    undo: String,
}

impl Page for RejectionPage {
    const KIND: &'static str = "rejection";

    fn text(&self) -> String {
        let Self { proposal, undo, .. } = self;
        format!("{proposal} is rejected; autopilot does not try it again.\n  undo:  {undo}\n")
    }
}

fn list(project: &Project) -> Result<Report, Failure> {
    let state = project.log_state()?;
    Ok(Report::of(&QueuePage { waiting: queue::rows(&state) }))
}

/// Every proposal that awaits approval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QueuePage<'a> {
    /// By id.
    waiting: Vec<WaitingRow<'a>>,
}

impl Page for QueuePage<'_> {
    const KIND: &'static str = "queue";

    fn text(&self) -> String {
        if self.waiting.is_empty() { "No proposal awaits approval.\n".to_owned() } else { queue::page(&self.waiting) }
    }
}
