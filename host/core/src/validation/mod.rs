//! The `ValidationReport` (seed 000): which commands ran, what they said, and whether all is well.
//!
//! Beside the members of the seed each command says how it ended and what its runner counted, so that the verdict
//! can be checked by a reader. Texts arrive here redacted (invariant 12) and are clipped after that.

mod cargo;
mod changes;
mod level;
mod report;
mod run;
mod test_run;

pub use cargo::cargo_sources;
pub(crate) use changes::fails_at_nothing_twice;
pub use changes::{MAX_TOLD, TestChanges};
pub use level::{Cache, Demand, Level, Network};
pub use report::{MAX_STREAM_BYTES, ReportDraft, ValidationReport};
pub use run::{CommandRun, Excess, RunResult};
pub use test_run::{MAX_NAMED_TESTS, NamedTests, TestCounts, TestEvidence, TestState};
