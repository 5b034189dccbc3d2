//! Everything that gephost is given from outside, as plain values. Nothing in this crate reads the process's
//! environment or the clock: whoever opens a project hands them over.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gephost_core::user_config::USER_CONFIG_FILE;
use gephost_runner::journal::Operator;
use gephost_runner::sandbox::Worker;
use gephost_runner::state::UserFolders;
use gephost_runner::validate::{Launcher, Machine};
use jiff::Timestamp;

use crate::serve::{LAUNCH, WORKER};
use crate::sink::{Silent, Sink};

/// The authority and the values that use cases work with.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The folder that relative paths count from, and where the search for the project begins.
    pub directory: PathBuf,
    /// The user's cache folder of gephost: compiled components and work copies.
    pub cache: PathBuf,
    /// The user's state folder of gephost: what it knows of each project, and its keys.
    pub state: PathBuf,
    /// The key of the cache of compiled components: one for each user, wherever state is kept.
    pub cache_key: PathBuf,
    /// The user's own config file, which no repository decides.
    pub user_config: PathBuf,
    /// The user's config folder, where other programs keep their settings.
    pub config_home: PathBuf,
    /// The user's data folder, where other programs keep what they made.
    pub data_home: PathBuf,
    /// Whether the network is turned off.
    pub offline: bool,
    /// The operator's toolchains, for validation commands.
    pub machine: Machine,
    /// The assets folder, if the operator named one.
    pub assets: Option<PathBuf>,
    /// Who works, for the log: `user@host`, and the agent that acts in their name.
    pub operator: Operator,
    /// All environment variables, for the operator's own commands.
    pub variables: Vec<(OsString, OsString)>,
    /// The environment of a program that signs commits.
    pub signing: Vec<(OsString, OsString)>,
    /// What gephost starts as workers and to launch validation commands. Without it genes run in this process, and nothing
    /// is validated.
    pub program: Option<Program>,
    /// Set when the operator interrupts.
    pub interrupted: Arc<AtomicBool>,
    /// The clock that everything in this crate reads.
    pub clock: fn() -> Timestamp,
    /// Receives notes and progress.
    pub sink: Arc<dyn Sink>,
}

/// The program that gephost starts as its own processes: `gephost`, or one that calls [`crate::serve`].
#[derive(Debug, Clone)]
pub struct Program {
    /// A path that still leads to it after its file was replaced.
    pub path: PathBuf,
    /// Its file, for namespaces in which the other path leads elsewhere; `None` if the file was replaced.
    pub file: Option<PathBuf>,
}

impl Environment {
    /// An environment with no more authority than a folder to work in, a folder below which gephost keeps what is the
    /// user's, and a clock. Genes run in this process; notes are dropped.
    pub fn in_folders(directory: &Path, user: &Path, clock: fn() -> Timestamp) -> Self {
        Self {
            directory: directory.to_owned(),
            cache: user.join("cache"),
            state: user.join("state"),
            cache_key: user.join("state/cache.key"),
            user_config: user.join(USER_CONFIG_FILE),
            config_home: user.join("config"),
            data_home: user.join("data"),
            offline: true,
            machine: Machine { home: user.to_owned(), ..Machine::default() },
            assets: None,
            operator: Operator { name: "embedded".to_owned(), agent: None },
            variables: Vec::new(),
            signing: Vec::new(),
            program: None,
            interrupted: Arc::default(),
            clock,
            sink: Arc::new(Silent),
        }
    }

    /// The user's folders of gephost, as handles.
    pub fn user_folders(&self) -> UserFolders {
        UserFolders::new(&self.state, &self.cache)
    }

    /// A path that the operator spelled.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }

    /// The time by the clock that was handed over.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Whether the operator has interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// How gephost starts itself as a worker. `strict` refuses to run without every confinement that exists.
    pub fn worker(&self, strict: bool) -> Option<Worker> {
        let program = self.program.as_ref()?;
        Some(Worker { program: program.path.clone(), arguments: vec![WORKER.into()], strict })
    }

    /// How gephost starts itself to launch a validation command.
    pub fn launcher(&self) -> Option<Launcher> {
        let program = self.program.as_ref()?;
        Some(Launcher { program: program.path.clone(), name: program.file.clone(), arguments: vec![LAUNCH.into()] })
    }

    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.iter().find(|(known, _)| known.as_os_str() == name).map(|(_, value)| value)
    }
}
