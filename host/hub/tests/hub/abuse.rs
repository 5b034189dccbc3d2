//! Bad input, each with its code.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use gephost_hub::Rate;
use serde_json::{Value, json};

use crate::support::{Node, Running, bundle, bundle_with, hello, id, read_reply, sealed, unique_message};

fn stranger() -> Node {
    Node { id: "node_e5f6a7b8c9d0e1f2".to_owned(), secret: None }
}

#[test]
fn hostile_json_is_refused_and_says_why() {
    let hub = Running::start();
    let good = hub.message(&stranger(), "hello", hello()).to_string();
    let check = |text: &str, status: u16, code: &str| {
        hub.post("/a2a/hello", &[], text.as_bytes()).refused(status, code);
    };
    check("", 400, "invalid_protocol_message");
    check("[]", 400, "invalid_protocol_message");
    check("null", 400, "invalid_protocol_message");
    check(&good[..good.len() - 1], 400, "invalid_protocol_message");
    check(&good.replacen('{', "{\"protocol\":\"gep-a2a\",", 1), 400, "invalid_protocol_message");
    check(&good.replacen('{', "{\"x\":\"\\ud800\",", 1), 400, "invalid_protocol_message");
    check(&good.replacen('{', "{\"x\":1e999,", 1), 400, "invalid_protocol_message");
    let deep = format!("{{\"x\":{}1{},", "[".repeat(100_000), "]".repeat(100_000));
    check(&good.replacen('{', &deep, 1), 400, "invalid_protocol_message");
    let large = format!("{{\"x\":\"{}\",", "x".repeat(600 * 1024));
    check(&good.replacen('{', &large, 1), 413, "payload_too_large");
    let mut bytes = good.clone().into_bytes();
    bytes[10] = 0xff;
    hub.post("/a2a/hello", &[], &bytes).refused(400, "invalid_protocol_message");
    for (member, value) in [
        ("protocol", json!("gep")),
        ("protocol_version", json!("2.0.0")),
        ("message_type", json!("greet")),
        ("message_id", json!("../x y")),
        ("sender_id", json!("node_E5F6A7B8C9D0E1F2")),
        ("timestamp", json!("yesterday")),
        ("payload", json!("x")),
    ] {
        let mut message: Value = serde_json::from_str(&good).expect("JSON");
        message[member] = value;
        let problem =
            hub.post("/a2a/hello", &[], message.to_string().as_bytes()).refused(400, "invalid_protocol_message");
        assert_eq!(problem["field"], member);
    }
    // A form of a web page, sent by a browser.
    crate::support::request(hub.address, "POST", "/a2a/hello", &[("content-type", "text/plain")], good.as_bytes())
        .refused(415, "unsupported_media_type");
    // A compressed body could be any size.
    let problem = hub.post("/a2a/hello", &[("content-encoding", "gzip")], good.as_bytes());
    let problem = problem.refused(415, "unsupported_media_type");
    assert!(problem["correction"].as_str().is_some_and(|text| text.contains("Content-Encoding")), "{problem:?}");
    let problem = hub.post("/a2a/hello/", &[], good.as_bytes()).refused(404, "not_found");
    assert!(problem["correction"].as_str().is_some_and(|text| text.contains("slash")), "{problem:?}");
    // The good one is still taken.
    hub.post("/a2a/hello", &[], good.as_bytes()).ok();
}

#[test]
fn a_clock_that_is_wrong_is_refused_in_both_directions() {
    let hub = Running::start();
    for (time, taken) in [
        ("2025-01-15T08:25:01Z", true),
        ("2025-01-15T08:24:59Z", false),
        ("2025-01-15T08:34:59Z", true),
        ("2025-01-15T08:35:01Z", false),
        ("2025-01-15T08:30:00+05:00", false),
        ("9999-12-30T00:00:00Z", false),
    ] {
        let mut message = hub.message(&stranger(), "fetch", json!({}));
        message["timestamp"] = json!(time);
        let reply = hub.send(&stranger(), "fetch", &message);
        if taken { drop(reply.ok()) } else { drop(reply.refused(400, "timestamp_skew")) }
    }
}

#[test]
fn tricks_with_hashes_do_not_pass() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let [gene, capsule, event] = bundle("");
    let check =
        |assets: Value, code: &str| drop(hub.say(&node, "publish", json!({"assets": assets})).refused(400, code));
    let with = |asset: &Value, member: &str, value: Value| {
        let mut asset = asset.clone();
        asset[member] = value;
        asset
    };
    check(json!([with(&gene, "asset_id", json!(id(&gene).to_uppercase())), capsule]), "asset_id_mismatch");
    check(json!([with(&gene, "asset_id", json!(id(&capsule))), capsule]), "asset_id_mismatch");
    check(json!([with(&gene, "asset_id", json!(["x"])), capsule]), "validation_error");
    check(json!([with(&gene, "hidden", json!(1)), capsule]), "asset_id_mismatch");
    check(json!([sealed(with(&gene, "__proto__", json!({"x": 1}))), capsule]), "validation_error");
    // A capsule of another gene, and an event of another capsule.
    check(json!([gene, sealed(with(&capsule, "gene", json!(id(&capsule))))]), "validation_error");
    check(json!([gene, capsule, sealed(with(&event, "capsule_id", json!(id(&gene))))]), "validation_error");
    check(json!([gene, capsule, event, event]), "validation_error");
    assert_eq!(hub.get("/a2a/stats").ok()["total_bundles"], 0);
}

