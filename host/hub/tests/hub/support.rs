//! A hub on a free port, and a client that speaks plain HTTP and knows nothing of the hub's own code.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use gephost_core::digest::{seal, sha256_hex};
use gephost_hub::{Hub, Newcomers, Rate, Replayer, Settings};
use serde_json::{Map, Value, json};

/// 2025-01-15T08:30:00Z, the time of the seed's examples.
pub(crate) const START: i64 = 1_736_929_800_000;

/// A clock that the test moves.
#[derive(Debug, Clone)]
pub(crate) struct TestClock(pub(crate) Arc<AtomicI64>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START)))
    }

    pub(crate) fn advance(&self, milliseconds: i64) {
        self.0.fetch_add(milliseconds, Ordering::SeqCst);
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0.load(Ordering::SeqCst)).expect("a time")
    }
}

/// A running hub.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) clock: TestClock,
    pub(crate) folder: tempfile::TempDir,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Generous limits, so that only the tests of limits meet them.
pub(crate) fn settings(folder: &Path) -> Settings {
    let mut settings =
        Settings::new(folder.join("hub.db"), folder.join("blobs"), "127.0.0.1:0".parse().expect("an address"));
    settings.limits.address_rate = Rate { per_second: 100_000, burst: 100_000 };
    settings.limits.sender_rate = Rate { per_second: 100_000, burst: 100_000 };
    settings.newcomers = Newcomers::Believed;
    settings
}

impl Running {
    pub(crate) fn start() -> Self {
        Self::with(|_| {}, None)
    }

    pub(crate) fn with(change: impl FnOnce(&mut Settings), replayer: Option<Arc<dyn Replayer>>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = TestClock::new();
        Self::again(folder, clock, change, replayer)
    }

    /// A hub on a folder that another one left.
    pub(crate) fn again(
        folder: tempfile::TempDir,
        clock: TestClock,
        change: impl FnOnce(&mut Settings),
        replayer: Option<Arc<dyn Replayer>>,
    ) -> Self {
        let mut settings = settings(folder.path());
        change(&mut settings);
        let reads = clock.clone();
        let hub = Hub::open(settings, Arc::new(move || reads.now()), replayer, Arc::new(|_| ())).expect("a hub");
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        let (send, addresses) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            hub.serve(&stopping, |address| send.send(address).expect("the test waits")).expect("it serves");
        });
        let address = addresses.recv_timeout(Duration::from_secs(20)).expect("it is ready");
        Self { address, clock, folder, stop, thread: Some(thread) }
    }

    /// Stops the hub and keeps what it wrote.
    pub(crate) fn stop(mut self) -> (tempfile::TempDir, TestClock) {
        self.end();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().expect("a folder"));
        (folder, self.clock.clone())
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        request(self.address, "GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let headers: Vec<_> =
            [("content-type", "application/json")].into_iter().chain(headers.iter().copied()).collect();
        request(self.address, "POST", path, &headers, body)
    }

    /// Sends a message as a node, with its secret if it has one.
    pub(crate) fn say(&self, node: &Node, kind: &str, payload: Value) -> Reply {
        let message = self.message(node, kind, payload);
        self.send(node, kind, &message)
    }

    pub(crate) fn send(&self, node: &Node, kind: &str, message: &Value) -> Reply {
        let bearer = node.secret.as_ref().map(|secret| format!("Bearer {secret}"));
        let headers: Vec<_> = bearer.iter().map(|bearer| ("authorization", bearer.as_str())).collect();
        self.post(&format!("/a2a/{kind}"), &headers, &serde_json::to_vec(message).expect("JSON"))
    }

    pub(crate) fn message(&self, node: &Node, kind: &str, payload: Value) -> Value {
        json!({
            "protocol": "gep-a2a",
            "protocol_version": "1.0.0",
            "message_type": kind,
            "message_id": unique_message(),
            "sender_id": node.id,
            "timestamp": self.clock.now().to_string(),
            "payload": payload,
        })
    }

    /// A new node that said hello.
    pub(crate) fn node(&self, digits: &str) -> Node {
        let mut node = Node { id: format!("node_{digits}"), secret: None };
        let reply = self.say(&node, "hello", hello());
        assert_eq!(reply.status, 200, "{reply:?}");
        node.secret = reply.json()["node_secret"].as_str().map(str::to_owned);
        assert_eq!(node.secret.as_ref().map(String::len), Some(64));
        node
    }

    /// Waits for something that the hub does in the background.
    pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
        for _ in 0..400 {
            if holds() {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("{what} did not happen");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// A node of the test.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
}

pub(crate) fn unique_message() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("msg_1736929800_{:08x}", NEXT.fetch_add(1, Ordering::SeqCst))
}

