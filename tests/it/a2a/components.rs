//! A component travels over a hub: signed and pushed by its author, looked at, pinned and run by another user.

use std::fs;

use gephost_runner::bundled::BUNDLED;
use gephost_tests::environment::{TestEnv, trusting};
use gephost_tests::hub::Hub;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::custom_gene;
use crate::scene::{python, quickstart, validated_by};

const TEST: &str = r#""python3 -m unittest discover -s tests""#;

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
    assert_eq!((code, &added["signature"]["state"]), (0, &json!("unsigned")), "{added}");
    assert!(added["signature"]["reason"].as_str().unwrap().contains(&key), "{added}");
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

/// A gene that is not bundled, and comes before the bundled one whose code it has.
const RENAMED: &str = "gene_abc_repair_from_errors";

fn renamed() -> Vec<u8> {
    let id = b"gene_gep_repair_from_errors";
    let mut bytes = BUNDLED.iter().find(|gene| gene.id.as_bytes() == id).unwrap().bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len() - id.len()).filter(|place| bytes[*place..].starts_with(id)).collect();
    assert!(!places.is_empty());
    for place in places {
        bytes[place..place + id.len()].copy_from_slice(RENAMED.as_bytes());
    }
    bytes
}

#[test]
fn the_component_of_an_own_gene_travels_with_its_bundle_and_is_trusted_by_nobody() {
    if !python() {
        return;
    }
    let component = renamed();
    let folder = tempfile::tempdir().unwrap();
    let author = TestEnv::new();
    let hub = Hub::start(&author, folder.path(), &[]);
    let theirs = quickstart(&author, Some(&validated_by(TEST)));
    fs::write(theirs.root().join("gene.wasm"), &component).unwrap();
    author.run(theirs.root(), &["gene", "sign", "gene.wasm"]).expect_code(0);
    let config = fs::read_to_string(theirs.root().join("gephost.toml")).unwrap();
    theirs.write("gephost.toml", &format!("{config}\n[genes]\nfiles = [{{ path = \"gene.wasm\" }}]\n"));
    let url = hub.url();
    for _ in 0..2 {
        let (ran, code) = author.json(theirs.root(), &["run", "--apply"]);
        assert_eq!(code, 0, "{ran}");
        let branch = ran["applied"]["tried"].as_array().unwrap().iter().find_map(|tried| tried["branch"].as_str());
        theirs.git(&author, &["branch", "-q", "-D", branch.unwrap()]);
    }
    let (published, code) = author.json(theirs.root(), &["a2a", "publish", "--recording", "--hub", &url]);
    assert_eq!(code, 0, "{published}");
    let asset = published["published"][0]["asset_id"].as_str().unwrap_or_else(|| panic!("{published}"));
    let capsule = hub.get(&format!("/a2a/assets/{asset}")).json();
    let gene = capsule["payload"]["gene"].as_str().unwrap();
    let digest = format!("sha256:{}", gephost_core::digest::sha256_hex(&component));
    let shown = hub.get(&format!("/a2a/assets/{gene}")).json();
    assert_eq!(shown["component"], json!(digest), "{shown:#}");
    let attested = hub.get(&format!("/a2a/components/{digest}/attestations")).json();
    assert_eq!(attested["count"], json!(1), "its signature travels along: {attested}");
    assert!(capsule["recording"].is_string(), "{capsule:#}");

    // Another user takes the bundle in. The gene does not run, and its component is not even here.
    let user = user_of(&hub, "require = \"signed\"\n");
    let project = TestProject::new(&user, &[("gephost.toml", "")]);
    let (fetched, code) = user.json(project.root(), &["a2a", "fetch", asset, gene]);
    assert_eq!((code, &fetched["imported"]["refused"]), (0, &json!(0)), "{fetched}");
    let id = shown["local_id"].as_str().unwrap();
    assert_eq!(id, RENAMED);
    let listed = user.json(project.root(), &["gene", "list"]).0.to_string();
    assert!(!listed.contains(id), "{listed}");
    // Adding it is the user's own step, and their policy decides: nobody whom they trust signed it, until they trust its author.
    let reference = format!("hub:{digest}");
    let (refused, code) = user.json(project.root(), &["gene", "add", &reference]);
    assert_eq!((code, &refused["error"]["code"]), (2, &json!("gene_not_signed")), "{refused}");
    let key = author.json(theirs.root(), &["gene", "key"]).0["key"].as_str().unwrap().to_owned();
    let friend = user_of(&hub, &format!("require = \"signed\"\nkeys = [{{ name = \"ann\", key = {key:?} }}]\n"));
    let (added, code) = friend.json(project.root(), &["gene", "add", &reference]);
    assert_eq!((code, &added["signature"]["state"]), (0, &json!("verified")), "{added}");
}
