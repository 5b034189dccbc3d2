//! A hub: opened, then served until it is stopped.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use gephost_core::a2a::NodeId;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::app::{Peer, Shared};
use crate::blobs::Blobs;
use crate::clock::{Clock, LimiterClock};
use crate::error::HubError;
use crate::faults::{Faults, Report};
use crate::rates::Rates;
use crate::replay::{Replayer, Replays};
use crate::secrets::Secrets;
use crate::settings::Settings;
use crate::store::{Fetches, Scorer, Store};
use crate::{random, routes};

/// How often the stop flag is checked.
const TICK: Duration = Duration::from_millis(50);
/// How often counts are stored and scores refreshed.
const UPKEEP: Duration = Duration::from_secs(1);
/// Most bytes of a request line and headers.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// A hub that is open and listens. It owns its threads.
pub struct Hub {
    runtime: Runtime,
    shared: Arc<Shared>,
    listener: TcpListener,
    address: SocketAddr,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Hub {
    /// Opens the database and the folder, and listens. Connections wait until [`Hub::serve`].
    ///
    /// `clock` says what time it is, `replayer` runs recordings again; without it no bundle is replayed. `report` takes what
    /// fails here and not at the sender of a request.
    pub fn open(
        settings: Settings,
        clock: Clock,
        replayer: Option<Arc<dyn Replayer>>,
        report: Report,
    ) -> Result<Self, HubError> {
        check(&settings)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(std::thread::available_parallelism().map_or(2, std::num::NonZero::get).min(16))
            .max_blocking_threads(64)
            .thread_name("gephost-hub")
            .enable_io()
            .enable_time()
            .build()?;
        let (shared, listener, address) = runtime.block_on(open(settings, clock, replayer, report))?;
        Ok(Self { runtime, shared, listener, address })
    }

    /// The address that it listens at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop` is set, and then those that have begun. Calls `ready` when it answers.
    ///
    /// Everything that was acknowledged is on disk, also if the process is killed.
    pub fn serve(self, stop: &AtomicBool, ready: impl FnOnce(SocketAddr)) -> Result<(), HubError> {
        let Self { runtime, shared, listener, address } = self;
        ready(address);
        runtime.block_on(accept(listener, &shared, stop));
        runtime.shutdown_timeout(TICK);
        Ok(())
    }
}

fn check(settings: &Settings) -> Result<(), HubError> {
    for operator in &settings.operators {
        if NodeId::read(operator).is_none() {
            return Err(HubError::Setting { name: "operators", reason: format!("{operator:?} is not a node id") });
        }
    }
    if let Some(url) = &settings.public_url {
        let read = url::Url::parse(url)
            .map_err(|error| HubError::Setting { name: "public_url", reason: error.to_string() })?;
        if !matches!(read.scheme(), "http" | "https") {
            return Err(HubError::Setting { name: "public_url", reason: "it is neither http nor https".to_owned() });
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is the one place of the hub that listens")]
async fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

async fn open(
    settings: Settings,
    clock: Clock,
    replayer: Option<Arc<dyn Replayer>>,
    report: Report,
) -> Result<(Arc<Shared>, TcpListener, SocketAddr), HubError> {
    let faults = Faults::new(report, Arc::clone(&clock));
    let blobs = Blobs::open(settings.blobs.clone(), faults.clone())?;
    let store = Store::open(&settings, faults).await?;
    let fresh = random::bytes::<32>().ok_or_else(|| io::Error::other("the system gives no randomness"))?;
    let own = store.own_value("secret", fresh.to_vec()).await.map_err(|problem| io::Error::other(problem.message))?;
    let own: [u8; 32] = own.try_into().map_err(|_| io::Error::other("the database has a damaged secret"))?;
    let failed = |source| HubError::Listen { address: settings.listen, source };
    let listener = listen(settings.listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let scorer = Arc::new(Scorer { newcomers: settings.newcomers, operators: settings.operators.clone() });
    let public_url = settings.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let shared = Shared {
        rates: Rates::new(&settings.limits, LimiterClock(Arc::clone(&clock))),
        replays: Replays::start(replayer, store.clone(), blobs.clone(), Arc::clone(&scorer), Arc::clone(&clock)),
        public_url: public_url.trim_end_matches('/').to_owned(),
        secrets: Arc::new(Secrets::new(own)),
        fetches: Fetches::default(),
        draining: AtomicBool::new(false),
        settings,
        clock,
        store,
        blobs,
        scorer,
    };
    Ok((Arc::new(shared), listener, address))
}

async fn accept(listener: TcpListener, shared: &Arc<Shared>, stop: &AtomicBool) {
    let router = routes::router(Arc::clone(shared));
    let graceful = GracefulShutdown::new();
    let limits = shared.settings.limits;
    let free = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(MAX_HEAD_BYTES);
    let upkeep = tokio::spawn(upkeep(Arc::clone(shared)));
    while !stop.load(Ordering::Relaxed) {
        // Who comes when all connections are taken waits in the queue of the socket.
        let Ok(Ok(permit)) = timeout(TICK, Arc::clone(&free).acquire_owned()).await else { continue };
        let (stream, peer) = match timeout(TICK, listener.accept()).await {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(_)) => {
                // The client has disconnected, or file descriptors are short.
                tokio::time::sleep(TICK).await;
                continue;
            }
            Err(_) => continue,
        };
        // Small answers are not held back for more.
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            answer(router.clone(), Peer(peer.ip()), request)
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // If a client disconnects or is too slow, there is nobody to report it to.
            let _ = connection.await;
            drop(permit);
        });
    }
    shared.draining.store(true, Ordering::Relaxed);
    drop(listener);
    let _ = timeout(limits.grace, graceful.shutdown()).await;
    upkeep.abort();
    round(shared).await;
}

async fn answer(
    router: Router,
    peer: Peer,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let mut request = request.map(axum::body::Body::new);
    request.extensions_mut().insert(peer);
    router.oneshot(request).await
}

async fn upkeep(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(UPKEEP).await;
        round(&shared).await;
    }
}

/// One round of upkeep. If it fails, the next one does what it did not.
async fn round(shared: &Shared) {
    // Older messages are refused for their time.
    let skew = i64::try_from(shared.settings.limits.skew.as_millis()).unwrap_or(i64::MAX);
    let age = skew.saturating_mul(2).saturating_add(60_000);
    let _ = shared.store.upkeep(&shared.fetches, Arc::clone(&shared.scorer), shared.now(), age).await;
}
