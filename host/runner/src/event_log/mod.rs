//! The hash-chained log on disk. The decision half, what an entry is and when a log is sound, is
//! `gephost_core::event_log`.
//!
//! Owns two files: the log, and its head in another place, so that a log whose end was cut is told from a short one.
//! An append writes three times, each synced: the head with the hash of the line that shall come, the line, the head
//! after it. A crash in between leaves either no line, a cut one, which the next append takes away, or the announced
//! one, which counts. What must stay true: an entry whose append returned is never lost, nothing that was appended is
//! ever changed, and no line counts that the head does not vouch for.
//!
//! Entries are in the order of their times and a millisecond or more apart, whatever the clock does: where it goes back,
//! they go on from the last time until it is past that again, and one entry says so.
//!
//! An append does not read again what was verified. The head keeps what the system says of the file as an append left it:
//! size, identity, and the time of the last change, which nobody can set. Where the file is still that one, so is its
//! content, which was verified when it was written. What a new entry may follow, the handle remembers from one append to
//! the next; a report, which may follow anything, needs no memory. In every other case the whole log is read and verified.
//! An edit that keeps the size and falls into the same tick of the system's clock as our own append passes an append. It
//! does not pass `verify`, which always reads everything.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gephost_core::event_log::{
    self, Entry, EntryBody, EntryError, Fault, Head, IllegalTransition, MAX_LINE_BYTES, State, Verification, Verifier,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access, Line};

/// The largest head file that is read, in bytes. One has about 300.
const MAX_HEAD_BYTES: u64 = 4096;
/// Entries are this far apart, so that ids that are made of their times differ.
const TICK: SignedDuration = SignedDuration::from_millis(1);
/// How far behind the last entry a clock may be without a word: whoever waited for another's append read it before that.
const UNTOLD: SignedDuration = SignedDuration::from_secs(10);

/// What an append left behind for the next one of the same handle.
#[derive(Debug)]
struct Known {
    head: Head,
    /// What the log adds up to.
    state: State,
}

/// The log of one project.
#[derive(Debug, Clone)]
pub struct EventLog {
    log: PathBuf,
    head: PathBuf,
    known: Arc<Mutex<Option<Known>>>,
}

/// Why the log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The system.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With which file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The head file is no head.
    #[error(
        "the head of the log in {path} cannot be read: {reason}; put it away, and the next entry vouches for what the log holds"
    )]
    Head {
        /// The head file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is a log and no head, so that nobody can say whether its end was cut.
    #[error(
        "the log {path} has no head at {head}, so whether its end was cut cannot be told; the next entry says so and vouches for what is there"
    )]
    NoHead {
        /// The log.
        path: String,
        /// Where the head should be.
        head: String,
    },
    /// The log is not what was written; nothing is appended to such a log.
    #[error("the log {path} cannot be trusted: {fault}; to begin a new log, put it and its head {head} away")]
    Fault {
        /// The log.
        path: String,
        /// Its head.
        head: String,
        /// What is wrong.
        fault: Fault,
    },
    /// The entry cannot be made.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The entry does not follow from the ones before it.
    #[error("the log refuses an entry: {0}")]
    Illegal(#[from] IllegalTransition),
}

/// The head file: a written form.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    /// The end of the log, as far as it was acknowledged.
    head: Head,
    /// The end that an append in progress leads to.
    next: Option<Head>,
    /// The log as the append left it that led to `head`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<FileMark>,
    /// The time of the last entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastTime>,
}

/// The time of the last entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastTime {
    /// RFC 3339.
    at: String,
    /// Whether the clock has gone back before it, which the log has an entry of.
    behind: bool,
}

impl LastTime {
    fn time(&self) -> Timestamp {
        self.at.parse().unwrap_or_default()
    }

    /// Whether the clock has gone back, where it says `now`.
    fn is_behind(&self, now: Timestamp) -> bool {
        let by = self.time().duration_since(now);
        by > UNTOLD || (self.behind && by.is_positive())
    }

    /// The time of the next entry, where the clock says `now`.
    fn next(&self, now: Timestamp) -> Timestamp {
        let earliest = self.time().saturating_add(TICK);
        now.max(earliest.unwrap_or(Timestamp::MAX))
    }
}

/// What the system says of a file. `changed` is set by every write and every change of the times, and by nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMark {
    device: u64,
    inode: u64,
    bytes: u64,
    /// Seconds and nanoseconds.
    changed: (i64, i64),
}

impl FileMark {
    fn of(file: &File) -> std::io::Result<Self> {
        let found = file.metadata()?;
        let changed = (found.ctime(), found.ctime_nsec());
        Ok(Self { device: found.dev(), inode: found.ino(), bytes: found.size(), changed })
    }
}

