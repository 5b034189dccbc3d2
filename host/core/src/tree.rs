//! What a git tree holds at a path: a file's mode and bytes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The modes that a file of a patch may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileMode {
    /// 100644.
    Regular,
    /// 100755.
    Executable,
    /// 120000.
    Symlink,
}

/// A file's mode and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobState {
    /// Its mode.
    pub mode: FileMode,
    /// Its bytes; the target for a symlink.
    pub content: Arc<[u8]>,
}
