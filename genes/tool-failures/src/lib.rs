//! The bundled heuristic gene: what fails, how often, where and since when, what is slow, what is missing, and what the
//! agent does again although it cannot help.
//!
//! It owns no effect but reading the run log, once. [`fold`] folds calls into bounded groups, [`findings`] turns groups into
//! findings; both are pure, so the rules are tested without a host. Calls that a person refused, echoes of another
//! call's failure and calls that never came back count neither as failures nor as calls.

mod call;
mod causes;
mod findings;
mod fold;
mod habits;
mod line;
mod pace;
mod places;
mod report;
mod surroundings;
mod tally;
mod telling;
#[cfg(test)]
mod tests;
mod vocabulary;

use gephost_gene::run_log::{self, Event, EventKind, FailureKind, Filter, Outcome};
use gephost_gene::{Evidence, Finding, Gene, GeneError, Severity, log};

use call::Call;
use fold::Fold;
use report::{Importance, Report};

struct ToolFailures;

impl Gene for ToolFailures {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let mut fold = Fold::default();
        run_log::for_each(&calls_and_exceptions(), |event| {
            if let Some(call) = call(&event) {
                fold.add(&call);
            }
        })?;
        let left_out = fold.tally().left_out();
        if left_out > 0 {
            log::warn(&format!("{left_out} calls or errors left out: too many different tools or errors"));
        }
        Ok(findings::reports(&fold).into_iter().map(finding).collect())
    }
}

/// The host leaves out all that could not count, before it copies anything.
fn calls_and_exceptions() -> Filter {
    Filter { kinds: vec![EventKind::ToolEnd, EventKind::Exception], ..run_log::everything() }
}

fn call<'a>(event: &Event<'a>) -> Option<Call<'a>> {
    let exception = event.kind == EventKind::Exception;
    let failed = exception || event.outcome == Outcome::Failure;
    if !failed && event.outcome != Outcome::Success {
        return None;
    }
    Some(Call {
        event: event.index,
        exception,
        tool: event.tool_number.filter(|_| !exception),
        name: event.tool.unwrap_or_default(),
        session: event.session_number,
        failed,
        kind: if failed { event.failure_kind } else { FailureKind::None },
        duration_ms: event.duration_ms,
        input: event.input,
        output: event.output,
    })
}

fn finding(report: Report) -> Finding {
    Finding {
        id: report.id,
        kind: report.kind.to_owned(),
        title: report.title,
        severity: match report.importance {
            Importance::Info => Severity::Info,
            Importance::Low => Severity::Low,
            Importance::Medium => Severity::Medium,
            Importance::High => Severity::High,
        },
        confidence: report.confidence,
        hypothesis: report.hypothesis,
        evidence: report.evidence.into_iter().map(|(event, line)| Evidence { event, line }).collect(),
        direction: report.direction,
        signals: report.signals,
        occurrences: report.occurrences,
    }
}

gephost_gene::gene!(ToolFailures, world: heuristic, manifest: "gene.json");
