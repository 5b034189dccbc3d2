//! What fails at the hub itself: the operator reads why, and whoever sent the request only that it failed.

use gephost_tests::environment::TestEnv;
use gephost_tests::hub::Hub;
use serde_json::json;

use super::conformance::{bundle, envelope, member, post};
use crate::scene::python;

#[test]
fn a_fault_of_the_database_is_one_line_for_the_operator_and_nothing_for_others() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::start(&env, folder.path(), &[]);
    let answer = hub.post("/a2a/hello", &envelope("hello", 1, &json!({})));
    let secret = member(&answer, "node_secret").as_str().unwrap().to_owned();
    let assets = bundle();
    let publish = |number: u32| {
        post(&hub, &secret, "/a2a/publish", &envelope("publish", number, &json!({"assets": assets}))).status
    };
    assert_eq!(publish(2), 200);
    // Tables vanish while the hub runs.
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('DROP TABLE reviews'); \
                  c.execute('ALTER TABLE terms RENAME TO lost'); c.commit()";
    let dropped = env.command("python3", folder.path()).args(["-c", script, "hub.db"]).status().unwrap();
    assert!(dropped.success());
    let id = assets[1]["asset_id"].as_str().unwrap();
    let another = json!({"assets": [assets[0]]});
    let failing = [
        hub.get(&format!("/a2a/assets/{id}/reviews")),
        hub.get(&format!("/a2a/assets/{id}/reviews")),
        hub.get("/a2a/assets/search?signals=timeout"),
    ];
    for answer in &failing {
        let body = answer.json();
        assert_eq!((answer.status, &body["code"]), (500, &json!("internal_error")), "{body:#}");
        let text = body.to_string();
        assert!(!text.contains("no such table") && !text.contains("sqlite") && !text.contains("terms"), "{text}");
    }
    // A request that is wrong is no fault of the hub.
    let wrong = post(&hub, &secret, "/a2a/publish", &envelope("publish", 3, &another));
    assert_eq!(wrong.status, 400);
    let said = hub.end();
    let faults: Vec<&str> = said.lines().filter(|line| line.contains("failed")).collect();
    assert_eq!(faults.len(), 1, "a flood is one line: {said}");
    assert!(faults[0].contains("the database failed: ") && faults[0].contains("no such table: reviews"), "{said}");
    assert!(!said.contains(&secret) && !said.contains("TimeoutError"), "{said}");
}
