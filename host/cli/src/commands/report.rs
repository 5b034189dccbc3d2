//! `gephost report`: the figures of all cycles and what the published changes did; with an id, the story of one cycle.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::report::{CandidateStory, Story, Summary};
use gephost_core::event_log::Fate;
use serde_json::{Value, json};

use super::status::cycle_document;
use crate::args::ReportArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;
use crate::render::style::{bad, bold, dim, good, printable};

/// The most files that are named.
const TOP_FILES: usize = 10;

pub(super) fn run(environment: &Environment, arguments: &ReportArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    match &arguments.id {
        None => Ok(summary(&project.report()?)),
        Some(id) => Ok(story(&project.story(id)?)),
    }
}

fn summary(summary: &Summary) -> Report {
    let Summary { tally, impacts } = summary;
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
    let ended = tally.succeeded + tally.failed;
    if ended > 0 {
        let percent = tally.success_percent();
        let _ = writeln!(text, "{}  {percent:.1} % of the attempts that ended", bold("Success   "));
    }
    let risks: Vec<String> = (0..).zip(tally.risk_histogram).filter(|(_, count)| *count > 0).map(risk).collect();
    if !risks.is_empty() {
        let _ = writeln!(text, "{}  {}", bold("Risk      "), risks.join(", "));
    }
    for (file, count) in tally.top_files(TOP_FILES) {
        let _ = writeln!(text, "{}  {count:>4}  {}", bold("File      "), printable(file));
    }
    text.push_str(&render::impact::page(impacts));
    let top: Vec<Value> =
        tally.top_files(TOP_FILES).iter().map(|(file, count)| json!({ "file": file, "count": count })).collect();
    let document = json!({
        "schema": "gephost.report/1",
        "counts": {
            "proposed": tally.proposed, "passed": tally.passed, "rejected": tally.rejected,
            "attempted": tally.attempted, "succeeded": tally.succeeded, "failed": tally.failed,
            "rolled_back": tally.rolled_back,
        },
        "success_percent": tally.success_percent(),
        "risk_histogram": tally.risk_histogram,
        "top_files": top,
        "evaluations": render::impact::documents(impacts),
    });
    Report { exit: Exit::Done, document, text }
}

fn risk((ten, count): (u32, u64)) -> String {
    let most = if ten == 9 { 100 } else { ten * 10 + 9 };
    format!("{count} at {} to {most}", ten * 10)
}

/// One cycle: finding, candidates with verdict and validation, branch, impact.
fn story(story: &Story) -> Report {
    let Story { cycle, candidates, impacts } = story;
    let mut text = format!("{}  {}\n", bold("Cycle     "), cycle.id);
    if let Some(finding) = &cycle.finding {
        let _ = writeln!(text, "{}  {}  {}", bold("Finding   "), printable(&finding.title), dim(&finding.gene));
    }
    for candidate in candidates {
        text.push_str(&candidate_page(candidate));
    }
    text.push_str(&render::impact::page(impacts));
    let document = json!({
        "schema": "gephost.cycle/1",
        "cycle": cycle_document(cycle),
        "candidates": candidates.iter().map(candidate_document).collect::<Vec<_>>(),
        "evaluations": render::impact::documents(impacts),
    });
    Report { exit: Exit::Done, document, text }
}

fn fate(candidate: &CandidateStory) -> &'static str {
    candidate.fate.map_or("not_ended", Fate::as_str)
}

fn candidate_page(candidate: &CandidateStory) -> String {
    let mut text = format!("{}  {}  {}\n", bold("Proposal  "), printable(&candidate.title), dim(&candidate.proposal));
    let risk = candidate.risk_score.map(|risk| format!(", risk {risk} of 100")).unwrap_or_default();
    let gene = candidate.gene.as_deref().unwrap_or("a person");
    let _ = writeln!(text, "            by {}: {}{risk}", printable(gene), printable(&candidate.files.join(", ")));
    let fate = if candidate.branch.is_some() { good(fate(candidate)) } else { bad(fate(candidate)) };
    let _ = writeln!(text, "            {fate}: {}", printable(&candidate.reason));
    for command in candidate.report.iter().filter_map(|report| report["commands"].as_array()).flatten() {
        let ending = |end: &Value| {
            let exit =
                if end["timed_out"] == true { "ran out of time".to_owned() } else { format!("exit {}", end["exit"]) };
            let count = |key: &str| end["tests"][key].as_u64().unwrap_or_default();
            let tests =
                format!(", {} passed, {} failed, {} skipped", count("passed"), count("failed"), count("skipped"));
            if end["tests"].is_null() { exit } else { exit + &tests }
        };
        let name = command["command"].as_str().map(printable).unwrap_or_default();
        let before = if command["before"].is_null() { "not run".to_owned() } else { ending(&command["before"]) };
        let _ = writeln!(text, "            {name}: before {before}; after {}", ending(&command["after"]));
    }
    if let Some(branch) = &candidate.branch {
        let _ = writeln!(text, "{}  {}", bold("Branch    "), good(branch));
    }
    text
}

fn candidate_document(candidate: &CandidateStory) -> Value {
    json!({
        "proposal": candidate.proposal, "title": candidate.title, "gene": candidate.gene,
        "risk_score": candidate.risk_score, "files": candidate.files, "fate": fate(candidate),
        "reason": candidate.reason, "branch": candidate.branch, "validation_report": candidate.report,
    })
}
