//! A network that fails, between a client and a hub on loopback: requests and answers are lost, cut, delayed and sent twice,
//! by a plan that a seed decides.

use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The connection closes before anything is forwarded.
    Lost,
    /// A part of the request arrives, and the connection closes.
    RequestCut,
    /// The request arrives whole, and nothing of the answer comes back.
    AnswerLost,
    /// A part of the answer comes back.
    AnswerCut,
    /// The request arrives twice, at the same time.
    Twice,
    /// The request arrives once more, after its answer was lost.
    Late,
    /// Everything arrives, slowly.
    Delayed,
    /// Nothing happens to it.
    None,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 7] =
        [Self::Lost, Self::RequestCut, Self::AnswerLost, Self::AnswerCut, Self::Twice, Self::Late, Self::Delayed];

    /// Whether the client gets an answer that it can use.
    fn answers(self) -> bool {
        matches!(self, Self::Twice | Self::Delayed | Self::None)
    }
}

/// How long a slow request is held.
const DELAY: Duration = Duration::from_millis(150);
/// How long a peer may take before the proxy gives it up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The proxy. It stops when it is dropped.
#[derive(Debug)]
pub struct FaultyProxy {
    address: String,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    upstream: String,
    stop: AtomicBool,
    plan: Mutex<Vec<Fault>>,
    /// What happened to each request, with its method and path.
    log: Mutex<Vec<(String, Fault)>>,
}

impl FaultyProxy {
    /// Stands before the server at `upstream`. The requests meet the faults of `plan` in their order, and then none.
    pub fn start(upstream: &str, plan: &[Fault]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(State {
            upstream: upstream.to_owned(),
            stop: AtomicBool::new(false),
            plan: Mutex::new(plan.iter().rev().copied().collect()),
            log: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&shared);
                thread::spawn(move || drop(serve(stream, &shared)));
            }
        });
        Self { address, state, thread: Some(thread) }
    }

    /// Its address, for `--hub`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What happened to the requests since the last time, with their method and path.
    pub fn take_log(&self) -> Vec<(String, Fault)> {
        std::mem::take(&mut self.state.log.lock().unwrap())
    }

    /// Faults that no request met yet.
    pub fn left(&self) -> usize {
        self.state.plan.lock().unwrap().len()
    }
}

impl Drop for FaultyProxy {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A plan of `length` faults that a seed decides: every fault about equally often, in an order of its own for each seed.
pub fn plan(seed: u64, length: usize) -> Vec<Fault> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length).map(|_| Fault::ALL[usize::try_from(next() % 7).unwrap()]).collect()
}

/// How often each fault happened.
pub fn count(log: &[(String, Fault)]) -> BTreeMap<Fault, usize> {
    let mut counts = BTreeMap::new();
    for (_, fault) in log {
        *counts.entry(*fault).or_default() += 1;
    }
    counts
}

fn serve(mut client: TcpStream, state: &State) -> std::io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    let Some(request) = read_request(&mut client)? else { return Ok(()) };
    let line = String::from_utf8_lossy(request.split(|byte| *byte == b'\r').next().unwrap_or_default()).into_owned();
    let name = line.rsplit_once(' ').map_or(line.clone(), |(name, _)| name.to_owned());
    let fault = state.plan.lock().unwrap().pop().unwrap_or(Fault::None);
    state.log.lock().unwrap().push((name, fault));
    let answer = match fault {
        Fault::Lost => Vec::new(),
        Fault::RequestCut => {
            let mut upstream = TcpStream::connect(&state.upstream)?;
            upstream.write_all(&request[..request.len() * 2 / 3])?;
            upstream.shutdown(Shutdown::Both)?;
            Vec::new()
        }
        Fault::Twice => {
            let (copy, to) = (request.clone(), state.upstream.clone());
            let other = thread::spawn(move || exchange(&to, &copy));
            let answer = exchange(&state.upstream, &request)?;
            let _ = other.join();
            answer
        }
        Fault::Late => {
            exchange(&state.upstream, &request)?;
            exchange(&state.upstream, &request)?;
            Vec::new()
        }
        Fault::Delayed => {
            thread::park_timeout(DELAY);
            let answer = exchange(&state.upstream, &request)?;
            thread::park_timeout(DELAY);
            answer
        }
        Fault::AnswerLost | Fault::AnswerCut | Fault::None => exchange(&state.upstream, &request)?,
    };
    let sent = match fault {
        fault if fault.answers() => &answer[..],
        Fault::AnswerCut => &answer[..answer.len() * 2 / 3],
        _ => &[],
    };
    client.write_all(sent)?;
    client.shutdown(Shutdown::Both)
}

/// Sends a request on a connection of its own, and reads the answer to its end.
fn exchange(upstream: &str, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(upstream)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // A server may refuse before it has read everything.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    Ok(answer)
}

/// A request as it came, except that it asks for the connection to be closed: so each request has a connection of its own.
fn read_request(client: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end;
        }
        if read_some(client, &mut bytes)? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let whole = end + 4 + length.unwrap_or(0_usize);
    while bytes.len() < whole {
        if read_some(client, &mut bytes)? == 0 {
            return Ok(None);
        }
    }
    let lines = head.split("\r\n").filter(|line| !line.to_lowercase().starts_with("connection:"));
    let mut request = lines.collect::<Vec<_>>().join("\r\n").into_bytes();
    request.extend_from_slice(b"\r\nconnection: close\r\n\r\n");
    request.extend_from_slice(&bytes[end + 4..whole]);
    Ok(Some(request))
}

fn read_some(from: &mut TcpStream, into: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut piece = [0; 8192];
    let count = from.read(&mut piece)?;
    into.extend_from_slice(&piece[..count]);
    Ok(count)
}
