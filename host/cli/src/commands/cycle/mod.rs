//! `gephost run`, `diagnose`, `select` and `propose`: the stages of a cycle, as far as each goes.

mod run;

use std::path::{Path, PathBuf};

use gephost_app::Project;
use gephost_app::apply::{ApplyOptions, Ended};
use gephost_app::consult::Consulted;
use gephost_app::cycle::{CycleOptions, Findings, Proposals};
use gephost_app::evidence::{DayCount, EventDetail};
use gephost_app::gene_call::GeneCall;
use gephost_app::observe::{LogOptions, ReadingState};
use gephost_app::stages::{Judged, Proposed};
use gephost_core::gate::Verdict;
use gephost_core::proposal::ProposalDocument;
use gephost_core::select::Selection;
use schemars::JsonSchema;
use serde::Serialize;

use super::{observe, own_sessions};
pub(crate) use run::{RunPage, run};

use crate::args::{CycleArguments, Diagnose, DiagnoseArguments, DiagnosisForm, RunArguments, SelectArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render;
use crate::render::explain::CallAudit;
use crate::render::findings::{self, RankedFinding};
use crate::render::model::ModelDocument;
use crate::render::reading::{ObservedRow, Unread};
use crate::render::report_file;
use crate::render::unanswered::UnansweredRow;

/// What a cycle reads and runs, as plain values.
pub(super) fn options(environment: &Environment, arguments: &CycleArguments) -> Result<CycleOptions, Failure> {
    let since = observe::since(environment, arguments.since.as_deref())?;
    Ok(CycleOptions {
        tournament: None,
        genes: arguments.gene.clone(),
        logs: LogOptions { logs: arguments.log.clone(), since, max_events: arguments.max_events },
        model: arguments.diagnose == Diagnose::Model,
        audit: arguments.audit.clone(),
        finding: None,
        days: false,
        strategy: None,
    })
}

/// The same, for a command that selects.
pub(super) fn selecting(environment: &Environment, arguments: &SelectArguments) -> Result<CycleOptions, Failure> {
    Ok(CycleOptions { strategy: arguments.strategy.map(Into::into), ..options(environment, &arguments.cycle)? })
}

/// Whether and how to apply, as plain values.
pub(super) fn apply_options(arguments: &RunArguments) -> ApplyOptions {
    ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() }
}

pub(super) fn diagnose(
    environment: &Environment,
    output: Output,
    arguments: &DiagnoseArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let mut options = options(environment, &arguments.cycle)?;
    for what in &arguments.what {
        match number(what) {
            Some(number) => options.finding = Some(number),
            None => options.logs.logs.push(what.clone()),
        }
    }
    options.days = arguments.form != DiagnosisForm::Text;
    let unread = settle(output, &project, &options.logs.logs, &arguments.cycle, "gephost diagnose --yes");
    let found = project.diagnose(&options)?;
    let view = View::new(&project, Some(output), &arguments.cycle, unread.as_ref());
    let shown = if arguments.all { usize::MAX } else { arguments.top.unwrap_or(findings::SHOWN) };
    let page =
        DiagnosisPage { shown, number: options.finding, form: arguments.form, ..DiagnosisPage::of(&found, view) };
    Ok(Report::of(&page))
}

/// The number of a finding, if an argument is one. A log whose name is a number is given as `./3`.
fn number(argument: &Path) -> Option<usize> {
    argument.to_str()?.parse().ok()
}

pub(super) fn select(
    environment: &Environment,
    output: Output,
    arguments: &SelectArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let cycle = &arguments.cycle;
    let unread = settle(output, &project, &cycle.log, cycle, "gephost select --yes");
    let (found, selection) = project.select(&selecting(environment, arguments)?)?;
    let view = View::new(&project, None, cycle, unread.as_ref());
    let explain = view.audits(&found.diagnosed.calls);
    Ok(Report::of(&SelectionPage { selection: &selection, explain, found: &found, view }))
}

pub(super) fn propose(
    environment: &Environment,
    output: Output,
    arguments: &SelectArguments,
) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let cycle = &arguments.cycle;
    let unread = settle(output, &project, &cycle.log, cycle, "gephost propose --yes");
    let proposals = project.propose(&selecting(environment, arguments)?)?;
    let view = View::new(&project, Some(output), cycle, unread.as_ref());
    Ok(Report::of(&ProposalsPage::of(&proposals, view)))
}

/// Settles whether the project's own sessions are read, if they are to be asked about.
fn settle(
    output: Output,
    project: &Project,
    named: &[PathBuf],
    arguments: &CycleArguments,
    command: &'static str,
) -> Option<Unread> {
    own_sessions::settle(output, project, named, arguments.yes, command)
}

/// What the text of a page needs beside the page's own values.
#[derive(Debug, Clone, Copy)]
struct View<'a> {
    project: &'a Project,
    /// Whether to show what genes wrote and used.
    is_verbose: bool,
    /// Whether to show what genes asked of the host.
    explains: bool,
    /// The project's own sessions that the user did not let gephost read.
    unread: Option<&'a Unread>,
}

