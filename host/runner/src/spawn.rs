//! The one constructor of a process. Owns the effect "a program starts".
//!
//! What must stay true: a process inherits no environment and no descriptor that it was not given. Who may be started is
//! the business of the callers: `validate` runs the operator's and the proposals' commands, `sandbox` the workers and
//! `background` a reader of logs, which are this very program; `worktree` a signer, `key_command` a program and
//! `author_tool` a compiler, which the operator named.

use std::ffi::OsStr;
use std::process::Command;

/// A command with an empty environment.
#[expect(clippy::disallowed_methods, reason = "this is the one place where processes start")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// Keeps every open file from the next process. What whoever started gephost left open for it, the standard library does
/// not know of; call it right before each start.
pub(crate) fn keep_descriptors() {
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
}
