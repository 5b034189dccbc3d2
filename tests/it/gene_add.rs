//! `gephost gene add|remove`, and `gephost.lock`: a component from elsewhere runs only after this user's yes to exactly it.

use std::fs;

use gephost_tests::components::append_section;
use gephost_tests::environment::{TestEnv, trusting};
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use serde_json::{Value, json};

use crate::guests;
use crate::scene::quickstart;

const FILE: &str = "calm.wasm";

/// A heuristic of the id `calm` that requests these capabilities. Each version is another component.
fn version(number: u32, capabilities: &[&str]) -> Vec<u8> {
    let calm = fs::read_to_string(repository().join("tests/guests/calm.wat")).unwrap();
    let mut component = guests::heuristic_that_asks_for(capabilities, &calm, "calm");
    append_section(&mut component, "version", &number.to_le_bytes());
    component
}

fn project(env: &TestEnv) -> TestProject {
    let project = quickstart(env, None);
    put(&project, &version(1, &["run-log"]));
    project
}

fn put(project: &TestProject, component: &[u8]) {
    fs::write(project.root().join(FILE), component).unwrap();
}

fn add(env: &TestEnv, project: &TestProject, more: &[&str]) -> (Value, i32) {
    env.json(project.root(), &[&["gene", "add", FILE], more].concat())
}

fn lock(project: &TestProject) -> String {
    fs::read_to_string(project.root().join("gephost.lock")).unwrap()
}

