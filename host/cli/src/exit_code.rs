//! The exit codes: one table, which the program prints itself with `gephost help exit-codes`.

use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, also when there was nothing to do.
    Done,
    /// Failed, for a reason that is none of those below.
    Failed,
    /// The command line, the config, or a file named by them is wrong.
    Usage,
    /// The gate refused.
    Refused,
    /// A server did not accept who asked, or there was no key to ask with.
    Unauthenticated,
    /// Validation failed; nothing was published.
    Invalid,
    /// The base moved, another gephost is at work, or what was published could not land.
    Conflict,
    /// A budget or a time limit ran out.
    Budget,
    /// A person has to say yes or no first.
    Waits,
    /// A bug in gephost.
    Bug,
    Interrupted,
    /// What the command that `gephost record` ran ended with.
    Command(u8),
}

impl Exit {
    /// The number that the process ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Unauthenticated => 4,
            Self::Invalid => 5,
            Self::Conflict => 6,
            Self::Budget => 7,
            Self::Waits => 8,
            Self::Bug => 70,
            Self::Interrupted => 130,
            Self::Command(code) => code,
        }
    }
}

/// The table that `help exit-codes` prints.
pub(crate) const TABLE: &[(u8, &str)] = &[
    (0, "done, also when there was nothing to do"),
    (1, "failed; `scan`: found what the gate would reject"),
    (2, "the command line, the config or an input file is wrong"),
    (3, "the gate refused the proposal"),
    (4, "authentication failed"),
    (5, "validation failed; nothing was published"),
    (6, "conflict: the base moved, another gephost is at work, or `--land` would touch local edits"),
    (7, "a budget or a time limit ran out"),
    (8, "waits for approval"),
    (70, "a bug in gephost"),
    (130, "interrupted"),
];

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
