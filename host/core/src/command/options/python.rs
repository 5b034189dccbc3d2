//! Options of python, pytest and unittest.

use super::Opt;
use super::Value::{Flag, MaybePath, Module, Number, OneOf, Output, Path, Report, Runs, Text, Warning};

/// Of the interpreter. `-O` is not here: it drops asserts.
pub(in super::super) const PYTHON: &[Opt] = &[
    ("-B", Flag),
    ("-E", Flag),
    ("-I", Flag),
    ("-P", Flag),
    ("-b", Flag),
    ("-q", Flag),
    ("-s", Flag),
    ("-u", Flag),
    ("-v", Flag),
    ("-W", Warning),
    ("-X", OneOf(&["dev", "utf8", "faulthandler"])),
];

/// Of pytest and its common plugins.
pub(in super::super) const PYTEST: &[Opt] = &[
    ("-q", Flag),
    ("--quiet", Flag),
    ("-v", Flag),
    ("--verbose", Flag),
    ("-x", Flag),
    ("--exitfirst", Flag),
    ("-s", Flag),
    ("-l", Flag),
    ("--showlocals", Flag),
    ("-r", Text),
    ("-k", Text),
    ("-m", Text),
    ("-n", Number),
    ("--numprocesses", Number),
    ("-p", OneOf(&["no:cacheprovider", "no:logging", "no:randomly", "no:warnings", "no:xdist"])),
    ("-W", Warning),
    ("--maxfail", Number),
    ("--timeout", Number),
    ("--durations", Number),
    ("--durations-min", Number),
    ("--verbosity", Number),
    ("--cov-fail-under", Number),
    ("--count", Runs),
    ("--tb", OneOf(&["auto", "long", "short", "line", "native", "no"])),
    ("--capture", OneOf(&["fd", "sys", "no", "tee-sys"])),
    ("--color", OneOf(&["yes", "no", "auto"])),
    ("--show-capture", OneOf(&["no", "stdout", "stderr", "log", "all"])),
    ("--import-mode", OneOf(&["prepend", "append", "importlib"])),
    ("--asyncio-mode", OneOf(&["auto", "strict"])),
    ("--dist", OneOf(&["load", "loadscope", "loadfile", "worksteal", "no"])),
    ("--cov", MaybePath),
    ("--cov-branch", Flag),
    ("--cov-report", OneOf(&["term", "term-missing", "xml", "html", "json", "lcov"])),
    ("--no-cov", Flag),
    ("--no-header", Flag),
    ("--no-summary", Flag),
    ("--disable-warnings", Flag),
    ("--doctest-modules", Flag),
    ("--full-trace", Flag),
    ("--runxfail", Flag),
    ("--strict", Flag),
    ("--strict-config", Flag),
    ("--strict-markers", Flag),
    ("--rootdir", Path),
    ("--basetemp", Output),
    ("--junitxml", Report(&["xml"])),
    ("--junit-xml", Report(&["xml"])),
];

/// After `python -m unittest`.
pub(in super::super) const UNITTEST: &[Opt] = &[
    ("-v", Flag),
    ("--verbose", Flag),
    ("-q", Flag),
    ("--quiet", Flag),
    ("-f", Flag),
    ("--failfast", Flag),
    ("-b", Flag),
    ("--buffer", Flag),
    ("--locals", Flag),
    ("-k", Text),
    ("-p", Text),
    ("--pattern", Text),
    ("-s", Module),
    ("--start-directory", Module),
    ("-t", Path),
    ("--top-level-directory", Path),
];

/// After `python -m compileall`.
pub(in super::super) const COMPILEALL: &[Opt] = &[("-q", Flag), ("-f", Flag), ("-j", Number)];
