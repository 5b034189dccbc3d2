//! Weakened tests by language: texts before and after, and what the gate says of them. Beside each there are honest
//! changes of the same tests, about which it says nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use gephost_core::config::AutopilotTable;
use gephost_core::gate::{
    Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Severity, Verdict, review,
};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
use gephost_core::proposal::{Change, Proposal};
use serde::Deserialize;

/// A test file, and changes of it: each a name, what is replaced, and by what.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    path: String,
    text: String,
    weakened: Vec<[String; 3]>,
    honest: Vec<[String; 3]>,
}

/// What the gate says of tests.
const OF_TESTS: &[&str] = &[
    "fewer-checks",
    "fewer-tests",
    "looser-checks",
    "test-always-true",
    "test-compiled-out-go",
    "test-config",
    "test-config-line",
    "test-deleted",
    "test-equals-everything",
    "test-exit",
    "test-failure-caught",
    "test-hook",
    "test-runner",
    "test-skipped",
    "test-skipped-go",
    "test-skipped-js",
    "test-skipped-rs",
    "tests-off",
    "tests-off-rs",
    "weakened-test",
];

fn judge(weakened_tests: TestTreatment, base: &[(&str, &str)], changes: Vec<Change>) -> Verdict {
    let table = PolicyTable {
        allow: vec!["**".to_owned()],
        weakened_tests,
        patterns: Treatment::Allow,
        max_risk: 100,
        ..PolicyTable::default()
    };
    let policy = Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap();
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
    // A gene that always succeeded: nothing but the change adds to the risk.
    review(&candidate, &base, &policy, GeneHistory { tries: 1_000, successes: 1_000 })
}

fn content(path: &str, text: &str) -> Change {
    Change::NewContent { path: path.to_owned(), content: text.into() }
}

fn delete(path: &str) -> Change {
    Change::Delete { path: path.to_owned() }
}

fn of_tests(verdict: &Verdict) -> Vec<String> {
    let told = verdict.violations().filter(|found| OF_TESTS.contains(&found.rule.as_str()));
    told.map(|found| format!("{:?} {}: {found}", found.severity, found.rule)).collect()
}

/// The faults of a case: by default, a weakened test is refused or waits for a person; where the policy flags, it waits, and
/// where the policy rejects, it is refused.
fn fault(name: &str, base: &[(&str, &str)], changes: &[Change], weakened: bool) -> Option<String> {
    let all = [TestTreatment::RejectCertain, TestTreatment::Reject, TestTreatment::Flag];
    let [usual, rejects, flags] = all.map(|by| judge(by, base, changes.to_vec()));
    let told = of_tests(&usual);
    let waits = |verdict: &Verdict| {
        verdict.risk().score > AutopilotTable::default().max_risk
            && verdict.weakens_tests()
            && verdict.violations().all(|found| found.severity == Severity::Flag)
    };
    let is_held = waits(&flags)
        && rejects.decision() == Decision::Reject
        && (waits(&usual) || usual.decision() == Decision::Reject);
    let holds = told.is_empty() != weakened && (!weakened || is_held);
    (!holds).then(|| format!("{name}: weakened should be {weakened}, risk {}: {told:?}", flags.risk().score))
}

