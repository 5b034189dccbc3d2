//! Groups turned into findings: which groups matter, how much, how sure, and in which order.

use gephost_gene::run_log::FailureKind;

use crate::tally::{Failure, Group, Tally};

/// A tool with this many failures is a finding, even where its newest call passed.
pub(crate) const MIN_FAILURES: u32 = 2;
/// An error seen this often is recurring (GEP: `recurring_errsig` from three).
pub(crate) const RECURRING: u32 = 3;
/// From this share of failed calls on, a tool counts as broken.
pub(crate) const HIGH_RATE: f64 = 0.5;
/// Below this share, a tool whose newest call passed is merely noisy.
pub(crate) const LOW_RATE: f64 = 0.1;
/// Confidence grows with the failures seen and stays below certainty.
const FULL_CONFIDENCE: f64 = 0.95;
/// Most characters of a tool's name in a title, which holds 200.
const NAME_CHARS: usize = 60;

/// How much a finding matters; the order is that of the contract's `severity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Importance {
    /// Every failure seen was put right later.
    Info,
    /// The newest call passed and failures are rare.
    Low,
    /// It fails now, or often.
    Medium,
    /// It fails now, and again and again or in most calls.
    High,
}

/// A finding as plain data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) importance: Importance,
    pub(crate) confidence: f64,
    pub(crate) hypothesis: String,
    pub(crate) evidence: Vec<(u64, String)>,
    pub(crate) direction: &'static str,
    pub(crate) signals: Vec<String>,
    pub(crate) occurrences: u32,
}

/// All findings: most important first, then the most frequent, then the newest, then by id.
pub(crate) fn reports(tally: &Tally) -> Vec<Report> {
    let tools = tally.tools().filter_map(|(name, group)| tool_report(tally, name, group));
    let errors = tally.signatures().map(|(signature, group)| error_report(tally, signature, group));
    let mut reports: Vec<Report> = errors.chain(tools).collect();
    reports.sort_by(|a, b| {
        let newest = |report: &Report| report.evidence.first().map(|(event, _)| *event);
        (b.importance, b.occurrences, newest(b))
            .cmp(&(a.importance, a.occurrences, newest(a)))
            .then_with(|| a.id.cmp(&b.id))
    });
    reports
}

/// The signal that names a failure's kind, for strategies to match on.
pub(crate) fn kind_signal(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::TestFailure => "test_failed",
        FailureKind::CompileLint => "compile_failed",
        FailureKind::ExitNonzero => "exit_nonzero",
        FailureKind::FileNotFound => "file_not_found",
        FailureKind::EditMismatch => "edit_mismatch",
        FailureKind::Timeout => "timeout",
        FailureKind::Permission => "permission",
        FailureKind::MissingModule => "missing_module",
        FailureKind::MissingCommand => "missing_command",
        FailureKind::Git => "git_failed",
        FailureKind::Network => "network",
        FailureKind::Traceback => "exception",
        FailureKind::None | FailureKind::Other => return None,
    })
}

fn tool_report(tally: &Tally, name: &str, group: &Group) -> Option<Report> {
    let matters = group.failures >= MIN_FAILURES || (group.failures > 0 && group.newest_failed);
    if !matters {
        return None;
    }
    let rate = f64::from(group.failures) / f64::from(group.calls.max(1));
    let short = short(name);
    Some(Report {
        id: format!("tool-failures:{name}"),
        kind: "tool_failure_rate",
        title: format!("{short} failed in {} of {} calls", group.failures, group.calls),
        importance: importance(tally, group, rate),
        confidence: confidence(group.failures),
        hypothesis: hypothesis(group, &format!("calls of {short}")),
        evidence: evidence(group),
        direction: direction(group),
        signals: signals(group),
        occurrences: group.failures,
    })
}

