//! How the runs of a validation command ended.

use serde::{Deserialize, Serialize};

use super::test_run::{NamedTests, TestCounts};
use super::weakened::WeakenedTest;
use crate::command::RecordedRun;

/// How one run of one command ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunResult {
    /// The exit code, or 128 plus the number of the signal that ended it. `None` if it could not be started, was
    /// interrupted by the user, or ran out of time.
    pub exit: Option<i32>,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Its standard output, possibly cut at a limit.
    pub stdout: String,
    /// Its standard error, possibly cut at a limit.
    pub stderr: String,
    /// Milliseconds of wall time.
    pub duration_ms: u64,
    /// The test counts from its output and reports ([`crate::evaluate::read_tests`]).
    pub tests: Option<TestCounts>,
    /// The tests by name, as far as the runner names them.
    pub names: NamedTests,
    /// The limit, other than time, that ended it.
    pub over: Option<Excess>,
    /// Further runs of a command that failed, up to one that passed.
    pub reruns: Vec<RunResult>,
}

/// A limit that a command exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Excess {
    /// The disk space that it may add.
    Disk,
    /// The number of its processes.
    Processes,
    /// How much memory its processes may use.
    Memory,
}

impl RunResult {
    /// Whether it exited with code 0 and reported no failed test. The output counts too, because a script may lose the
    /// exit code of its test runner.
    pub fn passed(&self) -> bool {
        self.exit == Some(0) && !self.timed_out && !self.has_failed_tests()
    }

    /// Whether a test failed, by number or by name.
    pub fn has_failed_tests(&self) -> bool {
        self.tests.is_some_and(|tests| tests.failed > 0) || self.names.failed().next().is_some()
    }
}

/// One validation command, run on the base and on the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The command as it was written.
    pub text: String,
    /// On the base; `None` if it was not run there.
    pub before: Option<RunResult>,
    /// The run on the changed files.
    pub after: RunResult,
    /// The tests that the patch made milder ([`crate::gate::Approved::weakened`]). If one of them failed before and
    /// passes now, nothing is fixed.
    pub weakened: Vec<WeakenedTest>,
    /// What was noted when the operator recorded the command; `None` if nobody did.
    pub recorded: Option<RecordedRun>,
}
