//! Connections that a client holds and does not use.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::{Reply, Running, digest, read_reply, request};

const SHORT: Duration = Duration::from_millis(300);

fn open(hub: &Running, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(hub.address).expect("a connection");
    stream.write_all(head.as_bytes()).expect("the head");
    stream
}

fn put(hub: &Running, bytes: &[u8]) -> (String, Reply) {
    let path = format!("/a2a/recordings/{}", digest(bytes));
    let reply = request(hub.address, "PUT", &path, &[], bytes);
    (path, reply)
}

#[test]
fn one_address_cannot_hold_all_connections() {
    let hub = Running::with(|settings| settings.limits.address_connections = 3, None);
    let mut held: Vec<_> = (0..3).map(|_| open(&hub, "GET /healthz HTTP/1.1\r\nhost")).collect();
    let mut reply = None;
    Running::eventually("a refusal", || {
        let answer = hub.get("/healthz");
        let refused = answer.status == 429;
        reply = Some(answer);
        refused
    });
    let refused = reply.expect("an answer");
    assert!(refused.refused(429, "rate_limited")["retry_after_ms"].as_u64() > Some(0));
    assert_eq!(refused.header("connection"), Some("close"));
    held.pop();
    Running::eventually("a free place", || hub.get("/healthz").status == 200);
}

#[test]
fn a_slow_head_is_told_so_and_an_idle_connection_is_closed() {
    let hub = Running::with(|settings| settings.limits.head_time = SHORT, None);
    let mut slow = open(&hub, "POST /a2a/hello HTTP/1.1\r\nhost");
    read_reply(&mut slow).refused(408, "request_timeout");
    let mut idle = open(&hub, "");
    let mut bytes = Vec::new();
    idle.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    idle.read_to_end(&mut bytes).expect("closed");
    assert!(bytes.is_empty(), "who asked nothing gets no answer: {bytes:?}");
    // The second request of a connection is no different, and an answered one gets no second answer.
    let mut kept = open(&hub, "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
    kept.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    kept.read_to_end(&mut bytes).expect("closed");
    assert_eq!(String::from_utf8_lossy(&bytes).matches("HTTP/1.1 ").count(), 1);
}

#[test]
fn an_upload_that_drips_is_refused_and_a_slow_one_is_not() {
    let hub = Running::with(|settings| settings.limits.body_time = SHORT, None);
    let upload = |piece: usize, pieces: usize| {
        let bytes = vec![7; piece * pieces];
        let path = format!("/a2a/recordings/{}", digest(&bytes));
        let mut stream = open(
            &hub,
            &format!("PUT {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", bytes.len()),
        );
        for piece in bytes.chunks(piece) {
            // The hub may have answered and closed.
            if stream.write_all(piece).is_err() {
                break;
            }
            std::thread::sleep(SHORT / 10);
        }
        read_reply(&mut stream)
    };
    let since = Instant::now();
    upload(1, 40).refused(408, "request_timeout");
    assert!(since.elapsed() >= SHORT);
    assert_eq!(upload(4096, 40).status, 201, "longer than the limit, and fast enough");
}

#[test]
fn an_answer_that_is_not_read_ends_the_connection() {
    const SIZE: usize = 32 << 20;
    let hub = Running::with(|settings| settings.limits.body_time = SHORT, None);
    let (path, reply) = put(&hub, &vec![7; SIZE]);
    assert_eq!(reply.status, 201);
    let read = |first_wait: Duration, wait: Duration| {
        let mut stream = open(&hub, &format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
        std::thread::sleep(first_wait);
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let (mut all, mut piece) = (0, vec![0; 1 << 20]);
        loop {
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => return all,
                Ok(count) => all += count,
            }
            std::thread::sleep(wait);
        }
    };
    let unread = read(SHORT * 5, Duration::ZERO);
    assert!(unread < SIZE, "the whole answer waited: {unread}");
    let slow = read(Duration::ZERO, Duration::from_millis(10));
    assert!(slow > SIZE, "a reader that goes on gets all: {slow}");
}
