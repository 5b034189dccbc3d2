//! What is counted over the whole log for findings of its own: calls by tool, time, repetitions, places, tokens.

pub(crate) mod cancelled;
pub(crate) mod cost;
pub(crate) mod failure_place;
pub(crate) mod groups;
pub(crate) mod latency;
pub(crate) mod loops;
pub(crate) mod unfinished;
