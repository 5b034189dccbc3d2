//! A hub on loopback: the real binary, started and ended by the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;

use serde_json::Value;

use crate::environment::{TestEnv, gephost};

/// A hub that runs. Dropping it kills it, if it was started here.
#[derive(Debug)]
pub struct Hub {
    child: Option<Child>,
    address: String,
    folder: PathBuf,
    said: Option<thread::JoinHandle<String>>,
}

/// What a hub answered.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, as they came.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.head, String::from_utf8_lossy(&self.body)))
    }
}

impl Hub {
    /// Starts a hub with its database and components in `folder`, and waits until it answers.
    pub fn start(env: &TestEnv, folder: &Path, options: &[&str]) -> Self {
        let mut command = env.command(gephost(), folder);
        command.args(["hub", "serve", "--db", "hub.db", "--blobs", "blobs", "--listen", "127.0.0.1:0"]).args(options);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next());
        let address = address.unwrap_or_else(|| panic!("the hub did not start: {line}")).trim().to_owned();
        // Whatever else it says must not block it.
        let said = thread::spawn(move || {
            let mut text = String::new();
            let _ = lines.read_to_string(&mut text);
            text
        });
        Self { child: Some(child), address, folder: folder.to_owned(), said: Some(said) }
    }

    /// A hub that somebody else serves at this address.
    pub fn at(address: SocketAddr) -> Self {
        Self { child: None, address: address.to_string(), folder: PathBuf::new(), said: None }
    }

    /// Its address, for `--hub`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends it as a crash does.
    pub fn kill(mut self) -> PathBuf {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        self.folder.clone()
    }

    /// Ends it, and gives what it wrote to standard error after it was ready.
    pub fn end(mut self) -> String {
        let said = self.said.take();
        self.kill();
        said.map(|said| said.join().unwrap()).unwrap_or_default()
    }

    /// Sends a request, and reads the answer to its end.
    pub fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A hub may refuse before it has read everything.
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").expect("an answer with a head");
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = bytes[end + 4..].to_vec();
        let body = if head.contains("transfer-encoding: chunked") { unchunked(&body) } else { body };
        Answer { status, head, body }
    }

    /// What a path answers.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, "", b"")
    }

    /// Posts a document.
    pub fn post(&self, path: &str, document: &Value) -> Answer {
        self.request("POST", path, "content-type: application/json\r\n", document.to_string().as_bytes())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A body that came in chunks, as one.
fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|part| part == b"\r\n") {
        let size = std::str::from_utf8(&body[..end]).ok().and_then(|text| usize::from_str_radix(text.trim(), 16).ok());
        let Some(size @ 1..) = size else { break };
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    whole
}
