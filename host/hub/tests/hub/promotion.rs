//! Who gets promoted, and who does not.

use std::sync::Arc;

use gephost_hub::{Newcomers, ReplayOutcome, Replayer};
use serde_json::{Map, Value, json};

use crate::support::{Node, Running, bundle, bundle_with, digest, id, request};

const COMPONENT: &[u8] = include_bytes!("../../../../genes/dist/tool_failures.wasm");

fn report(hub: &Running, node: &Node, asset: &Value, ok: bool) -> Value {
    let report = json!({"report_id": "report_001", "overall_ok": ok, "env_fingerprint_key": "linux_x64"});
    hub.say(node, "report", json!({"target_asset_id": id(asset), "validation_report": report})).ok()
}

fn status(hub: &Running, asset: &Value) -> String {
    hub.get(&format!("/a2a/assets/{}", id(asset))).ok()["status"].as_str().expect("a status").to_owned()
}

#[test]
fn a_validation_of_a_team_mate_promotes_and_a_failed_majority_withdraws() {
    let hub = Running::start();
    let (author, one, two) = (hub.node("a000000000000001"), hub.node("a000000000000002"), hub.node("a000000000000003"));
    let third = hub.node("a000000000000004");
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    // One's own word counts nothing.
    assert_eq!(report(&hub, &author, &assets[1], true)["state"], "candidate");
    // A report on the gene counts for its bundle.
    assert_eq!(report(&hub, &one, &assets[0], true)["state"], "promoted");
    assert!(assets.iter().all(|asset| status(&hub, asset) == "promoted"));
    assert_eq!(report(&hub, &two, &assets[1], false)["state"], "promoted");
    assert_eq!(report(&hub, &third, &assets[1], false)["state"], "quarantined");
    let listed = hub.get(&format!("/a2a/validation-reports?asset_id={}", id(&assets[1]))).ok();
    assert_eq!(listed["count"], 4);
    assert_eq!(listed["reports"][0]["validation_report"]["report_id"], "report_001");
    assert_eq!(hub.get(&format!("/a2a/nodes/{}", author.id)).ok()["total_rejected"], 1);
}

