//! Whatever path passes here, git takes into its index with all its own protections on.

#![no_main]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use gephost_core::path::RepoPath;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static REPOSITORY: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = TempDir::with_prefix("path_vs_git").expect("a scratch folder");
    assert!(git(folder.path(), &["init", "-q"], b""), "git makes a repository");
    folder
});

/// Whether git is content.
fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> bool {
    let mut child = Command::new("git")
        .args(["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("git runs");
    // Git may refuse, and close its end, before it has read everything.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait().expect("git ends").success()
}

fuzz_target!(|text: &str| {
    let Ok(path) = RepoPath::new(text) else {
        return;
    };
    let _ = std::fs::remove_file(REPOSITORY.path().join(".git/index"));
    let entry = format!("100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t{path}\0");
    assert!(git(REPOSITORY.path(), &["update-index", "-z", "--index-info"], entry.as_bytes()), "git refuses {path:?}");
});
