//! The files of a commit, as genes read them.

use std::fs::File;
use std::sync::Arc;

use gephost_core::path::{MAX_PATH_BYTES, RepoPath};

use super::open::Root;
use super::{MAX_BLOB_BYTES, bytes, size};
use crate::sandbox::{ContentError, Files, ReadFailure};
use crate::worktree::{BaseTree, ReadError};

impl Files for BaseTree {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        Self::size(self, path).map_err(|error| ReadFailure::Failed(error.to_string()))
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Self::read(self, path, MAX_BLOB_BYTES).map_err(|error| ReadFailure::Failed(error.to_string()))
    }

    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        Self::read(self, path, most).map_err(|error| match error {
            ReadError::TooLarge { size, .. } => ContentError::TooLarge(size),
            other => ContentError::Source(ReadFailure::Failed(other.to_string())),
        })
    }

    /// Takes what the checkout holds where its hash is the commit's: that costs a third of unpacking git's object.
    fn read_ahead(&self, paths: &[&RepoPath], most: u64) -> Vec<Result<Arc<[u8]>, ContentError>> {
        let root = Root::open(self.checkout()).ok();
        let present = |path: &RepoPath| {
            let (handle, stat) = root.as_ref()?.file(path.as_str().as_bytes()).ok()?;
            let bytes = bytes(&File::from(handle), size(&stat), most).ok()?;
            self.is_content(path, &bytes).then(|| Arc::from(bytes))
        };
        paths.iter().map(|path| present(path).map_or_else(|| self.read_at_most(path, most), Ok)).collect()
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        // The text of a link is its blob.
        let target = Self::read(self, path, MAX_PATH_BYTES as u64).map_err(|_| ReadFailure::NotFound)?;
        String::from_utf8(target.to_vec()).map_err(|_| ReadFailure::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::worktree::Project;
    use crate::worktree::scratch::Scratch;

    #[test]
    fn several_files_are_those_of_the_commit_whatever_the_checkout_holds() {
        let scratch = Scratch::new();
        for name in ["same", "changed", "gone", "linked", "piped", "grown"] {
            scratch.write(name, name);
        }
        scratch.git(&["add", "."]);
        scratch.git(&["commit", "-qm", "Files"]);
        let base = Project::open(&scratch.root).expect("a repository").base(&scratch.head()).expect("a base");
        scratch.write("changed", "another");
        scratch.write("grown", &"grown".repeat(100));
        for name in ["gone", "linked", "piped"] {
            fs::remove_file(scratch.root.join(name)).expect("removed");
        }
        symlink("same", scratch.root.join("linked")).expect("a link");
        let pipe = scratch.root.join("piped");
        rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        let paths: Vec<RepoPath> = base.files().map(|(path, _)| path.clone()).chain([missing()]).collect();
        for most in [4, 100] {
            let together = base.read_ahead(&paths.iter().collect::<Vec<_>>(), most);
            let alone: Vec<_> = paths.iter().map(|path| base.read_at_most(path, most)).collect();
            assert_eq!(together, alone, "at most {most} bytes");
        }
        // The object is gone, and the checkout still has the bytes.
        let id = scratch.git(&["rev-parse", "HEAD:same"]);
        let (folder, file) = id.split_at(2);
        fs::remove_file(scratch.root.join(".git/objects").join(folder).join(file)).expect("removed");
        let same = RepoPath::new("same").expect("a path");
        assert!(base.read_at_most(&same, 100).is_err());
        assert_eq!(base.read_ahead(&[&same], 100), [Ok(Arc::from(&b"same"[..]))]);
    }

    fn missing() -> RepoPath {
        RepoPath::new("missing").expect("a path")
    }
}
