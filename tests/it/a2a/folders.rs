//! Messages in a folder, without a hub; and messages in files, checked.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use super::nodes::eligible;
use crate::scene::{python, quickstart};

#[test]
fn a_bundle_travels_in_a_folder() {
    if !python() {
        return;
    }
    let (author, user) = (TestEnv::new(), TestEnv::new());
    let (project, capsule) = eligible(&author);
    let (sent, code) = author.json(project.root(), &["a2a", "publish", "--folder", "a2a"]);
    assert_eq!((code, &sent["published"][0]["capsule"]), (0, &json!(capsule)), "{sent}");
    let outbox = project.root().join("a2a/outbox/publish.jsonl");
    let line = fs::read_to_string(&outbox).unwrap();
    assert_eq!(line.lines().count(), 1);
    let (checked, code) = author.json(project.root(), &["a2a", "verify", "a2a/outbox/publish.jsonl"]);
    assert_eq!((code, &checked["signed"], &checked["is_recent"]), (0, &json!("node"), &json!(true)), "{checked}");
    assert_eq!(checked["shortfalls"], json!([]));

    let theirs = quickstart(&user, None);
    let inbox = theirs.root().join("carried/inbox");
    fs::create_dir_all(&inbox).unwrap();
    // What was changed on the way is refused, and the rest is taken in.
    let mut forged: Value = serde_json::from_str(&line).unwrap();
    forged["payload"]["assets"][1]["confidence"] = json!(0.99);
    fs::write(inbox.join("forged.jsonl"), format!("{forged}\nno message\n")).unwrap();
    fs::write(inbox.join("good.jsonl"), &line).unwrap();
    let (fetched, code) = user.json(theirs.root(), &["a2a", "fetch", "--folder", "carried"]);
    assert_eq!(code, 0, "{fetched}");
    assert_eq!(
        (fetched["imported"]["received"].as_array().unwrap().len(), &fetched["imported"]["refused"]),
        (2, &json!(2))
    );
    let sender: Value = serde_json::from_str(&line).unwrap();
    let verified = json!(format!("verified by {}", sender["sender_id"].as_str().unwrap()));
    assert_eq!(fetched["imported"]["received"][0]["signature"], verified, "{fetched}");
    let stored = fs::read_to_string(theirs.root().join(".gephost/gep/external_candidates.jsonl")).unwrap();
    let stored: Value = serde_json::from_str(stored.lines().next().unwrap()).unwrap();
    assert_eq!(stored["a2a"]["signature"], verified);
    let reasons = fetched["imported"]["refusals"].to_string();
    assert!(reasons.contains("the signature is not by this key"), "{reasons}");
    let again = user.json(theirs.root(), &["a2a", "fetch", "--folder", "carried"]).0;
    assert_eq!(again["imported"]["known"], json!(2), "{again}");
    // The same message without its signature is taken in elsewhere, as one that nobody signed.
    let other = quickstart(&user, None);
    let inbox = other.root().join("carried/inbox");
    fs::create_dir_all(&inbox).unwrap();
    let mut bare = sender;
    bare.as_object_mut().unwrap().remove("signature");
    fs::write(inbox.join("bare.jsonl"), format!("{bare}\n")).unwrap();
    let fetched = user.json(other.root(), &["a2a", "fetch", "--folder", "carried"]).0;
    assert_eq!(fetched["imported"]["received"][0]["signature"], json!("unsigned"), "{fetched}");
}

#[test]
fn a_message_in_a_file_is_checked_and_each_fault_is_named() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    let hello = json!({
        "protocol": "gep-a2a", "protocol_version": "1.0.0", "message_type": "hello",
        "message_id": "msg_1736934600_a1b2c3d4", "sender_id": "node_e5f6a7b8c9d0e1f2",
        "timestamp": "2025-01-15T08:30:00Z", "payload": {"capabilities": {}},
    });
    let check = |document: &Value, code: &str, field: &str| {
        project.write("message.json", &document.to_string());
        let (checked, exit) = env.json(project.root(), &["a2a", "verify", "message.json"]);
        let problem = &checked["problems"][0];
        assert_eq!((exit, &problem["code"], &problem["field"]), (1, &json!(code), &json!(field)), "{checked}");
        assert!(!problem["correction"].as_str().unwrap().is_empty());
    };
    project.write("message.json", &hello.to_string());
    let (checked, exit) = env.json(project.root(), &["a2a", "verify", "message.json"]);
    assert_eq!((exit, &checked["signed"], &checked["is_recent"]), (0, &json!("nobody"), &json!(false)), "{checked}");
    let with = |name: &str, value: Value| {
        let mut changed = hello.clone();
        changed[name] = value;
        changed
    };
    check(&hello["payload"], "invalid_protocol_message", "protocol");
    check(&with("protocol_version", json!("2.0.0")), "invalid_protocol_message", "protocol_version");
    check(&with("sender_id", json!("me")), "invalid_protocol_message", "sender_id");
    check(&with("signature", json!({"alg": "none"})), "signature_invalid", "signature.alg");
    check(&with("message_type", json!("publish")), "bundle_required", "payload.assets");
}

#[test]
fn no_hub_is_reached_that_nobody_named_or_if_the_network_is_refused() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    let refused = |arguments: &[&str], code: &str| {
        let (error, exit) = env.json(project.root(), arguments);
        assert_eq!((exit, &error["error"]["code"]), (2, &json!(code)), "{error}");
    };
    refused(&["a2a", "hello"], "no_hub");
    refused(&["a2a", "hello", "--hub", "http://hub.example"], "hub_address");
    refused(&["a2a", "hello", "--hub", "https://hub.example/a2a"], "hub_address");
    refused(&["a2a", "hello", "--hub", "http://127.0.0.1:1", "--offline"], "offline");
    // A repository cannot name one.
    project.write("gephost.toml", "[hub]\nurl = \"http://127.0.0.1:1\"\n");
    let (error, exit) = env.json(project.root(), &["a2a", "hello"]);
    assert_eq!(exit, 2, "{error}");
    project.write("gephost.toml", "");
    let (error, exit) = env.json(project.root(), &["a2a", "hello", "--hub", "http://127.0.0.1:1"]);
    assert_eq!((exit, &error["error"]["code"]), (1, &json!("hub_unreachable")), "{error}");
}
