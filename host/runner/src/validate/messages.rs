//! The messages between gephost and the processes that start a command. All of them run the same program.
//!
//! gephost sends one [`LaunchRequest::Keep`]. The keeper sends one [`LaunchRequest::Start`] to the process that becomes
//! the command, and [`KeeperMessage`]s to gephost. The starter sends [`StarterMessage`]s until it has become the
//! command and its socket is closed.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::confine::{Confinement, InForce};

/// Largest message, in bytes.
pub(super) const MAX_MESSAGE: u64 = 16 << 20;

/// The first message to a process that was started for a command.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum LaunchRequest {
    /// Start a command, adopt what it leaves behind, and report how it ended.
    Keep {
        /// A program with arguments that starts the starter; empty for none.
        wrapper: Vec<OsString>,
        /// The program with arguments that is the starter.
        starter: Vec<OsString>,
        /// What the starter does.
        start: Start,
    },
    /// Become a command.
    Start(Start),
}

/// A command, and its confinement.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) argv: Vec<String>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) directory: OsString,
    pub(super) confinement: Confinement,
}

/// A message of the starter.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum StarterMessage {
    /// It is confined. When the socket is closed, it has become the command.
    Confined(InForce),
    /// It could not be confined, or the program could not be run.
    Refused(Refusal),
}

/// A message of the keeper.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum KeeperMessage {
    /// The command is running.
    Started {
        /// What is in force in the process.
        in_force: InForce,
        /// Process id of the command.
        pid: i32,
    },
    /// The command could not be started.
    Refused(Refusal),
    /// The command ended with a code or by a signal.
    Ended {
        /// The exit code.
        code: Option<i32>,
        /// The number of the signal.
        signal: Option<i32>,
    },
}

/// Why a command did not start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Refusal {
    /// It could not be confined as requested.
    Confine(String),
    /// The system could not run the program. This is the error number.
    Run(i32),
}
