//! `go test`, with `-v`, with `-json`, or without either.

use serde::Deserialize;

use crate::evaluate::tally::{Tally, counted, one};
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{NamedTests, TestEvidence};

/// `go test`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    matches!(argv, ["go", "test", ..])
}

/// With `-v` and `-json` each test is named. Otherwise only failing tests are, so the packages are counted; else a
/// repair of three tests of a package would look like fewer tests.
pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    if lines.iter().any(|line| line.starts_with("{\"") && event(line).is_some()) {
        return read_json(lines);
    }
    if lines.iter().any(|line| line.starts_with("=== RUN ")) { read_verbose(lines) } else { read_packages(lines) }
}

/// The name of a package in its final line, and its state; no state if it has no tests.
fn package(line: &str) -> Option<(&str, Option<TestState>)> {
    let (word, rest) = line.split_once('\t')?;
    // `FAIL\tx/q [build failed]`, `ok  \tx/b\t(cached)`.
    let name = rest.split(['\t', ' ']).next().unwrap_or_default();
    Some((
        name,
        match word.trim_end() {
            "ok" if rest.contains("[no tests to run]") => None,
            "ok" => Some(Passed),
            "FAIL" => Some(Failed),
            "?" if rest.contains("[no test files]") => None,
            _ => return None,
        },
    ))
}

/// `--- FAIL: TestA/sub (0.00s)`.
fn end(line: &str) -> Option<(&str, TestState)> {
    let (word, rest) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
    let state = match word {
        "PASS" => Passed,
        "FAIL" => Failed,
        "SKIP" => Skipped,
        _ => return None,
    };
    Some((rest.split_once(" (").map_or(rest, |(name, _)| name), state))
}

fn read_packages(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::of_others();
    let mut failed: Vec<&str> = Vec::new();
    for line in lines {
        if let Some((name, Failed)) = end(line) {
            failed.push(name);
        } else if let Some((package, state)) = package(line) {
            let failed = std::mem::take(&mut failed);
            tally.add(state.map(one).unwrap_or_default());
            match state {
                Some(Failed) if !failed.is_empty() => {
                    for name in failed {
                        tally.note(&format!("{package}.{name}"), Failed);
                    }
                }
                Some(state) => tally.note(package, state),
                None => {}
            }
        }
    }
    tally.finish()
}

/// The tests of one package. Its name is only known at its end.
#[derive(Default)]
struct Package {
    announced: NamedTests,
    ended: NamedTests,
}

impl Package {
    /// Counts the package. A package that failed without a failing test could not be built or was aborted.
    fn close(self, name: &str, state: Option<TestState>, tally: &mut Tally) {
        tally.add(counted(&self.ended));
        for (test, state) in self.ended.iter() {
            tally.note(&format!("{name}.{test}"), state);
        }
        if state == Some(Failed) && self.ended.failed().next().is_none() {
            tally.add(one(Failed));
            tally.note(name, Failed);
        }
    }
}

/// The end of a test counts only if its start was announced, because a test may print such lines.
fn read_verbose(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut tests = Package::default();
    for line in lines {
        if let Some(name) = line.strip_prefix("=== RUN ") {
            tests.announced.note(name, Passed);
        } else if let Some((name, state)) = end(line) {
            if tests.announced.get(name).is_some() {
                tests.ended.note(name, state);
            }
        } else if let Some((name, state)) = package(line) {
            std::mem::take(&mut tests).close(name, state, &mut tally);
        }
    }
    if !tests.ended.is_empty() {
        tests.close("", None, &mut tally);
    }
    tally.finish()
}

/// One line of `-json`, as defined by `go doc test2json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    #[serde(borrow)]
    action: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    package: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    test: std::borrow::Cow<'a, str>,
}

fn event(line: &str) -> Option<Event<'_>> {
    serde_json::from_str(line).ok()
}

fn read_json(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut packages: std::collections::BTreeMap<String, NamedTests> = std::collections::BTreeMap::new();
    for event in lines.iter().filter_map(|line| event(line)) {
        let state = match &*event.action {
            "pass" => Passed,
            "fail" => Failed,
            "skip" => Skipped,
            _ => continue,
        };
        if event.test.is_empty() {
            let ended = packages.remove(&*event.package).unwrap_or_default();
            let tests = Package { ended, ..Package::default() };
            tests.close(&event.package, Some(state), &mut tally);
        } else {
            packages.entry(event.package.into_owned()).or_default().note(&event.test, state);
        }
    }
    // The output was truncated: these packages did not end.
    for (name, ended) in packages {
        Package { ended, ..Package::default() }.close(&name, None, &mut tally);
    }
    tally.finish()
}
