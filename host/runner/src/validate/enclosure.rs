//! What confines one command, as data. It is built here from a level and the granted folders, and applied by `launch`.

#![expect(clippy::disallowed_methods, reason = "a command is confined to paths")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gephost_core::validation::{Level, Network};

use super::limits::{Limits, THREADS};
use super::{bubblewrap, readable};
use crate::confine::{self, CommandCalls, Confinement, FileRules, Support, SystemCalls};

/// Most open descriptors of a process.
const DESCRIPTORS: u64 = 16_384;
/// Devices without content or further access.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// The devices that are a command's own if it has its own `/dev`.
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
    /// The only folder that the command may write to, from [`Level::L1`] on.
    folder: PathBuf,
    wrapper: Vec<OsString>,
    files: Option<FileRules>,
    calls: SystemCalls,
}

/// What a command is granted in addition to its own folder.
#[derive(Debug, Clone, Default)]
pub struct Granted {
    /// Files and folders that it may read, with everything below them: toolchains and caches.
    pub readable: Vec<PathBuf>,
    /// The network that it may reach.
    pub network: Option<Network>,
}

impl Enclosure {
    /// For a command that works in `folder`, which contains the folders `files`, `home` and `tmp`. `bubblewrap` is only
    /// needed for [`Level::L2`].
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
            // A path inside a listed folder is covered by it.
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
            // Time on all processors together, plus some more: the wall clock limit applies first.
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

/// Number of threads on this machine. The kernel counts those of a user regardless of the program.
fn tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let count = load.split_whitespace().nth(3).and_then(|field| field.split_once('/')?.1.parse().ok());
    count.unwrap_or(4096)
}
