//! A test and its subtests that fail in several runs are one finding, which says how often the test failed and whether it passes.

use crate::report::Report;
use crate::tests::{Step, found};

fn of_runs(command: &str, outputs: &[&str], works: bool) -> Vec<Report> {
    let fails: Vec<Step<'_>> = outputs.iter().map(|output| ("Bash", command, Some(*output))).collect();
    let end: &[Step<'_>] = if works { &[("Bash", command, None)] } else { &[] };
    let mut steps = Vec::new();
    for step in fails {
        // Something changes between the runs, or they would be a loop.
        steps.extend([step, ("Edit", "{\"file_path\":\"a\"}", None)]);
    }
    steps.extend(end);
    found(&steps)
}

fn tries_of(report: &Report) -> String {
    let facet = report.facets.iter().find(|facet| facet.name == "attempts");
    facet.map(|facet| facet.values.join(", ")).unwrap_or_default()
}

#[test]
fn subtests_of_one_test_are_one_finding() {
    for (command, outputs, test) in [
        (
            "go test ./...",
            [
                "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b (0.00s)\nFAIL",
                "--- FAIL: TestA/c (0.00s)\nFAIL",
                "--- FAIL: TestA (0.00s)\nFAIL",
            ],
            "`TestA`",
        ),
        (
            "pytest",
            [
                "FAILED t.py::test_a[1] - x\n--- FAIL",
                "FAILED t.py::test_a[2-b] - y\n--- FAIL",
                "FAILED t.py::test_a[3] - z\n--- FAIL",
            ],
            "`t.py::test_a`",
        ),
        (
            "npx vitest run",
            [
                " × src/a.test.ts > cart > adds 12ms\n--- FAIL",
                " × src/a.test.ts > cart > adds 1ms\n--- FAIL",
                " × src/a.test.ts > cart > clears 3ms\n--- FAIL",
            ],
            "`src/a.test.ts > cart > adds`",
        ),
        (
            "gradle test",
            [
                "ATest > Nested > b() FAILED\n--- FAIL",
                "ATest > Nested > c() FAILED\n--- FAIL",
                "ATest > Nested > b() FAILED\n--- FAIL",
            ],
            "`ATest > Nested > b()`",
        ),
        (
            "cargo test",
            [
                "test a::tests::b ... FAILED\n--- FAIL",
                "test a::tests::b ... FAILED\n--- FAIL",
                "test a::tests::c ... FAILED\n--- FAIL",
            ],
            "`a::tests::b`",
        ),
    ] {
        let all = of_runs(command, &outputs, false);
        let one = all.iter().find(|report| report.kind == "failing_tests").unwrap_or_else(|| panic!("{all:#?}"));
        assert_eq!(one.occurrences, 3, "{command}: {}", one.title);
        assert!(!all.iter().any(|report| matches!(report.kind, "different_failures" | "rare_errors")), "{command}");
        let tries = tries_of(one);
        assert!(tries.contains(&format!("{test} failed in ")), "{command}: {tries}");
        assert!(tries.contains("did not work again in the session of the last one"), "{tries}");
        let passed = of_runs(command, &outputs, true);
        let one = passed.iter().find(|report| report.kind == "failing_tests").expect("as before");
        assert!(tries_of(one).contains("worked later in the session of the last one"), "{command}");
    }
}

#[test]
fn tests_that_have_nothing_in_common_do_not_recur() {
    let all = of_runs("go test ./...", &["--- FAIL: TestA (0.01s)\nFAIL", "--- FAIL: TestB (0.01s)\nFAIL"], false);
    assert!(all.iter().all(|report| !tries_of(report).contains("failing runs")), "{all:#?}");
    // Two failures of one run are one run.
    let both = "--- FAIL: TestA/b (0.01s)\n--- FAIL: TestA/c (0.01s)\nFAIL";
    let all = of_runs("go test ./...", &[both], false);
    assert!(all.iter().all(|report| tries_of(report).is_empty()), "{all:#?}");
}

#[test]
fn tests_that_fail_while_code_is_written_come_behind_what_has_an_advice() {
    let edit = ("Edit", "{\"file_path\":\"/w/src/pay.rs\"}", None);
    let test = |error| ("Bash", "pytest -q", Some(error));
    let red = [
        test("FAILED t.py::test_a - assert 1 == 2"),
        edit,
        test("FAILED t.py::test_b - Refused: no"),
        edit,
        test("FAILED u.py::test_c - Ended: early"),
    ];
    let reports = found(&red);
    let own = reports.iter().find(|report| report.kind == "failing_tests").expect("red tests are a finding");
    assert_eq!(own.severity, gephost_gene::Severity::Low);
    assert!(own.confidence < 0.2, "{}", own.confidence);
    let same = [
        test("FAILED t.py::test_a - no"),
        edit,
        test("FAILED t.py::test_a - early"),
        edit,
        test("FAILED t.py::test_a - x"),
    ];
    let reports = found(&same);
    let recurring = reports.iter().find(|report| report.kind == "failing_tests").expect("it is a finding");
    assert!(
        recurring.severity > gephost_gene::Severity::Low && recurring.confidence > 0.2,
        "one test fails again and again"
    );
}
