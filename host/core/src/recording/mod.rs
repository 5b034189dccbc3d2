//! A recording of a gene call as plain data: enough to run the call again elsewhere and to name the differences.
//!
//! The `recording` module of `gephost-runner` has the effects: files, and running the call.

mod audit;
mod compare;
mod digest;

pub use audit::{AuditEntry, AuditLog, Decision, MAX_ENTRIES, MAX_TARGET};
pub use compare::{CallResult, Difference, compare};
pub use digest::{BadDigest, Blob, Digest, Hasher};
