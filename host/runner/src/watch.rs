//! Waiting for logs to change, by inotify. Owns the effect "the kernel tells of changes below these paths".
//!
//! What must stay true: what is written after [`Watch::cover`] returned ends the next [`Watch::wait`]. Where the kernel
//! cannot tell (a file system of another machine, more folders than may be watched) waiting ends after a while all the
//! same, so that nothing is missed for long. Waiting takes no processor time but for looking whether to stop.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::observe::{folders_of, has_log_name, is_pattern};

/// How often it is looked whether to stop, and how long changes that come together are waited for.
const BEAT: Duration = Duration::from_millis(100);
/// How long nothing may be heard before it is looked all the same, where every folder is watched.
const QUIET: Duration = Duration::from_secs(30);
/// The same where some could not be watched.
const UNHEARD: Duration = Duration::from_secs(2);
/// Most folders that are watched: each takes a kilobyte of the kernel's memory.
const MAX_FOLDERS: usize = 100_000;
/// Most logs that are followed under a name that a rotation gave them.
const MAX_RENAMED: usize = 64;
/// Bytes of changes that are taken from the kernel at once.
const EVENT_BYTES: usize = 16 << 10;

/// Why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// A log changed, or may have.
    Changed,
    /// The person interrupted.
    Stopped,
}

/// Watches the folders of logs.
#[derive(Debug)]
pub struct Watch {
    inotify: OwnedFd,
    paths: Vec<PathBuf>,
    /// The same, and what links in their place lead to.
    followed: Vec<PathBuf>,
    except: PathBuf,
    folders: HashMap<i32, PathBuf>,
    renamed: VecDeque<PathBuf>,
    /// A log that was moved away, until it is told where to.
    moved: Option<(u32, PathBuf)>,
    is_whole: bool,
}

impl Watch {
    /// For paths as for [`crate::ingest::ingest`], without what lies below `except`. Watches nothing before
    /// [`Watch::cover`].
    pub fn new(paths: &[PathBuf], except: &Path) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let (paths, except) = (paths.to_vec(), except.to_owned());
        let (folders, renamed) = (HashMap::new(), VecDeque::new());
        let followed = Vec::new();
        Ok(Self { inotify, paths, followed, except, folders, renamed, moved: None, is_whole: false })
    }

    /// Watches the folders that there are now. Says whether that is all of them.
    pub fn cover(&mut self) -> bool {
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
                // It is gone already, and whoever removed it has told so.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                Err(_) => self.is_whole = false,
            }
        }
        self.is_whole
    }

    /// The paths to read: those that were named, and logs that a rotation gave another name while they were followed,
    /// whose last lines may not have been read.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.paths.iter().chain(&self.renamed).cloned().collect()
    }

    /// Waits for at least `pause`, and until something changed. What changes meanwhile ends the next waiting.
    pub fn wait(&mut self, pause: Duration, stop: &AtomicBool) -> io::Result<Woken> {
        let began = Instant::now();
        let patience = if self.is_whole { QUIET } else { UNHEARD };
        let mut changed = false;
        while !stop.load(Ordering::Relaxed) {
            let heard = self.hear()?;
            changed |= heard;
            let waited = began.elapsed();
            // Changes that come together are one.
            if (changed && !heard && waited >= pause) || waited >= pause.max(patience) {
                return Ok(Woken::Changed);
            }
        }
        Ok(Woken::Stopped)
    }

    /// Takes what the kernel tells within a beat. Says whether any of it is of a log.
    fn hear(&mut self) -> io::Result<bool> {
        let beat = Timespec { tv_sec: 0, tv_nsec: BEAT.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&self.inotify, PollFlags::IN)], Some(&beat)) {
            Ok(0) | Err(Errno::INTR) => return Ok(false),
            other => drop(other?),
        }
        let mut buffer = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut told = Vec::new();
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        while told.is_empty() || !reader.is_buffer_empty() {
            let event = match reader.next() {
                Err(Errno::AGAIN | Errno::INTR) => break,
                event => event?,
            };
            let name = event.file_name().map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())));
            told.push((event.wd(), event.events(), event.cookie(), name));
        }
        let mut changed = false;
        for (number, what, cookie, name) in told {
            changed |= self.take(number, what, cookie, name.as_deref());
        }
        Ok(changed)
    }

    fn take(&mut self, number: i32, what: ReadFlags, cookie: u32, name: Option<&Path>) -> bool {
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
        has_log_name(path)
            || self.renamed.iter().any(|renamed| renamed == path)
            || self.followed.iter().any(|named| named == path || is_pattern(named))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use super::*;

    const NO_PAUSE: Duration = Duration::ZERO;

    fn watch(paths: &[&Path], except: &Path) -> Watch {
        let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
        let mut watch = Watch::new(&paths, except).unwrap();
        assert!(watch.cover());
        watch
    }

    fn heard(watch: &mut Watch) -> bool {
        (0..5).fold(false, |heard, _| watch.hear().unwrap() || heard)
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
        assert!(heard(&mut watch) && watch.cover());
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
        assert!(heard(&mut watch) && watch.cover());
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
    fn waiting_ends_when_told_and_lasts_as_long_as_it_shall() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = watch(&[folder.path()], Path::new("/nowhere"));
        assert_eq!(watch.wait(NO_PAUSE, &AtomicBool::new(true)).unwrap(), Woken::Stopped);
        fs::write(folder.path().join("a.jsonl"), "").unwrap();
        let (began, pause) = (Instant::now(), Duration::from_millis(400));
        assert_eq!(watch.wait(pause, &AtomicBool::new(false)).unwrap(), Woken::Changed);
        assert!(began.elapsed() >= pause);
    }
}
