//! The hash-chained log on disk. The decision half, what an entry is and when a log is sound, is
//! `gephost_core::event_log`.
//!
//! Owns two files: the log, and its head, so that a log whose end was cut is distinguished from a short one. An append writes
//! three times, each synced: the head with the hashes of the lines that follow, the lines, the head after them. Several
//! entries appended together share the three writes. A crash in between leaves a beginning of the announced lines: the
//! whole ones count, and the next append removes a cut one. What must stay true: an entry whose append returned is never
//! lost; nothing that was appended is ever changed; no line counts unless the head names its hash. The head also keeps the
//! hash of the first line, so that the head of another log is distinguished from a log that was rewritten. A log without a head
//! counts for nothing, and a head without its log says that the log was removed, until the user accepts either.
//!
//! Entries are in the order of their times and a millisecond or more apart, whatever the clock does: where it goes back,
//! they go on from the last time until it is past that again, and one entry says so.
//!
//! An append does not read again what was verified. The head keeps what the system says of the file as an append left it:
//! size, identity, and the time of the last change, which nobody can set. Where the file is still that one, so is its
//! content, which was verified when it was written. The handle and its clones remember the entries and what they add up
//! to, so one process reads and verifies the log once, whatever it appends and asks. A report, which may follow anything,
//! is appended without even that. If another process has written, the whole log is read and verified again. An edit that
//! keeps the size and falls into the same tick of the system's clock as our own append passes. It does not pass `verify`,
//! which always reads everything. To verify a sound log, hashes and links are enough (`event_log::Chain`); the entries are
//! read only to name what is wrong. The Merkle tree of checkpoints is made in the same pass when somebody asks for it, so an
//! append costs nothing for it.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gephost_core::checkpoint::Tree;
use gephost_core::digest::sha256_hex;
use gephost_core::event_log::{
    self, Chain, Entry, EntryBody, EntryError, Fault, Head, IllegalTransition, MAX_LINE_BYTES, State, Verification,
    Verifier,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access, Line};
use crate::place::Place;

/// The largest head file that is read, in bytes. One has about 300, and 100 more for each announced line.
const MAX_HEAD_BYTES: u64 = 4096;
/// The most lines that one head announces; more entries take several rounds.
const MAX_ANNOUNCED: usize = 16;
/// Entries are this far apart, so that ids that are made of their times differ.
const TICK: SignedDuration = SignedDuration::from_millis(1);
/// How far behind the last entry a clock may be before an entry says so: a process that waited for another's append read
/// the clock before that.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(10);

/// A log that was read and verified, with everything that was appended since.
#[derive(Debug, Clone)]
struct Known {
    head: Head,
    /// The file as it was when it had these entries.
    mark: FileMark,
    entries: Arc<Vec<Entry>>,
    /// What the entries add up to.
    state: Arc<State>,
}

/// What a handle and its clones remember.
#[derive(Debug, Default)]
struct Memory {
    known: Option<Known>,
    /// How often the whole log was read.
    reads: u64,
}

