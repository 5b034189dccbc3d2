//! Shared by all tests: a hermetic environment for the `gephost` binary, temporary projects, and guests that are built from
//! text.

use std::io::Write as _;
use std::process::Command;

pub mod agent;
pub mod author_tools;
pub mod bless;
pub mod claude_log;
mod compiled;
pub mod components;
pub mod cost;
pub mod environment;
pub mod faulty_proxy;
pub mod gene_store;
pub mod hub;
pub mod loads;
pub mod measure;
mod power_cut;
mod program;
pub mod project;
pub mod registry;
pub mod scene;
pub mod schema;
pub mod scripted;
pub mod sweep;
pub mod terminal_svg;
pub mod tmux;
pub mod toolchains;
pub mod twins;

/// Prints that a test was skipped, and why. It writes to standard error directly, because the test runner hides the output
/// of a passing test.
pub fn skipped(why: &str) {
    std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

/// Whether a program can be started; if not, prints that a test is skipped.
pub fn is_installed(program: &str) -> bool {
    is_installed_as(program, "--version")
}

/// The same for a program that says its version with another option.
pub fn is_installed_as(program: &str, option: &str) -> bool {
    let found = Command::new(program).arg(option).output().is_ok_and(|ran| ran.status.success());
    if !found {
        skipped(&format!("{program} is not installed"));
    }
    found
}

/// The root of this repository.
pub fn repository() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
