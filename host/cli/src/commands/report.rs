//! `gephost report`: the figures of all cycles and what the published changes did; with an id, the story of one cycle.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::report::{CandidateStory, Story, Summary};
use gephost_core::contest::Step;
use gephost_core::event_log::{Fate, Tally};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::status::CycleDocument;
use crate::args::ReportArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::impact::{self, EvaluationRow};
use crate::render::steps;
use crate::render::style::{bad, bold, dim, good, printable};
use crate::render::verdict::plural;

/// The most files that are named.
const TOP_FILES: usize = 10;

pub(super) fn run(environment: &Environment, arguments: &ReportArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    match &arguments.id {
        None => Ok(Report::of(&ReportPage::of(&project.report()?))),
        Some(id) => Ok(Report::of(&CyclePage::of(&project.story(id)?))),
    }
}

/// The figures of all cycles, and what the published changes did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReportPage<'a> {
    counts: Counts,
    /// Published branches in percent of the attempts that ended; 0 if none ended.
    success_percent: f64,
    /// Number of verdicts by risk score, in steps of ten: 0 to 9, 10 to 19 … and 90 to 100.
    risk_histogram: [u64; 10],
    /// The files that most verdicts named.
    top_files: Vec<FileCount<'a>>,
    /// What published changes did to their findings, newest first.
    evaluations: Vec<EvaluationRow<'a>>,
}

/// Entries of the log, counted.
#[derive(Debug, Serialize, JsonSchema)]
struct Counts {
    /// Proposals that were made, without those of dry runs.
    proposed: u64,
    /// Different proposals that only dry runs made so far. They count nowhere else.
    only_dry: u64,
    /// Verdicts that passed.
    passed: u64,
    /// Verdicts that did not.
    rejected: u64,
    /// Intents to apply.
    attempted: u64,
    /// Branches published.
    succeeded: u64,
    /// Failed attempts.
    failed: u64,
    /// Branches rolled back.
    rolled_back: u64,
}

/// How many verdicts named a file.
#[derive(Debug, Serialize, JsonSchema)]
struct FileCount<'a> {
    file: &'a str,
    count: u64,
}

impl<'a> ReportPage<'a> {
    fn of(summary: &'a Summary) -> Self {
        let Summary { tally, impacts } = summary;
        let Tally { proposed, only_dry, passed, rejected, attempted, succeeded, failed, rolled_back, .. } = *tally;
        let top_files = tally.top_files(TOP_FILES).into_iter();
        Self {
            counts: Counts { proposed, only_dry, passed, rejected, attempted, succeeded, failed, rolled_back },
            success_percent: tally.success_percent(),
            risk_histogram: tally.risk_histogram,
            top_files: top_files.map(|(file, count)| FileCount { file, count }).collect(),
            evaluations: impact::rows(impacts),
        }
    }
}

impl Page for ReportPage<'_> {
    const KIND: &'static str = "report";

    fn text(&self) -> String {
        let mut text = String::new();
        let counts = &self.counts;
        let figures = [
            ("Proposed", counts.proposed),
            ("Passed", counts.passed),
            ("Rejected", counts.rejected),
            ("Attempted", counts.attempted),
            ("Succeeded", counts.succeeded),
            ("Failed", counts.failed),
            ("Taken back", counts.rolled_back),
        ];
        for (name, figure) in figures {
            let _ = writeln!(text, "{}  {figure}", bold(format!("{name:<10}")));
        }
        if counts.only_dry > 0 {
            let (count, noun) = (counts.only_dry, plural(counts.only_dry, "proposal"));
            let _ = writeln!(text, "{}  {count} {noun}, not tried yet", bold("Dry runs  "));
        }
        if counts.succeeded + counts.failed > 0 {
            let percent = self.success_percent;
            let _ = writeln!(text, "{}  {percent:.1} % of the attempts that ended", bold("Success   "));
        }
        let risks: Vec<String> = (0..).zip(self.risk_histogram).filter(|(_, count)| *count > 0).map(risk).collect();
        if !risks.is_empty() {
            let _ = writeln!(text, "{}  {}", bold("Risk      "), risks.join(", "));
        }
        for FileCount { file, count } in &self.top_files {
            let _ = writeln!(text, "{}  {count:>4}  {}", bold("File      "), printable(file));
        }
        text.push_str(&impact::page(&self.evaluations));
        text
    }
}

fn risk((ten, count): (u32, u64)) -> String {
    let most = if ten == 9 { 100 } else { ten * 10 + 9 };
    format!("{count} at {} to {most}", ten * 10)
}

