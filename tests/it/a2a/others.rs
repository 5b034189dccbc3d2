//! A client that others wrote, unchanged and as it is installed: it validates and publishes a bundle, and takes in what was
//! promoted, in two phases.

use std::fs;
use std::path::Path;
use std::process::Command;

use gephost_tests::environment::TestEnv;
use gephost_tests::hub::Hub;
use gephost_tests::repository;
use serde_json::{Value, json};

use super::conformance::{bundle_with, envelope, member, post};

/// Where `.ci/run` installs the npm package `@evomap/evolver`. It is only run, as any user of a hub may run it.
const CLIENT: &str = "target/tools/evolver/node_modules/@evomap/evolver/index.js";
const NODE: &str = "node_00000000000000e1";

/// Runs a command of the client. Gives the document that it prints last.
fn client(env: &TestEnv, folder: &Path, hub: &Hub, secret: &str, arguments: &[&str]) -> Value {
    let mut command: Command = env.command("node", folder);
    command.arg(repository().join(CLIENT)).args(arguments);
    command.env("A2A_HUB_URL", hub.url()).env("A2A_NODE_ID", NODE).env("A2A_NODE_SECRET", secret);
    // Its word for a hub on loopback.
    command.env("EVOMAP_HUB_ALLOW_INSECURE", "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().rev().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| {
        panic!("{error}: {said}{}", String::from_utf8_lossy(&output.stderr));
    })
}

/// Says hello as a node. Gives its secret.
fn hello(hub: &Hub, number: u32, node: &str) -> String {
    let mut message = envelope("hello", number, &json!({}));
    message["sender_id"] = node.into();
    let answer = hub.post("/a2a/hello", &message);
    member(&answer, "node_secret").as_str().unwrap_or_else(|| panic!("{:#}", answer.json())).to_owned()
}

#[test]
fn a_client_of_others_publishes_and_takes_in() {
    if !repository().join(CLIENT).is_file() {
        let how = "npm install --ignore-scripts --prefix target/tools/evolver @evomap/evolver@1.94.0";
        return gephost_tests::skipped(&format!("no @evomap/evolver: `{how}`"));
    }
    let (env, folder) = (TestEnv::new(), tempfile::tempdir().unwrap());
    let hub = Hub::start(&env, folder.path(), &["--team"]);
    let work = tempfile::tempdir().unwrap();
    let secret = hello(&hub, 1, NODE);
    // What the client asks of a bundle beyond the protocol.
    let [gene, capsule, _] = bundle_with(
        |gene| {
            gene["id"] = json!("gene_bounded_retry");
            gene["strategy"] = json!(["Add a retry around the failing call", "Bound it with an exponential backoff"]);
            gene["validation"] = json!(["node --version"]);
        },
        |capsule| {
            capsule["id"] = json!("capsule_bounded_retry");
            capsule["content"] = json!("The call is repeated at most five times, and waits twice as long each time.");
        },
    );
    fs::write(work.path().join("gene.json"), gene.to_string()).unwrap();
    fs::write(work.path().join("capsule.json"), capsule.to_string()).unwrap();
    let publish = ["publish", "--asset=gene.json", "--asset=capsule.json", "--json"];
    let published = client(&env, work.path(), &hub, &secret, &publish);
    assert_eq!((&published["ok"], &published["status"]), (&json!(true), &json!("accepted")), "{published:#}");
    // The client adds to a capsule before it publishes it.
    let listed = hub.get("/a2a/assets?status=candidate&type=Capsule").json();
    let id = listed["assets"][0]["asset_id"].as_str().unwrap_or_else(|| panic!("{listed:#}")).to_owned();
    // Another node validates it, and on a team's hub that promotes it.
    let other = hello(&hub, 2, "node_00000000000000e2");
    let mut report = envelope("report", 3, &json!({"target_asset_id": id, "validation_report": {"overall_ok": true}}));
    report["sender_id"] = json!("node_00000000000000e2");
    assert_eq!(member(&post(&hub, &other, "/a2a/report", &report), "state"), json!("promoted"));
    let reused = client(&env, work.path(), &hub, &secret, &["reuse", &format!("--id={id}"), "--json"]);
    assert_eq!((&reused["ok"], &reused["asset_id"]), (&json!(true), &json!(id)), "{reused:#}");
}
