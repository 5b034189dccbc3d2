//! The messages of seed 002, from its own examples.

use gephost_core::a2a::NodeKey;
use serde_json::{Value, json};

use crate::support::{Node, Running, bundle, bundle_with, hello, id, unique_message};

#[test]
fn a_hello_gives_a_secret_and_a_claim_code_once() {
    let hub = Running::start();
    let node = Node { id: "node_e5f6a7b8c9d0e1f2".to_owned(), secret: None };
    let first = hub.message(&node, "hello", hello());
    let answer = hub.send(&node, "hello", &first).ok();
    assert_eq!((&answer["status"], &answer["your_node_id"]), (&json!("acknowledged"), &json!(node.id)));
    assert_eq!(answer["payload"]["node_secret"], answer["node_secret"]);
    let secret = answer["node_secret"].as_str().expect("a secret");
    assert!(secret.len() == 64 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let code = answer["claim_code"].as_str().expect("a code");
    assert!(answer["claim_url"].as_str().expect("a URL").ends_with(&format!("/claim/{code}")));
    assert_eq!(hub.get(&format!("/claim/{code}")).ok()["node_id"], node.id);
    // The answer got lost: the identical message gets it again.
    assert_eq!(hub.send(&node, "hello", &first).ok(), answer);
    // Another hello of the same node, with its secret, gets the same secret and code.
    let known = Node { secret: Some(secret.to_owned()), ..node.clone() };
    let again = hub.say(&known, "hello", hello()).ok();
    assert_eq!((&again["node_secret"], &again["claim_code"]), (&answer["node_secret"], &answer["claim_code"]));
    // Somebody else gets nothing of it.
    let stranger = hub.say(&node, "hello", hello()).ok();
    assert!(stranger.get("node_secret").is_none() && stranger.get("claim_code").is_none(), "{stranger:#}");
    let liar = Node { secret: Some("0".repeat(64)), ..node.clone() };
    assert!(hub.say(&liar, "hello", hello()).ok().get("node_secret").is_none());
    // The code is valid for 24 hours.
    hub.clock.advance(24 * 3_600_000 + 1);
    hub.get(&format!("/claim/{code}")).refused(404, "not_found");
    assert_ne!(hub.say(&known, "hello", hello()).ok()["claim_code"], answer["claim_code"]);
}

#[test]
fn a_key_is_pinned_at_the_first_signed_hello() {
    let hub = Running::start();
    let node = Node { id: "node_e5f6a7b8c9d0e1f2".to_owned(), secret: None };
    let signed = |seed: u8, kind: &str, payload: Value| {
        let mut message = hub.message(&node, kind, payload).as_object().cloned().expect("an object");
        NodeKey::new(&[seed; 32]).sign(&mut message).expect("signed");
        hub.send(&node, kind, &Value::Object(message))
    };
    assert_eq!(signed(1, "hello", hello()).ok()["key_pinned"], true);
    signed(2, "hello", hello()).refused(401, "signature_invalid");
    let assets = json!({"assets": bundle("")});
    signed(2, "publish", assets.clone()).refused(401, "signature_invalid");
    hub.say(&node, "publish", assets.clone()).refused(401, "node_secret_invalid");
    assert_eq!(signed(1, "publish", assets).ok()["authenticated"], true);
    // A forged member.
    let mut message = hub.message(&node, "heartbeat", json!({})).as_object().cloned().expect("an object");
    NodeKey::new(&[1; 32]).sign(&mut message).expect("signed");
    message.insert("payload".to_owned(), json!({"forged": 1}));
    hub.send(&node, "heartbeat", &Value::Object(message)).refused(401, "signature_invalid");
}

#[test]
fn whoever_has_the_key_of_an_id_takes_it_back() {
    let hub = Running::start();
    let key = NodeKey::new(&[9; 32]);
    let node = Node { id: gephost_core::a2a::NodeId::of_key(&key.public()).to_string(), secret: None };
    let squatter = hub.say(&node, "hello", hello()).ok();
    let mut message = hub.message(&node, "hello", hello()).as_object().cloned().expect("an object");
    key.sign(&mut message).expect("signed");
    let owner = hub.send(&node, "hello", &Value::Object(message)).ok();
    assert_ne!(squatter["node_secret"], owner["node_secret"]);
    let old = Node { secret: squatter["node_secret"].as_str().map(str::to_owned), ..node };
    hub.say(&old, "publish", json!({"assets": bundle("")})).refused(401, "node_secret_invalid");
}

#[test]
fn the_seed_s_bundle_is_published_and_says_what_happened() {
    let hub = Running::start();
    let node = hub.node("e5f6a7b8c9d0e1f2");
    let assets = bundle("");
    let answer = hub.say(&node, "publish", json!({"assets": assets})).ok();
    assert_eq!((&answer["status"], &answer["decision"]), (&json!("candidate"), &json!("accept")), "{answer:#}");
    // Clients in use take this member of the payload for the fate of the message, and know no `candidate`.
    assert_eq!((&answer["payload"]["state"], &answer["payload"]["status"]), (&json!("candidate"), &Value::Null));
    assert_eq!(answer["bundle_id"], answer["bundleId"]);
    assert_eq!(answer["assets"].as_array().map(Vec::len), Some(3));
    let unmet: Vec<_> = answer["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter(|rule| rule["met"] == false)
        .map(|rule| &rule["rule"])
        .collect();
    assert_eq!(unmet, ["evidence"]);
    for asset in &assets {
        let shown = hub.get(&format!("/a2a/assets/{}", id(asset))).ok();
        assert_eq!((&shown["payload"], &shown["status"]), (asset, &json!("candidate")));
    }
    // The same bundle again, by its publisher and by somebody else.
    let again = hub.say(&node, "publish", json!({"assets": assets})).ok();
    assert_eq!((&again["duplicate"], &again["bundle_id"]), (&json!(true), &answer["bundle_id"]));
    let other = hub.node("aaaaaaaaaaaaaaaa");
    hub.say(&other, "publish", json!({"assets": assets})).refused(409, "conflict");
    // Any order, without an event, on the same gene.
    let [gene, capsule, _] = bundle_with("", |_| {}, |capsule| capsule["success_streak"] = json!(4));
    let second = hub.say(&other, "publish", json!({"assets": [capsule, gene]})).ok();
    assert_eq!(second["status"], "candidate");
    assert_ne!(second["bundle_id"], answer["bundle_id"]);
    let completeness = |answer: &Value| {
        let parts = answer["gdi"]["parts"].as_array().expect("parts").clone();
        parts.iter().find(|part| part["part"] == "completeness").map(|part| part["mean"].clone())
    };
    assert_ne!(completeness(&answer), completeness(&second));
}

#[test]
fn every_error_row_of_the_seed_has_its_code() {
    let hub = Running::start();
    let node = hub.node("e5f6a7b8c9d0e1f2");
    let [gene, capsule, event] = bundle("");
    // Missing protocol envelope.
    let problem = hub.post("/a2a/publish", &[], b"{\"assets\":[]}").refused(400, "invalid_protocol_message");
    assert_eq!(problem["field"], "protocol");
    // Wrong method, double path.
    let reply = hub.get("/a2a/hello");
    assert_eq!(reply.header("allow"), Some("POST"));
    assert!(reply.refused(405, "method_not_allowed")["correction"].as_str().expect("a text").contains("POST"));
    let problem = hub.post("/a2a/a2a/hello", &[], b"{}").refused(404, "not_found");
    assert!(problem["correction"].as_str().expect("a text").contains("/a2a/hello"), "{problem:?}");
    // A single asset.
    hub.say(&node, "publish", json!({"asset": gene})).refused(400, "bundle_required");
    hub.say(&node, "publish", json!({"assets": [gene]})).refused(400, "bundle_required");
    // A wrong hash.
    let mut wrong = capsule.clone();
    wrong["confidence"] = json!(0.99);
    let problem = hub.say(&node, "publish", json!({"assets": [gene, wrong, event]})).refused(400, "asset_id_mismatch");
    assert_eq!(problem["field"], "payload.assets[1].asset_id");
    // A wrong secret.
    let liar = Node { secret: Some("f".repeat(64)), ..node.clone() };
    let reply = hub.say(&liar, "publish", json!({"assets": [gene, capsule, event]}));
    reply.refused(401, "node_secret_invalid");
    assert!(reply.header("www-authenticate").is_some());
    // Rejected by the quality gate.
    for (member, value, rule) in [
        ("outcome", json!({"status": "success", "score": 0.69}), "outcome_score"),
        ("outcome", json!({"status": "failure", "score": 0.9}), "outcome_success"),
        ("blast_radius", json!({"files": 0, "lines": 10}), "blast_radius_files"),
        ("blast_radius", json!({"files": 1, "lines": 0}), "blast_radius_lines"),
    ] {
        let assets = bundle_with(&format!(" {rule}"), |_| {}, |capsule| capsule[member] = value);
        let answer = hub.say(&node, "publish", json!({"assets": assets})).ok();
        assert_eq!((&answer["status"], &answer["decision"]), (&json!("rejected"), &json!("reject")), "{rule}");
        assert_eq!(answer["quality_gate"]["unmet"][0]["rule"], rule);
    }
    // Nothing matches.
    let answer = hub.say(&node, "fetch", json!({"asset_type": "Capsule", "signals": ["nothing like it"]})).ok();
    assert_eq!(answer["payload"]["results"], json!([]));
    // Another type than that of the path, and a component that is not here.
    let message = hub.message(&node, "fetch", json!({}));
    hub.send(&node, "publish", &message).refused(400, "message_type_mismatch");
    let assets = bundle_with(
        " with a component",
        |gene| gene["component"] = json!({"digest": format!("sha256:{}", "0".repeat(64)), "size": 1, "media_type": "application/wasm", "world": "gene"}),
        |_| {},
    );
    let problem = hub.say(&node, "publish", json!({"assets": assets})).refused(409, "component_missing");
    assert_eq!(problem["upload_to"], format!("/a2a/components/sha256:{}", "0".repeat(64)));
}

#[test]
fn a_fetch_searches_first_and_then_loads() {
    let hub = Running::with(|settings| settings.operators = vec!["node_000000000000".to_owned()], None);
    let (author, reader, operator) =
        (hub.node("a000000000000001"), hub.node("a000000000000002"), hub.node("000000000000"));
    let assets = bundle_with("", |gene| gene["id"] = json!("gene_retry"), |_| {});
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    let found = |payload: Value| {
        hub.say(&reader, "fetch", payload).ok()["payload"]["results"].as_array().cloned().expect("results")
    };
    assert!(found(json!({"signals": ["TimeoutError"]})).is_empty(), "a candidate is offered to nobody");
    assert!(found(json!({"asset_ids": [id(&assets[1])]})).is_empty());
    let accept = json!({"target_asset_id": id(&assets[1]), "decision": "accept", "reason": "Validation passed on all test environments"});
    assert_eq!(hub.say(&operator, "decision", accept).ok()["state"], "promoted");
    let results = found(json!({"search_only": true, "signals": ["timeout"], "asset_type": "Capsule"}));
    assert_eq!(results.len(), 1);
    assert!(results[0].get("payload").is_none());
    let results = found(json!({"asset_ids": [results[0]["asset_id"]]}));
    assert_eq!(results[0], assets[1], "nothing is around an asset, so that its id is that of the result");
    let answer = hub.say(&reader, "fetch", json!({"asset_ids": [id(&assets[1])]})).ok();
    let details = &answer["payload"]["details"][0];
    assert_eq!((&details["asset_id"], &details["status"]), (&assets[1]["asset_id"], &json!("promoted")), "{answer:#}");
    for payload in [
        json!({"asset_type": "Gene", "local_id": "gene_retry", "content_hash": null}),
        json!({"asset_type": "Gene", "content_hash": id(&assets[0])}),
        json!({"asset_type": "Gene"}),
        json!({"asset_type": "Gene", "signals": "TimeoutError,other"}),
    ] {
        assert_eq!(found(payload.clone())[0], assets[0], "{payload}");
    }
    assert_eq!(found(json!({})).len(), 3);
    let answer = hub.say(&reader, "fetch", json!({"include_tasks": true})).ok();
    assert_eq!(answer["payload"]["tasks"], json!([]));
    let answer = hub.say(&reader, "fetch", json!({"tasks_only": true})).ok();
    assert_eq!(answer["payload"]["results"], json!([]), "no assets where only tasks are asked for");
    for wrong in [
        json!({"asset_type": "gene"}),
        json!({"asset_ids": ["x"]}),
        json!({"signals": [1]}),
        json!({"limit": 0}),
        json!({"search_only": 1}),
        json!({"tasks_only": 1}),
    ] {
        hub.say(&reader, "fetch", wrong).refused(400, "validation_error");
    }
    // Fetches count, once for each node, and not the publisher's own.
    hub.say(&author, "fetch", json!({"asset_ids": [id(&assets[1])]})).ok();
    Running::eventually("the count of fetches", || {
        hub.get(&format!("/a2a/assets/{}", id(&assets[1]))).ok()["call_count"].as_i64() > Some(0)
    });
    assert_eq!(hub.get("/a2a/trending").ok()["count"], 1);
    assert_eq!(hub.get("/a2a/genes/gene_retry").ok()["asset_id"], assets[0]["asset_id"]);
}

#[test]
fn only_the_publisher_revokes_and_it_is_final() {
    let hub = Running::with(|settings| settings.operators = vec!["node_000000000000".to_owned()], None);
    let (author, other, operator) =
        (hub.node("a000000000000001"), hub.node("a000000000000002"), hub.node("000000000000"));
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    let accept = json!({"target_asset_id": id(&assets[1]), "decision": "accept"});
    hub.say(&operator, "decision", accept.clone()).ok();
    let revoke = json!({"target_asset_id": id(&assets[1]), "reason": "Superseded by improved version"});
    hub.say(&other, "revoke", revoke.clone()).refused(403, "forbidden");
    let unproven = Node { secret: None, ..author.clone() };
    hub.say(&unproven, "revoke", revoke.clone()).refused(401, "node_secret_invalid");
    let message = hub.message(&author, "revoke", revoke.clone());
    let answer = hub.send(&author, "revoke", &message).ok();
    assert_eq!((&answer["state"], &answer["changed"]), (&json!("revoked"), &json!(true)));
    // The identical message acts once.
    assert_eq!(hub.send(&author, "revoke", &message).ok()["changed"], false);
    for asset in &assets {
        let shown = hub.get(&format!("/a2a/assets/{}", id(asset))).ok();
        assert_eq!(shown["status"], "revoked");
        assert!(shown.get("payload").is_none());
    }
    let ids: Vec<_> = assets.iter().map(id).collect();
    let answer = hub.say(&other, "fetch", json!({"asset_ids": ids})).ok();
    assert_eq!(answer["payload"]["results"], json!([]));
    assert_eq!(hub.say(&other, "fetch", json!({"signals": ["TimeoutError"]})).ok()["payload"]["results"], json!([]));
    hub.say(&operator, "decision", accept).refused(409, "conflict");
    let answer = hub.say(&author, "publish", json!({"assets": assets})).ok();
    assert_eq!((&answer["status"], &answer["duplicate"]), (&json!("revoked"), &json!(true)));
    // The gene is withdrawn with its bundle, so others cannot build on it.
    let [gene, capsule, _] = bundle_with("", |_| {}, |capsule| capsule["success_streak"] = json!(5));
    hub.say(&other, "publish", json!({"assets": [gene, capsule]})).refused(409, "conflict");
    let target = format!("sha256:{}", "0".repeat(64));
    hub.say(&author, "revoke", json!({"target_asset_id": target})).refused(404, "not_found");
    hub.say(&author, "revoke", json!({"target_asset_id": "capsule_1"})).refused(400, "validation_error");
}

#[test]
fn a_decision_needs_the_right_to_decide() {
    let hub = Running::start();
    let (author, other) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    for word in ["accept", "reject", "quarantine"] {
        let decision = json!({"target_asset_id": id(&assets[1]), "decision": word});
        hub.say(&other, "decision", decision).refused(403, "forbidden");
    }
    hub.say(&other, "decision", json!({"target_asset_id": id(&assets[1]), "decision": "maybe"}))
        .refused(400, "validation_error");
    assert_eq!(hub.get(&format!("/a2a/assets/{}", id(&assets[1]))).ok()["status"], "candidate");
}

#[test]
fn unsigned_nodes_may_publish_unless_the_operator_asks_for_proof() {
    let hub = Running::start();
    let stranger = Node { id: "node_b000000000000001".to_owned(), secret: None };
    let answer = hub.say(&stranger, "publish", json!({"assets": bundle("")})).ok();
    assert_eq!((&answer["status"], &answer["authenticated"]), (&json!("candidate"), &json!(false)));
    let strict = Running::with(|settings| settings.require_auth = true, None);
    for (kind, payload) in [
        ("publish", json!({"assets": bundle("")})),
        ("report", json!({})),
        ("fetch", json!({})),
        ("heartbeat", json!({})),
    ] {
        strict.say(&stranger, kind, payload).refused(401, "node_secret_invalid");
    }
    assert!(strict.say(&stranger, "hello", hello()).ok()["node_secret"].is_string());
}

#[test]
fn a_message_acts_once() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let name = unique_message();
    let mut message = hub.message(&node, "publish", json!({"assets": bundle("")}));
    message["message_id"] = json!(name);
    let first = hub.send(&node, "publish", &message).ok();
    let second = hub.send(&node, "publish", &message).ok();
    assert_eq!((&first["bundle_id"], &second["duplicate"]), (&second["bundle_id"], &json!(true)));
    // Another message with the same id.
    message["payload"] = json!({"assets": bundle(" other")});
    hub.send(&node, "publish", &message).refused(409, "replayed_message");
    // Another node may have the same id by chance.
    let other = hub.node("a000000000000002");
    message["sender_id"] = json!(other.id);
    hub.send(&other, "publish", &message).ok();
    // An old message is refused for its time.
    hub.clock.advance(5 * 60_000 + 1);
    hub.send(&other, "publish", &message).refused(400, "timestamp_skew");
}

#[test]
fn everything_is_there_after_a_restart() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let assets = bundle("");
    hub.say(&node, "publish", json!({"assets": assets})).ok();
    let before = hub.get(&format!("/a2a/assets/{}", id(&assets[1]))).ok();
    let (folder, clock) = hub.stop();
    let hub = Running::again(folder, clock, |_| {}, None);
    assert_eq!(hub.get(&format!("/a2a/assets/{}", id(&assets[1]))).ok(), before);
    assert_eq!(hub.say(&node, "hello", hello()).ok()["node_secret"].as_str(), node.secret.as_deref());
}

