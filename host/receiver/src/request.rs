//! From the body of one request to run events, by the reader of OTLP files.

use std::collections::BTreeMap;

use gephost_core::observe::{FileReader, FileSummary, Shared, SkipReason, by_name};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use hyper::StatusCode;
use serde::de::IgnoredAny;

use crate::encoding::{Encoding, Signal};
use crate::protobuf::{self, Record};
use crate::reply::Refusal;

/// What the reader is given at once, in bytes; between two such pieces what was read is handed on.
const PIECE_BYTES: usize = 64 << 10;
/// How many events are handed on at once.
const BATCH_EVENTS: usize = 1000;
/// The name of the source in summaries, where a file has its path.
const SOURCE: &str = "otlp";

/// Where events go: an error means that they are not kept, and says why.
pub type Keep<'k> = dyn FnMut(&[RunEvent]) -> Result<(), String> + Send + 'k;

/// What became of the records of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Events that were kept.
    pub events: u64,
    /// Records that could not be read, and were not kept.
    pub rejected: u64,
    /// Records that had come before; they are no error, since clients send again what they had no answer for.
    pub duplicates: u64,
    /// Why records were rejected, with how many.
    pub reasons: BTreeMap<&'static str, u64>,
}

impl Taken {
    /// In one line, why records were rejected.
    pub(crate) fn reason(&self) -> String {
        let parts: Vec<String> = self.reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        parts.join(", ")
    }

    fn reject(&mut self, reason: &'static str, count: u64) {
        self.rejected += count;
        *self.reasons.entry(reason).or_default() += count;
    }

    fn count(&mut self, summary: &FileSummary) {
        for (reason, count) in &summary.skipped_by_reason {
            match reason {
                SkipReason::Duplicate => self.duplicates += count,
                SkipReason::Overlong => self.reject("too long", *count),
                _ => self.reject("unreadable", *count),
            }
        }
    }
}

/// Takes request after request. Remembers spans that came before, so that one that is sent again counts once.
pub struct Taker<'k> {
    shared: Shared,
    keep: Box<Keep<'k>>,
}

impl<'k> Taker<'k> {
    /// Every text passes `redactor` before `keep` gets it.
    pub fn new(redactor: Redactor, keep: Box<Keep<'k>>) -> Self {
        Self { shared: Shared::new(redactor), keep }
    }

    /// Reads a body and hands its events on; when it returns `Ok` they are kept. On an error a part of them may be: a
    /// client that sends the request again has that part twice, which is better than not at all.
    pub(crate) fn take(&mut self, signal: Signal, encoding: Encoding, body: &[u8]) -> Result<Taken, Refusal> {
        let result = match encoding {
            Encoding::Json => self.json(body),
            Encoding::Protobuf => self.protobuf(signal, body),
        };
        if result.as_ref().is_err_and(|refusal| refusal.status == StatusCode::SERVICE_UNAVAILABLE) {
            // What was met was not kept: it must not count as met when it is sent again.
            self.shared = Shared::new(std::mem::take(&mut self.shared.redactor));
        }
        result
    }

    fn hand_on(&mut self, batch: &mut Vec<RunEvent>, taken: &mut Taken) -> Result<(), Refusal> {
        if !batch.is_empty() {
            (self.keep)(batch).map_err(|error| {
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, format!("failed to keep it: {error}"))
            })?;
            taken.events += batch.len() as u64;
            batch.clear();
        }
        Ok(())
    }

    fn json(&mut self, body: &[u8]) -> Result<Taken, Refusal> {
        let malformed = |what: &str| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is {what}"));
        let text = std::str::from_utf8(body).map_err(|_| malformed("not UTF-8"))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(malformed("no JSON object"));
        }
        serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&format!("no JSON: {error}")))?;
        let mut reading = Reading::begin(self);
        for piece in body.chunks(PIECE_BYTES) {
            reading.feed(piece)?;
        }
        reading.end()
    }

    fn protobuf(&mut self, signal: Signal, body: &[u8]) -> Result<Taken, Refusal> {
        let malformed = || Refusal::new(StatusCode::BAD_REQUEST, "the body is no protobuf message of this path");
        // Looked through before anything is kept: a request is taken whole or not at all.
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
                Record::Overlong => reading.taken.reject("too long", 1),
                Record::Broken => reading.taken.reject("unreadable", 1),
            }
        });
        result.and(walked.map_err(|_| malformed()))?;
        reading.feed(close)?;
        reading.end()
    }
}

/// One request on its way through the reader.
struct Reading<'t, 'k> {
    reader: FileReader,
    taker: &'t mut Taker<'k>,
    batch: Vec<RunEvent>,
    taken: Taken,
}

impl<'t, 'k> Reading<'t, 'k> {
    fn begin(taker: &'t mut Taker<'k>) -> Self {
        let format = by_name("otlp").expect("core reads OTLP");
        let reader = FileReader::new(format, SOURCE, b"{");
        Self { reader, taker, batch: Vec::new(), taken: Taken::default() }
    }

    fn feed(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        let batch = &mut self.batch;
        self.reader.feed(piece, &mut self.taker.shared, &mut |event| batch.push(event));
        if batch.len() < BATCH_EVENTS { Ok(()) } else { self.taker.hand_on(batch, &mut self.taken) }
    }

    fn end(self) -> Result<Taken, Refusal> {
        let Self { reader, taker, mut batch, mut taken } = self;
        let end = reader.finish(&mut taker.shared, &mut |event| batch.push(event));
        taker.hand_on(&mut batch, &mut taken)?;
        taken.count(&end.summary);
        Ok(taken)
    }
}
