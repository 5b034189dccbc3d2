//! Impact: whether a published change reduced its finding's failures per hundred tool calls.
//!
//! What must stay true: a difference that chance explains does not count. Two windows, before and after the apply, are
//! compared by Fisher's exact test, two-sided. Fewer than [`MIN_CALLS`] calls in a window are "not enough yet", and a
//! p-value above [`ALPHA`] is "unchanged".

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnosis::FindingRef;
use crate::run_event::{EventType, Outcome, RunEvent};
use crate::signal::{normal_signal, signals};

/// The fewest tool calls for which a window counts.
pub const MIN_CALLS: u64 = 20;
/// The largest p-value at which a difference counts.
pub const ALPHA: f64 = 0.05;

/// Signals that any failure raises, and that therefore identify no finding.
const GENERIC: &[&str] = &["log_error", "recurring_error", "failed", "exception", "error"];
/// Most characters of a line that go into a signature.
const MAX_LINE_CHARS: usize = 260;

/// What happened in a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tool calls that succeeded or failed, and failures outside of any call.
    pub calls: u64,
    /// Those of them that the finding is about.
    pub failures: u64,
}

impl Window {
    /// Failures per hundred calls; 0 without calls.
    pub fn per_hundred(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
        let rate = |failures: u64, calls: u64| failures as f64 * 100.0 / calls as f64;
        if self.calls == 0 { 0.0 } else { rate(self.failures, self.calls) }
    }
}

/// What a change did to its finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The change is not part of the checked-out commit, so its impact is unknown.
    NotInUse,
    /// Too few calls in one of the windows.
    NotEnough,
    /// The failures are rarer.
    Improved,
    /// The difference is no larger than chance explains.
    Unchanged,
    /// The failures are more frequent.
    Worse,
}

impl Effect {
    /// The name in reports and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotInUse => "not_in_use",
            Self::NotEnough => "not_enough",
            Self::Improved => "improved",
            Self::Unchanged => "unchanged",
            Self::Worse => "worse",
        }
    }

    /// Whether the windows held enough calls.
    pub fn is_answer(self) -> bool {
        !matches!(self, Self::NotInUse | Self::NotEnough)
    }
}

/// The comparison of two windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impact {
    /// The result.
    pub effect: Effect,
    /// Until the change was applied.
    pub before: Window,
    /// Since then.
    pub after: Window,
    /// The p-value in millionths: how often chance alone gives a difference as large.
    pub p_millionths: u32,
}

impl Impact {
    /// The p-value, from 0 to 1.
    pub fn p_value(self) -> f64 {
        f64::from(self.p_millionths) / 1e6
    }
}

/// Compares the events before a change was applied with those since. An event without a time counts in neither window.
pub fn impact(events: &[RunEvent], finding: &FindingRef, applied: Timestamp) -> Impact {
    let marks = Marks::of(finding);
    let (mut before, mut after) = (Window::default(), Window::default());
    for event in events {
        let Some(time) = event.timestamp else { continue };
        let failed = event.is_failure();
        let ended_well = event.event_type == EventType::ToolEnd && event.outcome == Some(Outcome::Success);
        if !failed && !ended_well {
            continue;
        }
        let window = if time < applied { &mut before } else { &mut after };
        window.calls += 1;
        window.failures += u64::from(failed && marks.fit(event));
    }
    compare(before, after)
}

/// When a finding first failed after a time.
pub fn failed_since(events: &[RunEvent], finding: &FindingRef, since: Timestamp) -> Option<Timestamp> {
    let marks = Marks::of(finding);
    let later = events.iter().filter(|event| event.timestamp.is_some_and(|time| time > since));
    later.filter(|event| event.is_failure() && marks.fit(event)).filter_map(|event| event.timestamp).min()
}

/// Compares two windows.
pub fn compare(before: Window, after: Window) -> Impact {
    let p_value = fisher(before, after);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to a million")]
    let p_millionths = (p_value * 1e6).round() as u32;
    let effect = if before.calls.min(after.calls) < MIN_CALLS {
        Effect::NotEnough
    } else if p_value > ALPHA {
        Effect::Unchanged
    } else if after.per_hundred() < before.per_hundred() {
        Effect::Improved
    } else {
        Effect::Worse
    };
    Impact { effect, before, after, p_millionths }
}

