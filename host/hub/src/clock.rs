//! Time, as the application hands it in.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

/// Says what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of the rate limiters: the time since the Unix epoch.
#[derive(Clone)]
pub(crate) struct LimiterClock(pub(crate) Clock);

impl governor::clock::Clock for LimiterClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        Duration::try_from(self.0().duration_since(Timestamp::UNIX_EPOCH)).unwrap_or_default()
    }
}
