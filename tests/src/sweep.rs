//! Interrupts an operation that changes a project at one chosen point: gephost is killed there, or a system call fails.
//! Then checks what must hold: the user's files are unchanged, a branch is complete or missing, a landing is complete or
//! undone, no acknowledged entry of the log is lost, and the next start works and removes what was left.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::environment::{Ran, TestEnv, gephost};
use crate::power_cut::{self, Disk};
use crate::program::python;
use crate::project::TestProject;

/// The system calls that change something, and those that open a file. strace ignores a name that this machine does not
/// have (`?`).
const CALLS: [&str; 18] = [
    "openat",
    "openat2",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "ftruncate",
    "flock",
];
/// A test that fails is not repeated: there are thousands of points, and each takes half as long.
const CONFIG: &str = "[policy]\nallow = [\"app/\"]\n[validation]\ncommands = [\"python3 -m unittest\"]\nreruns = 0\n[apply]\nenabled \
                      = true\nauthor_name = \"sweep\"\n";
const TEST: &str = "import unittest\nfrom app.value import VALUE\n\n\nclass Check(unittest.TestCase):\n    def \
                    test_value(self):\n        self.assertEqual(VALUE, 2)\n";
const CHANGE: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n";
/// The change that the next start applies.
const NEXT: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1,2 @@\n-VALUE = 1\n+# Next.\n+VALUE = 2\n";

/// An operation that is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// An apply, which changes no file of the user.
    Apply,
    /// An apply that also lands the change in the checkout.
    Land,
    /// An undo of a change that was landed. It lands too.
    Undo,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 3] = [Self::Apply, Self::Land, Self::Undo];

    fn command(self) -> &'static [&'static str] {
        match self {
            Self::Apply => &["apply", "change.diff", "--apply"],
            Self::Land => &["apply", "change.diff", "--apply", "--land"],
            Self::Undo => &["undo", "--land"],
        }
    }

    /// The command of the next start.
    fn next_command(self) -> &'static [&'static str] {
        match self {
            Self::Apply => &["apply", "next.diff", "--apply"],
            Self::Land | Self::Undo => &["undo", "--land"],
        }
    }

    /// A file, and its text with an edit that is not committed.
    fn uncommitted(self) -> (&'static str, &'static str) {
        match self {
            Self::Apply => ("app/value.py", "VALUE = 1\n# An edit that nobody has committed.\n"),
            Self::Land | Self::Undo => ("notes.txt", "An edit that nobody has committed.\n"),
        }
    }
}

/// How the operation is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// gephost is killed when it makes the call.
    Kill,
    /// The call fails with `EIO`.
    Eio,
    /// The call fails with `ENOSPC`.
    Enospc,
}

