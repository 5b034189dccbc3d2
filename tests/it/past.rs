//! What is left of a cycle: the log's chain, and assets whose ids verify.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{quickstart, validated_by};

/// Documents and the ids that an independent implementation of RFC 8785 and SHA-256 gives them.
const VECTORS: &[(&str, &str)] = &[
    ("{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    (
        r#"{"b":1,"a":[3,1,2],"c":{"z":null,"y":true}}"#,
        "696bc812177546b0bbc2f2906197aebc2f6fd3951c8e02b1e48a812e10d7efff",
    ),
    (r#"{"a":null}"#, "d091f9c83c091f79652fe8786375b3fe4ce0861a56f5bfbafedbe431877ff0e8"),
    (
        r#"{"a":1.0,"b":1e21,"c":1e-7,"d":0.1,"e":-0,"f":100000000000000000000,"g":123456789012345680000,"h":5e-324,"i":1e20,"j":0.000001}"#,
        "66d5673d3a87dfad789d5ebb62b3bfe55d0a9200adf14a6ac130081273e6e379",
    ),
    (r#"{"n":9007199254740993}"#, "66c87d9cb3014e05a11baa97df62282d89d425f22ee15816577c84534e2ef1bb"),
    (r#"{"n":-0.0}"#, "f3013f933b9fb80ab6d995e7ad9da36f683837ba1d81e950c943d40111eac2f0"),
    (r#"{"s":"\u4e2d"}"#, "1aadeb285c19a00c51bb02ed5b01b4b11b187f59978f8389f74b40a209a7c814"),
    (r#"{"s":"\u0000"}"#, "62513fe72a719571b616a08616df5bf074374d1403872d81b99d7b4c6d67f5c7"),
    (
        r#"{"\ue000":1,"\ud83e\uddec":2,"a":3,"B":4,"_":5,"10":6,"9":7,"é":8}"#,
        "83eaf3d53cc78ae95a529a265c48d702d198cdde53d9c2c5d8a4f64713bc3fba",
    ),
    (
        r#"{"type":"X","asset_id":"sha256:0","inner":{"asset_id":"sha256:1","v":1}}"#,
        "c61c10654b0aa1e03195bf512dc751067f5320ebd94136aab45280953d008aa1",
    ),
    (r#"{"__proto__":{"a":1},"b":2}"#, "0ab1a6d394cd30195f0642b67ae1180c375ffadf5dd7f39c390668b5fdb6da93"),
];

#[test]
fn asset_ids_are_those_of_the_protocol() {
    let env = TestEnv::new();
    for (text, id) in VECTORS {
        let file = env.home().join("asset.json");
        fs::write(&file, text).unwrap();
        let ran = env.run(env.home(), &["asset", "id", "asset.json"]).expect_code(0);
        assert_eq!(ran.stdout, format!("sha256:{id}\n"), "{text}");
    }
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
    let path = project.root().join(".gephost/log.jsonl");
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
