//! `gephost gene push|pull|add` with an OCI registry: Debian's `docker-registry` on loopback.

use std::fs;

use gephost_tests::environment::{TestEnv, trusting};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::guests;
use crate::scene::quickstart;
use server::DockerRegistry;

#[path = "../../host/oci/tests/registry/server.rs"]
mod server;

const FILE: &str = "calm.wasm";

/// An author with a project and a component in it.
fn author() -> (TestEnv, TestProject) {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    fs::write(project.root().join(FILE), guests::heuristic("calm")).unwrap();
    (env, project)
}

#[test]
fn a_signed_component_travels_from_its_author_to_another_user() {
    let Some(server) = DockerRegistry::start() else { return };
    let (author, project) = author();
    let reference = format!("oci://127.0.0.1:{}/me/calm:v1", server.port);
    author.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    let (pushed, code) = author.json(project.root(), &["gene", "push", FILE, &reference]);
    assert_eq!((code, &pushed["schema"], &pushed["with_envelope"]), (0, &json!("gephost.gene-push/1"), &json!(true)));
    let key = author.json(project.root(), &["gene", "key"]).0["key"].as_str().unwrap().to_owned();

    let user = TestEnv::new();
    let theirs = quickstart(&user, None);
    user.write_config(&format!("{}require = \"signed\"\n", trusting()));
    let refused = user.run(theirs.root(), &["gene", "add", &reference]).expect_code(2);
    assert!(refused.stderr.contains("no key that you trust") && refused.stderr.contains(&key), "{}", refused.stderr);
    let keys = format!("require = \"signed\"\nkeys = [{{ name = \"ann\", key = {key:?} }}]\n");
    user.write_config(&format!("{}{keys}", trusting()));
    let (added, code) = user.json(theirs.root(), &["gene", "add", &reference]);
    assert_eq!((code, &added["signature"]["by"]), (0, &json!(["ann"])), "{added}");
    assert_eq!((&added["digest"], &added["source"]), (&pushed["digest"], &pushed["source"]));
    let lock: Value = serde_json::from_str(&fs::read_to_string(theirs.root().join("gephost.lock")).unwrap()).unwrap();
    assert_eq!((&lock["genes"][0]["digest"], &lock["genes"][0]["source"]), (&pushed["digest"], &pushed["source"]));
    assert!(pushed["source"].as_str().unwrap().contains("/me/calm@sha256:"), "{pushed}");

    // From here on nobody asks the registry.
    drop(server);
    let (ran, code) = user.json(theirs.root(), &["run"]);
    assert_eq!((code, &ran["genes"][0]["signature"]["by"]), (0, &json!(["ann"])), "{ran}");
    let refused = user.run(theirs.root(), &["gene", "add", &reference]).expect_code(1);
    assert!(refused.stderr.contains("cannot be reached"), "{}", refused.stderr);
}

#[test]
fn a_pull_writes_files_and_adds_nothing() {
    let Some(server) = DockerRegistry::start() else { return };
    let (env, project) = author();
    let reference = format!("oci://127.0.0.1:{}/calm", server.port);
    env.run(project.root(), &["gene", "push", FILE, &reference]).expect_code(0);
    let (pulled, code) = env.json(project.root(), &["gene", "pull", &reference, "--output", "copy.wasm"]);
    assert_eq!((code, &pulled["envelope"], &pulled["signature"]["state"]), (0, &Value::Null, &json!("unsigned")));
    let (one, other) =
        (fs::read(project.root().join(FILE)).unwrap(), fs::read(project.root().join("copy.wasm")).unwrap());
    assert_eq!(one, other);
    assert!(!project.root().join("gephost.lock").exists());
    env.run(project.root(), &["gene", "pull", &reference, "--output", "copy.wasm"]).expect_code(1);

    env.run(project.root(), &["gene", "sign", FILE]).expect_code(0);
    env.run(project.root(), &["gene", "push", FILE, &reference]).expect_code(0);
    let (signed, _) = env.json(project.root(), &["gene", "pull", &reference, "--output", "signed.wasm"]);
    assert_eq!((&signed["envelope"], &signed["signature"]["by"]), (&json!("signed.wasm.dsse.json"), &json!(["you"])));
    let (verified, code) = env.json(project.root(), &["gene", "verify", "signed.wasm"]);
    assert_eq!((code, &verified["signature"]["state"]), (0, &json!("verified")));
}

#[test]
fn what_is_no_gene_is_neither_pushed_nor_added() {
    let Some(server) = DockerRegistry::start() else { return };
    let (env, project) = author();
    let reference = format!("oci://127.0.0.1:{}/calm", server.port);
    project.write("text.wasm", "no component");
    let refused = env.run(project.root(), &["gene", "push", "text.wasm", &reference]).expect_code(2);
    assert!(refused.stderr.contains("gene text.wasm"), "{}", refused.stderr);
    let refused = env.run(project.root(), &["gene", "push", FILE, "copy.wasm"]).expect_code(2);
    assert!(refused.stderr.contains("is pushed to a registry or a hub"), "{}", refused.stderr);
    let refused = env.run(project.root(), &["gene", "add", &reference]).expect_code(2);
    assert!(refused.stderr.contains("the registry has no manifest latest"), "{}", refused.stderr);
    let offline = env.run(project.root(), &["--offline", "gene", "push", FILE, &reference]).expect_code(2);
    assert!(offline.stderr.contains("`--offline` is given"), "{}", offline.stderr);
}
