//! What validation shows, by name: tests that are fixed, still fail, fail newly or are flaky, in the report, for a person
//! and for a program.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n[validation]\n";
/// What is changed, and tested.
const VALUE: &str = "VALUE = 1\n";
const TESTS: &str = "import unittest\nimport value\n\n\nclass T(unittest.TestCase):\n    def test_two(self):\n        \
                     self.assertEqual(value.VALUE, 2)\n\n    def test_odd(self):\n        self.assertIn(value.VALUE, (1, 2))\n\n    \
                     def test_other(self):\n        self.assertEqual(1, OTHER)\n";

fn change(to: u32) -> String {
    format!("--- a/value.py\n+++ b/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = {to}\n")
}

/// Applies the change of the value to a project with these files; gives the exit code, the document and the page.
fn apply(commands: &str, files: &[(&str, &str)], to: u32) -> (i32, Value) {
    let env = TestEnv::new();
    let config = format!("{CONFIG}{commands}");
    let project =
        TestProject::new(&env, &[&[("gephost.toml", config.as_str()), ("value.py", VALUE)][..], files].concat());
    project.write("change.diff", &change(to));
    let (document, code) = env.json(project.root(), &["apply", "change.diff", "--apply"]);
    (code, document["applied"].clone())
}

#[test]
fn tests_are_told_by_name() {
    if !crate::scene::python() {
        return;
    }
    let commands = "commands = [\"python3 -m unittest -v\"]\nreruns = 0\n";
    let tests = |other: &str| TESTS.replace("OTHER", other);
    let (code, applied) = apply(commands, &[("test_value.py", &tests("1"))], 2);
    assert_eq!((code, &applied["decision"]), (0, &json!("fixed")), "{applied:#}");
    let named = &applied["commands"][0]["tests"];
    assert_eq!(named["fixed"], json!(["test_value.T.test_two"]), "{applied:#}");
    assert_eq!(named["unchanged"], 2);

    let (code, applied) = apply(commands, &[("test_value.py", &tests("2"))], 2);
    assert_eq!((code, &applied["decision"]), (5, &json!("improved")), "{applied:#}");
    let named = &applied["commands"][0]["tests"];
    assert_eq!(named["still_failing"], json!(["test_value.T.test_other"]), "{applied:#}");

    let (code, applied) = apply(commands, &[("test_value.py", &tests("1"))], 3);
    assert_eq!((code, &applied["decision"]), (5, &json!("newly_failing")), "{applied:#}");
    let named = &applied["commands"][0]["tests"];
    assert_eq!(named["newly_failing"], json!(["test_value.T.test_odd"]), "{applied:#}");
    assert!(applied["errors"].to_string().contains("newly failing: test_value.T.test_odd"), "{applied:#}");
}

#[test]
fn what_passes_when_run_again_is_told_as_flaky() {
    if !crate::scene::python() {
        return;
    }
    // It fails the first time in each work copy.
    let test = "import os, unittest\n\n\nclass T(unittest.TestCase):\n    def test_now_and_then(self):\n        \
                known = os.path.exists('seen')\n        open('seen', 'w').close()\n        self.assertTrue(known)\n";
    let commands = "commands = [\"python3 -m unittest -v\"]\nreruns = 1\n";
    let (code, applied) = apply(commands, &[("test_flaky.py", test)], 2);
    assert_eq!((code, &applied["decision"]), (5, &json!("still_failing")), "{applied:#}");
    let command = &applied["commands"][0];
    assert_eq!(command["tests"]["flaky"], json!(["test_flaky.T.test_now_and_then"]), "{applied:#}");
    assert_eq!(command["after"]["reruns"], json!([0]), "{applied:#}");
}

#[test]
fn a_report_that_the_command_writes_is_evidence_and_one_that_the_commit_holds_is_not() {
    if !crate::scene::python() {
        return;
    }
    let report = "<testsuite name='T'><testcase classname='a.T' name='t'/></testsuite>";
    let quiet = "import value\nopen('out/r.xml', 'w').write(REPORT)\n";
    let committed = [("check.py", "import value\n"), ("out/r.xml", report)];
    let commands = "commands = [\"python3 check.py\"]\n";
    let (code, applied) = apply(commands, &committed, 2);
    assert_eq!((code, &applied["decision"]), (5, &json!("no_tests")), "{applied:#}");

    let script = quiet.replace("REPORT", &format!("{report:?}"));
    let (code, applied) = apply(commands, &[("check.py", &script), ("out/keep", "")], 2);
    assert_eq!((code, &applied["decision"]), (0, &json!("unchanged")), "{applied:#}");
    assert_eq!(applied["commands"][0]["after"]["tests"]["passed"], 1, "{applied:#}");

    // The exit code is 0, and the report says that a test fails with the change.
    let failing = "f'<testsuite><testcase name=\"t\">{\"<failure/>\" * (value.VALUE - 1)}</testcase></testsuite>'";
    let script = quiet.replace("REPORT", failing);
    let (code, applied) = apply(commands, &[("check.py", &script), ("out/keep", "")], 2);
    assert_eq!((code, &applied["decision"]), (5, &json!("newly_failing")), "{applied:#}");
    assert_eq!(applied["commands"][0]["tests"]["newly_failing"], json!(["t"]), "{applied:#}");
}
