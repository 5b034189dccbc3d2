//! How long a tool's calls take and how many of them fail, now and before: windows of calls, the newest against
//! the one before it. A quantile is the upper bound of its class, which is a quarter above the lower one at most.

use std::collections::VecDeque;

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::report::{Importance, Report, clipped, confidence, first_line, seen_times};
use crate::thresholds::Thresholds;

/// Classes of durations: four to a doubling, from 1 ms; the last holds all above 49 days.
const CLASSES: usize = 128;
/// Bits of a duration that make its class: the exponent and two bits of the fraction.
const CLASS_SHIFT: u32 = 50;
const SHOWN: usize = 4;

/// What is known of one tool's pace.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    before: Window,
    now: Window,
    /// All calls with a known duration.
    timed: u32,
    total_ms: f64,
    timeouts: u32,
    lost_ms: f64,
    /// The newest calls that ran out of time.
    stopped: VecDeque<(u64, String)>,
}

#[derive(Debug)]
struct Window {
    calls: u32,
    failures: u32,
    timed: u32,
    classes: [u16; CLASSES],
    /// The slowest, slowest first.
    slowest: Vec<(f64, u64, String)>,
    /// The newest failures.
    failed: VecDeque<(u64, String)>,
}

impl Default for Window {
    fn default() -> Self {
        let (slowest, failed) = (Vec::new(), VecDeque::new());
        Self { calls: 0, failures: 0, timed: 0, classes: [0; CLASSES], slowest, failed }
    }
}

impl Pace {
    pub(crate) fn add(&mut self, call: &Call<'_>, thresholds: &Thresholds) {
        if self.now.calls >= thresholds.window_calls {
            self.before = std::mem::take(&mut self.now);
        }
        let duration = call.duration_ms.filter(|ms| ms.is_finite() && *ms >= 0.0);
        self.now.add(call, duration);
        self.timed = self.timed.saturating_add(u32::from(duration.is_some()));
        self.total_ms += duration.unwrap_or_default();
        if call.failed && call.kind == FailureKind::Timeout {
            self.timeouts = self.timeouts.saturating_add(1);
            self.lost_ms += duration.unwrap_or_default();
            keep_newest(&mut self.stopped, call);
        }
    }

    /// What there is to say of the tool of this name.
    pub(crate) fn reports(&self, name: &str, thresholds: &Thresholds) -> impl Iterator<Item = Report> {
        let slow = self.slower(name, thresholds).or_else(|| self.slow(name, thresholds));
        [slow, self.trend(name, thresholds), self.timeouts(name)].into_iter().flatten()
    }

    fn slower(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let (before, now) = (&self.before, &self.now);
        let (slow_before, slow_now) = (before.quantile(0.95), now.quantile(0.95));
        let enough = before.timed >= thresholds.window_least && now.timed >= thresholds.window_least;
        if !enough || slow_now < slow_before * thresholds.regression || slow_now - slow_before < thresholds.slower_ms {
            return None;
        }
        let (usual_before, usual_now) = (before.quantile(0.5), now.quantile(0.5));
        let was = format!("before p50 {}, p95 {}", shown(usual_before), shown(slow_before));
        Some(Report {
            id: format!("slower:{name}"),
            kind: "latency_regression",
            title: format!("{} has become slower: {}, {was}", clipped(name, 60), now.quantiles()),
            // Where only the slowest calls became slower, it may be a person who was asked for permission.
            importance: if usual_now >= usual_before * thresholds.regression {
                Importance::Low
            } else {
                Importance::Info
            },
            confidence: 0.5,
            hypothesis: "the work has grown, or waits for something that has become slow".to_owned(),
            direction: "look at the slowest calls first".to_owned(),
            signals: vec!["perf_bottleneck".to_owned()],
            occurrences: now.timed,
            ..now.slowest_calls()
        })
    }

    fn slow(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let now = &self.now;
        if now.timed < thresholds.window_least || now.quantile(0.95) < thresholds.slow_ms {
            return None;
        }
        let total = format!("{} in all of its {} timed calls", shown(self.total_ms), self.timed);
        Some(Report {
            id: format!("slow:{name}"),
            kind: "latency",
            title: format!("{} is slow: {}, {total}", clipped(name, 60), now.quantiles()),
            importance: Importance::Info,
            confidence: 0.5,
            hypothesis: "some calls do much work at once, or wait: for a service, a lock, a person's permission"
                .to_owned(),
            direction: "look at the slowest calls: what they wait for may be shorter, or run in the background"
                .to_owned(),
            signals: vec!["perf_bottleneck".to_owned()],
            occurrences: now.timed,
            ..now.slowest_calls()
        })
    }

