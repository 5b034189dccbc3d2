//! What is left of a cycle: the log's chain, and assets whose ids verify.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{quickstart, validated_by};

/// A document and the id that an independent implementation of the protocol gives it; all vectors are in core's tests.
const VECTOR: (&str, &str) = (
    r#"{"b":1,"a":[3,1,2],"c":{"z":null,"y":true}}"#,
    "696bc812177546b0bbc2f2906197aebc2f6fd3951c8e02b1e48a812e10d7efff",
);

#[test]
fn asset_ids_are_those_of_the_protocol() {
    let env = TestEnv::new();
    let (text, id) = VECTOR;
    fs::write(env.home().join("asset.json"), text).unwrap();
    let ran = env.run(env.home(), &["asset", "id", "asset.json"]).expect_code(0);
    assert_eq!(ran.stdout, format!("sha256:{id}\n"));
    for refused in [r#"{"a":1,"a":2}"#, r#"{"lone":"\ud800"}"#, r#"{"n":1e999}"#, "[]", "{", ""] {
        fs::write(env.home().join("asset.json"), refused).unwrap();
        let ran = env.run(env.home(), &["asset", "id", "asset.json"]).expect_code(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("asset.json"), "{refused}: {}", ran.stderr);
    }
}

#[test]
fn every_asset_that_a_cycle_writes_verifies_and_a_changed_one_does_not() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let mut seen = Vec::new();
    for commands in ["\"python3 -m unittest discover -s tests\"", "\"python3 -m unittest absent\""] {
        let project = quickstart(&env, Some(&validated_by(commands)));
        env.run(project.root(), &["run", "--apply"]);
        for asset in assets(&project) {
            verify(&env, &asset, 0);
            let mut changed = asset.clone();
            changed["schema_version"] = "1.5.1".into();
            verify(&env, &changed, 1);
            seen.push(asset["type"].as_str().unwrap().to_owned());
        }
    }
    for (kind, count) in [("Gene", 2), ("Capsule", 2), ("EvolutionEvent", 2), ("ValidationReport", 2)] {
        assert_eq!(seen.iter().filter(|seen| *seen == kind).count(), count, "{kind}: {seen:?}");
    }
}

fn verify(env: &TestEnv, asset: &Value, code: i32) {
    fs::write(env.home().join("asset.json"), asset.to_string()).unwrap();
    env.run(env.home(), &["asset", "verify", "asset.json"]).expect_code(code);
}

/// Every asset in the project's folder: members of the lists, and lines.
fn assets(project: &TestProject) -> Vec<Value> {
    let mut assets = Vec::new();
    for entry in fs::read_dir(project.root().join(".gephost/gep")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            assets.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let store: Value = serde_json::from_str(&text).unwrap();
            assets.extend(store.as_object().unwrap().values().filter_map(Value::as_array).flatten().cloned());
        }
    }
    assets
}

#[test]
fn a_log_that_was_changed_or_cut_is_found_out() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    env.run(project.root(), &["log", "show"]).expect_code(0);
    let path = env.state_of(project.root()).join("log.jsonl");
    let intact = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = intact.split_inclusive('\n').collect();
    let mut swapped = lines.clone();
    swapped.swap(0, 1);
    let tampered = [
        intact.replacen("\"pass\"", "\"reject\"", 1),
        lines[..lines.len() - 1].concat(),
        lines[1..].concat(),
        swapped.concat(),
        format!("{intact}{}", lines[0]),
        format!("{intact}not a line\n"),
    ];
    for (number, text) in tampered.iter().enumerate() {
        assert_ne!(*text, intact, "{number}");
        fs::write(&path, text).unwrap();
        let ran = env.run(project.root(), &["log", "verify"]).expect_code(1);
        assert!(ran.stdout.contains("fault:"), "{number}: {}", ran.stdout);
    }
    fs::write(&path, &intact).unwrap();
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}

#[test]
fn a_session_of_refusals_only_gives_no_proposal() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let log = fs::read_to_string(project.root().join("logs/session.jsonl")).unwrap();
    // What stays: the task, the agent's words, and the call that the person refused.
    let kept = |line: &&str| !line.contains("toolu_quick") || line.contains("toolu_quick0005");
    let refused: String = log.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    assert!(refused.contains("\"is_error\":true"));
    project.write("logs/session.jsonl", &refused);
    let (document, code) = env.json(project.root(), &["run"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["files"][0]["outcomes"]["rejected"], 1, "{document}");
    assert_eq!(document["candidates"], Value::Array(Vec::new()), "{document}");
    assert_eq!(document["diagnosis"]["findings"], Value::Array(Vec::new()), "{document}");
}
