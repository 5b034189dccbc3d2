//! Whether git tracks something in a folder of the project.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the checkout by path")]

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{ErrorCode, Repository};

use super::GitError;

/// Whether the index of the repository that holds `root` lists one of these names, or a file below one, in a folder of
/// `root`. Outside a repository nothing is tracked.
pub fn is_tracked(root: &Path, folder: &str, names: &[&str]) -> Result<bool, GitError> {
    let repository = match Repository::discover(root) {
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(false),
        repository => repository?,
    };
    let top = repository.workdir().and_then(|top| top.canonicalize().ok());
    let within = top.as_deref().and_then(|top| root.strip_prefix(top).ok()).unwrap_or(Path::new(""));
    let folder = within.join(folder);
    let listed = |path: &[u8]| {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        names.iter().any(|name| path.starts_with(folder.join(name))) || path == folder
    };
    Ok(repository.index()?.iter().any(|entry| listed(&entry.path)))
}
