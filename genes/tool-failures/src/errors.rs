//! The findings `error_signature`, one for each error, and `rare_errors`, for the errors that have none of their own.

use gephost_gene::Severity;

use crate::cause_line::Weight;
use crate::failure_kind::{direction, hypothesis, severity, signal};
use crate::findings::first;
use crate::groups::{Error, Failure, Groups, MAX_SESSIONS};
use crate::line::readable;
use crate::report::{Report, clipped, confidence, times, titled};
use crate::thresholds::Thresholds;

/// Most errors that occurred more than once and have a finding each.
pub(crate) const MAX_REPEATED: usize = 24;
/// Most errors that occurred once and have a finding each.
pub(crate) const MAX_SINGLE: usize = 8;
/// Most entries of evidence that the contract takes.
const MAX_RARE_EVIDENCE: usize = 32;
/// Most characters of a tool's name in a title.
const TOOL_CHARS: usize = 40;
/// Most characters of an input as evidence.
const INPUT_CHARS: usize = 160;

/// Errors that occurred more than once, the newest unresolved ones that occurred once, and one finding for the rest.
pub(crate) fn reports(groups: &Groups, thresholds: &Thresholds) -> Vec<Report> {
    let (repeated, single): (Vec<_>, Vec<_>) = groups.errors().partition(|(_, error)| error.failures > 1);
    let report = |key: u64, error: &Error| error_report(groups, key, error, thresholds);
    let mut reports = first(repeated.iter().map(|(key, error)| report(*key, error)).collect(), MAX_REPEATED);
    let (resolved, mut unresolved): (Vec<_>, Vec<_>) =
        single.into_iter().partition(|(_, error)| is_resolved(groups, error));
    unresolved.sort_by_key(|(_, error)| {
        (severity(error.kind, false), error.weight, newest(error).map(|failure| failure.event))
    });
    let named = unresolved.split_off(unresolved.len().saturating_sub(MAX_SINGLE));
    reports.extend(named.into_iter().map(|(key, error)| report(key, error)));
    reports.extend(rare_report(&unresolved, resolved.len()));
    reports
}

fn newest(error: &Error) -> Option<&Failure> {
    error.newest.iter().next()
}

fn is_resolved(groups: &Groups, error: &Error) -> bool {
    error.newest.iter().all(|failure| groups.is_resolved(failure))
}

fn error_report(groups: &Groups, key: u64, error: &Error, thresholds: &Thresholds) -> Report {
    let recurring = f64::from(error.failures) >= thresholds.recurring;
    let line = newest(error).map_or("", |failure| failure.line.as_str());
    let vague = error.weight <= Weight::Text;
    let shown =
        if error.weight <= Weight::Footer { "failed without an error message".to_owned() } else { readable(line) };
    let newest_is_resolved = newest(error).is_some_and(|failure| groups.is_resolved(failure));
    let severity = match severity(error.kind, recurring) {
        _ if is_resolved(groups, error) => Severity::Info,
        severity if newest_is_resolved || vague => severity.min(Severity::Low),
        severity => severity,
    };
    Report {
        id: format!("error-signature:{key:016x}"),
        kind: "error_signature",
        title: titled(&shown, &occurrences(groups, error)),
        severity,
        confidence: confidence(error.failures) * if vague { 0.7 } else { 1.0 },
        hypothesis: hypothesis(error.kind).to_owned(),
        evidence: error.newest.iter().map(evidence).collect(),
        direction: match &error.place {
            Some((path, line)) => format!("{}; the error points at {path}, line {line}", direction(error.kind)),
            None => direction(error.kind).to_owned(),
        },
        signals: signals(line, recurring, signal(error.kind)),
        occurrences: error.failures,
    }
}

/// The input of the call that failed, because the title already has the error.
fn evidence(failure: &Failure) -> (u64, String) {
    let text = if failure.input.is_empty() { &failure.line } else { &failure.input };
    (failure.event, clipped(text, INPUT_CHARS))
}

/// `Bash, 5 times in 2 sessions`.
fn occurrences(groups: &Groups, error: &Error) -> String {
    let name = groups.name(error.tool);
    let tool = if name.is_empty() { String::new() } else { format!("{}, ", clipped(name, TOOL_CHARS)) };
    let sessions = match error.sessions.len() {
        0 | 1 => String::new(),
        many if many < MAX_SESSIONS => format!(" in {many} sessions"),
        many => format!(" in {many} or more sessions"),
    };
    format!("{tool}{}{sessions}", times(error.failures))
}

/// One finding for the errors without one of their own. `resolved` counts those that are left out here too, because the
/// same call succeeded later.
fn rare_report(rest: &[(u64, &Error)], resolved: usize) -> Option<Report> {
    let count = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    let evidence = rest.iter().rev().filter_map(|(_, error)| newest(error)).take(MAX_RARE_EVIDENCE);
    let also = match resolved {
        0 => String::new(),
        1 => "; 1 more was resolved by a later call".to_owned(),
        _ => format!("; {resolved} more were resolved by later calls"),
    };
    (count > 0).then(|| Report {
        id: "rare-errors".to_owned(),
        kind: "rare_errors",
        title: match count {
            1 => format!("one other error occurred once{also}"),
            _ => format!("{count} other errors occurred once each{also}"),
        },
        severity: Severity::Info,
        confidence: confidence(1),
        hypothesis: "single mistakes that the agent recovered from".to_owned(),
        evidence: evidence.map(|failure| (failure.event, failure.line.clone())).collect(),
        direction: "look at the errors that occurred more than once first".to_owned(),
        signals: vec!["log_error".to_owned()],
        occurrences: count,
    })
}

/// The signals of failures: `errsig:` with the error's line, `recurring_error`, and that of the kind.
pub(crate) fn signals(line: &str, recurring: bool, kind: Option<&str>) -> Vec<String> {
    let mut signals = vec!["log_error".to_owned()];
    if !line.is_empty() {
        signals.push(format!("errsig:{line}"));
    }
    if recurring {
        signals.push("recurring_error".to_owned());
    }
    signals.extend(kind.map(str::to_owned));
    signals
}
