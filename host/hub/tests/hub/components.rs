//! Components and recordings, content-addressed.

use serde_json::{Value, json};

use crate::support::{Running, bundle_with, digest, id, request};

const COMPONENT: &[u8] = include_bytes!("../../../../genes/dist/tool_failures.wasm");

fn put(hub: &Running, path: &str, bytes: &[u8]) -> crate::support::Reply {
    request(hub.address, "PUT", path, &[("content-type", "application/wasm")], bytes)
}

#[test]
fn a_component_goes_up_and_comes_down_by_its_digest() {
    let hub = Running::start();
    let path = format!("/a2a/components/{}", digest(COMPONENT));
    hub.get(&path).refused(404, "not_found");
    let stored = put(&hub, &path, COMPONENT);
    assert_eq!((stored.status, &stored.json()["world"]), (201, &json!("heuristic")));
    assert_eq!(put(&hub, &path, COMPONENT).status, 200);
    let down = hub.get(&path);
    assert_eq!((down.status, down.body.as_slice()), (200, COMPONENT));
    assert_eq!(
        (down.header("content-type"), down.header("etag")),
        (Some("application/wasm"), Some(&*format!("\"{}\"", digest(COMPONENT))))
    );
    assert!(down.header("cache-control").is_some_and(|value| value.contains("immutable")));
    let cached = request(hub.address, "GET", &path, &[("if-none-match", &format!("\"{}\"", digest(COMPONENT)))], b"");
    assert_eq!((cached.status, cached.body.len()), (304, 0));
    let head = request(hub.address, "HEAD", &path, &[], b"");
    assert_eq!(
        (head.status, head.header("content-length"), head.body.len()),
        (200, Some(&*COMPONENT.len().to_string()), 0)
    );
    // A component is no recording.
    hub.get(&path.replace("components", "recordings")).refused(404, "not_found");
    // A bundle may name it now, if size and world are right.
    let node = hub.node("a000000000000001");
    let mut component = json!({"digest": digest(COMPONENT), "size": COMPONENT.len(), "media_type": "application/wasm", "world": "heuristic"});
    let assets = bundle_with("", |gene| gene["component"] = component.clone(), |_| {});
    hub.say(&node, "publish", json!({"assets": assets})).ok();
    assert_eq!(hub.get(&format!("/a2a/assets/{}", id(&assets[0]))).ok()["component"], digest(COMPONENT));
    for (member, value) in [("size", json!(1)), ("world", json!("strategy"))] {
        let right = std::mem::replace(&mut component[member], value);
        let assets = bundle_with(" wrong", |gene| gene["component"] = component.clone(), |_| {});
        hub.say(&node, "publish", json!({"assets": assets})).refused(400, "validation_error");
        component[member] = right;
    }
}

#[test]
fn what_is_no_gene_or_has_another_digest_is_not_kept() {
    let hub = Running::with(|settings| settings.limits.component_bytes = 2 << 20, None);
    let check = |bytes: &[u8], name: &str, status: u16, code: &str| {
        let path = format!("/a2a/components/{name}");
        put(&hub, &path, bytes).refused(status, code);
        hub.get(&path).refused(404, "not_found");
    };
    check(COMPONENT, &digest(b"other"), 400, "asset_id_mismatch");
    check(b"no wasm", &digest(b"no wasm"), 400, "validation_error");
    let module = b"\0asm\x01\0\0\0";
    check(module, &digest(module), 400, "validation_error");
    let bomb = vec![0; (2 << 20) + 1];
    check(&bomb, &digest(&bomb), 413, "payload_too_large");
    check(COMPONENT, "sha256:../../etc/passwd", 404, "not_found");
    check(COMPONENT, &digest(COMPONENT).to_uppercase(), 404, "not_found");
    let staged = std::fs::read_dir(hub.folder.path().join("blobs/staging")).expect("the folder").count();
    assert_eq!(staged, 0, "nothing is left behind");
    // Without a length, in chunks.
    let chunked = {
        use std::io::Write as _;
        let mut stream = std::net::TcpStream::connect(hub.address).expect("a connection");
        let head = format!(
            "PUT /a2a/components/{} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
            digest(&bomb)
        );
        let _ = stream.write_all(head.as_bytes());
        for piece in bomb.chunks(1 << 16) {
            let _ = stream
                .write_all(format!("{:x}\r\n", piece.len()).as_bytes())
                .and_then(|()| stream.write_all(piece))
                .and_then(|()| stream.write_all(b"\r\n"));
        }
        crate::support::read_reply(&mut stream)
    };
    chunked.refused(413, "payload_too_large");
}

#[test]
fn an_address_uploads_only_so_much_an_hour() {
    let hub = Running::with(|settings| settings.limits.upload_mib_an_hour = 3, None);
    let upload = |bytes: &[u8]| put(&hub, &format!("/a2a/recordings/{}", digest(bytes)), bytes);
    let large = vec![7; (1 << 20) + 1];
    assert_eq!((upload(b"one").status, upload(&large).status), (201, 201));
    let refused = upload(b"two").refused(429, "rate_limited");
    let wait = refused["retry_after_ms"].as_i64().expect("a wait");
    // What is here already costs nothing.
    assert_eq!(upload(b"one").status, 200);
    hub.clock.advance(wait);
    assert_eq!(upload(b"two").status, 201);
}

#[test]
fn statements_about_a_component_are_kept_as_they_are() {
    let hub = Running::start();
    let path = format!("/a2a/components/{}/attestations", digest(COMPONENT));
    let statement = |hex: &str, note: u32| {
        let statement = json!({"_type": "https://in-toto.io/Statement/v1", "subject": [{"name": "g", "digest": {"sha256": hex}}], "note": note});
        let payload = base64(statement.to_string().as_bytes());
        json!({"payloadType": "application/vnd.in-toto+json", "payload": payload, "signatures": [{"keyid": "k", "sig": "cw=="}]})
    };
    let send = |value: &Value| {
        request(hub.address, "PUT", &path, &[("content-type", "application/json")], value.to_string().as_bytes())
    };
    let hex = digest(COMPONENT).trim_start_matches("sha256:").to_owned();
    send(&statement(&hex, 0)).refused(404, "not_found");
    put(&hub, &format!("/a2a/components/{}", digest(COMPONENT)), COMPONENT).ok();
    assert_eq!(send(&statement(&hex, 0)).status, 201);
    assert_eq!(send(&statement(&hex, 0)).status, 200);
    assert_eq!(hub.get(&path).ok()["attestations"], json!([statement(&hex, 0)]));
    send(&statement(&"0".repeat(64), 0)).refused(400, "validation_error");
    send(&json!({"payloadType": "text/plain"})).refused(400, "validation_error");
    send(&json!([])).refused(400, "validation_error");
    for note in 1..16 {
        assert_eq!(send(&statement(&hex, note)).status, 201);
    }
    send(&statement(&hex, 16)).refused(409, "conflict");
    assert_eq!(hub.get(&path).ok()["count"], 16);
    let long = request(hub.address, "PUT", &path, &[("content-type", "application/json")], &vec![b' '; 65 * 1024]);
    long.refused(413, "payload_too_large");
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
