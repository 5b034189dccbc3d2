//! A queue in NATS JetStream (server 2.10 or later), for workers on any machine that reaches the server.
//!
//! A stream holds the jobs that are open: one subject a key, at most [`Bounds::open`] messages, new ones refused. A durable
//! consumer gives each message to one worker and gives it out again when the worker has been silent for the lease. A bucket of
//! records holds, for each key, which lease is the present one or how the job ended; an object store holds the blobs, and jobs
//! and results too large for a message.
//!
//! A record changes only if its revision is the one that was read, and the revision is the lease's token. So the first result
//! stands and an older lease cannot end a job, also after a message was delivered twice. The clock is the server's: it counts
//! the lease, and no call sends a time that a decision rests on.
//!
//! What NATS cannot give exactly:
//!
//! * The server does not say whether a lease is over that nobody has taken yet. Such a lease can still be extended and
//!   finished, and the job may be given to another worker all the same. Then one of the two is refused when it finishes.
//! * A job whose end was recorded by a worker that died before it removed the message counts as open until a worker asks for
//!   the next job.
//! * [`JobQueue::add`] for a job that ends at the same moment can return [`Added::New`]. The job is not done again: its end is
//!   found when it is leased.

mod record;

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::kv::{Operation, Store, UpdateErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectStore};
use async_nats::jetstream::stream::{DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, ErrorCode, kv, object_store, stream};
use async_nats::{Client, ConnectOptions};
use bytes::Bytes;
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::address::{Address, is_loopback};
use super::limits::{MAX_BYTES, check_bytes, check_key};
use super::{Added, Bounds, End, JobQueue, Lease, QueueError};
use record::{Body, Record, pack, unpack};

/// How long the server may take for one answer.
const ANSWER: Duration = Duration::from_secs(10);

/// How long the server looks for a job.
const PATIENCE: Duration = Duration::from_millis(150);

/// How long the server may take for a whole blob.
const TRANSFER: Duration = Duration::from_mins(2);

/// Larger jobs and results are stored as objects. A server accepts messages of 1 MiB unless it is told otherwise.
const INLINE: usize = 256 << 10;

/// How often a record that others change meanwhile is read again.
const ROUNDS: usize = 20;

/// A queue in NATS JetStream.
pub struct NatsQueue {
    client: Client,
    context: Context,
    stream: Stream,
    consumer: PullConsumer,
    records: Store,
    objects: ObjectStore,
    name: String,
    bounds: Bounds,
    /// It is last, so that what runs on it is dropped first.
    runtime: Runtime,
}

