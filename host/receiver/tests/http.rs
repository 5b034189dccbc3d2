//! Tests the receiver over a real socket: responses as OTLP defines them, and hostile clients.

#![expect(clippy::disallowed_methods, reason = "the test is the client, and measures time")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use gephost_core::redact::Redactor;
use gephost_core::run_event::{EventType, RunEvent};
use gephost_receiver::{Limits, Receiver, RequestReader, Totals};

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/x-protobuf";

/// A receiver on a thread, and the events that it stored.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    kept: Arc<Mutex<Vec<RunEvent>>>,
    /// While set, storing fails.
    full: Arc<AtomicBool>,
    thread: JoinHandle<Totals>,
}

impl Running {
    fn new(limits: Limits) -> Self {
        let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap(), limits).unwrap();
        let address = receiver.address().unwrap();
        let (stop, full) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (to, is_full, stopped) = (Arc::clone(&kept), Arc::clone(&full), Arc::clone(&stop));
        let keep = move |events: &[RunEvent]| {
            if is_full.load(Ordering::Relaxed) {
                return Err("the disk is full".to_owned());
            }
            to.lock().unwrap().extend_from_slice(events);
            Ok(())
        };
        let requests = RequestReader::new(Redactor::default(), Box::new(keep));
        let thread = std::thread::spawn(move || receiver.serve(requests, &stopped).unwrap());
        Self { address, stop, kept, full, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes as they are. Returns everything that comes back until the connection closes.
    fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // A receiver that refuses a request early closes the connection while bytes are still to be sent.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    fn post(&self, path: &str, content_type: &str, more: &str, body: &[u8]) -> Answer {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {content_type}\r\n{more}content-length: {}\r\n\r\n",
            body.len()
        );
        Answer::of(self.raw(&[head.as_bytes(), body].concat()))
    }

    fn end(self) -> (Totals, Vec<RunEvent>) {
        self.stop.store(true, Ordering::Relaxed);
        let totals = self.thread.join().unwrap();
        (totals, Arc::into_inner(self.kept).map_or_else(Vec::new, |kept| kept.into_inner().unwrap()))
    }
}

#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn of(bytes: Vec<u8>) -> Self {
        let end =
            bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {bytes:?}"));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn span(id: u8) -> String {
    format!(
        r#"{{"traceId":"0a0b","spanId":"{id:02x}","name":"execute_tool search","startTimeUnixNano":"1767322800000000000","endTimeUnixNano":"1767322801500000000","attributes":[{{"key":"gen_ai.conversation.id","value":{{"stringValue":"talk"}}}},{{"key":"gen_ai.tool.call.arguments","value":{{"kvlistValue":{{"values":[{{"key":"q","value":{{"stringValue":"x"}}}},{{"key":"n","value":{{"intValue":"9007199254740993"}}}}]}}}}}}],"status":{{"code":2,"message":"no route"}}}}"#
    )
}

fn traces(spans: &str) -> String {
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#)
}

/// A field of a protobuf message, with its tag and content.
fn field(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag << 3 | 2];
    let mut length = content.len();
    while length > 0x7f {
        bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    bytes.push(u8::try_from(length).unwrap());
    bytes.extend_from_slice(content);
    bytes
}

fn in_request(records: &[u8]) -> Vec<u8> {
    field(1, &field(2, records))
}

