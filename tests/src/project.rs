//! A temporary git repository with files, and a fingerprint of everything in it that belongs to the user.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::environment::{Ran, TestEnv};

/// A repository in a new folder.
#[derive(Debug)]
pub struct TestProject {
    folder: TempDir,
}

impl TestProject {
    /// A folder with these files, and no git.
    pub fn without_git(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// A repository with one commit that has these files.
    pub fn new(env: &TestEnv, files: &[(&str, &str)]) -> Self {
        let project = Self::without_git(files);
        project.git(env, &["init", "-q", "-b", "main"]);
        project.commit_all(env);
        project
    }

    /// Commits everything.
    pub fn commit_all(&self, env: &TestEnv) {
        self.git(env, &["add", "-A"]);
        self.git(env, &["commit", "-q", "-m", "state"]);
    }

    /// Its root.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs git, the independent oracle, and returns its output.
    pub fn git(&self, env: &TestEnv, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "gc.auto=0"];
        let output = env.command("git", self.root()).args(identity).args(arguments).output().unwrap();
        Ran::of(output).expect_code(0).stdout
    }

    /// Everything that belongs to the user: the working files, and all of `.git` except objects and the branches that gephost
    /// publishes (`refs/heads/evo`). Two fingerprints are equal only if nothing was changed.
    pub fn fingerprint(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.root(), self.root(), &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_owned();
        let ours = [".gephost", ".git/objects", ".git/refs/heads/evo", ".git/logs/refs/heads/evo"];
        if ours.iter().any(|skip| name == Path::new(skip)) {
            continue;
        }
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            collect(root, &path, files);
        } else if kind.is_symlink() {
            files.insert(name, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}
