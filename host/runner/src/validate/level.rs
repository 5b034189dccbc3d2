//! Chooses the level at which commands run: the one that the operator wants, if this machine supports it. Support is
//! determined by trying.

#![expect(clippy::disallowed_methods, reason = "each level is tried in a temporary folder")]

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gephost_core::validation::{Demand, Level, MemoryBound, Network};

use super::bubblewrap;
use super::capture::CaptureLimit;
use super::enclosure::{Enclosure, Granted};
use super::end::End;
use super::groups::ControlGroups;
use super::limits::Limits;
use super::process::{Invocation, Launcher, run};
use crate::confine::Support;

/// The chosen level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The level.
    pub level: Level,
    /// Why it is not the highest level that the operator accepts; absent if it is.
    pub not_higher: Option<String>,
    /// Path of bubblewrap.
    pub bubblewrap: Option<PathBuf>,
    /// The right to control groups, in which the kernel bounds the memory of commands; or why there is none.
    pub groups: Result<ControlGroups, String>,
}

impl Chosen {
    /// What bounds the memory of commands.
    pub fn memory_bound(&self) -> MemoryBound {
        if self.groups.is_ok() { MemoryBound::Kernel } else { MemoryBound::Measured }
    }
}

/// Why commands cannot be validated on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} cannot be enforced on this machine: {reason}")]
pub struct NotHere {
    /// The config key and its value.
    pub key: String,
    /// What the machine lacks.
    pub reason: String,
}

/// Limits for trying a level.
const PROBE: Limits = Limits {
    time: Duration::from_secs(10),
    output: CaptureLimit { head: 4096, tail: 4096 },
    file_bytes: 1 << 20,
    disk_bytes: 1 << 20,
    processes: 64,
    memory_bytes: 1 << 30,
};

/// Chooses a level.
pub fn choose(demand: Demand, network: Option<Network>, launcher: &Launcher) -> Result<Chosen, NotHere> {
    let bubblewrap = bubblewrap::find();
    let groups = ControlGroups::of_this_process();
    let mut chosen = Chosen { level: Level::L0, not_higher: None, bubblewrap, groups };
    let mut levels = [Level::L2, Level::L1].into_iter().filter(|level| *level <= demand.most());
    let found =
        levels.find(|level| match works(*level, launcher, chosen.bubblewrap.as_deref(), chosen.groups.as_ref().ok()) {
            Ok(()) => true,
            Err(reason) => {
                let reasons = chosen.not_higher.take().map(|earlier| format!("{earlier}; ")).unwrap_or_default();
                chosen.not_higher = Some(format!("{reasons}{level}: {reason}"));
                false
            }
        });
    chosen.level = found.unwrap_or(Level::L0);
    let reason = || chosen.not_higher.clone().unwrap_or_default();
    if chosen.level < demand.least() {
        return Err(NotHere { key: format!("`sandbox = \"{demand}\"` of `[validation]`"), reason: reason() });
    }
    match network.filter(|network| network.least_level() > chosen.level) {
        Some(network) => {
            let key = format!("`network = \"{}\"` of `[validation]`", network.as_str());
            Err(NotHere { key, reason: format!("it needs {}; {}", network.least_level(), reason()) })
        }
        None => Ok(chosen),
    }
}

/// Whether a level works on this machine, found by running a program in it. The error says what is missing.
pub fn works(
    level: Level,
    launcher: &Launcher,
    bubblewrap: Option<&Path>,
    groups: Option<&ControlGroups>,
) -> Result<(), String> {
    match level {
        Level::L0 => return Ok(()),
        Level::L1 if !Support::measure().is_whole() => return Err("this kernel lacks Landlock or seccomp".to_owned()),
        Level::L2 if bubblewrap.is_none() => return Err("bubblewrap is not installed".to_owned()),
        Level::L2 if launcher.name.is_none() => return Err("gephost's own file was replaced".to_owned()),
        Level::L1 | Level::L2 => {}
    }
    let folder = tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder: {error}"))?;
    std::fs::create_dir(folder.path().join("tmp")).map_err(|error| error.to_string())?;
    let granted = Granted { readable: launcher.name.iter().cloned().collect(), network: None };
    let enclosure = Enclosure::new(level, folder.path(), &granted, bubblewrap);
    let argv = ["/bin/sh", "-c", "exit 7"].map(str::to_owned);
    let invocation = Invocation {
        argv: &argv,
        directory: folder.path(),
        environment: &[],
        limits: PROBE,
        enclosure: &enclosure,
        launcher,
        groups,
    };
    match run(&invocation, &AtomicBool::new(false)) {
        Ok(run) if run.end == End::Exited(7) => Ok(()),
        Ok(run) => Err(format!("a test program ended with {:?}: {}", run.end, run.stderr.text().trim())),
        Err(error) => Err(error.to_string()),
    }
}
