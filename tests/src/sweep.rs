//! Kills an act that changes a project, or makes a system call of it fail, at one chosen point, and checks what must hold
//! afterwards: the person's files are as they were, a branch is complete or not there, what lands has landed whole or not
//! at all, no acknowledged entry of the log is lost, and the next start works and cleans.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::environment::{Ran, TestEnv, gephost};
use crate::power_cut::{self, Disk};
use crate::project::TestProject;

/// The system calls that change something, and the one that opens. Names that a machine lacks are passed over (`?`).
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
/// What fails is not run again, so that a point takes half as long; there are thousands.
const CONFIG: &str = "[policy]\nallow = [\"app/\"]\n[validation]\ncommands = [\"python3 -m unittest\"]\nreruns = 0\n[apply]\nenabled \
                      = true\nauthor_name = \"sweep\"\n";
const TEST: &str = "import unittest\nfrom app.value import VALUE\n\n\nclass Check(unittest.TestCase):\n    def \
                    test_value(self):\n        self.assertEqual(VALUE, 2)\n";
const CHANGE: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n";
/// What the next start applies.
const NEXT: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1,2 @@\n-VALUE = 1\n+# Next.\n+VALUE = 2\n";

/// What is harmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// An apply, which touches no file of the person's.
    Apply,
    /// An apply that lands.
    Land,
    /// The undoing of what has landed, which lands too.
    Undo,
}

impl Act {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Apply, Self::Land, Self::Undo];

    fn command(self) -> &'static [&'static str] {
        match self {
            Self::Apply => &["apply", "change.diff", "--apply"],
            Self::Land => &["apply", "change.diff", "--apply", "--land"],
            Self::Undo => &["undo", "--land"],
        }
    }

    /// What the next start does.
    fn next(self) -> &'static [&'static str] {
        match self {
            Self::Apply => &["apply", "next.diff", "--apply"],
            Self::Land | Self::Undo => &["undo", "--land"],
        }
    }

    /// The file with an edit that nobody has committed.
    fn edited(self) -> (&'static str, &'static str) {
        match self {
            Self::Apply => ("app/value.py", "VALUE = 1\n# An edit that nobody has committed.\n"),
            Self::Land | Self::Undo => ("notes.txt", "An edit that nobody has committed.\n"),
        }
    }
}

/// What is done to the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Harm {
    /// It is killed when it makes the call.
    Kill,
    /// The call fails with `EIO`.
    Eio,
    /// The call fails with `ENOSPC`.
    Enospc,
}