#[test]
fn newcomers_of_a_public_hub_promote_nothing_however_many() {
    let hub = Running::with(|settings| settings.newcomers = Newcomers::Doubted, None);
    let author = hub.node("a000000000000001");
    let inflated = bundle_with(
        "",
        |_| {},
        |capsule| {
            capsule["confidence"] = json!(1.0);
            capsule["success_streak"] = json!(1_000_000);
            capsule["outcome"]["score"] = json!(1.0);
        },
    );
    hub.say(&author, "publish", json!({"assets": inflated})).ok();
    for number in 0..12 {
        let sybil = hub.node(&format!("b{number:015x}"));
        assert_eq!(report(&hub, &sybil, &inflated[1], true)["state"], "candidate");
        let bearer = format!("Bearer {}", sybil.secret.as_deref().expect("a secret"));
        hub.post(
            &format!("/a2a/assets/{}/vote", id(&inflated[1])),
            &[("authorization", &bearer)],
            b"{\"vote\":\"up\"}",
        )
        .ok();
    }
    // Nor do they take down what is promoted.
    let explained = hub.get(&format!("/a2a/assets/{}?explain=1", id(&inflated[1]))).ok();
    let unmet: Vec<_> = explained["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter(|rule| rule["met"] == false)
        .map(|rule| &rule["rule"])
        .collect();
    assert_eq!(unmet, ["evidence"], "{explained:#}");
    let sum: f64 =
        explained["gdi"]["parts"].as_array().expect("parts").iter().filter_map(|part| part["lower"].as_f64()).sum();
    assert!((sum - explained["gdi"]["lower"].as_f64().expect("a score")).abs() < 0.1);
}

#[test]
fn operators_decide_at_once() {
    let hub = Running::with(|settings| settings.operators = vec!["node_000000000000".to_owned()], None);
    let (author, operator) = (hub.node("a000000000000001"), hub.node("000000000000"));
    let assets = bundle("");
    hub.say(&author, "publish", json!({"assets": assets})).ok();
    for (word, state) in
        [("quarantine", "quarantined"), ("accept", "promoted"), ("reject", "rejected"), ("accept", "promoted")]
    {
        let decision = json!({"target_asset_id": id(&assets[1]), "decision": word, "reason": "because"});
        assert_eq!(hub.say(&operator, "decision", decision).ok()["state"], state);
        assert_eq!(status(&hub, &assets[1]), state);
    }
    let stats = hub.get("/a2a/stats").ok();
    assert_eq!(
        (&stats["bundles_by_status"]["promoted"], &stats["bundles_by_status"]["candidate"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(hub.get(&format!("/a2a/nodes/{}", author.id)).ok()["total_promoted"], 1);
}

struct Fixed(ReplayOutcome);

impl Replayer for Fixed {
    fn replay(
        &self,
        component: &[u8],
        recording: &[u8],
        gene: &Map<String, Value>,
        capsule: &Map<String, Value>,
    ) -> ReplayOutcome {
        assert_eq!((component, recording), (COMPONENT, &b"a recording"[..]));
        assert_eq!((gene["type"].as_str(), capsule["type"].as_str()), (Some("Gene"), Some("Capsule")));
        self.0.clone()
    }
}

#[test]
fn a_replay_decides_where_claims_do_not() {
    let check = |outcome: ReplayOutcome, state: &str, word: &str| {
        let hub = Running::with(|settings| settings.newcomers = Newcomers::Doubted, Some(Arc::new(Fixed(outcome))));
        let author = hub.node("a000000000000001");
        let recording = b"a recording";
        for (kind, bytes) in [("components", COMPONENT), ("recordings", &recording[..])] {
            let path = format!("/a2a/{kind}/{}", digest(bytes));
            assert_eq!(request(hub.address, "PUT", &path, &[], bytes).status, 201);
        }
        let assets = bundle_with(
            "",
            |gene| gene["component"] = json!({"digest": digest(COMPONENT), "size": COMPONENT.len(), "media_type": "application/wasm", "world": "heuristic"}),
            |_| {},
        );
        let recording = json!({"digest": digest(recording), "size": recording.len(), "media_type": "application/vnd.gephost.recording"});
        let answer = hub.say(&author, "publish", json!({"assets": assets, "recording": recording})).ok();
        assert_eq!((&answer["status"], &answer["replay"]), (&json!("candidate"), &json!("queued")));
        let path = format!("/a2a/assets/{}?explain=1", id(&assets[1]));
        Running::eventually("the replay", || hub.get(&path).ok()["replay"]["outcome"] == word);
        assert_eq!(hub.get(&path).ok()["status"], state);
    };
    check(ReplayOutcome::Same, "promoted", "same");
    check(ReplayOutcome::Differs("another patch".to_owned()), "quarantined", "differs");
    check(ReplayOutcome::Cannot("no fuel".to_owned()), "candidate", "cannot");
}

#[test]
fn newcomers_do_not_lift_a_rank_by_their_number() {
    let points = |newcomers: Newcomers, crowd: usize| -> Vec<f64> {
        let hub = Running::with(
            |settings| {
                settings.newcomers = newcomers;
                settings.operators = vec!["node_000000000000".to_owned()];
            },
            None,
        );
        let (author, operator) = (hub.node("a000000000000001"), hub.node("000000000000"));
        let assets = bundle("");
        hub.say(&author, "publish", json!({"assets": assets})).ok();
        hub.say(&operator, "decision", json!({"target_asset_id": id(&assets[1]), "decision": "accept"})).ok();
        let path = format!("/a2a/assets/{}", id(&assets[1]));
        for number in 0..crowd {
            let node = hub.node(&format!("c{number:015x}"));
            let bearer = format!("Bearer {}", node.secret.as_deref().expect("a secret"));
            for (what, body) in [("vote", json!({"vote": "up"})), ("reviews", json!({"rating": 5}))] {
                let body = body.to_string();
                hub.post(&format!("{path}/{what}"), &[("authorization", &bearer)], body.as_bytes()).ok();
            }
            hub.say(&node, "fetch", json!({"asset_ids": [id(&assets[1])]})).ok();
        }
        Running::eventually("the count of fetches", || {
            hub.get(&path).ok()["call_count"].as_i64() == i64::try_from(crowd).ok()
        });
        let shown = hub.get(&format!("{path}?explain=1")).ok();
        let parts = shown["gdi"]["parts"].as_array().expect("parts");
        let of = |name: &str| parts.iter().find(|part| part["part"] == name).and_then(|part| part["mean"].as_f64());
        ["votes", "reviews", "fetches", "distinct_fetchers"].map(|name| of(name).expect(name)).to_vec()
    };
    let (few, many) = (points(Newcomers::Doubted, 5), points(Newcomers::Doubted, 25));
    assert_eq!((few[0], few[1], few[3]), (many[0], many[1], many[3]), "{few:?} {many:?}");
    let believed = points(Newcomers::Believed, 25);
    assert!(believed.iter().zip(&many).all(|(believed, doubted)| believed >= doubted), "{believed:?} {many:?}");
    assert!(believed[0] > many[0] && believed[3] > many[3], "{believed:?} {many:?}");
}
