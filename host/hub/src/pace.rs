//! How slow a peer may be.
//!
//! What must stay true: what is measured here only decides whether a transfer goes on, and is in no answer.

#![expect(clippy::disallowed_methods, reason = "measures how long a peer keeps the hub waiting")]

use std::time::Duration;

use tokio::time::Instant;

/// The least that a peer must move while the hub waits for it, in bytes a second.
const LEAST_A_SECOND: u128 = 8 << 10;

/// The begin of a wait for a peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Since(Instant);

impl Since {
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn waited(self) -> Duration {
        self.0.elapsed()
    }
}

/// One transfer. A peer that keeps the hub waiting for a whole window must have moved enough bytes in it. A peer that is
/// busy elsewhere for less than a window loses nothing.
#[derive(Debug)]
pub(crate) struct Pace {
    window: Duration,
    waited: Duration,
    moved: u64,
}

impl Pace {
    pub(crate) fn new(window: Duration) -> Self {
        Self { window, waited: Duration::ZERO, moved: 0 }
    }

    /// How long the hub waits for the next bytes before it must ask [`Self::goes_on`].
    pub(crate) fn patience(&self) -> Duration {
        self.window.saturating_sub(self.waited)
    }

    /// Notes that so many bytes moved after such a wait. Returns whether the transfer may go on.
    pub(crate) fn goes_on(&mut self, waited: Duration, bytes: u64) -> bool {
        self.waited = self.waited.saturating_add(waited);
        self.moved = self.moved.saturating_add(bytes);
        if self.waited < self.window {
            return true;
        }
        let least = LEAST_A_SECOND.saturating_mul(self.window.as_millis()) / 1000;
        let enough = u128::from(self.moved) >= least;
        *self = Self::new(self.window);
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);
    const LEAST: u64 = 10 * 8 * 1024;

    #[test]
    fn a_window_of_waiting_needs_its_bytes() {
        let second = Duration::from_secs(1);
        let lasts = |bytes: u64| {
            let mut pace = Pace::new(WINDOW);
            (0..100).take_while(|_| pace.goes_on(second, bytes)).count()
        };
        assert_eq!(lasts(1), 9);
        assert_eq!(lasts(LEAST / 10 - 1), 9);
        assert_eq!(lasts(LEAST / 10), 100);
    }

    #[test]
    fn what_was_fast_once_is_no_credit_for_later() {
        let mut pace = Pace::new(WINDOW);
        assert!(pace.goes_on(Duration::ZERO, u64::MAX) && pace.goes_on(Duration::ZERO, 1));
        assert!(pace.goes_on(WINDOW, 0), "the bytes of this window count");
        assert_eq!(pace.patience(), WINDOW);
        assert!(pace.goes_on(WINDOW / 2, 0));
        assert_eq!(pace.patience(), WINDOW / 2);
        assert!(!pace.goes_on(WINDOW / 2, 0));
    }
}
