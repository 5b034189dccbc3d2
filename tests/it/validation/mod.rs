//! Validation commands in their sandbox: what holds at every level, hostile commands, real toolchains, and the matrix of
//! forbidden acts.

mod demanded;
mod dependencies;
mod hostile;
mod matrix;
mod process;
mod projects;
mod unseen;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gephost_core::validation::Level;
use gephost_runner::validate::{
    CaptureLimit, CommandRun, Enclosure, Granted, Invocation, Launcher, Limits, RunError, find_bubblewrap, run, works,
};
use gephost_tests::environment::gephost;
use gephost_tests::skipped;
use tempfile::TempDir;

pub(crate) const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    output: CaptureLimit { head: 1 << 16, tail: 1 << 16 },
    file_bytes: 1 << 20,
    disk_bytes: 64 << 20,
    processes: 64,
    memory_bytes: 1 << 30,
};
/// Far above what an end by force takes, far below what the commands would take by themselves.
pub(crate) const SOON: Duration = Duration::from_secs(20);

pub(crate) fn launcher() -> Launcher {
    let program = gephost().to_owned();
    Launcher { name: Some(program.clone()), program, arguments: vec!["launch".into()] }
}

/// The levels that work on this machine; says which do not, and why.
pub(crate) fn levels() -> Vec<Level> {
    let works_here = |level: &Level| match works(*level, &launcher(), find_bubblewrap().as_deref(), None) {
        Ok(()) => true,
        Err(reason) => {
            skipped(&format!("sandbox level {level}: {reason}"));
            false
        }
    };
    Level::ALL.into_iter().filter(works_here).collect()
}

/// A folder for commands to work in.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["files", "home", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// Where commands run.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.files().join(file)).unwrap()
    }

    pub(crate) fn run(&self, level: Level, argv: &[&str], limits: Limits) -> Result<CommandRun, RunError> {
        self.run_in(&self.files(), level, argv, limits, &AtomicBool::new(false))
    }

    pub(crate) fn run_in(
        &self,
        directory: &Path,
        level: Level,
        argv: &[&str],
        limits: Limits,
        interrupt: &AtomicBool,
    ) -> Result<CommandRun, RunError> {
        let launcher = launcher();
        let granted = Granted { readable: launcher.name.iter().cloned().collect(), network: None };
        let enclosure = Enclosure::new(level, self.folder.path(), &granted, find_bubblewrap().as_deref());
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let environment = [("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("ONLY".into(), "this".into())];
        let invocation = Invocation {
            argv: &argv,
            directory,
            environment: &environment,
            limits,
            enclosure: &enclosure,
            launcher: &launcher,
            groups: None,
        };
        run(&invocation, interrupt)
    }

    pub(crate) fn script(&self, level: Level, script: &str, limits: Limits) -> CommandRun {
        self.run(level, &["sh", "-c", script], limits).unwrap_or_else(|error| panic!("{level}: {script}: {error}"))
    }
}

/// A script in a new place.
pub(crate) fn script(level: Level, script: &str, limits: Limits) -> (Place, CommandRun) {
    let place = Place::new();
    let run = place.script(level, script, limits);
    (place, run)
}

pub(crate) fn within(milliseconds: u64) -> Limits {
    Limits { time: Duration::from_millis(milliseconds), ..LIMITS }
}

/// How many processes have this word among their arguments. The first thread of a process may have ended before others.
pub(crate) fn running(word: &str) -> usize {
    let has_word = |line: Vec<u8>| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes());
    let is_running = |process: std::fs::DirEntry| {
        let threads = std::fs::read_dir(process.path().join("task")).into_iter().flatten().flatten();
        threads.filter_map(|thread| std::fs::read(thread.path().join("cmdline")).ok()).any(has_word)
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.map(is_running).filter(|is_running| *is_running).count()
}

/// A number of seconds that no other test sleeps for: a process that sleeps for it is this test's.
pub(crate) fn unique_sleep() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("7{}.{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