impl fmt::Debug for NatsQueue {
    /// Leaves the connection out, because it has a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsQueue").field("name", &self.name).field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

impl NatsQueue {
    pub(crate) fn connect(address: &Address, bounds: Bounds) -> Result<Self, QueueError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| QueueError::of("its threads", &error))?;
        let client = runtime.block_on(dial(address))?;
        let context = {
            // It starts a task.
            let _here = runtime.enter();
            jetstream::new(client.clone())
        };
        let name = address.name.clone();
        let (stream, consumer, records, objects) = runtime.block_on(make(&context, &name, bounds))?;
        Ok(Self { client, context, stream, consumer, records, objects, name, bounds, runtime })
    }

    async fn add_job(&self, key: &str, job: &[u8]) -> Result<Added, QueueError> {
        if self.record(key).await?.is_some() {
            return Ok(Added::Known);
        }
        let subject = format!("{}.job.{}", self.name, hash(key.as_bytes()));
        let message = pack(key, &self.body(job).await?);
        let message = PublishMessage::build().payload(message.into()).expected_last_subject_sequence(0);
        let published = match self.context.send_publish(subject.clone(), message).await {
            Ok(answer) => answer.await,
            Err(error) => Err(error),
        };
        match published {
            Ok(_) => Ok(Added::New),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(Added::Known),
            Err(error) if is_full(&error) => match self.stream.get_last_raw_message_by_subject(&subject).await {
                Ok(_) => Ok(Added::Known),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(Added::Full),
                Err(error) => Err(failed(&error)),
            },
            Err(error) => Err(failed(&error)),
        }
    }

    async fn lease_next(&self) -> Result<Option<Lease>, QueueError> {
        loop {
            // A request that does not wait at all can miss a job whose acceptance was confirmed a moment ago.
            let mut batch = within(ANSWER, self.consumer.batch().max_messages(1).expires(PATIENCE).messages()).await?;
            let next = tokio::time::timeout(ANSWER, batch.next()).await.map_err(|error| failed(&error))?;
            let Some(message) = next.transpose().map_err(|error| failed(error.as_ref()))? else { return Ok(None) };
            let reply = message.reply.clone().map(|reply| reply.to_string()).unwrap_or_default();
            let Some((key, body)) = unpack(&message.payload) else {
                // Not one of ours: somebody else published on our subjects.
                self.acknowledge(&reply, "+TERM").await;
                continue;
            };
            if let Some((attempt, revision)) = self.take(&key).await? {
                let token = format!("{revision} {reply}");
                return Ok(Some(Lease { key, job: self.bytes_of(body).await?, attempt, token }));
            }
            self.acknowledge(&reply, "+ACK").await;
        }
    }

    /// Records a new lease of a job: its number, and the record's revision. `None` if the job has ended, or ends here because
    /// its last attempt was lost.
    async fn take(&self, key: &str) -> Result<Option<(u32, u64)>, QueueError> {
        for _ in 0..ROUNDS {
            let (attempts, revision) = match self.record(key).await? {
                None => (0, 0),
                Some((Record::Leased(attempts), revision)) => (attempts, revision),
                Some((Record::Done(_) | Record::GivenUp(_), _)) => return Ok(None),
            };
            let is_last = attempts >= self.bounds.attempts;
            let next =
                if is_last { Record::GivenUp("its worker was lost".to_owned()) } else { Record::Leased(attempts + 1) };
            match self.write(key, &next, revision).await? {
                Some(_) if is_last => return Ok(None),
                Some(revision) => return Ok(Some((attempts + 1, revision))),
                None => {}
            }
        }
        Err(QueueError(format!("the record of {key} changed {ROUNDS} times while it was read")))
    }

    async fn extend_lease(&self, lease: &Lease) -> Result<bool, QueueError> {
        let (revision, reply) = token_of(lease)?;
        let is_ours = self.record(&lease.key).await?.is_some_and(|(record, now)| now == revision && !record.is_end());
        if is_ours {
            let asked = self.client.request(reply.to_owned(), Bytes::from_static(b"+WPI"));
            within(ANSWER, asked).await?;
        }
        Ok(is_ours)
    }

    async fn finish_lease(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError> {
        let (revision, reply) = token_of(lease)?;
        let end = Record::Done(self.body(result).await?);
        let is_ours = self.write(&lease.key, &end, revision).await?.is_some();
        if is_ours {
            self.acknowledge(reply, "+ACK").await;
        }
        Ok(is_ours)
    }

    async fn fail_lease(&self, lease: &Lease, reason: &str) -> Result<(), QueueError> {
        let (revision, reply) = token_of(lease)?;
        let is_last = lease.attempt >= self.bounds.attempts;
        let next = if is_last { Record::GivenUp(clipped(reason)) } else { Record::Leased(lease.attempt) };
        if self.write(&lease.key, &next, revision).await?.is_some() {
            self.acknowledge(reply, if is_last { "+ACK" } else { "-NAK" }).await;
        }
        Ok(())
    }

    async fn end(&self, key: &str) -> Result<Option<End>, QueueError> {
        match self.record(key).await? {
            Some((Record::Done(body), _)) => Ok(Some(End::Done(self.bytes_of(body).await?))),
            Some((Record::GivenUp(reason), _)) => Ok(Some(End::GivenUp(reason))),
            Some((Record::Leased(_), _)) | None => Ok(None),
        }
    }

    /// Says what becomes of a message, and waits for the server to have heard it. Nothing rests on it: a message that stays is
    /// given out again, and then its record decides.
    async fn acknowledge(&self, reply: &str, what: &'static str) {
        let asked = self.client.request(reply.to_owned(), Bytes::from_static(what.as_bytes()));
        drop(tokio::time::timeout(Duration::from_secs(2), asked).await);
    }

    async fn record(&self, key: &str) -> Result<Option<(Record, u64)>, QueueError> {
        let Some(entry) = within(ANSWER, self.records.entry(hash(key.as_bytes()))).await? else { return Ok(None) };
        if entry.operation != Operation::Put {
            return Ok(None);
        }
        let record =
            Record::decode(&entry.value).ok_or_else(|| QueueError(format!("the record of {key} is damaged")))?;
        Ok(Some((record, entry.revision)))
    }

    /// Writes a record if its revision is still the one that was read (0: there was none). Returns the new revision.
    async fn write(&self, key: &str, record: &Record, revision: u64) -> Result<Option<u64>, QueueError> {
        let update = self.records.update(hash(key.as_bytes()), record.encode().into(), revision);
        let error = match update.await {
            Ok(revision) => return Ok(Some(revision)),
            Err(error) if error.kind() == UpdateErrorKind::WrongLastRevision => return Ok(None),
            Err(error) => error,
        };
        // The answer was lost. An end is written by one lease only, so an equal one after our revision is ours.
        match self.record(key).await? {
            Some((now, at)) if at > revision && record.is_end() && now == *record => Ok(Some(at)),
            _ => Err(failed(&error)),
        }
    }

    async fn body(&self, bytes: &[u8]) -> Result<Body, QueueError> {
        let inline = INLINE.min(self.client.server_info().max_payload / 2);
        if bytes.len() <= inline {
            return Ok(Body::Inline(bytes.to_vec()));
        }
        let name = format!("body-{}", hash(bytes));
        self.put_object(&name, bytes).await?;
        Ok(Body::Object(name))
    }

    async fn bytes_of(&self, body: Body) -> Result<Vec<u8>, QueueError> {
        match body {
            Body::Inline(bytes) => Ok(bytes),
            Body::Object(name) => {
                self.object(&name).await?.ok_or_else(|| QueueError(format!("the object {name} is missing")))
            }
        }
    }

    async fn put_object(&self, name: &str, mut bytes: &[u8]) -> Result<(), QueueError> {
        match within_kind(self.objects.info(name)).await? {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == InfoErrorKind::NotFound => {}
            Err(error) => return Err(failed(&error)),
        }
        within(TRANSFER, self.objects.put(name, &mut bytes)).await.map(|_| ())
    }

    async fn object(&self, name: &str) -> Result<Option<Vec<u8>>, QueueError> {
        let object = match within_kind(self.objects.get(name)).await? {
            Ok(object) => object,
            Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        let mut bytes = Vec::new();
        within(TRANSFER, object.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)).await?;
        check_bytes("an object of the queue", &bytes)?;
        Ok(Some(bytes))
    }
}

