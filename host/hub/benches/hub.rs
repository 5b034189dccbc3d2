//! How fast a hub is: fetch by id against a bare route, durable publishes, and searches over many assets.
//!
//! `cargo bench -p gephost-hub`. The load generator shares the machine with the hub, so ratios say more than rates.
//! `--quick` uses a small database. The large one has 1,000,000 bundles and takes some minutes and 3 GB of disk.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a bench prints, and reads clocks and files")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gephost_core::digest::seal;
use gephost_hub::{Hub, Rate, Settings};
use serde_json::{Value, json};

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick" || argument == "--test");
    let seconds = Duration::from_millis(if quick { 500 } else { 4000 });
    let bundles: u64 = if quick { 2_000 } else { 1_000_000 };
    let folder = tempfile::tempdir().expect("a folder");
    let hub = start(folder.path());
    fetch_by_id(hub, seconds);
    publish(hub, seconds);
    search(folder.path(), bundles, seconds);
}

/// A hub on a thread that ends with the process.
fn start(folder: &Path) -> SocketAddr {
    let mut settings =
        Settings::new(folder.join("hub.db"), folder.join("blobs"), "127.0.0.1:0".parse().expect("an address"));
    settings.limits.address_rate = Rate { per_second: 10_000_000, burst: 10_000_000 };
    settings.limits.sender_rate = settings.limits.address_rate;
    let hub = Hub::open(settings, Arc::new(jiff::Timestamp::now), None, Arc::new(|_| ())).expect("a hub");
    let (send, ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        static NEVER: AtomicBool = AtomicBool::new(false);
        hub.serve(&NEVER, |address| send.send(address).expect("the bench waits")).expect("it serves");
    });
    ready.recv().expect("it is ready")
}

/// A connection that is kept.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("an option");
        Self(BufReader::new(stream))
    }

    fn ask(&mut self, head: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let request = [
            format!("{head}host: x\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len())
                .as_bytes(),
            body,
        ]
        .concat();
        self.0.get_mut().write_all(&request).expect("sent");
        let (mut status, mut length) = (0, 0);
        let mut line = String::new();
        loop {
            line.clear();
            self.0.read_line(&mut line).expect("an answer");
            if status == 0 {
                status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("a body");
        (status, body)
    }

    fn get(&mut self, path: &str) -> Vec<u8> {
        let (status, body) = self.ask(&format!("GET {path} HTTP/1.1\r\n"), b"");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        body
    }
}

fn sealed(mut asset: Value) -> Value {
    seal(asset.as_object_mut().expect("an object")).expect("an id");
    asset
}

fn bundle(number: u64) -> [Value; 3] {
    let signal = format!("Failure{}Error", number % 5000);
    let gene =
        sealed(json!({"type": "Gene", "schema_version": "1.5.0", "category": "repair", "signals_match": [signal],
        "summary": format!("Retry with exponential backoff on failure {number}")}));
    let capsule = sealed(
        json!({"type": "Capsule", "schema_version": "1.5.0", "trigger": [signal, "TimeoutError"], "gene": gene["asset_id"],
        "summary": format!("Fix API timeout with bounded retry and connection pooling {number}"), "confidence": 0.85,
        "blast_radius": {"files": 1, "lines": 10}, "outcome": {"status": "success", "score": 0.85},
        "env_fingerprint": {"platform": "linux", "arch": "x64"}, "success_streak": 3}),
    );
    let event = sealed(json!({"type": "EvolutionEvent", "intent": "repair", "capsule_id": capsule["asset_id"],
        "genes_used": [gene["asset_id"]], "outcome": {"status": "success", "score": 0.85}}));
    [gene, capsule, event]
}

fn message(node: &str, kind: &str, number: u64, payload: &Value) -> Vec<u8> {
    let message = json!({"protocol": "gep-a2a", "protocol_version": "1.0.0", "message_type": kind, "message_id": format!("msg_{number}"),
        "sender_id": node, "timestamp": jiff::Timestamp::now().to_string(), "payload": payload});
    serde_json::to_vec(&message).expect("JSON")
}

fn hello(connection: &mut Connection, node: &str) -> String {
    let (status, body) = connection.ask("POST /a2a/hello HTTP/1.1\r\n", &message(node, "hello", u64::MAX, &json!({})));
    let answer: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(status, 200, "{answer}");
    answer["node_secret"].as_str().expect("a secret").to_owned()
}

/// The same bytes from the hub and from a bare axum route in the same process, by turns.
fn fetch_by_id(hub: SocketAddr, time: Duration) {
    let mut connection = Connection::new(hub);
    let secret = hello(&mut connection, "node_a000000000000001");
    let [gene, capsule, event] = bundle(u64::MAX);
    let body = message("node_a000000000000001", "publish", 0, &json!({"assets": [gene, capsule, event]}));
    let head = format!("POST /a2a/publish HTTP/1.1\r\nauthorization: Bearer {secret}\r\n");
    assert_eq!(connection.ask(&head, &body).0, 200);
    let path = format!("/a2a/assets/{}", capsule["asset_id"].as_str().expect("an id"));
    let bytes = connection.get(&path);
    let bare = bare(bytes);
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..4 {
        for (rates, address) in rates.iter_mut().zip([hub, bare]) {
            rates.push(per_second(address, &path, time / 4));
        }
    }
    let [hub, bare] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        f64::midpoint(rates[1], rates[2])
    });
    println!("fetch by id: {hub:.0}/s, bare route {bare:.0}/s, ratio {:.2} (aim 0.40)", hub / bare);
}