/// Where an append begins.
struct Sound {
    head: Head,
    /// What is written down first.
    notice: Option<String>,
    /// The time of the last entry.
    last: Option<LastTime>,
    /// What the log adds up to with the entry that shall come, where that is known.
    state: Option<State>,
}

/// What a whole read found.
struct Read {
    entries: Vec<Entry>,
    verification: Verification,
    stated: Option<Stated>,
}

impl Read {
    /// Whether nothing is left of a log that had entries.
    fn is_gone(&self) -> bool {
        self.verification.torn_bytes == 0 && matches!(self.verification.fault, Some(Fault::Truncated { found: 0, .. }))
    }

    /// What is to be written down of a log or a head that is missing.
    fn notice(&self) -> Option<String> {
        let entries = self.verification.head.entries;
        match &self.stated {
            None if entries > 0 => {
                Some(format!("the head of this log was missing: its {entries} entries count as they stood"))
            }
            Some(Stated { head, .. }) if self.is_gone() => {
                Some(format!("an earlier log of {} entries, whose head was {}, is gone", head.entries, head.hash))
            }
            _ => None,
        }
    }
}

impl EventLog {
    /// The log at `log`, with its head at `head`. Touches nothing.
    pub fn new(log: &Path, head: &Path) -> Self {
        Self { log: log.to_owned(), head: head.to_owned(), known: Arc::default() }
    }

    /// Appends one entry and returns when it is on disk. Refused for a log that is not sound, and for an entry that
    /// the state does not allow. Where the whole log is gone, as when somebody deleted the state folder, a new one
    /// begins; where the head is gone, what is there counts: an entry before this one says so for good.
    pub fn append(&self, at: Timestamp, body: &EntryBody) -> Result<(), LogError> {
        durable::create_folder(durable::folder_of(&self.log), Access::Private).map_err(self.io("create"))?;
        let mut file = durable::open_to_append(&self.log, Access::Private).map_err(self.io("open"))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out: an append that fails leaves nothing behind that it may have changed.
        let sound = match self.as_we_left_it(&file, known.take(), body)? {
            Some(sound) => sound,
            None => self.verified(&mut file, body)?,
        };
        let mut head = sound.head;
        let mut last = sound.last;
        let behind = last.as_ref().is_some_and(|last| last.is_behind(at));
        let set_back = last.as_ref().filter(|last| behind && !last.behind).map(|last| {
            format!("the clock went back from {} to {at}: entries go on from the later time until it is past", last.at)
        });
        let notes = sound.notice.into_iter().chain(set_back).map(|text| EntryBody::Note { text });
        for body in notes.collect::<Vec<_>>().iter().chain([body]) {
            let time = last.as_ref().map_or(at, |last| last.next(at));
            let time = LastTime { at: time.to_string(), behind };
            head = self.push(&mut file, head, &time, body)?;
            last = Some(time);
        }
        *known = sound.state.map(|state| Known { head, state });
        Ok(())
    }

    /// Where the log is as the last append left it, and what is known is enough to judge an entry.
    fn as_we_left_it(&self, file: &File, known: Option<Known>, body: &EntryBody) -> Result<Option<Sound>, LogError> {
        let Some(Stated { head, next: None, mark: Some(mark), last }) = self.read_head()? else { return Ok(None) };
        if FileMark::of(file).map_err(self.io("look at"))? != mark {
            return Ok(None);
        }
        match known.filter(|known| known.head == head) {
            Some(Known { mut state, .. }) => {
                state.apply(body)?;
                Ok(Some(Sound { head, notice: None, last, state: Some(state) }))
            }
            None if body.is_report() => Ok(Some(Sound { head, notice: None, last, state: None })),
            None => Ok(None),
        }
    }

    /// The same by reading all of it. Refused for a log that is not sound, and for an entry that it does not allow; an
    /// append that a crash cut is taken away.
    fn verified(&self, file: &mut File, body: &EntryBody) -> Result<Sound, LogError> {
        let read = self.read(file)?;
        if !read.is_gone() {
            self.refuse_faults(&read)?;
        }
        let mut state = State::default();
        for entry in &read.entries {
            state.apply(&entry.body)?;
        }
        state.apply(body)?;
        durable::cut_end(file, read.verification.torn_bytes).map_err(self.io("repair"))?;
        let behind = read.stated.as_ref().and_then(|stated| stated.last.as_ref()).is_some_and(|last| last.behind);
        let last = read.entries.last().map(|entry| LastTime { at: entry.at.to_string(), behind });
        Ok(Sound { notice: read.notice(), head: read.verification.head, last, state: Some(state) })
    }

