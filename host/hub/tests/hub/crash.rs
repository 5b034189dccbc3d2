//! `kill -9` under load: every acknowledged publish is there afterwards.
//!
//! The test starts its own binary again as the server, since only a process can be killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gephost_hub::Hub;
use serde_json::{Value, json};

use crate::support::{bundle, hello, id, request, settings, unique_message};

const FOLDER: &str = "GEPHOST_HUB_TEST_FOLDER";

/// The server. Run as a test of its own it does nothing.
#[test]
fn serves_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let clock = Arc::new(jiff::Timestamp::now);
    let hub = Hub::open(settings(Path::new(&folder)), clock, None, Arc::new(|_| ())).expect("a hub");
    let forever = AtomicBool::new(false);
    let said = |address: SocketAddr| {
        // Whoever started this process reads it, or nobody does.
        let _ = writeln!(std::io::stderr(), "ready {address}");
    };
    hub.serve(&forever, said).expect("it serves");
}

fn start(folder: &Path) -> (Child, SocketAddr) {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["crash::serves_until_it_is_killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let address = lines
        .map_while(Result::ok)
        .find_map(|line| line.split("ready ").nth(1)?.trim().parse().ok())
        .expect("it is ready");
    (child, address)
}

fn message(node: &str, kind: &str, payload: Value) -> Vec<u8> {
    let message = json!({"protocol": "gep-a2a", "protocol_version": "1.0.0", "message_type": kind, "message_id": unique_message(),
        "sender_id": node, "timestamp": jiff::Timestamp::now().to_string(), "payload": payload});
    serde_json::to_vec(&message).expect("JSON")
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = "node_a000000000000001";
    let mut secret = None;
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..4_u64 {
        let (mut child, address) = start(folder.path());
        let bearer = secret.get_or_insert_with(|| {
            let answer = request(address, "POST", "/a2a/hello", &[], &message(node, "hello", hello())).ok();
            format!("Bearer {}", answer["node_secret"].as_str().expect("a secret"))
        });
        for id in &acknowledged {
            assert_eq!(
                request(address, "GET", &format!("/a2a/assets/{id}"), &[], b"").status,
                200,
                "{id} was acknowledged and is gone"
            );
        }
        let stop = AtomicBool::new(false);
        let stored = std::thread::scope(|scope| {
            let publishers: Vec<_> = (0..4)
                .map(|thread| {
                    let (stop, bearer) = (&stop, &*bearer);
                    scope.spawn(move || {
                        let mut stored = Vec::new();
                        for number in 0.. {
                            if stop.load(Ordering::SeqCst) {
                                break;
                            }
                            let assets = bundle(&format!(" {round} {thread} {number}"));
                            let body = message(node, "publish", json!({"assets": assets}));
                            // After the kill there is no answer.
                            let reply = std::panic::catch_unwind(|| {
                                request(address, "POST", "/a2a/publish", &[("authorization", bearer)], &body)
                            });
                            match reply {
                                Ok(reply) if reply.status == 200 => stored.push(id(&assets[1])),
                                _ => break,
                            }
                        }
                        stored
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(400 + 137 * round));
            child.kill().expect("killed");
            child.wait().expect("ended");
            stop.store(true, Ordering::SeqCst);
            publishers.into_iter().flat_map(|publisher| publisher.join().expect("no panic")).collect::<Vec<_>>()
        });
        assert!(!stored.is_empty(), "nothing was stored before the kill");
        acknowledged.extend(stored);
    }
    let (mut child, address) = start(folder.path());
    for id in &acknowledged {
        assert_eq!(
            request(address, "GET", &format!("/a2a/assets/{id}"), &[], b"").status,
            200,
            "{id} was acknowledged and is gone"
        );
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
}