impl JobQueue for NatsQueue {
    fn add(&self, key: &str, job: &[u8]) -> Result<Added, QueueError> {
        check_key("a key", key)?;
        check_bytes("a job", job)?;
        self.runtime.block_on(self.add_job(key, job))
    }

    fn lease(&self) -> Result<Option<Lease>, QueueError> {
        self.runtime.block_on(self.lease_next())
    }

    fn extend(&self, lease: &Lease) -> Result<bool, QueueError> {
        self.runtime.block_on(self.extend_lease(lease))
    }

    fn finish(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError> {
        check_bytes("a result", result)?;
        self.runtime.block_on(self.finish_lease(lease, result))
    }

    fn fail(&self, lease: &Lease, reason: &str) -> Result<(), QueueError> {
        self.runtime.block_on(self.fail_lease(lease, reason))
    }

    fn end_of(&self, key: &str) -> Result<Option<End>, QueueError> {
        self.runtime.block_on(self.end(key))
    }

    fn put_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), QueueError> {
        check_key("a digest", digest)?;
        check_bytes("a blob", bytes)?;
        self.runtime.block_on(self.put_object(&format!("blob-{digest}"), bytes))
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, QueueError> {
        self.runtime.block_on(self.object(&format!("blob-{digest}")))
    }
}

/// Connects to the one server that the URL names. Servers that it tells of are not contacted.
async fn dial(address: &Address) -> Result<Client, QueueError> {
    let url = Url::parse(&address.url).map_err(|error| QueueError::of("its URL", &error))?;
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return Err(QueueError("its URL names no server: nats://HOST".to_owned()));
    };
    if url.query().is_some() || !matches!(url.path(), "" | "/") {
        return Err(QueueError(
            "a NATS URL has no path, and the options queue, sslmode and sslrootcert only".to_owned(),
        ));
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let mut options = ConnectOptions::new().name("gephost").ignore_discovered_servers().connection_timeout(ANSWER);
    options = match (url.username(), url.password()) {
        ("", None) => options,
        (token, None) => options.token(decoded(token)),
        (user, Some(password)) => options.user_and_password(decoded(user), decoded(password)),
    };
    let is_encrypted = address.is_encrypted(is_loopback(host));
    options = options.require_tls(is_encrypted);
    if let Some(root) = &address.root {
        options = options.add_root_certificates(root.clone());
    }
    let server = format!("{}://{host}:{}", if is_encrypted { "tls" } else { "nats" }, url.port().unwrap_or(4222));
    options.connect(server).await.map_err(|error| failed(&error))
}

/// Makes what is missing of the queue, and compares the bounds with those that it was made with.
async fn make(
    context: &Context,
    name: &str,
    bounds: Bounds,
) -> Result<(Stream, PullConsumer, Store, ObjectStore), QueueError> {
    let wanted = stream::Config {
        name: name.to_owned(),
        subjects: vec![format!("{name}.job.*")],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: i64::try_from(bounds.open).unwrap_or(-1),
        metadata: HashMap::from([
            ("gephost_attempts".to_owned(), bounds.attempts.to_string()),
            ("gephost_lease_ms".to_owned(), bounds.lease.as_millis().to_string()),
        ]),
        ..stream::Config::default()
    };
    let stream = within(ANSWER, context.get_or_create_stream(wanted.clone())).await?;
    let made = &stream.cached_info().config;
    let bound =
        |config: &stream::Config, key: &str| config.metadata.get(key).cloned().unwrap_or_else(|| "no".to_owned());
    let all = |config: &stream::Config| {
        (config.max_messages, bound(config, "gephost_attempts"), bound(config, "gephost_lease_ms"))
    };
    if all(made) != all(&wanted) {
        let (open, attempts, lease) = all(made);
        return Err(QueueError(format!(
            "{name} was made with other bounds: {open} open jobs, {attempts} attempts, {lease} ms of lease. Name another one with \
             queue=NAME, or delete this stream, its bucket and its object store when they are no longer needed"
        )));
    }
    let consumer = pull::Config {
        durable_name: Some("workers".to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: bounds.lease,
        // The records count the attempts, and a message that comes once more is how a lost last attempt is noticed.
        max_deliver: -1,
        max_ack_pending: -1,
        ..pull::Config::default()
    };
    let consumer = within(ANSWER, stream.get_or_create_consumer("workers", consumer)).await?;
    let records = if let Ok(records) = context.get_key_value(name).await {
        records
    } else {
        let config = kv::Config { bucket: name.to_owned(), history: 1, ..kv::Config::default() };
        within(ANSWER, context.create_key_value(config)).await?
    };
    let objects = if let Ok(objects) = context.get_object_store(name).await {
        objects
    } else {
        let config = object_store::Config { bucket: name.to_owned(), ..object_store::Config::default() };
        within(ANSWER, context.create_object_store(config)).await?
    };
    let stream = within(ANSWER, context.get_stream(name)).await?;
    Ok((stream, consumer, records, objects))
}

/// Waits for an answer for a limited time.
async fn within<T, E: Error>(limit: Duration, answer: impl IntoFuture<Output = Result<T, E>>) -> Result<T, QueueError> {
    match tokio::time::timeout(limit, answer).await {
        Ok(answer) => answer.map_err(|error| failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

/// The same for an answer whose errors are distinguished.
async fn within_kind<A: Future>(answer: A) -> Result<A::Output, QueueError> {
    tokio::time::timeout(ANSWER, answer).await.map_err(|error| failed(&error))
}

fn failed(error: &dyn Error) -> QueueError {
    QueueError::of("NATS", error)
}

/// Whether the stream has as many messages as it may have.
fn is_full(error: &jetstream::context::PublishError) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<jetstream::Error>());
    cause.is_some_and(|cause| {
        cause.error_code() == ErrorCode::STREAM_STORE_FAILED && cause.to_string().contains("maximum messages")
    })
}

/// A lease's record revision, and where its message is acknowledged.
fn token_of(lease: &Lease) -> Result<(u64, &str), QueueError> {
    let parts = lease.token.split_once(' ').and_then(|(revision, reply)| Some((revision.parse().ok()?, reply)));
    parts.ok_or_else(|| QueueError("the lease is not of this queue".to_owned()))
}

/// A reason that fits in a record.
fn clipped(reason: &str) -> String {
    reason.chars().take(INLINE / 8).collect()
}

fn hash(bytes: &[u8]) -> String {
    let hex = |text: String, byte: &u8| text + &format!("{byte:02x}");
    Sha256::digest(bytes).iter().fold(String::new(), hex)
}
