//! `--jsonl`: one answer for every line.

use std::path::Path;

use serde::Serialize;

use crate::context::open_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::jsonl::{self, Unanswered};
use crate::output::{self, Report};

/// What a command with `--jsonl` does: answers every line of a file, or of standard input for `-`.
pub(super) fn answer_lines<A: Serialize>(
    environment: &Environment,
    file: &Path,
    max_bytes: usize,
    answer: impl FnMut(&str) -> Result<A, Unanswered>,
) -> Result<Report, Failure> {
    jsonl::answer(open_input(environment, file)?, &mut output::stream(), max_bytes, answer)?;
    Ok(Report::printed())
}
