//! Tests and checks that fail with and without the agent's changes: a run is one of these if the agent has put its changes
//! aside in the same session, before or after it, and everything that fails in this run failed there, too.
//!
//! Memory is bounded: [`MAX_ERRORS`] errors of the base, and [`MAX_RUNS`] runs.

use crate::by_number::{ByNumber, Numbers};
use crate::call::{Call, hash};
use crate::cause::Cause;
use crate::causes::classify::Classified;

const MAX_ERRORS: usize = 16_384;
const MAX_RUNS: usize = 8192;

/// What is known of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Base {
    /// What failed while the changes were put aside, with its session.
    errors: Numbers,
    /// What failed in other runs, by the number of the event.
    runs: ByNumber<Vec<u64>>,
}

impl Base {
    /// Adds a failed run. `is_aside`: the agent's changes were put aside.
    pub(crate) fn add(&mut self, call: &Call<'_>, failure: &Classified<'_>, is_aside: bool) {
        if !matches!(failure.cause, Cause::Tests | Cause::Problems | Cause::Error) {
            return;
        }
        // Errors of different sessions are different.
        let seed = u64::from(call.session);
        let errors: Vec<u64> = match failure.cause {
            Cause::Tests if !failure.names.is_empty() => {
                failure.names.iter().map(|name| hash(seed, name.as_bytes())).collect()
            }
            // Times and line numbers may change.
            _ => vec![
                failure
                    .line
                    .bytes()
                    .filter(|byte| !byte.is_ascii_digit())
                    .fold(!seed, |seed, byte| hash(seed, &[byte])),
            ],
        };
        if is_aside {
            for error in errors {
                self.errors.insert(error, MAX_ERRORS);
            }
        } else if self.runs.len() < MAX_RUNS {
            self.runs.insert(call.event, errors);
        }
    }

    /// Whether everything that failed in this run fails without the agent's changes, too.
    pub(crate) fn has(&self, event: u64) -> bool {
        self.runs.get(event).is_some_and(|errors| errors.iter().all(|error| self.errors.has(*error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::classify::classify;
    use gephost_gene::run_log::FailureKind;

    #[test]
    fn what_fails_without_the_changes_is_known_before_and_after() {
        let mut base = Base::default();
        let mut run = |event: u64, session: u32, failed: &[&str], is_aside: bool| {
            let lines: Vec<String> = failed.iter().map(|name| format!("FAILED t.py::{name} - boom")).collect();
            let output = lines.join("\n");
            let kind = FailureKind::TestFailure;
            let call = Call { event, session, kind, input: "pytest", output: &output, ..Call::FAILED };
            base.add(&call, &classify(&call, true, &[]), is_aside);
        };
        run(0, 0, &["a"], false);
        run(1, 0, &["a", "b"], true);
        run(2, 0, &["b", "a"], false);
        run(3, 0, &["a", "c"], false);
        run(4, 1, &["a"], false);
        let found: Vec<bool> = (0..5).map(|event| base.has(event)).collect();
        assert_eq!(found, [true, false, true, false, false], "one has an error of its own, one is of another session");
    }
}
