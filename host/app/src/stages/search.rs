//! What the stages need for a gene that searches: which lines the failing command executes, and a place to try edits.

use gephost_core::gate::Approved;
use gephost_runner::sandbox::Coverage;

use crate::error::AppError;

/// Runs the commands of a finding, to measure and to try. There is none in a dry run, which runs nothing.
pub trait Search {
    /// Runs the commands of these recorded calls on the base.
    fn measure(&self, calls: &[String]) -> Result<Coverage, AppError>;

    /// Tries edits in their order, after [`Search::measure`], until one holds and a few more are tried, or there is no time
    /// left.
    fn try_edits(&self, edits: &[&Approved]) -> Result<Trials, AppError>;
}

/// What became of the edits that were tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trials {
    /// How many were tried.
    pub tried: usize,
    /// Those that hold, by their numbers, ascending. After the first, a few more are tried.
    pub holds: Vec<usize>,
    /// Whether the time was up.
    pub out_of_time: bool,
    /// Milliseconds of wall time.
    pub wall_ms: u64,
}
