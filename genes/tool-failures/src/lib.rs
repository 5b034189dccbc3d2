//! The bundled heuristic gene. It reports what fails, how often, where and since when, what is slow, what is missing,
//! which repeated attempts cannot succeed, and how many tokens all that used.
//!
//! It reads the run log once, in order, and its settings; it has no other effect. [`analysis`] collects what is needed
//! from each call in bounded memory, and [`findings`] turns that into findings. Both are pure, so their rules are tested
//! without a host. Three kinds of calls count neither as calls nor as failures: calls that the user rejected, failures
//! that another failure caused, and calls that did not end. The second are counted with that failure. Of the last, those of one
//! program have a finding if there are many.
//!
//! The folders are layers, and each uses only those in front of it: `command` (what a command line is about), `output` (what
//! the lines of an output say), `measures` (what is counted for findings of its own), `causes` (what failed, and which
//! failures have one cause), `worked` (what worked next), [`analysis`], and `findings` (what is said of it all).

mod analysis;
mod by_number;
mod call;
mod cause;
mod causes;
mod command;
mod failure_kind;
mod findings;
mod measures;
mod order;
mod output;
mod report;
#[cfg(test)]
mod tests;
mod text;
mod thresholds;
mod worked;

use gephost_gene::run_log::{self, Event, EventKind, FailureKind, Filter, Outcome, Usages};
use gephost_gene::{Absorbed, Evidence, Explanation, Finding, Gene, GeneError, HostError, explain, log, settings};

use analysis::Analysis;
use call::Call;
use report::Report;
use thresholds::Thresholds;

struct ToolFailures;

impl Gene for ToolFailures {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let mut analysis = Analysis::new(configured(), run_log::all_corrections()?);
        begin(&mut analysis)?;
        let (mut usages, mut failed) = (Usages::default(), None);
        let mut add_usage_up_to = |analysis: &mut Analysis, event| -> Result<(), HostError> {
            while let Some(used) = usages.up_to(event)? {
                analysis.add_usage(&used);
            }
            Ok(())
        };
        run_log::for_each(&what_matters(), |event| {
            if failed.is_none() {
                failed = add_usage_up_to(&mut analysis, event.index).err();
            }
            if event.kind == EventKind::InboundMsg {
                analysis.add_order(event.session_number, event.input);
            } else if event.kind == EventKind::OutboundMsg {
                analysis.add_message(event.session_number, event.input);
            } else if event.outcome == Outcome::Unfinished {
                analysis.add_unfinished(&call_at(&event));
            } else if event.outcome == Outcome::Cascade {
                analysis.add_cancelled(&call_at(&event));
            } else if let Some(call) = call_of(&event) {
                analysis.add(&call);
            }
        })?;
        failed.map_or_else(|| add_usage_up_to(&mut analysis, u64::MAX), Err)?;
        analysis.finish(run_log::tool_names()?.sessions);
        let left_out = analysis.left_out();
        if left_out > 0 {
            log::warn(&format!(
                "{left_out} calls or errors were left out, because the log has too many different tools or errors"
            ));
        }
        Ok(findings::reports(&analysis).into_iter().map(finding).collect())
    }
}

/// Shows the analysis what the first calls print that work, so that it knows the first failure, too.
fn begin(analysis: &mut Analysis) -> Result<(), HostError> {
    const FIRST_CALLS: u32 = 256;
    let (kinds, outcomes) = (vec![EventKind::ToolEnd], vec![Outcome::Success]);
    let Some(batch) = run_log::open(&Filter { kinds, outcomes, ..run_log::everything() })?.next(FIRST_CALLS)? else {
        return Ok(());
    };
    // Each call has two texts, of which the second one is the output.
    for (tool, ends) in batch.tool.iter().zip(batch.text_ends.as_chunks::<2>().0) {
        let output = batch.heap.get(ends[0] as usize..ends[1] as usize).and_then(|text| str::from_utf8(text).ok());
        analysis.begin(*tool, output.unwrap_or_default());
    }
    Ok(())
}

/// The defaults of gene.json, overridden by what the operator set.
fn configured() -> Thresholds {
    let mut thresholds = Thresholds::default();
    for setting in settings::all() {
        let known = match setting.value {
            settings::Value::Number(number) => thresholds.set(&setting.name, number),
            settings::Value::Truth(_) | settings::Value::Text(_) => false,
        };
        if !known {
            log::warn(&format!("this gene has no setting `{}` of that type", setting.name));
        }
    }
    thresholds
}

/// The host filters out every other event before it copies anything.
fn what_matters() -> Filter {
    let kinds = vec![EventKind::ToolEnd, EventKind::Exception, EventKind::InboundMsg, EventKind::OutboundMsg];
    Filter { kinds, ..run_log::everything() }
}

fn call_of<'a>(event: &Event<'a>) -> Option<Call<'a>> {
    let ended = event.kind == EventKind::Exception || matches!(event.outcome, Outcome::Failure | Outcome::Success);
    ended.then(|| call_at(event))
}

fn call_at<'a>(event: &Event<'a>) -> Call<'a> {
    let exception = event.kind == EventKind::Exception;
    let failed = exception || event.outcome == Outcome::Failure;
    Call {
        event: event.index,
        time: event.timestamp_us.unwrap_or(i64::MIN),
        exception,
        tool: event.tool_number.filter(|_| !exception),
        name: event.tool.unwrap_or_default(),
        session: event.session_number,
        failed,
        kind: if failed { event.failure_kind } else { FailureKind::None },
        duration_ms: event.duration_ms,
        input: event.input,
        output: event.output,
    }
}

/// Tells the host what the finding explains, and returns it.
fn finding(report: Report) -> Finding {
    let mut events = report.events;
    if events.is_empty() {
        events.extend(report.evidence.iter().map(|(event, _)| *event));
        order::sort(&mut events);
        events.dedup();
    }
    explain(&Explanation {
        finding: report.id.clone(),
        events,
        facets: report
            .facets
            .into_iter()
            .map(|facet| gephost_gene::Facet { name: facet.name, values: facet.values, distinct: facet.distinct })
            .collect(),
        absorbed: report.absorbed.into_iter().map(|(title, occurrences)| Absorbed { title, occurrences }).collect(),
        expected: report.is_expected,
    });
    Finding {
        id: report.id,
        kind: report.kind.to_owned(),
        title: report.title,
        severity: report.severity,
        confidence: report.confidence,
        // What the log does not show is not said.
        hypothesis: String::new(),
        evidence: report.evidence.into_iter().map(|(event, line)| Evidence { event, line }).collect(),
        direction: report.direction,
        signals: report.signals,
        occurrences: report.occurrences,
    }
}

gephost_gene::gene!(ToolFailures, world: heuristic, manifest: "gene.json");
