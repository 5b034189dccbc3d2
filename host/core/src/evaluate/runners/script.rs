//! What package managers write of scripts.

use crate::validation::TestEvidence;

/// The line that a package manager writes before a script runs: `> name@1.0.0 test`, `$ mocha`.
pub(super) fn is_start(line: &str) -> bool {
    let named = line.strip_prefix("> ").is_some_and(|rest| rest.contains('@') && !rest.starts_with('@'));
    named || line.strip_prefix("> @").is_some_and(|rest| rest.contains('@')) || line.starts_with("$ ")
}

/// The script that `npm init` writes: a failure that says that there are no tests.
pub(super) fn read_empty(lines: &[&str]) -> Option<TestEvidence> {
    lines.contains(&"Error: no test specified").then(TestEvidence::default)
}
