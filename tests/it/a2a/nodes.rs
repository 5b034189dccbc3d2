//! Two users and a hub: what one publishes is replayed, promoted, taken in by the other, reported, and withdrawn.

use std::fs;
use std::time::{Duration, Instant};

use gephost_tests::environment::TestEnv;
use gephost_tests::hub::Hub;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{python, quickstart, validated_by};

const TEST: &str = r#""python3 -m unittest discover -s tests""#;

/// A project with a capsule that held twice, and may be shared.
pub(super) fn eligible(env: &TestEnv) -> (TestProject, String) {
    let project = quickstart(env, Some(&validated_by(TEST)));
    for _ in 0..2 {
        let (ran, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!(code, 0, "{ran}");
        let branch = ran["applied"]["tried"].as_array().unwrap().iter().find_map(|tried| tried["branch"].as_str());
        project.git(env, &["branch", "-q", "-D", branch.unwrap()]);
    }
    let text = fs::read_to_string(project.root().join(".gephost/gep/capsules.json")).unwrap();
    let capsules: Value = serde_json::from_str(&text).unwrap();
    let capsule = capsules["capsules"][0]["id"].as_str().unwrap().to_owned();
    (project, capsule)
}

fn a2a(env: &TestEnv, project: &TestProject, hub: &Hub, arguments: &[&str]) -> (Value, i32) {
    let url = hub.url();
    let arguments: Vec<&str> = ["a2a"].into_iter().chain(arguments.iter().copied()).chain(["--hub", &url]).collect();
    env.json(project.root(), &arguments)
}

/// Waits until the hub has an asset in this state.
fn wait_for(hub: &Hub, asset: &str, state: &str) -> Value {
    let began = Instant::now();
    loop {
        let found = hub.get(&format!("/a2a/assets/{asset}?explain=1")).json();
        if found["status"] == state {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{found:#}");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn a_capsule_travels_is_replayed_promoted_taken_in_and_withdrawn() {
    if !python() {
        return;
    }
    let (author, user) = (TestEnv::new(), TestEnv::new());
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&author, folder.path(), &[]);
    let (project, capsule) = eligible(&author);

    let (hello, code) = a2a(&author, &project, &hub, &["hello"]);
    assert_eq!((code, &hello["has_secret"]), (0, &json!(true)), "{hello}");
    let node = hello["node"].as_str().unwrap().to_owned();
    assert!(hello["claim_url"].as_str().unwrap().starts_with(&hub.url()), "{hello}");
    let again = a2a(&author, &project, &hub, &["hello"]).0;
    assert_eq!((&again["node"], &again["has_secret"]), (&json!(node), &json!(true)));

    let (published, code) = a2a(&author, &project, &hub, &["publish", "--recording"]);
    assert_eq!(code, 0, "{published}");
    let row = &published["published"][0];
    assert_eq!((&row["capsule"], &row["known"]), (&json!(capsule), &json!(false)), "{published}");
    let asset = row["asset_id"].as_str().unwrap().to_owned();
    // The hub ran the recording again: that is the evidence which promotes it.
    let promoted = wait_for(&hub, &asset, "promoted");
    assert_eq!(promoted["source_node_id"], json!(node));
    let unmet: Vec<&Value> = promoted["rules"].as_array().unwrap().iter().filter(|rule| rule["met"] == false).collect();
    assert!(unmet.is_empty(), "{unmet:?}");
    // Published once: nothing is sent again.
    let again = a2a(&author, &project, &hub, &["publish"]).0;
    assert_eq!(again["published"][0]["known"], json!(true), "{again}");
    let status = a2a(&author, &project, &hub, &["status"]).0;
    let publication = &status["publications"][0];
    assert_eq!((&publication["state"], &publication["acknowledged"]), (&json!("promoted"), &json!(true)), "{status}");

    // Another user searches, and takes in what was found, as candidates.
    let theirs = quickstart(&user, None);
    let (found, code) = a2a(&user, &theirs, &hub, &["fetch", "--search-only", "--type", "capsule"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!((&found["found"][0]["asset_id"], &found["imported"]), (&json!(asset), &Value::Null), "{found}");
    assert_eq!(found["found"][0]["authenticated"], json!(true), "{found}");
    let (fetched, code) = a2a(&user, &theirs, &hub, &["fetch"]);
    assert_eq!(code, 0, "{fetched}");
    let received = fetched["imported"]["received"].as_array().unwrap();
    assert!(received.iter().any(|row| row["asset_id"] == json!(asset)), "{fetched}");
    assert_eq!(fetched["imported"]["refused"], json!(0), "{fetched}");
    let lines = fs::read_to_string(theirs.root().join(".gephost/gep/external_candidates.jsonl")).unwrap();
    let kept: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kept = kept.iter().find(|document| document["type"] == "Capsule").unwrap();
    assert_eq!(kept["a2a"]["status"], "external_candidate");
    assert_eq!(kept["a2a"]["signature"], "unsigned", "a hub passes no signature on");
    let confidence = kept["confidence"].as_f64().unwrap();
    assert!(confidence < 0.55, "{confidence}");

    // The user validates it by running it again, and reports.
    let (validated, code) = a2a(&user, &theirs, &hub, &["validate", &asset]);
    assert_eq!((code, &validated["result"]), (0, &json!("confirmed")), "{validated}");
    assert_eq!(validated["reported"], json!(true));
    let reports = hub.get(&format!("/a2a/validation-reports?asset_id={asset}")).json();
    assert!(reports.to_string().contains("\"replay\""), "{reports}");
    let (reported, code) = a2a(&user, &theirs, &hub, &["report", &asset, "--held", "--note", "it held here too"]);
    assert_eq!(code, 0, "{reported}");

    // Only its author withdraws it, and then it is gone.
    let (refused, code) = a2a(&user, &theirs, &hub, &["revoke", &asset, "--why", "not mine"]);
    assert_eq!(code, 4, "{refused}");
    let (revoked, code) = a2a(&author, &project, &hub, &["revoke", &asset, "--why", "a better one comes"]);
    assert_eq!(code, 0, "{revoked}");
    let (gone, code) = a2a(&user, &theirs, &hub, &["fetch", &asset]);
    assert_eq!((code, &gone["missing"]), (0, &json!([asset])), "{gone}");
    let status = a2a(&author, &project, &hub, &["status"]).0;
    assert_eq!(status["publications"][0]["state"], json!("revoked"), "{status}");
}

#[test]
fn what_may_not_be_shared_stays_here_and_every_rule_is_named() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&env, folder.path(), &[]);
    let project = quickstart(&env, Some(&validated_by(TEST)));
    let (nothing, code) = a2a(&env, &project, &hub, &["publish"]);
    assert_eq!((code, &nothing["published"]), (0, &json!([])), "{nothing}");
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let (kept, code) = a2a(&env, &project, &hub, &["publish"]);
    assert_eq!((code, &kept["published"]), (0, &json!([])), "{kept}");
    let rule = &kept["kept"][0]["rules"][0];
    assert_eq!(rule["rule"], json!("broadcast_eligible"), "{kept}");
    assert!(rule["message"].as_str().unwrap().contains("1 successes in a row"), "{rule}");
    let capsule = kept["kept"][0]["capsule"].as_str().unwrap();
    let (refused, code) = a2a(&env, &project, &hub, &["publish", capsule]);
    assert_eq!((code, &refused["error"]["code"]), (1, &json!("not_eligible")), "{refused}");
    let (unknown, code) = a2a(&env, &project, &hub, &["publish", "capsule_none"]);
    assert_eq!((code, &unknown["error"]["code"]), (2, &json!("no_such_capsule")), "{unknown}");
    assert_eq!(hub.get("/a2a/assets").json()["assets"], json!([]));
}

#[test]
fn a_synchronisation_fetches_and_publishes_once() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&env, folder.path(), &["--team"]);
    let (project, capsule) = eligible(&env);
    let (quiet, code) = a2a(&env, &project, &hub, &["sync"]);
    assert_eq!((code, &quiet["published"]["published"]), (0, &json!([])), "{quiet}");
    let (synced, code) = a2a(&env, &project, &hub, &["sync", "--publish"]);
    assert_eq!((code, &synced["published"]["published"][0]["capsule"]), (0, &json!(capsule)), "{synced}");
}

#[test]
fn a_hub_that_is_killed_has_everything_that_it_acknowledged() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&env, folder.path(), &[]);
    let (project, _) = eligible(&env);
    let published = a2a(&env, &project, &hub, &["publish"]).0;
    let asset = published["published"][0]["asset_id"].as_str().unwrap().to_owned();
    hub.kill();
    let (error, code) = env.json(project.root(), &["a2a", "status", "--hub", "http://127.0.0.1:1"]);
    assert_eq!((code, &error["publications"]), (0, &json!([])), "{error}");
    let hub = Hub::start(&env, folder.path(), &[]);
    assert_eq!(hub.get(&format!("/a2a/assets/{asset}")).json()["status"], "candidate");
}
