//! The findings `latency`, `latency_regression` and `failure_trend` of one tool. The window of its newest
//! calls is compared with the window before it.
//!
//! Durations are counted in classes. A quantile is the upper bound of its class, so it is at most a quarter too high.

use gephost_gene::Severity;

use crate::call::Call;
use crate::order::push_newest;
use crate::report::{Report, clipped, first_line, rounded, with_tenths};
use crate::thresholds::Thresholds;

/// Classes of durations, from 1 ms up: four for each doubling. The last one holds everything above 49 days.
const CLASSES: usize = 128;
/// Shifts a duration's bits so that the exponent and two bits of the fraction remain, which are its class.
const CLASS_SHIFT: u32 = 50;
/// Most failures of a window that a finding counts.
const MAX_FAILED: usize = 1024;
/// Calls that a finding shows as evidence.
const SHOWN: usize = 4;
/// Most calls of one window, whatever the setting: its classes are counted in 16 bits.
const MAX_WINDOW: f64 = u16::MAX as f64;

/// The durations and failures of one tool.
#[derive(Debug, Default)]
pub(crate) struct Latency {
    before: Window,
    now: Window,
    /// Calls with a known duration, in all windows.
    timed: u32,
    total_ms: f64,
}

#[derive(Debug)]
struct Window {
    calls: u32,
    failures: u32,
    timed: u32,
    classes: [u16; CLASSES],
    /// The slowest calls, slowest first.
    slowest: Vec<(f64, u64, String)>,
    /// The newest failures.
    failed: Vec<(u64, String)>,
    /// The numbers of all failures.
    failed_events: Vec<u64>,
}

impl Default for Window {
    fn default() -> Self {
        let (slowest, failed, failed_events) = (Vec::new(), Vec::new(), Vec::new());
        Self { calls: 0, failures: 0, timed: 0, classes: [0; CLASSES], slowest, failed, failed_events }
    }
}

impl Latency {
    pub(crate) fn add(&mut self, call: &Call<'_>, thresholds: &Thresholds) {
        if f64::from(self.now.calls) >= thresholds.window_calls.clamp(1.0, MAX_WINDOW) {
            self.before = std::mem::take(&mut self.now);
        }
        // A call that failed has a finding of its own, and one that ran into a limit took as long as that.
        let duration = call.duration_ms.filter(|ms| ms.is_finite() && *ms >= 0.0 && !call.failed);
        self.now.add(call, duration);
        self.timed = self.timed.saturating_add(u32::from(duration.is_some()));
        self.total_ms += duration.unwrap_or_default();
    }

    /// The findings about this tool.
    pub(crate) fn reports(&self, name: &str, thresholds: &Thresholds) -> impl Iterator<Item = Report> {
        let slow = self.regression(name, thresholds).or_else(|| self.slow(name, thresholds));
        [slow, self.trend(name, thresholds)].into_iter().flatten()
    }

    fn regression(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let (before, now) = (&self.before, &self.now);
        let (slow_before, slow_now) = (before.quantile(0.95), now.quantile(0.95));
        let enough = before.has_timed(thresholds.window_least) && now.has_timed(thresholds.window_least);
        if !enough || slow_now < slow_before * thresholds.regression || slow_now - slow_before < thresholds.slower_ms {
            return None;
        }
        let (usual_before, usual_now) = (before.quantile(0.5), now.quantile(0.5));
        let was = format!("before that p50 {}, p95 {}", shown(usual_before), shown(slow_before));
        Some(Report {
            id: format!("slower:{name}"),
            kind: "latency_regression",
            title: format!("{} has become slower: {}, {was}", clipped(name, 60), now.quantiles()),
            // If only the slowest calls became slower, they may have waited for a person's permission.
            severity: if usual_now >= usual_before * thresholds.regression { Severity::Low } else { Severity::Info },
            confidence: 0.5,
            signals: vec!["perf_bottleneck".to_owned()],
            occurrences: now.timed,
            ..now.slowest_calls()
        })
    }

    fn slow(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let now = &self.now;
        if !now.has_timed(thresholds.window_least) || now.quantile(0.95) < thresholds.slow_ms {
            return None;
        }
        let total = format!("{} in total over {} timed calls", shown(self.total_ms), self.timed);
        Some(Report {
            id: format!("slow:{name}"),
            kind: "latency",
            title: format!("{} is slow: {}; {total}", clipped(name, 60), now.quantiles()),
            severity: Severity::Info,
            confidence: 0.5,
            signals: vec!["perf_bottleneck".to_owned()],
            occurrences: now.timed,
            ..now.slowest_calls()
        })
    }

    fn trend(&self, name: &str, thresholds: &Thresholds) -> Option<Report> {
        let (before, now) = (&self.before, &self.now);
        let enough = f64::from(before.calls.min(now.calls)) >= thresholds.window_least
            && f64::from(now.failures) >= thresholds.trend_failures;
        if !enough || now.rate() < before.rate() * thresholds.regression {
            return None;
        }
        Some(Report {
            id: format!("failing-more:{name}"),
            kind: "failure_trend",
            title: format!(
                "{} fails more often: {} of the last {} calls, {} of the {} before them",
                clipped(name, 60),
                now.failures,
                now.calls,
                before.failures,
                before.calls
            ),
            severity: Severity::Info,
            confidence: 0.6,
            evidence: now.failed.iter().rev().cloned().collect(),
            events: now.failed_events.clone(),
            signals: vec!["log_error".to_owned(), "failure_rate_rising".to_owned()],
            occurrences: now.failures,
            ..Report::default()
        })
    }
}

impl Window {
    fn add(&mut self, call: &Call<'_>, duration: Option<f64>) {
        self.calls += 1;
        if call.failed {
            self.failures += 1;
            push_newest(&mut self.failed, (call.event, first_line(call.input)), SHOWN);
            if self.failed_events.len() < MAX_FAILED {
                self.failed_events.push(call.event);
            }
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

    fn has_timed(&self, calls: f64) -> bool {
        f64::from(self.timed) >= calls
    }

    /// The duration within which this share of the calls ended, in milliseconds; 0 if no call was timed.
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
            "p50 {}, p95 {} over its last {} calls that worked",
            shown(self.quantile(0.5)),
            shown(self.quantile(0.95)),
            self.timed
        )
    }

    fn rate(&self) -> f64 {
        f64::from(self.failures) / f64::from(self.calls.max(1))
    }

    /// A report with the slowest calls as its evidence.
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

/// Milliseconds in the unit that reads best.
fn shown(ms: f64) -> String {
    match ms {
        ms if ms < 1000.0 => format!("{} ms", rounded(ms)),
        ms if ms < 120_000.0 => format!("{} s", with_tenths(ms / 1000.0)),
        ms if ms < 7_200_000.0 => format!("{} min", rounded(ms / 60_000.0)),
        ms => format!("{} h", with_tenths(ms / 3_600_000.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_at_most_a_quarter_too_high() {
        for ms in [1.0, 1.2, 1.3, 7.0, 999.0, 59_999.0, 60_000.0, 1e9] {
            let bound = upper_bound(class(ms));
            assert!(bound > ms && bound <= ms * 1.25 + 1e-9, "{ms}: {bound}");
        }
        assert_eq!(class(0.0), 0);
        assert_eq!(class(f64::MAX), CLASSES - 1);
    }
}
