//! What the tests share: a hermetic environment for the `gephost` binary, throw-away projects, and guests built from
//! text.

use std::io::Write as _;
use std::process::Command;

pub mod bless;
pub mod claude_log;
pub mod components;
pub mod cost;
pub mod environment;
pub mod measure;
mod power_cut;
pub mod project;
pub mod scene;
pub mod scripted;
pub mod sweep;
pub mod terminal_svg;
pub mod toolchains;

/// Says that a test was skipped, and why: a skipped test that says nothing is a defect. Written past the test runner,
/// which keeps what a passing test prints to itself.
pub fn skipped(why: &str) {
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

/// Whether a program can be started here; says that a test is skipped where it cannot.
pub fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !found {
        skipped(&format!("{program} is not installed"));
    }
    found
}

/// The root of this repository.
pub fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
