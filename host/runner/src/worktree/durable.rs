//! Makes what git wrote survive a power cut: libgit2 leaves that to the system. Syncs files, writes none.

use std::fs::File;
use std::io;
use std::path::Path;

use git2::Oid;

/// Syncs the loose files of objects, and the folders that name them. An object that is in a pack already, or in a
/// store that this one borrows from, has no such file and needs nothing.
pub(super) fn sync_objects(common_dir: &Path, ids: &[Oid]) -> io::Result<()> {
    let objects = common_dir.join("objects");
    for id in ids {
        let hex = id.to_string();
        let (folder, file) = hex.split_at(2);
        let folder = objects.join(folder);
        sync_if_there(&folder.join(file))?;
        sync_if_there(&folder)?;
    }
    sync_if_there(&objects)
}

/// Syncs a ref's file and the folders down to it from the repository's own.
pub(super) fn sync_ref(common_dir: &Path, name: &str) -> io::Result<()> {
    let mut path = common_dir.join(name);
    while path.starts_with(common_dir) && path != common_dir {
        sync_if_there(&path)?;
        if !path.pop() {
            break;
        }
    }
    Ok(())
}

fn sync_if_there(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(file) => file.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
