//! Which lines a command executes.

use gephost_core::path::RepoPath;
use serde::{Deserialize, Serialize};

/// A line that was executed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExecutedLine {
    /// Path from the workspace root.
    pub path: String,
    /// Line number from 1.
    pub line: u32,
    /// How many failing tests executed it.
    pub failed: u32,
    /// How many passing tests executed it.
    pub passed: u32,
}

/// Which lines the failing command executes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How many tests failed; 1 if the whole command counts as one test.
    pub failed: u32,
    /// How many tests passed.
    pub passed: u32,
    /// Sorted by path and line.
    pub lines: Vec<ExecutedLine>,
    /// Why nothing was measured; empty if it was.
    pub reason: String,
}

impl Coverage {
    /// Nothing, for this reason.
    pub fn unmeasured(reason: &str) -> Self {
        Self { failed: 0, passed: 0, lines: Vec::new(), reason: reason.to_owned() }
    }

    /// The part that a gene may see.
    #[must_use]
    pub fn shown(&self, shows: impl Fn(&RepoPath) -> bool) -> Self {
        let is_shown = |line: &&ExecutedLine| RepoPath::new(&line.path).is_ok_and(|path| shows(&path));
        Self { lines: self.lines.iter().filter(is_shown).cloned().collect(), ..self.clone() }
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::unmeasured("no command was run")
    }
}
