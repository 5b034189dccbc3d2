//! Limits on what clients may use.

use std::time::Duration;

/// Limits on what clients may use.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most bytes of a body, both compressed and decompressed.
    pub body_bytes: usize,
    /// Most bytes of all bodies that are being received.
    pub all_body_bytes: usize,
    /// Time limit for a request's head, and for silence between two requests.
    pub head_time: Duration,
    /// Time limit for a body.
    pub body_time: Duration,
    /// Most simultaneous connections. If there is one more, the one that has kept the receiver waiting longest is closed.
    pub connections: usize,
    /// How long pending requests may still take when the receiver stops.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 << 20,
            all_body_bytes: 48 << 20,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            connections: 64,
            grace: Duration::from_secs(2),
        }
    }
}
