//! Wall times for the benches. A figure is a median, and a ratio is between figures of one run.

use std::time::{Duration, Instant};

/// The median of `runs` samples.
pub fn median(runs: usize, mut sample: impl FnMut() -> Duration) -> Duration {
    let mut samples: Vec<Duration> = (0..runs.max(1)).map(|_| sample()).collect();
    samples.sort();
    samples[samples.len() / 2]
}

/// How long `body` takes, and what it gave.
pub fn time<T>(body: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let result = body();
    (begun.elapsed(), result)
}

/// How long `body` keeps this thread on a processor, in the system too, and what it gave. What else runs on the machine
/// does not count, nor does what other threads do for the body.
pub fn busy<T>(body: impl FnOnce() -> T) -> (Duration, T) {
    let begun = on_processor();
    let result = body();
    (on_processor().saturating_sub(begun), result)
}

fn on_processor() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(spent).unwrap_or_default()
}

/// In milliseconds.
pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// In microseconds.
pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// The number after `--NAME` in the bench's arguments.
pub fn argument(name: &str) -> Option<usize> {
    let mut arguments = std::env::args().skip_while(|argument| argument.strip_prefix("--") != Some(name));
    arguments.nth(1)?.replace('_', "").parse().ok()
}