#[test]
fn a_heartbeat_without_an_envelope_counts_for_the_node_whose_secret_it_shows() {
    let hub = Running::start();
    let (node, other) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let seen = || hub.get(&format!("/a2a/nodes/{}", node.id)).ok()["last_seen"].clone();
    let beat = |body: &Value, secret: Option<&str>| {
        let bearer = secret.map(|secret| format!("Bearer {secret}"));
        let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
        hub.post("/a2a/heartbeat", &headers, body.to_string().as_bytes())
    };
    let (secret, foreign) = (node.secret.as_deref(), other.secret.as_deref());
    hub.clock.advance(60_000);
    let before = seen();
    for name in ["sender_id", "node_id"] {
        let body = json!({name: node.id, "env_fingerprint": {"platform": "linux"}, "worker_enabled": false});
        beat(&body, None).refused(401, "node_secret_invalid");
        beat(&body, foreign).refused(401, "node_secret_invalid");
    }
    assert_eq!(seen(), before, "nobody proved to be the node");
    let answer = beat(&json!({"node_id": node.id, "sender_id": node.id}), secret).ok();
    assert_eq!((&answer["status"], &answer["your_node_id"]), (&json!("acknowledged"), &json!(node.id)));
    assert!(answer["next_heartbeat_ms"].as_u64() > Some(0), "clients sleep as long as the hub says: {answer:#}");
    assert_ne!(seen(), before);
    // What is no heartbeat of either form, and what is another message, needs its envelope.
    beat(&json!({}), secret).refused(400, "invalid_protocol_message");
    beat(&json!({"sender_id": node.id, "payload": {}}), secret).refused(400, "invalid_protocol_message");
    let bearer = format!("Bearer {}", secret.expect("a secret"));
    let body = json!({"sender_id": node.id}).to_string();
    hub.post("/a2a/revoke", &[("authorization", &bearer)], body.as_bytes()).refused(400, "invalid_protocol_message");
}