    /// The time that the next entry has: `now`, or, where the clock is not past the last entry, just after that. So ids
    /// that are made of it stay in order and are made once.
    pub fn after_last(&self, now: Timestamp) -> Result<Timestamp, LogError> {
        let last = self.read_head()?.and_then(|stated| stated.last);
        Ok(last.map_or(now, |last| last.next(now)))
    }

    /// Every entry, of a sound log.
    pub fn read_all(&self) -> Result<Vec<Entry>, LogError> {
        let Some(read) = self.read_existing()? else { return Ok(Vec::new()) };
        self.refuse_faults(&read)?;
        Ok(read.entries)
    }

    /// Whether the log is what was written.
    pub fn verify(&self) -> Result<Verification, LogError> {
        let Some(read) = self.read_existing()? else {
            return Ok(Verifier::new(self.read_head()?.map(|stated| stated.head)).finish());
        };
        if read.stated.is_none() && read.verification.fault.is_none() && read.verification.head.entries > 0 {
            return Err(LogError::NoHead { path: shown(&self.log), head: shown(&self.head) });
        }
        Ok(read.verification)
    }

    /// Appends a line behind `head` and gives the head after it.
    fn push(&self, file: &mut File, head: Head, time: &LastTime, body: &EntryBody) -> Result<Head, LogError> {
        let (line, next) = event_log::append(&head, time.time(), body)?;
        let last = Some(time.clone());
        self.write_head(&Stated { head, next: Some(next.clone()), mark: None, last: last.clone() })?;
        durable::append(file, &self.log, format!("{line}\n").as_bytes()).map_err(self.io("append to"))?;
        let mark = FileMark::of(file).map_err(self.io("look at"))?;
        self.write_head(&Stated { head: next.clone(), next: None, mark: Some(mark), last })?;
        Ok(next)
    }

    fn read_existing(&self) -> Result<Option<Read>, LogError> {
        let Some(mut file) = durable::open_to_read(&self.log).map_err(self.io("open"))? else { return Ok(None) };
        // An append in progress must not look like a fault.
        file.lock_shared().map_err(self.io("lock"))?;
        self.read(&mut file).map(Some)
    }

    /// Reads the log and its head; the caller holds the log's lock.
    fn read(&self, file: &mut File) -> Result<Read, LogError> {
        let stated = self.read_head()?;
        let mut verifier = Verifier::new(stated.as_ref().map(|stated| stated.head.clone()));
        let mut entries = Vec::new();
        durable::read_lines(file, MAX_LINE_BYTES, |line| match line {
            Line::Whole(bytes) => entries.extend(verifier.line(bytes)),
            Line::Torn(bytes) => verifier.torn(bytes.len()),
            // No line of ours is longer: it counts as one that was edited.
            Line::TooLong => entries.extend(verifier.line(b"")),
        })
        .map_err(self.io("read"))?;
        let mut verification = verifier.finish();
        if stated.as_ref().is_some_and(|stated| is_announced(stated, &verification)) {
            verification.fault = None;
        }
        Ok(Read { entries, verification, stated })
    }

    fn refuse_faults(&self, read: &Read) -> Result<(), LogError> {
        match read.verification.fault.clone() {
            Some(fault) => Err(LogError::Fault { path: shown(&self.log), head: shown(&self.head), fault }),
            None => Ok(()),
        }
    }

    fn read_head(&self) -> Result<Option<Stated>, LogError> {
        let wrong = |reason: String| LogError::Head { path: shown(&self.head), reason };
        let text = durable::read_text(&self.head, MAX_HEAD_BYTES).map_err(|error| wrong(error.to_string()))?;
        text.map(|text| serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))).transpose()
    }

    fn write_head(&self, stated: &Stated) -> Result<(), LogError> {
        let failed = |source| LogError::Io { doing: "write", path: shown(&self.head), source };
        durable::create_folder(durable::folder_of(&self.head), Access::Private).map_err(failed)?;
        let text = serde_json::to_vec(stated).map_err(|error| failed(error.into()))?;
        durable::replace(&self.head, &text, Access::Private).map_err(failed)
    }

    fn io(&self, doing: &'static str) -> impl Fn(std::io::Error) -> LogError {
        let path = shown(&self.log);
        move |source| LogError::Io { doing, path: path.clone(), source }
    }
}

/// Whether the only entry too many is the one that the head announces: a crash came before the head followed.
fn is_announced(stated: &Stated, verification: &Verification) -> bool {
    verification.fault == Some(Fault::Extra { seq: stated.head.entries })
        && stated.next.as_ref() == Some(&verification.head)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
