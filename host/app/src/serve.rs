//! The processes that gephost starts of its own program: those that compile components and run genes, and those that start
//! and keep a validation command.

use std::ffi::OsString;
use std::io;

use gephost_runner::{sandbox, validate};

/// The argument of a process that compiles a component or runs a gene.
pub(crate) const WORKER: &str = "gene-process";
/// The argument of a process that starts a validation command.
pub(crate) const LAUNCH: &str = "launch";

/// Serves if gephost started this program as one of its own processes, which `arguments`, without the program's name, say.
/// A program that names itself as [`crate::Program`] calls this first, and ends if there is a result.
pub fn serve(arguments: &[OsString]) -> Option<io::Result<()>> {
    match arguments {
        [word] if word == WORKER => Some(sandbox::serve()),
        [word] if word == LAUNCH => Some(validate::serve()),
        _ => None,
    }
}
