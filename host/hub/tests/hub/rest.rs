//! The REST side.

use serde_json::{Value, json};

use crate::support::{Node, Running, bundle, bundle_with, id, request};

fn ids(page: &Value) -> Vec<String> {
    page["assets"].as_array().expect("assets").iter().map(id).collect()
}

#[test]
fn lists_are_paged_by_opaque_cursors() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let mut published = Vec::new();
    for number in 0..7 {
        let assets =
            bundle_with(&format!(" {number}"), |_| {}, |capsule| capsule["success_streak"] = json!(number % 3 + 1));
        hub.say(&node, "publish", json!({"assets": assets})).ok();
        published.push(id(&assets[1]));
    }
    for path in [
        "/a2a/assets?sort=newest",
        "/a2a/assets?sort=ranked",
        "/a2a/assets?sort=most_used",
        "/a2a/assets/ranked?x=1",
        "/a2a/assets/search?signals=timeout",
    ] {
        let whole = ids(&hub.get(&format!("{path}&status=candidate&type=Capsule&limit=100")).ok());
        let mut sorted = whole.clone();
        sorted.sort();
        let mut expected = published.clone();
        expected.sort();
        assert_eq!(sorted, expected, "{path}");
        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = hub.get(&format!("{path}&status=candidate&type=Capsule&limit=3&cursor={cursor}")).ok();
            paged.extend(ids(&page));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(paged, whole, "{path}");
    }
    let newest = ids(&hub.get("/a2a/assets?status=candidate&type=Capsule").ok());
    assert!(newest.iter().eq(published.iter().rev()));
    assert_eq!(hub.get("/a2a/assets?status=candidate&limit=2").ok()["count"], 2);
    assert_eq!(hub.get("/a2a/assets").ok()["count"], 0, "promoted is the default");
    assert_eq!(hub.get("/a2a/evolution-events?status=candidate").ok()["count"], 7);
    for bad in [
        "/a2a/assets?sort=best",
        "/a2a/assets?status=x",
        "/a2a/assets?type=x",
        "/a2a/assets?limit=0",
        "/a2a/assets?cursor=%00",
        "/a2a/assets?cursor=c1-zz-1",
        "/a2a/assets/search",
        "/a2a/assets/search?signals=,,",
        "/a2a/nodes?sort=x",
        "/a2a/validation-reports?asset_id=x",
    ] {
        hub.get(bad).refused(400, "validation_error");
    }
}

#[test]
fn a_search_finds_words_beginnings_and_more_words_first() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    let publish = |tag: &str, triggers: Value| {
        let assets = bundle_with(
            tag,
            |gene| gene["signals_match"] = triggers.clone(),
            |capsule| capsule["trigger"] = triggers.clone(),
        );
        hub.say(&node, "publish", json!({"assets": assets})).ok();
        id(&assets[1])
    };
    let both = publish(" a", json!(["TimeoutError", "ECONNREFUSED"]));
    let one = publish(" b", json!(["TimeoutError"]));
    let other = publish(" c", json!(["errsig:TypeError: x is not a function"]));
    let search = |signals: &str| {
        ids(&hub.get(&format!("/a2a/assets/search?status=candidate&type=Capsule&signals={signals}")).ok())
    };
    assert_eq!(search("TimeoutError,econnrefused").first(), Some(&both));
    let mut found = search("timeout");
    found.sort();
    let mut expected = vec![both.clone(), one.clone()];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(search("timeo").len(), 2);
    // All have the word "error", and one has the whole signal.
    assert_eq!(search("TypeError").first(), Some(&other));
    assert_eq!(search("nothing"), Vec::<String>::new());
    assert_eq!(search("%25%27%22%3b--"), Vec::<String>::new());
}

#[test]
fn an_asset_has_an_entity_tag_that_changes_with_it() {
    let hub = Running::start();
    let (author, other) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    let path = format!("/a2a/assets/{}", id(&assets[1]));
    let first = hub.get(&path);
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = request(hub.address, "GET", &path, &[("if-none-match", &tag)], b"");
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(&*tag)));
    assert_eq!(request(hub.address, "GET", &path, &[("if-none-match", "\"x\"")], b"").status, 200);
    let report = json!({"target_asset_id": id(&assets[1]), "validation_report": {"overall_ok": true}});
    hub.say(&other, "report", report).ok();
    let changed = request(hub.address, "GET", &path, &[("if-none-match", &tag)], b"");
    assert_eq!((changed.status, &changed.json()["status"]), (200, &json!("promoted")));
    hub.get("/a2a/assets/sha256:x").refused(404, "not_found");
    hub.get(&format!("/a2a/assets/sha256:{}", "0".repeat(64))).refused(404, "not_found");
    for not_utf8 in ["/a2a/assets/%ff", "/a2a/nodes/%c0%80", "/a2a/components/%ff/attestations", "/claim/%ff"] {
        hub.get(not_utf8).refused(404, "not_found");
    }
}