/// Where, and what.
#[derive(Debug, Clone, Hash)]
pub enum Point {
    /// At the n-th call of this name that the main thread makes, from 1.
    Call(&'static str, u32, Harm),
    /// At the n-th call of this name of every thread and every descendant, from 1.
    Followed(&'static str, u32, Harm),
    /// Killed after so many microseconds, in whatever thread.
    Time(u64),
}

/// A repository, a home and what they were before, to be harmed again and again.
#[derive(Debug)]
pub struct Sweep {
    act: Act,
    env: TestEnv,
    project: TestProject,
    template: tempfile::TempDir,
    /// Where programs are looked for: Python's own folder first. What a version manager puts before it makes thousands of
    /// calls of its own.
    programs: OsString,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sweep {
    /// Prepares it; `None` where there is no strace or no python3.
    pub fn new(act: Act) -> Option<Self> {
        if !["strace", "python3"].into_iter().all(crate::is_installed) {
            return None;
        }
        let env = TestEnv::new();
        let programs = programs(&env);
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
        let (edited, text) = act.edited();
        project.write(edited, text);
        project.git(&env, &["config", "gc.auto", "0"]);
        // So that the log has entries that can be lost.
        env.run(project.root(), &["record", "--", "true"]).expect_code(0);
        if act == Act::Undo {
            env.run(project.root(), Act::Land.command()).expect_code(0);
        }
        let before = project.fingerprint();
        let template = tempfile::tempdir().unwrap();
        let sweep = Self { act, env, project, template, programs, before };
        copy(sweep.project.root(), &sweep.template.path().join("project"));
        copy(sweep.env.home(), &sweep.template.path().join("home"));
        Some(sweep)
    }

    /// Every point: each of the calls that the act makes, with each harm that it can take.
    pub fn points(&self) -> Vec<Point> {
        self.restore();
        let trace = self.template.path().join("trace");
        let mut command = self.strace(&["-f", "-o", trace.to_str().unwrap(), "-e", &format!("trace={}", listed())]);
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        // By thread, the first of which is the main one.
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
        let harms = [Harm::Kill, Harm::Eio, Harm::Enospc];
        let mut points = Vec::new();
        for call in CALLS {
            let of = |counts: &BTreeMap<&str, u32>| counts.get(call).copied().unwrap_or(0);
            let main = counts.first().map_or(0, |(_, counts)| of(counts));
            // What a compiler's or a test runner's files are opened for is not ours to keep.
            let most =
                counts.iter().map(|(_, counts)| of(counts)).max().filter(|_| !call.starts_with("openat")).unwrap_or(0);
            points.extend((1..=main).flat_map(|at| harms.map(|harm| Point::Call(call, at, harm))));
            points.extend((1..=most).flat_map(|at| harms.map(|harm| Point::Followed(call, at, harm))));
        }
        points
    }

    /// Harms the act at one point and checks; the error says what does not hold.
    pub fn check(&self, point: &Point) -> Result<(), String> {
        self.restore();
        let ran = self.harm(point);
        let context =
            |what: &str| format!("{:?} {point:?}: {what}\nexit {}\n{}{}", self.act, ran.code, ran.stdout, ran.stderr);
        if ![-1, 0, 1, 2, 5, 6, 137].contains(&ran.code) {
            return Err(context("it ended in an unforeseen way"));
        }
        let branches = self.branches();
        if ran.code == 0 && self.act != Act::Undo && branches.is_empty() {
            return Err(context("it said that a branch is published, and none is there"));
        }
        self.after_cut().map_err(|what| context(&what))
    }

    /// Checks the project as an act left it that was cut, and then its next start.
    pub fn after_cut(&self) -> Result<(), String> {
        let after = self.theirs();
        let may_move = |path: &Path| {
            self.act != Act::Apply
                && ["app/value.py", ".git/index", ".git/refs/heads/main", ".git/logs"]
                    .iter()
                    .any(|own| path.starts_with(own))
        };
        let differs = |path: &&PathBuf| self.before.get(*path) != after.get(*path) && !may_move(path);
        if let Some(path) = self.before.keys().chain(after.keys()).find(differs) {
            return Err(format!("the person's file {} has changed", path.display()));
        }
        let value = after.get(Path::new("app/value.py")).cloned().unwrap_or_default();
        if self.act != Act::Apply && ![b"VALUE = 1\n", b"VALUE = 2\n"].iter().any(|whole| **whole == value[..]) {
            return Err(format!("half of a file is there: {value:?}"));
        }
        self.complete(&self.branches())?;
        let acknowledged = self.acknowledged();
        let next = Ran::of(self.command(gephost()).args(self.act.next()).output().unwrap());
        let also = |what: &str| format!("{what}\nnext start: exit {}\n{}{}", next.code, next.stdout, next.stderr);
        if next.code != 0 {
            return Err(also("the next start does not work"));
        }
        self.whole().and_then(|()| self.clean()).map_err(|what| also(&what))?;
        let lines = self.log_lines();
        if lines.get(..acknowledged.len()) != Some(acknowledged.as_slice()) {
            return Err(also("an acknowledged entry of the log is lost"));
        }
        self.told().map_err(|what| also(&what))
    }

    /// Replays every EVERY-th prefix of the act's synced writes, from the OFFSET-th on: what is on disk when the power goes
    /// right after it, with everything lost that was not synced. Gives how many there are and how many were tried.
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
                broken = self.after_cut().err().map(|what| format!("{:?}, after sync {prefixes}: {what}", self.act));
                tried += 1;
            }
            prefixes += 1;
        });
        broken.map_or(Ok((prefixes, tried)), Err)
    }

    /// Whether the checkout is one thing with its branch again, and the edit that nobody has committed is there.
    fn whole(&self) -> Result<(), String> {
        if self.act == Act::Apply {
            let same = self.project.fingerprint() == self.before;
            return if same {
                Ok(())
            } else {
                Err("something is left, or has changed, after the next start".to_owned())
            };
        }
        let (edited, text) = self.act.edited();
        let status = self.project.git(&self.env, &["status", "--porcelain"]);
        if status != format!(" M {edited}\n") || fs::read_to_string(self.project.root().join(edited)).unwrap() != text {
            return Err(format!("the checkout is not as its branch: {status}"));
        }
        let value = fs::read_to_string(self.project.root().join("app/value.py")).unwrap();
        // What could not be landed is on a branch; what was to be undone may stand then.
        if self.act == Act::Land && value != "VALUE = 1\n" {
            return Err(format!("the landing was not undone: {value}"));
        }
        Ok(())
    }

    /// An apply that was killed when its branch was there and the log did not say so yet: at the first `fsync` after it.
    pub fn cut_after_publishing(&self) -> (&TestEnv, &Path) {
        let is_fsync = |point: &&Point| matches!(point, Point::Call("fsync", _, Harm::Kill));
        let count = u32::try_from(self.points().iter().filter(is_fsync).count()).unwrap();
        let published_at = |at: u32| {
            self.restore();
            self.harm(&Point::Call("fsync", at, Harm::Kill));
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
        command.args(options).arg(gephost()).args(self.act.command());
        command
    }

    fn harm(&self, point: &Point) -> Ran {
        match point {
            Point::Call(call, at, harm) => self.inject(&[], call, *at, *harm),
            // With a filter in the kernel only the calls of this name are stopped at.
            Point::Followed(call, at, harm) => self.inject(&["-f", "--seccomp-bpf"], call, *at, *harm),
            Point::Time(microseconds) => {
                let mut command = self.command(gephost());
                let null = std::process::Stdio::null;
                let mut child = command.args(self.act.command()).stdout(null()).stderr(null()).spawn().unwrap();
                std::thread::sleep(Duration::from_micros(*microseconds));
                let _ = child.kill();
                let status = child.wait().unwrap();
                Ran { code: status.code().unwrap_or(-1), stdout: String::new(), stderr: String::new() }
            }
        }
    }

    fn inject(&self, options: &[&str], call: &str, at: u32, harm: Harm) -> Ran {
        let what = match harm {
            Harm::Kill => "signal=KILL",
            Harm::Eio => "error=EIO",
            Harm::Enospc => "error=ENOSPC",
        };
        let (inject, trace) = (format!("inject={call}:{what}:when={at}"), format!("trace={call}"));
        let mut all = options.to_vec();
        all.extend(["-o", "/dev/null", "-e", &trace, "-e", &inject]);
        Ran::of(self.strace(&all).output().unwrap())
    }

    /// The person's files, without what the next start has still to clean away: files with our mark, and locks.
    fn theirs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
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

    /// Whether each branch holds the whole change and nothing else.
    fn complete(&self, branches: &[String]) -> Result<(), String> {
        for branch in branches {
            let names = self.project.git(&self.env, &["diff", "--name-only", &format!("{branch}^"), branch]);
            let value = self.project.git(&self.env, &["show", &format!("{branch}:app/value.py")]);
            let wanted = if branch.contains("revert") { "VALUE = 1\n" } else { "VALUE = 2\n" };
            if names != "app/value.py\n" || !value.ends_with(wanted) {
                return Err(format!("branch {branch} is not the change: {names}{value}"));
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

    /// The lines of the log that its head vouches for.
    fn acknowledged(&self) -> Vec<String> {
        let text = fs::read_to_string(self.state().join("head.json")).unwrap();
        let head: Value = serde_json::from_str(&text).unwrap();
        let count = head["head"]["entries"].as_u64().unwrap();
        let mut lines = self.log_lines();
        assert!(lines.len() as u64 >= count, "the head vouches for {count} entries, and {} are there", lines.len());
        lines.truncate(usize::try_from(count).unwrap());
        lines
    }

    /// Whether nothing of ours is left.
    fn clean(&self) -> Result<(), String> {
        // A folder of gephost's own is given by its whole path.
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
        if all.is_empty() { Ok(()) } else { Err(format!("left behind: {all:?}")) }
    }

    /// Whether the log tells of the branches that are there and of no others, and every intent has its end.
    fn told(&self) -> Result<(), String> {
        let (document, code) = self.env.json(self.project.root(), &["log"]);
        let entries = document["entries"].as_array().filter(|_| code == 0).ok_or("the log cannot be read")?;
        let kinds = |kind: &'static str| entries.iter().filter(move |entry| entry["entry"]["kind"] == kind);
        let named = |kind: &'static str, member: &'static str| {
            kinds(kind).filter_map(move |entry| Some(entry["entry"][member].as_str()?.to_owned()))
        };
        let mut told: BTreeSet<String> = named("applied", "branch").collect();
        // A branch that has landed stays when it is undone, beside that of the commit that undoes it.
        for entry in kinds("rolled_back").filter(|entry| entry["entry"]["revert_branch"].is_null()) {
            told.remove(entry["entry"]["branch"].as_str().unwrap_or_default());
        }
        told.extend(named("rolled_back", "revert_branch"));
        let there: BTreeSet<String> = self.branches().into_iter().collect();
        if told != there {
            return Err(format!("the log tells of {told:?}, and there are {there:?}"));
        }
        let pairs = [
            ("apply_intent", ["applied", "apply_failed"]),
            ("land_intent", ["landed", "land_failed"]),
            ("rollback_intent", ["rolled_back", "rollback_failed"]),
        ];
        for (intent, ends) in pairs {
            let ended: usize = ends.iter().map(|end| kinds(end).count()).sum();
            if kinds(intent).count() != ended {
                return Err(format!("{} {intent}, and {ended} have ended", kinds(intent).count()));
            }
        }
        Ok(())
    }
}

fn programs(env: &TestEnv) -> OsString {
    let asked = env.command("python3", env.home()).args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let python = PathBuf::from(String::from_utf8(asked.stdout).unwrap().trim_end());
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = python.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders).unwrap()
}

fn listed() -> String {
    CALLS.map(|call| format!("?{call}")).join(",")
}

/// With `cp`, for modes, times and links.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap();
    assert!(copied.success(), "cp failed");
}
