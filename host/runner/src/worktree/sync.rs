//! Removing and syncing files of the git folder, which libgit2 names by their paths.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the git folder by path")]

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Removes a file, and says whether there was one.
pub(super) fn remove_file(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Afterwards what the folder that a file lies in lists is on disk.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}
