//! Tests that would judge less after the change than before: a test file that goes, checks that are taken out.
//! Skipping, reconfiguring and always-true checks are rules as data (`rules/tests.toml`).

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::super::added::{added, deleted};
use super::super::{ApprovedChange, Finding};
use super::language::is_test;
use crate::patch::FilePatch;
use crate::path::RepoPath;

/// A line that checks something.
static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"(?:^|[^\w])(?:assert\w*\b|debug_assert\w*\b|expect\s*\(|should\b|self\.fail\w*\s*\(|pytest\.(?:raises|warns|fail)\b|t\.(?:Errorf?|Fatalf?|Fail(?:Now)?|is|deepEqual|equal|true|false|throws)\s*\(|require\.[A-Z]\w+)",
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

/// Looks at one change among all, so that a test may move.
pub(super) fn check(change: &ApprovedChange, file: &FilePatch, all: &[ApprovedChange]) -> Vec<Finding> {
    if !is_test(&change.path) {
        return Vec::new();
    }
    if change.after.is_none() {
        return gone(change, all).into_iter().collect();
    }
    let mut findings = Vec::new();
    let path = &change.path;
    findings.extend(fewer(path, file, &TEST, "fewer-tests", "tests"));
    findings.extend(fewer(path, file, &CHECK, "fewer-checks", "lines with checks"));
    findings
}

fn gone(change: &ApprovedChange, all: &[ApprovedChange]) -> Option<Finding> {
    let before = change.before.as_ref()?;
    let moved = all.iter().any(|other| {
        let same = other.after.as_ref().is_some_and(|after| after.content == before.content);
        other.before.is_none() && same && is_test(&other.path)
    });
    let message = format!("the test file `{}` is deleted", change.path);
    let hint = "keep the test, or let a person delete it";
    (!moved).then(|| Finding::reject("test-deleted", message, hint).at(&change.path))
}

fn fewer(path: &RepoPath, file: &FilePatch, what: &Regex, rule: &str, name: &str) -> Option<Finding> {
    let count = |text: &str| u64::from(what.is_match(text.as_bytes()));
    let before: u64 = deleted(file).map(count).sum();
    let after: u64 = added(file).map(|line| count(line.text)).sum();
    let message = format!("{before} {name} are taken out of `{path}` and {after} put in");
    let hint = "change the code to pass the test, not the test to pass the code";
    (before > after).then(|| Finding::reject(rule, message, hint).at(path))
}
