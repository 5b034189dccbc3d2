//! The finding `tool_failure_rate`: a tool that fails often, mostly without a message that explains it.

use gephost_gene::Severity;

use crate::analysis::Analysis;
use crate::measures::groups::{Failure, MAX_EVIDENCE, Tool};
use crate::report::{Report, clipped, confidence, rounded, times};
use crate::thresholds::Thresholds;

/// Failures that a tool must have.
const MIN_FAILURES: u32 = 2;
/// Most characters of a tool's name in a title.
const TOOL_CHARS: usize = 40;
/// Most characters of an entry of evidence.
const INPUT_CHARS: usize = 160;

/// The tools whose failures no cause explains.
pub(crate) fn reports(analysis: &Analysis, thresholds: &Thresholds) -> Vec<Report> {
    analysis.groups().tools().iter().filter_map(|tool| report(analysis, tool, thresholds)).collect()
}

/// What the call printed, or what was called if it printed nothing.
fn evidence(failure: &Failure) -> (u64, String) {
    let text = if failure.line.trim().is_empty() { &failure.input } else { &failure.line };
    (failure.event, clipped(text, INPUT_CHARS))
}

fn report(analysis: &Analysis, tool: &Tool, thresholds: &Thresholds) -> Option<Report> {
    let groups = analysis.groups();
    let explained = f64::from(tool.failures.saturating_sub(tool.unexplained));
    let covered = explained >= thresholds.covered_rate * f64::from(tool.failures);
    // If most say why, the rate of the tool says nothing more.
    if tool.failures < MIN_FAILURES || covered || tool.unexplained.saturating_mul(2) < tool.failures {
        return None;
    }
    let rate = f64::from(tool.failures) / f64::from(tool.calls.max(1));
    let percent = rounded(rate * 100.0);
    let resolved = tool.newest.iter().all(|failure| groups.is_resolved(failure));
    Some(Report {
        id: format!("tool-failures:{}", tool.name),
        kind: "tool_failure_rate",
        title: format!(
            "{} failed in {} of {} calls ({percent} %), {} without a message that says why",
            clipped(&tool.name, TOOL_CHARS),
            tool.failures,
            tool.calls,
            times(tool.unexplained)
        ),
        severity: match rate {
            _ if resolved => Severity::Info,
            rate if rate >= thresholds.high_rate => Severity::High,
            rate if rate >= thresholds.medium_rate => Severity::Medium,
            _ => Severity::Low,
        },
        confidence: confidence(tool.failures) * 0.3,
        evidence: tool.newest.iter().take(MAX_EVIDENCE).map(evidence).collect(),
        direction: "look at the failed calls one by one, the newest first".to_owned(),
        signals: vec!["log_error".to_owned()],
        occurrences: tool.failures,
        ..Report::default()
    })
}
