//! Lines that package managers print when they run scripts.

use crate::validation::TestEvidence;

/// Whether a line is the one that a package manager prints before a script runs: `> name@1.0.0 test`, `$ mocha`.
pub(super) fn is_start(line: &str) -> bool {
    let named = line.strip_prefix("> ").is_some_and(|rest| rest.contains('@') && !rest.starts_with('@'));
    named || line.strip_prefix("> @").is_some_and(|rest| rest.contains('@')) || line.starts_with("$ ")
}

/// The script that `npm init` writes: it fails with the message that there are no tests.
pub(super) fn read_empty(lines: &[&str]) -> Option<TestEvidence> {
    lines.contains(&"Error: no test specified").then(TestEvidence::default)
}
