//! `gephost backtest`: what genes would have made of the findings of the past.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::backtest::{BacktestOptions, BacktestReport, CellReport, GeneReport, WorkOptions, Worked};
use gephost_core::backtest::{Rate, Rates, Reached};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::observe;
use crate::args::{BacktestArguments, WorkerArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, dim, good, printable};
use crate::render::verdict::plural;

pub(super) fn run(environment: &Environment, arguments: &BacktestArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let since = observe::since(environment, Some(&arguments.since))?;
    let options = BacktestOptions {
        genes: arguments.gene.clone(),
        since: since.unwrap_or(Timestamp::UNIX_EPOCH),
        repos: arguments.repos.clone(),
        anew: arguments.anew,
        queue: arguments.queue.clone(),
    };
    let report = project.backtest(&options)?;
    Ok(Report::of(&BacktestPage::of(&report, options.since)))
}

/// `gephost worker`: works on the backtests of others.
pub(super) fn work(environment: &Environment, arguments: &WorkerArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let options = WorkOptions {
        repos: arguments.repos.clone(),
        recorded: arguments.recorded,
        vouched: false,
        until_empty: arguments.until_empty,
    };
    let Worked { done, given_back, lost } = project.work(&arguments.queue, &options)?;
    Ok(Report::of(&WorkerPage { done, given_back, lost }))
}

/// What a worker did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkerPage {
    /// Cells whose result counts.
    done: u64,
    /// Cells that it gave back, for another worker or another attempt.
    given_back: u64,
    /// Cells whose lease was over before it had a result.
    lost: u64,
}

impl Page for WorkerPage {
    const KIND: &'static str = "worker";

    fn text(&self) -> String {
        format!(
            "{} done, {} given back, {} lost to other workers\n",
            plural_of(self.done, "cell"),
            self.given_back,
            self.lost
        )
    }
}

/// What genes would have made of the findings of the past.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BacktestPage<'a> {
    /// Findings of events since then (RFC 3339).
    since: String,
    /// How many there are.
    findings: u64,
    /// Outcomes that were known from an earlier backtest.
    remembered: u64,
    /// Each gene.
    genes: Vec<GeneRow<'a>>,
}

/// What one gene would have achieved.
#[derive(Debug, Serialize, JsonSchema)]
struct GeneRow<'a> {
    /// As it was named.
    gene: &'a str,
    /// SHA-256 of its bytes, in hexadecimal.
    digest: &'a str,
    #[serde(flatten)]
    rates: Rates,
    /// Each finding.
    cells: Vec<CellRow<'a>>,
}

/// What a gene made of one finding.
#[derive(Debug, Serialize, JsonSchema)]
struct CellRow<'a> {
    /// The project's folder.
    project: String,
    /// Id of the finding.
    finding: &'a str,
    /// Its title.
    title: &'a str,
    /// When it was last seen (RFC 3339).
    at: String,
    /// Full hexadecimal id of the commit of that time.
    base: &'a str,
    /// Whether even that commit, the oldest, is newer than the finding.
    base_is_newer: bool,
    /// How far the gene came; null if that could not be found out.
    reached: Option<Reached>,
    /// Why no further, or what held.
    detail: &'a str,
    /// Milliseconds of wall time.
    wall_ms: u64,
}

impl<'a> BacktestPage<'a> {
    fn of(report: &'a BacktestReport, since: Timestamp) -> Self {
        let genes = report.genes.iter().map(GeneRow::of).collect();
        let BacktestReport { findings, remembered, .. } = *report;
        Self { since: since.to_string(), findings, remembered, genes }
    }
}

impl<'a> GeneRow<'a> {
    fn of(report: &'a GeneReport) -> Self {
        let GeneReport { gene, digest, rates, cells } = report;
        Self { gene, digest, rates: *rates, cells: cells.iter().map(CellRow::of).collect() }
    }
}

impl<'a> CellRow<'a> {
    fn of(cell: &'a CellReport) -> Self {
        Self {
            project: cell.project.display().to_string(),
            finding: &cell.finding,
            title: &cell.title,
            at: cell.at.to_string(),
            base: &cell.base,
            base_is_newer: cell.is_newer,
            reached: cell.reached,
            detail: &cell.detail,
            wall_ms: cell.wall_ms,
        }
    }
}

impl Page for BacktestPage<'_> {
    const KIND: &'static str = "backtest";

    fn text(&self) -> String {
        let day = self.since.get(..10).unwrap_or(&self.since);
        if self.findings == 0 {
            return format!(
                "No finding since {day}: there is nothing to try a gene on. `gephost diagnose --since {day}` says what was \
                 read.\n"
            );
        }
        let mut text = format!("{} {} since {day}", self.findings, plural(self.findings, "finding"));
        if self.remembered > 0 {
            let _ = write!(text, "; {} known from an earlier backtest", plural_of(self.remembered, "outcome"));
        }
        text.push('\n');
        for gene in &self.genes {
            text.push('\n');
            text.push_str(&gene.text());
        }
        text
    }
}

impl GeneRow<'_> {
    fn text(&self) -> String {
        let digest = self.digest.get(..12).unwrap_or(self.digest);
        let mut text = format!("{}  {}\n", bold(printable(self.gene)), dim(digest));
        for (name, rate) in
            [("proposed", self.rates.proposed), ("passed the gate", self.rates.passed), ("held", self.rates.held)]
        {
            let _ = writeln!(text, "  {name:<16} {}", share(rate));
        }
        for cell in &self.cells {
            let name = cell.reached.map_or("not known", Reached::as_str);
            let padded = format!("{name:<10}");
            let shown = match cell.reached {
                Some(Reached::Held) => good(padded),
                Some(Reached::Failed | Reached::Refused | Reached::GeneFailed) => bad(padded),
                _ => padded,
            };
            let day = cell.at.get(..10).unwrap_or(&cell.at);
            let base = cell.base.get(..8).unwrap_or(cell.base);
            let _ = writeln!(text, "  {shown}  {day}  {}  {}", dim(base), printable(cell.title));
            let newer =
                if cell.base_is_newer { " (at the oldest commit, which is newer than the finding)" } else { "" };
            if !cell.detail.is_empty() || cell.base_is_newer {
                let _ = writeln!(text, "              {}{}", dim(printable(cell.detail)), dim(newer));
            }
        }
        text
    }
}

/// A share with its interval, in percent.
fn share(rate: Rate) -> String {
    if rate.of == 0 {
        return "of none".to_owned();
    }
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    format!(
        "{} of {}  {} %  {}",
        rate.count,
        rate.of,
        percent(rate.share),
        dim(format!("(95 %: {} to {} %)", percent(rate.low), percent(rate.high)))
    )
}

fn plural_of(count: u64, what: &str) -> String {
    format!("{count} {}", plural(count, what))
}
