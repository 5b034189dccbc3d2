//! What a host says of a component's manifest.

use std::fs;

use gephost_tests::components::{component, manifest};
use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::schema::faults;
use serde_json::{Value, json};

const EMPTY: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
    (func (export "gephost:gene/proposals@0.1.0#propose") (param i32 i32 i32 i32) (result i32) unreachable))"#;

fn inspect(env: &TestEnv, change: impl FnOnce(&mut Value)) -> Ran {
    let mut document: Value = serde_json::from_str(&manifest("gene_x", "strategy", &[])).unwrap();
    change(&mut document);
    let file = env.home().join("gene.wasm");
    fs::write(&file, component("strategy", &document.to_string(), EMPTY)).unwrap();
    env.run(env.home(), &["gene", "inspect", "gene.wasm"])
}

#[test]
fn a_misspelled_member_is_an_error_and_not_dropped() {
    let env = TestEnv::new();
    for (from, to, meant) in [
        ("constraints", "constraint", "constraints"),
        ("signals_match", "signal_match", "signals_match"),
        ("capabilities", "capability", "capabilities"),
        ("validation", "validations", "validation"),
    ] {
        let ran = inspect(&env, |document| {
            let members = document.as_object_mut().unwrap();
            let value = members.remove(from).unwrap();
            members.insert(to.to_owned(), value);
        })
        .expect_code(2);
        let expected = format!("member `{to}` is unknown: did you mean `{meant}`?");
        assert!(ran.stderr.contains(&expected), "{to}: {}", ran.stderr);
    }
    let ran = inspect(&env, |document| document["constraints"] = json!({ "maxFiles": 1 })).expect_code(2);
    assert!(ran.stderr.contains("`constraints.maxFiles` is unknown: did you mean `max_files`?"), "{}", ran.stderr);
}

#[test]
fn a_member_of_a_later_schema_loads_and_is_shown() {
    let env = TestEnv::new();
    let ran = inspect(&env, |document| {
        document["homepage"] = json!("x");
        document["x_note"] = json!("x");
    })
    .expect_code(0);
    assert!(ran.stdout.contains("homepage: an unknown member, which gephost ignores"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("x_note"), "{}", ran.stdout);
}

#[test]
fn inspect_shows_what_selects_and_limits_a_gene() {
    let env = TestEnv::new();
    let ran = inspect(&env, |document| document["validation"] = json!(["pytest -q"])).expect_code(0);
    for expected in ["Signals     log_error", "Limits      at most 1 file, not .git", "Validation  pytest -q"] {
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    }
}

#[test]
fn the_page_on_the_manifest_names_every_member_of_the_schema_and_no_other() {
    let env = TestEnv::new();
    let ran = env.run(env.home(), &["schema", "gene-manifest"]).expect_code(0);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let page = include_str!("../../../docs/src/genes/manifest.md");
    let members =
        |object: &Value| -> Vec<String> { object["properties"].as_object().unwrap().keys().cloned().collect() };
    let top = members(&schema);
    assert!(top.len() > 10, "{top:?}");
    let inner = ["ConstraintsObject", "SettingObject"].iter().flat_map(|object| members(&schema["$defs"][object]));
    for member in top.iter().cloned().chain(inner) {
        assert!(page.contains(&format!("`{member}`")), "the page does not name `{member}`");
    }
    let rows: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        assert!(top.iter().any(|member| member == row), "`{row}` is on the page and not in the schema");
    }
}

#[test]
fn the_schema_of_a_manifest_accepts_that_of_a_new_project() {
    let env = TestEnv::new();
    let ran = env.run(env.home(), &["schema", "gene-manifest"]).expect_code(0);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = include_str!("../../../host/author/templates/shared/gene.json").replace("@ID@", "gene_x");
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(faults(&schema, &manifest), Vec::<String>::new());
    manifest["id"] = json!("..");
    assert_eq!(faults(&schema, &manifest).len(), 1);
    manifest["id"] = json!("gene_x");
    manifest["constraints"] = json!({ "max_file": 1 });
    assert_ne!(faults(&schema, &manifest), Vec::<String>::new());
}
