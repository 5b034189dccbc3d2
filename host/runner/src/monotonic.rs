//! The monotonic clock: how long something takes, and when its time is over. It never tells the time of day.

use std::time::Instant;

/// This moment.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the monotonic clock")]
pub fn now() -> Instant {
    Instant::now()
}