    fn trend(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let (before, now) = (&self.before, &self.now);
        let enough = before.calls >= thresholds.window_least
            && now.calls >= thresholds.window_least
            && now.failures >= thresholds.trend_failures;
        if !enough || now.rate() < before.rate() * thresholds.regression {
            return None;
        }
        let of = |window: &Window| format!("{} of {}", window.failures, window.calls);
        let (rose, fell) = (of(now), of(before));
        Some(Report {
            id: format!("failing-more:{name}"),
            kind: "failure_trend",
            title: format!("{} fails more often: {rose} calls now, {fell} before", clipped(name, 60)),
            importance: Importance::Medium,
            confidence: 0.6,
            hypothesis: "something changed between the two: the code, the task or the environment".to_owned(),
            evidence: now.failed.iter().rev().cloned().collect(),
            direction: "compare what came before the first of these failures with what worked until then".to_owned(),
            signals: vec!["log_error".to_owned(), "failure_rate_rising".to_owned()],
            occurrences: now.failures,
        })
    }

    fn timeouts(&self, name: &str) -> Option<Report> {
        let lost = if self.lost_ms > 0.0 { format!(", {} lost", shown(self.lost_ms)) } else { String::new() };
        (self.timeouts > 0).then(|| Report {
            id: format!("timeouts:{name}"),
            kind: "timeouts",
            title: format!("{} ran out of time {}{lost}", clipped(name, 60), seen_times(self.timeouts)),
            importance: Importance::Medium,
            confidence: confidence(self.timeouts),
            hypothesis: "the work takes longer than its time limit, or waits for something that never comes".to_owned(),
            evidence: self.stopped.iter().rev().cloned().collect(),
            direction: "make the step faster, split it or run it in the background, before raising its limit"
                .to_owned(),
            signals: vec!["log_error".to_owned(), "timeout".to_owned()],
            occurrences: self.timeouts,
        })
    }
}

impl Window {
    fn add(&mut self, call: &Call<'_>, duration: Option<f64>) {
        self.calls += 1;
        if call.failed {
            self.failures += 1;
            keep_newest(&mut self.failed, call);
        }
        let Some(ms) = duration else { return };
        self.timed += 1;
        if let Some(count) = self.classes.get_mut(class(ms)) {
            *count += 1;
        }
        let at = self.slowest.iter().position(|(other, ..)| ms > *other).unwrap_or(self.slowest.len());
        if at < SHOWN {
            self.slowest.truncate(SHOWN - 1);
            self.slowest.insert(at, (ms, call.event, first_line(call.input)));
        }
    }

    /// The time in which this share of the calls was done, in milliseconds; 0 where none was timed.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = f64::from(self.timed) * share;
        let mut seen = 0;
        let class = self.classes.iter().position(|count| {
            seen += u32::from(*count);
            seen > 0 && f64::from(seen) >= wanted
        });
        class.map_or(0.0, upper_bound)
    }

    fn quantiles(&self) -> String {
        format!(
            "p50 {}, p95 {} of its newest {} calls",
            shown(self.quantile(0.5)),
            shown(self.quantile(0.95)),
            self.timed
        )
    }

    fn rate(&self) -> f64 {
        f64::from(self.failures) / f64::from(self.calls.max(1))
    }

    /// A report that rests on the slowest calls.
    fn slowest_calls(&self) -> Report {
        let evidence = self.slowest.iter().map(|(ms, event, line)| (*event, format!("{}: {line}", shown(*ms))));
        Report { evidence: evidence.collect(), ..Report::default() }
    }
}

fn class(ms: f64) -> usize {
    let first = 1f64.to_bits() >> CLASS_SHIFT;
    let class = (ms.max(1.0).to_bits() >> CLASS_SHIFT).saturating_sub(first);
    usize::try_from(class).unwrap_or(CLASSES).min(CLASSES - 1)
}

fn upper_bound(class: usize) -> f64 {
    f64::from_bits(((1f64.to_bits() >> CLASS_SHIFT) + class as u64 + 1) << CLASS_SHIFT)
}

fn keep_newest(kept: &mut VecDeque<(u64, String)>, call: &Call<'_>) {
    if kept.len() == SHOWN {
        kept.pop_front();
    }
    kept.push_back((call.event, first_line(call.input)));
}

/// Milliseconds for a person.
fn shown(ms: f64) -> String {
    match ms {
        ms if ms < 1000.0 => format!("{ms:.0} ms"),
        ms if ms < 120_000.0 => format!("{:.1} s", ms / 1000.0),
        ms if ms < 7_200_000.0 => format!("{:.0} min", ms / 60_000.0),
        ms => format!("{:.1} h", ms / 3_600_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_durations_within_a_quarter() {
        for ms in [1.0, 1.2, 1.3, 7.0, 999.0, 59_999.0, 60_000.0, 1e9] {
            let bound = upper_bound(class(ms));
            assert!(bound > ms && bound <= ms * 1.25 + 1e-9, "{ms}: {bound}");
        }
        assert_eq!(class(0.0), 0);
        assert_eq!(class(f64::MAX), CLASSES - 1);
    }
}
