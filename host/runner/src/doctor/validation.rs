//! Tests what a validation command cannot do: runs every probe as a command at each level that works on this machine.

#![expect(clippy::disallowed_methods, reason = "it makes files that a command must not read")]

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gephost_core::validation::Level;

use super::check::{Check, Status};
use super::system_v::SystemV;
use crate::validate::{
    CaptureLimit, ControlGroups, Enclosure, End, Granted, Invocation, Launcher, Limits, PROBES, Probe, ProbeTargets,
    find_bubblewrap, run, works,
};

/// Limits of one attempt.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(20),
    output: CaptureLimit { head: 4096, tail: 4096 },
    file_bytes: 1 << 20,
    disk_bytes: 16 << 20,
    processes: 64,
    memory_bytes: 64 << 20,
};
/// Files that the probes use.
const FILES: &[&str] = &["secret", "keep", "remove", "rename"];

/// All checks. The caller deletes `folder`.
pub(super) fn checks(launcher: &Launcher, folder: &Path) -> Vec<Check> {
    let groups = ControlGroups::of_this_process();
    let mut checks = vec![memory_bound(&groups)];
    let groups = groups.ok();
    let bubblewrap = find_bubblewrap();
    for level in Level::ALL {
        let id = format!("validation.{level}");
        let tried = format!("run a command at sandbox level {level}");
        if let Err(reason) = works(level, launcher, bubblewrap.as_deref(), groups.as_ref()) {
            checks.push(Check::new(id, Status::Unavailable, tried, reason));
            continue;
        }
        checks.push(Check::new(id, Status::Ok, tried, "the command ran"));
        let place = folder.join(level.as_str());
        match Stage::set(&place, groups.clone()) {
            Ok(stage) => {
                checks.extend(PROBES.iter().map(|probe| stage.check(probe, level, launcher, bubblewrap.as_deref())));
            }
            Err(error) => {
                let id = format!("validation.{level}.scene");
                checks.push(Check::new(id, Status::Unavailable, "create files for the probes", error.to_string()));
            }
        }
    }
    checks
}

/// What bounds the memory of commands.
fn memory_bound(groups: &Result<ControlGroups, String>) -> Check {
    let check = |status, result| Check::new("validation.memory", status, "bound the memory of a command", result);
    match groups {
        Ok(_) => check(Status::Ok, "by the kernel, in a control group".to_owned()),
        Err(reason) => {
            let result = format!("measured ten times a second, and not by the kernel: {reason}");
            check(Status::Unavailable, result).hint(
                "to have the kernel bound it, start gephost in a control group of its own: `systemd-run --user --scope \
                 -p Delegate=yes gephost …`",
            )
        }
    }
}

/// Files and servers for the probes, outside of the copy in which a command works.
struct Stage {
    targets: ProbeTargets,
    copy: PathBuf,
    groups: Option<ControlGroups>,
    _listening: (TcpListener, UnixListener, UnixDatagram, UnixListener),
    _system_v: SystemV,
}

impl Stage {
    fn set(place: &Path, groups: Option<ControlGroups>) -> std::io::Result<Self> {
        let (outside, copy) = (place.join("outside"), place.join("copy"));
        for folder in [&outside, &copy.join("files"), &copy.join("home"), &copy.join("tmp")] {
            fs::create_dir_all(folder)?;
        }
        for file in FILES {
            fs::write(outside.join(file), "content")?;
        }
        let server = TcpListener::bind(("127.0.0.1", 0))?;
        let port = server.local_addr()?.port();
        let name = <SocketAddr as SocketAddrExt>::from_abstract_name(outside.as_os_str().as_encoded_bytes())?;
        let listening = (
            server,
            UnixListener::bind(outside.join("stream"))?,
            UnixDatagram::bind(outside.join("datagram"))?,
            UnixListener::bind_addr(&name)?,
        );
        let process = i32::try_from(std::process::id()).unwrap_or_default();
        let system_v = SystemV::make()?;
        let targets = ProbeTargets { outside, process, port, system_v: system_v.ids };
        Ok(Self { targets, copy, groups, _listening: listening, _system_v: system_v })
    }

    fn check(&self, probe: &Probe, level: Level, launcher: &Launcher, bubblewrap: Option<&Path>) -> Check {
        let id = format!("validation.{level}.{}", probe.id);
        let check = |status, result: String| Check::new(id.clone(), status, probe.what, result);
        match self.attempt(probe, level, launcher, bubblewrap) {
            Ok(Outcome::Refused(by)) => check(Status::Ok, format!("refused: {by}")),
            Ok(Outcome::Done) if level < probe.refused_from => {
                check(Status::Unavailable, format!("not refused: that needs {}", probe.refused_from))
            }
            Ok(Outcome::Done) => check(Status::Error, "not refused".to_owned())
                .hint("an older kernel supports fewer restrictions; require a level in `[validation] sandbox` that this machine enforces completely"),
            Err(reason) => check(Status::Unavailable, reason),
        }
    }

    fn attempt(
        &self,
        probe: &Probe,
        level: Level,
        launcher: &Launcher,
        bubblewrap: Option<&Path>,
    ) -> Result<Outcome, String> {
        let name = launcher.name.as_ref().ok_or("gephost's own file was replaced")?;
        let granted = Granted { readable: vec![name.clone()], network: Some(probe.network) };
        let enclosure = Enclosure::new(level, &self.copy, &granted, bubblewrap);
        let words = [name.display().to_string(), "attempt".to_owned(), probe.id.to_owned()];
        let argv: Vec<String> = words.into_iter().chain(self.targets.words()).collect();
        let directory = self.copy.join("files");
        let invocation = Invocation {
            argv: &argv,
            directory: &directory,
            environment: &[],
            limits: LIMITS,
            enclosure: &enclosure,
            launcher,
            groups: self.groups.as_ref(),
        };
        let run = run(&invocation, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
        match run.end {
            End::Exited(0) => Ok(Outcome::Done),
            End::Exited(1) => Ok(Outcome::Refused(run.stdout.text().trim().to_owned())),
            End::Signaled(signal) => Ok(Outcome::Refused(format!("ended by signal {signal}"))),
            End::DiskFull => Ok(Outcome::Refused("ended: too much of the disk".to_owned())),
            End::OutOfMemory => Ok(Outcome::Refused("ended: too much memory".to_owned())),
            end => Err(format!("{end:?}: {}", run.stderr.text().trim())),
        }
    }
}

/// The result of an attempt.
enum Outcome {
    Refused(String),
    Done,
}
