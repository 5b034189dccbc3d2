//! The hub does what its OpenAPI document says: schemathesis makes requests from the document, and checks every answer
//! against it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use gephost_core::digest::sha256_hex;
use gephost_hub::{Newcomers, Rate, Settings};
use gephost_runner::bundled::BUNDLED;
use gephost_tests::environment::TestEnv;
use gephost_tests::hub::Hub;
use gephost_tests::repository;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::conformance::{bundle, envelope, member, post};

/// Where `.ci/run` puts the packages of `tests/openapi/requirements.txt`.
const PACKAGES: &str = "target/tools/schemathesis";
/// Seconds that schemathesis makes requests.
const SECONDS: &str = "40";

/// The node of the seed's envelopes, which publishes.
const AUTHOR: &str = "node_e5f6a7b8c9d0e1f2";
/// The node in whose name schemathesis speaks. It is an operator, so its decisions count.
const SPEAKER: &str = "node_a1b2c3d4e5f60718";

/// Serves a hub without limits of rates while `then` runs.
fn with_unlimited_hub(folder: &Path, then: impl FnOnce(&Hub)) {
    let mut settings = Settings::new(folder.join("hub.db"), folder.join("blobs"), "127.0.0.1:0".parse().unwrap());
    let rate = Rate { per_second: 100_000, burst: 100_000 };
    (settings.limits.address_rate, settings.limits.sender_rate) = (rate, rate);
    settings.limits.opinions_an_hour = 1_000_000;
    settings.newcomers = Newcomers::Believed;
    settings.operators = vec![SPEAKER.to_owned()];
    let hub = gephost_hub::Hub::open(settings, Arc::new(Timestamp::now), None, Arc::new(|_| ())).unwrap();
    let stop = AtomicBool::new(false);
    let (ready, address) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| hub.serve(&stop, |address| ready.send(address).unwrap()).unwrap());
        let address = address.recv_timeout(Duration::from_secs(20)).unwrap();
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| then(&Hub::at(address))));
        stop.store(true, Ordering::SeqCst);
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// Says hello as the node with these digits. Gives its secret and its claim code.
fn hello(hub: &Hub, number: u32, node: &str) -> (String, String) {
    let mut message = envelope("hello", number, &json!({}));
    message["sender_id"] = node.into();
    let answer = hub.post("/a2a/hello", &message);
    let text = |name: &str| member(&answer, name).as_str().unwrap_or_else(|| panic!("{:#}", answer.json())).to_owned();
    (text("node_secret"), text("claim_code"))
}

/// Fills the hub, and says what is there, by the names that the paths of the document have.
fn fill(hub: &Hub, secret: &str, code: &str) -> Value {
    let assets = bundle();
    let answer = post(hub, secret, "/a2a/publish", &envelope("publish", 2, &json!({"assets": assets})));
    assert_eq!(answer.status, 200, "{:#}", answer.json());
    let ids: Vec<&Value> = assets.iter().map(|asset| &asset["asset_id"]).collect();
    let gene = BUNDLED.first().unwrap();
    let digest = format!("sha256:{}", sha256_hex(gene.bytes));
    for (kind, media_type) in [("components", "application/wasm"), ("recordings", "application/vnd.gephost.recording")]
    {
        // Bytes are kept once, so the recording is another one.
        let bytes = if kind == "components" { gene.bytes } else { b"a recording".as_slice() };
        let path = format!("/a2a/{kind}/sha256:{}", sha256_hex(bytes));
        let answer = hub.request("PUT", &path, &format!("content-type: {media_type}\r\n"), bytes);
        assert_eq!(answer.status, 201, "{path}: {}", String::from_utf8_lossy(&answer.body));
    }
    let digests = [digest, format!("sha256:{}", sha256_hex(b"a recording"))];
    json!({"asset_id": ids, "digest": digests, "node_id": [AUTHOR, SPEAKER], "gene_id": [gene.id], "code": [code]})
}

#[test]
fn every_answer_is_what_the_description_says() {
    let packages = repository().join(PACKAGES);
    if !packages.is_dir() {
        let how = format!("pip install --target {PACKAGES} -r tests/openapi/requirements.txt");
        return gephost_tests::skipped(&format!("no schemathesis: `{how}`"));
    }
    let folder = tempfile::tempdir().unwrap();
    let files = repository().join("tests/openapi");
    with_unlimited_hub(folder.path(), |hub| {
        let (author, code) = hello(hub, 1, AUTHOR);
        let known = fill(hub, &author, &code);
        // Another node speaks about what the first one published.
        let (secret, _) = hello(hub, 3, SPEAKER);
        let env = TestEnv::new();
        let mut command = env.command("python3", folder.path());
        command.args(["-m", "schemathesis.cli", "--config-file"]).arg(files.join("schemathesis.toml"));
        command.args(["run", &format!("{}/openapi.json", hub.url()), "--max-time", SECONDS]);
        command.args(["-H", &format!("Authorization: Bearer {secret}")]);
        command.env("SCHEMATHESIS_HOOKS", files.join("hooks.py")).env("PYTHONPATH", &packages);
        command.env("HUB_KNOWN", known.to_string()).env("HUB_NODE", SPEAKER);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let ran = command.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
        // A run that made no requests shows nothing. How many it makes in its time is the machine's speed.
        let generated = said.split("Test cases:").nth(1).and_then(|rest| rest.split_whitespace().next());
        let generated: u32 = generated.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{said}"));
        assert!(generated > 100 && said.contains("Tested: 3"), "{said}");
    });
}
