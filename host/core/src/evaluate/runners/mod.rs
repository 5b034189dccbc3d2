//! Which tests a command ran, read from what its test runner wrote.
//!
//! A runner that the command names is read by its own rules alone. Anything else (`npm test`, a script, `make`) is
//! read by all of them: what runs behind it is known by its output. Of the two streams that counts to which the runner
//! writes its summary; the other one only where the first has none, since a test may write to either what looks like a
//! summary. A new runner is one file and one line in [`RUNNERS`].

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
use crate::validation::{NamedTests, TestEvidence};

/// The stream to which a runner writes its summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

/// A test runner's way to report.
struct Runner {
    /// Whether the command names it.
    is_named: fn(&[&str]) -> bool,
    /// Where its summary is.
    stream: Stream,
    /// What lines of its output say: `None` where they are not its own.
    read: fn(&[&str]) -> Option<TestEvidence>,
    /// Reads the tests that it names on the other stream.
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

/// The tests that a command ran, skipped included; `None` where its output says nothing of tests. Linear in the length of
/// the output; at most [`crate::validation::MAX_NAMED_TESTS`] names for each runner.
pub fn read_tests(argv: &[String], stdout: &str, stderr: &str) -> Option<TestEvidence> {
    let argv = program_words(argv);
    let plain = [stdout, stderr].map(text::without_escapes);
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

/// The words of a command, the program without its folder.
fn program_words(argv: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = argv.iter().map(String::as_str).collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default();
    }
    words
}
