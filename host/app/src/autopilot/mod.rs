//! Autopilot: cycle after cycle, one finding each, as far as the config lets it go without a person.
//!
//! What must stay true: every cycle goes the way of a run with its locks; what is taken in hand is in the log before
//! anything is done about it, so that a restart takes it no second time; a session ends by itself.

mod decide;
mod report;
mod run;
mod session;

pub use report::{AutopilotReport, CandidateSummary, CycleReport, PassedOver, SessionEvent, Stop};
