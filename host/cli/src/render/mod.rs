//! Results for a person. Every function takes values and gives text; nothing here prints.

pub(crate) mod applied;
pub(crate) mod autopilot;
pub(crate) mod cycle;
mod excerpt;
pub(crate) mod explain;
pub(crate) mod findings;
pub(crate) mod impact;
pub(crate) mod model;
pub(crate) mod queue;
pub(crate) mod reading;
pub(crate) mod report_file;
pub(crate) mod shown;
pub(crate) mod signature;
pub(crate) mod size;
pub(crate) mod steps;
pub(crate) mod style;
pub(crate) mod unanswered;
pub(crate) mod verdict;
pub(crate) mod wrap;