/// The payload of the seed's hello.
pub(crate) fn hello() -> Value {
    json!({"capabilities": {}, "gene_count": 0, "capsule_count": 0, "env_fingerprint": {"platform": "linux", "arch": "x64"}})
}

pub(crate) fn sealed(mut asset: Value) -> Value {
    seal(asset.as_object_mut().expect("an object")).expect("an id");
    asset
}

/// The seed's bundle with computed ids. `tag` makes it another one.
pub(crate) fn bundle(tag: &str) -> [Value; 3] {
    bundle_with(tag, |_| {}, |_| {})
}

/// The seed's bundle, changed before the ids are computed.
pub(crate) fn bundle_with(tag: &str, gene: impl FnOnce(&mut Value), capsule: impl FnOnce(&mut Value)) -> [Value; 3] {
    let mut first = json!({"type": "Gene", "schema_version": "1.5.0", "category": "repair", "signals_match": ["TimeoutError"],
        "summary": format!("Retry with exponential backoff on timeout errors{tag}")});
    gene(&mut first);
    let first = sealed(first);
    let mut second = json!({"type": "Capsule", "schema_version": "1.5.0", "trigger": ["TimeoutError"], "gene": first["asset_id"],
        "summary": format!("Fix API timeout with bounded retry and connection pooling{tag}"), "confidence": 0.85,
        "blast_radius": {"files": 1, "lines": 10}, "outcome": {"status": "success", "score": 0.85},
        "env_fingerprint": {"platform": "linux", "arch": "x64"}, "success_streak": 3});
    capsule(&mut second);
    let second = sealed(second);
    let third = sealed(json!({"type": "EvolutionEvent", "intent": "repair", "capsule_id": second["asset_id"],
        "genes_used": [first["asset_id"]], "outcome": {"status": "success", "score": 0.85}, "mutations_tried": 3,
        "total_cycles": 5}));
    [first, second, third]
}

pub(crate) fn id(asset: &Value) -> String {
    asset["asset_id"].as_str().expect("an id").to_owned()
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256_hex(bytes))
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Asserts a refusal with this code, in both forms, with a correction.
    pub(crate) fn refused(&self, status: u16, code: &str) -> Map<String, Value> {
        let body = self.json();
        assert_eq!((self.status, body["error"].as_str()), (status, Some(code)), "{body:#}");
        assert_eq!((&body["code"], &body["status"]), (&json!(code), &json!(status)), "{body:#}");
        for member in ["message", "correction", "type", "title", "detail"] {
            assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {body:#}");
        }
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        body.as_object().cloned().expect("an object")
    }

    pub(crate) fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, String::from_utf8_lossy(&self.body));
        self.json()
    }
}

pub(crate) fn request(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    // The hub may answer and close before it has read everything.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    read_reply(&mut stream)
}

pub(crate) fn read_reply(stream: &mut TcpStream) -> Reply {
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end =
        bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {bytes:?}"));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok()).expect("a status");
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = bytes[end + 4..].to_vec();
    if headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
        body = unchunked(&body);
    }
    Reply { status, headers, body }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    whole
}