/// What identifies a finding's failures.
struct Marks {
    /// Its error lines: the longest word of each, to look for first, and its normal form.
    lines: Vec<(String, String)>,
    /// Its other signals, except those that any failure raises.
    signals: BTreeSet<String>,
}

impl Marks {
    fn of(finding: &FindingRef) -> Self {
        let errors = finding.signals.iter().filter_map(|signal| signal.strip_prefix("errsig:"));
        let lines = errors.map(|line| (longest_word(line).to_owned(), normal(line))).collect();
        let others = finding.signals.iter().filter(|signal| !signal.starts_with("errsig:"));
        let signals = others.filter(|signal| !GENERIC.contains(&signal.as_str())).cloned().collect();
        Self { lines, signals }
    }

    /// Whether a failure belongs to the finding: by its error lines if it has any, else by its other signals, else
    /// every failure does.
    fn fit(&self, event: &RunEvent) -> bool {
        let text = event.output.as_deref().unwrap_or_default();
        if !self.lines.is_empty() {
            return self.lines.iter().any(|(word, wanted)| text.contains(word) && has_line(text, word, wanted));
        }
        let raises =
            || signals(std::slice::from_ref(event)).into_iter().any(|signal| self.signals.contains(&signal.name));
        self.signals.is_empty() || raises()
    }
}

fn has_line(text: &str, word: &str, wanted: &str) -> bool {
    // pytest puts `E` before the lines of an exception.
    let unframed = |line: &str| line.trim().strip_prefix("E  ").map_or(line.trim(), str::trim).to_owned();
    text.lines().filter(|line| line.contains(word)).any(|line| normal(&unframed(line)) == wanted)
}

fn normal(line: &str) -> String {
    let collapsed = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let clipped: String = collapsed.chars().take(MAX_LINE_CHARS).collect();
    normal_signal(&format!("errsig:{clipped}"))
}

/// The longest run of letters, which the normal form keeps; empty if the line has none.
fn longest_word(line: &str) -> &str {
    // A path is replaced as a whole, up to the next space.
    let plain = line.split_whitespace().filter(|part| !part.contains('/') && !part.contains('\\'));
    let words = plain.flat_map(|part| part.split(|c: char| !c.is_alphabetic()));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// Fisher's exact test, two-sided: the sum of the probabilities of all tables with the same margins that are at most as
/// likely as this one.
fn fisher(before: Window, after: Window) -> f64 {
    /// Two probabilities that differ by less count as equal.
    const SLACK: f64 = 1e-9;
    let (calls, failures) = (before.calls + after.calls, before.failures + after.failures);
    if before.calls == 0 || after.calls == 0 || failures == 0 || failures == calls {
        return 1.0;
    }
    let logs = LogFactorials::up_to(calls);
    let log_likelihood = |in_before: u64| {
        logs.choose(before.calls, in_before) + logs.choose(after.calls, failures - in_before)
            - logs.choose(calls, failures)
    };
    let seen = log_likelihood(before.failures.min(before.calls));
    let least = failures.saturating_sub(after.calls);
    let most = failures.min(before.calls);
    let total: f64 = (least..=most).map(log_likelihood).filter(|other| *other <= seen + SLACK).map(f64::exp).sum();
    total.clamp(0.0, 1.0)
}

/// The natural logarithms of the factorials.
struct LogFactorials(Vec<f64>);

impl LogFactorials {
    fn up_to(most: u64) -> Self {
        let mut sum = 0.0;
        let mut logs = vec![0.0];
        #[expect(clippy::cast_precision_loss, reason = "counts of events stay far below 2^53")]
        logs.extend((1..=most).map(|number| {
            sum += (number as f64).ln();
            sum
        }));
        Self(logs)
    }

    fn of(&self, number: u64) -> f64 {
        usize::try_from(number).ok().and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }

    fn choose(&self, all: u64, some: u64) -> f64 {
        self.of(all) - self.of(some) - self.of(all.saturating_sub(some))
    }
}

#[cfg(test)]
mod tests;
