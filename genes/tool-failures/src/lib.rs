//! The bundled heuristic gene: which tools fail, and which errors come back.
//!
//! It owns no effect but reading the run log. [`tally`] folds events into bounded groups, [`report`] turns groups into
//! findings; both are pure, so the rules are tested without a host. Calls that a person refused, echoes of another
//! call's failure and calls that never came back count neither as failures nor as calls.

mod last_line;
mod report;
mod tally;
#[cfg(test)]
mod tests;

use gephost_gene::run_log::{self, EventKind, Filter, Outcome};
use gephost_gene::{Evidence, Finding, Gene, GeneError, Severity, log};

use report::{Importance, Report};
use tally::{Call, Tally};

struct ToolFailures;

impl Gene for ToolFailures {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let mut tally = Tally::default();
        run_log::for_each(&calls_and_exceptions(), |event| {
            let (tool, failed) = match (event.kind, event.outcome) {
                (EventKind::Exception, _) => (None, true),
                (EventKind::ToolEnd, Outcome::Failure) => (event.tool, true),
                (EventKind::ToolEnd, Outcome::Success) => (event.tool, false),
                _ => return,
            };
            tally.add(&Call {
                event: event.index,
                tool,
                failed,
                signature: event.signature,
                kind: report::kind_signal(event.failure_kind),
                input: event.input,
                output: event.output,
            });
        })?;
        if tally.left_out() > 0 {
            log::warn(&format!("{} events left out: too many different tools or errors", tally.left_out()));
        }
        Ok(report::reports(&tally).into_iter().map(finding).collect())
    }
}

/// The host leaves out all that could not count, before it copies anything.
fn calls_and_exceptions() -> Filter {
    Filter { kinds: vec![EventKind::ToolEnd, EventKind::Exception], ..run_log::everything() }
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
        direction: report.direction.to_owned(),
        signals: report.signals,
        occurrences: report.occurrences,
    }
}

gephost_gene::gene!(ToolFailures, world: heuristic, manifest: "gene.json");
