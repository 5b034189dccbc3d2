//! Calls that were cancelled because a call next to them failed: they are laid to that failure.
//!
//! The log has them behind the failure, or right before it. Memory is bounded: [`MAX_FAILURES`] failures are known.

const MAX_FAILURES: usize = 4096;
/// Most events between a failure and a call that was cancelled because of it.
const NEAR: u64 = 64;

/// How many calls each failure took with it.
#[derive(Debug, Default)]
pub(crate) struct Cancelled {
    /// The numbers of failed calls, each with how many calls it took with it.
    counts: Vec<(u64, u32)>,
    /// The newest failure: its session and its event.
    failed: Option<(u32, u64)>,
    /// The session of cancelled calls without a failure before them, the newest of them, and how many these are.
    waiting: Option<(u32, u64, u32)>,
}

impl Cancelled {
    /// Adds a call that was cancelled.
    pub(crate) fn add(&mut self, session: u32, event: u64) {
        let is_near = |(known, failed): &(u32, u64)| *known == session && event.saturating_sub(*failed) <= NEAR;
        if let Some((_, failed)) = self.failed.filter(is_near) {
            self.count(failed, 1);
            return;
        }
        let before = self.waiting.filter(|(known, ..)| *known == session).map_or(0, |(_, _, count)| count);
        self.waiting = Some((session, event, before.saturating_add(1)));
    }

    /// Adds a call that failed.
    pub(crate) fn fail(&mut self, session: u32, event: u64) {
        self.failed = Some((session, event));
        let is_near = |(known, last, _): &(u32, u64, u32)| *known == session && event.saturating_sub(*last) <= NEAR;
        if let Some((_, _, count)) = self.waiting.take().filter(is_near) {
            self.count(event, count);
        }
    }

    fn count(&mut self, failed: u64, count: u32) {
        if let Some((_, all)) = self.counts.last_mut().filter(|(known, _)| *known == failed) {
            *all = all.saturating_add(count);
        } else if self.counts.len() < MAX_FAILURES {
            self.counts.push((failed, count));
        }
    }

    /// How many calls these failures took with them.
    pub(crate) fn because_of(&self, failures: &[u64]) -> u32 {
        let own = self.counts.iter().filter(|(failed, _)| failures.contains(failed));
        own.fold(0, |all, (_, count)| all.saturating_add(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_calls_are_laid_to_the_failure_next_to_them() {
        let mut cancelled = Cancelled::default();
        cancelled.add(0, 1);
        cancelled.add(0, 2);
        cancelled.fail(0, 3);
        cancelled.add(0, 4);
        cancelled.fail(0, 9);
        cancelled.add(0, 10);
        cancelled.add(1, 11);
        cancelled.add(0, 9 + NEAR + 1);
        cancelled.fail(0, 9 + NEAR + 90);
        assert_eq!([&[3][..], &[9], &[3, 9], &[4]].map(|events| cancelled.because_of(events)), [3, 1, 4, 0]);
    }
}
