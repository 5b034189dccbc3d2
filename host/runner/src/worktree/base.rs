//! The files of one commit, below the project's folder: loaded once, then immutable. Reads the object store only.
//!
//! Genes and the gate see a project through this, so an entry that cannot be shown safely is not in it: a name that is
//! not UTF-8 or not a [`RepoPath`], and a mode that git does not know. Such entries still survive in the commits that
//! [`apply`](super::apply) makes, because those start from the raw trees.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use gephost_core::gate::FileMode;
use gephost_core::path::RepoPath;
use git2::{ObjectType, Odb, OdbReader, Oid};

use super::load::{MAX_ENTRIES, Node, descend, load};
use super::tree_object::TreeError;
use super::{GitError, Project};

/// An immutable view of one commit.
pub struct BaseTree {
    project: Project,
    commit: String,
    /// Sorted by path, none twice.
    entries: Vec<(RepoPath, Node)>,
}

/// Why something cannot be read from a commit.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such commit.
    #[error("no commit {commit} in this repository: {source}")]
    NoCommit {
        /// As it was asked for.
        commit: String,
        /// The reason.
        source: GitError,
    },
    /// The project's folder is in the checkout and not in the commit.
    #[error("commit {commit} has no folder {prefix}: commit it first, or name a folder that is committed")]
    NoPrefix {
        /// The commit.
        commit: String,
        /// The project's folder, from the repository's root.
        prefix: String,
    },
    /// No file there.
    #[error("no file {path} in commit {commit}")]
    NoFile {
        /// The path.
        path: RepoPath,
        /// The commit.
        commit: String,
    },
    /// The file is longer than the reader takes.
    #[error("{path} is {size} bytes long, more than the {limit} that are read")]
    TooLarge {
        /// The path.
        path: RepoPath,
        /// Its size in bytes.
        size: u64,
        /// What was allowed, in bytes.
        limit: u64,
    },
    /// More entries than a project may have.
    #[error("commit {commit} names more than {MAX_ENTRIES} files: name a smaller folder with -C")]
    TooManyEntries {
        /// The commit.
        commit: String,
    },
    /// One path is named twice.
    #[error("commit {commit} names {path} twice: run `git fsck`")]
    NamedTwice {
        /// The commit.
        commit: String,
        /// The path.
        path: RepoPath,
    },
    /// A broken object, or one that is missing.
    #[error("read commit {commit}: {reason}")]
    Broken {
        /// The commit.
        commit: String,
        /// The reason.
        reason: String,
    },
}

impl Project {
    /// Loads the files of a commit, given by its full hexadecimal id.
    pub fn base(&self, commit: &str) -> Result<BaseTree, ReadError> {
        let entries = {
            let repository = self.repository();
            let no_commit = |error| ReadError::NoCommit { commit: commit.to_owned(), source: GitError(error) };
            let id = Oid::from_str(commit).map_err(no_commit)?;
            let root = repository.find_commit(id).map_err(no_commit)?.tree_id();
            let broken = |error: TreeError| ReadError::Broken { commit: commit.to_owned(), reason: error.to_string() };
            let odb = repository.odb().map_err(|error| broken(TreeError::Git(GitError(error))))?;
            let project = descend(&odb, root, self.prefix()).map_err(broken)?.ok_or_else(|| ReadError::NoPrefix {
                commit: commit.to_owned(),
                prefix: self.prefix().iter().map(|part| String::from_utf8_lossy(part)).collect::<Vec<_>>().join("/"),
            })?;
            load(&odb, project)
                .map_err(broken)?
                .ok_or_else(|| ReadError::TooManyEntries { commit: commit.to_owned() })?
        };
        if let Some([(path, _), _]) = entries.array_windows().find(|[a, b]| a.0 == b.0) {
            return Err(ReadError::NamedTwice { commit: commit.to_owned(), path: path.clone() });
        }
        Ok(BaseTree { project: self.clone(), commit: commit.to_owned(), entries })
    }
}

impl std::fmt::Debug for BaseTree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BaseTree").field("commit", &self.commit()).finish_non_exhaustive()
    }
}

impl BaseTree {
    /// Full hexadecimal id of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// What stands at a path.
    pub fn get(&self, path: &RepoPath) -> Option<Node> {
        let at = self.entries.binary_search_by(|(other, _)| other.cmp(path)).ok()?;
        self.entries.get(at).map(|(_, node)| *node)
    }

