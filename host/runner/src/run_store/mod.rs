//! The run store: `RunEvent`s under `<state folder>/runs/<session key>/YYYYMMDD.jsonl` (seed 004 section 3.1).
//!
//! What is true after a crash: every batch that [`RunStore::append`] returned from is on disk. A batch that was being
//! written may be there in part; its last line may be cut, and the next append begins a new line, so that no line
//! ever runs into another. [`RunStore::append_new`] passes over what the store holds already, so that a batch that a
//! crash cut is appended again without doubling what was written of it.

mod known;
mod list;
mod retention;

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use gephost_core::digest::sha256_hex;
use gephost_core::run_event::{RunEvent, to_disk_line};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::fs::FileType;

use crate::durable::{self, Access};
use crate::place::Place;

pub use known::Known;
pub use list::RunStoreError;
use list::list;
pub use retention::{Removed, first_day};

/// Most bytes of a session key that its folder's name shows.
const MAX_SHOWN: usize = 80;
/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// Hexadecimal digits of the digest in a folder's name.
const DIGEST_DIGITS: usize = 16;

/// Where a repository's `RunEvent`s are kept.
#[derive(Debug, Clone)]
pub struct RunStore {
    root: Place,
}

/// How much is in a run store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreTotals {
    /// Sessions.
    pub sessions: u64,
    /// Run events.
    pub events: u64,
}

impl RunStore {
    /// The store within a state folder. Touches nothing.
    pub fn new(state_folder: &Place) -> Self {
        Self { root: state_folder.join("runs") }
    }

    /// The folder that holds all runs.
    pub fn root(&self) -> &Place {
        &self.root
    }

    /// Appends events, each to its session's file of its day (UTC; `now` for events without a time), and returns when
    /// they are synced. Folders are made private to the user. Returns the files that were written to, sorted.
    pub fn append(
        &self,
        events: &[RunEvent],
        now: Timestamp,
        log_max_chars: usize,
    ) -> Result<Vec<Place>, RunStoreError> {
        self.append_batches(events.iter().map(|event| (self.file_of(event, now), event)), log_max_chars)
    }

    /// As [`RunStore::append`], without the events that `known`, which was made for this store, says are in it. Returns
    /// how many were appended. Whoever calls it keeps others from doing the same meanwhile.
    pub fn append_new(
        &self,
        known: &mut Known,
        events: &[RunEvent],
        now: Timestamp,
        log_max_chars: usize,
    ) -> Result<u64, RunStoreError> {
        let mut new = Vec::new();
        for event in events {
            let path = self.file_of(event, now);
            if known.add(&self.root, &path, event)? {
                new.push((path, event));
            }
        }
        let count = new.len() as u64;
        self.append_batches(new.into_iter(), log_max_chars)?;
        Ok(count)
    }

    fn append_batches<'a>(
        &self,
        events: impl Iterator<Item = (PathBuf, &'a RunEvent)>,
        log_max_chars: usize,
    ) -> Result<Vec<Place>, RunStoreError> {
        let mut batches: BTreeMap<PathBuf, String> = BTreeMap::new();
        for (path, event) in events {
            let batch = batches.entry(path).or_default();
            batch.push_str(&to_disk_line(event, log_max_chars));
            batch.push('\n');
        }
        let mut written = Vec::new();
        for (path, batch) in &batches {
            let place = self.root.join(path);
            append_synced(&place, batch.as_bytes()).map_err(RunStoreError::at(&place))?;
            written.push(place);
        }
        Ok(written)
    }

    /// The day that an event is filed under, as `YYYYMMDD`.
    pub fn day_of(&self, event: &RunEvent, now: Timestamp) -> String {
        event.timestamp.unwrap_or(now).to_zoned(TimeZone::UTC).strftime("%Y%m%d").to_string()
    }

    /// An event's file, from the store's root.
    fn file_of(&self, event: &RunEvent, now: Timestamp) -> PathBuf {
        let day = self.day_of(event, now);
        Path::new(&folder_name(&event.session_key)).join(format!("{day}.jsonl"))
    }

    /// How much is in the store. Reads all of it, at the speed of the disk.
    pub fn totals(&self) -> Result<StoreTotals, RunStoreError> {
        let mut totals = StoreTotals::default();
        let mut last = None;
        for place in self.files()? {
            totals.events += lines(&place).map_err(RunStoreError::at(&place))?;
            let session = place.parent();
            if last.as_ref() != Some(&session) {
                totals.sessions += 1;
                last = Some(session);
            }
        }
        Ok(totals)
    }

    /// Every file of the store, sorted; none where nothing was stored yet. Links are passed over.
    pub fn files(&self) -> Result<Vec<Place>, RunStoreError> {
        let mut files = Vec::new();
        for session in list(&self.root, FileType::is_dir)? {
            let found = list(&session, FileType::is_file)?;
            files.extend(
                found.into_iter().filter(|file| Path::new(file.name()).extension().is_some_and(|end| end == "jsonl")),
            );
        }
        Ok(files)
    }
}

/// The line ends of a file; none if it is gone.
fn lines(place: &Place) -> io::Result<u64> {
    let Some(file) = durable::open_to_read(place)? else { return Ok(0) };
    let mut input = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut lines = 0;
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        let used = chunk.len();
        input.consume(used);
    }
}

/// One write under the file's lock, so that two processes do not mix their lines.
fn append_synced(place: &Place, batch: &[u8]) -> io::Result<()> {
    durable::create_folder(&place.parent(), Access::Private)?;
    let mut file = durable::open_to_append(place, Access::Private)?;
    durable::append(&mut file, place, batch)
}

