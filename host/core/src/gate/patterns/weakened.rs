//! Tests that check less after the change than before: deleted test files and removed checks. Rules in
//! `rules/tests.toml` cover skipped tests, test configuration and checks that always hold.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::super::added::{added, deleted};
use super::super::{ApprovedChange, Violation};
use super::language::is_test;
use crate::patch::FilePatch;
use crate::path::RepoPath;

/// A line that checks something.
static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?:^|[^\w])(?:assert\w*\b|debug_assert\w*\b|expect\s*\(|should\b|self\.fail\w*\s*\(|pytest\.(?:raises|warns|fail)\b|t\.(?:Errorf?|Fatalf?|Fail(?:Now)?|is|deepEqual|equal|true|false|throws)\s*\(|require\.[A-Z]\w+)",
    )
});

/// A check against a value.
static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?:^|[^\w])(?:assert\b.*(?:==|\bis\b|\bin\b)|assert(?:Equal|Is|In|Raises)\w*\s*\(|(?:debug_)?assert_eq!|pytest\.raises\b|to(?:Be|Equal|StrictEqual|Match\w*|Throw\w*|HaveLength|Contain\w*)\s*\(\s*[^)\s]|(?:deepEqual|strictEqual|equal|Equal)\s*\()",
    )
});

/// A line that begins a test.
static TEST: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"^\s*(?:(?:async\s+)?def\s+test\w*\s*\(|#\[(?:\w+::)*test\b|func\s+(?:Test|Fuzz)\w*\s*\(|(?:it|test)(?:\.each\b[^(]*\([^)]*\))?\s*\(\s*["'`])"#,
    )
});

fn ascii(regex: &str) -> Regex {
    let built = RegexBuilder::new(regex).unicode(false).build();
    built.expect("the pattern is constant and a test uses it")
}

/// What all test files of a change lose and gain together, so that tests may move between files.
#[derive(Default)]
pub(super) struct Moves<'a> {
    tests: Balance,
    checks: Balance,
    /// Lines that begin a test, as they are added.
    added_tests: HashSet<&'a str>,
}

#[derive(Default)]
struct Balance {
    out: u64,
    into: u64,
}

impl<'a> Moves<'a> {
    pub(super) fn of(changes: &[ApprovedChange], files: &'a [FilePatch]) -> Self {
        let mut moves = Self::default();
        for (_, file) in changes.iter().zip(files).filter(|(change, _)| is_test(&change.path)) {
            moves.tests.count(file, &TEST);
            moves.checks.count(file, &CHECK);
            let begins = |text: &&str| TEST.is_match(text.as_bytes());
            moves.added_tests.extend(added(file).map(|line| line.text).filter(begins).map(str::trim));
        }
        moves
    }
}

impl Balance {
    fn count(&mut self, file: &FilePatch, what: &Regex) {
        let count = |text: &str| u64::from(what.is_match(text.as_bytes()));
        self.out += deleted(file).map(count).sum::<u64>();
        self.into += added(file).map(|line| count(line.text)).sum::<u64>();
    }

    fn loses(&self) -> bool {
        self.out > self.into
    }
}

/// Checks one change; `moves` covers all changes, so that a test may move between files.
pub(super) fn check(change: &ApprovedChange, file: &FilePatch, moves: &Moves<'_>) -> Vec<Violation> {
    if !is_test(&change.path) {
        return Vec::new();
    }
    if change.after.is_none() {
        return gone(change, file, moves).into_iter().collect();
    }
    let path = &change.path;
    let all = [
        fewer(path, file, &TEST, &moves.tests, "fewer-tests", "tests"),
        fewer(path, file, &CHECK, &moves.checks, "fewer-checks", "lines with checks"),
        looser(path, file),
    ];
    all.into_iter().flatten().collect()
}

/// A deleted test file, unless each of its tests begins in another file that the change touches.
fn gone(change: &ApprovedChange, file: &FilePatch, moves: &Moves<'_>) -> Option<Violation> {
    let mut tests = deleted(file).filter(|text| TEST.is_match(text.as_bytes())).map(str::trim).peekable();
    let elsewhere =
        tests.peek().is_some() && tests.all(|test| moves.added_tests.contains(test)) && !moves.checks.loses();
    let message = "this test file is deleted";
    let hint = "keep the test, or let a person delete it";
    (!elsewhere).then(|| Violation::reject("test-deleted", message, hint).at(&change.path))
}

fn fewer(
    path: &RepoPath,
    file: &FilePatch,
    what: &Regex,
    of_all: &Balance,
    rule: &str,
    name: &str,
) -> Option<Violation> {
    let mut own = Balance::default();
    own.count(file, what);
    let message = format!("{} {name} are removed and {} added", own.out, own.into);
    let hint = "change the code to pass the test, not the test to pass the code";
    (own.loses() && of_all.loses()).then(|| Violation::reject(rule, message, hint).at(path))
}

/// As many checks as before, but fewer against an exact value. That can be right, so it is only a flag.
fn looser(path: &RepoPath, file: &FilePatch) -> Option<Violation> {
    let (mut checks, mut exact) = (Balance::default(), Balance::default());
    checks.count(file, &CHECK);
    exact.count(file, &EXACT);
    let message = format!("{} checks against an exact value are removed and {} added", exact.out, exact.into);
    let hint = "explain why the looser check is enough";
    (exact.loses() && !checks.loses()).then(|| Violation::flag("looser-checks", message, hint).at(path))
}
