//! `gephost report`: the figures of all cycles and what the published changes did; with an id, the story of one cycle.

use std::fmt::Write as _;

use gephost_app::observe::LogOptions;
use gephost_app::{Project, state_of};
use gephost_core::event_log::{Cycle, Entry, EntryBody, State, Tally};
use gephost_runner::registry::Registry;
use serde_json::{Value, json};

use super::evaluation::{self, Evaluated};
use super::status::cycle_document;
use crate::args::ReportArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render::style::{bad, bold, dim, good, printable};

/// The most files that are named.
const TOP_FILES: usize = 10;

pub(super) fn run(environment: &Environment, arguments: &ReportArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let measured = evaluate(&folder)?;
    let entries = folder.entries()?;
    let state = state_of(&entries)?;
    match &arguments.id {
        None => Ok(summary(&entries, &measured)),
        Some(id) => {
            let cycle = find(&state, id)?;
            story(&folder, &entries, &state, cycle, &measured)
        }
    }
}

/// What the published changes did, over the logs of now. Nothing where nothing was published.
fn evaluate(folder: &Project) -> Result<Vec<Evaluated>, Failure> {
    if folder.log_state()?.standing().is_empty() || !folder.is_in_repository() {
        return Ok(Vec::new());
    }
    let observation = folder.observe(&LogOptions::default())?;
    evaluation::update(folder, &folder.repository()?, &observation.events)
}

fn summary(entries: &[Entry], measured: &[Evaluated]) -> Report {
    let tally = Tally::of(entries.iter().map(|entry| &entry.body));
    let mut text = String::new();
    let figures = [
        ("Proposed", tally.proposed),
        ("Passed", tally.passed),
        ("Rejected", tally.rejected),
        ("Attempted", tally.attempted),
        ("Succeeded", tally.succeeded),
        ("Failed", tally.failed),
        ("Taken back", tally.rolled_back),
    ];
    for (name, figure) in figures {
        let _ = writeln!(text, "{}  {figure}", bold(format!("{name:<10}")));
    }
    let percent = tally.success_percent();
    let _ = writeln!(text, "{}  {percent:.1} % of the attempts that ended", bold("Success   "));
    let risks: Vec<String> = (0..).zip(tally.risk_histogram).filter(|(_, count)| *count > 0).map(risk).collect();
    if !risks.is_empty() {
        let _ = writeln!(text, "{}  {}", bold("Risk      "), risks.join(", "));
    }
    for (file, count) in tally.top_files(TOP_FILES) {
        let _ = writeln!(text, "{}  {count:>4}  {}", bold("File      "), printable(file));
    }
    text.push_str(&evaluation::page(measured));
    let top: Vec<Value> =
        tally.top_files(TOP_FILES).iter().map(|(file, count)| json!({ "file": file, "count": count })).collect();
    let document = json!({
        "schema": "gephost.report/1",
        "counts": {
            "proposed": tally.proposed, "passed": tally.passed, "rejected": tally.rejected,
            "attempted": tally.attempted, "succeeded": tally.succeeded, "failed": tally.failed,
            "rolled_back": tally.rolled_back,
        },
        "success_percent": percent,
        "risk_histogram": tally.risk_histogram,
        "top_files": top,
        "evaluations": evaluation::documents(measured),
    });
    Report { exit: Exit::Done, document, text }
}

fn risk((ten, count): (u32, u64)) -> String {
    let most = if ten == 9 { 100 } else { ten * 10 + 9 };
    format!("{count} at {} to {most}", ten * 10)
}

/// The newest cycle with this id, with this proposal, or that published this branch.
fn find<'a>(state: &'a State, id: &str) -> Result<&'a Cycle, Failure> {
    let branch_of = |proposal: &String| {
        state.proposal(proposal).is_some_and(|proposal| proposal.applied.iter().any(|applied| applied.branch == id))
    };
    let mut newest = state.cycles().iter().rev();
    newest
        .find(|cycle| {
            cycle.id == id
                || cycle.candidates.iter().any(|candidate| candidate == id)
                || cycle.winner.iter().any(branch_of)
        })
        .ok_or_else(|| {
            let message = format!("there is no cycle, proposal or branch {:?} in the log", printable(id));
            Failure::new(Exit::Usage, "unknown_id", message).hint("`gephost log` shows them all")
        })
}

