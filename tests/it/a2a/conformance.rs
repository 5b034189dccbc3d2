//! The real hub over plain HTTP, with the examples of seed 002: every endpoint, and every row of its table of failures.

use gephost_core::digest;
use gephost_tests::environment::TestEnv;
use gephost_tests::hub::{Answer, Hub};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A hub, and its folder.
fn hub() -> (Hub, tempfile::TempDir, TestEnv) {
    let env = TestEnv::new();
    let folder = tempfile::tempdir().unwrap();
    (Hub::start(&env, folder.path(), &[]), folder, env)
}

/// The envelope of the seed, with what it says to replace.
pub(super) fn envelope(kind: &str, number: u32, payload: &Value) -> Value {
    json!({
        "protocol": "gep-a2a",
        "protocol_version": "1.0.0",
        "message_type": kind,
        "message_id": format!("msg_{}_{number:08x}", Timestamp::now().as_millisecond()),
        "sender_id": "node_e5f6a7b8c9d0e1f2",
        "timestamp": Timestamp::now().to_string(),
        "payload": payload,
    })
}

fn sealed(mut asset: Value) -> Value {
    digest::seal(asset.as_object_mut().unwrap()).unwrap();
    asset
}

/// The bundle of the seed, with its ids computed.
pub(super) fn bundle() -> [Value; 3] {
    bundle_with(|_| {}, |_| {})
}

/// The same, changed before the ids are computed.
pub(super) fn bundle_with(gene: impl FnOnce(&mut Value), capsule: impl FnOnce(&mut Value)) -> [Value; 3] {
    let mut first = json!({"type": "Gene", "schema_version": "1.5.0", "category": "repair",
        "signals_match": ["TimeoutError"], "summary": "Retry with exponential backoff on timeout errors"});
    gene(&mut first);
    let gene = sealed(first);
    let mut second = json!({"type": "Capsule", "schema_version": "1.5.0", "trigger": ["TimeoutError"],
        "gene": gene["asset_id"], "summary": "Fix API timeout with bounded retry and connection pooling",
        "confidence": 0.85, "blast_radius": {"files": 1, "lines": 10},
        "outcome": {"status": "success", "score": 0.85},
        "env_fingerprint": {"platform": "linux", "arch": "x64"}, "success_streak": 3});
    capsule(&mut second);
    let capsule = sealed(second);
    let event = sealed(json!({"type": "EvolutionEvent", "intent": "repair", "capsule_id": capsule["asset_id"],
        "genes_used": [gene["asset_id"]], "outcome": {"status": "success", "score": 0.85},
        "mutations_tried": 3, "total_cycles": 5}));
    [gene, capsule, event]
}

/// A member at the top of an answer, or in its payload.
pub(super) fn member(answer: &Answer, name: &str) -> Value {
    let document = answer.json();
    if document[name].is_null() { document["payload"][name].clone() } else { document[name].clone() }
}

/// Posts with the node's secret.
pub(super) fn post(hub: &Hub, secret: &str, path: &str, document: &Value) -> Answer {
    let headers = format!("content-type: application/json\r\nauthorization: Bearer {secret}\r\n");
    hub.request("POST", path, &headers, document.to_string().as_bytes())
}