/// Whether the gene was called, and what standard error says.
fn runs(env: &TestEnv, project: &TestProject) -> (bool, String) {
    let ran = env.run(project.root(), &["run", "--json"]).expect_code(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let calls = document["calls"].as_array().unwrap();
    (calls.iter().any(|call| call["gene"] == "calm"), ran.stderr)
}

#[test]
fn what_is_added_is_shown_pinned_and_run() {
    let env = TestEnv::new();
    let project = project(&env);
    assert!(!runs(&env, &project).0);
    let (added, code) = add(&env, &project, &[]);
    assert_eq!((code, &added["schema"], &added["added"]), (0, &json!("gephost.gene-add/1"), &json!(true)), "{added}");
    assert_eq!((&added["id"], &added["world"], &added["earlier"]), (&json!("calm"), &json!("heuristic"), &Value::Null));
    assert_eq!(added["capabilities"], json!([{ "capability": "run-log", "granted": true }]));
    assert_eq!(added["signature"]["state"], "unsigned");
    let pinned: Value = serde_json::from_str(&lock(&project)).unwrap();
    assert_eq!(
        pinned,
        json!({ "schema": "gephost.lock/1", "genes": [{
            "id": "calm", "digest": added["digest"], "source": FILE, "world": "heuristic", "capabilities": ["run-log"],
        }] })
    );
    assert!(runs(&env, &project).0);
    let list = env.run(project.root(), &["gene", "list"]).expect_code(0).stdout;
    assert!(list.lines().any(|line| line.contains(" calm ") && line.contains("added  unsigned")), "{list}");

    // The id names the added component, wherever the file is.
    fs::remove_file(project.root().join(FILE)).unwrap();
    let (inspected, code) = env.json(project.root(), &["gene", "inspect", "calm"]);
    assert_eq!((code, &inspected["gene"]["digest"]), (0, &added["digest"]), "{inspected}");
    assert_eq!(env.json(project.root(), &["gene", "verify", "calm"]).0["digest"], added["digest"]);
    env.run(project.root(), &["run", "--gene", "calm"]).expect_code(0);
    put(&project, &version(1, &["run-log"]));

    let before = lock(&project);
    let (again, code) = add(&env, &project, &[]);
    assert_eq!((code, &again["wider"]), (0, &json!([])));
    assert_eq!(lock(&project), before, "the same bytes");

    env.run(project.root(), &["gene", "remove", "calm"]).expect_code(0);
    assert!(!runs(&env, &project).0);
    assert!(!lock(&project).contains("calm"));
    env.run(project.root(), &["gene", "remove", "calm"]).expect_code(2);
}

#[test]
fn a_pin_without_this_users_yes_runs_nothing() {
    let (env, other) = (TestEnv::new(), TestEnv::new());
    let project = project(&env);
    add(&env, &project, &[]);
    let (ran, said) = runs(&other, &project);
    assert!(!ran && said.contains("calm of gephost.lock does not run: you did not add it"), "{said}");
    let refused = other.run(project.root(), &["run", "--gene", "calm"]).expect_code(2);
    assert!(refused.stderr.contains("gephost gene add calm.wasm"), "{}", refused.stderr);
    let list = other.run(project.root(), &["gene", "list"]).expect_code(0).stdout;
    assert!(list.contains("you did not add this version: gephost gene add calm.wasm"), "{list}");
    // Trust in the config is another yes.
    other.run(project.root(), &["trust"]).expect_code(0);
    assert!(!runs(&other, &project).0);
    add(&other, &project, &[]);
    assert!(runs(&other, &project).0);
}

#[test]
fn other_bytes_than_the_pinned_ones_never_load() {
    let env = TestEnv::new();
    let project = project(&env);
    add(&env, &project, &[]);
    let first = lock(&project);
    // A lock that somebody changed, and one that leads back to an earlier version.
    put(&project, &version(2, &["run-log"]));
    let (second, code) = add(&env, &project, &[]);
    assert_eq!((code, &second["wider"]), (0, &json!([])), "the same request is no widening");
    project.write("gephost.lock", &first);
    let (ran, said) = runs(&env, &project);
    assert!(!ran && said.contains("you added another version of it"), "{said}");
    // A component that was changed in the state.
    add(&env, &project, &[]);
    assert!(runs(&env, &project).0);
    let stored = env.state_of(project.root()).join("genes/calm.wasm");
    fs::write(&stored, version(3, &["run-log"])).unwrap();
    assert!(!runs(&env, &project).0);
    // A lock that names this component as another gene.
    add(&env, &project, &[]);
    project.write("gephost.lock", &lock(&project).replace("\"calm\"", "\"gene_other\""));
    fs::rename(&stored, stored.with_file_name("gene_other.wasm")).unwrap();
    let refused = env.run(project.root(), &["run"]).expect_code(2);
    assert!(refused.stderr.contains("pins a component of calm as gene_other"), "{}", refused.stderr);
    for text in ["{", "{}", "{\"schema\":\"gephost.lock/1\",\"genes\":[],\"run\":\"all\"}"] {
        project.write("gephost.lock", text);
        let refused = env.run(project.root(), &["run"]).expect_code(2);
        assert!(refused.stderr.contains("gephost.lock: "), "{}", refused.stderr);
    }
}

#[test]
fn an_update_that_asks_for_more_waits_for_a_yes() {
    let env = TestEnv::new();
    let project = project(&env);
    add(&env, &project, &[]);
    let before = lock(&project);
    put(&project, &version(2, &["run-log", "workspace", "completion"]));
    let (stopped, code) = add(&env, &project, &[]);
    assert_eq!((code, &stopped["added"]), (8, &json!(false)), "{stopped}");
    assert_eq!(stopped["wider"], json!(["also requests workspace", "also requests completion"]));
    assert_eq!(stopped["earlier"]["capabilities"], json!(["run-log"]));
    assert_eq!(lock(&project), before, "nothing was changed");
    assert!(runs(&env, &project).0, "the earlier version runs");
    let text = env.run(project.root(), &["gene", "add", FILE]).expect_code(8).stdout;
    assert!(
        text.contains("it also requests workspace") && text.contains("gephost gene add --accept calm.wasm"),
        "{text}"
    );
    let (accepted, code) = add(&env, &project, &["--accept"]);
    assert_eq!((code, &accepted["added"]), (0, &json!(true)));
    // What the lock of a repository says of the earlier version is no measure, if this user has that version.
    let narrow = version(3, &["run-log"]);
    put(&project, &narrow);
    assert_eq!(add(&env, &project, &[]).1, 0, "less is no widening");
    project.write("gephost.lock", &lock(&project).replace("\"run-log\"", "\"run-log\", \"workspace\""));
    put(&project, &version(4, &["run-log", "workspace"]));
    assert_eq!(add(&env, &project, &[]).1, 8);
    // For a user who has none, it is all that there is.
    let other = TestEnv::new();
    assert_eq!(add(&other, &project, &[]).1, 0);
}

#[test]
fn a_lost_signature_waits_too_and_a_required_one_decides() {
    let env = TestEnv::new();
    let project = project(&env);
    env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    assert_eq!(add(&env, &project, &[]).0["signature"]["by"], json!(["you"]));
    fs::remove_file(project.root().join("calm.wasm.dsse.json")).unwrap();
    put(&project, &version(2, &["run-log"]));
    let (stopped, code) = add(&env, &project, &[]);
    assert_eq!((code, &stopped["wider"]), (8, &json!(["is no longer signed by a key that you trust"])));
    env.write_config(&format!("{}require = \"signed\"\n", trusting()));
    assert!(runs(&env, &project).0, "the added version has its envelope");
    let refused = env.run(project.root(), &["gene", "add", "--accept", FILE]).expect_code(2);
    assert!(refused.stderr.contains("it is unsigned"), "{}", refused.stderr);
    fs::remove_file(env.state_of(project.root()).join("genes/calm.wasm.dsse.json")).unwrap();
    let refused = env.run(project.root(), &["run"]).expect_code(2);
    assert!(refused.stderr.contains("gene calm: it is unsigned"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_added_says_why() {
    let env = TestEnv::new();
    let project = project(&env);
    let bundled = repository().join("genes/dist/repair_from_errors.wasm");
    for (reference, said) in [
        (bundled.to_str().unwrap(), "is the id of a bundled gene"),
        ("absent.wasm", "failed to open"),
        ("gephost.toml", "gene gephost.toml"),
        ("https://example.org/x.wasm", "not a scheme of a reference"),
        ("oci://user:secret@example.org/x", "without a user's name"),
        ("hub:gene_x", "no hub is named"),
        (&format!("hub:sha256{}", "0".repeat(64)), "no hub is named"),
        ("hub:sha256:00", "is not a digest"),
    ] {
        let refused = env.run(project.root(), &["gene", "add", reference]).expect_code(2);
        assert!(refused.stderr.contains(said), "{reference}: {}", refused.stderr);
    }
    for reference in ["oci://127.0.0.1:1/x", "hub:gene_x"] {
        let refused = env.run(project.root(), &["--offline", "gene", "add", reference]).expect_code(2);
        assert!(refused.stderr.contains("`--offline` is given"), "{}", refused.stderr);
    }
    env.run(project.root(), &["--offline", "gene", "add", FILE]).expect_code(0);
}
