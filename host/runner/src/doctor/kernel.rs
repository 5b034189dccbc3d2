//! Tests what a worker cannot do. Files are tried under Landlock alone, to show that it holds without the filter. The
//! rest is tried under the system-call filter of a running gene.

#![expect(clippy::disallowed_methods, reason = "it makes files that a worker must not open")]

use std::path::Path;

use super::check::{Check, Status};
use crate::confine::{Confinement, FileRules, InForce, Limits, Support, SystemCalls};
use crate::sandbox::{Probe, Tried, Worker, try_out};

/// All checks.
pub(super) fn checks(worker: &Worker, folder: &Path) -> Vec<Check> {
    let support = Support::measure();
    let mut checks = vec![supported(support), starts(worker)];
    let shown = folder.join("shown.txt");
    if let Err(error) = std::fs::write(&shown, "shown") {
        let tried = format!("make {}", shown.display());
        checks.push(Check::new("landlock", Status::Unavailable, tried, error.to_string()));
        return checks;
    }
    for (id, tried, probe) in file_probes(folder, &shown) {
        checks.push(check(worker, id, tried, &probe, &landlock_only(), support.landlock.is_some()));
    }
    for (id, tried, probe) in call_probes(&shown) {
        checks.push(check(worker, id, tried, &probe, &calls_only(SystemCalls::Run), support.seccomp));
    }
    checks
}

fn file_probes(folder: &Path, shown: &Path) -> [(&'static str, &'static str, Probe); 5] {
    [
        ("landlock.open", "open a file for reading", Probe::OpenFile(shown.to_owned())),
        ("landlock.list", "list a folder", Probe::ListFolder(folder.to_owned())),
        ("landlock.write", "create a file", Probe::WriteFile(folder.join("made.txt"))),
        ("landlock.remove", "remove a file", Probe::RemoveFile(shown.to_owned())),
        ("landlock.signal", "signal the host", Probe::Signal(own())),
    ]
}

fn call_probes(shown: &Path) -> [(&'static str, &'static str, Probe); 7] {
    [
        ("seccomp.open", "open a file", Probe::OpenFile(shown.to_owned())),
        ("seccomp.tcp", "listen on a TCP socket", Probe::TcpSocket),
        ("seccomp.unix", "create a Unix socket", Probe::UnixSocket),
        ("seccomp.exec", "run a program", Probe::Exec("/bin/true".into())),
        ("seccomp.ptrace", "open the host's memory", Probe::ReadMemory(own())),
        ("seccomp.signal", "signal the host", Probe::Signal(own())),
        ("seccomp.wx", "create memory that is writable and executable", Probe::ExecutableMemory),
    ]
}

/// Id of this process. The kernel keeps it far below the bound.
fn own() -> i32 {
    i32::try_from(std::process::id()).unwrap_or_default()
}

fn landlock_only() -> Confinement {
    Confinement { files: Some(FileRules::default()), ..calls_only(SystemCalls::Any) }
}

fn calls_only(calls: SystemCalls) -> Confinement {
    Confinement { files: None, calls, limits: Limits::default(), capabilities_dropped: false, strict: false }
}

fn supported(support: Support) -> Check {
    let landlock = support.landlock.map_or("no Landlock".to_owned(), |version| format!("Landlock {version}"));
    let result = format!("{landlock}, {}", if support.seccomp { "seccomp" } else { "no seccomp" });
    let check =
        |status| Check::new("kernel", status, "check which kind of confinement the kernel supports", result.clone());
    if support.is_whole() {
        return check(Status::Ok);
    }
    check(Status::Warn).hint(
        "genes run in processes that are confined as far as this kernel can; Landlock needs Linux 5.13 and `landlock` in \
         the kernel's `lsm=`",
    )
}

/// Starts a worker that does nothing. It shows that the refusals below have no other reason.
fn starts(worker: &Worker) -> Check {
    let whole = Confinement { calls: SystemCalls::Run, ..landlock_only() };
    let (tried, in_force) = try_out(worker, &whole, &Probe::Nothing);
    let what = "start a confined worker";
    match tried {
        Tried::Got(_) => Check::new("worker", Status::Ok, what, format!("started; {}", describe(in_force))),
        Tried::Refused(why) | Tried::Unavailable(why) => Check::new("worker", Status::Error, what, why).hint(
            "genes cannot run in processes on this machine; `isolation = \"thread\"` in `[genes]` runs them in threads",
        ),
    }
}

fn describe(in_force: InForce) -> String {
    let landlock = in_force.landlock.map_or("without Landlock".to_owned(), |version| format!("Landlock {version}"));
    format!("{landlock}, {}", if in_force.seccomp { "seccomp" } else { "without seccomp" })
}

fn check(worker: &Worker, id: &str, tried: &str, probe: &Probe, confinement: &Confinement, there: bool) -> Check {
    if !there {
        return Check::new(id, Status::Unavailable, tried, "the kernel does not support it");
    }
    match try_out(worker, confinement, probe) {
        (Tried::Refused(by), _) => Check::new(id, Status::Ok, tried, format!("refused: {by}")),
        // An older Landlock cannot restrict signals, but seccomp can.
        (Tried::Got(got), in_force) if id == "landlock.signal" && in_force.landlock.is_none_or(|abi| abi < 6) => {
            Check::new(id, Status::Unavailable, tried, format!("this version of Landlock cannot refuse it: {got}"))
        }
        (Tried::Got(got), _) => Check::new(id, Status::Error, tried, format!("not refused: {got}"))
            .hint("report this as a bug: a part of the confinement does not hold on this kernel"),
        (Tried::Unavailable(why), _) => Check::new(id, Status::Unavailable, tried, why),
    }
}
