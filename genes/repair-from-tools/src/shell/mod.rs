//! Errors of shells: scripts that need bash, their first line, carriage returns, the executable bit, assignments, and tests with
//! `[`.

mod assign;
mod brackets;
mod error;
mod interpreter;
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
            let fix = scripts::for_bash(&error, failure, shelf).or_else(|| brackets::fix(&error, shelf));
            let fix = fix.or_else(|| assign::fix(&error, shelf)).or_else(|| interpreter::marked(&error, shelf));
            fixes.extend(fix);
        }
        fixes.extend(interpreter::missing(line, failure, shelf));
        fixes.extend(scripts::carriage_returns(line, failure, shelf));
        fixes.extend(scripts::not_executable(line, shelf));
        if fixes.len() >= MAX_ERRORS {
            break;
        }
    }
    fixes
}
