//! Layer 4 by data: single lines and whole texts, both verdicts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use gephost_core::gate::{
    Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Verdict, review, scan_patterns,
};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
use gephost_core::proposal::{Change, Proposal};
use proptest::prelude::*;
use serde::Deserialize;

fn scan(path: &str, text: &str) -> Vec<(String, Option<u64>)> {
    let violations = scan_patterns(&RepoPath::new(path).unwrap(), text);
    violations.into_iter().map(|violation| (violation.rule, violation.line)).collect()
}

#[test]
fn a_text_is_scanned_as_if_it_were_added() {
    assert_eq!(scan("src/a.py", "import os\nos.system('ls')\n"), [("py-os-process".to_owned(), Some(2))]);
    assert_eq!(scan("src/a.py", ""), []);
    assert_eq!(scan("docs/a.md", "never call eval(x)\n"), []);
    // What only a change can show: nothing.
    assert_eq!(scan("conftest.py", "x = 1\n"), []);
    assert_eq!(scan("requirements.txt", "requests==2.32.0\n"), []);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    file: Vec<TextsOfFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextsOfFile {
    path: String,
    #[serde(default)]
    pass: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
}

fn policy() -> Policy {
    let table = PolicyTable { allow: vec!["**".to_owned()], ..PolicyTable::default() };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

/// The gate's word on changes to these files of a base.
fn judge(base: &[(&str, &str)], changes: Vec<Change>, history: GeneHistory) -> Verdict {
    judge_by(&policy(), base, changes, history)
}

fn judge_by(policy: &Policy, base: &[(&str, &str)], changes: Vec<Change>, history: GeneHistory) -> Verdict {
    let candidate = ParsedChange::read(Proposal { changes, ..Proposal::from_diff("") });
    let entry = |(path, text): &(&str, &str)| {
        let blob = BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) };
        (RepoPath::new(path).unwrap(), BaseEntry::Blob(blob))
    };
    let base = Base {
        commit: "0".repeat(40),
        entries: base.iter().map(entry).collect(),
        case_collisions: Vec::new(),
        unsearched: 0,
    };
    review(&candidate, &base, policy, history)
}

