//! The reasons for which a change does not fit its base.

use super::Violation;
use crate::patch::ApplyError;
use crate::path::RepoPath;

/// Why a change does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    #[error("the proposal changes this file twice")]
    Twice,
    #[error("the change adds this file, but the base commit already has it")]
    Exists,
    #[error("the base commit has no such file")]
    Missing,
    #[error("the base commit has a directory at this path")]
    Directory,
    #[error("this path is a submodule, or inside one")]
    Submodule,
    #[error("this path is a symlink, or would become one")]
    Symlink,
    #[error("this path leads through `{0}`, which is a symlink")]
    BehindSymlink(RepoPath),
    #[error("this path is below `{0}`, which is a file")]
    BelowFile(RepoPath),
    #[error("this path differs from `{0}` only in letter case or Unicode form; some systems treat both as one file")]
    Collision(RepoPath),
    #[error("the file's mode in the base commit is not the one that the diff states")]
    Mode,
    #[error("the diff does not match the file: {0}")]
    Apply(ApplyError),
    #[error("the diff deletes the file but not all of its lines")]
    LeftOver,
    #[error("binary content (a NUL byte, or not UTF-8) cannot be reviewed")]
    Binary,
    #[error("the change converts the file to UTF-8, so that lines would look unchanged whose bytes change")]
    Converted,
}

impl Misfit {
    fn rule(&self) -> &'static str {
        match self {
            Self::Twice => "path-twice",
            Self::Exists => "path-exists",
            Self::Missing => "path-missing",
            Self::Directory | Self::BelowFile(_) => "path-kind",
            Self::Submodule => "submodule",
            Self::Symlink | Self::BehindSymlink(_) => "symlink",
            Self::Collision(_) => "path-collision",
            Self::Mode => "mode-mismatch",
            Self::Apply(_) | Self::LeftOver => "context-mismatch",
            Self::Binary => "binary",
            Self::Converted => "encoding-change",
        }
    }

    /// The violation for a path with this misfit.
    pub(super) fn violation(&self, path: &RepoPath) -> Violation {
        let hint = match self {
            Self::Apply(_) | Self::LeftOver | Self::Missing | Self::Exists | Self::Mode => {
                "base the change on the current base commit"
            }
            Self::Twice => "combine all changes of a file",
            Self::Converted => "keep the file's encoding, or let a person convert the file",
            _ => "leave this path out",
        };
        Violation::reject(self.rule(), self.to_string(), hint).at(path)
    }
}
