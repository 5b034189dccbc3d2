//! Groups turned into findings: which are named, how much they matter, how sure they are, and in which order.

use crate::call::kind_signal;
use crate::causes::{direction, hypothesis, importance};
use crate::fold::Fold;
use crate::line::readable;
use crate::report::{Importance, Report, TITLE_CHARS, clipped, confidence, seen_times};
use crate::tally::{Error, Failure, MAX_EVIDENCE, Tally, Tool};
use crate::telling::Weight;
use crate::thresholds::Thresholds;

/// A tool with this many failures of several errors is a finding.
const MIN_FAILURES: u32 = 2;
/// Errors that came back which are named one by one; errors seen once; and findings of each other kind.
pub(crate) const MAX_RECURRING: usize = 24;
pub(crate) const MAX_SINGLE: usize = 8;
pub(crate) const MAX_OF_KIND: usize = 8;
/// Most characters of a name in a title.
const NAME_CHARS: usize = 40;
/// Most characters of what was asked.
const ASKED_CHARS: usize = 160;
/// Most entries of evidence that the contract takes.
const MAX_RARE_EVIDENCE: usize = 32;

/// All findings: most important first, then the most frequent, then the newest, then by id.
pub(crate) fn reports(fold: &Fold) -> Vec<Report> {
    let (tally, thresholds) = (fold.tally(), fold.thresholds());
    let mut reports = error_reports(tally, thresholds);
    reports.extend(best(
        tally.tools().iter().filter_map(|tool| rate_report(tally, tool, thresholds)).collect(),
        MAX_OF_KIND,
    ));
    let mut paces: Vec<Report> =
        tally.tools().iter().flat_map(|tool| tool.pace.reports(&tool.name, thresholds)).collect();
    paces.sort_by(|a, b| a.kind.cmp(b.kind));
    for of_kind in paces.chunk_by(|a, b| a.kind == b.kind) {
        reports.extend(best(of_kind.to_vec(), MAX_OF_KIND));
    }
    reports.extend(best(fold.habits().reports(thresholds).collect(), MAX_OF_KIND));
    reports.extend(best(fold.places().reports().collect(), MAX_OF_KIND));
    reports.extend(fold.surroundings().reports());
    let mut costs = fold.cost().reports(thresholds);
    costs.sort_by(|a, b| a.kind.cmp(b.kind));
    for of_kind in costs.chunk_by(|a, b| a.kind == b.kind) {
        reports.extend(best(of_kind.to_vec(), MAX_OF_KIND));
    }
    best(reports, usize::MAX)
}

fn best(mut reports: Vec<Report>, most: usize) -> Vec<Report> {
    reports.sort_by(|a, b| {
        let newest = |report: &Report| report.evidence.first().map(|(event, _)| *event);
        (b.importance, b.occurrences, newest(b))
            .cmp(&(a.importance, a.occurrences, newest(a)))
            .then_with(|| a.id.cmp(&b.id))
    });
    reports.truncate(most);
    reports
}

/// Errors that came back or are still there, and one finding for the rest, which were each seen once.
fn error_reports(tally: &Tally, thresholds: &Thresholds) -> Vec<Report> {
    let (again, once): (Vec<_>, Vec<_>) = tally.errors().partition(|(_, error)| error.failures > 1);
    let report = |key: u64, error: &Error| error_report(tally, key, error, thresholds);
    let mut reports = best(again.iter().map(|(key, error)| report(*key, error)).collect(), MAX_RECURRING);
    let (gone, mut there): (Vec<_>, Vec<_>) = once.into_iter().partition(|(_, error)| recovered(tally, error));
    there.sort_by_key(|(_, error)| {
        (importance(error.kind, false), error.weight, newest(error).map(|failure| failure.event))
    });
    let named = there.split_off(there.len().saturating_sub(MAX_SINGLE));
    reports.extend(named.into_iter().map(|(key, error)| report(key, error)));
    reports.extend(rare_report(&there, gone.len()));
    reports
}

fn newest(error: &Error) -> Option<&Failure> {
    error.newest.iter().next()
}

fn recovered(tally: &Tally, error: &Error) -> bool {
    error.newest.iter().all(|failure| tally.recovered(failure))
}

