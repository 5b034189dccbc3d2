//! Components and recordings that nobody needs.

use std::path::PathBuf;

use serde_json::json;

use crate::support::{Running, bundle_with, digest, id, request};

const COMPONENT: &[u8] = include_bytes!("../../../../genes/dist/tool_failures.wasm");
const DAY: i64 = 86_400_000;

fn put(hub: &Running, kind: &str, bytes: &[u8]) -> u16 {
    request(hub.address, "PUT", &format!("/a2a/{kind}s/{}", digest(bytes)), &[], bytes).status
}

fn file(hub: &Running, bytes: &[u8]) -> PathBuf {
    let name = digest(bytes).trim_start_matches("sha256:").to_owned();
    hub.folder.path().join("blobs/sha256").join(&name[..2]).join(name)
}

#[test]
fn bytes_that_nobody_needs_are_removed_after_a_month() {
    let hub = Running::start();
    assert_eq!((put(&hub, "component", COMPONENT), put(&hub, "recording", b"unused")), (201, 201));
    assert_eq!(put(&hub, "recording", b"fetched"), 201);
    let node = hub.node("a000000000000001");
    let component = json!({"digest": digest(COMPONENT), "size": COMPONENT.len(), "media_type": "application/wasm", "world": "heuristic"});
    let assets = bundle_with("", |gene| gene["component"] = component.clone(), |_| {});
    hub.say(&node, "publish", json!({"assets": assets})).ok();
    hub.clock.advance(29 * DAY);
    let fetched = format!("/a2a/recordings/{}", digest(b"fetched"));
    assert_eq!(hub.get(&fetched).status, 200);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert!(file(&hub, b"unused").exists(), "not yet");
    hub.clock.advance(2 * DAY);
    Running::eventually("the sweep", || !file(&hub, b"unused").exists());
    hub.get(&format!("/a2a/recordings/{}", digest(b"unused"))).refused(404, "not_found");
    assert_eq!(hub.get(&fetched).status, 200, "somebody asked for it");
    let path = format!("/a2a/components/{}", digest(COMPONENT));
    assert!(file(&hub, COMPONENT).exists(), "a gene names it");
    // What was removed can come back.
    assert_eq!(put(&hub, "recording", b"unused"), 201);
    // A revoked gene keeps nothing here.
    hub.say(&node, "revoke", json!({"target_asset_id": id(&assets[1])})).ok();
    hub.clock.advance(31 * DAY);
    Running::eventually("the sweep", || !file(&hub, COMPONENT).exists());
    hub.get(&path).refused(404, "not_found");
    // A bundle cannot name what is gone.
    let late = bundle_with(" late", |gene| gene["component"] = component.clone(), |_| {});
    hub.say(&node, "publish", json!({"assets": late})).refused(409, "component_missing");
}

#[test]
fn only_a_file_that_the_hub_marked_is_removed() {
    let hub = Running::start();
    let (marked, foreign) = (file(&hub, b"marked"), file(&hub, b"foreign"));
    for place in [&marked, &foreign] {
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, b"x").expect("a file");
    }
    let (folder, clock) = hub.stop();
    // What a crash between the mark and the row leaves.
    let mark = hex(&digest(b"marked"));
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(async {
        use sqlx::Connection as _;
        let url = format!("sqlite:{}", folder.path().join("hub.db").display());
        let mut connection = sqlx::SqliteConnection::connect(&url).await.expect("the database");
        let query = sqlx::query("INSERT INTO blob_marks (digest) VALUES (?)").bind(mark);
        query.execute(&mut connection).await.expect("a mark");
        connection.close().await.expect("closed");
    });
    let hub = Running::again(folder, clock, |_| {}, None);
    Running::eventually("the sweep", || !file(&hub, b"marked").exists());
    assert!(file(&hub, b"foreign").exists());
}

#[test]
fn bytes_stored_as_a_recording_are_no_less_a_component() {
    let hub = Running::start();
    assert_eq!(put(&hub, "recording", COMPONENT), 201);
    assert_eq!(put(&hub, "component", COMPONENT), 201, "nobody can take a component its place");
    assert_eq!(hub.get(&format!("/a2a/components/{}", digest(COMPONENT))).status, 200);
    let path = format!("/a2a/recordings/{}", digest(COMPONENT));
    request(hub.address, "PUT", &path, &[], COMPONENT).refused(409, "conflict");
}

fn hex(digest: &str) -> Vec<u8> {
    let digits = digest.trim_start_matches("sha256:");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
}
