//! What the stages need for a gene that searches: which lines the failing command executes, and a place to try edits.

use gephost_core::gate::Approved;
use gephost_runner::sandbox::Coverage;

use crate::error::AppError;

/// Runs the commands of a finding, to measure and to try. There is none in a dry run, which runs nothing.
pub(crate) trait Search {
    /// Runs the commands of these recorded calls on the base.
    fn measure(&self, calls: &[String]) -> Result<Coverage, AppError>;

    /// Tries edits in their order, after [`Search::measure`], until one holds or there is no time left.
    fn try_edits(&self, edits: &[&Approved]) -> Result<Trials, AppError>;
}

/// What became of the edits that were tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Trials {
    /// How many were tried.
    pub(crate) tried: usize,
    /// The first that holds, by its number.
    pub(crate) holds: Option<usize>,
    /// Whether the time was up.
    pub(crate) out_of_time: bool,
    /// Milliseconds of wall time.
    pub(crate) wall_ms: u64,
}