fn error_report(tally: &Tally, key: u64, error: &Error, thresholds: &Thresholds) -> Report {
    let recurring = error.failures >= thresholds.recurring;
    let line = newest(error).map_or("", |failure| failure.line.as_str());
    let vague = error.weight <= Weight::Text;
    let shown = if error.weight <= Weight::Footer { "it failed and said nothing".to_owned() } else { readable(line) };
    let settled = newest(error).is_some_and(|failure| tally.recovered(failure));
    let importance = match importance(error.kind, recurring) {
        _ if recovered(tally, error) => Importance::Info,
        importance if settled || vague => importance.min(Importance::Low),
        importance => importance,
    };
    Report {
        id: format!("error-signature:{key:016x}"),
        kind: "error_signature",
        title: titled(&shown, &seen(tally, error)),
        importance,
        confidence: confidence(error.failures) * if vague { 0.7 } else { 1.0 },
        hypothesis: hypothesis(error.kind).to_owned(),
        evidence: error.newest.iter().map(asked).collect(),
        direction: match &error.place {
            Some((path, line)) => format!("{}: it points at {path} line {line}", direction(error.kind)),
            None => direction(error.kind).to_owned(),
        },
        signals: signals(line, recurring, kind_signal(error.kind)),
        occurrences: error.failures,
    }
}

/// Which call it was: the error stands in the title.
fn asked(failure: &Failure) -> (u64, String) {
    let text = if failure.asked.is_empty() { &failure.line } else { &failure.asked };
    (failure.event, clipped(text, ASKED_CHARS))
}

/// `Bash, 5 times in 2 sessions`.
fn seen(tally: &Tally, error: &Error) -> String {
    let name = tally.name(error.tool);
    let tool = if name.is_empty() { String::new() } else { format!("{}, ", clipped(name, NAME_CHARS)) };
    let sessions = match error.sessions.len() {
        0 | 1 => String::new(),
        many if many < crate::tally::MAX_SESSIONS => format!(" in {many} sessions"),
        many => format!(" in {many} sessions or more"),
    };
    format!("{tool}{}{sessions}", seen_times(error.failures))
}

/// A line and what is said of it, the line cut so that both fit.
pub(crate) fn titled(line: &str, said: &str) -> String {
    let room = TITLE_CHARS.saturating_sub(said.chars().count() + 3);
    format!("{} ({said})", clipped(line, room))
}

/// The errors that are not named one by one.
fn rare_report(left: &[(u64, &Error)], recovered: usize) -> Option<Report> {
    let count = u32::try_from(left.len()).unwrap_or(u32::MAX);
    let evidence = left.iter().rev().filter_map(|(_, error)| newest(error)).take(MAX_RARE_EVIDENCE);
    let also = if recovered > 0 { format!("; {recovered} more passed when tried again") } else { String::new() };
    (count > 0).then(|| Report {
        id: "rare-errors".to_owned(),
        kind: "rare_errors",
        title: match count {
            1 => format!("one other error was seen once{also}"),
            _ => format!("{count} other errors were each seen once{also}"),
        },
        importance: Importance::Info,
        confidence: confidence(1),
        hypothesis: "slips that the agent went on from".to_owned(),
        evidence: evidence.map(|failure| (failure.event, failure.line.clone())).collect(),
        direction: "none of them came back: look at those that did first".to_owned(),
        signals: vec!["log_error".to_owned()],
        occurrences: count,
    })
}

/// A tool that fails often, for more reasons than one.
fn rate_report(tally: &Tally, tool: &Tool, thresholds: &Thresholds) -> Option<Report> {
    let slot = tally.tools().iter().position(|other| std::ptr::eq(other, tool));
    let of_tool = tally.errors().filter(|(_, error)| error.tool == slot);
    let most = of_tool.map(|(_, error)| error.failures).max().unwrap_or_default();
    if tool.failures < MIN_FAILURES || f64::from(most) >= thresholds.covered_rate * f64::from(tool.failures) {
        return None;
    }
    let rate = f64::from(tool.failures) / f64::from(tool.calls.max(1));
    let percent = (rate * 100.0).round();
    let recovered = tool.newest.iter().all(|failure| tally.recovered(failure));
    Some(Report {
        id: format!("tool-failures:{}", tool.name),
        kind: "tool_failure_rate",
        title: format!(
            "{} failed in {} of {} calls ({percent}%), for more than one reason",
            clipped(&tool.name, NAME_CHARS),
            tool.failures,
            tool.calls
        ),
        importance: match rate {
            _ if recovered => Importance::Info,
            rate if rate >= thresholds.high_rate => Importance::High,
            rate if rate >= thresholds.medium_rate => Importance::Medium,
            _ => Importance::Low,
        },
        confidence: confidence(tool.failures),
        hypothesis: "it is used for many things, and no single error stands behind most of its failures".to_owned(),
        evidence: tool.newest.iter().take(MAX_EVIDENCE).map(|failure| (failure.event, failure.line.clone())).collect(),
        direction: "look at its errors one by one, the most frequent first".to_owned(),
        signals: signals("", tool.failures >= thresholds.recurring, None),
        occurrences: tool.failures,
    })
}

fn signals(line: &str, recurring: bool, kind: Option<&str>) -> Vec<String> {
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
