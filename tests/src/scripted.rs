//! An HTTP server that sends scripted responses and stores the requests.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What the server does with a connection after it has read the request.
pub enum Say {
    /// Sends these bytes and closes.
    Raw(Vec<u8>),
    /// Sends these bytes, and then one byte after each interval, without end.
    Slowly(Vec<u8>, Duration),
    /// Sends these bytes, and then blocks of zeros as long as the client reads.
    Endless(Vec<u8>),
}

impl Say {
    /// A response with a status and a body.
    pub fn status(status: u16, body: &str) -> Self {
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        Self::Raw((head + body).into_bytes())
    }

    /// A completion in OpenAI's form with this text.
    pub fn completion(text: &str) -> Self {
        Self::usage(text, 1000, 100)
    }

    /// The same completion with usage.
    pub fn usage(text: &str, sent: u64, answered: u64) -> Self {
        let body = json!({
            "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": sent, "completion_tokens": answered },
        });
        Self::status(200, &body.to_string())
    }
}

/// A request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The first line and the headers.
    pub head: String,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// The texts of all messages, concatenated.
    pub fn prompt(&self) -> String {
        let messages = self.body["messages"].as_array().cloned().unwrap_or_default();
        messages.iter().filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// The server, on its own port of the loopback interface.
#[derive(Debug)]
pub struct Scripted {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Starts the server. It handles one connection after another as the script says, and closes all later ones.
    pub fn new(script: impl IntoIterator<Item = Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, script) = (Arc::clone(&asked), script.into_iter().collect::<Vec<_>>());
        std::thread::spawn(move || {
            let mut script = script.into_iter();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let Some(say) = script.next() else { continue };
                if let Some(request) = read(&mut stream) {
                    seen.lock().unwrap().push(request);
                }
                // The client closes the connection when it has read enough, which ends the response.
                let _ = speak(&mut stream, say);
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        Self { address, asked }
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn speak(stream: &mut TcpStream, say: Say) -> std::io::Result<()> {
    match say {
        Say::Raw(bytes) => stream.write_all(&bytes),
        Say::Slowly(bytes, pause) => {
            stream.write_all(&bytes)?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(pause);
            }
        }
        Say::Endless(bytes) => {
            stream.write_all(&bytes)?;
            loop {
                stream.write_all(&[b'0'; 1 << 16])?;
            }
        }
    }
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 14];
    loop {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length.unwrap_or(0) {
            return Some(Asked { head: head.to_owned(), body: serde_json::from_str(body).unwrap_or_default() });
        }
    }
}