impl<'a> View<'a> {
    fn new(
        project: &'a Project,
        output: Option<Output>,
        arguments: &CycleArguments,
        unread: Option<&'a Unread>,
    ) -> Self {
        Self { project, is_verbose: output.is_some_and(Output::verbose), explains: arguments.explain, unread }
    }

    /// If there are findings and nothing is proposed: who was asked, and where to begin.
    fn unanswered(&self, proposals: &'a Proposals) -> Option<UnansweredRow<'a>> {
        UnansweredRow::of(proposals, self.project.config.policy.table())
    }

    /// What was observed, for a program.
    fn observed(&self, found: &'a Findings) -> ObservedRow<'a> {
        ObservedRow::of(&found.reading, self.unread)
    }

    /// The same as text, with the findings. If nothing could be diagnosed, why, and what to do.
    fn findings(&self, found: &Findings, shown: usize) -> String {
        let Findings { diagnosed, files, reading, .. } = found;
        if diagnosed.diagnosis.findings.is_empty() && reading.state != ReadingState::Read {
            return render::reading::nothing(reading, files, self.unread);
        }
        let ranked = findings::ranked(&diagnosed.diagnosis.findings, &found.evidenced);
        render::cycle::observed(files) + &findings::list(&ranked, shown, diagnosed.left_out)
    }

    /// The member `explain`, if it was asked for.
    fn audits<'c>(&self, calls: impl IntoIterator<Item = &'c GeneCall>) -> Option<Vec<CallAudit<'c>>> {
        self.explains.then(|| calls.into_iter().map(render::explain::document).collect())
    }

    /// The same as text.
    fn explained<'c>(&self, calls: impl IntoIterator<Item = &'c GeneCall>) -> String {
        if self.explains { calls.into_iter().map(render::explain::call).collect() } else { String::new() }
    }
}

/// What goes wrong again and again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DiagnosisPage<'a> {
    /// What was read.
    observed: ObservedRow<'a>,
    /// The findings, most important first.
    findings: Vec<RankedFinding<'a>>,
    /// Findings below the thresholds of `[diagnose]`.
    below_thresholds: usize,
    /// The signals of the observation.
    signals: &'a [String],
    /// The calls of genes.
    calls: &'a [GeneCall],
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    /// The events of the finding that was asked for by its number, the newest first.
    #[serde(skip_serializing_if = "<[EventDetail]>::is_empty")]
    events: &'a [EventDetail],
    /// The calls of each day, with `--as markdown` and `--as html`.
    #[serde(skip_serializing_if = "<[DayCount]>::is_empty")]
    days: &'a [DayCount],
    /// The most findings that the text shows.
    #[serde(skip)]
    shown: usize,
    /// The number of the finding that the text shows whole.
    #[serde(skip)]
    number: Option<usize>,
    #[serde(skip)]
    form: DiagnosisForm,
    #[serde(skip)]
    found: &'a Findings,
    #[serde(skip)]
    view: View<'a>,
}

impl<'a> DiagnosisPage<'a> {
    fn of(found: &'a Findings, view: View<'a>) -> Self {
        let Findings { diagnosed, consulted, .. } = found;
        Self {
            observed: view.observed(found),
            findings: findings::ranked(&diagnosed.diagnosis.findings, &found.evidenced),
            below_thresholds: diagnosed.left_out,
            signals: &diagnosed.diagnosis.signals,
            calls: &diagnosed.calls,
            model: consulted.as_ref().map(render::model::document),
            explain: view.audits(&diagnosed.calls),
            events: &found.details,
            days: &found.days,
            shown: findings::SHOWN,
            number: None,
            form: DiagnosisForm::Text,
            found,
            view,
        }
    }
}

impl Page for DiagnosisPage<'_> {
    const KIND: &'static str = "diagnosis";

    fn text(&self) -> String {
        let Findings { diagnosed, consulted, head, .. } = self.found;
        let project = self.view.project.root.display().to_string();
        match self.form {
            DiagnosisForm::Markdown => return report_file::markdown(&project, &self.findings, self.days),
            DiagnosisForm::Html => return report_file::html(&project, &self.findings, self.days),
            DiagnosisForm::Text => {}
        }
        let numbered = self.number.and_then(|number| Some((number, self.findings.get(number.checked_sub(1)?)?)));
        if let Some((number, finding)) = numbered {
            return findings::whole(number, finding, self.events);
        }
        let mut text = render::cycle::header(self.view.project, head.as_ref());
        text.push_str(&self.view.findings(self.found, self.shown));
        text.push_str(&consulted.as_ref().map(render::model::page).unwrap_or_default());
        text.push_str(&self.view.explained(&diagnosed.calls));
        if self.view.is_verbose {
            text.push_str(&render::cycle::calls(&diagnosed.calls));
        }
        text
    }

    fn exit(&self) -> Exit {
        exit_of_model(self.found.consulted.as_ref()).unwrap_or(Exit::Done)
    }
}