/// The story of one cycle: finding, candidates with verdict and validation, branch, impact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CyclePage<'a> {
    cycle: CycleDocument<'a>,
    /// Its candidates, best first.
    candidates: Vec<CandidateRow<'a>>,
    /// What its published change did to the finding.
    evaluations: Vec<EvaluationRow<'a>>,
}

/// A candidate of a cycle.
#[derive(Debug, Serialize, JsonSchema)]
struct CandidateRow<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// Its title.
    title: &'a str,
    /// The gene that made it; null for a person's own proposal, and if several genes proposed its steps.
    gene: Option<&'a str>,
    /// The computed risk, 0 to 100.
    risk_score: Option<u8>,
    /// The files that it changes.
    files: &'a [String],
    /// What became of it; `not_ended` while the cycle runs, and if a crash ended it.
    fate: &'static str,
    /// Why, as one line.
    reason: &'a str,
    /// The steps that it is the sum of, in order; empty for a change of one step.
    steps: &'a [Step],
    /// Why no further step was built on it, if another failure shows after it.
    no_further: Option<&'a str>,
    /// The published branch.
    branch: Option<&'a str>,
    /// The validation report, as the assets have it.
    validation_report: Option<&'a Map<String, Value>>,
}

impl<'a> CyclePage<'a> {
    fn of(story: &'a Story) -> Self {
        let Story { cycle, candidates, impacts } = story;
        Self {
            cycle: CycleDocument::of(cycle),
            candidates: candidates.iter().map(CandidateRow::of).collect(),
            evaluations: impact::rows(impacts),
        }
    }
}

impl Page for CyclePage<'_> {
    const KIND: &'static str = "cycle";

    fn text(&self) -> String {
        let mut text = format!("{}  {}\n", bold("Cycle     "), self.cycle.cycle);
        if let Some(finding) = self.cycle.finding {
            let _ = writeln!(text, "{}  {}  {}", bold("Finding   "), printable(&finding.title), dim(&finding.gene));
        }
        text.extend(self.candidates.iter().map(CandidateRow::text));
        text.push_str(&impact::page(&self.evaluations));
        text
    }
}

impl<'a> CandidateRow<'a> {
    fn of(candidate: &'a CandidateStory) -> Self {
        Self {
            proposal: &candidate.proposal,
            title: &candidate.title,
            gene: candidate.gene.as_deref(),
            risk_score: candidate.risk_score,
            files: &candidate.files,
            fate: candidate.fate.map_or("not_ended", Fate::as_str),
            reason: &candidate.reason,
            steps: &candidate.steps,
            no_further: candidate.no_further.as_deref(),
            branch: candidate.branch.as_deref(),
            validation_report: candidate.report.as_ref(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{}  {}  {}\n", bold("Proposal  "), printable(self.title), dim(self.proposal));
        let risk = self.risk_score.map(|risk| format!(", risk {risk} of 100")).unwrap_or_default();
        let genes: BTreeSet<&str> = self.steps.iter().filter_map(|step| step.gene.as_deref()).collect();
        let gene = match self.gene {
            Some(gene) => gene.to_owned(),
            None if genes.is_empty() => "a person".to_owned(),
            None => genes.into_iter().collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(text, "            by {}: {}{risk}", printable(&gene), printable(&self.files.join(", ")));
        let fate = if self.branch.is_some() { good(self.fate) } else { bad(self.fate) };
        let _ = writeln!(text, "            {fate}: {}", printable(self.reason));
        text.push_str(&steps::page(self.steps, self.branch.is_some()));
        text.push_str(&steps::no_further(self.no_further));
        let commands = self.validation_report.and_then(|report| report.get("commands")?.as_array());
        for command in commands.into_iter().flatten() {
            let name = command["command"].as_str().map(printable).unwrap_or_default();
            let before = &command["before"];
            let before = if before.is_null() { "not run".to_owned() } else { ending(before) };
            let _ = writeln!(text, "            {name}: before {before}; after {}", ending(&command["after"]));
        }
        if let Some(branch) = self.branch {
            let _ = writeln!(text, "{}  {}", bold("Branch    "), good(branch));
        }
        text
    }
}

/// How a run of a command ended, from a validation report. Reports of other tools may lack members.
fn ending(end: &Value) -> String {
    let exit = if end["timed_out"] == true { "ran out of time".to_owned() } else { format!("exit {}", end["exit"]) };
    if end["tests"].is_null() {
        return exit;
    }
    let count = |key: &str| end["tests"][key].as_u64().unwrap_or_default();
    format!("{exit}, {} passed, {} failed, {} skipped", count("passed"), count("failed"), count("skipped"))
}
