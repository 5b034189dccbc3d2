//! The `ValidationReport` (seed 000): which commands ran, what they printed, and the result.
//!
//! In addition to the seed's members, each command has its exit status and test counts, so that a reader can check the
//! verdict. Callers redact texts before they pass them in (invariant 12); they are clipped after that.

mod cargo;
mod changes;
mod dependencies;
mod level;
mod report;
mod run;
mod test_run;
mod weakened;

pub use cargo::cargo_sources;
pub(crate) use changes::fails_at_nothing_twice;
pub use changes::{MAX_TOLD, TestChanges};
pub use dependencies::{CONDA_MARK, DEPENDENCIES, Dependencies, HomeCache, USES, VENV_MARK};
pub use level::{Cache, Demand, Level, MemoryBound, Network};
pub use report::{MAX_STREAM_BYTES, ReportDraft, ValidationReport};
pub use run::{CommandRun, Excess, RunResult};
pub use test_run::{MAX_NAMED_TESTS, NamedTests, TestCounts, TestEvidence, TestState};
pub use weakened::WeakenedTest;