fn per_second(address: SocketAddr, path: &str, time: Duration) -> f64 {
    let done = AtomicU64::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut connection = Connection::new(address);
                while start.elapsed() < time {
                    connection.get(path);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    f64::from(u32::try_from(done.into_inner()).expect("not that many")) / start.elapsed().as_secs_f64()
}

/// A route that returns bytes and does nothing else.
fn bare(bytes: Vec<u8>) -> SocketAddr {
    let (send, ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .enable_time()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let bytes = bytes::Bytes::from(bytes);
            let give = move || std::future::ready(([("content-type", "application/json")], bytes.clone()));
            let router = axum::Router::new().route("/a2a/assets/{id}", axum::routing::get(give));
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("an address");
            send.send(listener.local_addr().expect("an address")).expect("the bench waits");
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                stream.set_nodelay(true).expect("an option");
                let service = hyper_util::service::TowerToHyperService::new(router.clone());
                tokio::spawn(async move {
                    let io = hyper_util::rt::TokioIo::new(stream);
                    let _ = hyper::server::conn::http1::Builder::new().serve_connection(io, service).await;
                });
            }
        });
    });
    ready.recv().expect("it is ready")
}

/// Bundles that are verified and committed with fsync, from 32 clients.
fn publish(hub: SocketAddr, time: Duration) {
    const CLIENTS: u64 = 32;
    // Made before, so that their hashes are not part of it.
    let made: u64 = u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 400) * 400 / 1000;
    let waits: Vec<Duration> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    let node = format!("node_b{client:015x}");
                    let mut connection = Connection::new(hub);
                    let secret = hello(&mut connection, &node);
                    let head = format!("POST /a2a/publish HTTP/1.1\r\nauthorization: Bearer {secret}\r\n");
                    let bodies: Vec<_> = (0..made)
                        .map(|number| {
                            message(
                                &node,
                                "publish",
                                number,
                                &json!({"assets": bundle(1_000_000_000 + client * made + number)}),
                            )
                        })
                        .collect();
                    (connection, head, bodies)
                })
            })
            .collect::<Vec<_>>()
            .into_iter()
            .map(|client| client.join().expect("no panic"))
            .collect();
        let start = Instant::now();
        let running: Vec<_> = clients
            .into_iter()
            .map(|(mut connection, head, bodies)| {
                scope.spawn(move || {
                    let mut waits = Vec::new();
                    for body in &bodies {
                        if start.elapsed() > time {
                            break;
                        }
                        let asked = Instant::now();
                        let (status, answer) = connection.ask(&head, body);
                        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
                        waits.push(asked.elapsed());
                    }
                    waits
                })
            })
            .collect();
        let waits: Vec<Duration> = running.into_iter().flat_map(|client| client.join().expect("no panic")).collect();
        let rate = f64::from(u32::try_from(waits.len()).expect("not that many")) / start.elapsed().as_secs_f64();
        println!("durable publishes: {rate:.0}/s (aim 1000)");
        waits
    });
    println!("  p50 {:?}, p99 {:?} (aim 50 ms)", quantile(&waits, 50), quantile(&waits, 99));
}