#[test]
fn the_id_of_a_gene_stays_with_the_node_that_published_it_first() {
    let hub = Running::start();
    let (first, second) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let friend = hub.node("a000000000000003");
    let publish = |node: &Node, tag: &str| {
        let assets = bundle_with(tag, |gene| gene["id"] = json!("gene_of_the_first"), |_| {});
        hub.say(node, "publish", json!({"assets": assets})).ok();
        assets
    };
    let promote = |assets: &[Value; 3]| {
        let report = json!({"target_asset_id": id(&assets[1]), "validation_report": {"overall_ok": true}});
        assert_eq!(hub.say(&friend, "report", report).ok()["state"], "promoted");
    };
    let shown = || hub.get("/a2a/genes/gene_of_the_first").ok()["asset_id"].clone();
    // Who only published it has no claim to it that others could not make as well.
    let candidate = publish(&second, " squatted");
    hub.get("/a2a/genes/gene_of_the_first").refused(404, "not_found");
    hub.say(&second, "revoke", json!({"target_asset_id": id(&candidate[1])})).ok();
    let own = publish(&first, " by the first");
    promote(&own);
    let foreign = publish(&second, " by the second");
    promote(&foreign);
    assert_eq!(shown(), own[0]["asset_id"], "a newer gene of another node does not take the id");
    let newer = publish(&first, " by the first, better");
    promote(&newer);
    assert_eq!(shown(), newer[0]["asset_id"], "the node itself replaces its gene");
    for assets in [&newer, &own] {
        hub.say(&first, "revoke", json!({"target_asset_id": id(&assets[1])})).ok();
    }
    // The other node's gene is still there by its asset id, and does not inherit the users of the name.
    hub.get("/a2a/genes/gene_of_the_first").refused(404, "not_found");
    assert_eq!(hub.get(&format!("/a2a/assets/{}", id(&foreign[0]))).ok()["status"], "promoted");
}

