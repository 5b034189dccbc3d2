//! A proposal with its parsed changes. They are parsed once, and nothing works from the text after that. Parsing does
//! not fail: the structure layer reports each part that cannot be read, with the reason.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::patch::{FilePatch, Limits, ParseError, Patch, count_lines, parse};
use crate::path::{PathError, RepoPath};
use crate::proposal::{Change, Proposal};

/// Most changes of a proposal.
const MAX_CHANGES: usize = 2_000;

/// A proposal and its parsed changes.
#[derive(Debug, Clone)]
pub struct ParsedChange {
    proposal: Proposal,
    is_recorded: bool,
    parts: Vec<Result<Part, ReadError>>,
}

/// One parsed change.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// A diff, and the size of its text.
    Diff { patch: Patch, lines: u64, bytes: u64 },
    /// A file's new content.
    Content { path: RepoPath, content: Arc<[u8]> },
    /// A file to delete.
    Delete { path: RepoPath },
}

/// Why a change could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReadError {
    /// The diff is refused.
    #[error("{0}")]
    Diff(ParseError),
    /// The path is refused.
    #[error("path {path:?}: {reason}")]
    Path { path: String, reason: PathError },
    /// All changes together are too large.
    #[error("{found} {what} in all changes; at most {limit} are read")]
    TooMuch { what: &'static str, found: usize, limit: usize },
}

impl ParsedChange {
    /// Reads the changes of a proposal.
    pub fn read(proposal: Proposal) -> Self {
        let parts = match too_much(&proposal.changes) {
            Some(error) => vec![Err(error)],
            None => proposal.changes.iter().map(read_change).collect(),
        };
        Self { proposal, is_recorded: false, parts }
    }

    /// Says whether the operator recorded the failing command, which then validates the change.
    #[must_use]
    pub fn recorded(self, is_recorded: bool) -> Self {
        Self { is_recorded, ..self }
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// The proposal as it came.
    pub fn proposal(&self) -> &Proposal {
        &self.proposal
    }

    /// The paths that a snapshot of the base must hold for the review: every path that the changes name, and every
    /// directory above them. Sorted, without duplicates.
    pub fn base_paths(&self) -> Vec<RepoPath> {
        let mut paths = BTreeSet::new();
        for path in self.parts.iter().flatten().flat_map(Part::paths) {
            paths.extend(path.ancestors());
            paths.insert(path.clone());
        }
        paths.into_iter().collect()
    }

    pub(super) fn parts(&self) -> &[Result<Part, ReadError>] {
        &self.parts
    }
}

impl Part {
    pub(super) fn paths(&self) -> Vec<&RepoPath> {
        match self {
            Self::Diff { patch, .. } => patch.files.iter().flat_map(FilePatch::paths).collect(),
            Self::Content { path, .. } | Self::Delete { path } => vec![path],
        }
    }
}

/// Checks the total size of all changes before anything is parsed, so that memory stays bounded.
fn too_much(changes: &[Change]) -> Option<ReadError> {
    let limits = Limits::default();
    let text = |change: &Change| match change {
        Change::UnifiedDiff(text) => (text.len(), count_lines(text)),
        Change::NewContent { content, .. } => (content.len(), memchr::memchr_iter(b'\n', content).count()),
        Change::Delete { .. } => (0, 0),
    };
    let sums = changes.iter().map(text).fold((0_usize, 0_usize), |(bytes, lines), (more_bytes, more_lines)| {
        (bytes.saturating_add(more_bytes), lines.saturating_add(more_lines))
    });
    let counts = [
        ("changes", changes.len(), MAX_CHANGES),
        ("bytes", sums.0, limits.max_bytes),
        ("lines", sums.1, limits.max_lines),
    ];
    let over = counts.into_iter().find(|(_, found, limit)| found > limit);
    over.map(|(what, found, limit)| ReadError::TooMuch { what, found, limit })
}

fn read_change(change: &Change) -> Result<Part, ReadError> {
    let checked = |path: &str| RepoPath::new(path).map_err(|reason| ReadError::Path { path: path.to_owned(), reason });
    match change {
        Change::UnifiedDiff(text) => {
            let patch = parse(text, &Limits::default()).map_err(ReadError::Diff)?;
            Ok(Part::Diff { patch, lines: count_lines(text) as u64, bytes: text.len() as u64 })
        }
        Change::NewContent { path, content } => {
            Ok(Part::Content { path: checked(path)?, content: Arc::from(content.as_slice()) })
        }
        Change::Delete { path } => Ok(Part::Delete { path: checked(path)? }),
    }
}
