//! What confines one command, as data: built here from a level and the folders that were granted, applied by `launch`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gephost_core::validation::{Level, Network};

use super::process::Limits;
use super::{bubblewrap, readable};
use crate::confine::{self, CommandCalls, Confinement, FileRules, Support, SystemCalls};

/// Open descriptors of one process, at most.
const DESCRIPTORS: u64 = 16_384;
/// Threads that each of the allowed processes may have, by and large.
const THREADS: u64 = 4;
/// Devices that hold nothing and lead nowhere.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The same that are a command's own where it has a `/dev` of its own.
const OWN_DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/shm",
    "/dev/pts",
    "/dev/ptmx",
    "/tmp",
];

/// The folders of a work copy that a command may write to.
const OWN_FOLDERS: &[&str] = &["files", "home", "tmp"];

/// What confines a command.
#[derive(Debug, Clone)]
pub struct Enclosure {
    level: Level,
    /// What lies in it is all that the command may write to, from [`Level::L1`] on.
    folder: PathBuf,
    wrapper: Vec<OsString>,
    files: Option<FileRules>,
    calls: SystemCalls,
}

/// What a command is granted, beside the folder that is its own.
#[derive(Debug, Clone, Default)]
pub struct Granted {
    /// Files and folders that it may read, with everything below: toolchains and caches.
    pub readable: Vec<PathBuf>,
    /// What it may reach.
    pub network: Option<Network>,
}

impl Enclosure {
    /// For a command that works in `folder`, which holds the folders `files`, `home` and `tmp`. `bubblewrap` is needed
    /// for [`Level::L2`] only.
    pub fn new(level: Level, folder: &Path, granted: &Granted, bubblewrap: Option<&Path>) -> Self {
        let folder = folder.to_owned();
        if level == Level::L0 {
            return Self { level, folder, wrapper: Vec::new(), files: None, calls: SystemCalls::Any };
        }
        let own = level == Level::L2;
        let network = granted.network.unwrap_or(Network::None);
        let mut read = readable::system();
        let mut granted: Vec<&PathBuf> = granted.readable.iter().filter(|path| path.exists()).collect();
        granted.sort();
        for path in granted {
            // What lies in a folder that is on the list is on it.
            if !read.iter().any(|known| path.starts_with(known)) {
                read.push(path.clone());
            }
        }
        let devices = if own { OWN_DEVICES } else { DEVICES };
        let mut writable: Vec<PathBuf> = devices.iter().map(PathBuf::from).filter(|path| path.exists()).collect();
        writable.extend(OWN_FOLDERS.iter().map(|name| folder.join(name)).filter(|path| path.exists()));
        let wrapper = match bubblewrap {
            Some(program) if own => bubblewrap::words(program, &folder, &read, network),
            _ => Vec::new(),
        };
        let calls = CommandCalls {
            internet: network != Network::None,
            own_namespaces: own,
            truncate: Support::measure().landlock.is_some_and(|version| version >= 3),
        };
        let files = Some(FileRules { readable: read, writable, tcp: network != Network::None });
        Self { level, folder, wrapper, files, calls: SystemCalls::Commands(calls) }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The folder that the command works in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn wrapper(&self) -> &[OsString] {
        &self.wrapper
    }

    /// What the starter applies to itself.
    pub(super) fn confinement(&self, limits: Limits) -> Confinement {
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u64);
        let limits = confine::Limits {
            data: None,
            // Time on every processor at once, and some more: the clock on the wall comes first.
            cpu_seconds: Some(limits.time.as_secs().saturating_add(5).saturating_mul(processors)),
            file: Some(limits.file_bytes),
            descriptors: Some(DESCRIPTORS),
            processes: Some(tasks().saturating_add(limits.processes.saturating_mul(THREADS))),
        };
        let confined = self.level > Level::L0;
        Confinement {
            files: self.files.clone(),
            calls: self.calls,
            limits,
            capabilities_dropped: confined,
            strict: confined,
        }
    }
}

/// Threads on this machine now: the kernel counts those of a user, whichever program they belong to.
fn tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let count = load.split_whitespace().nth(3).and_then(|field| field.split_once('/')?.1.parse().ok());
    count.unwrap_or(4096)
}
