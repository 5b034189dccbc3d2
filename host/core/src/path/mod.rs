//! Paths within a workspace, as a type: every [`RepoPath`] was checked byte by byte.
//!
//! The check is stricter than git's own, because a path that is harmless here may name something else on the machine
//! that checks the branch out: other letter case, ignorable code points, short names, streams, devices. What must stay
//! true: two different [`RepoPath`]s name the same file only if they differ in letter case, and none names `.git`.

mod error;
mod limits;
pub(crate) mod unicode;

pub use error::PathError;
pub use limits::{MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS};

use std::borrow::Borrow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::is_nfc;

/// A relative path with forward slashes that is safe to write in any workspace, on any system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct RepoPath(String);

impl RepoPath {
    /// Checks a path as a patch or a gene spelled it. Nothing is normalised: a path that needs normalisation is
    /// refused.
    pub fn new(text: &str) -> Result<Self, PathError> {
        check_whole(text)?;
        for segment in text.split('/') {
            check_segment(segment)?;
        }
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory that holds it; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Every directory above it, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// The last segment.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(self.as_str(), |(_, name)| name)
    }

    /// This path with more segments after it.
    pub fn join(&self, more: &str) -> Result<Self, PathError> {
        Self::new(&format!("{}/{more}", self.0))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Checks that need the whole text.
fn check_whole(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    if text.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong(text.len()));
    }
    if text.bytes().filter(|&b| b == b'/').count() >= MAX_SEGMENTS {
        return Err(PathError::TooDeep);
    }
    if text.starts_with('/') {
        return Err(PathError::Absolute);
    }
    let mut bytes = text.bytes();
    if bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.next() == Some(b':') {
        return Err(PathError::Drive);
    }
    text.chars().try_for_each(check_char)?;
    if text == "~" || text.starts_with("~/") {
        return Err(PathError::Home);
    }
    if is_nfc(text) { Ok(()) } else { Err(PathError::NotNfc) }
}

/// Characters that no segment may hold.
fn check_char(c: char) -> Result<(), PathError> {
    match c {
        '\\' => Err(PathError::Backslash),
        ':' => Err(PathError::Stream),
        _ if c.is_control() => Err(PathError::Control(c.into())),
        _ if c.is_ascii() => Ok(()),
        _ if unicode::is_invisible(c) => Err(PathError::Invisible(c.into())),
        _ if unicode::is_private_use(c) => Err(PathError::PrivateUse(c.into())),
        _ if unicode::imitates_ascii(c) => Err(PathError::Imitation(c.into())),
        _ => Ok(()),
    }
}

/// Checks of one name.
fn check_segment(segment: &str) -> Result<(), PathError> {
    match segment {
        "" => return Err(PathError::EmptySegment),
        "." => return Err(PathError::Dot),
        ".." => return Err(PathError::DotDot),
        _ => {}
    }
    if segment.len() > MAX_SEGMENT_BYTES {
        return Err(PathError::SegmentTooLong(segment.len()));
    }
    let trimmed = segment.trim_end_matches(['.', ' ']);
    if trimmed.eq_ignore_ascii_case(".git") || is_git_short_name(trimmed) {
        return Err(PathError::DotGit);
    }
    if trimmed.len() != segment.len() {
        return Err(PathError::TrailingDotOrSpace);
    }
    if is_short_name(segment) {
        return Err(PathError::ShortName);
    }
    if is_device(segment) { Err(PathError::Device) } else { Ok(()) }
}

/// `git~1` and similar names.
fn is_git_short_name(segment: &str) -> bool {
    segment.split_once('~').is_some_and(|(stem, number)| stem.eq_ignore_ascii_case("git") && is_number(number))
}

/// The 8.3 form that Windows makes for a long name: a stem of at most eight characters that ends in `~` and digits,
/// and an extension of at most three.
fn is_short_name(segment: &str) -> bool {
    let (stem, extension) = segment.split_once('.').unwrap_or((segment, ""));
    stem.chars().count() <= 8
        && extension.chars().count() <= 3
        && !extension.contains('.')
        && stem.rsplit_once('~').is_some_and(|(name, number)| !name.is_empty() && is_number(number))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Device names count with any extension, and with spaces before it.
fn is_device(segment: &str) -> bool {
    let stem = segment.split_once('.').map_or(segment, |(stem, _)| stem).trim_end_matches(' ');
    let lower = stem.to_ascii_lowercase();
    if matches!(lower.as_str(), "con" | "prn" | "aux" | "nul" | "conin$" | "conout$") {
        return true;
    }
    let number = lower.strip_prefix("com").or_else(|| lower.strip_prefix("lpt"));
    number.is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
