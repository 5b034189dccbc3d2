//! The application as a library: what a program gets that opens a project and calls the use cases. Genes run in this
//! process.

#![expect(clippy::disallowed_methods, reason = "a test makes its own projects")]

mod apply;
mod approvals;
mod assets;
mod autopilot;
mod checkpoints;
mod configs;
mod dry_cycle;
mod errors;
mod genes;
mod history;
mod init;
mod locks;
mod observing;
mod projects;
mod reports;
mod rollback;
mod saved;
mod scene;
mod sessions;
mod states;
mod status;
mod stops;
mod trust;