/// Where an operation is interrupted, and how.
#[derive(Debug, Clone, Hash)]
pub enum Point {
    /// The n-th call of this name that the main thread makes, counted from 1.
    Call(&'static str, u32, Fault),
    /// The n-th call of this name in each thread and each descendant, counted from 1.
    Followed(&'static str, u32, Fault),
    /// gephost is killed after this many microseconds.
    Time(u64),
}

/// A repository and a home folder that are restored before each interruption.
#[derive(Debug)]
pub struct Sweep {
    operation: Operation,
    env: TestEnv,
    project: TestProject,
    template: tempfile::TempDir,
    /// `PATH`, with Python's own folder first. The wrapper of a version manager would make thousands of system calls.
    programs: OsString,
    /// The user's files before the operation.
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sweep {
    /// Prepares the repository. `None` if strace or python3 is not installed.
    pub fn new(operation: Operation) -> Option<Self> {
        if !["strace", "python3"].into_iter().all(crate::is_installed) {
            return None;
        }
        let env = TestEnv::new();
        let programs = programs();
        let project = TestProject::new(
            &env,
            &[
                ("gephost.toml", CONFIG),
                ("app/__init__.py", ""),
                ("app/value.py", "VALUE = 1\n"),
                ("notes.txt", "Notes.\n"),
                (".gitignore", "*.diff\n__pycache__/\n"),
                ("test_value.py", TEST),
            ],
        );
        project.write("change.diff", CHANGE);
        project.write("next.diff", NEXT);
        let (edited, text) = operation.uncommitted();
        project.write(edited, text);
        project.git(&env, &["config", "gc.auto", "0"]);
        // Makes entries in the log, which could be lost.
        env.run(project.root(), &["record", "--", "true"]).expect_code(0);
        if operation == Operation::Undo {
            env.run(project.root(), Operation::Land.command()).expect_code(0);
        }
        let before = project.fingerprint();
        let template = tempfile::tempdir().unwrap();
        let sweep = Self { operation, env, project, template, programs, before };
        copy(sweep.project.root(), &sweep.template.path().join("project"));
        copy(sweep.env.home(), &sweep.template.path().join("home"));
        Some(sweep)
    }

    /// Every system call that the operation makes, with each fault.
    pub fn points(&self) -> Vec<Point> {
        self.restore();
        let trace = self.template.path().join("trace");
        let mut command =
            self.strace(&["-f", "-o", trace.to_str().unwrap(), "-e", &format!("trace={}", traced_calls())]);
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        // The calls of each thread. The first thread is the main one.
        let mut counts: Vec<(String, BTreeMap<&str, u32>)> = Vec::new();
        for line in fs::read_to_string(&trace).unwrap().lines() {
            let Some((thread, rest)) = line.split_once(' ') else { continue };
            let at = counts.iter().position(|(known, _)| known == thread).unwrap_or_else(|| {
                counts.push((thread.to_owned(), BTreeMap::new()));
                counts.len() - 1
            });
            if let Some(call) = CALLS.iter().find(|call| rest.trim_start().starts_with(&format!("{call}("))) {
                *counts[at].1.entry(call).or_default() += 1;
            }
        }
        let faults = [Fault::Kill, Fault::Eio, Fault::Enospc];
        let mut points = Vec::new();
        for call in CALLS {
            let of = |counts: &BTreeMap<&str, u32>| counts.get(call).copied().unwrap_or(0);
            let main = counts.first().map_or(0, |(_, counts)| of(counts));
            // Other threads and processes open files for compilers and test runners, which gephost does not write.
            let most =
                counts.iter().map(|(_, counts)| of(counts)).max().filter(|_| !call.starts_with("openat")).unwrap_or(0);
            points.extend((1..=main).flat_map(|at| faults.map(|fault| Point::Call(call, at, fault))));
            points.extend((1..=most).flat_map(|at| faults.map(|fault| Point::Followed(call, at, fault))));
        }
        points
    }

    /// Interrupts the operation at one point, and checks. The error says what does not hold.
    pub fn check(&self, point: &Point) -> Result<(), String> {
        self.restore();
        let ran = self.interrupt(point);
        let context = |what: &str| {
            format!("{:?} {point:?}: {what}\nexit {}\n{}{}", self.operation, ran.code, ran.stdout, ran.stderr)
        };
        if ![-1, 0, 1, 2, 5, 6, 137].contains(&ran.code) {
            return Err(context("it ended with an unexpected exit code"));
        }
        let branches = self.branches();
        if ran.code == 0 && self.operation != Operation::Undo && branches.is_empty() {
            return Err(context("it reported a published branch, but there is none"));
        }
        self.check_interrupted().map_err(|what| context(&what))
    }

    /// Checks the project after an interrupted operation, and then its next start.
    pub fn check_interrupted(&self) -> Result<(), String> {
        let after = self.user_files();
        let may_move = |path: &Path| {
            self.operation != Operation::Apply
                && ["app/value.py", ".git/index", ".git/refs/heads/main", ".git/logs"]
                    .iter()
                    .any(|own| path.starts_with(own))
        };
        let differs = |path: &&PathBuf| self.before.get(*path) != after.get(*path) && !may_move(path);
        if let Some(path) = self.before.keys().chain(after.keys()).find(differs) {
            return Err(format!("the user's file {} has changed", path.display()));
        }
        let value = after.get(Path::new("app/value.py")).cloned().unwrap_or_default();
        if self.operation != Operation::Apply
            && ![b"VALUE = 1\n", b"VALUE = 2\n"].iter().any(|whole| **whole == value[..])
        {
            return Err(format!("a file was written partly: {value:?}"));
        }
        self.check_branches(&self.branches())?;
        let acknowledged = self.acknowledged();
        let next = Ran::of(self.command(gephost()).args(self.operation.next_command()).output().unwrap());
        let also = |what: &str| format!("{what}\nnext start: exit {}\n{}{}", next.code, next.stdout, next.stderr);
        if next.code != 0 {
            return Err(also("the next start does not work"));
        }
        self.check_checkout().and_then(|()| self.check_leftovers()).map_err(|what| also(&what))?;
        let lines = self.log_lines();
        if lines.get(..acknowledged.len()) != Some(acknowledged.as_slice()) {
            return Err(also("an acknowledged entry of the log is lost"));
        }
        self.check_log().map_err(|what| also(&what))
    }

    /// Simulates power cuts. Replays every EVERY-th prefix of the operation's synced writes, from the OFFSET-th on, and
    /// loses everything that was not synced. Returns how many prefixes there are, and how many were tried.
    pub fn check_power_cuts(&self, every: usize, offset: usize) -> Result<(usize, usize), String> {
        self.restore();
        let mut disk = Disk::of(&[self.project.root(), self.env.home()]);
        let trace = self.template.path().join("trace");
        let options = ["-f", "-y", "-xx", "-s", "10000000", "-e", power_cut::CALLS, "-o", trace.to_str().unwrap()];
        let ran = Ran::of(self.strace(&options).output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let (mut prefixes, mut tried, mut broken) = (0, 0, None);
        disk.replay(&fs::read_to_string(&trace).unwrap(), |disk| {
            if prefixes >= offset && (prefixes - offset).is_multiple_of(every) && broken.is_none() {
                disk.write_out();
                broken = self
                    .check_interrupted()
                    .err()
                    .map(|what| format!("{:?}, after sync {prefixes}: {what}", self.operation));
                tried += 1;
            }
            prefixes += 1;
        });
        broken.map_or(Ok((prefixes, tried)), Err)
    }

    /// Checks that the checkout equals its branch again, except for the edit that is not committed.
    fn check_checkout(&self) -> Result<(), String> {
        if self.operation == Operation::Apply {
            let same = self.project.fingerprint() == self.before;
            return if same { Ok(()) } else { Err("a file was left or changed after the next start".to_owned()) };
        }
        let (edited, text) = self.operation.uncommitted();
        let status = self.project.git(&self.env, &["status", "--porcelain"]);
        if status != format!(" M {edited}\n") || fs::read_to_string(self.project.root().join(edited)).unwrap() != text {
            return Err(format!("the checkout differs from its branch: {status}"));
        }
        let value = fs::read_to_string(self.project.root().join("app/value.py")).unwrap();
        // After a cut undo, the landed change may still be there.
        if self.operation == Operation::Land && value != "VALUE = 1\n" {
            return Err(format!("the landing was not undone: {value}"));
        }
        Ok(())
    }

    /// Leaves an apply that was killed after its branch was created and before the log said so: at the first `fsync` after
    /// it.
    pub fn kill_after_publishing(&self) -> (&TestEnv, &Path) {
        let is_fsync = |point: &&Point| matches!(point, Point::Call("fsync", _, Fault::Kill));
        let count = u32::try_from(self.points().iter().filter(is_fsync).count()).unwrap();
        let published_at = |at: u32| {
            self.restore();
            self.interrupt(&Point::Call("fsync", at, Fault::Kill));
            !self.branches().is_empty()
        };
        let (mut before, mut after) = (0, count);
        while after - before > 1 {
            let middle = u32::midpoint(before, after);
            if published_at(middle) {
                after = middle;
            } else {
                before = middle;
            }
        }
        assert!(published_at(after), "no fsync of an apply comes after its branch");
        (&self.env, self.project.root())
    }

    fn restore(&self) {
        for (from, to) in [("project", self.project.root()), ("home", self.env.home())] {
            for entry in fs::read_dir(to).unwrap() {
                let path = entry.unwrap().path();
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.unwrap();
            }
            copy(&self.template.path().join(from), to);
        }
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.env.command(program, self.project.root());
        command.env("PATH", &self.programs);
        command
    }

    fn strace(&self, options: &[&str]) -> Command {
        let mut command = self.command("strace");
        command.args(options).arg(gephost()).args(self.operation.command());
        command
    }

    fn interrupt(&self, point: &Point) -> Ran {
        match point {
            Point::Call(call, at, fault) => self.inject(&[], call, *at, *fault),
            // A filter in the kernel stops only at calls of this name.
            Point::Followed(call, at, fault) => self.inject(&["-f", "--seccomp-bpf"], call, *at, *fault),
            Point::Time(microseconds) => {
                let mut command = self.command(gephost());
                let null = std::process::Stdio::null;
                let mut child = command.args(self.operation.command()).stdout(null()).stderr(null()).spawn().unwrap();
                std::thread::sleep(Duration::from_micros(*microseconds));
                let _ = child.kill();
                let status = child.wait().unwrap();
                Ran { code: status.code().unwrap_or(-1), stdout: String::new(), stderr: String::new() }
            }
        }
    }

    fn inject(&self, options: &[&str], call: &str, at: u32, fault: Fault) -> Ran {
        let what = match fault {
            Fault::Kill => "signal=KILL",
            Fault::Eio => "error=EIO",
            Fault::Enospc => "error=ENOSPC",
        };
        let (inject, trace) = (format!("inject={call}:{what}:when={at}"), format!("trace={call}"));
        let mut all = options.to_vec();
        all.extend(["-o", "/dev/null", "-e", &trace, "-e", &inject]);
        Ran::of(self.strace(&all).output().unwrap())
    }

    /// The user's files, without what the next start has to remove: files that carry our mark, and locks.
    fn user_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = self.project.fingerprint();
        files.retain(|path, _| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let marked = name.starts_with(".gephost-") || (path.starts_with(".git") && name.starts_with("gephost-"));
            !(marked || path.starts_with(".git") && name.ends_with(".lock"))
        });
        files
    }

    fn branches(&self) -> Vec<String> {
        let format = ["for-each-ref", "--format=%(refname:short)", "refs/heads/evo"];
        self.project.git(&self.env, &format).lines().map(str::to_owned).collect()
    }

    /// Checks that each branch contains the whole change and nothing else.
    fn check_branches(&self, branches: &[String]) -> Result<(), String> {
        for branch in branches {
            let names = self.project.git(&self.env, &["diff", "--name-only", &format!("{branch}^"), branch]);
            let value = self.project.git(&self.env, &["show", &format!("{branch}:app/value.py")]);
            let wanted = if branch.contains("revert") { "VALUE = 1\n" } else { "VALUE = 2\n" };
            if names != "app/value.py\n" || !value.ends_with(wanted) {
                return Err(format!("branch {branch} does not contain exactly the change: {names}{value}"));
            }
        }
        self.project.git(&self.env, &["fsck", "--connectivity-only", "--no-dangling"]);
        Ok(())
    }

    fn state(&self) -> PathBuf {
        self.env.state_of(self.project.root())
    }

    fn log_lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.state().join("log.jsonl")).unwrap_or_default();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// The lines of the log that its head counts.
    fn acknowledged(&self) -> Vec<String> {
        let text = fs::read_to_string(self.state().join("head.json")).unwrap();
        let head: Value = serde_json::from_str(&text).unwrap();
        let count = head["head"]["entries"].as_u64().unwrap();
        let mut lines = self.log_lines();
        assert!(lines.len() as u64 >= count, "the head counts {count} entries, but there are {}", lines.len());
        lines.truncate(usize::try_from(count).unwrap());
        lines
    }

    /// Checks that no file of gephost is left in the project.
    fn check_leftovers(&self) -> Result<(), String> {
        // Folders outside of the project are given by their full path.
        let left = |folder: &str, is_left: &dyn Fn(&Path) -> bool| -> Vec<PathBuf> {
            let entries = fs::read_dir(self.project.root().join(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| is_left(path)).collect()
        };
        let named = |path: &Path, start: &str| path.file_name().unwrap().to_string_lossy().starts_with(start);
        let mut all = left(self.state().join("journal").to_str().unwrap(), &|path| {
            path.extension().is_some_and(|end| end == "json")
        });
        let work = self.env.work_of(self.project.root());
        all.extend(left(work.to_str().unwrap(), &|path| named(path, "work-")));
        all.extend(left(".git/objects", &|path| named(path, "tmp_")));
        all.extend(left(".git", &|path| named(path, "gephost-") || path.extension().is_some_and(|end| end == "lock")));
        for refs in [".git/refs/heads", ".git/refs/heads/evo"] {
            all.extend(left(refs, &|path| path.extension().is_some_and(|end| end == "lock")));
        }
        all.extend(left("app", &|path| named(path, ".gephost-")));
        if all.is_empty() { Ok(()) } else { Err(format!("files were left: {all:?}")) }
    }

    /// Checks that the log names exactly the existing branches, and that every intent has an outcome.
    fn check_log(&self) -> Result<(), String> {
        let (document, code) = self.env.json(self.project.root(), &["log"]);
        let entries = document["entries"].as_array().filter(|_| code == 0).ok_or("the log cannot be read")?;
        let kinds = |kind: &'static str| entries.iter().filter(move |entry| entry["entry"]["kind"] == kind);
        let named = |kind: &'static str, member: &'static str| {
            kinds(kind).filter_map(move |entry| Some(entry["entry"][member].as_str()?.to_owned()))
        };
        let mut logged: BTreeSet<String> = named("applied", "branch").collect();
        // A landed branch stays when it is undone. The commit that undoes it has its own branch.
        for entry in kinds("rolled_back").filter(|entry| entry["entry"]["revert_branch"].is_null()) {
            logged.remove(entry["entry"]["branch"].as_str().unwrap_or_default());
        }
        logged.extend(named("rolled_back", "revert_branch"));
        let existing: BTreeSet<String> = self.branches().into_iter().collect();
        if logged != existing {
            return Err(format!("the log names the branches {logged:?}, but there are {existing:?}"));
        }
        let pairs = [
            ("apply_intent", ["applied", "apply_failed"]),
            ("land_intent", ["landed", "land_failed"]),
            ("rollback_intent", ["rolled_back", "rollback_failed"]),
        ];
        for (intent, ends) in pairs {
            let ended: usize = ends.iter().map(|end| kinds(end).count()).sum();
            if kinds(intent).count() != ended {
                return Err(format!("{} {intent}, but {ended} outcomes", kinds(intent).count()));
            }
        }
        Ok(())
    }
}

fn programs() -> OsString {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = python().and_then(Path::parent).map(Path::to_owned).into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders).unwrap()
}

fn traced_calls() -> String {
    CALLS.map(|call| format!("?{call}")).join(",")
}

/// Copies with `cp`, which keeps modes, times and links.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(copied.success(), "cp failed");
}
