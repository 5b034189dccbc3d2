//! A finding under construction, and how numbers and lines are written for people.

use gephost_gene::Severity;

use crate::order::sort_by;

/// No pattern, however often it was seen, is more certain than this.
const MAX_CONFIDENCE: f64 = 0.95;
/// Most characters of a title. The contract allows 200, but a list of shorter titles is easier to read.
pub(crate) const TITLE_CHARS: usize = 160;

/// The members of a finding. It differs from the contract's type in that it has defaults and can be compared.
///
/// `low` means a nuisance, `medium` that the pattern costs time, `high` that it stops work. `info` is worth knowing: all
/// failures were resolved later, or nothing failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) severity: Severity,
    pub(crate) confidence: f64,
    /// Numbers of events with one line each, the most informative first.
    pub(crate) evidence: Vec<(u64, String)>,
    pub(crate) direction: String,
    pub(crate) signals: Vec<String>,
    pub(crate) occurrences: u32,
    /// The numbers of all events that it explains, ascending; if empty, those of the evidence.
    pub(crate) events: Vec<u64>,
    pub(crate) facets: Vec<Facet>,
    /// Errors that it explains, and how often each was seen.
    pub(crate) absorbed: Vec<(String, u32)>,
    /// Whether the failures were meant to happen.
    pub(crate) is_expected: bool,
}

/// Something that varies between the failures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Facet {
    /// What the values are, in the plural.
    pub(crate) name: String,
    /// The values, the most frequent first.
    pub(crate) values: Vec<String>,
    /// How many different ones there are.
    pub(crate) distinct: u32,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            id: String::new(),
            kind: "",
            title: String::new(),
            severity: Severity::Info,
            confidence: 0.0,
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences: 0,
            events: Vec::new(),
            facets: Vec::new(),
            absorbed: Vec::new(),
            is_expected: false,
        }
    }
}

/// `0.95 × (n + 1) / (n + 2)` for a pattern that was seen `n` times: 0.63 for one, 0.71 for two, 0.87 for ten.
pub(crate) fn confidence(count: u32) -> f64 {
    let seen = f64::from(count);
    MAX_CONFIDENCE * (seen + 1.0) / (seen + 2.0)
}

/// A number without its fraction. Formatting floats takes 20 KiB of code, which this component has no room for.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast takes the nearest number that fits"
)]
pub(crate) fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// A number with one digit of its fraction.
pub(crate) fn with_tenths(number: f64) -> String {
    let tenths = rounded(number * 10.0);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// `once`, `twice`, `3 times`.
pub(crate) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// A line and a remark about it in brackets. The line is cut so that the remark fits into a title.
pub(crate) fn titled(line: &str, remark: &str) -> String {
    let room = TITLE_CHARS.saturating_sub(remark.chars().count() + 3);
    format!("{} ({remark})", clipped(line, room))
}

/// At most this many characters; a text that was cut ends in `…`.
pub(crate) fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The first line of an input that is not blank, at most 200 characters.
pub(crate) fn first_line(input: &str) -> String {
    clipped(input.trim_start().lines().next().unwrap_or_default(), 200)
}

/// The reports in order, at most this many.
pub(crate) fn first(mut reports: Vec<Report>, most: usize) -> Vec<Report> {
    sort_by(&mut reports, |a, b| {
        let newest = |report: &Report| report.evidence.first().map(|(event, _)| *event);
        (b.severity, b.occurrences, newest(b))
            .cmp(&(a.severity, a.occurrences, newest(a)))
            .then_with(|| a.id.cmp(&b.id))
    });
    reports.truncate(most);
    reports
}
