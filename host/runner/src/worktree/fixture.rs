//! A repository with one commit, for the test of a gene. It lies in a folder that the caller made and removes. The commit has
//! the same id on every machine.

use std::path::Path;

use git2::{Index, IndexEntry, IndexTime, Repository, RepositoryInitOptions, Signature, Time};

/// A file of the commit.
#[derive(Debug, Clone)]
pub struct FixtureFile {
    /// Its path from the root, with forward slashes.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
    /// Whether it may be executed.
    pub is_executable: bool,
}

/// Makes the repository in an existing folder. The files themselves are the caller's to write.
pub fn commit_fixture(folder: &Path, files: &[FixtureFile]) -> Result<(), git2::Error> {
    let mut options = RepositoryInitOptions::new();
    // No template of the user: it may bring hooks.
    options.initial_head("main").external_template(false);
    let repository = Repository::init_opts(folder, &options)?;
    let mut index = Index::new()?;
    let odb = repository.odb()?;
    for file in files {
        let id = odb.write(git2::ObjectType::Blob, &file.content)?;
        index.add(&entry(file, id))?;
    }
    let tree = repository.find_tree(index.write_tree_to(&repository)?)?;
    let author = Signature::new("gephost", "gephost@localhost", &Time::new(0, 0))?;
    repository.commit(Some("HEAD"), &author, &author, "The workspace of a fixture", &tree, &[])?;
    let mut own = repository.index()?;
    own.read_tree(&tree)?;
    own.write()
}

fn entry(file: &FixtureFile, id: git2::Oid) -> IndexEntry {
    let mode = if file.is_executable { 0o100_755 } else { 0o100_644 };
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: u32::try_from(file.content.len()).unwrap_or(u32::MAX),
        id,
        flags: 0,
        flags_extended: 0,
        path: file.path.clone().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_holds_the_files_and_has_the_same_id_everywhere() {
        let files = [
            FixtureFile { path: "a/b.sh".into(), content: b"true\n".to_vec(), is_executable: true },
            FixtureFile { path: "c".into(), content: Vec::new(), is_executable: false },
        ];
        let ids = [0, 1].map(|_| {
            let folder = tempfile::tempdir().unwrap();
            commit_fixture(folder.path(), &files).unwrap();
            let repository = Repository::open(folder.path()).unwrap();
            let commit = repository.head().unwrap().peel_to_commit().unwrap();
            let tree = commit.tree().unwrap();
            assert_eq!(tree.get_path(Path::new("a/b.sh")).unwrap().filemode(), 0o100_755);
            assert_eq!(tree.get_path(Path::new("c")).unwrap().filemode(), 0o100_644);
            commit.id()
        });
        assert_eq!(ids[0], ids[1]);
    }

    #[test]
    fn a_path_that_git_refuses_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = FixtureFile { path: ".git/config".into(), content: Vec::new(), is_executable: false };
        assert!(commit_fixture(folder.path(), &[file]).is_err());
    }
}