/// A folder's name for a session key. Two keys never share one, also where letter case does not count, and none
/// climbs: what may not stand in a name becomes `_`, and then a digest of the whole key follows.
pub fn folder_name(key: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let as_it_is = !key.is_empty()
        && key.len() <= MAX_SHOWN
        && key.chars().all(plain)
        && !key.starts_with(['.', '-'])
        && !key.ends_with('.')
        && !ends_like_a_digest(key);
    if as_it_is {
        return key.to_owned();
    }
    let shown = key.chars().take(MAX_SHOWN).map(|c| if plain(c.to_ascii_lowercase()) { c } else { '_' });
    let mut name: String = shown.collect();
    if name.is_empty() || name.starts_with(['.', '-']) {
        name.insert(0, '_');
    }
    name.push('-');
    name.extend(sha256_hex(key.as_bytes()).chars().take(DIGEST_DIGITS));
    name
}

/// Whether a key could be taken for a name that carries a digest.
fn ends_like_a_digest(key: &str) -> bool {
    let Some((_, end)) = key.rsplit_once('-') else {
        return false;
    };
    end.len() == DIGEST_DIGITS && end.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::Arc;

    use gephost_core::redact::Redactor;
    use gephost_core::run_event::{EventType, LOG_MAX_CHARS};

    use super::*;
    use crate::observe::{Limits, LogPaths, observe};

    fn event(key: &str, time: Option<&str>) -> RunEvent {
        RunEvent {
            timestamp: time.map(|time| time.parse().unwrap()),
            input: Some(format!("in {key}")),
            ..RunEvent::bare(Arc::from(key), EventType::InboundMsg)
        }
    }

    fn now() -> Timestamp {
        "2026-03-01T00:00:00Z".parse().unwrap()
    }

    #[test]
    fn names_cannot_climb_or_collide() {
        let long = "k".repeat(300);
        let keys = [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a:b",
            "a_b",
            "A_B",
            "a\0b",
            "a\\b",
            "-rf",
            ".hidden",
            "ü",
            &long,
            "con.",
            "telegram:123",
            "telegram/123",
            "0b1e9f4e-90fb-4af8-a1f5-d7cd8b6ae6cb",
        ];
        let mut keys: Vec<String> = keys.map(str::to_owned).to_vec();
        keys.extend(keys.clone().iter().map(|key| folder_name(key)));
        keys.sort();
        keys.dedup();
        let names: BTreeSet<String> = keys.iter().map(|key| folder_name(key).to_lowercase()).collect();
        assert_eq!(names.len(), keys.len());
        for name in names {
            assert!(name.len() <= 255 && !name.starts_with(['.', '-']) && !name.contains(['/', '\\', '\0']), "{name}");
        }
        assert_eq!(folder_name("cli_1"), "cli_1");
    }

    #[test]
    fn events_go_to_their_day_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::new(&Place::own(folder.path()));
        assert!(store.files().unwrap().is_empty());
        let events =
            [event("s", Some("2026-02-28T23:59:59Z")), event("s", None), event("../t", Some("2026-02-28T00:00:00Z"))];
        let files = store.append(&events, now(), LOG_MAX_CHARS).unwrap();
        assert_eq!(files, store.files().unwrap());
        assert!(files.contains(&store.root().join("s/20260301.jsonl")));
        let back = observe(
            &LogPaths::anywhere(vec![store.root().path()]),
            None,
            None,
            Limits::default(),
            Redactor::default(),
            None,
        )
        .unwrap()
        .events;
        assert_eq!(back.len(), 3);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&files[0].path()), mode(&files[0].parent().path())), (0o600, 0o700));
    }

    #[test]
    fn a_cut_line_does_not_swallow_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::new(&Place::own(folder.path()));
        let path = store.append(&[event("s", None)], now(), LOG_MAX_CHARS).unwrap().remove(0).path();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole, &whole[..20]].concat()).unwrap();
        store.append(&[event("s", Some("2026-03-01T01:00:00Z"))], now(), LOG_MAX_CHARS).unwrap();
        let found =
            observe(&LogPaths::anywhere(vec![path]), None, None, Limits::default(), Redactor::default(), None).unwrap();
        assert_eq!((found.events.len(), found.files[0].skipped), (2, 1));
    }

    #[test]
    fn a_link_in_the_files_place_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::new(&Place::own(folder.path()));
        fs::create_dir_all(store.root().path().join("s")).unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "mine").unwrap();
        symlink(&target, store.root().path().join("s/20260301.jsonl")).unwrap();
        assert!(store.append(&[event("s", None)], now(), LOG_MAX_CHARS).is_err());
        assert_eq!(fs::read_to_string(target).unwrap(), "mine");
    }

    #[test]
    fn a_session_folder_that_is_a_link_is_neither_written_nor_listed() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::new(&Place::own(folder.path()));
        let outside = folder.path().join("outside");
        fs::create_dir_all(store.root().path()).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a.jsonl"), "{}").unwrap();
        symlink(&outside, store.root().path().join("s")).unwrap();
        let refused = store.append(&[event("s", None)], now(), LOG_MAX_CHARS).unwrap_err().to_string();
        assert!(refused.contains("symbolic link"), "{refused}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert!(store.files().unwrap().is_empty());
    }

    #[test]
    fn many_writers_do_not_mix_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::new(&Place::own(folder.path()));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        store.append(&[event("s", None), event("s", None)], now(), LOG_MAX_CHARS).unwrap();
                    }
                });
            }
        });
        let text = fs::read_to_string(store.files().unwrap()[0].path()).unwrap();
        let whole = gephost_core::run_event::to_disk_line(&event("s", None), LOG_MAX_CHARS);
        assert_eq!(text.lines().filter(|line| *line == whole).count(), 80);
    }
}
