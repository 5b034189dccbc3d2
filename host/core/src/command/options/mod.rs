//! The options that are known to be safe, by program. What is not here is refused: a list of bad ones is never
//! complete, and option parsers take abbreviations.
//!
//! Not here, on purpose: what carries code or loads it (`-c`, `-e`, `--require`, `--import`, `-p plugin`, `-exec`,
//! `--config`), what moves the configuration, what writes where it is told to (but for report paths inside the work
//! copy), what reaches a network, and what keeps tests from running (`-O` drops Python's asserts).

mod go;
mod javascript;
mod python;
mod rust;

pub(super) use go::{GO, GO_BUILD};
pub(super) use javascript::{JS_RUNNER, NODE, NODE_TEST, NPM};
pub(super) use python::{COMPILEALL, PYTEST, PYTHON, UNITTEST};
pub(super) use rust::{CARGO, CARGO_FIRST, FMT, LIBTEST, LINTS, NEXTEST};

/// What follows an option.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// Nothing.
    Flag,
    /// Any text that no program takes for an option or for a file of more arguments.
    Text,
    /// Digits, a list of them, a share, a duration, or `auto`.
    Number,
    /// A path inside the work copy.
    Path,
    /// A path inside the work copy, or nothing; the path only with `=`.
    MaybePath,
    /// A workspace of npm.
    NpmPackage,
    /// A filter of Python's warnings.
    Warning,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// An option as it is written, and its value.
pub(super) type Opt = (&'static str, Value);

/// Options that make a runner pass without running tests. Their refusal has a reason of its own.
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
