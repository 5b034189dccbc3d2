//! Options of node, npm and the test runners that npm scripts call.

use super::Opt;
use super::Value::{Flag, NpmPackage, Number, OneOf, Text};

/// Of node itself.
pub(in super::super) const NODE: &[Opt] = &[
    ("--enable-source-maps", Flag),
    ("--experimental-strip-types", Flag),
    ("--experimental-vm-modules", Flag),
    ("--no-warnings", Flag),
    ("--trace-warnings", Flag),
    ("--trace-uncaught", Flag),
    ("--unhandled-rejections", OneOf(&["strict", "throw"])),
];

/// After `node --test`.
pub(in super::super) const NODE_TEST: &[Opt] = &[
    ("--experimental-test-coverage", Flag),
    ("--test-concurrency", Number),
    ("--test-name-pattern", Text),
    ("--test-reporter", OneOf(&["spec", "tap", "dot", "junit"])),
    ("--test-timeout", Number),
    ("--enable-source-maps", Flag),
    ("--no-warnings", Flag),
];

/// Of npm, pnpm and yarn.
pub(in super::super) const NPM: &[Opt] = &[
    ("--silent", Flag),
    ("-s", Flag),
    ("--quiet", Flag),
    ("-q", Flag),
    ("--workspaces", Flag),
    ("-ws", Flag),
    ("--workspace", NpmPackage),
    ("-w", NpmPackage),
    ("--loglevel", OneOf(&["silent", "error", "warn", "notice", "http", "info", "verbose"])),
];

/// What a package's script may be told: the harmless options of jest, vitest and mocha.
pub(in super::super) const JS_RUNNER: &[Opt] = &[
    ("--bail", Flag),
    ("--ci", Flag),
    ("--coverage", Flag),
    ("--forceExit", Flag),
    ("--no-coverage", Flag),
    ("--run", Flag),
    ("--runInBand", Flag),
    ("-i", Flag),
    ("--silent", Flag),
    ("--verbose", Flag),
    ("--color", Flag),
    ("--colors", Flag),
    ("--no-color", Flag),
    ("--detectOpenHandles", Flag),
    ("--reporter", OneOf(&["default", "dot", "json", "junit", "min", "spec", "tap", "verbose"])),
    ("--testPathPattern", Text),
    ("--testPathPatterns", Text),
    ("--grep", Text),
    ("-g", Text),
    ("--fgrep", Text),
    ("--timeout", Number),
    ("--exit", Flag),
    ("--maxWorkers", Number),
    ("--watch", OneOf(&["false"])),
    ("--watchAll", OneOf(&["false"])),
    ("-t", Text),
    ("--testNamePattern", Text),
    ("--testTimeout", Number),
];
