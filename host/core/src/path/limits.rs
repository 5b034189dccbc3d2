//! How long a path may be.

/// Longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 4096;
/// Longest segment, in bytes: the limit of the common file systems.
pub const MAX_SEGMENT_BYTES: usize = 255;
/// Deepest path, in segments.
pub const MAX_SEGMENTS: usize = 64;