/// Which gene would be asked, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SelectionPage<'a> {
    #[serde(flatten)]
    selection: &'a Selection,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    #[serde(skip)]
    found: &'a Findings,
    #[serde(skip)]
    view: View<'a>,
}

impl Page for SelectionPage<'_> {
    const KIND: &'static str = "selection";

    fn text(&self) -> String {
        let mut text = render::cycle::header(self.view.project, self.found.head.as_ref());
        text.push_str(&self.view.findings(self.found, findings::SHOWN));
        text.push_str(&render::cycle::selection(self.selection));
        if self.explain.is_some() {
            text.push_str(&render::cycle::scores(self.selection));
        }
        text.push_str(&self.view.explained(&self.found.diagnosed.calls));
        text
    }
}

/// What a gene, or a model, proposes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposalsPage<'a> {
    /// Which gene was asked.
    selection: &'a Selection,
    /// Its candidates, best first.
    candidates: Vec<CandidateRow<'a>>,
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
    /// If there are findings and nothing is proposed: who was asked, and where to begin.
    unanswered: Option<UnansweredRow<'a>>,
    /// What genes asked of the host, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Vec<CallAudit<'a>>>,
    #[serde(skip)]
    proposals: &'a Proposals,
    #[serde(skip)]
    view: View<'a>,
}

/// A proposal and the gate's verdict on it.
#[derive(Debug, Serialize, JsonSchema)]
struct CandidateRow<'a> {
    /// As it is saved.
    proposal: ProposalDocument<'a>,
    verdict: &'a Verdict,
    /// The change as a diff.
    diff: &'a str,
    /// Its expected worth, from 0 to 1, if several genes were asked side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    worth: Option<f64>,
    /// Id of the capsule whose change it makes again.
    #[serde(skip_serializing_if = "Option::is_none")]
    capsule: Option<&'a str>,
}

impl<'a> CandidateRow<'a> {
    fn of(judged: &'a Judged) -> Self {
        Self {
            proposal: judged.document(),
            verdict: &judged.verdict,
            diff: judged.verdict.diff(),
            worth: judged.worth,
            capsule: judged.capsule.as_deref(),
        }
    }
}

fn candidates(proposed: &Proposed) -> Vec<CandidateRow<'_>> {
    proposed.candidates.iter().map(CandidateRow::of).collect()
}

impl<'a> ProposalsPage<'a> {
    fn of(proposals: &'a Proposals, view: View<'a>) -> Self {
        let Proposals { findings, proposed, .. } = proposals;
        Self {
            selection: &proposed.selection,
            candidates: candidates(proposed),
            model: findings.consulted.as_ref().map(render::model::document),
            unanswered: view.unanswered(proposals),
            explain: view.audits(calls(proposals)),
            proposals,
            view,
        }
    }
}

impl Page for ProposalsPage<'_> {
    const KIND: &'static str = "proposals";

    fn text(&self) -> String {
        let unanswered = self.unanswered.as_ref().map(UnansweredRow::text).unwrap_or_default();
        page(self.view, self.proposals) + &unanswered
    }

    fn exit(&self) -> Exit {
        let Proposals { findings, proposed, .. } = self.proposals;
        let all_refused = !proposed.candidates.is_empty() && proposed.passed().is_none();
        let exit = exit_of_model(findings.consulted.as_ref()).or_else(|| render::model::exit_of_texts(proposed));
        exit.unwrap_or(if all_refused { Exit::Refused } else { Exit::Done })
    }
}

/// How a command ends for what became of a cycle: what was to land and did not is a conflict.
pub(super) fn exit_of_ended(ended: &Ended) -> Exit {
    match (&ended.published, ended.landed.as_ref().and_then(|landed| landed.refusal())) {
        (None, _) => Exit::Invalid,
        (Some(_), Some(_)) => Exit::Conflict,
        (Some(_), None) => Exit::Done,
    }
}

fn exit_of_model(consulted: Option<&Consulted>) -> Option<Exit> {
    consulted.and_then(render::model::exit)
}

fn calls(proposals: &Proposals) -> impl Iterator<Item = &GeneCall> {
    proposals.findings.diagnosed.calls.iter().chain(&proposals.proposed.calls)
}

/// What a cycle found and proposes, as text.
fn page(view: View<'_>, proposals: &Proposals) -> String {
    let Proposals { findings, proposed, .. } = proposals;
    let mut text = render::cycle::header(view.project, findings.head.as_ref());
    text.push_str(&view.findings(findings, findings::SHOWN));
    match &findings.consulted {
        Some(consulted) => text.push_str(&render::model::page(consulted)),
        None if findings.diagnosed.diagnosis.findings.is_empty() => {}
        None => text.push_str(&render::cycle::asked(proposed)),
    }
    let shown = proposed.passed().map_or(proposed.candidates.as_slice(), std::slice::from_ref);
    for judged in shown {
        text.push_str(&render::cycle::candidate(judged));
    }
    text.push_str(&view.explained(calls(proposals)));
    if view.is_verbose {
        text.push_str(&render::cycle::calls(&findings.diagnosed.calls));
        text.push_str(&render::cycle::calls(&proposed.calls));
    }
    text
}
