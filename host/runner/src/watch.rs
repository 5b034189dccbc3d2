//! Waits for logs to change, with inotify.
//!
//! Invariants: a write after [`Watch::watch_folders`] returned ends the next [`Watch::wait`]. If the kernel cannot
//! report changes (a network file system, too many folders), a wait ends after some time anyway, so that no change is
//! missed for long. Waiting takes no processor time except for checking the stop flag.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::monotonic;
use crate::observe::{folders_of, is_log, is_pattern};

/// How often the stop flag is checked, and how long changes are collected that arrive together.
const TICK: Duration = Duration::from_millis(100);
/// Longest wait without a reported change if every folder is watched.
const QUIET: Duration = Duration::from_secs(30);
/// Longest wait if some folders could not be watched.
const QUIET_UNWATCHED: Duration = Duration::from_secs(2);
/// Most folders that are watched. Each takes a kilobyte of kernel memory.
const MAX_FOLDERS: usize = 100_000;
/// Most logs that are followed after a rotation renamed them.
const MAX_RENAMED: usize = 64;
/// Bytes of events that are read from the kernel at once.
const EVENT_BYTES: usize = 16 << 10;

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// A log may have changed.
    Changed,
    /// The user interrupted gephost.
    Stopped,
}

/// Watches the folders of logs.
#[derive(Debug)]
pub struct Watch {
    inotify: OwnedFd,
    paths: Vec<PathBuf>,
    /// The paths, and the targets of those that are links.
    followed: Vec<PathBuf>,
    except: PathBuf,
    folders: HashMap<i32, PathBuf>,
    renamed: VecDeque<PathBuf>,
    /// A log that was moved, until its new name is reported.
    moved: Option<(u32, PathBuf)>,
    is_whole: bool,
}

