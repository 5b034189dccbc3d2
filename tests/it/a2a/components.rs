//! A component travels over a hub: signed and pushed by its author, looked at, pinned and run by another user.

use std::fs;

use gephost_tests::environment::{TestEnv, trusting};
use gephost_tests::hub::Hub;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::custom_gene;

/// A user whose own config names the hub, and what else it says.
fn user_of(hub: &Hub, more: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write_config(&format!("[hub]\nurl = {:?}\n{}{more}", hub.url(), trusting()));
    env
}

#[test]
fn a_gene_is_pushed_by_its_author_and_added_by_another_user() {
    let Some(component) = custom_gene::component() else { return };
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&TestEnv::new(), folder.path(), &[]);
    let author = user_of(&hub, "");
    let theirs = TestProject::new(&author, &[("gephost.toml", "")]);
    fs::copy(component, theirs.root().join("gene.wasm")).unwrap();
    author.run(theirs.root(), &["gene", "sign", "gene.wasm"]).expect_code(0);
    let (pushed, code) = author.json(theirs.root(), &["gene", "push", "gene.wasm", "hub:any_name"]);
    assert_eq!(code, 0, "{pushed}");
    let digest = pushed["digest"].as_str().unwrap().to_owned();
    let key = author.json(theirs.root(), &["gene", "key"]).0["key"].as_str().unwrap().to_owned();

    // Nobody trusts the key yet: the gene can be added, and does not load where signatures are required.
    let reference = format!("hub:{digest}");
    let stranger = user_of(&hub, "");
    let project = TestProject::new(&stranger, &[("gephost.toml", "")]);
    let (added, code) = stranger.json(project.root(), &["gene", "add", &reference]);
    assert_eq!((code, &added["signature"]["state"]), (0, &json!("failed")), "{added}");
    // Whoever trusts it sees who vouches for the bytes, and what the gene asks for.
    let user = user_of(&hub, &format!("keys = [{{ name = \"ann\", key = {key:?} }}]\nrequire = \"signed\"\n"));
    let project = TestProject::new(&user, &[("gephost.toml", "")]);
    let (added, code) = user.json(project.root(), &["gene", "add", &reference]);
    assert_eq!((code, &added["signature"]["state"]), (0, &json!("verified")), "{added}");
    assert!(added["signature"].to_string().contains("ann"), "{added}");
    let lock: Value = serde_json::from_str(&fs::read_to_string(project.root().join("gephost.lock")).unwrap()).unwrap();
    assert_eq!((&lock["genes"][0]["digest"], &lock["genes"][0]["source"]), (&json!(digest), &json!(reference)));
    let id = lock["genes"][0]["id"].as_str().unwrap();
    user.run(project.root(), &["gene", "inspect", id]).expect_code(0);
    user.run(project.root(), &["run", "--gene", id]).expect_code(0);

    // What the hub does not have, and what it has only as a name.
    let absent = format!("hub:sha256:{}", "0".repeat(64));
    let (missing, code) = user.json(project.root(), &["gene", "pull", &absent]);
    assert_eq!((code, &missing["error"]["detail"]["code"]), (1, &json!("not_found")), "{missing}");
    let (missing, code) = user.json(project.root(), &["gene", "pull", "hub:gene_that_nobody_published"]);
    assert_eq!((code, &missing["error"]["detail"]["code"]), (1, &json!("not_found")), "{missing}");
}

#[test]
fn what_is_no_gene_is_not_kept_by_the_hub() {
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&env, folder.path(), &[]);
    let bytes = b"\0asm\x01\0\0\0";
    let digest = format!("sha256:{}", gephost_core::digest::sha256_hex(bytes));
    let put = |path: &str, body: &[u8]| hub.request("PUT", path, "content-type: application/wasm\r\n", body);
    let answer = put(&format!("/a2a/components/{digest}"), bytes);
    assert_eq!((answer.status, &answer.json()["code"]), (400, &json!("validation_error")));
    let answer = put(&format!("/a2a/components/sha256:{}", "0".repeat(64)), bytes);
    assert_eq!(answer.status, 400, "{}", String::from_utf8_lossy(&answer.body));
    assert_eq!(hub.get(&format!("/a2a/components/{digest}")).status, 404);
}
