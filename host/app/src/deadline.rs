//! The end of the time that a use case may take. The one place of this crate that looks at the monotonic clock.

use std::time::{Duration, Instant};

/// A moment of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// So far from now.
    pub(crate) fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// Whether it has passed.
    pub(crate) fn is_over(self) -> bool {
        Instant::now() >= self.0
    }

    /// The same moment, for the stages.
    pub(crate) fn instant(self) -> Instant {
        self.0
    }
}
