//! What an operator decides about a hub.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use gephost_core::a2a::promotion::Newcomers;
use jiff::SignedDuration;

/// What an operator decides about a hub.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The `SQLite` database. It is made if it is missing.
    pub db: PathBuf,
    /// The folder of components and recordings. It is made if it is missing.
    pub blobs: PathBuf,
    /// Where to listen. Port 0 chooses a free port.
    pub listen: SocketAddr,
    /// The address that clients reach the hub at, for claim URLs; `http://` and the listening address if it is not given.
    pub public_url: Option<String>,
    /// Whether every call that changes something needs the secret or the signature of a registered node.
    pub require_auth: bool,
    /// Ids of the nodes whose decisions are final.
    pub operators: Vec<String>,
    /// How nodes without a record count.
    pub newcomers: Newcomers,
    /// Sizes, times and rates.
    pub limits: Limits,
}

impl Settings {
    /// The default settings.
    pub fn new(db: PathBuf, blobs: PathBuf, listen: SocketAddr) -> Self {
        Self {
            db,
            blobs,
            listen,
            public_url: None,
            require_auth: false,
            operators: Vec::new(),
            newcomers: Newcomers::Doubted,
            limits: Limits::default(),
        }
    }
}

/// Sizes, times and rates.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most bytes of a component or a recording.
    pub component_bytes: u64,
    /// Furthest that the timestamp of a message may be from the hub's clock.
    pub skew: SignedDuration,
    /// Connections at the same time. Further ones wait.
    pub connections: usize,
    /// How long the head of a request may take.
    pub head_time: Duration,
    /// How long the body of a message may take, and how long an upload may pause.
    pub body_time: Duration,
    /// How long open requests may take after the stop.
    pub grace: Duration,
    /// Requests a second of one network address.
    pub address_rate: Rate,
    /// MiB an hour that one network address may upload. Each begun MiB of an upload counts.
    pub upload_mib_an_hour: u32,
    /// Messages a second of one node that change something.
    pub sender_rate: Rate,
    /// Votes and reviews an hour of one node.
    pub opinions_an_hour: u32,
    /// Writes that wait at the same time. A further one gets `server_busy`.
    pub queued_writes: usize,
    /// Most bytes of rendered assets that are kept in memory.
    pub cache_bytes: usize,
}

/// How often something may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// In the long run, a second.
    pub per_second: u32,
    /// At once.
    pub burst: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            component_bytes: 64 << 20,
            skew: gephost_core::a2a::MAX_SKEW,
            connections: 1024,
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            grace: Duration::from_secs(10),
            address_rate: Rate { per_second: 100, burst: 400 },
            upload_mib_an_hour: 1024,
            sender_rate: Rate { per_second: 10, burst: 60 },
            opinions_an_hour: 60,
            queued_writes: 1024,
            cache_bytes: 32 << 20,
        }
    }
}
