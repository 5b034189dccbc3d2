//! Options of cargo, nextest, libtest and clippy.

use super::Opt;
use super::Value::{Flag, Number, OneOf, Output, Path, Retries, Text};

/// After cargo's sub-command.
pub(in super::super) const CARGO: &[Opt] = &[
    ("--all", Flag),
    ("--workspace", Flag),
    ("--all-features", Flag),
    ("--all-targets", Flag),
    ("--no-default-features", Flag),
    ("--features", Text),
    ("-F", Text),
    ("-p", Text),
    ("--package", Text),
    ("--exclude", Text),
    ("--lib", Flag),
    ("--bin", Text),
    ("--bins", Flag),
    ("--test", Text),
    ("--tests", Flag),
    ("--example", Text),
    ("--examples", Flag),
    ("--bench", Text),
    ("--benches", Flag),
    ("--doc", Flag),
    ("--release", Flag),
    ("-r", Flag),
    ("--profile", Text),
    ("--locked", Flag),
    ("--offline", Flag),
    ("--frozen", Flag),
    ("-j", Number),
    ("--jobs", Number),
    ("--keep-going", Flag),
    ("--no-fail-fast", Flag),
    ("-q", Flag),
    ("--quiet", Flag),
    ("-v", Flag),
    ("--verbose", Flag),
    ("--color", OneOf(&["auto", "always", "never"])),
    ("--message-format", OneOf(&["human", "short", "json"])),
    ("--manifest-path", Path),
    ("--target-dir", Output),
];

/// Before the sub-command of cargo.
pub(in super::super) const CARGO_FIRST: &[Opt] = &[
    ("-q", Flag),
    ("--quiet", Flag),
    ("-v", Flag),
    ("--verbose", Flag),
    ("--locked", Flag),
    ("--offline", Flag),
    ("--frozen", Flag),
    ("--color", OneOf(&["auto", "always", "never"])),
];

/// What nextest has beside cargo's own.
pub(in super::super) const NEXTEST: &[Opt] = &[
    ("-E", Text),
    ("--filterset", Text),
    ("--filter-expr", Text),
    ("--retries", Retries),
    ("--test-threads", Number),
    ("--no-capture", Flag),
    ("--fail-fast", Flag),
];

/// After `--`, for the tests themselves.
pub(in super::super) const LIBTEST: &[Opt] = &[
    ("--nocapture", Flag),
    ("--no-capture", Flag),
    ("--show-output", Flag),
    ("--include-ignored", Flag),
    ("--exact", Flag),
    ("--test-threads", Number),
    ("-q", Flag),
    ("--quiet", Flag),
    ("--color", OneOf(&["auto", "always", "never"])),
];

/// After `cargo clippy --`.
pub(in super::super) const LINTS: &[Opt] = &[("-D", Text), ("-W", Text), ("--deny", Text), ("--warn", Text)];

/// After `cargo fmt --check`.
pub(in super::super) const FMT: &[Opt] = &[("--all", Flag), ("-q", Flag), ("-v", Flag), ("-p", Text)];
