//! Folders of dependencies that git does not track: validation commands find them without configuration, at every level,
//! and test the sources of the work copy. What cannot be shown is said, with the line that shows it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use gephost_core::validation::Level;
use gephost_tests::environment::{Ran, TestEnv, make_program};
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use serde_json::Value;

use super::levels;

/// Makes a value 2 in a file.
fn change(file: &str) -> String {
    format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n")
}

fn config(level: &str, command: &str, more: &str) -> String {
    format!(
        "[policy]\nallow = [\"**\"]\n{more}[apply]\nenabled = true\n[validation]\nsandbox = \"{level}\"\ncommands = [{command}]\n"
    )
}

/// A project with a package in `src`, installed in a virtual environment as pip's `-e` does, beside a package of others.
struct PythonProject {
    env: TestEnv,
    project: TestProject,
}

const PYTHON_TEST: &str = "import shutil\nimport subprocess\nimport unittest\n\nimport dep\nimport own\n\n\nclass Check(unittest.TestCase):\n    \
     def test_value(self):\n        self.assertEqual(own.VALUE, 2)\n        self.assertEqual(dep.SEVEN, 7)\n        \
     tool = subprocess.run([shutil.which(\"own-tool\")], capture_output=True, text=True)\n        \
     self.assertEqual(tool.stdout, \"2\\n\")\n";

impl PythonProject {
    fn new(config: &str) -> Option<Self> {
        if !crate::scene::python() {
            return None;
        }
        let env = TestEnv::new();
        let project = TestProject::new(
            &env,
            &[
                ("gephost.toml", config),
                ("src/own.py", "VALUE = 1\n"),
                ("tests/test_own.py", PYTHON_TEST),
                (".gitignore", ".venv/\n__pycache__/\nchange.diff\n"),
            ],
        );
        project.write("change.diff", &change("src/own.py"));
        let root = project.root().canonicalize().unwrap();
        let made = env.command("python3", &root).args(["-m", "venv", "--without-pip", ".venv"]).output().unwrap();
        if !made.status.success() {
            skipped("python3 has no module venv");
            return None;
        }
        let packages = packages(&root.join(".venv"));
        fs::write(packages.join("dep.py"), "SEVEN = 7\n").unwrap();
        fs::write(packages.join("__editable__.own.pth"), format!("{}\n", root.join("src").display())).unwrap();
        let python = root.join(".venv/bin/python3");
        let tool = root.join(".venv/bin/own-tool");
        make_program(&tool, format!("#!{}\nimport own\nprint(own.VALUE)\n", python.display()).as_bytes());
        Some(Self { env, project })
    }

    fn apply(&self) -> (Value, String) {
        apply(&self.env, &self.project)
    }
}

fn packages(venv: &Path) -> std::path::PathBuf {
    let versions = fs::read_dir(venv.join("lib")).unwrap();
    versions.map(|version| version.unwrap().path().join("site-packages")).find(|packages| packages.is_dir()).unwrap()
}

/// The document of what was applied, and what else was printed.
fn apply(env: &TestEnv, project: &TestProject) -> (Value, String) {
    let before = project.fingerprint();
    let ran = env.run(project.root(), &["--json", "apply", "change.diff", "--apply"]);
    assert_eq!(project.fingerprint(), before, "the checkout, with the dependencies in it, was changed");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
    (document["applied"].clone(), ran.stderr)
}

#[test]
fn a_virtual_environment_is_found_and_the_work_copys_sources_win() {
    for level in levels() {
        let text = config(level.as_str(), "\"python3 -m unittest discover -s tests\"", "");
        let Some(python) = PythonProject::new(&text) else { return };
        let (applied, notes) = python.apply();
        assert_eq!(applied["decision"], "fixed", "{level}: {applied:#} {notes}");
        assert!(!notes.contains("warning"), "{level}: {notes}");
    }
}

