//! Real projects with real toolchains, confined at L1: what they need is readable, and they test without a network.

use std::path::PathBuf;
use std::process::Command;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use serde_json::Value;

/// A change that breaks nothing.
const CHANGE: &str = "--- /dev/null\n+++ b/added.txt\n@@ -0,0 +1 @@\n+new\n";

fn config(command: &str, more: &str) -> String {
    format!(
        "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n[validation]\nsandbox = \"required:L1\"\ncommands = \
         [\"{command}\"]\n{more}"
    )
}

/// Applies the change in a project; gives the document and what became of it.
fn apply(files: &[(&str, &str)]) -> Value {
    let env = TestEnv::new();
    let project = TestProject::new(&env, files);
    project.write("change.diff", CHANGE);
    let mut command = env.command(gephost(), project.root());
    // The toolchains are those of the person who runs the tests, whose home is elsewhere.
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        let set = std::env::var_os(name).map_or_else(|| home.join(folder), PathBuf::from);
        command.env(name, set);
    }
    let ran = Ran::of(command.args(["--json", "apply", "change.diff", "--apply"]).output().unwrap());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

fn has_landlock() -> bool {
    let there = super::levels().contains(&gephost_core::validation::Level::L1);
    if !there {
        skipped("this machine has no level L1");
    }
    there
}

fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        skipped(&format!("{program} is not installed"));
    }
    there
}

fn check(document: &Value, tests: &str) {
    let applied = &document["applied"];
    assert_eq!(
        (&applied["decision"], &applied["sandbox"]),
        (&"unchanged".into(), &"L1".into()),
        "{tests}: {document:#}"
    );
}

#[test]
fn python_tests() {
    if !has_landlock() || !there("python3") {
        return;
    }
    let test = "import os, tempfile, unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        \
                with tempfile.NamedTemporaryFile() as file:\n            os.chmod(file.name, 0o600)\n";
    let config = config("python3 -m unittest", "");
    check(&apply(&[("gephost.toml", &config), ("test_a.py", test)]), "unittest");
}

#[test]
fn node_and_npm_tests_with_what_is_installed_beside() {
    if !has_landlock() || !there("npm") {
        return;
    }
    let package = r#"{"name": "a", "version": "1.0.0", "scripts": {"test": "node --test"}}"#;
    let test = "const test = require('node:test');\ntest('uses', () => { if (require('dep') !== 7) throw 1; });\n";
    let config = config("npm test", "caches = [\"node_modules\"]\n");
    let files = [("gephost.toml", config.as_str()), ("package.json", package), ("a.test.js", test)];
    let installed = [("node_modules/dep/index.js", "module.exports = 7;\n"), (".gitignore", "node_modules\n")];
    check(&apply(&[&files[..], &installed].concat()), "npm test");
}

#[test]
fn cargo_tests_with_a_dependency_from_the_registry_without_a_network() {
    if !has_landlock() || !there("cargo") {
        return;
    }
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncfg-if = \"1\"\n[workspace]\n";
    let source = "cfg_if::cfg_if! { if #[cfg(unix)] { pub const UNIX: bool = true; } else { pub const UNIX: bool = false; } }\n\
                  #[test]\nfn unix() { assert!(UNIX); }\n";
    let fetched = Command::new("cargo").args(["info", "--offline", "-q", "cfg-if"]).output();
    if !fetched.is_ok_and(|output| output.status.success()) {
        skipped("cargo has not fetched cfg-if here");
        return;
    }
    let config = config("cargo test --offline", "caches = [\"cargo\"]\n");
    check(&apply(&[("gephost.toml", &config), ("Cargo.toml", manifest), ("src/lib.rs", source)]), "cargo test");
}

#[test]
fn a_level_that_is_required_and_not_there_refuses() {
    let env = TestEnv::new();
    let config = config("python3 -m unittest", "").replace("required:L1", "required:L2");
    let project = TestProject::new(&env, &[("gephost.toml", &config)]);
    project.write("change.diff", CHANGE);
    if gephost_runner::validate::find_bubblewrap().is_some() {
        skipped("bubblewrap is installed");
        return;
    }
    let ran = env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(2);
    assert!(ran.stderr.contains("required:L2") && ran.stderr.contains("bubblewrap"), "{}", ran.stderr);
}