/// The log of one project.
#[derive(Debug, Clone)]
pub struct EventLog {
    log: Place,
    head: Place,
    memory: Arc<Mutex<Memory>>,
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
    /// There is a log and no head, so nothing vouches for its entries.
    #[error("the log {path} has no head at {head}, so its entries cannot be verified and none of them counts")]
    NoHead {
        /// The log.
        path: String,
        /// Where the head should be.
        head: String,
    },
    /// There is a head and no log.
    #[error("the log {path} was removed: its head {head} says that it had {entries} entries")]
    Removed {
        /// The log.
        path: String,
        /// Its head.
        head: String,
        /// How many entries it had.
        entries: u64,
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
struct HeadFile {
    /// The end of the log, as far as it was acknowledged.
    head: Head,
    /// The end after the first line of an append in progress.
    next: Option<Head>,
    /// The ends after its further lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    then: Vec<Head>,
    /// The log as the append left it that led to `head`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<FileMark>,
    /// The time of the last entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastTime>,
    /// The hash of the first line: which log it is. A head of an earlier gephost has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<String>,
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
        by > CLOCK_TOLERANCE || (self.behind && by.is_positive())
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

/// A sound log as a tree.
#[derive(Debug, Default)]
pub struct WholeTree {
    /// Of every line.
    pub tree: Tree,
    /// The hash of the first line, in hexadecimal; `None` if there is no entry.
    pub first: Option<String>,
    /// The line that was asked for, without its line end.
    pub line: Option<String>,
}

impl WholeTree {
    fn take(&mut self, line: &[u8], wanted: Option<u64>) {
        if wanted == Some(self.tree.size()) {
            self.line = Some(String::from_utf8_lossy(line).into_owned());
        }
        self.tree.push(line);
    }
}

/// Where an append begins.
struct AppendPoint {
    head: Head,
    /// The hash of the first line, if there is one and it is known.
    first: Option<String>,
    /// The time of the last entry.
    last: Option<LastTime>,
    /// The entries before it, and what they and the ones that follow add up to, if that is known.
    known: Option<(Arc<Vec<Entry>>, Arc<State>)>,
}

/// What an append wrote.
struct Pushed {
    head: Head,
    /// The file after it.
    mark: Option<FileMark>,
    entries: Vec<Entry>,
}

/// What a whole read found.
struct Read {
    entries: Vec<Entry>,
    /// The file before it was read.
    mark: FileMark,
    verification: Verification,
    head_file: Option<HeadFile>,
    /// The hash of the first line.
    first: Option<String>,
}

impl Read {
    /// Whether nothing is left of a log that had entries.
    fn is_gone(&self) -> bool {
        self.verification.torn_bytes == 0 && matches!(self.verification.fault, Some(Fault::Truncated { found: 0, .. }))
    }

    /// Whether there is a log that no head vouches for.
    fn has_no_head(&self) -> bool {
        self.head_file.is_none() && self.verification.head.entries > 0
    }

    /// The time of the last entry.
    fn last(&self) -> Option<LastTime> {
        let behind = self.head_file.as_ref().and_then(|file| file.last.as_ref()).is_some_and(|last| last.behind);
        self.entries.last().map(|entry| LastTime { at: entry.at.to_string(), behind })
    }

    /// What is to be written down of a log or a head that is missing, once the user has accepted that.
    fn notice(&self) -> Option<String> {
        let entries = self.verification.head.entries;
        match &self.head_file {
            None if entries > 0 => {
                Some(format!("the head of this log was missing: its {entries} entries were accepted as they are"))
            }
            Some(HeadFile { head, .. }) if self.is_gone() => {
                Some(format!("an earlier log of {} entries, whose head was {}, is gone", head.entries, head.hash))
            }
            _ => None,
        }
    }
}

impl EventLog {
    /// The log at `log`, with its head at `head`. Touches nothing.
    pub fn new(log: &Place, head: &Place) -> Self {
        Self { log: log.clone(), head: head.clone(), memory: Arc::default() }
    }

    /// Appends one entry and returns when it is on disk. Refused for a log that is not sound, and for an entry that
    /// the state does not allow. A log or a head that is missing is refused too, until the user accepts it
    /// ([`EventLog::accept`]).
    pub fn append(&self, at: Timestamp, body: &EntryBody) -> Result<(), LogError> {
        self.append_all(at, std::slice::from_ref(body))
    }

    /// Appends several entries, in order, with the syncs of one, and returns when all are on disk. They are refused
    /// together. A crash before it returns leaves any number of the first ones, as separate appends would.
    pub fn append_all(&self, at: Timestamp, bodies: &[EntryBody]) -> Result<(), LogError> {
        if bodies.is_empty() {
            return Ok(());
        }
        let mut memory = self.memory();
        let mut file = self.open_to_append()?;
        // Taken out: an append that fails leaves nothing behind that it may have changed.
        let known = memory.known.take();
        let point = match self.as_we_left_it(&file, known, bodies)? {
            Some(point) => point,
            None => self.verified(&mut file, &mut memory, bodies)?,
        };
        let set_back = point.last.as_ref().filter(|last| last.is_behind(at) && !last.behind).map(|last| {
            format!("the clock went back from {} to {at}: entries go on from the later time until it is past", last.at)
        });
        let note = set_back.map(|text| EntryBody::Note { text });
        let bodies: Vec<&EntryBody> = note.iter().chain(bodies).collect();
        let pushed = self.push_all(&mut file, point.head, point.first, point.last, at, &bodies)?;
        // A note changes nothing that the log adds up to, so the state is that after `bodies`.
        memory.known = point.known.and_then(|(mut entries, state)| {
            Arc::make_mut(&mut entries).extend(pushed.entries);
            Some(Known { head: pushed.head, mark: pushed.mark?, entries, state })
        });
        Ok(())
    }

    /// The user accepts that the whole log is gone, so that a new one begins, or that its head is, so that its entries
    /// count as they are. An entry says so for good. Returns what it says; `None` if neither is missing.
    pub fn accept(&self, at: Timestamp) -> Result<Option<String>, LogError> {
        if matches!(self.read_existing(), Ok(None)) {
            return Ok(None);
        }
        let mut memory = self.memory();
        let mut file = self.open_to_append()?;
        memory.known = None;
        let read = self.read(&mut file, &mut memory)?;
        if !read.is_gone() {
            self.refuse_faults(&read)?;
        }
        let Some(text) = read.notice() else { return Ok(None) };
        durable::cut_end(&file, read.verification.torn_bytes).map_err(self.io("repair"))?;
        let last = read.last();
        let note = EntryBody::Note { text: text.clone() };
        self.push_all(&mut file, read.verification.head, read.first, last, at, &[&note])?;
        Ok(Some(text))
    }

    fn open_to_append(&self) -> Result<File, LogError> {
        durable::create_folder(&self.log.parent(), Access::Private).map_err(self.io("create"))?;
        durable::open_to_append(&self.log, Access::Private).map_err(self.io("open"))
    }

    /// Where the log is as the last append left it, and what is known is enough to judge the entries.
    fn as_we_left_it(
        &self,
        file: &File,
        known: Option<Known>,
        bodies: &[EntryBody],
    ) -> Result<Option<AppendPoint>, LogError> {
        let Some(HeadFile { head, next: None, mark: Some(mark), last, first, .. }) = self.read_head()? else {
            return Ok(None);
        };
        if FileMark::of(file).map_err(self.io("look at"))? != mark {
            return Ok(None);
        }
        match known.filter(|known| known.head == head) {
            Some(Known { entries, mut state, .. }) => {
                apply_all(Arc::make_mut(&mut state), bodies)?;
                Ok(Some(AppendPoint { head, first, last, known: Some((entries, state)) }))
            }
            None if bodies.iter().all(EntryBody::is_report) => Ok(Some(AppendPoint { head, first, last, known: None })),
            None => Ok(None),
        }
    }

    /// The same by reading all of it. Refused for a log that is not sound, and for an entry that it does not allow; an
    /// append that a crash cut is taken away.
    fn verified(&self, file: &mut File, memory: &mut Memory, bodies: &[EntryBody]) -> Result<AppendPoint, LogError> {
        let read = self.read(file, memory)?;
        self.refuse(&read)?;
        let mut state = state_of(&read.entries)?;
        apply_all(&mut state, bodies)?;
        durable::cut_end(file, read.verification.torn_bytes).map_err(self.io("repair"))?;
        let last = read.last();
        let known = Some((Arc::new(read.entries), Arc::new(state)));
        Ok(AppendPoint { head: read.verification.head, first: read.first, last, known })
    }

    /// The time that the next entry has: `now`, or, where the clock is not past the last entry, just after that. So ids
    /// that are made of it stay in order and are made once.
    pub fn after_last(&self, now: Timestamp) -> Result<Timestamp, LogError> {
        let last = self.read_head()?.and_then(|file| file.last);
        Ok(last.map_or(now, |last| last.next(now)))
    }

    /// Every entry, of a sound log that the head vouches for.
    pub fn read_all(&self) -> Result<Arc<Vec<Entry>>, LogError> {
        Ok(self.known()?.map(|known| known.entries).unwrap_or_default())
    }

    /// What the entries of a sound log add up to.
    pub fn state(&self) -> Result<Arc<State>, LogError> {
        Ok(self.known()?.map(|known| known.state).unwrap_or_default())
    }

    /// How often this handle and its clones have read the whole log.
    pub fn reads(&self) -> u64 {
        self.memory().reads
    }

    /// The log as it is now, from memory if nobody else has written to it; `None` if there is none.
    fn known(&self) -> Result<Option<Known>, LogError> {
        let mut memory = self.memory();
        let Some(mut file) = self.open_existing()? else {
            memory.known = None;
            return Ok(None);
        };
        if let Some(known) = memory.known.take()
            && FileMark::of(&file).map_err(self.io("look at"))? == known.mark
            && self.read_head()?.is_some_and(|found| found.head == known.head && found.next.is_none())
        {
            memory.known = Some(known.clone());
            return Ok(Some(known));
        }
        let read = self.read(&mut file, &mut memory)?;
        self.refuse(&read)?;
        let known = Known {
            head: read.verification.head,
            mark: read.mark,
            state: Arc::new(state_of(&read.entries)?),
            entries: Arc::new(read.entries),
        };
        memory.known = Some(known.clone());
        Ok(Some(known))
    }

    /// Every thread takes this lock before that of the file.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the log is what was written. One that was removed as a whole is a truncated one.
    pub fn verify(&self) -> Result<Verification, LogError> {
        match self.glance(&mut |_| ())? {
            Some((_, intact)) => Ok(intact),
            None => self.verify_entries(),
        }
    }

    /// The Merkle tree of a sound log that the head vouches for, and the line of entry `wanted`.
    pub fn tree(&self, wanted: Option<u64>) -> Result<WholeTree, LogError> {
        let mut whole = WholeTree::default();
        if let Some((chain, _)) = self.glance(&mut |line| whole.take(line, wanted))? {
            whole.first = chain.first();
            return Ok(whole);
        }
        // Something is wrong, or a crash came before the head followed. An entry gives exactly its line.
        let mut whole = WholeTree::default();
        for entry in self.read_all()?.iter() {
            let before = Head { entries: entry.seq, hash: entry.prev.clone() };
            let (line, _) = event_log::append(&before, entry.at, &entry.body)?;
            whole.first.get_or_insert_with(|| sha256_hex(line.as_bytes()));
            whole.take(line.as_bytes(), wanted);
        }
        Ok(whole)
    }

    /// Reads hashes and links, and shows each line that continues the chain. `None` unless the head vouches for exactly
    /// what is there.
    fn glance(&self, see: &mut dyn FnMut(&[u8])) -> Result<Option<(Chain, Verification)>, LogError> {
        let Ok(Some(mut file)) = self.open_existing() else { return Ok(None) };
        let Some(HeadFile { head, next: None, .. }) = self.read_head()? else { return Ok(None) };
        let (mut chain, mut torn_bytes) = (Chain::default(), 0);
        durable::read_lines(&mut file, MAX_LINE_BYTES, |line| match line {
            Line::Whole(bytes) => {
                if chain.line(bytes) {
                    see(bytes);
                }
            }
            Line::Torn(bytes) => torn_bytes = bytes.len(),
            Line::TooLong => chain.too_long(),
        })
        .map_err(self.io("read"))?;
        let is_vouched_for = chain.head().is_some_and(|found| found == head);
        Ok(is_vouched_for.then_some((chain, Verification { head, torn_bytes, fault: None })))
    }

    /// The same as [`EventLog::verify`] by reading every entry, which tells what is wrong.
    fn verify_entries(&self) -> Result<Verification, LogError> {
        let read = match self.read_existing() {
            Err(LogError::Removed { .. }) => None,
            read => read?,
        };
        let Some(read) = read else {
            return Ok(Verifier::new(self.read_head()?.map(|file| file.head)).finish());
        };
        if read.verification.fault.is_none() {
            self.refuse(&read)?;
        }
        Ok(read.verification)
    }

    /// Appends a line for each body after `head`. There is at least one.
    fn push_all(
        &self,
        file: &mut File,
        mut head: Head,
        mut first: Option<String>,
        mut last: Option<LastTime>,
        at: Timestamp,
        bodies: &[&EntryBody],
    ) -> Result<Pushed, LogError> {
        let behind = last.as_ref().is_some_and(|last| last.is_behind(at));
        let (mut pushed, mut mark) = (Vec::with_capacity(bodies.len()), None);
        for round in bodies.chunks(MAX_ANNOUNCED) {
            let mut entries = Vec::with_capacity(round.len());
            for body in round {
                let time = last.as_ref().map_or(at, |last| last.next(at));
                last = Some(LastTime { at: time.to_string(), behind });
                entries.push((time, *body));
            }
            mark = Some(self.push(file, (&mut head, &mut first), last.clone(), &entries, &mut pushed)?);
        }
        Ok(Pushed { head, mark, entries: pushed })
    }

    /// Appends a line for each entry after `head`, at least one and at most [`MAX_ANNOUNCED`], and moves `head` behind
    /// them. `first` becomes the hash of the first line if that is among them. Returns the file as it is then.
    fn push(
        &self,
        file: &mut File,
        (head, first): (&mut Head, &mut Option<String>),
        last: Option<LastTime>,
        entries: &[(Timestamp, &EntryBody)],
        pushed: &mut Vec<Entry>,
    ) -> Result<FileMark, LogError> {
        let (mut lines, mut heads) = (String::new(), Vec::with_capacity(entries.len()));
        for (time, body) in entries {
            let before = heads.last().unwrap_or(head);
            let (line, next) = event_log::append(before, *time, body)?;
            pushed.push(Entry { seq: before.entries, prev: before.hash.clone(), at: *time, body: (*body).clone() });
            lines.push_str(&line);
            lines.push('\n');
            heads.push(next);
        }
        if head.entries == 0 {
            *first = heads.first().map(|head| head.hash.clone());
        }
        let end = heads.last().unwrap_or(head).clone();
        let then = heads.split_off(1);
        let (next, first) = (heads.pop(), first.clone());
        let announced = HeadFile { head: head.clone(), next, then, mark: None, last, first };
        self.write_head(&announced)?;
        durable::append(file, &self.log, lines.as_bytes()).map_err(self.io("append to"))?;
        let mark = FileMark::of(file).map_err(self.io("look at"))?;
        let written = Some(mark.clone());
        self.write_head(&HeadFile { head: end.clone(), next: None, then: Vec::new(), mark: written, ..announced })?;
        *head = end;
        Ok(mark)
    }

    /// Reads the log; `None` if there is none, and no head that remembers one.
    fn read_existing(&self) -> Result<Option<Read>, LogError> {
        let mut memory = self.memory();
        let Some(mut file) = self.open_existing()? else { return Ok(None) };
        self.read(&mut file, &mut memory).map(Some)
    }

    /// Opens and locks the log; `None` if there is none, and no head that remembers one.
    fn open_existing(&self) -> Result<Option<File>, LogError> {
        let open = || durable::open_to_read(&self.log).map_err(self.io("open"));
        let opened = match open()? {
            // Another process may have begun the log before it wrote the head that was found.
            None if self.remembers_entries()? => open()?,
            opened => opened,
        };
        let Some(file) = opened else {
            return match self.read_head()? {
                Some(HeadFile { head, .. }) if head.entries > 0 => Err(self.removed(&head)),
                _ => Ok(None),
            };
        };
        // An append in progress must not look like a fault.
        file.lock_shared().map_err(self.io("lock"))?;
        Ok(Some(file))
    }

    /// Whether the head says that the log has entries.
    fn remembers_entries(&self) -> Result<bool, LogError> {
        Ok(self.read_head()?.is_some_and(|found| found.head.entries > 0))
    }

    fn removed(&self, head: &Head) -> LogError {
        LogError::Removed { path: shown(&self.log), head: shown(&self.head), entries: head.entries }
    }

    /// Reads the log and its head; the caller holds the log's lock.
    fn read(&self, file: &mut File, memory: &mut Memory) -> Result<Read, LogError> {
        memory.reads += 1;
        let mark = FileMark::of(file).map_err(self.io("look at"))?;
        let head_file = self.read_head()?;
        let mut verifier = Verifier::new(head_file.as_ref().map(|file| file.head.clone()))
            .with_first(head_file.as_ref().and_then(|file| file.first.clone()));
        let (mut entries, mut first) = (Vec::new(), None);
        durable::read_lines(file, MAX_LINE_BYTES, |line| match line {
            Line::Whole(bytes) => {
                first.get_or_insert_with(|| sha256_hex(bytes));
                entries.extend(verifier.line(bytes));
            }
            Line::Torn(bytes) => verifier.torn(bytes.len()),
            // No line of ours is longer: it counts as one that was edited.
            Line::TooLong => entries.extend(verifier.line(b"")),
        })
        .map_err(self.io("read"))?;
        let mut verification = verifier.finish();
        if head_file.as_ref().is_some_and(|file| is_announced(file, &verification)) {
            verification.fault = None;
        }
        Ok(Read { entries, mark, verification, head_file, first })
    }

    /// Refuses a log that is not what was written, or that the head does not vouch for.
    fn refuse(&self, read: &Read) -> Result<(), LogError> {
        if let Some(HeadFile { head, .. }) = read.head_file.as_ref().filter(|_| read.is_gone()) {
            return Err(self.removed(head));
        }
        self.refuse_faults(read)?;
        if read.has_no_head() {
            return Err(LogError::NoHead { path: shown(&self.log), head: shown(&self.head) });
        }
        Ok(())
    }

    fn refuse_faults(&self, read: &Read) -> Result<(), LogError> {
        match read.verification.fault.clone() {
            Some(fault) => Err(LogError::Fault { path: shown(&self.log), head: shown(&self.head), fault }),
            None => Ok(()),
        }
    }

    fn read_head(&self) -> Result<Option<HeadFile>, LogError> {
        let wrong = |reason: String| LogError::Head { path: shown(&self.head), reason };
        let text = durable::read_text(&self.head, MAX_HEAD_BYTES).map_err(|error| wrong(error.to_string()))?;
        text.map(|text| serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))).transpose()
    }

    fn write_head(&self, head_file: &HeadFile) -> Result<(), LogError> {
        let failed = |source| LogError::Io { doing: "write", path: shown(&self.head), source };
        durable::create_folder(&self.head.parent(), Access::Private).map_err(failed)?;
        let text = serde_json::to_vec(head_file).map_err(|error| failed(error.into()))?;
        durable::replace(&self.head, &text, Access::Private).map_err(failed)
    }

    fn io(&self, doing: &'static str) -> impl Fn(std::io::Error) -> LogError {
        let path = shown(&self.log);
        move |source| LogError::Io { doing, path: path.clone(), source }
    }
}

/// Whether the entries too many are the first ones that the head announces: a crash came before the head followed.
fn is_announced(head_file: &HeadFile, verification: &Verification) -> bool {
    verification.fault == Some(Fault::Extra { seq: head_file.head.entries })
        && head_file.next.iter().chain(&head_file.then).any(|announced| *announced == verification.head)
}

fn apply_all(state: &mut State, bodies: &[EntryBody]) -> Result<(), IllegalTransition> {
    bodies.iter().try_for_each(|body| state.apply(body))
}

fn state_of(entries: &[Entry]) -> Result<State, IllegalTransition> {
    let mut state = State::default();
    entries.iter().try_for_each(|entry| state.apply(&entry.body))?;
    Ok(state)
}

fn shown(place: &Place) -> String {
    place.display().to_string()
}

#[cfg(test)]
mod tests;
