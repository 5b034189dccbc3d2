//! A new project in each language builds, passes its test and its check, and all of them propose the same patch.

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::skipped;
use serde_json::Value;

use super::project_with_interpreter;

/// The golden file that every new project has.
const EXPECTED: &str = include_str!("../../../host/author/templates/shared/fixtures/first/expected.json");

#[test]
fn a_new_project_builds_and_passes_its_test_in_every_language() {
    let env = TestEnv::lasting();
    for language in LANGUAGES {
        let Some((_place, folder)) = project_with_interpreter(&env, language.word) else { continue };
        let built = author(&env, &folder, &["gene", "build", "--json"]).expect_code(0);
        let built: Value = serde_json::from_str(&built.stdout).unwrap();
        assert_eq!(built["gene"]["id"], "gene_fix_python", "{built:#}");
        let tested = author(&env, &folder, &["gene", "test"]);
        assert_eq!(tested.code, 0, "{}: {}{}", language.word, tested.stdout, tested.stderr);
        assert!(tested.stdout.contains("passed first"), "{}: {}", language.word, tested.stdout);
        let checked = author(&env, &folder, &["gene", "check"]);
        assert_eq!(checked.code, 0, "{}: {}{}", language.word, checked.stdout, checked.stderr);
        assert_eq!(std::fs::read_to_string(folder.join("fixtures/first/expected.json")).unwrap(), EXPECTED);
    }
}

/// The languages with a gene that finds failures to begin with.
const DIAGNOSING: [&str; 5] = ["rust", "python", "js", "ts", "go"];

#[test]
fn a_new_project_that_finds_failures_builds_and_passes_its_test() {
    let env = TestEnv::lasting();
    for language in LANGUAGES {
        let place = tempfile::tempdir().unwrap();
        let words = ["gene", "new", "find-python", "--lang", language.word, "--world", "heuristic"];
        let made = author(&env, place.path(), &words);
        if !DIAGNOSING.contains(&language.word) {
            let said = made.expect_code(2).stderr;
            assert!(said.contains("there is one in rust, python, js, ts, go"), "{}: {said}", language.word);
            continue;
        }
        made.expect_code(0);
        if let Some(why) = language.missing() {
            skipped(&format!("genes in {}: {why}", language.word));
            continue;
        }
        let folder = place.path().join("find-python");
        author(&env, &folder, &["gene", "build"]).expect_code(0);
        for command in ["test", "check"] {
            let ran = author(&env, &folder, &["gene", command]);
            assert_eq!(ran.code, 0, "{}, gene {command}: {}{}", language.word, ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn the_expected_answer_is_a_patch_that_passes_the_gate() {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    assert_eq!(expected["candidates"][0]["verdict"], serde_json::json!(["pass"]));
    let diff = expected["candidates"][0]["diff"].to_string();
    assert!(
        diff.contains("-python -m compileall -q shop") && diff.contains("+python3 -m compileall -q shop"),
        "{diff}"
    );
    assert_eq!(expected["log"], serde_json::json!(["info scripts that call python: 1"]));
    assert_eq!(expected["refused"], serde_json::json!([]));
}
