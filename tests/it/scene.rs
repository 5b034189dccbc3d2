//! What the black-box tests start from: the quickstart in a repository of its own, and small Python projects.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use serde_json::Value;

/// The quickstart's files, with this `gephost.toml` where one is given, in a repository of its own.
pub(crate) fn quickstart(env: &TestEnv, config: Option<&str>) -> TestProject {
    let project = TestProject::without_git(&[]);
    copy(&repository().join("examples/quickstart"), project.root());
    if let Some(config) = config {
        project.write("gephost.toml", config);
    }
    project.git(env, &["init", "-q", "-b", "main"]);
    project.commit_all(env);
    project
}

/// A session in which a program is missing.
pub(crate) const MISSING_PROGRAM: &str = concat!(
    r#"{"timestamp":"2026-02-18T10:00:00Z","session_key":"another","event_type":"tool_end","tool_name":"Bash","#,
    r#""duration_ms":1.0,"success":false,"error":"bash: line 1: rg: command not found","preview":null,"input":"rg x"}"#,
    "\n"
);

/// Whether `python3` is there to run the quickstart's checks; says that the test is skipped where it is not.
pub(crate) fn python() -> bool {
    gephost_tests::is_installed("python3")
}

/// A config for the quickstart, with these validation commands in it.
pub(crate) fn validated_by(commands: &str) -> String {
    format!(
        "[policy]\nallow = [\"inventory/\"]\n[observe]\nlogs = [\"logs/\"]\n[validation]\ncommands = \
         [{commands}]\n[apply]\nenabled = true\n"
    )
}

/// The test of [`value_project`]: it fails until a value is 2.
pub(crate) const VALUE_TEST: &str = "import unittest\nfrom app.value import VALUE\n\n\nclass Check(unittest.TestCase):\n    def \
                                     test_value(self):\n        self.assertEqual(VALUE, 2)\n";

/// The config of [`value_project`], with more lines for its last table, `[apply]`.
pub(crate) fn value_config(apply: &str) -> String {
    format!(
        "[policy]\nallow = [\"app/\"]\n[validation]\ncommands = [\"python3 -m unittest\"]\n[apply]\nenabled = true\n{apply}"
    )
}

/// A project with a test that fails until a value changes, and `change.diff` that changes it. `None` without python3.
pub(crate) fn value_project(env: &TestEnv, apply: &str) -> Option<TestProject> {
    if !python() {
        return None;
    }
    let config = value_config(apply);
    let project = TestProject::new(
        env,
        &[
            ("gephost.toml", &config),
            ("app/__init__.py", ""),
            ("app/value.py", "VALUE = 1\n"),
            ("test_value.py", VALUE_TEST),
            (".gitignore", "__pycache__/\n"),
        ],
    );
    project.write("change.diff", "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n");
    Some(project)
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (name, target) = (entry.file_name(), to.join(entry.file_name()));
        if name == ".gephost" || name == "__pycache__" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Waits until a validation command has made the file `started` in its work copy: no other place is its own.
pub(crate) fn wait_for_start(env: &TestEnv, project: &TestProject) {
    let began = Instant::now();
    while !holds_started(&env.work_of(project.root())) {
        assert!(began.elapsed() < Duration::from_secs(60), "validation never started");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn holds_started(folder: &Path) -> bool {
    // Files come and go meanwhile.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = entries.map(|entry| entry.path());
    found.any(|path| path.ends_with("started") || (path.is_dir() && !path.is_symlink() && holds_started(&path)))
}

/// The branches that gephost published, as git lists them.
pub(crate) fn published(env: &TestEnv, project: &TestProject) -> Vec<String> {
    let listed = project.git(env, &["for-each-ref", "--format=%(refname:short)", "refs/heads/evo"]);
    listed.lines().map(str::to_owned).collect()
}

/// Runs a command on a branch, in a clone of its own.
pub(crate) fn on_branch(env: &TestEnv, project: &TestProject, branch: &str, command: &[&str]) -> Ran {
    let clone = TestProject::without_git(&[]);
    let source = project.root().to_str().unwrap();
    clone.git(env, &["clone", "-q", "--branch", branch, source, "clone"]);
    let (program, arguments) = command.split_first().unwrap();
    let mut command = env.command(program, &clone.root().join("clone"));
    Ran::of(command.args(arguments).output().unwrap())
}

/// The entries of the project's log, as `gephost log --json` gives them.
pub(crate) fn log_entries(env: &TestEnv, project: &TestProject) -> Vec<Value> {
    let (document, code) = env.json(project.root(), &["log"]);
    assert_eq!(code, 0, "{document}");
    let entries = document["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["entry"].clone()).collect()
}

/// How many entries of a kind the log has.
pub(crate) fn logged(env: &TestEnv, project: &TestProject, kind: &str) -> usize {
    log_entries(env, project).iter().filter(|entry| entry["kind"] == kind).count()
}