#[test]
fn the_seed_s_examples_work_as_they_stand() {
    let (hub, _folder, _env) = hub();
    // Step 1: register.
    let hello = json!({"capabilities": {}, "gene_count": 0, "capsule_count": 0,
        "env_fingerprint": {"platform": "linux", "arch": "x64"}});
    let answer = hub.post("/a2a/hello", &envelope("hello", 1, &hello));
    assert_eq!((answer.status, member(&answer, "status")), (200, json!("acknowledged")), "{:#}", answer.json());
    assert_eq!(member(&answer, "your_node_id"), json!("node_e5f6a7b8c9d0e1f2"));
    let secret = member(&answer, "node_secret").as_str().unwrap().to_owned();
    assert!(secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    let code = member(&answer, "claim_code").as_str().unwrap().to_owned();
    assert!(member(&answer, "claim_url").as_str().unwrap().ends_with(&format!("/claim/{code}")));
    // Step 2: publish.
    let assets = bundle();
    let answer = post(&hub, &secret, "/a2a/publish", &envelope("publish", 2, &json!({"assets": assets})));
    assert_eq!((answer.status, member(&answer, "status")), (200, json!("candidate")), "{:#}", answer.json());
    let id = assets[1]["asset_id"].as_str().unwrap().to_owned();
    // The publisher sees at once what happened and why.
    let shown = hub.get(&format!("/a2a/assets/{id}?explain=1")).json();
    assert_eq!(shown["status"], "candidate");
    assert!(shown["gdi"]["parts"].as_array().is_some_and(|parts| parts.len() > 5), "{shown:#}");
    assert!(shown["rules"].as_array().is_some_and(|rules| rules.iter().any(|rule| rule["met"] == false)), "{shown:#}");
    // Step 3: fetch. Only what is promoted is given away.
    let fetch = json!({"asset_type": "Capsule", "local_id": null, "content_hash": null});
    let answer = post(&hub, &secret, "/a2a/fetch", &envelope("fetch", 3, &fetch));
    assert_eq!((answer.status, member(&answer, "results")), (200, json!([])), "{:#}", answer.json());
    let with_tasks = json!({"asset_type": "Capsule", "include_tasks": true});
    let answer = post(&hub, &secret, "/a2a/fetch", &envelope("fetch", 4, &with_tasks));
    assert_eq!((answer.status, member(&answer, "tasks")), (200, json!([])));
    // Report, decision, revoke.
    let report = json!({"target_asset_id": id,
        "validation_report": {"report_id": "report_001", "overall_ok": true, "env_fingerprint_key": "linux_x64"}});
    let answer = post(&hub, &secret, "/a2a/report", &envelope("report", 5, &report));
    assert_eq!(answer.status, 200, "{:#}", answer.json());
    let decision = json!({"target_asset_id": id, "decision": "accept", "reason": "Validation passed"});
    let answer = post(&hub, &secret, "/a2a/decision", &envelope("decision", 6, &decision));
    assert_eq!(answer.status, 403, "nobody decides about their own asset: {:#}", answer.json());
    let revoke = json!({"target_asset_id": id, "reason": "Superseded by improved version"});
    let answer = post(&hub, &secret, "/a2a/revoke", &envelope("revoke", 7, &revoke));
    assert_eq!(answer.status, 200, "{:#}", answer.json());
    assert_eq!(hub.get(&format!("/a2a/assets/{id}")).json()["status"], "revoked");
    // The endpoints without an envelope.
    for path in [
        "/a2a/assets?status=candidate&type=Capsule&limit=5&sort=newest",
        "/a2a/assets?sort=ranked",
        "/a2a/assets?sort=most_used",
        "/a2a/assets/search?signals=TimeoutError",
        "/a2a/assets/ranked?type=Gene&limit=5",
        "/a2a/nodes?limit=5",
        "/a2a/nodes/node_e5f6a7b8c9d0e1f2",
        "/a2a/stats",
        "/a2a/trending",
        "/a2a/validation-reports",
        "/a2a/evolution-events",
        "/openapi.json",
        "/healthz",
        "/readyz",
    ] {
        let answer = hub.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
    }
    assert!(hub.get("/metrics").body.starts_with(b"# "));
}

#[test]
fn every_failure_of_the_seed_s_table_has_its_answer() {
    let (hub, _folder, _env) = hub();
    let check = |answer: &Answer, status: u16, code: &str| {
        let body = answer.json();
        assert_eq!((answer.status, body["error"].as_str()), (status, Some(code)), "{body:#}");
        assert_eq!((&body["code"], &body["status"]), (&json!(code), &json!(status)), "{body:#}");
        assert!(body["correction"].as_str().is_some_and(|text| !text.is_empty()), "{body:#}");
        assert!(answer.head.contains("application/problem+json"), "{}", answer.head);
        body
    };
    // The payload alone: the most common mistake.
    let alone = check(&hub.post("/a2a/hello", &json!({"capabilities": {}})), 400, "invalid_protocol_message");
    assert!(alone["correction"].as_str().unwrap().contains("`payload`"), "{alone:#}");
    for kind in ["hello", "publish", "fetch", "report", "decision", "revoke"] {
        check(&hub.post(&format!("/a2a/{kind}"), &json!({})), 400, "invalid_protocol_message");
        // GET in place of POST, and the doubled prefix.
        let get = hub.get(&format!("/a2a/{kind}"));
        assert!(matches!(get.status, 404 | 405), "{kind}: {}", get.status);
        assert!(get.json()["correction"].as_str().unwrap().contains("POST"), "{:#}", get.json());
        let doubled = check(&hub.post(&format!("/a2a/a2a/{kind}"), &json!({})), 404, "not_found");
        assert!(doubled.to_string().contains("/a2a/"), "{doubled:#}");
    }
    check(&hub.post("/a2a/publish", &envelope("hello", 1, &json!({}))), 400, "message_type_mismatch");
    let [gene, capsule, _] = bundle();
    // A node that never said hello may publish, so the bundle is what is wrong.
    let publish = |number: u32, payload: Value| hub.post("/a2a/publish", &envelope("publish", number, &payload));
    check(&publish(2, json!({"asset": gene})), 400, "bundle_required");
    check(&publish(3, json!({"assets": [gene]})), 400, "bundle_required");
    let mut lie = capsule.clone();
    lie["confidence"] = json!(0.99);
    let mismatch = check(&publish(4, json!({"assets": [gene, lie]})), 400, "asset_id_mismatch");
    assert_eq!(mismatch["field"], "payload.assets[1].asset_id");
    let mut stale = envelope("hello", 5, &json!({}));
    stale["timestamp"] = json!("2025-01-15T08:30:00Z");
    check(&hub.post("/a2a/hello", &stale), 400, "timestamp_skew");
    // The quality gate: taken, and rejected.
    let mut weak = capsule.clone();
    weak["outcome"]["score"] = json!(0.5);
    let answer = publish(6, json!({"assets": [gene, sealed(weak)]}));
    assert_eq!((answer.status, member(&answer, "status")), (200, json!("rejected")), "{:#}", answer.json());
    // A secret that is not the node's.
    let hello = hub.post("/a2a/hello", &envelope("hello", 7, &json!({})));
    assert_eq!(hello.status, 200);
    let answer =
        post(&hub, &"0".repeat(64), "/a2a/publish", &envelope("publish", 8, &json!({"assets": [gene, capsule]})));
    check(&answer, 401, "node_secret_invalid");
    let nowhere = hub.get("/a2a/assets/sha256:00");
    assert!(matches!(nowhere.status, 400 | 404), "{}", nowhere.status);
}
