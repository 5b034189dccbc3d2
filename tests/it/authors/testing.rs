//! `gephost gene test`.

use std::fs;
use std::time::{Duration, SystemTime};

use gephost_tests::author_tools::author;
use gephost_tests::environment::TestEnv;
use gephost_tests::repository;
use serde_json::{Value, json};

use super::{built, names};

#[test]
fn an_answer_that_differs_fails_with_the_difference_until_it_is_blessed() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    let golden = folder.join("fixtures/first/expected.json");
    let before = fs::read_to_string(&golden).unwrap();
    fs::write(&golden, before.replace("Call python3", "Call python2")).unwrap();
    let ran = author(&env, &folder, &["gene", "test", "--junit", "results.xml"]).expect_code(1);
    assert!(ran.stdout.contains("FAILED first") && ran.stdout.contains("0 of 1 passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("-      \"title\": \"Call python2 in shell scripts\""), "{}", ran.stdout);
    assert!(ran.stdout.contains("+      \"title\": \"Call python3 in shell scripts\""), "{}", ran.stdout);
    let junit = fs::read_to_string(folder.join("results.xml")).unwrap();
    assert!(junit.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{junit}");
    author(&env, &folder, &["gene", "test", "--bless"]).expect_code(0);
    assert_eq!(fs::read_to_string(&golden).unwrap(), before);
    author(&env, &folder, &["gene", "test", "--junit", "results.xml"]).expect_code(0);
    assert!(fs::read_to_string(folder.join("results.xml")).unwrap().contains("failures=\"0\""));
}

#[test]
fn the_gate_and_the_refusals_of_a_fixture_are_part_of_the_answer() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    fs::write(folder.join("fixtures/first/gephost.toml"), "[policy]\nallow = [\"/docs/\"]\n").unwrap();
    author(&env, &folder, &["gene", "test", "--bless"]).expect_code(0);
    let answer = || -> Value {
        serde_json::from_slice(&fs::read(folder.join("fixtures/first/expected.json")).unwrap()).unwrap()
    };
    let verdict = answer()["candidates"][0]["verdict"].to_string();
    assert!(verdict.contains("scripts/check.sh") && !verdict.contains("\"pass\""), "{verdict}");
    fs::write(folder.join("fixtures/first/gephost.toml"), "[genes.grants.gene_fix_python]\ncapabilities = []\n")
        .unwrap();
    author(&env, &folder, &["gene", "test", "--bless"]).expect_code(0);
    assert_eq!(answer()["candidates"], json!([]));
    assert!(answer()["refused"].to_string().contains("workspace glob **/*.sh: denied"), "{}", answer());
}

#[test]
fn a_fixture_that_cannot_be_read_is_told_in_a_line_and_the_others_run() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    for (name, file, text) in [("a-no-log", "gephost.toml", ""), ("b-config", "gephost.toml", "[policy]\nalow = []\n")]
    {
        fs::create_dir(folder.join("fixtures").join(name)).unwrap();
        fs::write(folder.join("fixtures").join(name).join(file), text).unwrap();
    }
    fs::copy(folder.join("fixtures/first/log.jsonl"), folder.join("fixtures/b-config/log.jsonl")).unwrap();
    let (document, code) = {
        let ran = author(&env, &folder, &["gene", "test", "--json"]);
        (serde_json::from_str::<Value>(&ran.stdout).unwrap(), ran.code)
    };
    assert_eq!(code, 1, "{document:#}");
    let states: Vec<_> = document["fixtures"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect();
    assert_eq!(states, ["broken", "broken", "passed"], "{document:#}");
    let problem = |at: usize| document["fixtures"][at]["problems"][0].as_str().unwrap().to_owned();
    assert!(problem(0).contains("has no log") && problem(1).starts_with("gephost.toml: line 2"), "{document:#}");
}

#[test]
fn a_gene_that_was_not_built_and_a_project_without_fixtures_say_what_to_do() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "c"]).expect_code(0);
    let folder = place.path().join("x");
    for command in ["test", "check"] {
        let ran = author(&env, &folder, &["gene", command]).expect_code(2);
        assert!(ran.stderr.trim().ends_with("build it first: gephost gene build"), "{}", ran.stderr);
        let ran = author(&env, place.path(), &["gene", command, "x"]).expect_code(2);
        assert!(ran.stderr.trim().ends_with("build it first: gephost gene build x"), "{}", ran.stderr);
        let ran = author(&env, place.path(), &["gene", command, "x/wit"]).expect_code(2);
        assert!(ran.stderr.contains("x/wit is no project of a gene"), "{}", ran.stderr);
    }
    fs::remove_dir_all(folder.join("fixtures")).unwrap();
    let bundled = repository().join("genes/dist/tool_failures.wasm");
    let ran = author(&env, &folder, &["gene", "test", "--gene", bundled.to_str().unwrap()]).expect_code(2);
    assert!(ran.stderr.contains("has no fixtures"), "{}", ran.stderr);
}

#[test]
fn a_source_that_was_saved_after_the_build_is_told() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    let tested = author(&env, &folder, &["gene", "test"]).expect_code(0);
    assert!(!tested.stderr.contains("is newer"), "{}", tested.stderr);
    let manifest = fs::File::options().write(true).open(folder.join("gene.json")).unwrap();
    manifest.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    for command in ["test", "check"] {
        let ran = author(&env, &folder, &["gene", command]).expect_code(0);
        let said = "gene.json is newer than build/gene.wasm, which is used: `gephost gene build` builds it";
        assert_eq!(ran.stderr.matches(said).count(), 1, "{command}: {}", ran.stderr);
    }
}

#[test]
fn a_heuristic_is_tested_by_its_findings_and_a_test_leaves_nothing() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "c"]).expect_code(0);
    let folder = place.path().join("x");
    let before = names(&folder);
    let bundled = repository().join("genes/dist/tool_failures.wasm");
    author(&env, &folder, &["gene", "test", "--gene", bundled.to_str().unwrap(), "--bless"]).expect_code(0);
    let answer: Value =
        serde_json::from_slice(&fs::read(folder.join("fixtures/first/expected.json")).unwrap()).unwrap();
    let title = answer["findings"][0]["title"].as_str().unwrap();
    assert!(title.contains("`python` is not installed"), "{answer:#}");
    assert_eq!(names(&folder), before);
    assert!(!env.home().join(".local/state/gephost/projects").exists(), "no state of the author's is touched");
}