#[test]
fn a_client_that_knows_no_secrets_publishes_and_fetches_after_its_hello() {
    let hub = Running::start();
    let proven = hub.node("a000000000000001");
    let plain = Node { secret: None, ..proven.clone() };
    // Seed 002 as it stands: hello, publish, fetch, and nowhere a secret.
    let assets = bundle("");
    let answer = hub.say(&plain, "publish", json!({"assets": assets})).ok();
    assert_eq!((&answer["status"], &answer["authenticated"]), (&json!("candidate"), &json!(false)), "{answer:#}");
    hub.say(&plain, "fetch", json!({"asset_type": "Capsule"})).ok();
    // What changes the state of others, or ends something, needs the secret.
    let target = json!({"target_asset_id": id(&assets[1]), "validation_report": {"overall_ok": true}});
    for kind in ["report", "revoke", "heartbeat"] {
        hub.say(&plain, kind, target.clone()).refused(401, "node_secret_invalid");
    }
    let liar = Node { secret: Some("f".repeat(64)), ..proven.clone() };
    hub.say(&liar, "fetch", json!({})).refused(401, "node_secret_invalid");
    // From its first proof on, nobody publishes in its name without one.
    hub.say(&proven, "heartbeat", json!({})).ok();
    hub.say(&plain, "publish", json!({"assets": bundle(" other")})).refused(401, "node_secret_invalid");
    hub.say(&plain, "fetch", json!({})).ok();
    // It had the id when the bundle came, so it may withdraw it.
    hub.say(&proven, "revoke", json!({"target_asset_id": id(&assets[1])})).ok();
}

