//! The options that are known to be safe, by program. Every other option is refused, because a list of unsafe options
//! is never complete and option parsers accept abbreviations.
//!
//! Excluded on purpose: options that carry or load code (`-c`, `-e`, `--require`, `--import`, `-p plugin`, `-exec`,
//! `--config`), that move the configuration, that write to a given place (except reports inside the work copy), that
//! reach a network, and that keep tests from running (`-O` drops Python's asserts).

mod go;
mod javascript;
mod python;
mod rust;

pub(super) use go::{GO, GO_BUILD};
pub(super) use javascript::{JS_RUNNER, NODE, NODE_TEST, NPM};
pub(super) use python::{COMPILEALL, PYTEST, PYTHON, UNITTEST};
pub(super) use rust::{CARGO, CARGO_FIRST, FMT, LIBTEST, LINTS, NEXTEST};

/// The kind of value that an option takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// No value.
    Flag,
    /// Any text that no program reads as an option or as a file of further arguments.
    Text,
    /// Digits, a list of them, a share, a duration, or `auto`.
    Number,
    /// A path inside the work copy.
    Path,
    /// A path inside the work copy, or nothing; the path only with `=`.
    MaybePath,
    /// A path inside the work copy, or a Python module that is not Python's own.
    Module,
    /// A report that is written: a path where no source is, with one of these extensions.
    Report(&'static [&'static str]),
    /// A folder that is emptied or filled: a path where no source is.
    Output,
    /// A number of runs, at least 1.
    Runs,
    /// A number of further tries, at most 3: a test that needs more is not repaired.
    Retries,
    /// An npm workspace.
    NpmPackage,
    /// A filter for Python's warnings.
    Warning,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// An option as it is written, and the value that it takes.
pub(super) type Opt = (&'static str, Value);

/// Options with which a runner passes without running tests. They are refused with a reason of their own.
pub(super) const SKIPS_TESTS: &[&str] = &[
    "--co",
    "--collect-only",
    "--collectonly",
    "--deselect",
    "--if-present",
    "--ignore-scripts",
    "--listTests",
    "--list-tests",
    "--no-run",
    "--pass-with-no-tests",
    "--passWithNoTests",
    "--setup-only",
    "--setup-plan",
    "--skip",
    "--test-only",
    "-skip",
];
