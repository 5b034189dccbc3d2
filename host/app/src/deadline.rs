//! The end of the time that a use case may take.

use gephost_runner::monotonic;
use std::time::{Duration, Instant};

/// A moment of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// So far from now.
    pub(crate) fn after(time: Duration) -> Self {
        Self(monotonic::now() + time)
    }

    /// Whether it has passed.
    pub(crate) fn is_over(self) -> bool {
        monotonic::now() >= self.0
    }

    /// The same moment, for the stages.
    pub(crate) fn instant(self) -> Instant {
        self.0
    }
}