fn error_report(tally: &Tally, signature: u32, group: &Group) -> Report {
    let line = group.newest.back().map_or("", |failure| failure.line.as_str());
    let place = group.tool.as_deref().map_or_else(String::new, |tool| format!(" in {}", short(tool)));
    Report {
        id: format!("error-signature:{signature:08x}"),
        kind: "error_signature",
        title: clipped(&format!("seen {}{place}: {line}", times(group.failures)), 200),
        importance: importance(tally, group, 0.0),
        confidence: confidence(group.failures),
        hypothesis: hypothesis(group, "runs that end in this error"),
        evidence: evidence(group),
        direction: direction(group),
        signals: signals(group),
        occurrences: group.failures,
    }
}

/// `Info` where all evidence recovered; `High` where it fails now and does so repeatedly (three times, or twice and in at least
/// half of the calls); `Low` where it passes now, rarely failed and does not recur; `Medium` for the rest.
fn importance(tally: &Tally, group: &Group, rate: f64) -> Importance {
    if group.newest.iter().all(|failure| tally.recovered(failure)) {
        return Importance::Info;
    }
    let recurring = group.failures >= RECURRING;
    let fails_now = group.newest_failed && group.newest.back().is_some_and(|failure| !tally.recovered(failure));
    let often = recurring || (group.failures >= MIN_FAILURES && rate >= HIGH_RATE);
    match (fails_now, often) {
        (true, true) => Importance::High,
        (false, _) if rate < LOW_RATE && !recurring => Importance::Low,
        _ => Importance::Medium,
    }
}

/// `0.95 × (n + 1) / (n + 2)` for `n` failures: 0.63 for one, 0.71 for two, 0.87 for ten.
fn confidence(failures: u32) -> f64 {
    let seen = f64::from(failures);
    FULL_CONFIDENCE * (seen + 1.0) / (seen + 2.0)
}

fn evidence(group: &Group) -> Vec<(u64, String)> {
    group.newest.iter().rev().map(|failure| (failure.event, failure.line.clone())).collect()
}

fn newest_kind(group: &Group) -> Option<&'static str> {
    group.newest.back().and_then(|failure| failure.kind)
}

fn hypothesis(group: &Group, subject: &str) -> String {
    let cause = match newest_kind(group) {
        Some("test_failed") => "the code does not do what its tests ask for",
        Some("compile_failed") => "the code does not compile or breaks a lint rule",
        Some("file_not_found") => "a path is wrong or a file is missing",
        Some("edit_mismatch") => "the edit was made against a text that the file no longer holds",
        Some("timeout") => "the work takes longer than its time limit, or waits for something that never comes",
        Some("permission") => "the system denies access",
        Some("missing_module") => "a module is not installed, or was renamed or removed",
        Some("missing_command") => "a program is not installed or not on the path",
        Some("git_failed") => "the repository is not in the state that the command needs",
        Some("network") => "a service cannot be reached",
        Some("exception") => "the code raises an exception that nothing catches",
        _ => "the same step fails for the same reason",
    };
    format!("{subject}: {cause}")
}

fn direction(group: &Group) -> &'static str {
    match newest_kind(group) {
        Some("timeout") => "make the step faster or split it, before raising its limit",
        Some("file_not_found" | "edit_mismatch") => "read the file or list the directory before acting on it",
        Some("permission" | "missing_command" | "network") => "check the environment before the step",
        Some("git_failed") => "look at the state of the repository before the command",
        _ => "follow the error to the source line it names and repair that line",
    }
}

fn signals(group: &Group) -> Vec<String> {
    let mut signals = vec!["log_error".to_owned()];
    if let Some(failure) = group.newest.back().filter(|failure| !failure.line.is_empty()) {
        signals.push(format!("errsig:{}", failure.line));
    }
    if group.failures >= RECURRING {
        signals.push("recurring_error".to_owned());
    }
    let mut kinds: Vec<&str> = group.newest.iter().filter_map(|failure: &Failure| failure.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    signals.extend(kinds.into_iter().map(str::to_owned));
    signals
}

fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn short(name: &str) -> String {
    clipped(name, NAME_CHARS)
}

fn clipped(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