/// The same record as [`span`].
fn protobuf_span(id: u8) -> Vec<u8> {
    let text = |text: &str| field(1, text.as_bytes());
    let attribute = |key: &str, value: Vec<u8>| field(9, &[text(key), field(2, &value)].concat());
    let mut number = vec![0x18];
    number.extend([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
    let member = |key: &str, value: Vec<u8>| field(1, &[text(key), field(2, &value)].concat());
    let arguments = field(6, &[member("q", text("x")), member("n", number)].concat());
    [
        field(1, &[0x0a, 0x0b]),
        field(2, &[id]),
        field(5, b"execute_tool search"),
        [&[0x39][..], &1_767_322_800_000_000_000_u64.to_le_bytes()].concat(),
        [&[0x41][..], &1_767_322_801_500_000_000_u64.to_le_bytes()].concat(),
        attribute("gen_ai.conversation.id", text("talk")),
        attribute("gen_ai.tool.call.arguments", arguments),
        field(15, &[field(2, b"no route"), vec![0x18, 2]].concat()),
    ]
    .concat()
}

#[test]
fn both_encodings_plain_or_packed_come_to_the_same_events() {
    let running = Running::new(Limits::default());
    let packed = "content-encoding: gzip\r\n";
    let answers = [
        running.post("/v1/traces", JSON, "", traces(&span(1)).as_bytes()),
        running.post("/v1/traces", "application/json; charset=utf-8", packed, &gzip(traces(&span(2)).as_bytes())),
        running.post("/v1/traces", PROTOBUF, "", &in_request(&field(2, &protobuf_span(3)))),
        running.post("/v1/traces", PROTOBUF, packed, &gzip(&in_request(&field(2, &protobuf_span(4))))),
    ];
    for (answer, body) in answers.iter().zip(["{}", "{}", "", ""]) {
        assert_eq!((answer.status, answer.text().as_str()), (200, body), "{}", answer.head);
    }
    assert!(answers[0].head.contains("content-type: application/json"));
    assert!(answers[2].head.contains("content-type: application/x-protobuf"));
    // What a client resends, because it got no answer, counts once.
    running.post("/v1/traces", PROTOBUF, "", &in_request(&field(2, &protobuf_span(4))));
    let (totals, kept) = running.end();
    assert_eq!(totals, Totals { requests: 5, refused: 0, events: 8, rejected: 0, duplicates: 1 });
    let comparable: Vec<String> =
        kept.into_iter().map(|event| format!("{:?}", RunEvent { call_id: None, ..event })).collect();
    for pair in comparable.chunks(2).skip(1) {
        assert_eq!(pair, &comparable[..2]);
    }
    let [start, end] = [&comparable[0], &comparable[1]];
    assert!(start.contains("ToolStart") && start.contains(r#"{\"q\":\"x\",\"n\":9007199254740993}"#), "{start}");
    assert!(end.contains("duration_ms: Some(1500.0)") && end.contains("no route") && end.contains("Failure"), "{end}");
}

#[test]
fn log_records_are_read_and_those_that_are_sent_again_count_once() {
    let running = Running::new(Limits::default());
    let value = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    let attributes = [
        value("session.id", "s1"),
        value("tool_name", "Bash"),
        value("success", "false"),
        value("error", "exit 1"),
        value("duration_ms", "12"),
    ];
    let record = |time: u64| {
        format!(
            r#"{{"observedTimeUnixNano":"{time}","body":{{"stringValue":"claude_code.tool_result"}},"attributes":[{}]}}"#,
            attributes.join(",")
        )
    };
    let request = |records: &str| format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#);
    let two = request(&format!("{},{}", record(1_767_322_800_000_000_000), record(1_767_322_801_000_000_000)));
    assert_eq!(running.post("/v1/logs", JSON, "", two.as_bytes()).status, 200);
    assert_eq!(running.post("/v1/logs", JSON, "", two.as_bytes()).status, 200);
    let (totals, kept) = running.end();
    assert_eq!((totals.events, totals.duplicates), (4, 2));
    let ends: Vec<&RunEvent> = kept.iter().filter(|event| event.event_type == EventType::ToolEnd).collect();
    assert_ne!(ends[0].call_id, ends[1].call_id);
    assert_eq!((ends[0].duration_ms, &*ends[0].session_key), (Some(12.0), "s1"));
}

#[test]
fn a_partial_success_says_what_was_rejected() {
    let running = Running::new(Limits::default());
    let answer = running.post("/v1/traces", JSON, "", traces(&format!("{},7,\"x\"", span(1))).as_bytes());
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (200, r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"2 unreadable"}}"#)
    );
    let spans = [field(2, &protobuf_span(2)), field(2, &[0x0a, 99]), field(2, &vec![0; 3 << 20])].concat();
    let answer = running.post("/v1/traces", PROTOBUF, "", &in_request(&spans));
    let message = field(2, b"1 too long, 1 unreadable");
    assert_eq!((answer.status, answer.body), (200, field(1, &[vec![8, 2], message].concat())));
    assert_eq!(running.end().0, Totals { requests: 2, refused: 0, events: 4, rejected: 4, duplicates: 0 });
}

#[test]
fn every_wrong_request_has_its_status_and_keeps_nothing() {
    let running = Running::new(Limits::default());
    let good = traces(&span(1));
    let good = good.as_bytes();
    let deep = format!("{}{}", "[".repeat(3 << 20), "]".repeat(3 << 20));
    let deep = traces(&deep);
    let cases: [(&str, &str, &str, &[u8], u16); 13] = [
        ("/v1/metrics", JSON, "", good, 404),
        ("/", JSON, "", good, 404),
        ("/v1/traces", "text/plain", "", good, 415),
        ("/v1/traces", "application/jsonx", "", good, 415),
        ("/v1/traces", JSON, "content-encoding: br\r\n", good, 415),
        ("/v1/traces", JSON, "content-encoding: gzip\r\n", good, 400),
        ("/v1/traces", JSON, "origin: http://example.com\r\n", good, 403),
        ("/v1/traces", JSON, "", b"{\"resourceSpans\":[", 400),
        ("/v1/traces", JSON, "", b"[]", 400),
        ("/v1/traces", JSON, "", b"", 400),
        ("/v1/traces", JSON, "", b"{\"a\":\"\xff\"}", 400),
        ("/v1/traces", PROTOBUF, "", good, 400),
        ("/v1/traces", JSON, "", &gzip(good), 400),
    ];
    for (path, content_type, more, body, status) in cases {
        let answer = running.post(path, content_type, more, body);
        let shown = answer.text();
        assert_eq!(answer.status, status, "{path} {content_type} {more} {shown}");
        if content_type == PROTOBUF {
            assert_eq!(answer.body[..2], [8, 3], "a Status with the code of a bad argument");
        } else {
            assert!(shown.starts_with("{\"code\":") && shown.contains("\"message\":\""), "{shown}");
        }
    }
    // Deeply nested JSON is well-formed, but its one span is rejected.
    assert!(running.post("/v1/traces", JSON, "", deep.as_bytes()).text().contains("\"rejectedSpans\":\"1\""));
    let got = Answer::of(running.raw(b"GET /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    assert!(got.status == 405 && got.head.contains("allow: post"), "{got:?}");
    let bare = Answer::of(running.raw(b"POST /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    assert_eq!(bare.status, 415);
    let no_http = String::from_utf8_lossy(&running.raw(b"\x16\x03\x01 not http at all\r\n\r\n")).into_owned();
    assert!(no_http.starts_with("HTTP/1.1 400"), "{no_http}");
    let (totals, kept) = running.end();
    assert_eq!((totals.requests, totals.refused, kept.len()), (1, 15, 0));
}

#[test]
fn what_is_too_large_is_refused_without_being_held() {
    let limits = Limits { body_bytes: 1 << 20, ..Limits::default() };
    let running = Running::new(limits);
    let bomb = gzip(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 1 << 20);
    let answer = running.post("/v1/traces", JSON, "content-encoding: gzip\r\n", &bomb);
    assert_eq!((answer.status, answer.text().contains("1048576 bytes")), (413, true), "{answer:?}");
    let head = format!("POST /v1/logs HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {PROTOBUF}\r\n");
    let stated = format!("{head}content-length: 99999999999\r\n\r\n");
    assert_eq!(Answer::of(running.raw(stated.as_bytes())).status, 413);
    let mut chunks = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..1025 {
        chunks.extend_from_slice(b"400\r\n");
        chunks.extend_from_slice(&[0; 1024]);
        chunks.extend_from_slice(b"\r\n");
    }
    assert_eq!(Answer::of(running.raw(&chunks)).status, 413);
    let long_head = format!("POST /v1/traces HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let refused = String::from_utf8_lossy(&running.raw(long_head.as_bytes())).into_owned();
    assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 431"), "{refused}");
    assert_eq!(running.end().0.requests, 0);
}

/// The beginning of a request with a body of this many bytes.
fn head(bytes: usize) -> String {
    format!(
        "POST /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {JSON}\r\ncontent-length: {bytes}\r\n\r\n"
    )
}

#[test]
fn slow_clients_are_let_go_in_time() {
    let limits = Limits {
        head_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        connections: 2,
        ..Limits::default()
    };
    let running = Running::new(limits);
    let (mut silent, mut slow) = (running.connect(), running.connect());
    silent.write_all(b"POST /v1/tra").unwrap();
    slow.write_all(format!("{}{}", head(600), " ".repeat(500)).as_bytes()).unwrap();
    let (mut of_silent, mut of_slow) = (Vec::new(), Vec::new());
    silent.read_to_end(&mut of_silent).unwrap();
    slow.read_to_end(&mut of_slow).unwrap();
    assert_eq!(Answer::of(of_slow).status, 408);
    running.end();
}

#[test]
fn a_slow_client_keeps_nobody_waiting_however_much_it_holds() {
    let limits = Limits { connections: 3, all_body_bytes: 1000, ..Limits::default() };
    let running = Running::new(limits);
    let began = Instant::now();
    let post = || running.post("/v1/traces", JSON, "", traces(&span(1)).as_bytes()).status;
    // Connections: more of them than there may be, and none says anything.
    let silent: Vec<TcpStream> = (0..8).map(|_| running.connect()).collect();
    assert_eq!(post(), 200);
    drop(silent);
    // Memory: most of it, for as long as a body may take.
    for _ in 0..4 {
        let mut holds = running.connect();
        holds.write_all(format!("{}{}", head(900), " ".repeat(800)).as_bytes()).unwrap();
        assert_eq!(post(), 200);
        assert_eq!(post(), 200);
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    // What is more than there is for all has to come in smaller batches.
    let refused = running.post("/v1/traces", JSON, "", " ".repeat(1001).as_bytes());
    assert!(refused.status == 429 && refused.head.contains("retry-after: 1"), "{refused:?}");
    running.end();
}

#[test]
fn what_cannot_be_kept_is_sent_again_and_then_kept_whole() {
    let running = Running::new(Limits::default());
    running.full.store(true, Ordering::Relaxed);
    let body = traces(&format!("{},{}", span(1), span(2)));
    let refused = running.post("/v1/traces", JSON, "", body.as_bytes());
    assert!(refused.status == 503 && refused.head.contains("retry-after: 1"), "{refused:?}");
    assert!(refused.text().contains("the disk is full"));
    running.full.store(false, Ordering::Relaxed);
    assert_eq!(running.post("/v1/traces", JSON, "", body.as_bytes()).status, 200);
    let (totals, kept) = running.end();
    assert_eq!((totals.events, totals.duplicates, kept.len()), (4, 0, 4));
}

#[test]
fn it_ends_at_once_although_a_connection_is_open() {
    let running = Running::new(Limits::default());
    let mut idle = running.connect();
    let body = traces(&span(1));
    let request = format!(
        "POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: {JSON}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    idle.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let began = Instant::now();
    assert_eq!(running.end().0.events, 2);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}
