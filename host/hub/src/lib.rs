//! A hub for GEP-A2A (seed 002): it stores bundles of genes and capsules, ranks and promotes them, and hands them to other
//! nodes. Components and recordings travel beside them, named by their digest.
//!
//! Owns one socket, one database and one folder. What must stay true: an answer that says "stored" is sent after the commit
//! is on disk; nothing that a publisher says about itself promotes its asset; what was revoked is never given away again;
//! and nothing that comes from outside is run or interpreted here. The hub prints nothing, reads no environment, and has
//! no clock: the application hands one in.

mod answer;
mod app;
mod blobs;
mod body;
mod calls;
mod clock;
mod component_check;
mod error;
mod faults;
mod hub;
mod openapi;
mod random;
mod rates;
mod render;
mod replay;
mod rest;
mod routes;
mod secrets;
mod settings;
mod store;
mod webhook;

pub use clock::Clock;
pub use error::HubError;
pub use faults::Report;
pub use gephost_core::a2a::promotion::Newcomers;
pub use hub::Hub;
pub use replay::{ReplayOutcome, Replayer};
pub use settings::{Limits, Rate, Settings};
