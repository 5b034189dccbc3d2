//! Reads which tests a command ran from the output of its test runner.
//!
//! If the command names a runner, only that runner's rules apply. Any other command (`npm test`, a script, `make`) is
//! read by the rules of all runners, because only the output shows which one ran. The stream to which a runner writes
//! its summary counts. The other stream counts only if the first has no summary, because a test may print something
//! similar to either. A new runner is one file and one line in [`RUNNERS`].

mod bun;
mod cargo;
mod go;
mod jest;
mod mocha;
mod nextest;
mod node;
mod pieces;
mod pytest;
mod script;
mod suites;
mod unittest;
mod vitest;

use super::text;
use crate::escapes::without_escapes;
use crate::validation::{NamedTests, TestEvidence};

/// The stream to which a runner writes its summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

/// How a test runner reports.
struct Runner {
    /// Whether a command names this runner.
    is_named: fn(&[&str]) -> bool,
    /// The stream with its summary.
    stream: Stream,
    /// Reads lines of its output; `None` if they are not of this runner.
    read: fn(&[&str]) -> Option<TestEvidence>,
    /// Reads the names of tests from the other stream.
    names_beside: Option<fn(&[&str], &mut NamedTests)>,
}

const RUNNERS: &[Runner] = &[
    Runner { is_named: pytest::is_named, stream: Stream::Out, read: pytest::read, names_beside: None },
    Runner { is_named: unittest::is_named, stream: Stream::Err, read: unittest::read, names_beside: None },
    Runner { is_named: cargo::is_named, stream: Stream::Out, read: cargo::read, names_beside: None },
    Runner { is_named: nextest::is_named, stream: Stream::Err, read: nextest::read, names_beside: None },
    Runner { is_named: go::is_named, stream: Stream::Out, read: go::read, names_beside: None },
    Runner { is_named: node::is_named, stream: Stream::Out, read: node::read, names_beside: None },
    Runner { is_named: jest::is_named, stream: Stream::Err, read: jest::read, names_beside: None },
    Runner {
        is_named: vitest::is_named,
        stream: Stream::Out,
        read: vitest::read,
        names_beside: Some(vitest::failures),
    },
    Runner { is_named: bun::is_named, stream: Stream::Err, read: bun::read, names_beside: None },
    Runner { is_named: mocha::is_named, stream: Stream::Out, read: mocha::read, names_beside: None },
    Runner { is_named: |_| false, stream: Stream::Err, read: script::read_empty, names_beside: None },
];

/// The tests that a command ran, including skipped ones; `None` if its output reports no tests. Linear in the length of
/// the output. At most [`crate::validation::MAX_NAMED_TESTS`] names are read per runner.
pub fn read_tests(argv: &[String], stdout: &str, stderr: &str) -> Option<TestEvidence> {
    let argv = program_words(argv);
    let plain = [stdout, stderr].map(without_escapes);
    let streams = [text::lines(&plain[0]), text::lines(&plain[1])];
    match RUNNERS.iter().find(|runner| (runner.is_named)(&argv)) {
        Some(runner) => runner.read_streams(&streams),
        None => RUNNERS.iter().filter_map(|runner| runner.read_streams(&streams)).reduce(TestEvidence::plus),
    }
}

impl Runner {
    fn read_streams(&self, [out, err]: &[Vec<&str>; 2]) -> Option<TestEvidence> {
        let (own, other) = if self.stream == Stream::Out { (out, err) } else { (err, out) };
        let mut evidence = (self.read)(own).or_else(|| (self.read)(other))?;
        if let Some(read_names) = self.names_beside {
            read_names(other, &mut evidence.names);
        }
        Some(evidence)
    }
}

/// The words of a command, with the folder of the program removed.
fn program_words(argv: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = argv.iter().map(String::as_str).collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default();
    }
    words
}
