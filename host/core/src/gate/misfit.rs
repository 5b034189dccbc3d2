//! The ways in which a change may not fit its base.

use super::Violation;
use crate::patch::ApplyError;
use crate::path::RepoPath;

/// Why a change does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    #[error("is changed twice by the same proposal")]
    Twice,
    #[error("is there already, and the change would make it new")]
    Exists,
    #[error("is not in the base commit")]
    Missing,
    #[error("is a directory in the base commit")]
    Directory,
    #[error("is a submodule, or lies within one")]
    Submodule,
    #[error("is a symlink, or would become one")]
    Symlink,
    #[error("lies behind `{0}`, which is a symlink")]
    BehindSymlink(RepoPath),
    #[error("lies below `{0}`, which is a file")]
    BelowFile(RepoPath),
    #[error("differs from `{0}` only in letter case or Unicode form; some systems hold them for one file")]
    Collision(RepoPath),
    #[error("has another mode in the base commit than the diff says")]
    Mode,
    #[error("does not match the diff: {0}")]
    Apply(ApplyError),
    #[error("is deleted by the diff, which leaves lines of it")]
    LeftOver,
    #[error("has binary content (a NUL byte, or not UTF-8), which cannot be reviewed")]
    Binary,
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
        }
    }

    /// The misfit of a path, for the verdict.
    pub(super) fn violation(&self, path: &RepoPath) -> Violation {
        let hint = match self {
            Self::Apply(_) | Self::LeftOver | Self::Missing | Self::Exists | Self::Mode => {
                "make the change against the current base commit"
            }
            Self::Twice => "put all changes of a file into one",
            _ => "leave this path out",
        };
        Violation::reject(self.rule(), format!("`{path}` {self}"), hint).at(path)
    }
}