    /// Everything, sorted by path.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&RepoPath, Node)> {
        self.entries.iter().map(|(path, node)| (path, *node))
    }

    /// The files and symlinks, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&RepoPath, FileMode)> {
        self.entries().filter_map(|(path, node)| match node {
            Node::File { mode, .. } => Some((path, mode)),
            Node::Directory | Node::Gitlink => None,
        })
    }

    /// The folders, sorted by path; the project's own is not among them.
    pub fn directories(&self) -> impl Iterator<Item = &RepoPath> {
        self.entries().filter_map(|(path, node)| (node == Node::Directory).then_some(path))
    }

    /// Length of a file in bytes, without reading it whole where git stored it whole.
    pub fn size(&self, path: &RepoPath) -> Result<u64, ReadError> {
        let id = self.blob_id(path)?;
        let repository = self.project.repository();
        let odb = repository.odb().map_err(|error| self.broken(&error))?;
        self.blob_size(&odb, id)
    }

    /// The bytes of a file, or the target of a symlink. Its length is looked at before it is read.
    pub fn read(&self, path: &RepoPath, max_bytes: u64) -> Result<Arc<[u8]>, ReadError> {
        let id = self.blob_id(path)?;
        let repository = self.project.repository();
        let odb = repository.odb().map_err(|error| self.broken(&error))?;
        let too_large = |size| ReadError::TooLarge { path: path.clone(), size, limit: max_bytes };
        // An object in a file of its own tells its size on the way to its bytes; one in a pack has to be asked first.
        if let Ok((mut reader, size, kind)) = odb.reader(id) {
            self.expect_blob(id, kind)?;
            if size as u64 > max_bytes {
                return Err(too_large(size as u64));
            }
            return self.read_loose(id, &mut reader, size);
        }
        let size = self.blob_size(&odb, id)?;
        if size > max_bytes {
            return Err(too_large(size));
        }
        let object = odb.read(id).map_err(|error| self.broken(&error))?;
        Ok(Arc::from(object.data()))
    }

    /// The bytes of an object as its file has them. The stream does not look whether they are the object's; this does.
    fn read_loose(&self, id: Oid, reader: &mut OdbReader<'_>, size: usize) -> Result<Arc<[u8]>, ReadError> {
        let broken = |reason: String| ReadError::Broken { commit: self.commit.clone(), reason };
        let mut bytes = vec![0; size];
        reader.read_exact(&mut bytes).map_err(|error| broken(error.to_string()))?;
        let found = Oid::hash_object(ObjectType::Blob, &bytes).map_err(|error| self.broken(&error))?;
        if found != id {
            return Err(broken(format!("object {id} holds the bytes of {found}: run `git fsck`")));
        }
        Ok(Arc::from(bytes))
    }

    /// Whether these are the bytes of the file: whether git gives them the name that it gives the file.
    pub(crate) fn is_content(&self, path: &RepoPath, bytes: &[u8]) -> bool {
        self.blob_id(path).is_ok_and(|id| Oid::hash_object(ObjectType::Blob, bytes).is_ok_and(|found| found == id))
    }

    /// The folder that has the files where the commit is checked out.
    pub(crate) fn checkout(&self) -> &Path {
        self.project.root()
    }

    fn blob_id(&self, path: &RepoPath) -> Result<Oid, ReadError> {
        match self.get(path) {
            Some(Node::File { id, .. }) => Ok(id),
            _ => Err(ReadError::NoFile { path: path.clone(), commit: self.commit.clone() }),
        }
    }

    fn blob_size(&self, odb: &Odb<'_>, id: Oid) -> Result<u64, ReadError> {
        let (size, kind) = odb.read_header(id).map_err(|error| self.broken(&error))?;
        self.expect_blob(id, kind)?;
        Ok(size as u64)
    }

    fn expect_blob(&self, id: Oid, kind: ObjectType) -> Result<(), ReadError> {
        if kind == ObjectType::Blob {
            return Ok(());
        }
        let reason = format!("object {id} is a {kind}, and named as a file: run `git fsck`");
        Err(ReadError::Broken { commit: self.commit.clone(), reason })
    }

    fn broken(&self, error: &git2::Error) -> ReadError {
        ReadError::Broken { commit: self.commit.clone(), reason: error.message().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, git_in, path};
    use super::super::tree_object::{TreeEntry, write_tree};
    use super::*;

    fn open(scratch: &Scratch, folder: &str) -> BaseTree {
        let project = Project::open(&scratch.root.join(folder)).expect("a repository");
        project.base(&scratch.head()).expect("a base")
    }

    #[test]
    fn threads_can_share_a_base() {
        let scratch = Scratch::new();
        let base = open(&scratch, "");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let content = base.read(&path("a.txt"), 4).expect("four bytes");
                    assert_eq!(&*content, b"one\n");
                });
            }
        });
    }

    #[test]
    fn the_files_are_those_of_git_ls_tree() {
        let scratch = Scratch::new();
        for folder in ["", "sub", "sub/deep"] {
            let base = open(&scratch, folder);
            let git = git_in(&scratch.root.join(folder), &["ls-tree", "-r", "--name-only", "HEAD"]).expect("a tree");
            let mut expected: Vec<&str> = git.lines().collect();
            expected.sort_unstable();
            let files: Vec<&str> = base.files().map(|(path, _)| path.as_str()).collect();
            assert_eq!(files, expected, "{folder:?}");
        }
    }

    #[test]
    fn modes_and_folders_are_told() {
        let base = open(&Scratch::new(), "");
        let mode = |at: &str| match base.get(&path(at)) {
            Some(Node::File { mode, .. }) => Some(mode),
            _ => None,
        };
        assert_eq!(mode("a.txt"), Some(FileMode::Regular));
        assert_eq!(mode("run.sh"), Some(FileMode::Executable));
        assert_eq!(mode("link"), Some(FileMode::Symlink));
        assert_eq!(base.directories().map(RepoPath::as_str).collect::<Vec<_>>(), ["sub", "sub/deep"]);
        assert_eq!(base.get(&path("none")), None);
    }

    #[test]
    fn reading_keeps_to_the_limit_and_to_the_commit() {
        let scratch = Scratch::new();
        let base = open(&scratch, "");
        scratch.write("a.txt", "edited after the commit\n");
        assert_eq!(&*base.read(&path("a.txt"), 4).expect("four bytes"), b"one\n");
        assert_eq!(&*base.read(&path("link"), 10).expect("a target"), b"a.txt");
        assert!(matches!(base.read(&path("a.txt"), 3), Err(ReadError::TooLarge { size: 4, limit: 3, .. })));
        assert!(matches!(base.read(&path("sub"), 10), Err(ReadError::NoFile { .. })));
        assert_eq!(base.size(&path("a.txt")).expect("a file"), 4);
    }

    #[test]
    fn a_folder_that_is_not_committed_is_refused() {
        let scratch = Scratch::new();
        scratch.write("new/x", "x");
        let project = Project::open(&scratch.root.join("new")).expect("a repository");
        let refused = project.base(&scratch.head());
        assert!(matches!(refused.err(), Some(ReadError::NoPrefix { prefix, .. }) if prefix == "new"));
        let project = Project::open(&scratch.root).expect("a repository");
        for id in ["", "zz", &"0".repeat(40), &scratch.git(&["rev-parse", "HEAD^{tree}"])] {
            assert!(matches!(project.base(id).err(), Some(ReadError::NoCommit { .. })), "{id:?}");
        }
    }

    /// A commit of hand-made trees, as nobody's git would write them.
    fn commit_tree(scratch: &Scratch, entries: Vec<TreeEntry>) -> String {
        let repository = git2::Repository::open(&scratch.root).expect("a repository");
        let tree = write_tree(&repository.odb().expect("objects"), entries).expect("a tree");
        scratch.git(&["commit-tree", "-m", "odd", &tree.to_string()])
    }

    fn entry(scratch: &Scratch, mode: u32, name: &[u8], object: &str) -> TreeEntry {
        let id = Oid::from_str(&scratch.git(&["rev-parse", object])).expect("an id");
        TreeEntry { mode, name: name.to_vec(), id }
    }

    #[test]
    fn odd_names_and_modes_are_hidden() {
        let scratch = Scratch::new();
        let odd = commit_tree(
            &scratch,
            vec![
                entry(&scratch, 0o100_644, b"\xff", "HEAD:a.txt"),
                entry(&scratch, 0o100_644, b"a/b", "HEAD:a.txt"),
                entry(&scratch, 0o060_000, b"device", "HEAD:a.txt"),
                entry(&scratch, 0o100_664, b"plain", "HEAD:a.txt"),
            ],
        );
        let base = Project::open(&scratch.root).expect("a repository").base(&odd).expect("a base");
        assert_eq!(base.entries().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["plain"]);
    }

    #[test]
    fn a_tree_that_lies_is_refused() {
        let scratch = Scratch::new();
        let project = Project::open(&scratch.root).expect("a repository");
        let twice = vec![entry(&scratch, 0o100_644, b"x", "HEAD:a.txt"), entry(&scratch, 0o040_000, b"x", "HEAD:sub")];
        let refused = project.base(&commit_tree(&scratch, twice)).err();
        assert!(matches!(refused, Some(ReadError::NamedTwice { .. })), "{refused:?}");
        let file_as_folder = vec![entry(&scratch, 0o040_000, b"x", "HEAD:a.txt")];
        let refused = project.base(&commit_tree(&scratch, file_as_folder)).err();
        assert!(matches!(refused, Some(ReadError::Broken { .. })), "{refused:?}");
        let folder_as_file = vec![entry(&scratch, 0o100_644, b"x", "HEAD:sub")];
        let base = project.base(&commit_tree(&scratch, folder_as_file)).expect("only reading tells");
        assert!(matches!(base.read(&path("x"), 10), Err(ReadError::Broken { .. })));
    }

    #[test]
    fn a_tree_that_names_billions_is_refused_soon() {
        let scratch = Scratch::new();
        let mut tree = "HEAD:sub".to_owned();
        for _ in 0..8 {
            let ten = (0..16).map(|n| entry(&scratch, 0o040_000, format!("{n}").as_bytes(), &tree)).collect();
            tree = format!("{}^{{tree}}", commit_tree(&scratch, ten));
        }
        let project = Project::open(&scratch.root).expect("a repository");
        let refused = project.base(&tree[..40]).err();
        assert!(matches!(refused, Some(ReadError::TooManyEntries { .. })), "{refused:?}");
    }
}
