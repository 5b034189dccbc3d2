//! The hidden commands that gephost starts itself, with a socket as their standard input: `gephost gene-process`, the process in
//! which a component is compiled or a gene runs, and `gephost launch`, those that start and keep a validation command; and as such a
//! command `gephost attempt`, which tries what should be refused.

use std::io::Write as _;
use std::process::ExitCode;

use gephost_runner::{sandbox, validate};

use crate::exit_code::Exit;

/// Serves as a worker, and ends. Nothing is printed but an error: once a gene runs, this process can do little more than
/// write there.
pub(crate) fn run() -> ExitCode {
    end("gene-process", sandbox::serve())
}

/// Launches a validation command, and ends when all of it has.
pub(crate) fn launch() -> ExitCode {
    end("launch", validate::serve())
}

/// Tries something that should be refused. Ends with 0 where it was not, and with 1 and the refusal where it was.
pub(crate) fn attempt(words: &[String]) -> ExitCode {
    let Some((targets, id)) =
        words.split_first().and_then(|(id, rest)| Some((validate::ProbeTargets::read(rest)?, id)))
    else {
        return Exit::Usage.into();
    };
    match validate::attempt(id, &targets) {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            let _ = writeln!(std::io::stdout(), "{error}");
            Exit::Failed.into()
        }
    }
}

fn end(name: &str, result: std::io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => Exit::Done.into(),
        Err(error) => {
            // The host reads it, or nobody does.
            let _ = writeln!(std::io::stderr(), "{name}: {error}");
            Exit::Failed.into()
        }
    }
}
