//! The folders of a build, and the commands that run in them.

use std::path::PathBuf;
use std::process::Command;

/// The folders that a recipe uses.
pub(super) struct Workplace {
    /// The sources: `tests/guests/languages/<language>`.
    pub(super) sources: PathBuf,
    /// The folder of the tool.
    pub(super) tool: PathBuf,
    /// An empty folder to build in.
    pub(super) scratch: PathBuf,
    /// A folder that the compiler keeps between builds.
    pub(super) keep: PathBuf,
}

/// Runs a command and returns its output. The test fails if the command fails.
pub(super) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}
