//! A finding as plain data, and how numbers and lines are put for a person.

/// Confidence grows with the failures seen and stays below certainty.
const FULL_CONFIDENCE: f64 = 0.95;
/// Most characters of a title. The contract allows 200; a list is read better short.
pub(crate) const TITLE_CHARS: usize = 160;

/// How much a finding matters; the order is that of the contract's `severity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Importance {
    /// Worth knowing: every failure seen was put right later, or nothing failed.
    #[default]
    Info,
    /// A nuisance.
    Low,
    /// It costs time.
    Medium,
    /// It stops work.
    High,
}

/// A finding as plain data.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) importance: Importance,
    pub(crate) confidence: f64,
    pub(crate) hypothesis: String,
    /// Numbers of events and a line each, the most telling first.
    pub(crate) evidence: Vec<(u64, String)>,
    pub(crate) direction: String,
    pub(crate) signals: Vec<String>,
    pub(crate) occurrences: u32,
}

/// `0.95 × (n + 1) / (n + 2)` for what was seen `n` times: 0.63 for once, 0.71 for twice, 0.87 for ten times.
pub(crate) fn confidence(count: u32) -> f64 {
    let seen = f64::from(count);
    FULL_CONFIDENCE * (seen + 1.0) / (seen + 2.0)
}

pub(crate) fn seen_times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// At most so many characters; what is cut ends in `…`.
pub(crate) fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The first line of an input that says anything, short.
pub(crate) fn first_line(input: &str) -> String {
    clipped(input.trim_start().lines().next().unwrap_or_default(), 200)
}
