//! What every queue refuses, so that a job accepted by one queue is accepted by all.

use super::QueueError;

/// Most bytes of a key or digest.
pub const MAX_KEY: usize = 512;

/// Most bytes of a job, a result or a blob: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// Refuses keys that a server could not keep exactly.
pub(crate) fn check_key(what: &str, key: &str) -> Result<(), QueueError> {
    if key.is_empty() || key.len() > MAX_KEY || key.chars().any(char::is_control) {
        return Err(QueueError(format!("{what} has 1 to {MAX_KEY} bytes and no control character")));
    }
    Ok(())
}

/// Refuses bytes that are too many for one message or row.
pub(crate) fn check_bytes(what: &str, bytes: &[u8]) -> Result<(), QueueError> {
    if bytes.len() > MAX_BYTES {
        return Err(QueueError(format!("{what} has {} bytes, at most {MAX_BYTES} (64 MiB) are accepted", bytes.len())));
    }
    Ok(())
}
