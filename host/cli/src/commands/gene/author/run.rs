//! `gephost gene run`: runs a gene once, without a project.

use std::fmt::Write as _;

use gephost_app::authoring::{Alone, AloneOptions, Answer, Fullest, run_alone};
use gephost_core::recording::AuditEntry;
use gephost_runner::sandbox::{HostCall, HostCalls};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::RunGeneArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, bold, dim, good, printable};

pub(crate) fn run(environment: &Environment, arguments: &RunGeneArguments) -> Result<Report, Failure> {
    let options = AloneOptions {
        logs: &arguments.logs,
        workspace: arguments.workspace.as_deref(),
        config: arguments.config.as_deref(),
        trace: arguments.trace,
    };
    let Alone { id, answer, stopped_at, requests, host_calls, fullest } =
        run_alone(environment, &arguments.gene, &options)?;
    let (requests, trace) = (arguments.trace.then_some(requests), arguments.trace.then(|| TraceRow::of(host_calls)));
    Ok(Report::of(&GeneRunPage { gene: id, answer, stopped_at, fullest, requests, trace }))
}

/// What a gene answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneRunPage {
    /// The gene's id.
    gene: String,
    answer: Answer,
    /// Where it was when a budget ran out, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_at: Option<String>,
    /// The first thing that the gene would run out of, and how much of it was used, from 0 to 1.
    fullest: Option<Fullest>,
    /// What it asked of the host, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<Vec<AuditEntry>>,
    /// Every call to the host, in order: those requests, and the functions of WASI.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceRow>,
}

/// The calls of a gene to the host.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TraceRow {
    /// The first ones.
    calls: Vec<HostCall>,
    /// How many more there were.
    omitted: u64,
}

impl TraceRow {
    fn of(calls: HostCalls) -> Self {
        let HostCalls { calls, omitted } = calls;
        Self { calls, omitted }
    }

    // Writing to a String cannot fail.
    fn text(&self) -> String {
        let mut text = String::new();
        for call in &self.calls {
            let HostCall { function, arguments, outcome, answer, bytes, micros } = call;
            let padded = format!("{outcome:<9}");
            let is_good = matches!(&**outcome, "ok" | "granted");
            let outcome = if is_good { padded } else { bad(printable(&padded)) };
            let _ = write!(text, "  {outcome} {function} {}", printable(arguments));
            if !answer.is_empty() {
                let _ = write!(text, "{}", dim(format!(" = {}", printable(answer))));
            }
            if *bytes > 0 {
                let _ = write!(text, "  {}", dim(format!("{bytes} bytes")));
            }
            let _ = writeln!(text, "  {}", dim(format!("{micros} µs")));
        }
        if self.omitted > 0 {
            let _ = writeln!(text, "  {}", dim(format!("and {} more calls, which are not kept", self.omitted)));
        }
        text
    }
}

impl Page for GeneRunPage {
    const KIND: &'static str = "gene-run";

    // Writing to a String cannot fail.
    fn text(&self) -> String {
        let mut text = String::new();
        let Answer { findings, candidates, refused, log, error } = &self.answer;
        text.extend(self.trace.iter().map(TraceRow::text));
        for line in log {
            let _ = writeln!(text, "{} {}", dim("log"), printable(line));
        }
        for request in refused {
            let _ = writeln!(text, "{} {}", bad("refused"), printable(request));
        }
        for finding in findings {
            let _ =
                writeln!(text, "{} {}  {}", bold("finding"), printable(&finding.title), dim(printable(&finding.id)));
        }
        for candidate in candidates {
            let verdict = candidate.verdict.join("; ");
            let verdict = if verdict == "pass" { good("passes the gate") } else { bad(printable(&verdict)) };
            let _ = writeln!(text, "{} {}: {verdict}", bold("candidate"), printable(&candidate.title));
            for line in &candidate.diff {
                let _ = writeln!(text, "  {}", printable(line));
            }
        }
        if let Some(error) = error {
            let _ = writeln!(text, "{} {}", bad("failed"), printable(error));
        }
        if let Some(place) = &self.stopped_at {
            let _ = writeln!(text, "{} {}", bad("failed"), printable(place));
        }
        if findings.is_empty() && candidates.is_empty() && error.is_none() {
            let _ = writeln!(text, "{} answered nothing", self.gene);
        }
        if let Some(fullest) = &self.fullest {
            let _ = writeln!(text, "{}", dim(format!("used {}", fullest.text())));
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.answer.error.is_none() { Exit::Done } else { Exit::Failed }
    }
}
