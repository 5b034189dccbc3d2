//! Kills an apply, or makes a system call of it fail, at one chosen point, and checks what must hold afterwards: the
//! person's files are as they were, a branch is complete or not there, no acknowledged entry of the log is lost, and the
//! next start works and cleans.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::environment::{Ran, TestEnv, gephost};
use crate::project::TestProject;

/// The system calls that change something, and the one that opens. Names that a machine lacks are passed over (`?`).
const CALLS: [&str; 17] = [
    "openat",
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
const CONFIG: &str = "[policy]\nallow = [\"app/\"]\n[validation]\ncommands = [\"python3 -m unittest\"]\n[apply]\nenabled = \
                      true\nauthor_name = \"sweep\"\n";
const TEST: &str = "import unittest\nfrom app.value import VALUE\n\n\nclass Check(unittest.TestCase):\n    def \
                    test_value(self):\n        self.assertEqual(VALUE, 2)\n";
const CHANGE: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n";
/// What the next start applies.
const NEXT: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1,2 @@\n-VALUE = 1\n+# Next.\n+VALUE = 2\n";

/// What is done to the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harm {
    /// It is killed when it makes the call.
    Kill,
    /// The call fails with `EIO`.
    Eio,
    /// The call fails with `ENOSPC`.
    Enospc,
}