/// One cycle: finding, candidates with verdict and validation, branch, evaluation.
fn story(
    folder: &Project,
    entries: &[Entry],
    state: &State,
    cycle: &Cycle,
    measured: &[Evaluated],
) -> Result<Report, Failure> {
    let started = |entry: &Entry| matches!(&entry.body, EntryBody::CycleStarted { cycle: id, .. } if *id == cycle.id);
    let begin = entries.iter().position(started).unwrap_or_default();
    let mut text = format!("{}  {}\n", bold("Cycle     "), cycle.id);
    if let Some(finding) = &cycle.finding {
        let _ = writeln!(text, "{}  {}  {}", bold("Finding   "), printable(&finding.title), dim(&finding.gene));
    }
    let mut candidates = Vec::new();
    for id in &cycle.candidates {
        let candidate = Candidate::of(folder, entries, begin, state, cycle, id)?;
        text.push_str(&candidate.page());
        candidates.push(candidate.document());
    }
    let own: Vec<&Evaluated> = measured.iter().filter(|one| Some(&one.proposal) == cycle.winner.as_ref()).collect();
    let own = own.into_iter().map(|one| Evaluated {
        proposal: one.proposal.clone(),
        branch: one.branch.clone(),
        finding: one.finding.clone(),
        impact: one.impact,
    });
    let own: Vec<Evaluated> = own.collect();
    text.push_str(&evaluation::page(&own));
    let document = json!({
        "schema": "gephost.cycle/1",
        "cycle": cycle_document(cycle),
        "candidates": candidates,
        "evaluations": evaluation::documents(&own),
    });
    Ok(Report { exit: Exit::Done, document, text })
}

/// What the log and the assets have of one candidate of a cycle.
struct Candidate {
    id: String,
    title: String,
    gene: Option<String>,
    risk: Option<u8>,
    files: Vec<String>,
    fate: String,
    reason: String,
    branch: Option<String>,
    report: Option<Value>,
}

impl Candidate {
    fn of(
        folder: &Project,
        entries: &[Entry],
        begin: usize,
        state: &State,
        cycle: &Cycle,
        id: &str,
    ) -> Result<Self, Failure> {
        let known = state.proposal(id);
        let (mut risk, mut files) = (None, Vec::new());
        for entry in entries.iter().take(begin) {
            if let EntryBody::Gated { proposal, risk_score, files: named, .. } = &entry.body
                && proposal == id
            {
                (risk, files) = (Some(*risk_score), named.clone());
            }
        }
        let (mut branch, mut report) = (None, None);
        let of_cycle =
            entries.iter().skip(begin + 1).take_while(|entry| !matches!(entry.body, EntryBody::CycleStarted { .. }));
        for entry in of_cycle {
            match &entry.body {
                EntryBody::Applied { proposal, branch: made, .. } if proposal == id => branch = Some(made.clone()),
                EntryBody::ValidationFinished { proposal, report: made, .. } if proposal == id => {
                    report = Some(made.clone());
                }
                _ => {}
            }
        }
        let tried = cycle.tried.iter().flatten().find(|tried| tried.proposal == id);
        Ok(Self {
            id: id.to_owned(),
            title: known.map(|known| known.title.clone()).unwrap_or_default(),
            gene: known.and_then(|known| known.gene.clone()),
            risk,
            files,
            fate: tried.map_or("not_ended", |tried| tried.fate.as_str()).to_owned(),
            reason: tried.map(|tried| tried.reason.clone()).unwrap_or_default(),
            branch,
            report: report.map(|id| read_report(folder, &id)).transpose()?.flatten(),
        })
    }

    fn page(&self) -> String {
        let mut text = format!("{}  {}  {}\n", bold("Proposal  "), printable(&self.title), dim(&self.id));
        let risk = self.risk.map(|risk| format!(", risk {risk} of 100")).unwrap_or_default();
        let gene = self.gene.as_deref().unwrap_or("a person");
        let _ = writeln!(text, "            by {}: {}{risk}", printable(gene), printable(&self.files.join(", ")));
        let fate = if self.branch.is_some() { good(&self.fate) } else { bad(&self.fate) };
        let _ = writeln!(text, "            {fate}: {}", printable(&self.reason));
        for command in self.report.iter().filter_map(|report| report["commands"].as_array()).flatten() {
            let ending = |end: &Value| {
                let exit = if end["timed_out"] == true {
                    "ran out of time".to_owned()
                } else {
                    format!("exit {}", end["exit"])
                };
                let count = |key: &str| end["tests"][key].as_u64().unwrap_or_default();
                let tests =
                    format!(", {} passed, {} failed, {} skipped", count("passed"), count("failed"), count("skipped"));
                if end["tests"].is_null() { exit } else { exit + &tests }
            };
            let name = command["command"].as_str().map(printable).unwrap_or_default();
            let before = if command["before"].is_null() { "not run".to_owned() } else { ending(&command["before"]) };
            let _ = writeln!(text, "            {name}: before {before}; after {}", ending(&command["after"]));
        }
        if let Some(branch) = &self.branch {
            let _ = writeln!(text, "{}  {}", bold("Branch    "), good(branch));
        }
        text
    }

    fn document(&self) -> Value {
        json!({
            "proposal": self.id, "title": self.title, "gene": self.gene, "risk_score": self.risk, "files": self.files,
            "fate": self.fate, "reason": self.reason, "branch": self.branch, "validation_report": self.report,
        })
    }
}

fn read_report(folder: &Project, id: &str) -> Result<Option<Value>, Failure> {
    let reports = Registry::new(folder.state.assets())
        .reports()
        .map_err(|error| Failure::new(Exit::Failed, "assets", error.to_string()))?;
    let found = reports.into_iter().rev().find(|report| report.id == id);
    Ok(found.map(|report| Value::Object(report.document().clone())))
}
