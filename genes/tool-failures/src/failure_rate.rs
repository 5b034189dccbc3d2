//! The finding `tool_failure_rate`: a tool that fails often, and for more than one reason.

use gephost_gene::Severity;

use crate::errors::signals;
use crate::groups::{Groups, MAX_EVIDENCE, Tool};
use crate::report::{Report, clipped, confidence};
use crate::thresholds::Thresholds;

/// Failures that a tool must have.
const MIN_FAILURES: u32 = 2;
/// Most characters of a tool's name in a title.
const TOOL_CHARS: usize = 40;

/// The tools whose failures no single error explains.
pub(crate) fn reports(groups: &Groups, thresholds: &Thresholds) -> Vec<Report> {
    let tools = groups.tools().iter().enumerate();
    tools.filter_map(|(slot, tool)| report(groups, slot, tool, thresholds)).collect()
}

fn report(groups: &Groups, slot: usize, tool: &Tool, thresholds: &Thresholds) -> Option<Report> {
    let of_tool = groups.errors().filter(|(_, error)| error.tool == Some(slot));
    let most_frequent = of_tool.map(|(_, error)| error.failures).max().unwrap_or_default();
    let covered = f64::from(most_frequent) >= thresholds.covered_rate * f64::from(tool.failures);
    if tool.failures < MIN_FAILURES || covered {
        return None;
    }
    let rate = f64::from(tool.failures) / f64::from(tool.calls.max(1));
    let percent = (rate * 100.0).round();
    let resolved = tool.newest.iter().all(|failure| groups.is_resolved(failure));
    Some(Report {
        id: format!("tool-failures:{}", tool.name),
        kind: "tool_failure_rate",
        title: format!(
            "{} failed in {} of {} calls ({percent}%), for more than one reason",
            clipped(&tool.name, TOOL_CHARS),
            tool.failures,
            tool.calls
        ),
        severity: match rate {
            _ if resolved => Severity::Info,
            rate if rate >= thresholds.high_rate => Severity::High,
            rate if rate >= thresholds.medium_rate => Severity::Medium,
            _ => Severity::Low,
        },
        confidence: confidence(tool.failures),
        hypothesis: "the tool is used for many purposes, and no single error explains most of its failures".to_owned(),
        evidence: tool.newest.iter().take(MAX_EVIDENCE).map(|failure| (failure.event, failure.line.clone())).collect(),
        direction: "look at the tool's errors one by one, the most frequent first".to_owned(),
        signals: signals("", f64::from(tool.failures) >= thresholds.recurring, None),
        occurrences: tool.failures,
    })
}
