//! A session of autopilot, cycle by cycle, for a person.

use gephost_core::event_log::CycleOutcome;

use super::style::{bad, bold, dim, good, note, printable};

/// One cycle on two lines.
pub(crate) fn cycle(number: usize, title: &str, outcome: CycleOutcome, reason: &str) -> String {
    let word = match outcome {
        CycleOutcome::Published => good(outcome.as_str()),
        CycleOutcome::Failed | CycleOutcome::Refused | CycleOutcome::Loop | CycleOutcome::OutOfBudget => {
            bad(outcome.as_str())
        }
        CycleOutcome::NoProposal | CycleOutcome::Known | CycleOutcome::Waits => note(outcome.as_str()),
    };
    let heading = bold(format!("Cycle {number:<4}"));
    format!("{heading}  {}\n            {word}: {}\n", printable(title), dim(printable(reason)))
}
