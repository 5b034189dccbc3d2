//! Reads git's small files that name another path: `.git` of a linked worktree, `commondir`, `gitdir`, `HEAD`.

use std::io::Read as _;
use std::path::Path;

use crate::regular_file;

/// The largest such file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// What the file names after this word, without white space around it. `None` if it cannot be read, is longer than
/// 64 KiB, or does not begin with the word.
pub(crate) fn read(file: &Path, word: &str) -> Option<String> {
    let mut text = String::new();
    regular_file::open(file).ok()?.take(MAX_BYTES + 1).read_to_string(&mut text).ok()?;
    let named = text.strip_prefix(word).filter(|_| text.len() as u64 <= MAX_BYTES)?;
    Some(named.trim().to_owned())
}
