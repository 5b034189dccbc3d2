//! `gephost gene check`.

use std::fs;

use gephost_tests::author_tools::author;
use gephost_tests::components::{component, manifest};
use gephost_tests::environment::TestEnv;
use serde_json::Value;

use super::built;

const EMPTY: &str = r#"(module DATA
    (memory (export "memory") 1)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
    (func (export "gephost:gene/proposals@0.1.0#propose") (param i32 i32 i32 i32) (result i32) unreachable))"#;

/// The faults of a component: what was checked, and the problem.
fn faults(manifest: &str, data: &str) -> Vec<(String, String)> {
    let env = TestEnv::new();
    let file = env.home().join("gene.wasm");
    fs::write(&file, component("strategy", manifest, &EMPTY.replace("DATA", data))).unwrap();
    let (document, code) = env.json(env.home(), &["gene", "check", "gene.wasm"]);
    let faults = document["faults"].as_array().unwrap();
    assert_eq!(code, i32::from(!faults.is_empty()), "{document:#}");
    let text = |fault: &Value, name: &str| fault[name].as_str().unwrap().to_owned();
    faults.iter().map(|fault| (text(fault, "check"), text(fault, "problem"))).collect()
}

#[test]
fn a_good_gene_has_no_fault() {
    assert_eq!(faults(&manifest("gene_x", "strategy", &[]), ""), []);
}

#[test]
fn each_fault_is_named_with_its_check() {
    let good = manifest("gene_x", "strategy", &[]);
    let key = ["ghp", "_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for (manifest, data, check, expected) in [
        (
            manifest("gene_x", "strategy", &["history"]),
            String::new(),
            "capabilities",
            "history is requested and never imported",
        ),
        (good.replace("log_error", "/(/"), String::new(), "manifest", "`signals_match[0]`"),
        (
            good.replace("\"category\"", "\"homepage\":1,\"category\""),
            String::new(),
            "manifest",
            "`homepage` is unknown",
        ),
        (
            good.replace("\"validation\":[]", "\"validation\":[\"rm -rf x\"]"),
            String::new(),
            "manifest",
            "`validation[0]`",
        ),
        (good.replace("\"constraints\"", "\"constraint\""), String::new(), "component", "did you mean `constraints`?"),
        (good.clone(), format!("(data (i32.const 0) \"token = {key} \")"), "secrets", "looks like a secret"),
    ] {
        let found = faults(&manifest, &data);
        assert!(found.len() == 1 && found[0].0 == check && found[0].1.contains(expected), "{expected}: {found:?}");
        assert!(!found[0].1.contains(&key));
    }
}

#[test]
fn a_manifest_and_a_gene_that_is_only_text_are_checked_too() {
    let env = TestEnv::new();
    let good = manifest("gene_x", "strategy", &[]);
    let text = good.replace("\"world\":\"strategy\"", "\"x_world\":\"\"").replace("\"capabilities\":[]", "\"x\":1");
    for (document, faults, says) in [
        (good.clone(), 0, "this is only its manifest"),
        (good.replace("log_error", "/(/"), 1, "`signals_match[0]`"),
        (good.replace("\"constraints\"", "\"constraint\""), 1, "did you mean `constraints`?"),
        (text.clone(), 0, "gene_x"),
        (text.replace("\"strategy\":[\"a test's gene\"]", "\"strategy\":[]"), 1, "`strategy` is empty"),
    ] {
        fs::write(env.home().join("gene.json"), &document).unwrap();
        let (checked, code) = env.json(env.home(), &["gene", "check", "gene.json"]);
        assert_eq!((code, checked["faults"].as_array().unwrap().len()), (i32::from(faults > 0), faults), "{checked:#}");
        assert!(checked.to_string().contains(says), "{says}: {checked:#}");
    }
}

#[test]
fn a_file_that_is_no_gene_is_told_what_is_wrong() {
    let env = TestEnv::new();
    fs::write(env.home().join("core.wasm"), wat::parse_str("(module)").unwrap()).unwrap();
    let (document, code) = env.json(env.home(), &["gene", "check", "core.wasm"]);
    assert_eq!((code, &document["faults"][0]["check"]), (1, &"component".into()), "{document:#}");
    env.run(env.home(), &["gene", "check", "absent.wasm"]).expect_code(2);
}

#[test]
fn a_project_is_also_checked_for_determinism() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    let ran = author(&env, &folder, &["gene", "check"]).expect_code(0);
    assert!(ran.stdout.contains("nothing to correct") && !ran.stdout.contains("not checked"), "{}", ran.stdout);
    let ran = author(&env, &folder, &["gene", "check", "build/gene.wasm"]).expect_code(0);
    assert!(ran.stdout.contains("not checked: determinism"), "{}", ran.stdout);
}
