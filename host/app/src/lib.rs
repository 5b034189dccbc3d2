//! The application: an open [`Project`], and the use cases over it.
//!
//! This crate ties `gephost-core` (decisions), `gephost-runner` (effects) and `gephost-model` together. It prints
//! nothing, reads neither the environment nor the clock, knows no command line and no exit code: it takes plain values
//! and an [`Environment`], and gives typed results and an [`AppError`].

mod environment;
mod error;
pub mod files;
pub mod genes;
pub mod observe;
mod operation;
mod past;
mod project;
mod sink;
mod states;
mod stops;

pub use environment::{Environment, Program};
pub use error::{AppError, COMPILE_BUDGET, ErrorKind};
pub use project::{Project, base, base_at, head, log_failed, state_of};
pub use sink::{Note, Silent, Sink};
pub use states::{list_states, remove_state};
pub use stops::kill_switch;
