//! The files of a recording: a blob of all names that the gene could see, which every call of a run that saw the same
//! names shares, and, call by call, what was known of a file because somebody had asked for it.

use std::collections::{BTreeMap, BTreeSet};

use gephost_core::path::RepoPath;
use gephost_core::recording::Digest;
use serde::{Deserialize, Serialize};

use super::document::RecordingError;
use crate::sandbox::{FileKind, ReadFailure, Workspace};

/// What was known of the files that the gene could see.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listing {
    /// The names, as [`names`] writes them.
    pub(super) names: Digest,
    /// The files of which something was known, by path.
    pub(super) asked: BTreeMap<String, Asked>,
    /// Paths where a gene wanted to make a file and was not let. Names that were hidden and that no gene came upon are
    /// not in a recording.
    pub(super) refused: Vec<String>,
}

/// What was known of one file. What was never asked for is not there.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<Known<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Known<Digest>>,
    /// Where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<Known<String>>,
}

/// A listing that was read back: paths are checked, since they are compared with what the gene asks for.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) files: BTreeMap<RepoPath, FileKind>,
    pub(super) asked: BTreeMap<RepoPath, Asked>,
    pub(super) refused: BTreeSet<RepoPath>,
}

/// A value, or why there was none.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Known<T> {
    Is(T),
    Gone,
    Failed(String),
}

impl<T> From<Result<T, ReadFailure>> for Known<T> {
    fn from(result: Result<T, ReadFailure>) -> Self {
        match result {
            Ok(value) => Self::Is(value),
            Err(ReadFailure::NotFound) => Self::Gone,
            Err(ReadFailure::Failed(reason)) => Self::Failed(reason),
        }
    }
}

impl<T> From<Known<T>> for Result<T, ReadFailure> {
    fn from(known: Known<T>) -> Self {
        match known {
            Known::Is(value) => Ok(value),
            Known::Gone => Err(ReadFailure::NotFound),
            Known::Failed(reason) => Err(ReadFailure::Failed(reason)),
        }
    }
}

/// Every name that a workspace shows, with its kind: pairs, sorted.
pub(super) fn names(workspace: &Workspace) -> serde_json::Result<Vec<u8>> {
    let names: Vec<(&str, FileKind)> = workspace.names().map(|(path, kind)| (path.as_str(), kind)).collect();
    serde_json::to_vec(&names)
}

impl Listing {
    /// Reads a listing back, without the names.
    pub(super) fn from_json(bytes: &[u8]) -> Result<Self, RecordingError> {
        serde_json::from_slice(bytes).map_err(malformed)
    }

    /// What a listing names: the names, and the contents.
    pub(super) fn blobs(&self) -> impl Iterator<Item = Digest> {
        let contents = self.asked.values().filter_map(|asked| match &asked.content {
            Some(Known::Is(digest)) => Some(*digest),
            _ => None,
        });
        std::iter::once(self.names).chain(contents)
    }

    /// The listing with the names that it names.
    pub(super) fn checked(self, names: &[u8]) -> Result<Checked, RecordingError> {
        let path = |text: &str| {
            RepoPath::new(text).map_err(|error| RecordingError::Malformed(format!("a listed file: {error}")))
        };
        let names: Vec<(String, FileKind)> = serde_json::from_slice(names).map_err(malformed)?;
        let files = names.iter().map(|(text, kind)| Ok((path(text)?, *kind))).collect::<Result<_, RecordingError>>()?;
        let asked = self.asked.into_iter().map(|(text, asked)| Ok((path(&text)?, asked)));
        let asked = asked.collect::<Result<BTreeMap<_, _>, RecordingError>>()?;
        let refused = self.refused.iter().map(|text| path(text)).collect::<Result<_, _>>()?;
        Ok(Checked { files, asked, refused })
    }
}

fn malformed(error: serde_json::Error) -> RecordingError {
    RecordingError::Malformed(error.to_string())
}
