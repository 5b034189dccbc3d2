//! The decisions of gephost, as pure functions over plain data.
//!
//! Nothing here performs I/O or reads a clock, the environment or randomness (invariant 1). Each function receives what
//! it needs as an argument. The effects that follow from a decision live in `gephost-runner`, in a file of the same
//! name.

pub mod a2a;
pub mod asset;
pub mod attest;
pub mod autopilot;
pub mod backtest;
pub mod blast_radius;
mod bundled;
pub mod capsule;
pub mod checkpoint;
pub mod command;
pub mod compatibility;
pub mod component;
pub mod config;
mod config_tables;
pub mod contest;
pub mod correction;
pub mod diagnosis;
pub mod digest;
pub mod distill;
mod escapes;
pub mod evaluate;
pub mod event_log;
pub mod evolution_event;
mod expressions;
pub mod gate;
pub mod gene;
pub mod grant;
pub mod impact;
pub mod layers;
pub mod lineage;
pub mod manifest_review;
pub mod model;
pub mod observe;
pub mod outcome;
pub mod patch;
pub mod path;
pub mod pattern;
mod permission;
pub mod policy;
pub mod proposal;
pub mod reception;
pub mod recording;
pub mod redact;
pub mod run_event;
pub mod secret;
pub mod select;
pub mod signal;
pub mod starter;
pub mod suggestion;
pub mod text;
pub mod tree;
pub mod trust;
pub mod trust_policy;
pub mod user_config;
pub mod validation;
