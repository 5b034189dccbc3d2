//! This program, started beside the one that goes on: for work that nobody waits for.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;

use process_wrap::std::{CommandWrap, ProcessSession};

/// Starts a program with these arguments and variables, in a session of its own, with nothing to read and nowhere to
/// write. It outlives the caller, which learns only that it was started.
pub fn start(program: &Path, arguments: &[OsString], variables: &[(OsString, OsString)]) -> io::Result<()> {
    let mut command = crate::spawn::command(program);
    command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    crate::spawn::keep_descriptors();
    CommandWrap::from(command).wrap(ProcessSession).spawn().map(drop)
}