/// Where, and what.
#[derive(Debug, Clone)]
pub enum Point {
    /// At the n-th call of this name that the main thread makes, from 1.
    Call(&'static str, u32, Harm),
    /// Killed after so many microseconds, in whatever thread.
    Time(u64),
}

/// A repository, a home and what they were before, to be harmed again and again.
#[derive(Debug)]
pub struct Sweep {
    env: TestEnv,
    project: TestProject,
    template: tempfile::TempDir,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Sweep {
    /// Prepares it; `None` where there is no strace or no python3.
    pub fn new() -> Option<Self> {
        for (program, flag) in [("strace", "-V"), ("python3", "-V")] {
            if !Command::new(program).arg(flag).output().is_ok_and(|ran| ran.status.success()) {
                crate::skipped(&format!("{program} is not installed"));
                return None;
            }
        }
        let env = TestEnv::new();
        let project = TestProject::new(
            &env,
            &[
                ("gephost.toml", CONFIG),
                ("app/__init__.py", ""),
                ("app/value.py", "VALUE = 1\n"),
                ("test_value.py", TEST),
            ],
        );
        project.write("change.diff", CHANGE);
        project.write("next.diff", NEXT);
        project.write("app/value.py", "VALUE = 1\n# An edit that nobody has committed.\n");
        project.git(&env, &["config", "gc.auto", "0"]);
        // So that the log has entries that can be lost.
        env.run(project.root(), &["record", "--", "true"]).expect_code(0);
        let before = project.fingerprint();
        let template = tempfile::tempdir().unwrap();
        let sweep = Self { env, project, template, before };
        copy(sweep.project.root(), &sweep.template.path().join("project"));
        copy(sweep.env.home(), &sweep.template.path().join("home"));
        Some(sweep)
    }

    /// Every point: each of the calls that an apply makes, with each harm that it can take.
    pub fn points(&self) -> Vec<Point> {
        self.restore();
        let trace = self.template.path().join("trace");
        let mut command = self.strace(&["-o", trace.to_str().unwrap(), "-e", &format!("trace={}", listed())]);
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for line in fs::read_to_string(&trace).unwrap().lines() {
            if let Some(call) = CALLS.iter().find(|call| line.starts_with(&format!("{call}("))) {
                *counts.entry(call).or_default() += 1;
            }
        }
        let harms = [Harm::Kill, Harm::Eio, Harm::Enospc];
        let of_call = |(call, count): (&&'static str, &u32)| {
            let call = *call;
            (1..=*count).flat_map(move |at| harms.map(move |harm| Point::Call(call, at, harm))).collect::<Vec<_>>()
        };
        let mut points = Vec::new();
        for call in CALLS {
            if let Some(count) = counts.get(call) {
                points.extend(of_call((&call, count)));
            }
        }
        points
    }

    /// Harms an apply at one point and checks; the error says what does not hold.
    pub fn check(&self, point: &Point) -> Result<(), String> {
        self.restore();
        let ran = self.harm(point);
        let context = |what: &str| format!("{point:?}: {what}\nexit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
        if ![-1, 0, 1, 2, 5, 6, 70, 137].contains(&ran.code) || ran.code == 70 {
            return Err(context("it ended in an unforeseen way"));
        }
        if self.theirs() != self.before {
            return Err(context("the person's files have changed"));
        }
        let branches = self.branches();
        self.complete(&branches).map_err(|what| context(&what))?;
        if ran.code == 0 && branches.is_empty() {
            return Err(context("it said that a branch is published, and none is there"));
        }
        let acknowledged = self.acknowledged();
        let next = self.env.run(self.project.root(), &["apply", "next.diff", "--apply"]);
        let also =
            |what: &str| format!("{}\nnext start: exit {}\n{}{}", context(what), next.code, next.stdout, next.stderr);
        if next.code != 0 {
            return Err(also("the next start does not work"));
        }
        if self.project.fingerprint() != self.before {
            return Err(also("something is left, or has changed, after the next start"));
        }
        self.clean().map_err(|what| also(&what))?;
        let lines = self.log_lines();
        if lines.get(..acknowledged.len()) != Some(acknowledged.as_slice()) {
            return Err(also("an acknowledged entry of the log is lost"));
        }
        self.told().map_err(|what| also(&what))
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

    fn strace(&self, options: &[&str]) -> Command {
        let mut command = self.env.command("strace", self.project.root());
        command.args(options).arg(gephost()).args(["apply", "change.diff", "--apply"]);
        command
    }

    fn harm(&self, point: &Point) -> Ran {
        match point {
            Point::Call(call, at, harm) => {
                let what = match harm {
                    Harm::Kill => "signal=KILL",
                    Harm::Eio => "error=EIO",
                    Harm::Enospc => "error=ENOSPC",
                };
                let inject = format!("inject={call}:{what}:when={at}");
                let trace = format!("trace={call}");
                Ran::of(self.strace(&["-o", "/dev/null", "-e", &trace, "-e", &inject]).output().unwrap())
            }
            Point::Time(microseconds) => {
                let mut command = self.env.command(gephost(), self.project.root());
                let null = std::process::Stdio::null;
                let mut child =
                    command.args(["apply", "change.diff", "--apply"]).stdout(null()).stderr(null()).spawn().unwrap();
                std::thread::sleep(Duration::from_micros(*microseconds));
                let _ = child.kill();
                let status = child.wait().unwrap();
                Ran { code: status.code().unwrap_or(-1), stdout: String::new(), stderr: String::new() }
            }
        }
    }

    /// The person's files, without what the next start has still to clean away: files with our mark, and locks.
    fn theirs(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = self.project.fingerprint();
        files.retain(|path, _| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            !(path.starts_with(".git") && (name.starts_with("gephost-") || name.ends_with(".lock")))
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
            let names = self.project.git(&self.env, &["diff", "--name-only", "main", branch]);
            let value = self.project.git(&self.env, &["show", &format!("{branch}:app/value.py")]);
            if names != "app/value.py\n" || !value.ends_with("VALUE = 2\n") {
                return Err(format!("branch {branch} is not the change: {names}{value}"));
            }
        }
        self.project.git(&self.env, &["fsck", "--connectivity-only", "--no-dangling"]);
        Ok(())
    }

    fn log_lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.project.root().join(".gephost/log.jsonl")).unwrap_or_default();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// The lines of the log that its head vouches for.
    fn acknowledged(&self) -> Vec<String> {
        let heads = fs::read_dir(self.env.home().join(".local/state/gephost/heads")).unwrap();
        let text = heads.flatten().map(|entry| entry.path()).find(|path| !is_temporary(path));
        let text = fs::read_to_string(text.expect("the head of the log")).unwrap();
        let head: Value = serde_json::from_str(&text).unwrap();
        let count = head["head"]["entries"].as_u64().unwrap();
        let mut lines = self.log_lines();
        assert!(lines.len() as u64 >= count, "the head vouches for {count} entries, and {} are there", lines.len());
        lines.truncate(usize::try_from(count).unwrap());
        lines
    }

    /// Whether nothing of ours is left.
    fn clean(&self) -> Result<(), String> {
        let left = |folder: &str, is_left: &dyn Fn(&Path) -> bool| -> Vec<PathBuf> {
            let entries = fs::read_dir(self.project.root().join(folder)).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|path| is_left(path)).collect()
        };
        let named = |path: &Path, start: &str| path.file_name().unwrap().to_string_lossy().starts_with(start);
        let mut all = left(".gephost/journal", &|path| path.extension().is_some_and(|end| end == "json"));
        all.extend(left(".gephost/work", &|path| path.is_dir()));
        all.extend(left(".git/objects", &|path| named(path, "tmp_")));
        all.extend(left(".git", &|path| named(path, "gephost-") || path.extension().is_some_and(|end| end == "lock")));
        all.extend(left(".git/refs/heads/evo", &|path| path.extension().is_some_and(|end| end == "lock")));
        if all.is_empty() { Ok(()) } else { Err(format!("left behind: {all:?}")) }
    }

    /// Whether the log tells of the branches that are there, and of no others.
    fn told(&self) -> Result<(), String> {
        let (document, code) = self.env.json(self.project.root(), &["log"]);
        let entries = document["entries"].as_array().filter(|_| code == 0).ok_or("the log cannot be read")?;
        let kinds = |kind: &'static str| entries.iter().filter(move |entry| entry["entry"]["kind"] == kind);
        let applied: BTreeSet<String> =
            kinds("applied").filter_map(|entry| Some(entry["entry"]["branch"].as_str()?.to_owned())).collect();
        let there: BTreeSet<String> = self.branches().into_iter().collect();
        let ended = kinds("applied").count() + kinds("apply_failed").count();
        if applied != there || kinds("apply_intent").count() != ended {
            return Err(format!("the log tells of {applied:?}, and there are {there:?}; {ended} applies have ended"));
        }
        Ok(())
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
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