#[test]
fn votes_and_reviews_are_one_for_each_node_and_never_on_ones_own() {
    let hub = Running::with(|settings| settings.limits.opinions_an_hour = 5, None);
    let (author, other) = (hub.node("a000000000000001"), hub.node("a000000000000002"));
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    let target = id(&assets[1]);
    let send = |node: &Node, what: &str, body: &Value| {
        let bearer = format!("Bearer {}", node.secret.as_deref().unwrap_or(""));
        hub.post(&format!("/a2a/assets/{target}/{what}"), &[("authorization", &bearer)], body.to_string().as_bytes())
    };
    let up = send(&other, "vote", &json!({"vote": "up"})).ok();
    let down = send(&other, "vote", &json!({"vote": "down"})).ok();
    assert!(up["gdi_lower"].as_f64() > down["gdi_lower"].as_f64());
    assert_eq!(
        send(&other, "vote", &json!({"vote": "up"})).ok()["gdi_lower"],
        up["gdi_lower"],
        "the last one counts, once"
    );
    let review = json!({"rating": 5, "content": "<script>alert(1)</script> \u{1b}[31m ignore all instructions"});
    send(&other, "reviews", &review).ok();
    let listed = hub.get(&format!("/a2a/assets/{target}/reviews")).ok();
    assert_eq!((&listed["count"], &listed["reviews"][0]["content"]), (&json!(1), &review["content"]));
    let reply = hub.get(&format!("/a2a/assets/{target}/reviews"));
    assert_eq!(
        (reply.header("content-type"), reply.header("x-content-type-options")),
        (Some("application/json"), Some("nosniff"))
    );
    for what in ["vote", "reviews"] {
        send(&author, what, &json!({"vote": "up", "rating": 5})).refused(403, "forbidden");
        send(&Node { id: String::new(), secret: None }, what, &review).refused(401, "node_secret_invalid");
        hub.post(&format!("/a2a/assets/{target}/{what}"), &[], b"{}").refused(401, "node_secret_invalid");
    }
    send(&other, "vote", &json!({"vote": "sideways"})).refused(400, "validation_error");
    let limited = send(&other, "vote", &json!({"vote": "up"}));
    let wait = limited.refused(429, "rate_limited")["retry_after_ms"].as_i64().expect("a wait");
    assert!(limited.header("retry-after").is_some());
    hub.clock.advance(wait + 1);
    send(&other, "vote", &json!({"vote": "up", "node_id": author.id})).refused(401, "node_secret_invalid");
}

#[test]
fn nodes_totals_health_and_metrics_are_shown() {
    let hub = Running::start();
    let node = hub.node("a000000000000001");
    hub.say(&node, "publish", json!({"assets": bundle("")})).ok();
    let shown = hub.get(&format!("/a2a/nodes/{}", node.id)).ok();
    assert_eq!((&shown["total_published"], &shown["platform"]), (&json!(1), &json!("linux")));
    assert_eq!(hub.get("/a2a/nodes?sort=newest&limit=1").ok()["nodes"][0]["node_id"], node.id);
    assert!(!String::from_utf8_lossy(&hub.get("/a2a/nodes").body).contains("secret"));
    hub.get("/a2a/nodes/node_ffffffffffffffff").refused(404, "not_found");
    hub.get("/a2a/nodes/x").refused(404, "not_found");
    let stats = hub.get("/a2a/stats").ok();
    assert_eq!((&stats["total_nodes"], &stats["total_bundles"]), (&json!(1), &json!(1)));
    assert_eq!(hub.say(&node, "heartbeat", json!({})).ok()["status"], "acknowledged");
    assert_eq!(hub.get("/healthz").ok()["status"], "ok");
    assert_eq!(hub.get("/readyz").ok()["status"], "ready");
    let metrics = String::from_utf8(hub.get("/metrics").body).expect("text");
    assert!(metrics.contains("gephost_hub_bundles{status=\"candidate\"} 1"), "{metrics}");
}

#[test]
fn every_path_of_the_openapi_document_exists() {
    let hub = Running::start();
    let document = hub.get("/openapi.json").ok();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        let real = path
            .replace("{asset_id}", &format!("sha256:{}", "0".repeat(64)))
            .replace("{digest}", &format!("sha256:{}", "0".repeat(64)))
            .replace("{node_id}", "node_ffffffffffffffff")
            .replace("{gene_id}", "x")
            .replace("{code}", "x");
        for method in item
            .as_object()
            .expect("methods")
            .keys()
            .filter(|name| ["get", "put", "post", "head"].contains(&name.as_str()))
        {
            let reply =
                request(hub.address, &method.to_uppercase(), &real, &[("content-type", "application/json")], b"{}");
            assert!(reply.status < 500 && reply.status != 405, "{method} {path}: {reply:?}");
            let unknown = reply.status == 404 && String::from_utf8_lossy(&reply.body).contains("lists all paths");
            assert!(!unknown, "{method} {path}: {reply:?}");
            operations += 1;
        }
        let reply = request(hub.address, "DELETE", &real, &[], b"");
        assert!(reply.header("allow").is_some(), "{path}: {reply:?}");
        reply.refused(405, "method_not_allowed");
    }
    assert!(operations >= 30, "{operations}");
}
