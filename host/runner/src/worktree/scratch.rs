//! Throw-away repositories for tests, made with the git command line so that they are what users have.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use gephost_core::gate::{ApprovedChange, BlobState, FileMode};
use gephost_core::path::RepoPath;
use jiff::Timestamp;
use tempfile::TempDir;

use super::{CommitMessage, Identity};

/// A repository in `root`, in a folder of its own that goes away.
pub(crate) struct Scratch {
    pub(crate) outer: TempDir,
    pub(crate) root: PathBuf,
}

impl Scratch {
    /// A repository without a commit.
    pub(crate) fn unborn() -> Self {
        let outer = TempDir::new().expect("a temporary folder");
        let root = fs::canonicalize(outer.path()).expect("it exists").join("repo");
        fs::create_dir(&root).expect("a new folder");
        let scratch = Self { outer, root };
        scratch.git(&["init", "-q", "-b", "main"]);
        scratch.git(&["config", "user.name", "User"]);
        scratch.git(&["config", "user.email", "user@example.org"]);
        scratch
    }

    /// A repository with one commit of a few files.
    pub(crate) fn new() -> Self {
        let scratch = Self::unborn();
        scratch.write("a.txt", "one\n");
        scratch.write("sub/b.py", "import collections\n");
        scratch.write("sub/deep/c.txt", "c\n");
        scratch.write("run.sh", "#!/bin/sh\n");
        fs::set_permissions(scratch.root.join("run.sh"), fs::Permissions::from_mode(0o755)).expect("our file");
        std::os::unix::fs::symlink("a.txt", scratch.root.join("link")).expect("a new link");
        scratch.commit("first");
        scratch
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("not the root")).expect("folders");
        fs::write(path, content).expect("a file");
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.root, arguments).unwrap_or_else(|error| panic!("git {arguments:?}: {error}"))
    }

    /// Like [`Self::git`], for what ends in an error, such as a merge with conflicts.
    pub(crate) fn git_fails(&self, arguments: &[&str]) {
        git_in(&self.root, arguments).expect_err("this should have failed");
    }

    /// Hooks, a filter and an fsmonitor that leave a trace beside the repository when they run.
    pub(crate) fn set_traps(&self) {
        let trace = format!("#!/bin/sh\ntouch '{}'\ncat\n", self.outer.path().join("TRAP").display());
        for hook in [
            "pre-commit",
            "commit-msg",
            "prepare-commit-msg",
            "post-commit",
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "pre-auto-gc",
            "post-rewrite",
        ] {
            self.executable(&format!(".git/hooks/{hook}"), &trace);
        }
        self.executable(".git/trap", &trace);
        let trap = self.root.join(".git/trap").display().to_string();
        for key in ["filter.trap.clean", "filter.trap.smudge", "core.fsmonitor", "core.editor", "gpg.program"] {
            self.git(&["config", key, &trap]);
        }
        self.git(&["config", "commit.gpgSign", "true"]);
        self.git(&["config", "core.autocrlf", "true"]);
        self.write(".git/info/attributes", "* filter=trap ident text eol=crlf\n");
        drop(fs::remove_file(self.outer.path().join("TRAP")));
    }

    pub(crate) fn trap_was_sprung(&self) -> bool {
        self.outer.path().join("TRAP").exists()
    }

    fn executable(&self, path: &str, content: &str) {
        self.write(path, content);
        fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(0o755)).expect("our file");
    }
}

pub(crate) fn git_in(directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).expect("a safe path")
}

pub(crate) fn blob(content: &str) -> BlobState {
    BlobState { mode: FileMode::Regular, content: Arc::from(content.as_bytes()) }
}

pub(crate) fn change(at: &str, before: Option<&str>, after: Option<&str>) -> ApprovedChange {
    ApprovedChange { path: path(at), before: before.map(blob), after: after.map(blob) }
}

pub(crate) fn identity() -> Identity {
    // git takes a time of zero for a broken reflog.
    Identity::new("gephost", "gephost@localhost", Timestamp::from_second(1).expect("a time")).expect("has letters")
}

pub(crate) fn message() -> CommitMessage {
    CommitMessage::new("Repair", "", &[("Gene", "g")])
}
