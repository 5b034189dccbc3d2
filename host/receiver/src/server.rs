//! Accepts connections, answers their requests and closes them.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::ORIGIN;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::accepted::Accepted;
use crate::body;
use crate::connections::Connections;
use crate::encoding::{Encoding, Signal};
use crate::limits::Limits;
use crate::reply::{self, Refusal};
use crate::request::RequestReader;

/// How often the stop flag is checked.
const TICK: Duration = Duration::from_millis(50);
/// Most bytes of a request line and headers.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// What was received in total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests that succeeded.
    pub requests: u64,
    /// Requests that were refused.
    pub refused: u64,
    /// Events that were stored.
    pub events: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// Records that were received before.
    pub duplicates: u64,
}

/// A listening socket.
#[derive(Debug)]
pub struct Receiver {
    listener: TcpListener,
    limits: Limits,
}

struct Service<'k> {
    work: Mutex<(RequestReader<'k>, Totals)>,
    memory: Arc<Semaphore>,
    limits: Limits,
    connections: Connections,
}

impl Receiver {
    /// Listens at an address. Port 0 chooses a free port.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that listens")]
    pub fn bind(address: SocketAddr, limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, limits })
    }

    /// The address that it listens at.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` is set, and then those that are pending.
    pub fn serve(self, requests: RequestReader<'static>, stop: &AtomicBool) -> io::Result<Totals> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let service = Arc::new(Service {
            work: Mutex::new((requests, Totals::default())),
            memory: Arc::new(Semaphore::new(self.limits.all_body_bytes)),
            limits: self.limits,
            connections: Connections::default(),
        });
        runtime.block_on(accept(self.listener, &service, stop))?;
        // Connections that are still open are dropped with the runtime.
        drop(runtime);
        let totals = service.work.lock().unwrap_or_else(PoisonError::into_inner).1;
        Ok(totals)
    }
}

async fn accept(listener: TcpListener, service: &Arc<Service<'static>>, stop: &AtomicBool) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let graceful = GracefulShutdown::new();
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(service.limits.head_time).max_buf_size(MAX_HEAD_BYTES);
    while !stop.load(Ordering::Relaxed) {
        let stream = match timeout(TICK, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            Ok(Err(_)) => {
                // The client has disconnected, or file descriptors are short.
                tokio::time::sleep(TICK).await;
                continue;
            }
            Err(_) => continue,
        };
        service.connections.make_room(service.limits.connections);
        let id = service.connections.next_id();
        let answering = Arc::clone(service);
        let answered = service_fn(move |request| {
            let service = Arc::clone(&answering);
            async move { Ok::<_, Infallible>(service.answer(request, id).await) }
        });
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), answered));
        let task = tokio::spawn(async move {
            // If a client disconnects or is too slow, there is nobody to report it to.
            let _ = connection.await;
        });
        service.connections.add(id, task.abort_handle());
    }
    drop(listener);
    let _ = timeout(service.limits.grace, graceful.shutdown()).await;
    Ok(())
}

impl Service<'_> {
    async fn answer(&self, request: Request<Incoming>, connection: u64) -> Response<Full<Bytes>> {
        let encoding = Encoding::of(request.headers());
        let answered = self.receive(request, encoding, connection).await;
        self.connections.answered(connection);
        let totals = &mut self.work.lock().unwrap_or_else(PoisonError::into_inner).1;
        match answered {
            Ok((signal, encoding, accepted)) => {
                totals.requests += 1;
                totals.events += accepted.events;
                totals.rejected += accepted.rejected;
                totals.duplicates += accepted.duplicates;
                reply::accepted(signal, encoding, &accepted)
            }
            Err(refusal) => {
                totals.refused += 1;
                reply::refused(encoding.unwrap_or(Encoding::Json), &refusal)
            }
        }
    }

    async fn receive(
        &self,
        request: Request<Incoming>,
        encoding: Option<Encoding>,
        connection: u64,
    ) -> Result<(Signal, Encoding, Accepted), Refusal> {
        let refused = |status, message: &str| Err(Refusal::new(status, message));
        let Some(signal) = Signal::of(request.uri().path()) else {
            return refused(
                StatusCode::NOT_FOUND,
                "send traces to /v1/traces and logs to /v1/logs; metrics are not supported",
            );
        };
        if request.method() != Method::POST {
            return refused(StatusCode::METHOD_NOT_ALLOWED, "send records with POST");
        }
        if request.headers().contains_key(ORIGIN) {
            return refused(StatusCode::FORBIDDEN, "requests from web pages are refused");
        }
        let Some(encoding) = encoding else {
            let message = "this content type is not supported: send application/x-protobuf or application/json";
            return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
        };
        let (head, body) = request.into_parts();
        let make_room = || self.connections.close_slowest(Some(connection));
        let body = body::collect(body, &self.limits, &self.memory, make_room).await?;
        let bytes = body.decompressed(&head.headers, &self.limits)?;
        let accepted = self.work.lock().unwrap_or_else(PoisonError::into_inner).0.read(signal, encoding, &bytes)?;
        Ok((signal, encoding, accepted))
    }
}
