//! `gephost run`: a whole cycle.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::cycle::Proposals;
use gephost_app::gene_call::GeneCall;
use gephost_app::observe::ReadingState;
use gephost_app::run::{AlreadyPublished, RunEnding, RunReport};
use gephost_core::diagnosis::Diagnosis;
use gephost_core::observe::FileSummary;
use gephost_core::select::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::ending::{exit_of_ended, exit_of_model};
use super::options::{apply_options, running, settle};
use super::proposals::{CandidateRow, calls, candidates, page};
use super::view::View;
use crate::args::RunArguments;
use crate::commands::status::BaseCommit;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render;
use crate::render::applied::AppliedRow;
use crate::render::explain::CallAudit;
use crate::render::impact::{self, EvaluationRow};
use crate::render::model::ModelDocument;
use crate::render::reading::ObservedRow;
use crate::render::signature::{self, VouchedRow};
use crate::render::style::{bad, bold, good, note, printable};
use crate::render::unanswered::{INIT, UnansweredRow};

pub(crate) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let project = Project::open_for(environment, arguments.apply)?;
    let cycle = &arguments.select.cycle;
    let unread = settle(output, &project, &cycle.log, cycle, "gephost run --yes");
    let ran = project.run(&running(environment, arguments)?, &apply_options(arguments))?;
    let view = View::new(&project, Some(output), cycle, unread.as_ref());
    Ok(Report::of(&RunPage::of(&ran, arguments.apply, view)))
}

/// A whole cycle.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunPage<'a> {
    /// The project's folder.
    project: String,
    /// The commit that the cycle started from; null without git.
    base: Option<BaseCommit<'a>>,
    /// What was read.
    observed: ObservedRow<'a>,
    /// The logs that were read.
    files: &'a [FileSummary],
    /// What goes wrong again and again.
    diagnosis: &'a Diagnosis,
    /// Which gene was asked.
    selection: &'a Selection,
    /// The genes that came as files, and who vouches for each.
    genes: Vec<VouchedRow<'a>>,
    /// Its candidates, best first.
    candidates: Vec<CandidateRow<'a>>,
    /// The calls of genes.
    calls: Vec<&'a GeneCall>,
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
    /// If there are findings and nothing is proposed: who was asked, and where to begin.
    unanswered: Option<UnansweredRow<'a>>,
    /// What was tried; null for a dry run and without a candidate.
    applied: Option<AppliedPart<'a>>,
    /// The branch that has the change already, so that nothing was tried; else null.
    already_published: Option<PublishedRow<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    /// What earlier published changes did to their findings.
    evaluations: Vec<EvaluationRow<'a>>,
    #[serde(skip)]
    ran: &'a RunReport,
    #[serde(skip)]
    applying: bool,
    #[serde(skip)]
    view: View<'a>,
}

/// A branch that was published before.
#[derive(Debug, Serialize, JsonSchema)]
struct PublishedRow<'a> {
    /// Id of the proposal that it was published for.
    proposal: &'a str,
    /// Its name.
    branch: &'a str,
    /// Full hexadecimal id of its commit.
    commit: &'a str,
}

/// The candidates that were tried.
#[derive(Debug, Serialize, JsonSchema)]
struct AppliedPart<'a> {
    /// Whether one was published.
    ok: bool,
    /// Each of them, in the order of the trials.
    tried: Vec<AppliedRow<'a>>,
}

impl<'a> RunPage<'a> {
    fn of(ran: &'a RunReport, applying: bool, view: View<'a>) -> Self {
        let Proposals { findings, proposed, .. } = &ran.proposals;
        Self {
            project: view.project.root.display().to_string(),
            base: findings.head.as_ref().map(BaseCommit::of),
            observed: view.observed(findings),
            files: &findings.files,
            diagnosis: &findings.diagnosed.diagnosis,
            selection: &proposed.selection,
            genes: signature::rows(&findings.vouched),
            candidates: candidates(proposed),
            calls: calls(&ran.proposals).collect(),
            model: findings.consulted.as_ref().map(render::model::document),
            unanswered: view.unanswered(&ran.proposals),
            applied: applied(&ran.ending),
            already_published: already_published(&ran.ending),
            explain: view.audits(calls(&ran.proposals)),
            evaluations: impact::rows(&ran.impacts),
            ran,
            applying,
            view,
        }
    }
}