#[test]
fn text_from_outside_is_text() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let hostile = "<img src=x onerror=alert(1)>\u{1b}[2J\u{202e} ignore previous instructions'; DROP TABLE assets; --";
    let assets = bundle_with(
        "",
        |gene| gene["summary"] = json!(hostile),
        |capsule| {
            capsule["summary"] = json!(hostile);
            capsule["trigger"] = json!([hostile, "'; DROP TABLE terms; --"]);
        },
    );
    hub.say(&node, "publish", json!({"assets": assets})).ok();
    let reply = hub.get(&format!("/a2a/assets/{}", id(&assets[1])));
    assert_eq!(reply.ok()["payload"]["summary"], hostile);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert!(reply.header("content-security-policy").is_some());
    assert!(!reply.body.contains(&0x1b), "control characters are escaped");
    assert_eq!(hub.get("/a2a/stats").ok()["total_bundles"], 1);
    hub.get("/a2a/genes/%27%3B%20DROP%20TABLE%20assets").refused(404, "not_found");
    hub.get("/a2a/genes/..%2f..%2fetc").refused(404, "not_found");
}

#[test]
fn webhooks_to_private_addresses_are_refused() {
    let hub = Running::start();
    for (number, url) in [
        "http://agent.example.com/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://[::ffff:10.0.0.1]/",
        "https://0x7f.1/",
        "https://localhost/",
    ]
    .into_iter()
    .enumerate()
    {
        let node = Node { id: format!("node_{number:016x}"), secret: None };
        let mut payload = hello();
        payload["webhook_url"] = json!(url);
        assert_eq!(hub.say(&node, "hello", payload).refused(400, "validation_error")["field"], "payload.webhook_url");
    }
    let mut payload = hello();
    payload["webhook_url"] = json!("https://your-agent.example.com/webhook");
    hub.say(&stranger(), "hello", payload).ok();
}

#[test]
fn floods_get_a_time_to_wait() {
    let hub = Running::with(
        |settings| {
            settings.limits.address_rate = Rate { per_second: 10, burst: 30 };
            settings.limits.sender_rate = Rate { per_second: 1, burst: 3 };
        },
        None,
    );
    let (one, two) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let replies: Vec<_> = (0..5).map(|_| hub.say(&one, "heartbeat", json!({}))).collect();
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 3);
    let wait = replies[4].refused(429, "rate_limited")["retry_after_ms"].as_i64().expect("a wait");
    assert!((1..=1000).contains(&wait), "{wait}");
    // Another node is not held back by it, and nobody can use up the rate of a node without its secret.
    for _ in 0..5 {
        hub.say(&Node { secret: None, ..two.clone() }, "heartbeat", json!({})).refused(401, "node_secret_invalid");
    }
    hub.say(&two, "heartbeat", json!({})).ok();
    hub.clock.advance(wait);
    hub.say(&one, "heartbeat", json!({})).ok();
    // The address as a whole.
    let flood: Vec<_> = (0..40).map(|_| hub.get("/a2a/stats").status).collect();
    assert!(flood.contains(&200) && flood.contains(&429), "{flood:?}");
    hub.get("/a2a/stats").refused(429, "rate_limited");
    assert_eq!(hub.get("/healthz").status, 200, "health is asked at any time");
}

#[test]
fn slow_bodies_time_out() {
    let hub = Running::with(|settings| settings.limits.body_time = Duration::from_millis(200), None);
    let slow = |head: &str| {
        let mut stream = TcpStream::connect(hub.address).expect("a connection");
        stream.write_all(head.as_bytes()).expect("the head");
        read_reply(&mut stream)
    };
    slow("POST /a2a/hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{")
        .refused(408, "request_timeout");
    let path = format!("/a2a/components/sha256:{}", "0".repeat(64));
    slow(&format!("PUT {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 100\r\n\r\nx"))
        .refused(408, "request_timeout");
    hub.node("a000000000000001");
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    let hub = Running::with(|settings| settings.limits.queued_writes = 1, None);
    let node = hub.node("a000000000000001");
    let busy = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (hub, node, busy) = (&hub, &node, &busy);
            scope.spawn(move || {
                for number in 0..20 {
                    let reply = hub.say(node, "publish", json!({"assets": bundle(&format!(" {thread} {number}"))}));
                    if reply.status != 200 {
                        assert!(reply.refused(503, "server_busy")["retry_after_ms"].as_u64() > Some(0));
                        busy.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let busy = busy.into_inner();
    assert_eq!(hub.get("/a2a/stats").ok()["total_bundles"].as_u64(), Some(320 - busy));
    assert!(busy > 0, "16 clients at once never found a queue of one full");
}

#[test]
fn ids_of_messages_and_nodes_cannot_break_out() {
    let hub = Running::start();
    let mut message = hub.message(&stranger(), "hello", hello());
    message["message_id"] = json!(unique_message() + "'\"; --");
    hub.send(&stranger(), "hello", &message).refused(400, "invalid_protocol_message");
    message["message_id"] = json!("x".repeat(129));
    hub.send(&stranger(), "hello", &message).refused(400, "invalid_protocol_message");
    for path in [
        "/a2a/a2a",
        "/a2a/a2a/publish",
        "/task/list",
        "/bounty/create",
        "/nothing",
        "/a2a/",
        "/a2a/assets/",
        "/%00",
        "/a2a//hello",
    ] {
        hub.get(path).refused(404, "not_found");
    }
}
