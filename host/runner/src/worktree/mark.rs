//! The name that one operation gives to everything it puts into a git folder for a moment, so that the next start knows
//! what a crash left as ours and touches nothing of anybody else.

use std::path::{Path, PathBuf};

use gephost_core::digest::sha256_hex;
use serde::{Deserialize, Serialize};

/// How every such name begins.
const PREFIX: &str = "gephost-";
/// Hexadecimal digits of a mark, and of what tells its files apart.
const DIGITS: usize = 16;

/// The mark of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mark(String);

/// A text that is no mark.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not the mark of an operation: expected {DIGITS} hexadecimal digits")]
pub struct MarkError(String);

impl Mark {
    /// The mark of an operation that this text tells apart from every other.
    pub fn of(text: &str) -> Self {
        Self(digits_of(text.as_bytes()))
    }

    /// Beside which other files a marked one stands for `target`: in the git folder, so that it is one file system.
    pub(super) fn beside(&self, git_dir: &Path, target: &Path) -> PathBuf {
        git_dir.join(self.name(target.as_os_str().as_encoded_bytes()))
    }

    /// What the file is called that stands beside a file of the checkout for a moment. `path` is from the root.
    pub(super) fn file_name(&self, path: &[u8]) -> String {
        format!(".{}", self.name(path))
    }

    fn name(&self, of: &[u8]) -> String {
        format!("{PREFIX}{}-{}", self.0, digits_of(of))
    }

    /// How the name of a temporary object begins. `git prune` removes `tmp_obj_…` in its time too.
    pub(super) fn object_prefix(&self) -> String {
        format!("tmp_obj_{PREFIX}{}-", self.0)
    }
}

impl TryFrom<String> for Mark {
    type Error = MarkError;

    fn try_from(text: String) -> Result<Self, MarkError> {
        let is_mark = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_mark { Ok(Self(text)) } else { Err(MarkError(text)) }
    }
}

impl From<Mark> for String {
    fn from(mark: Mark) -> Self {
        mark.0
    }
}

fn digits_of(bytes: &[u8]) -> String {
    sha256_hex(bytes).chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_digits_only_wherever_it_is_read_from() {
        let mark = Mark::of("an operation");
        let text = serde_json::to_string(&mark).expect("a text");
        assert_eq!(serde_json::from_str::<Mark>(&text).expect("a mark"), mark);
        for wrong in ["\"\"", "\"../../../../etc/\"", "\"0123456789abcde\"", "\"0123456789abcdeg\"", "7"] {
            assert!(serde_json::from_str::<Mark>(wrong).is_err(), "{wrong}");
        }
    }
}