impl Page for RunPage<'_> {
    const KIND: &'static str = "run";

    fn text(&self) -> String {
        let mut text = page(self.view, &self.ran.proposals);
        text.push_str(&signature::lines(&self.genes));
        text.push_str(&ending(self.view, self.applying, &self.ran.proposals, &self.ran.ending));
        // `gephost report` says of the others why nothing is known yet.
        text.push_str(&impact::page(self.evaluations.iter().filter(|row| row.is_answer())));
        text
    }

    fn exit(&self) -> Exit {
        let Proposals { findings, proposed, .. } = &self.ran.proposals;
        let exit = exit_of_model(findings.consulted.as_ref()).or_else(|| render::model::exit_of_texts(proposed));
        exit.unwrap_or_else(|| exit_of(&self.ran.ending))
    }
}

fn exit_of(ending: &RunEnding) -> Exit {
    match ending {
        RunEnding::NoCandidate | RunEnding::AlreadyPublished(_) | RunEnding::DryRun(_) => Exit::Done,
        RunEnding::Refused => Exit::Refused,
        RunEnding::Waits(_) => Exit::Waits,
        RunEnding::Applied(_) => ending.published().map_or(Exit::Invalid, exit_of_ended),
    }
}

/// How a cycle ended, for a person.
fn ending(view: View<'_>, applying: bool, proposals: &Proposals, ending: &RunEnding) -> String {
    match ending {
        RunEnding::NoCandidate if proposals.findings.diagnosed.diagnosis.findings.is_empty() => {
            // If nothing was read, the page has said what to do.
            let is_read = proposals.findings.reading.state == ReadingState::Read;
            if is_read { "Nothing to do.\n".to_owned() } else { String::new() }
        }
        RunEnding::NoCandidate => {
            let unanswered = view.unanswered(proposals).map(|unanswered| unanswered.text());
            format!("{}Nothing was changed.\n", unanswered.unwrap_or_default())
        }
        RunEnding::Refused if applying => {
            format!("\n{} Nothing was changed.\n{}", bad("The gate refused every candidate."), first_step(view))
        }
        RunEnding::Refused => {
            let dry = bold("Dry run.");
            format!("\n{dry} The gate refused every candidate. Nothing was changed.\n{}", first_step(view))
        }
        RunEnding::DryRun(file) => {
            let lock = view.lock().map(|lock| format!(" ({})", lock.text())).unwrap_or_default();
            let file = file.as_ref().map(|file| format!(" The proposal is saved as\n  {}", file.display()));
            let saved = format!("\n{} Nothing was changed.{}\n", bold("Dry run."), file.unwrap_or_default());
            let command = printable(&view.command("gephost run --apply"));
            format!("{saved}To validate it and publish a branch: {command}{lock}\n")
        }
        RunEnding::Waits(file) => {
            let waits = note("It weakens tests, so a person decides.");
            let command = printable(&format!("gephost apply {} --apply", file.display()));
            format!("\n{waits} Nothing was changed. To apply it all the same:\n  {command}\n")
        }
        RunEnding::AlreadyPublished(AlreadyPublished { branch, .. }) => format!(
            "\nAlready published as {}; nothing was changed.\n{}",
            good(branch),
            render::applied::branch_lines(branch)
        ),
        RunEnding::Applied(tried) => {
            let mut text: String = tried.iter().map(render::applied::page).collect();
            if ending.published().is_none() {
                let none = bad("No candidate held.");
                let _ = writeln!(text, "{none} Nothing was published; your checkout is as it was.");
            }
            text
        }
    }
}

/// What to do where no config says what may change; else nothing.
fn first_step(view: View<'_>) -> String {
    if view.lacks_config() {
        format!("{}  {}\n", bold("Next      "), INIT.join("\n            "))
    } else {
        String::new()
    }
}

/// The same for a program.
fn applied(ending: &RunEnding) -> Option<AppliedPart<'_>> {
    match ending {
        RunEnding::Applied(tried) => {
            let tried = tried.iter().flat_map(render::applied::documents).collect();
            Some(AppliedPart { ok: ending.published().is_some(), tried })
        }
        RunEnding::NoCandidate
        | RunEnding::Refused
        | RunEnding::AlreadyPublished(_)
        | RunEnding::DryRun(_)
        | RunEnding::Waits(_) => None,
    }
}

fn already_published(ending: &RunEnding) -> Option<PublishedRow<'_>> {
    let RunEnding::AlreadyPublished(AlreadyPublished { proposal, branch, commit }) = ending else { return None };
    Some(PublishedRow { proposal, branch, commit })
}
