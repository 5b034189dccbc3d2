//! The append-only, hash-chained log: what gephost intended, and the outcome (invariants 5 and 6).
//!
//! Each entry is one line of canonical JSON: `{"at", "entry": {"kind", …}, "prev", "seq", "v": 1}`. `prev` is the
//! SHA-256 of the previous line without its line end. Changing, moving or removing a line breaks the chain after it.
//! The [`Head`], which is stored elsewhere, reveals a truncated end. Callers redact texts before they pass them in
//! (invariant 12).

mod entry;
mod state;
mod tally;
mod verify;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::digest::{self, DigestError, Fields, StrictError};

pub use entry::{Contents, CycleOutcome, EntryBody, GateVerdict};
pub use state::{
    AppliedAssets, AppliedBranch, Autopilot, Cycle, Cycles, IllegalTransition, InFlight, ProposalState, Queue, Session,
    State, Take, Waiting,
};
pub use tally::Tally;
pub use verify::{Chain, Fault, Verification, Verifier};

pub use crate::contest::{Fate, Tried};
pub use crate::diagnosis::FindingRef;

/// The most bytes of one line.
pub const MAX_LINE_BYTES: usize = 256 * 1024;

/// The version of the line format. A reader refuses a later one.
const FORMAT: u64 = 1;

/// `prev` of the first entry.
const NO_LINE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The end of a log: how many entries it has, and the hash of the last line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// How many entries; the `seq` of the next one.
    pub entries: u64,
    /// Lower-case hexadecimal SHA-256 of the last line without its line end; zeros if there is no line.
    pub hash: String,
}

impl Head {
    /// The head of a log without entries.
    pub fn empty() -> Self {
        Self { entries: 0, hash: NO_LINE.to_owned() }
    }

    /// The head after one line more.
    #[must_use]
    pub fn after(&self, line: &[u8]) -> Self {
        Self { entries: self.entries.saturating_add(1), hash: digest::sha256_hex(line) }
    }
}

/// One entry of the log, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its number, from 0.
    pub seq: u64,
    /// The hash of the line before.
    pub prev: String,
    /// When it was appended.
    pub at: Timestamp,
    /// The fact that was logged.
    pub body: EntryBody,
}

/// Why a line cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// It is not strict JSON, or too long.
    #[error("the log line is not an entry: {0}")]
    Json(#[from] StrictError),
    /// A member is not what it should be.
    #[error("the log line is not an entry: {0}")]
    Field(#[from] digest::FieldError),
    /// Its kind or a member is unknown.
    #[error("this version of gephost does not know the log entry: {0}")]
    Body(serde_json::Error),
    /// The entry has a format number that only a later version of gephost writes.
    #[error("the log line has format {0}, and this version of gephost reads format 1; use a newer gephost")]
    Format(u64),
    /// Not the bytes that gephost writes: an extra member, another order or other spacing.
    #[error("the log line is not in canonical form")]
    NotCanonical,
    /// The entry cannot be written.
    #[error("the log entry cannot be written: {0}")]
    Digest(#[from] DigestError),
    /// The entry is too long.
    #[error("the log entry has {0} bytes, over the limit of {MAX_LINE_BYTES}: shorten its texts")]
    TooLong(usize),
}

/// The line, without its line end, for an entry after `head`; and the head after that entry.
pub fn append(head: &Head, at: Timestamp, body: &EntryBody) -> Result<(String, Head), EntryError> {
    let line = write_line(&Entry { seq: head.entries, prev: head.hash.clone(), at, body: body.clone() })?;
    if line.len() > MAX_LINE_BYTES {
        return Err(EntryError::TooLong(line.len()));
    }
    let head = head.after(line.as_bytes());
    Ok((line, head))
}

fn write_line(entry: &Entry) -> Result<String, EntryError> {
    let body = serde_json::to_value(&entry.body).map_err(EntryError::Body)?;
    let at = entry.at.to_string();
    let line = json!({ "v": FORMAT, "seq": entry.seq, "prev": entry.prev, "at": at, "entry": body });
    Ok(digest::canonical_text(&line)?)
}

/// Reads a line without its line end. Accepts only the bytes that [`append`] writes.
pub fn read_line(line: &[u8]) -> Result<Entry, EntryError> {
    let members = digest::read_object(line, MAX_LINE_BYTES)?;
    let fields = Fields::of(&members);
    match fields.count("v")? {
        FORMAT => {}
        later => return Err(EntryError::Format(later)),
    }
    let at = fields.text("at")?;
    let at = at.parse().map_err(|_| digest::FieldError::value("at", format!("is {at:?}: expected RFC 3339")))?;
    let body = members.get("entry").cloned().unwrap_or_default();
    let entry = Entry {
        seq: fields.count("seq")?,
        prev: fields.text("prev")?.to_owned(),
        at,
        body: serde_json::from_value(body).map_err(EntryError::Body)?,
    };
    if write_line(&entry)?.as_bytes() != line {
        return Err(EntryError::NotCanonical);
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> EntryBody {
        EntryBody::Note { text: text.to_owned() }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn entries_chain_and_read_back() {
        let (first, head) = append(&Head::empty(), at(0), &note("one")).expect("a line");
        let expect = r#"{"at":"1970-01-01T00:00:00Z","entry":{"kind":"note","text":"one"},"prev":"0000000000000000000000000000000000000000000000000000000000000000","seq":0,"v":1}"#;
        assert_eq!(first, expect);
        let (second, end) = append(&head, at(1), &note("two\n🧬")).expect("a line");
        let read = read_line(second.as_bytes()).expect("an entry");
        assert_eq!((read.seq, read.prev.as_str()), (1, head.hash.as_str()));
        assert_eq!((read.at, read.body), (at(1), note("two\n🧬")));
        assert_eq!((end.entries, end.hash), (2, digest::sha256_hex(second.as_bytes())));
        assert!(!second.contains('\n'));
    }

    #[test]
    fn only_the_bytes_that_gephost_writes_are_an_entry() {
        let (line, _) = append(&Head::empty(), at(0), &note("one")).expect("a line");
        let check = |from: &str, to: &str, expect: &str| {
            assert!(line.contains(from), "{from}");
            let refused = read_line(line.replacen(from, to, 1).as_bytes()).expect_err(to).to_string();
            assert!(refused.contains(expect), "{refused}");
        };
        check("{\"at\"", "{ \"at\"", "not in canonical form");
        check("\"v\":1", "\"v\":1,\"w\":2", "not in canonical form");
        check("\"v\":1", "\"v\":2", "format 2");
        check("\"text\"", "\"more\":1,\"text\"", "unknown field `more`");
        check("\"note\"", "\"poem\"", "unknown variant `poem`");
        check("1970-01-01T00:00:00Z", "yesterday", "field `at`");
        check("\"seq\":0", "\"seq\":-1", "field `seq`");
        check("\"text\":\"one\"", "\"text\":\"one\",\"text\":\"two\"", "duplicate key");
    }

    #[test]
    fn an_entry_has_a_bound() {
        let long = "x".repeat(MAX_LINE_BYTES);
        assert!(matches!(append(&Head::empty(), at(0), &note(&long)), Err(EntryError::TooLong(_))));
    }
}
