//! How a command ended.

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal with this number ended it, which gephost did not send.
    Signaled(i32),
    /// It exceeded its time limit.
    TimedOut,
    /// It exceeded its disk limit.
    DiskFull,
    /// It exceeded its process limit.
    TooManyProcesses,
    /// Its processes used more memory than they may.
    OutOfMemory,
    /// The user interrupted gephost.
    Interrupted,
    /// It is unknown how it ended: it killed the process that watched it.
    Unknown,
}
