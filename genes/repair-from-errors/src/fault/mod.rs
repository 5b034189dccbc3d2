//! Reads errors and their places from an output: tracebacks and parser messages of Python and Node.
//!
//! Time is linear in the output. The host has clipped and redacted the text; nothing that is missing is guessed.

mod line;
mod node;
mod python;
mod traceback;

pub(crate) use traceback::{Fault, Frame, Language};

/// Most faults that are read from one output: the last ones.
const MAX_FAULTS: usize = 32;

/// All faults in an output, the last one first, because that one ended the run.
pub(crate) fn faults(output: &str) -> Vec<Fault> {
    let mut faults = python::faults(output);
    faults.extend(node::faults(output));
    faults.reverse();
    faults.truncate(MAX_FAULTS);
    faults
}

/// Whether a path belongs to a library or to the runtime.
pub(crate) fn is_foreign(path: &str) -> bool {
    let library = path.split('/').any(|part| matches!(part, "site-packages" | "dist-packages" | "node_modules"));
    let is_version = |part: &str| part.strip_prefix("python").is_some_and(|rest| rest.starts_with(['2', '3']));
    let installed = path.split('/').zip(path.split('/').skip(1)).any(|(lib, part)| lib == "lib" && is_version(part));
    library || installed || path.starts_with("node:") || path.starts_with('<')
}