#[test]
fn a_command_that_was_recorded_in_an_environment_runs_in_it() {
    let Some(python) = PythonProject::new(&config("auto", "", "")) else { return };
    let root = python.project.root().canonicalize().unwrap();
    let venv = root.join(".venv");
    fs::create_dir(root.join("tests/deep")).unwrap();
    // An activated one, in a folder of the project.
    let path = std::env::join_paths(
        [venv.join("bin")].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut record = python.env.command(gephost_tests::environment::gephost(), &root.join("tests"));
    record.args(["record", "--", "python3", "-m", "unittest", "test_own"]);
    record.env("VIRTUAL_ENV", &venv).env("PATH", path.unwrap());
    Ran::of(record.output().unwrap()).expect_code(1);
    let (log, _) = python.env.json(&root, &["log"]);
    let entries = log["entries"].as_array().unwrap();
    let run = entries.iter().find_map(|entry| entry["entry"].get("run")).unwrap();
    assert_eq!((&run["folder"], &run["environment"]), (&"tests".into(), &".venv".into()));
    assert_eq!(run["exit_code"], 1);
    assert!(run["error"].as_str().unwrap().contains("1 != 2"), "{run}");
}

#[test]
fn what_the_policy_denies_is_not_shown_and_the_line_that_shows_it_works() {
    let command = "\"python3 -m unittest discover -s tests\"";
    let denied = config("auto", command, "deny = [\".venv/\"]\n");
    let Some(python) = PythonProject::new(&denied) else { return };
    let (applied, notes) = python.apply();
    assert_eq!(applied["decision"], "cannot_run", "{applied:#} {notes}");
    let error = applied["errors"][0].as_str().unwrap();
    assert!(error.starts_with("cannot run here: `python3 -m unittest discover -s tests`: "), "{error}");
    assert!(error.contains("No module named 'dep'"), "{error}");
    let page = python.env.run(python.project.root(), &["apply", "change.diff", "--apply"]).stdout;
    assert!(page.contains("to go on: install what the command misses"), "{page}");
    let line = notes.split_once("then `gephost trust`: ").expect("a line to add").1.lines().next().unwrap();
    assert_eq!(line, "caches = [\".venv\"]");
    python.project.write("gephost.toml", &format!("{denied}{line}\n"));
    python.project.commit_all(&python.env);
    let (applied, notes) = python.apply();
    assert_eq!(applied["decision"], "fixed", "{applied:#} {notes}");
}

#[test]
fn a_link_that_leads_out_is_not_followed_and_the_line_that_shows_it_works() {
    if !levels().contains(&Level::L1) {
        return;
    }
    let text = config("required:L1", "\"python3 -m unittest discover -s tests\"", "");
    let Some(python) = PythonProject::new(&text) else { return };
    let elsewhere = TestProject::without_git(&[]);
    let (venv, moved) = (python.project.root().join(".venv"), elsewhere.root().join("venv"));
    let copied = python.env.command("cp", elsewhere.root()).arg("-a").args([&venv, &moved]).status().unwrap();
    assert!(copied.success());
    fs::remove_dir_all(&venv).unwrap();
    symlink(&moved, &venv).unwrap();
    let (applied, notes) = python.apply();
    assert_eq!(applied["decision"], "cannot_run", "{applied:#} {notes}");
    let line = notes.split_once("then `gephost trust`: ").expect("a line to add").1.lines().next().unwrap();
    assert!(line.starts_with("read = ["), "{line}");
    python.project.write("gephost.toml", &format!("{text}{line}\n"));
    // A pattern for folders does not cover the link.
    python.project.write(".gitignore", ".venv\n__pycache__/\nchange.diff\n");
    python.project.commit_all(&python.env);
    let (applied, notes) = python.apply();
    assert_eq!(applied["decision"], "fixed", "{applied:#} {notes}");
}

#[test]
fn a_change_cannot_put_files_beside_the_dependencies() {
    let Some(python) = PythonProject::new(&config("auto", "\"python3 -m unittest discover -s tests\"", "")) else {
        return;
    };
    python.project.write("change.diff", "--- /dev/null\n+++ b/.venv/note.txt\n@@ -0,0 +1 @@\n+1\n");
    let ran = python.env.run(python.project.root(), &["apply", "change.diff", "--apply"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    assert!(crate::scene::published(&python.env, &python.project).is_empty());
}

/// Packages of a workspace are links in `node_modules`, and one of them has an older dependency of its own.
#[test]
fn node_modules_of_a_workspace_lead_to_the_work_copys_packages() {
    if !gephost_tests::is_installed("node") {
        return;
    }
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\ntest('value', () => {\n  \
                assert.equal(require('@own/lib')(), 2);\n  assert.equal(require('dep'), 1);\n});\n";
    for level in levels() {
        let env = TestEnv::new();
        let library = "packages/lib/value.js";
        let project = TestProject::new(
            &env,
            &[
                ("gephost.toml", &config(level.as_str(), "\"node --test packages/app/\"", "")),
                (".gitignore", "node_modules/\nchange.diff\n"),
                ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
                ("packages/lib/package.json", r#"{"name": "@own/lib", "main": "index.js"}"#),
                (library, "VALUE = 1\n"),
                (
                    "packages/lib/index.js",
                    "require('./value.js');\nmodule.exports = () => VALUE + require('dep') - 7;\n",
                ),
                ("packages/app/app.test.js", test),
            ],
        );
        project.write("node_modules/dep/index.js", "module.exports = 7;\n");
        project.write("packages/app/node_modules/dep/index.js", "module.exports = 1;\n");
        fs::create_dir(project.root().join("node_modules/@own")).unwrap();
        symlink("../../packages/lib", project.root().join("node_modules/@own/lib")).unwrap();
        project.write("change.diff", &change(library));
        let (applied, notes) = apply(&env, &project);
        assert_eq!(applied["decision"], "fixed", "{level}: {applied:#} {notes}");
    }
}

/// The project is one package of a workspace: what all packages share lies above it, at the repository's root.
#[test]
fn node_modules_above_the_project_are_shown() {
    if !gephost_tests::is_installed("node") {
        return;
    }
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\ntest('value', () => {\n  \
                require('./value.js');\n  assert.equal(VALUE + require('dep') + require('@own/lib'), 12);\n});\n";
    for level in levels() {
        let env = TestEnv::new();
        let app = "packages/app";
        let project = TestProject::new(
            &env,
            &[
                (".gitignore", "node_modules/\nchange.diff\n"),
                (&format!("{app}/gephost.toml"), &config(level.as_str(), "\"node --test\"", "")),
                (&format!("{app}/value.js"), "VALUE = 1\n"),
                (&format!("{app}/app.test.js"), test),
                ("packages/lib/index.js", "module.exports = 3;\n"),
            ],
        );
        project.write("node_modules/dep/index.js", "module.exports = 7;\n");
        fs::create_dir(project.root().join("node_modules/@own")).unwrap();
        symlink("../../packages/lib", project.root().join("node_modules/@own/lib")).unwrap();
        project.write(&format!("{app}/change.diff"), &change("value.js"));
        let ran = env.run(&project.root().join(app), &["--json", "apply", "change.diff", "--apply"]);
        let document: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
        assert_eq!(document["applied"]["decision"], "fixed", "{level}: {document:#} {}", ran.stderr);
    }
}

#[test]
fn a_program_that_is_gone_since_it_was_recorded_is_no_verdict_on_the_change() {
    let env = TestEnv::new();
    let config = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";
    let files = [("gephost.toml", config), ("pkg/__init__.py", "from collections import MutableMapping\n")];
    let project = TestProject::new(&env, &files);
    make_program(&project.root().join("check"), b"#!/bin/sh\nexec python3 -B -c 'import pkg'\n");
    if !crate::scene::python() {
        return;
    }
    // Git does not track it, so that a work copy has none.
    env.run(project.root(), &["record", "--", "sh", "-c", "./check"]).expect_code(1);
    let ran = env.run(project.root(), &["run", "--apply"]).expect_code(5);
    assert!(
        ran.stdout
            .contains("cannot run here: `sh -c ./check`: it ended with 1 when it was recorded, and ends with 127 here"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("now:    sh: 1: ./check: not found") || ran.stdout.contains("now:"), "{}", ran.stdout);
}
