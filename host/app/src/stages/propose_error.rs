//! Why the genes' proposals cannot be judged.

use gephost_core::grant::ForbiddenPathError;
use gephost_runner::worktree::ReadError;

use crate::error::AppError;

/// Why the genes' proposals cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// The base cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A gene forbids itself what cannot be enforced.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenPathError),
    /// A search cannot go on.
    #[error(transparent)]
    Search(#[from] AppError),
}