/// Searches over many bundles, which are put into the database directly: 2 assets with words for each bundle.
fn search(folder: &Path, bundles: u64, time: Duration) {
    let hub = {
        let folder = folder.join("large");
        std::fs::create_dir(&folder).expect("a folder");
        drop(Hub::open(
            Settings::new(folder.join("hub.db"), folder.join("blobs"), "127.0.0.1:0".parse().expect("an address")),
            Arc::new(jiff::Timestamp::now),
            None,
            Arc::new(|_| ()),
        ));
        fill(&folder.join("hub.db"), bundles);
        folder
    };
    // In a process of its own memory could be distinguished; here it is what this process has grown by.
    let before = resident();
    let address = start(&hub);
    let mut waits = Vec::new();
    let begin = Instant::now();
    let mut connection = Connection::new(address);
    let mut number = 0u64;
    while begin.elapsed() < time {
        number += 1;
        let signals = match number % 4 {
            0 => format!("Failure{}Error", number * 7919 % bundles.min(5000)),
            1 => "TimeoutError".to_owned(),
            2 => format!("Failure{}Error,TimeoutError,error", number * 104_729 % bundles.min(5000)),
            _ => "timeo".to_owned(),
        };
        let asked = Instant::now();
        let body = connection.get(&format!("/a2a/assets/search?signals={signals}&type=Capsule"));
        waits.push(asked.elapsed());
        assert!(body.windows(8).any(|bytes| bytes == b"asset_id"), "{signals}: {}", String::from_utf8_lossy(&body));
    }
    println!(
        "search over {bundles} bundles: p50 {:?}, p99 {:?} (aim 20 ms), {} searches; memory grew by {} MiB to {} MiB (aim 200)",
        quantile(&waits, 50),
        quantile(&waits, 99),
        waits.len(),
        resident().saturating_sub(before) >> 20,
        resident() >> 20,
    );
}

fn fill(path: &Path, bundles: u64) {
    use sqlx::Connection as _;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).pragma("synchronous", "off");
        let mut c = sqlx::SqliteConnection::connect_with(&options).await.expect("the database");
        for step in [
            "INSERT INTO nodes (node_id, generation, first_seen, last_seen, published, promoted) VALUES ('node_c000000000000001', 1, 0, 0, 0, 0)",
            "INSERT OR IGNORE INTO terms (term) VALUES ('timeouterror'), ('timeout'), ('error')",
            "INSERT OR IGNORE INTO terms (term) WITH RECURSIVE s (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 4999) SELECT 'failure' || i || 'error' FROM s",
        ] {
            sqlx::query(step).execute(&mut c).await.expect("a step");
        }
        let chunk = 20_000;
        for from in (0..bundles).step_by(chunk) {
            let mut transaction = c.begin().await.expect("a transaction");
            sqlx::query(
                "INSERT INTO assets (n, asset_id, kind, node, bundle, partner, state, published_at, scored_at, rank, gdi, authenticated, body)
                 WITH RECURSIVE s (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM s WHERE i < ?2 - 1)
                 SELECT i + 1, randomblob(32), 1, 1, 'bundle_' || i, 1, 1, 0, 9000000000000, 2500 + abs(random()) % 5000, 50.0, 1,
                 '{\"type\":\"Capsule\",\"trigger\":[\"Failure' || (i % 5000) || 'Error\",\"TimeoutError\"],\"summary\":\"Fix API timeout with bounded retry and connection pooling ' || i || '\",\"confidence\":0.85,\"blast_radius\":{\"files\":1,\"lines\":10},\"outcome\":{\"status\":\"success\",\"score\":0.85}}'
                 FROM s",
            )
            .bind(i64::try_from(from).expect("small"))
            .bind(i64::try_from((from + chunk as u64).min(bundles)).expect("small"))
            .execute(&mut *transaction)
            .await
            .expect("assets");
            transaction.commit().await.expect("a commit");
        }
        // In the order of the key, as fast as it gets.
        for terms in ["t.term IN ('timeouterror', 'timeout', 'error')", "t.term = 'failure' || ((a.n - 1) % 5000) || 'error'"] {
            let fill = format!(
                "INSERT INTO postings (term, state, kind, rank, asset) SELECT t.n, a.state, a.kind, a.rank, a.n FROM assets AS a CROSS JOIN terms AS t ON {terms} ORDER BY 1, 2, 3, 4, 5"
            );
            sqlx::query(sqlx::AssertSqlSafe(fill)).execute(&mut c).await.expect("postings");
        }
        c.close().await.expect("closed");
    });
}

/// Bytes of this process in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn quantile(waits: &[Duration], percent: usize) -> Duration {
    let mut sorted = waits.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}