impl Watch {
    /// Watches the same paths as [`crate::ingest::ingest`], except for what is below `except`. Nothing is watched
    /// before [`Watch::watch_folders`].
    pub fn new(paths: &[PathBuf], except: &Path) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let (paths, except) = (paths.to_vec(), except.to_owned());
        let (folders, renamed) = (HashMap::new(), VecDeque::new());
        let followed = Vec::new();
        Ok(Self { inotify, paths, followed, except, folders, renamed, moved: None, is_whole: false })
    }

    /// Watches the folders that exist now. Returns whether all of them are watched.
    pub fn watch_folders(&mut self) -> bool {
        let wanted: BTreeSet<PathBuf> = self.paths.iter().flat_map(|path| folders_of(path, &self.except)).collect();
        self.followed =
            self.paths.iter().flat_map(|path| [Some(path.clone()), path.canonicalize().ok()]).flatten().collect();
        self.is_whole = wanted.len() <= MAX_FOLDERS;
        let flags = WatchFlags::CREATE
            | WatchFlags::MODIFY
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        for folder in wanted.into_iter().take(MAX_FOLDERS) {
            match inotify::add_watch(&self.inotify, &folder, flags) {
                Ok(number) => drop(self.folders.insert(number, folder)),
                // It was removed in the meantime, which has been reported.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) => self.is_whole = false,
            }
        }
        self.is_whole
    }

    /// The paths to read: those that were given, and followed logs that a rotation renamed, because their last lines
    /// may not have been read.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.renamed).cloned().collect()
    }

    /// Waits for at least `pause`, and until something has changed. A change during the wait ends the next one.
    pub fn wait(&mut self, pause: Duration, stop: &AtomicBool) -> io::Result<WakeReason> {
        let began = monotonic::now();
        let patience = if self.is_whole { QUIET } else { QUIET_UNWATCHED };
        let mut changed = false;
        while !stop.load(Ordering::Relaxed) {
            let just_changed = self.read_events()?;
            changed |= just_changed;
            let waited = began.elapsed();
            // Changes that arrive together count as one.
            if (changed && !just_changed && waited >= pause) || waited >= pause.max(patience) {
                return Ok(WakeReason::Changed);
            }
        }
        Ok(WakeReason::Stopped)
    }

    /// Reads the events that arrive within one tick. Returns whether any of them concerns a log.
    fn read_events(&mut self) -> io::Result<bool> {
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&self.inotify, PollFlags::IN)], Some(&tick)) {
            Ok(0) | Err(Errno::INTR) => return Ok(false),
            other => drop(other?),
        }
        let mut buffer = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut events = Vec::new();
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        while events.is_empty() || !reader.is_buffer_empty() {
            let event = match reader.next() {
                Err(Errno::AGAIN | Errno::INTR) => break,
                event => event?,
            };
            let name = event.file_name().map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())));
            events.push((event.wd(), event.events(), event.cookie(), name));
        }
        let mut changed = false;
        for (number, what, cookie, name) in events {
            changed |= self.handle_event(number, what, cookie, name.as_deref());
        }
        Ok(changed)
    }

    fn handle_event(&mut self, number: i32, what: ReadFlags, cookie: u32, name: Option<&Path>) -> bool {
        if what.contains(ReadFlags::IGNORED) {
            self.folders.remove(&number);
            return false;
        }
        if what.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::ISDIR | ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF)
        {
            return true;
        }
        let Some(path) = self.folders.get(&number).zip(name).map(|(folder, name)| folder.join(name)) else {
            return false;
        };
        let is_followed = self.is_followed(&path);
        if what.contains(ReadFlags::MOVED_FROM) {
            self.moved = is_followed.then_some((cookie, path));
        } else if what.contains(ReadFlags::MOVED_TO)
            && self.moved.take_if(|(moved, _)| *moved == cookie).is_some()
            && !is_followed
        {
            self.renamed.push_back(path);
            if self.renamed.len() > MAX_RENAMED {
                self.renamed.pop_front();
            }
            return true;
        }
        is_followed
    }

    /// Whether a file is one of those that are read.
    fn is_followed(&self, path: &Path) -> bool {
        is_log(path)
            || self.renamed.iter().any(|renamed| renamed == path)
            || self.followed.iter().any(|named| named == path || is_pattern(named))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::time::Instant;

    use super::*;

    const NO_PAUSE: Duration = Duration::ZERO;

    fn watch(paths: &[&Path], except: &Path) -> Watch {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mut watch = Watch::new(&paths, except).unwrap();
        assert!(watch.watch_folders());
        watch
    }

    fn heard(watch: &mut Watch) -> bool {
        (0..5).fold(false, |heard, _| watch.read_events().unwrap() || heard)
    }

    #[test]
    fn writing_making_moving_and_removing_logs_is_heard_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a.jsonl");
        fs::write(&log, "1\n").unwrap();
        let mut watch = watch(&[folder.path()], Path::new("/nowhere"));
        assert!(!heard(&mut watch));
        OpenOptions::new().append(true).open(&log).unwrap().write_all(b"2\n").unwrap();
        assert!(heard(&mut watch));
        fs::write(folder.path().join("b.jsonl"), "").unwrap();
        assert!(heard(&mut watch));
        fs::write(folder.path().join("core.o"), "").unwrap();
        assert!(!heard(&mut watch));
        fs::remove_file(folder.path().join("b.jsonl")).unwrap();
        assert!(heard(&mut watch));
        fs::create_dir(folder.path().join("new")).unwrap();
        assert!(heard(&mut watch) && watch.watch_folders());
        fs::write(folder.path().join("new/c.jsonl"), "").unwrap();
        assert!(heard(&mut watch));
    }

    #[test]
    fn a_log_that_is_rotated_is_followed_under_its_new_name() {
        let folder = tempfile::tempdir().unwrap();
        let [log, old] = ["a.jsonl", "a.jsonl.1"].map(|name| folder.path().join(name));
        fs::write(&log, "1\n").unwrap();
        for named in [folder.path(), &log] {
            let mut watch = watch(&[named], Path::new("/nowhere"));
            fs::rename(&log, &old).unwrap();
            assert!(heard(&mut watch) && watch.paths().contains(&old), "{named:?}");
            fs::write(&old, "1\n2\n").unwrap();
            assert!(heard(&mut watch), "{named:?}");
            fs::rename(&old, &log).unwrap();
        }
    }

    #[test]
    fn what_is_not_there_yet_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("later/logs/a.jsonl");
        let mut watch = watch(&[&log], Path::new("/nowhere"));
        fs::create_dir_all(log.parent().unwrap()).unwrap();
        assert!(heard(&mut watch) && watch.watch_folders());
        fs::write(&log, "1\n").unwrap();
        assert!(heard(&mut watch));
    }

    #[test]
    fn what_gephost_itself_writes_wakes_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(".gephost");
        fs::create_dir_all(own.join("runs/s")).unwrap();
        let mut watch = watch(&[folder.path()], &own);
        fs::write(own.join("runs/s/20260101.jsonl"), "").unwrap();
        fs::write(own.join("sources.jsonl"), "").unwrap();
        assert!(!heard(&mut watch));
    }

    #[test]
    fn waiting_ends_when_events_and_lasts_as_long_as_it_shall() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = watch(&[folder.path()], Path::new("/nowhere"));
        assert_eq!(watch.wait(NO_PAUSE, &AtomicBool::new(true)).unwrap(), WakeReason::Stopped);
        fs::write(folder.path().join("a.jsonl"), "").unwrap();
        let (began, pause) = (Instant::now(), Duration::from_millis(400));
        assert_eq!(watch.wait(pause, &AtomicBool::new(false)).unwrap(), WakeReason::Changed);
        assert!(began.elapsed() >= pause);
    }
}