#[test]
fn whoever_takes_the_id_of_a_node_without_a_hello_does_not_revoke_its_assets() {
    let hub = Running::start();
    let author = Node { id: "node_b000000000000001".to_owned(), secret: None };
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    // The id is shown to everybody, and the first hello with it gets the secret.
    hub.clock.advance(1);
    let taker = hub.node("b000000000000001");
    for asset in &assets {
        let problem = hub.say(&taker, "revoke", json!({"target_asset_id": id(asset)})).refused(403, "forbidden");
        assert!(problem["correction"].as_str().is_some_and(|text| text.contains("operator")), "{problem:?}");
    }
    assert_eq!(hub.get(&format!("/a2a/assets/{}", id(&assets[1]))).ok()["status"], "candidate");
    // What it publishes itself is its own.
    let own = bundle(" own");
    hub.say(&taker, "publish", json!({"assets": own})).ok();
    hub.say(&taker, "revoke", json!({"target_asset_id": id(&own[1])})).ok();
}

#[test]
fn a_bundle_is_validated_without_being_published() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let assets = bundle("");
    let answer = hub.say(&node, "validate", json!({"assets": assets})).ok();
    assert_eq!((&answer["valid"], &answer["payload"]["valid"]), (&json!(true), &json!(true)), "{answer:#}");
    assert_eq!(answer["asset_ids"], json!(assets.each_ref().map(id)));
    assert_eq!(hub.get("/a2a/stats").ok()["total_bundles"], 0, "nothing is stored");
    let published = hub.say(&node, "publish", json!({"assets": assets})).ok();
    assert_eq!(published["bundle_id"], answer["bundle_id"]);
    // The quality gate is told, and whatever a publication refuses is refused the same.
    let weak = bundle_with("", |_| {}, |capsule| capsule["outcome"]["score"] = json!(0.5));
    let answer = hub.say(&node, "validate", json!({"assets": weak})).ok();
    assert_eq!((&answer["valid"], &answer["quality_gate"]["passed"]), (&json!(false), &json!(false)), "{answer:#}");
    let mut lie = assets[1].clone();
    lie["confidence"] = json!(0.99);
    hub.say(&node, "validate", json!({"assets": [assets[0], lie]})).refused(400, "asset_id_mismatch");
    hub.say(&node, "validate", json!({"asset": assets[0]})).refused(400, "bundle_required");
    hub.say(&Node { secret: Some("f".repeat(64)), ..node }, "validate", json!({})).refused(401, "node_secret_invalid");
}
