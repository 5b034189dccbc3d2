//! Reads the body of a request into run events, with the reader for OTLP files.

use gephost_core::observe::{FileReader, Shared, by_name};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use hyper::StatusCode;
use serde::de::IgnoredAny;

use crate::accepted::Accepted;
use crate::encoding::{Encoding, Signal};
use crate::protobuf::{self, Record};
use crate::reply::Refusal;

/// Bytes that the reader is given at once. Between two pieces, the events read so far are stored.
const PIECE_BYTES: usize = 64 << 10;
/// Events that are stored at once.
const BATCH_EVENTS: usize = 1000;
/// Name of the source in summaries, where a file has its path.
const SOURCE: &str = "otlp";

/// Stores events. An error says why they were not stored.
pub type StoreEvents<'k> = dyn FnMut(&[RunEvent]) -> Result<(), String> + Send + 'k;

/// Reads requests. It remembers earlier records, so that a record that is sent again counts once.
pub struct RequestReader<'k> {
    shared: Shared,
    store: Box<StoreEvents<'k>>,
}

impl<'k> RequestReader<'k> {
    /// Every text passes `redactor` before `store` gets it.
    pub fn new(redactor: Redactor, store: Box<StoreEvents<'k>>) -> Self {
        Self { shared: Shared::new(redactor), store }
    }

    /// Reads a body and stores its events. They are stored if this returns `Ok`. If it fails, some may be stored; a
    /// client that resends the request then stores them twice, which is better than losing them.
    pub(crate) fn read(&mut self, signal: Signal, encoding: Encoding, body: &[u8]) -> Result<Accepted, Refusal> {
        let result = match encoding {
            Encoding::Json => self.json(body),
            Encoding::Protobuf => self.protobuf(signal, body),
        };
        if result.as_ref().is_err_and(|refusal| refusal.status == StatusCode::SERVICE_UNAVAILABLE) {
            // The records were not stored, so they must not count as known when they are sent again.
            self.shared = Shared::new(std::mem::take(&mut self.shared.redactor));
        }
        result
    }

    fn store_batch(&mut self, batch: &mut Vec<RunEvent>, accepted: &mut Accepted) -> Result<(), Refusal> {
        if !batch.is_empty() {
            (self.store)(batch).map_err(|error| {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, format!("failed to store it: {error}"))
            })?;
            accepted.events += batch.len() as u64;
            batch.clear();
        }
        Ok(())
    }

    fn json(&mut self, body: &[u8]) -> Result<Accepted, Refusal> {
        let malformed = |what: &str| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is {what}"));
        let text = std::str::from_utf8(body).map_err(|_| malformed("not UTF-8"))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(malformed("not a JSON object"));
        }
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&format!("not JSON: {error}")))?;
        let mut reading = Reading::begin(self);
        for piece in body.chunks(PIECE_BYTES) {
            reading.feed(piece)?;
        }
        reading.end()
    }

    fn protobuf(&mut self, signal: Signal, body: &[u8]) -> Result<Accepted, Refusal> {
        let malformed = || Refusal::new(StatusCode::BAD_REQUEST, "the body is not a protobuf message for this path");
        // The message is checked before anything is stored, so that a malformed request is refused as a whole.
        protobuf::check(body).map_err(|_| malformed())?;
        let mut reading = Reading::begin(self);
        let (open, close): (&[u8], &[u8]) = match signal {
            Signal::Spans => (br#"{"resourceSpans":[{"scopeSpans":[{"spans":["#, b"]}]}]}"),
            Signal::LogRecords => (br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":["#, b"]}]}]}"),
        };
        reading.feed(open)?;
        let mut result = Ok(());
        let mut separator: &[u8] = b"";
        let walked = protobuf::records(signal, body, &mut |record| {
            if result.is_err() {
                return;
            }
            match record {
                Record::Json(json) => {
                    result = reading.feed(separator).and_then(|()| reading.feed(&json));
                    separator = b",";
                }
                Record::Overlong => reading.accepted.reject("too long", 1),
                Record::Broken => reading.accepted.reject("unreadable", 1),
            }
        });
        result.and(walked.map_err(|_| malformed()))?;
        reading.feed(close)?;
        reading.end()
    }
}

/// A request that is being read.
struct Reading<'t, 'k> {
    reader: FileReader,
    requests: &'t mut RequestReader<'k>,
    batch: Vec<RunEvent>,
    accepted: Accepted,
}

impl<'t, 'k> Reading<'t, 'k> {
    fn begin(requests: &'t mut RequestReader<'k>) -> Self {
        let format = by_name("otlp").expect("core reads OTLP");
        let reader = FileReader::new(format, SOURCE, b"{");
        Self { reader, requests, batch: Vec::new(), accepted: Accepted::default() }
    }

    fn feed(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        let batch = &mut self.batch;
        self.reader.feed(piece, &mut self.requests.shared, &mut |event| batch.push(event));
        if batch.len() < BATCH_EVENTS { Ok(()) } else { self.requests.store_batch(batch, &mut self.accepted) }
    }

    fn end(self) -> Result<Accepted, Refusal> {
        let Self { reader, requests, mut batch, mut accepted } = self;
        let end = reader.finish(&mut requests.shared, &mut |event| batch.push(event));
        requests.store_batch(&mut batch, &mut accepted)?;
        accepted.count(&end.summary);
        Ok(accepted)
    }
}
