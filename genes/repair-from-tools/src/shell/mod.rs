//! Errors of shells: scripts that need bash, carriage returns, the executable bit, and tests with `[`.

mod brackets;
mod error;
mod posix;
mod scripts;

use gephost_gene::failures::Failure;

use crate::fix::Fix;
use crate::shelf::Shelf;
use error::error;

/// Most errors that are read from one output.
const MAX_ERRORS: usize = 32;

/// The repairs for the errors in an output.
pub(crate) fn fixes(failure: &Failure, shelf: &mut Shelf<'_>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    for line in failure.output.lines().take(100_000) {
        if let Some(error) = error(line) {
            fixes.extend(scripts::for_bash(&error, failure, shelf).or_else(|| brackets::fix(&error, shelf)));
        }
        fixes.extend(scripts::carriage_returns(line, failure, shelf));
        fixes.extend(scripts::not_executable(line, shelf));
        if fixes.len() >= MAX_ERRORS {
            break;
        }
    }
    fixes
}
