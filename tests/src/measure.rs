//! Times for the benches. Each figure is a median, and ratios compare figures of the same run.

use std::time::{Duration, Instant};

/// The median of `runs` samples.
pub fn median(runs: usize, mut sample: impl FnMut() -> Duration) -> Duration {
    let mut samples: Vec<Duration> = (0..runs.max(1)).map(|_| sample()).collect();
    samples.sort();
    samples[samples.len() / 2]
}

/// The wall time of `body`, and its result.
pub fn time<T>(body: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = body();
    (begun.elapsed(), result)
}

/// The processor time of this thread in `body`, including the kernel, and its result. Other processes do not count, and
/// other threads of this process do not either.
pub fn busy<T>(body: impl FnOnce() -> T) -> (Duration, T) {
    let begun = on_processor();
    let result = body();
    (on_processor().saturating_sub(begun), result)
}

fn on_processor() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(spent).unwrap_or_default()
}

/// A duration in milliseconds.
pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// A duration in microseconds.
pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The number after `--NAME` in the arguments of the bench.
pub fn argument(name: &str) -> Option<usize> {
    let mut arguments = std::env::args().skip_while(|argument| argument.strip_prefix("--") != Some(name));
    arguments.nth(1)?.replace('_', "").parse().ok()
}
