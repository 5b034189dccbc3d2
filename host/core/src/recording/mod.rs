//! What a gene call was and came to, as plain data: enough to run it again elsewhere and to say where it differs.
//!
//! The effect half, files and the running itself, is `gephost-runner`'s `recording`.

mod audit;
mod compare;
mod digest;

pub use audit::{AuditEntry, AuditLog, Decision, MAX_ENTRIES, MAX_TARGET};
pub use compare::{Came, Difference, compare};
pub use digest::{BadDigest, Blob, Digest, Hasher};
