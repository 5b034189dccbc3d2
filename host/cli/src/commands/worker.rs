//! The hidden `gephost worker`: the process in which a component is compiled or a gene runs. Started by gephost itself,
//! with a socket as its standard input.

use std::io::Write as _;
use std::process::ExitCode;

use gephost_runner::sandbox::serve;

use crate::exit_code::Exit;

/// Serves, and ends. Nothing is printed but an error: once a gene runs, this process can do little more than write there.
pub(crate) fn run() -> ExitCode {
    match serve() {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            // The host reads it, or nobody does.
            let _ = writeln!(std::io::stderr(), "worker: {error}");
            Exit::Failed.into()
        }
    }
}
