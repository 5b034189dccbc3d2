//! What gephost and the processes between it and a command say to each other. All are the same program.
//!
//! gephost: one [`Order::Keep`]. The keeper: one [`Order::Start`] to the process that becomes the command, and [`News`] to
//! gephost. The starter: [`Answer`]s, until it is the command and its socket is closed.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::confine::{Confinement, InForce};

/// The largest of these messages, in bytes.
pub(super) const MAX_MESSAGE: u64 = 16 << 20;

/// The first message to a process that was started for a command.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Have a command started, adopt what it leaves behind, and say how it ended.
    Keep {
        /// A program and its arguments that the starter is started by; empty for none.
        wrapper: Vec<OsString>,
        /// The program and its arguments that are the starter.
        starter: Vec<OsString>,
        /// What the starter is told.
        start: Start,
    },
    /// Become a command.
    Start(Start),
}

/// A command, and what it may still do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) argv: Vec<String>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) directory: OsString,
    pub(super) confinement: Confinement,
}

/// What the starter says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// It is confined; the end of the socket means that it is the command now.
    Confined(InForce),
    /// It is not, or the program cannot be run.
    Refused(Refusal),
}

/// What the keeper says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum News {
    /// The command runs, as a part of the process with this number.
    Started {
        /// What is in force in it.
        in_force: InForce,
        /// The process.
        pid: i32,
    },
    /// It does not.
    Refused(Refusal),
    /// It ended with a code, or by a signal.
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
    /// It could not be confined as was asked.
    Confine(String),
    /// The system does not run the program, with this error number.
    Run(i32),
}
