//! The program that is tested.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::repository;

/// The `gephost` program, which each test process builds once.
pub fn gephost() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--release", "--locked", "--quiet", "--workspace", "--bin", "gephost"])
            .current_dir(repository())
            .status()
            .unwrap();
        assert!(built.success(), "gephost does not build");
        // The binary of this test is in <target>/release/deps.
        let deps = std::env::current_exe().unwrap();
        deps.parent().and_then(Path::parent).unwrap().join("gephost")
    })
}
