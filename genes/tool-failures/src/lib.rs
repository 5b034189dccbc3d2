//! The bundled heuristic gene: what fails, how often, where and since when, what is slow, what is missing, and what the
//! agent does again although it cannot help, and what all that used.
//!
//! It owns no effect but reading the run log, once, and its settings. [`fold`] folds calls into bounded groups, [`findings`] turns groups into
//! findings; both are pure, so the rules are tested without a host. Calls that a person refused, echoes of another
//! call's failure and calls that never came back count neither as failures nor as calls.

mod call;
mod causes;
mod cost;
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
mod thresholds;
mod vocabulary;

use gephost_gene::run_log::{self, Event, EventKind, FailureKind, Filter, Outcome, Usages};
use gephost_gene::{Evidence, Finding, Gene, GeneError, HostError, Severity, log, settings};

use call::Call;
use fold::Fold;
use report::{Importance, Report};
use thresholds::Thresholds;

struct ToolFailures;

impl Gene for ToolFailures {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        let mut fold = Fold::new(thresholds());
        let (mut usages, mut broken) = (Usages::default(), None);
        let mut spend_up_to = |fold: &mut Fold, event| -> Result<(), HostError> {
            while let Some(used) = usages.up_to(event)? {
                fold.spend(&used);
            }
            Ok(())
        };
        run_log::for_each(&calls_and_exceptions(), |event| {
            if broken.is_none() {
                broken = spend_up_to(&mut fold, event.index).err();
            }
            if let Some(call) = call(&event) {
                fold.add(&call);
            }
        })?;
        broken.map_or_else(|| spend_up_to(&mut fold, u64::MAX), Err)?;
        fold.finish(run_log::tool_names()?.sessions);
        let left_out = fold.tally().left_out();
        if left_out > 0 {
            log::warn(&format!("{left_out} calls or errors left out: too many different tools or errors"));
        }
        Ok(findings::reports(&fold).into_iter().map(finding).collect())
    }
}

/// The operator's, where they are told.
fn thresholds() -> Thresholds {
    let mut thresholds = Thresholds::default();
    for setting in settings::all() {
        let known = match setting.value {
            settings::Value::Number(number) => thresholds.set(&setting.name, number),
            settings::Value::Truth(_) | settings::Value::Text(_) => false,
        };
        if !known {
            log::warn(&format!("the setting `{}` is none of this gene's", setting.name));
        }
    }
    thresholds
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