fn check(text: &str, least: [usize; 2]) {
    let faults = faults(text, least);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn faults(text: &str, least: [usize; 2]) -> Vec<String> {
    let cases: Cases = toml::from_str(text).unwrap();
    let mut faults = Vec::new();
    for (all, weakened) in [(&cases.weakened, true), (&cases.honest, false)] {
        for [name, old, new] in all {
            assert_eq!(cases.text.matches(old.as_str()).count(), 1, "{name}: {old:?} stands once");
            let after = cases.text.replacen(old.as_str(), new, 1);
            let fault = fault(name, &[(&cases.path, &cases.text)], &[content(&cases.path, &after)], weakened);
            faults.extend(fault.map(|fault| format!("{}: {fault}", cases.path)));
        }
    }
    assert!(cases.weakened.len() >= least[0] && cases.honest.len() >= least[1], "the cases were read");
    faults
}

#[test]
fn tests_in_python() {
    check(include_str!("weakened_cases/python.toml"), [70, 35]);
}

#[test]
fn tests_in_javascript_and_typescript() {
    check(include_str!("weakened_cases/javascript.toml"), [40, 20]);
}

#[test]
fn tests_in_rust() {
    check(include_str!("weakened_cases/rust.toml"), [25, 15]);
}

#[test]
fn tests_in_go() {
    check(include_str!("weakened_cases/go.toml"), [25, 15]);
}

#[test]
fn tests_with_jsx() {
    check(include_str!("weakened_cases/tsx.toml"), [12, 7]);
}

#[test]
fn tests_in_languages_that_are_not_read() {
    check(include_str!("weakened_cases/ruby.toml"), [7, 5]);
    check(include_str!("weakened_cases/java.toml"), [13, 6]);
    check(include_str!("weakened_cases/csharp.toml"), [13, 4]);
    check(include_str!("weakened_cases/php.toml"), [10, 3]);
    check(include_str!("weakened_cases/bats.toml"), [11, 4]);
}

/// Checks that stay where they are and have no effect any more.
#[test]
fn checks_without_effect() {
    check(include_str!("weakened_cases/hollow_pytest.toml"), [4, 4]);
    check(include_str!("weakened_cases/hollow_mocha.toml"), [2, 2]);
    check(include_str!("weakened_cases/hollow_rust.toml"), [3, 3]);
    check(include_str!("weakened_cases/hollow_go.toml"), [2, 2]);
    check(include_str!("weakened_cases/hollow_minitest.toml"), [4, 2]);
    check(include_str!("weakened_cases/hollow_testng.toml"), [2, 2]);
    check(include_str!("weakened_cases/hollow_xunit.toml"), [4, 3]);
    check(include_str!("weakened_cases/hollow_kotest.toml"), [5, 3]);
}

/// Loops that try less, tests that make what they ask for, and what says the same in other words.
#[test]
fn tests_that_do_less_than_they_say() {
    let all = [
        (include_str!("weakened_cases/rounds_pytest.toml"), [11, 6]),
        (include_str!("weakened_cases/rounds_tap.toml"), [5, 4]),
        (include_str!("weakened_cases/rounds_mocha.toml"), [3, 3]),
        (include_str!("weakened_cases/rounds_perl.toml"), [3, 2]),
        (include_str!("weakened_cases/rounds_rust.toml"), [4, 2]),
        (include_str!("weakened_cases/rounds_go.toml"), [3, 2]),
        (include_str!("weakened_cases/rounds_phpunit.toml"), [3, 4]),
        (include_str!("weakened_cases/rounds_rspec.toml"), [2, 2]),
        (include_str!("weakened_cases/rounds_junit.toml"), [2, 4]),
        (include_str!("weakened_cases/rounds_testthat.toml"), [2, 3]),
    ];
    for (text, least) in all {
        check(text, least);
    }
}

/// Cases by framework: what the wider rules find, and honest changes of the same tests.
#[test]
fn tests_of_many_frameworks() {
    let all = [
        (include_str!("weakened_cases/pytest_more.toml"), [4, 5]),
        (include_str!("weakened_cases/unittest_more.toml"), [1, 5]),
        (include_str!("weakened_cases/jest_rtl_more.toml"), [3, 3]),
        (include_str!("weakened_cases/mocha_chai_more.toml"), [2, 5]),
        (include_str!("weakened_cases/go_more.toml"), [2, 5]),
        (include_str!("weakened_cases/cargo_more.toml"), [3, 6]),
        (include_str!("weakened_cases/junit_more.toml"), [5, 3]),
        (include_str!("weakened_cases/rspec_more.toml"), [2, 4]),
        (include_str!("weakened_cases/phpunit_more.toml"), [2, 5]),
        (include_str!("weakened_cases/xunit_more.toml"), [2, 4]),
        (include_str!("weakened_cases/playwright_more.toml"), [1, 4]),
        (include_str!("weakened_cases/gtest_more.toml"), [3, 3]),
        (include_str!("weakened_cases/xctest_more.toml"), [1, 2]),
        (include_str!("weakened_cases/nunit_more.toml"), [3, 2]),
        (include_str!("weakened_cases/flutter_more.toml"), [1, 2]),
        (include_str!("weakened_cases/kotest_more.toml"), [1, 1]),
        (include_str!("weakened_cases/spock_more.toml"), [1, 1]),
        (include_str!("weakened_cases/ginkgo_more.toml"), [3, 2]),
        (include_str!("weakened_cases/cypress_more.toml"), [3, 2]),
        (include_str!("weakened_cases/shop_pytest.toml"), [20, 43]),
        (include_str!("weakened_cases/shop_unittest.toml"), [15, 20]),
        (include_str!("weakened_cases/shop_vitest.toml"), [18, 25]),
        (include_str!("weakened_cases/shop_node.toml"), [6, 17]),
        (include_str!("weakened_cases/shop_playwright.toml"), [4, 12]),
        (include_str!("weakened_cases/shop_rust.toml"), [16, 19]),
        (include_str!("weakened_cases/shop_go.toml"), [7, 21]),
        (include_str!("weakened_cases/shop_kotlin.toml"), [9, 14]),
        (include_str!("weakened_cases/shop_java.toml"), [21, 20]),
        (include_str!("weakened_cases/shop_minitest.toml"), [19, 17]),
        (include_str!("weakened_cases/shop_phpunit.toml"), [7, 16]),
        (include_str!("weakened_cases/shop_xunit.toml"), [10, 18]),
        (include_str!("weakened_cases/shop_rspec.toml"), [10, 15]),
    ];
    for (text, least) in all {
        check(text, least);
    }
}

/// Ways to weaken a test that are the same in all languages.
#[test]
fn ways_of_all_languages() {
    let all = [
        (include_str!("weakened_cases/ways_pytest.toml"), [21, 16]),
        (include_str!("weakened_cases/ways_mocha.toml"), [11, 7]),
        (include_str!("weakened_cases/ways_go.toml"), [5, 4]),
        (include_str!("weakened_cases/ways_phpunit.toml"), [3, 4]),
        (include_str!("weakened_cases/ways_minitest.toml"), [3, 3]),
        (include_str!("weakened_cases/ways_perl.toml"), [2, 2]),
        (include_str!("weakened_cases/ways_tasty.toml"), [1, 1]),
        (include_str!("weakened_cases/ways_rust.toml"), [3, 3]),
        (include_str!("weakened_cases/ways_bats.toml"), [2, 3]),
        (include_str!("weakened_cases/ways_junit.toml"), [3, 3]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Changed lines of frameworks that no rule knows by name: what they lose has to be shown to be neutral.
#[test]
fn changed_lines_that_are_not_proved() {
    let all = [
        (include_str!("weakened_cases/unproved_robot.toml"), [4, 4]),
        (include_str!("weakened_cases/unproved_boost.toml"), [5, 4]),
        (include_str!("weakened_cases/unproved_zig.toml"), [3, 3]),
        (include_str!("weakened_cases/unproved_tasty.toml"), [4, 3]),
        (include_str!("weakened_cases/unproved_matlab.toml"), [4, 3]),
        (include_str!("weakened_cases/unproved_fortran.toml"), [4, 3]),
        (include_str!("weakened_cases/unproved_fiveam.toml"), [3, 3]),
        (include_str!("weakened_cases/unproved_tcltest.toml"), [3, 3]),
        (include_str!("weakened_cases/unproved_helm.toml"), [3, 3]),
        (include_str!("weakened_cases/unproved_filecheck.toml"), [5, 2]),
        (include_str!("weakened_cases/unproved_shellspec.toml"), [4, 3]),
        (include_str!("weakened_cases/unproved_nsubstitute.toml"), [4, 4]),
        (include_str!("weakened_cases/unproved_truth.toml"), [5, 5]),
        (include_str!("weakened_cases/unproved_quicktest.toml"), [5, 4]),
        (include_str!("weakened_cases/unproved_ava.toml"), [7, 5]),
        (include_str!("weakened_cases/unproved_k6.toml"), [4, 3]),
    ];
    for (text, least) in all {
        check(text, least);
    }
}

/// Tests that answer themselves what they ask, or no longer do what they check, in files that are known by their name or by
/// what stands in them.
#[test]
fn tests_that_answer_themselves() {
    let all = [
        (include_str!("weakened_cases/answered_pytest.toml"), [3, 9]),
        (include_str!("weakened_cases/answered_vitest.toml"), [1, 9]),
        (include_str!("weakened_cases/answered_go.toml"), [4, 5]),
        (include_str!("weakened_cases/answered_junit.toml"), [2, 6]),
        (include_str!("weakened_cases/answered_rust.toml"), [2, 6]),
        (include_str!("weakened_cases/answered_rspec.toml"), [1, 6]),
        (include_str!("weakened_cases/answered_phpunit.toml"), [1, 5]),
        (include_str!("weakened_cases/answered_xunit.toml"), [3, 6]),
        (include_str!("weakened_cases/answered_gtest.toml"), [1, 5]),
        (include_str!("weakened_cases/answered_mockk.toml"), [3, 4]),
        (include_str!("weakened_cases/answered_xctest.toml"), [3, 4]),
        (include_str!("weakened_cases/answered_bats.toml"), [4, 2]),
        (include_str!("weakened_cases/answered_snapshot.toml"), [1, 2]),
        (include_str!("weakened_cases/answered_wdio.toml"), [2, 4]),
        (include_str!("weakened_cases/answered_molecule.toml"), [1, 2]),
        (include_str!("weakened_cases/answered_gut.toml"), [1, 3]),
        (include_str!("weakened_cases/answered_postman.toml"), [1, 2]),
        (include_str!("weakened_cases/answered_moonbit.toml"), [2, 2]),
        (include_str!("weakened_cases/answered_karate.toml"), [2, 3]),
        (include_str!("weakened_cases/answered_fake.toml"), [2, 2]),
        (include_str!("weakened_cases/answered_venom.toml"), [3, 2]),
        (include_str!("weakened_cases/answered_serverspec.toml"), [1, 3]),
        (include_str!("weakened_cases/answered_testcafe.toml"), [1, 3]),
    ];
    for (text, least) in all {
        check(text, least);
    }
}

/// Frameworks of further languages, and ways to ask for less that a framework has to itself.
#[test]
fn tests_at_the_corners() {
    let all = [
        (include_str!("weakened_cases/corner_exunit.toml"), [5, 5]),
        (include_str!("weakened_cases/corner_pester.toml"), [5, 4]),
        (include_str!("weakened_cases/corner_testthat.toml"), [4, 4]),
        (include_str!("weakened_cases/corner_scalatest.toml"), [5, 4]),
        (include_str!("weakened_cases/corner_clojure.toml"), [4, 4]),
        (include_str!("weakened_cases/corner_perl.toml"), [4, 4]),
        (include_str!("weakened_cases/corner_julia.toml"), [5, 4]),
        (include_str!("weakened_cases/corner_zig.toml"), [4, 3]),
        (include_str!("weakened_cases/corner_busted.toml"), [3, 3]),
        (include_str!("weakened_cases/corner_deno.toml"), [4, 4]),
        (include_str!("weakened_cases/corner_qunit.toml"), [5, 4]),
        (include_str!("weakened_cases/corner_hspec.toml"), [4, 3]),
        (include_str!("weakened_cases/corner_robot.toml"), [4, 3]),
        (include_str!("weakened_cases/corner_cmp.toml"), [4, 5]),
        (include_str!("weakened_cases/corner_page.toml"), [3, 5]),
        (include_str!("weakened_cases/corner_phpunit_rows.toml"), [4, 5]),
        (include_str!("weakened_cases/corner_junit_rows.toml"), [3, 3]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Other spellings of a line, and the same check in the words of another library, are no loss; what asks for less is, in those
/// words as well.
#[test]
fn tests_that_say_the_same_in_other_words() {
    let all = [
        (include_str!("weakened_cases/same_csharp.toml"), [8, 15]),
        (include_str!("weakened_cases/same_go.toml"), [6, 11]),
        (include_str!("weakened_cases/same_gomega.toml"), [4, 5]),
        (include_str!("weakened_cases/same_gtest.toml"), [7, 12]),
        (include_str!("weakened_cases/same_java.toml"), [14, 20]),
        (include_str!("weakened_cases/same_js.toml"), [9, 15]),
        (include_str!("weakened_cases/same_kotlin.toml"), [4, 6]),
        (include_str!("weakened_cases/same_phpunit.toml"), [9, 16]),
        (include_str!("weakened_cases/same_pytest.toml"), [7, 19]),
        (include_str!("weakened_cases/same_ruby.toml"), [5, 7]),
        (include_str!("weakened_cases/same_rust.toml"), [9, 7]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Tests that stay in the file and no longer run, tests without a check that are gone, and rows of lists that go over lines.
#[test]
fn tests_and_rows_that_are_gone() {
    let all = [
        (include_str!("weakened_cases/gone_pytest.toml"), [8, 5]),
        (include_str!("weakened_cases/gone_rust.toml"), [7, 4]),
        (include_str!("weakened_cases/gone_vitest.toml"), [5, 4]),
        (include_str!("weakened_cases/gone_go.toml"), [5, 3]),
        (include_str!("weakened_cases/gone_junit.toml"), [5, 2]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Kinds of honest changes that releases of packages have, each beside changes that weaken the same tests.
#[test]
fn kinds_of_honest_changes() {
    let all = [
        (include_str!("weakened_cases/kinds_cpp.toml"), [5, 8]),
        (include_str!("weakened_cases/kinds_java.toml"), [4, 6]),
        (include_str!("weakened_cases/kinds_php.toml"), [3, 2]),
        (include_str!("weakened_cases/kinds_junit.toml"), [5, 7]),
        (include_str!("weakened_cases/kinds_perl.toml"), [2, 1]),
        (include_str!("weakened_cases/kinds_tap.toml"), [2, 1]),
        (include_str!("weakened_cases/kinds_go.toml"), [1, 1]),
        (include_str!("weakened_cases/kinds_rust_marks.toml"), [4, 4]),
        (include_str!("weakened_cases/kinds_pytest_marks.toml"), [2, 2]),
        (include_str!("weakened_cases/kinds_exunit.toml"), [3, 3]),
        (include_str!("weakened_cases/kinds_python.toml"), [3, 3]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn tests_in_further_styles() {
    let all = [
        (include_str!("weakened_cases/style_gocheck.toml"), [5, 6]),
        (include_str!("weakened_cases/style_convey.toml"), [4, 4]),
        (include_str!("weakened_cases/style_tape.toml"), [6, 5]),
        (include_str!("weakened_cases/style_pest.toml"), [7, 5]),
        (include_str!("weakened_cases/style_catch2.toml"), [8, 6]),
        (include_str!("weakened_cases/style_swift.toml"), [7, 5]),
        (include_str!("weakened_cases/style_eunit.toml"), [6, 4]),
        (include_str!("weakened_cases/style_foundry.toml"), [8, 5]),
        (include_str!("weakened_cases/style_munit.toml"), [8, 5]),
        (include_str!("weakened_cases/style_unity.toml"), [6, 5]),
        (include_str!("weakened_cases/waits_dart.toml"), [1, 1]),
        (include_str!("weakened_cases/waits_xctest.toml"), [1, 1]),
        (include_str!("weakened_cases/waits_xunit.toml"), [2, 2]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Frameworks whose words no rule knows: what a changed line lost and gained decides.
#[test]
fn tests_by_the_words_of_their_lines() {
    let all = [
        (include_str!("weakened_cases/words_ledger.toml"), [7, 7]),
        (include_str!("weakened_cases/words_hypothesis.toml"), [6, 5]),
        (include_str!("weakened_cases/words_behave.toml"), [3, 3]),
        (include_str!("weakened_cases/words_vitest.toml"), [8, 6]),
        (include_str!("weakened_cases/words_checkout.toml"), [6, 4]),
        (include_str!("weakened_cases/words_node.toml"), [3, 3]),
        (include_str!("weakened_cases/words_go.toml"), [10, 6]),
        (include_str!("weakened_cases/words_rust.toml"), [7, 6]),
        (include_str!("weakened_cases/words_junit.toml"), [9, 6]),
        (include_str!("weakened_cases/words_kotest.toml"), [6, 3]),
        (include_str!("weakened_cases/words_unity.toml"), [7, 4]),
        (include_str!("weakened_cases/words_catch2.toml"), [6, 4]),
        (include_str!("weakened_cases/words_rspec.toml"), [8, 4]),
        (include_str!("weakened_cases/words_pest.toml"), [7, 4]),
        (include_str!("weakened_cases/words_swift.toml"), [6, 4]),
        (include_str!("weakened_cases/words_gleam.toml"), [5, 2]),
        (include_str!("weakened_cases/words_luau.toml"), [4, 2]),
        (include_str!("weakened_cases/words_alcotest.toml"), [5, 3]),
        (include_str!("weakened_cases/words_hurl.toml"), [5, 3]),
        (include_str!("weakened_cases/words_foundry.toml"), [7, 4]),
        (include_str!("weakened_cases/words_expecto.toml"), [6, 3]),
        (include_str!("weakened_cases/words_terraform.toml"), [4, 3]),
        (include_str!("weakened_cases/words_cypress.toml"), [4, 3]),
        (include_str!("weakened_cases/words_elm.toml"), [4, 3]),
        (include_str!("weakened_cases/words_chai.toml"), [6, 4]),
        (include_str!("weakened_cases/words_nim.toml"), [5, 3]),
        (include_str!("weakened_cases/words_bruno.toml"), [4, 3]),
        (include_str!("weakened_cases/words_testng.toml"), [7, 4]),
        (include_str!("weakened_cases/words_rails.toml"), [4, 4]),
        (include_str!("weakened_cases/words_pgtap.toml"), [3, 2]),
        (include_str!("weakened_cases/words_xcuitest.toml"), [3, 3]),
        (include_str!("weakened_cases/words_respx.toml"), [5, 4]),
        (include_str!("weakened_cases/words_vlang.toml"), [4, 2]),
        (include_str!("weakened_cases/words_compose.toml"), [7, 3]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// What a check asks for, ranked: a value in place of a kind, a bound, or nothing; and what a test tries.
#[test]
fn tests_that_ask_for_less() {
    let all = [
        (include_str!("weakened_cases/asked_assert_cmd.toml"), [6, 3]),
        (include_str!("weakened_cases/asked_assertj.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_bats.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_chai.toml"), [3, 3]),
        (include_str!("weakened_cases/asked_clojure.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_cypress.toml"), [3, 3]),
        (include_str!("weakened_cases/asked_dart.toml"), [3, 3]),
        (include_str!("weakened_cases/asked_django.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_elm.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_exunit.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_fastcheck.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_gmock.toml"), [3, 3]),
        (include_str!("weakened_cases/asked_go.toml"), [6, 3]),
        (include_str!("weakened_cases/asked_gomega.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_jest.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_julia.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_minitest.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_mockk.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_moq.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_munit.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_perl.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_pgtap.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_phpunit.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_racket.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_rspec.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_spock.toml"), [4, 3]),
        (include_str!("weakened_cases/asked_syrupy.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_tap.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_testify.toml"), [3, 3]),
        (include_str!("weakened_cases/asked_testthat.toml"), [1, 3]),
        (include_str!("weakened_cases/asked_unittest.toml"), [2, 3]),
        (include_str!("weakened_cases/asked_xctest.toml"), [3, 3]),
    ];
    let faults: Vec<String> = all.into_iter().flat_map(|(text, least)| faults(text, least)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

const PYTHON: &str = "def test_one():\n    assert f(1) == 1\n\n\ndef test_two():\n    assert f(2) == 2\n";

/// A name, the files before, the changes, and whether a test is weakened.
type Move = (&'static str, &'static [(&'static str, &'static str)], Vec<Change>, bool);

#[test]
fn tests_move_between_files_but_not_out_of_sight() {
    const ONE: &[(&str, &str)] = &[("tests/test_a.py", PYTHON)];
    const JEST: &[(&str, &str)] = &[("src/a.test.js", "it('a', () => {\n  expect(f()).toBe(1);\n});\n")];
    const LIB: &[(&str, &str)] = &[("src/lib.rs", "pub mod sums;\n#[cfg(test)]\nmod tests;\n")];
    const GO: &[(&str, &str)] =
        &[("a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal()\n\t}\n}\n")];
    let moved = |files: &[(&str, &str)], to: &str| vec![delete(files[0].0), content(to, files[0].1)];
    let (first, second) = PYTHON.split_at(PYTHON.find("\n\n\n").unwrap() + 3);
    let parametrized = "@pytest.mark.parametrize('n', [1, 2])\ndef test_all(n):\n    assert f(n) == n\n";
    let cases: Vec<Move> = vec![
        ("renamed", ONE, moved(ONE, "tests/test_b.py"), false),
        ("into a folder", ONE, moved(ONE, "tests/unit/test_a.py"), false),
        ("the other convention", ONE, moved(ONE, "tests/a_test.py"), false),
        ("a name that is not found", ONE, moved(ONE, "tests/a_checks.py"), true),
        ("a hidden folder", ONE, moved(ONE, "tests/.old/test_a.py"), true),
        ("a folder that is passed over", ONE, moved(ONE, "tests/_disabled/test_a.py"), true),
        ("another extension", ONE, moved(ONE, "tests/test_a.py.txt"), true),
        ("into the docs", ONE, moved(ONE, "docs/test_a.md"), true),
        ("deleted", ONE, vec![delete("tests/test_a.py")], true),
        (
            "deleted beside a new one",
            ONE,
            vec![
                delete("tests/test_a.py"),
                content(
                    "tests/test_b.py",
                    "def test_x():\n    assert 1 == g()\n    assert 2 == g()\n\n\ndef test_y():\n    assert 3 == g()\n",
                ),
            ],
            true,
        ),
        (
            "one moved to another file",
            ONE,
            vec![content("tests/test_a.py", first), content("tests/test_c.py", second)],
            false,
        ),
        (
            "one moved, and emptied",
            ONE,
            vec![content("tests/test_a.py", first), content("tests/test_c.py", "def test_two():\n    f(2)\n")],
            true,
        ),
        (
            "cases in another file",
            ONE,
            vec![delete("tests/test_a.py"), content("tests/test_all.py", parametrized)],
            false,
        ),
        ("cases in the file", ONE, vec![content("tests/test_a.py", parametrized)], false),
        ("emptied", ONE, vec![content("tests/test_a.py", "x = 1\n")], true),
        ("jest, renamed", JEST, moved(JEST, "src/b.spec.js"), false),
        ("jest, out of sight", JEST, moved(JEST, "src/tests.disabled/a.js"), true),
        ("rust, a module that is not compiled", LIB, vec![content("src/lib.rs", "pub mod sums;\n")], true),
        (
            "rust, one more module",
            LIB,
            vec![content("src/lib.rs", "pub mod sums;\npub mod means;\n#[cfg(test)]\nmod tests;\n")],
            false,
        ),
        ("go, renamed", GO, moved(GO, "b_test.go"), false),
        ("go, out of sight", GO, moved(GO, "a_tests.go"), true),
        ("a new file", ONE, vec![content("tests/test_new.py", "def test_new():\n    assert f(3) == 3\n")], false),
        ("a new file that ends the process", ONE, vec![content("tests/test_new.py", "import os\nos._exit(0)\n")], true),
    ];
    let faults: Vec<String> =
        cases.iter().filter_map(|(name, base, changes, weakened)| fault(name, base, changes, *weakened)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_condition_of_many_negations_ends_no_stack() {
    for condition in ["not ".repeat(100_000) + "x", "not (".repeat(20_000) + "x" + &")".repeat(20_000)] {
        let after = format!("def test_one():\n    if {condition}:\n        assert f(1) == 1\n");
        let verdict =
            judge(TestTreatment::Flag, &[("tests/test_a.py", PYTHON)], vec![content("tests/test_a.py", &after)]);
        assert!(!of_tests(&verdict).is_empty());
    }
}

#[test]
fn the_weakened_tests_are_named_for_the_validation() {
    let after = PYTHON.replace("    assert f(2) == 2\n", "    return\n    assert f(2) == 2\n");
    for treatment in [TestTreatment::Flag, TestTreatment::Allow] {
        let verdict = judge(treatment, &[("tests/test_a.py", PYTHON)], vec![content("tests/test_a.py", &after)]);
        let weakened = verdict.approved().unwrap().weakened();
        let names: Vec<_> = weakened.iter().map(|test| (test.path.as_str(), test.name.as_deref())).collect();
        assert_eq!(names, [("tests/test_a.py", Some("test_two"))]);
    }
    let fine = judge(TestTreatment::Flag, &[("tests/test_a.py", PYTHON)], vec![content("src/a.py", "x = 1\n")]);
    assert!(fine.approved().unwrap().weakened().is_empty());
}
