//! How many connections an address may have.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gephost_core::a2a::{Code, Problem};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::answer::Refusal;
use crate::rates::network;

/// How many connections at a time are told why they are refused. Further ones are closed without a word.
const TOLD: usize = 64;
/// How long that may take.
const TELLING: Duration = Duration::from_secs(1);
/// Most bytes that are read of a connection that is refused.
const HEARD: usize = 64 << 10;
/// After which time another attempt makes sense, in milliseconds.
const RETRY_MS: u64 = 1000;

/// The open connections of each address.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
    told: Arc<Semaphore>,
    refusal: Arc<[u8]>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    address: IpAddr,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Self {
        let correction = format!("close some of them; {most} are allowed at a time");
        let problem = Problem::new(Code::RateLimited, "too many connections of one address", correction);
        let refusal = Refusal::from(problem).with("retry_after_ms", RETRY_MS).wire().into();
        Self { most, open: Arc::default(), told: Arc::new(Semaphore::new(TOLD)), refusal }
    }

    /// A place for one more connection of an address, if it has not too many.
    pub(crate) fn seat(&self, address: IpAddr) -> Option<Seat> {
        let address = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&address).copied().unwrap_or(0);
        if count >= self.most {
            return None;
        }
        open.insert(address, count + 1);
        Some(Seat { address, open: Arc::clone(&self.open) })
    }

    /// Refuses a connection, with the reason if not too many others are refused at the same time.
    pub(crate) fn refuse(&self, stream: TcpStream) {
        let Ok(permit) = Arc::clone(&self.told).try_acquire_owned() else { return };
        let refusal = Arc::clone(&self.refusal);
        tokio::spawn(async move {
            let _ = timeout(TELLING, tell(stream, &refusal)).await;
            drop(permit);
        });
    }
}

/// Answers, and reads what the client has to say: a socket that is closed before takes its answer back.
async fn tell(mut stream: TcpStream, refusal: &[u8]) -> std::io::Result<()> {
    stream.write_all(refusal).await?;
    stream.shutdown().await?;
    let (mut piece, mut heard) = ([0; 4096], 0);
    while heard < HEARD {
        match stream.read(&mut piece).await? {
            0 => break,
            count => heard += count,
        }
    }
    Ok(())
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match open.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(open.remove(&self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_places_and_gets_them_back() {
        let connections = Connections::new(2);
        let seat = |text: &str| connections.seat(text.parse().expect("an address"));
        let (one, two) = (seat("192.0.2.1").expect("a place"), seat("::ffff:192.0.2.1").expect("a place"));
        assert!(seat("192.0.2.1").is_none());
        let other = seat("192.0.2.2").expect("a place of its own");
        drop(one);
        let again = seat("192.0.2.1").expect("a place that is free again");
        assert!(seat("192.0.2.1").is_none());
        drop((two, again, other));
        assert!(connections.open.lock().expect("the counts").is_empty(), "nothing is remembered of who is gone");
        let six = [seat("2001:db8::1"), seat("2001:db8::2"), seat("2001:db8::3")];
        assert!(six[1].is_some() && six[2].is_none(), "one network of 64 bits is one address");
    }

    #[test]
    fn the_refusal_is_a_whole_answer() {
        let connections = Connections::new(2);
        let text = String::from_utf8_lossy(&connections.refusal).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())) && head.contains("retry-after: 1"), "{head}");
        assert!(head.contains("connection: close"), "{head}");
        let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!((&body["error"], &body["retry_after_ms"]), (&"rate_limited".into(), &1000.into()));
    }
}
