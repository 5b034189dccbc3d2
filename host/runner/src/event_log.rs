//! The hash-chained log on disk. The decision half, what an entry is and when a log is sound, is
//! `gephost_core::event_log`.
//!
//! Owns two files: the log, and its head in another place, so that a log whose end was cut is told from a short one.
//! An append writes three times, each synced: the head with the hash of the line that shall come, the line, the head
//! after it. A crash in between leaves either no line, a cut one, which the next append takes away, or the announced
//! one, which counts. What must stay true: an entry whose append returned is never lost, nothing that was appended is
//! ever changed, and no line counts that the head does not vouch for.

use std::fs::File;
use std::path::{Path, PathBuf};

use gephost_core::event_log::{
    self, Entry, EntryBody, EntryError, Fault, Head, IllegalTransition, MAX_LINE_BYTES, State, Verification, Verifier,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access, Line};

/// The largest head file that is read, in bytes. One has about 200.
const MAX_HEAD_BYTES: u64 = 4096;

/// The log of one project.
#[derive(Debug, Clone)]
pub struct EventLog {
    log: PathBuf,
    head: PathBuf,
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
        Self { log: log.to_owned(), head: head.to_owned() }
    }

    /// Appends one entry and returns when it is on disk. Refused for a log that is not sound, and for an entry that
    /// the state does not allow. Where the whole log is gone, as when somebody deleted the state folder, a new one
    /// begins; where the head is gone, what is there counts: an entry before this one says so for good.
    pub fn append(&self, at: Timestamp, body: &EntryBody) -> Result<(), LogError> {
        durable::create_folder(durable::folder_of(&self.log), Access::Private).map_err(self.io("create"))?;
        let mut file = durable::open_to_append(&self.log, Access::Private).map_err(self.io("open"))?;
        let read = self.read(&mut file)?;
        if !read.is_gone() {
            self.refuse_faults(&read)?;
        }
        let mut state = State::default();
        for entry in &read.entries {
            state.apply(&entry.body)?;
        }
        state.apply(body)?;
        durable::cut_end(&file, read.verification.torn_bytes).map_err(self.io("repair"))?;
        let notice = read.notice();
        let mut head = read.verification.head;
        if let Some(text) = notice {
            head = self.push(&mut file, head, at, &EntryBody::Note { text })?;
        }
        self.push(&mut file, head, at, body)?;
        Ok(())
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
    fn push(&self, file: &mut File, head: Head, at: Timestamp, body: &EntryBody) -> Result<Head, LogError> {
        let (line, next) = event_log::append(&head, at, body)?;
        self.write_head(&Stated { head, next: Some(next.clone()) })?;
        durable::append(file, &self.log, format!("{line}\n").as_bytes()).map_err(self.io("append to"))?;
        self.write_head(&Stated { head: next.clone(), next: None })?;
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
mod tests {
    use std::fs;

    use super::*;

    fn note(text: &str) -> EntryBody {
        EntryBody::Note { text: text.to_owned() }
    }

    fn log(folder: &Path) -> EventLog {
        EventLog::new(&folder.join("state/log.jsonl"), &folder.join("heads/head"))
    }

    fn three(folder: &Path) -> EventLog {
        let log = log(folder);
        for text in ["one", "two", "three"] {
            log.append(Timestamp::UNIX_EPOCH, &note(text)).unwrap();
        }
        log
    }

    #[test]
    fn what_was_appended_reads_back_and_verifies() {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        assert_eq!(log.read_all().unwrap().len(), 3);
        assert_eq!(log.verify().unwrap().fault, None);
    }

    #[test]
    fn a_log_that_was_cut_edited_or_taken_away_is_refused() {
        type Damage = fn(&[&str]) -> Vec<String>;
        let damages: [(&str, Damage); 3] = [
            ("truncated", |lines| lines.iter().take(2).map(ToString::to_string).collect()),
            ("edited", |lines| lines.iter().map(|line| line.replace("two", "2wo")).collect()),
            ("removed", |lines| lines.iter().skip(1).map(ToString::to_string).collect()),
        ];
        for (name, damage) in damages {
            let folder = tempfile::tempdir().unwrap();
            let log = three(folder.path());
            let text = fs::read_to_string(&log.log).unwrap();
            let lines = damage(&text.lines().collect::<Vec<_>>());
            fs::write(&log.log, lines.join("\n") + "\n").unwrap();
            let fault = log.verify().unwrap().fault.expect(name).to_string();
            assert!(fault.contains(name), "{name}: {fault}");
            assert!(log.append(Timestamp::UNIX_EPOCH, &note("four")).is_err(), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        fs::remove_file(&log.log).unwrap();
        assert!(log.verify().unwrap().fault.is_some(), "the log is gone and its head remembers it");
        assert!(log.append(Timestamp::UNIX_EPOCH, &failed_apply()).is_err(), "an entry that is illegal begins nothing");
        log.append(Timestamp::UNIX_EPOCH, &note("anew")).unwrap();
        let bodies: Vec<EntryBody> = log.read_all().unwrap().into_iter().map(|entry| entry.body).collect();
        assert!(
            matches!(&bodies[0], EntryBody::Note { text } if text.contains("3 entries") && text.contains("is gone"))
        );
        assert_eq!(bodies[1..], [note("anew")]);
        assert_eq!(log.verify().unwrap().fault, None);
    }

    /// Bytes of the fourth line without its end.
    const LINE: usize = 155;

    fn failed_apply() -> EntryBody {
        EntryBody::ApplyFailed { proposal: "unknown".to_owned(), reason: "x".to_owned() }
    }

    /// A log of three entries and the line of a fourth, whose append stopped when `kept` bytes of it were written.
    fn crashed(folder: &Path, kept: usize) -> EventLog {
        let log = three(folder);
        let (old, head) = (fs::read(&log.log).unwrap(), log.read_head().unwrap().unwrap().head);
        log.append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
        let next = log.read_head().unwrap().map(|stated| stated.head);
        let whole = fs::read(&log.log).unwrap();
        assert_eq!(whole.len() - old.len(), LINE + 1);
        fs::write(&log.log, &whole[..old.len() + kept]).unwrap();
        log.write_head(&Stated { head, next }).unwrap();
        log
    }

    #[test]
    fn a_crash_within_an_append_loses_nothing_that_was_acknowledged() {
        // A crash before the first byte, within the line, before its end, and after it.
        for (kept, stands) in [(0, 3), (1, 3), (100, 3), (LINE, 3), (LINE + 1, 4)] {
            let folder = tempfile::tempdir().unwrap();
            let log = crashed(folder.path(), kept);
            let found = log.verify().unwrap();
            assert_eq!((found.fault, found.head.entries), (None, stands), "{kept}");
            log.append(Timestamp::UNIX_EPOCH, &note("five")).unwrap();
            assert_eq!(log.verify().unwrap().fault, None, "{kept}");
            assert_eq!(log.read_all().unwrap().len() as u64, stands + 1, "{kept}");
        }
    }

    #[test]
    fn a_line_that_the_head_does_not_announce_never_counts() {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        let head = log.read_head().unwrap().unwrap().head;
        let (forged, _) = event_log::append(&head, Timestamp::UNIX_EPOCH, &note("forged")).unwrap();
        let whole = fs::read_to_string(&log.log).unwrap();
        fs::write(&log.log, format!("{whole}{forged}\n")).unwrap();
        assert_eq!(log.verify().unwrap().fault, Some(Fault::Extra { seq: 3 }));
        // Nor does it where another line was announced, or behind the announced one.
        let log = crashed(&folder.path().join("second"), 0);
        fs::write(&log.log, format!("{whole}{forged}\n")).unwrap();
        assert!(log.append(Timestamp::UNIX_EPOCH, &note("five")).is_err());
        let log = crashed(&folder.path().join("third"), LINE + 1);
        let announced = fs::read_to_string(&log.log).unwrap();
        fs::write(&log.log, format!("{announced}{forged}\n")).unwrap();
        assert!(log.append(Timestamp::UNIX_EPOCH, &note("five")).is_err());
    }

    #[test]
    fn a_lost_head_is_said_and_written_down() {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        fs::remove_file(&log.head).unwrap();
        assert!(matches!(log.verify(), Err(LogError::NoHead { .. })));
        log.append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
        assert_eq!(log.verify().unwrap().fault, None);
        let entries = log.read_all().unwrap();
        let EntryBody::Note { text } = &entries[3].body else { panic!("{:?}", entries[3]) };
        assert!(text.contains("was missing: its 3 entries"), "{text}");
        assert_eq!(entries.len(), 5);
    }

    #[test]
    fn an_illegal_entry_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        let before = (fs::read(&log.log).unwrap(), fs::read(&log.head).unwrap());
        assert!(matches!(log.append(Timestamp::UNIX_EPOCH, &failed_apply()), Err(LogError::Illegal(_))));
        assert_eq!(before, (fs::read(&log.log).unwrap(), fs::read(&log.head).unwrap()));
    }

    #[test]
    fn reading_makes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        assert_eq!((log.read_all().unwrap().len(), log.verify().unwrap().fault), (0, None));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn appends_and_reads_at_once_keep_one_chain() {
        let folder = tempfile::tempdir().unwrap();
        let log = log(folder.path());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        log.append(Timestamp::UNIX_EPOCH, &note("x")).unwrap();
                        assert_eq!(log.verify().unwrap().fault, None);
                    }
                });
            }
        });
        assert_eq!(log.read_all().unwrap().len(), 30);
    }
}
