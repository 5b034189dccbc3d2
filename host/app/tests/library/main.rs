//! The application as a library: what a program gets that opens a project and calls the use cases. Genes run in this
//! process.

#![expect(clippy::disallowed_methods, reason = "a test makes its own projects")]

mod apply;
mod approvals;
mod autopilot;
mod dry_cycle;
mod errors;
mod scene;
mod stops;