/// The policy that also refuses what is usually only flagged of tests.
fn strict() -> Policy {
    let weakened_tests = TestTreatment::Reject;
    let table = PolicyTable { allow: vec!["**".to_owned()], weakened_tests, ..PolicyTable::default() };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn content(path: &str, text: &str) -> Change {
    Change::NewContent { path: path.to_owned(), content: text.into() }
}

fn reasons(verdict: &Verdict) -> Vec<String> {
    verdict.reasons().map(|violation| violation.rule.clone()).collect()
}

#[test]
fn texts_of_new_files() {
    let texts: Texts = toml::from_str(include_str!("pattern_cases/texts.toml")).unwrap();
    let (mut faults, mut counts) = (Vec::new(), [0, 0]);
    for file in &texts.file {
        let both = [(Decision::Pass, &file.pass), (Decision::Reject, &file.reject)];
        for (at, (expected, texts)) in both.into_iter().enumerate() {
            for text in texts {
                counts[at] += 1;
                let change = vec![content(&file.path, &format!("{text}\n"))];
                let verdict = judge_by(&strict(), &[], change, GeneHistory::default());
                if verdict.decision() != expected {
                    faults.push(format!("{}: {text:?} should {expected:?}: {:?}", file.path, reasons(&verdict)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults of {counts:?}:\n{}", faults.len(), faults.join("\n"));
    assert!(counts[0] >= 150 && counts[1] >= 150, "the cases were read: {counts:?}");
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Comments {
    language: Vec<CommentsOfLanguage>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommentsOfLanguage {
    path: String,
    codes: Vec<String>,
    runs: Vec<String>,
    #[serde(default)]
    rests: Vec<String>,
}

#[test]
fn a_comment_is_what_the_language_says_is_a_comment() {
    let comments: Comments = toml::from_str(include_str!("pattern_cases/comments.toml")).unwrap();
    let (mut faults, mut counts) = (Vec::new(), [0, 0]);
    for language in &comments.language {
        let both = [(Decision::Pass, &language.rests), (Decision::Reject, &language.runs)];
        for (at, (expected, forms)) in both.into_iter().enumerate() {
            for (form, code) in forms.iter().flat_map(|form| language.codes.iter().map(move |code| (form, code))) {
                counts[at] += 1;
                let text = format!("{}\n", form.replace("CODE", code));
                let change = vec![content(&language.path, &text)];
                let verdict = judge_by(&strict(), &[], change, GeneHistory::default());
                if verdict.decision() != expected {
                    faults.push(format!("{}: {text:?} should {expected:?}: {:?}", language.path, reasons(&verdict)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults of {counts:?}:\n{}", faults.len(), faults.join("\n"));
    assert!(counts[0] >= 100 && counts[1] >= 180, "the cases were read: {counts:?}");
}

#[test]
fn a_refused_dependency_names_the_line_that_leaves_it_to_a_person_and_a_flagged_one_does_not() {
    let line = "set `new_dependencies = \"flag\"` in `[policy]`";
    for (path, text) in [
        ("package.json", "{\"dependencies\": {\"left\": \"1\"}}"),
        ("Cargo.lock", "version = 4\n"),
        ("Dockerfile", "RUN pip install left\n"),
    ] {
        for treatment in [Treatment::Reject, Treatment::Flag] {
            let table =
                PolicyTable { allow: vec!["**".to_owned()], new_dependencies: treatment, ..PolicyTable::default() };
            let policy = Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap();
            let verdict = judge_by(&policy, &[], vec![content(path, text)], GeneHistory::default());
            let hints: Vec<_> = verdict.violations().map(|violation| violation.hint.as_str()).collect();
            let is_refused = treatment == Treatment::Reject;
            assert_eq!(hints.iter().any(|hint| hint.contains(line)), is_refused, "{path}: {hints:?}");
            assert!(is_refused || hints.contains(&"review what the dependency adds"), "{path}: {hints:?}");
        }
    }
}

const OLD_TEST: &str = "def test_one():\n    assert f(1) == 1\n\n\ndef test_two():\n    assert f(2) == 2\n";

#[test]
fn tests_may_move_and_get_stricter_but_not_fewer() {
    let base = [("tests/test_a.py", OLD_TEST)];
    let delete = || Change::Delete { path: "tests/test_a.py".to_owned() };
    let rewritten = |text: &str| vec![content("tests/test_a.py", text)];
    let passes = [
        ("renamed", vec![delete(), content("tests/test_b.py", OLD_TEST)]),
        ("renamed and extended", vec![delete(), content("tests/unit/test_b.py", &format!("{OLD_TEST}\nX = 1\n"))]),
        ("stricter", rewritten(&OLD_TEST.replace("f(2) == 2", "f(2) == 2 and g(2) == 3"))),
        ("another value", rewritten(&OLD_TEST.replace("f(2) == 2", "f(2) == 4"))),
        ("another name", rewritten(&OLD_TEST.replace("test_two", "test_second"))),
        ("one more", rewritten(&format!("{OLD_TEST}\n\ndef test_three():\n    assert f(3) == 3\n"))),
        (
            "moved between files",
            vec![
                content("tests/test_a.py", "def test_one():\n    assert f(1) == 1\n"),
                content("tests/test_c.py", "def test_two():\n    assert f(2) == 2\n"),
            ],
        ),
    ];
    for (name, changes) in passes {
        let verdict = judge(&base, changes, GeneHistory::default());
        assert_eq!(verdict.decision(), Decision::Pass, "{name}: {:?}", reasons(&verdict));
    }
    let rejects = [
        ("deleted", vec![delete()], "test-deleted"),
        (
            "deleted beside another",
            vec![delete(), content("tests/test_b.py", "def test_x():\n    assert 1 == f()\n")],
            "test-deleted",
        ),
        ("always true", rewritten(&OLD_TEST.replace("assert f(2) == 2", "assert True")), "test-always-true"),
    ];
    for (name, changes, rule) in rejects {
        let verdict = judge(&base, changes, GeneHistory::default());
        assert!(reasons(&verdict).iter().any(|found| found == rule), "{name}: {:?}", reasons(&verdict));
    }
    let flags = [
        ("one less", "def test_one():\n    assert f(1) == 1\n".to_owned()),
        ("no check", OLD_TEST.replace("assert f(2) == 2", "f(2)")),
        ("emptied", "x = 1\n".to_owned()),
    ];
    for (name, text) in flags {
        let verdict = judge(&base, rewritten(&text), GeneHistory::default());
        assert!(verdict.weakens_tests() && reasons(&verdict).is_empty(), "{name}: {:?}", reasons(&verdict));
    }
    let looser = judge(&base, rewritten(&OLD_TEST.replace("assert f(2) == 2", "assert f(2)")), GeneHistory::default());
    assert!(looser.violations().any(|violation| violation.rule == "looser-checks"));
}

#[test]
fn without_a_commit_a_diff_is_judged_as_it_stands_and_nothing_is_approved() {
    let judged = |diff: &str| {
        let candidate = ParsedChange::read(Proposal::from_diff(diff));
        review(&candidate, &Base::assumed(&candidate), &policy(), GeneHistory::default())
    };
    let fine =
        judged("--- a/src/a.py\n+++ b/src/a.py\n@@ -40,3 +40,3 @@\n def f():\n-    return 1\n+    return 2\n x = 1\n");
    assert_eq!((fine.decision(), fine.approved().is_some()), (Decision::Pass, false));
    assert!(fine.violations().any(|violation| violation.rule == "no-base"));
    assert!(fine.diff().contains("+    return 2"));
    let bad = judged("--- a/src/a.py\n+++ b/src/a.py\n@@ -40,2 +40,3 @@\n def f():\n+    eval(x)\n     return 1\n");
    assert_eq!(reasons(&bad), ["py-eval"]);
    let far = judged("--- a/a.txt\n+++ b/a.txt\n@@ -4000000000,1 +4000000000,1 @@\n-x\n+y\n");
    assert_eq!(far.decision(), Decision::Reject, "so many lines are not made up");
    let gone = judged("--- a/tests/test_a.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def test_a():\n-    assert f() == 1\n");
    assert_eq!(reasons(&gone), ["test-deleted"]);
}

fn score(changes: Vec<Change>, history: GeneHistory) -> u8 {
    let verdict = judge(&[("src/old.py", "x = 1\n")], changes, history);
    let sum: u32 = verdict.risk().parts.iter().map(|part| u32::from(part.points)).sum();
    assert_eq!(u32::from(verdict.risk().score), sum.min(100), "the parts are the score");
    verdict.risk().score
}

proptest! {
    #[test]
    fn more_of_anything_is_never_less_risk(lines in 1_usize..200, files in 1_usize..12, tries in 0_u32..20, held in 0_u32..20) {
        let held = held.min(tries);
        let history = GeneHistory { tries, successes: held };
        let make = |lines: usize, files: usize| -> Vec<Change> {
            (0..files).map(|n| content(&format!("src/n{n}.py"), &"x = 1\n".repeat(lines))).collect()
        };
        let here = score(make(lines, files), history);
        prop_assert!(here <= score(make(lines + 40, files), history));
        prop_assert!(here <= score(make(lines, files + 1), history));
        let mut worse = make(lines, files);
        worse.push(Change::Delete { path: "src/old.py".to_owned() });
        prop_assert!(here <= score(worse, history));
        let mut odd = make(lines, files);
        odd.push(content("src/net.py", "requests.get(u)\n"));
        prop_assert!(here <= score(odd, history));
        let failed_again = score(make(lines, files), GeneHistory { tries: tries + 1, successes: held });
        let held_again = score(make(lines, files), GeneHistory { tries: tries + 1, successes: held + 1 });
        prop_assert!(held_again <= here && here <= failed_again);
    }
}
