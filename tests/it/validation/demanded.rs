//! `required:L1` and `required:L2`: a level that is there is used, and nothing below it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::skipped;
use serde_json::Value;

use super::projects::{APPLY, CHANGE, config, has_landlock};

/// Runs gephost in a project that demands a level, by way of other words.
fn demanding(level: &str, wrapper: &[&OsStr]) -> Ran {
    let env = TestEnv::new();
    let config = config("python3 -m unittest", "").replace("required:L1", level);
    let test = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test(self):\n        pass\n";
    let project = TestProject::new(&env, &[("gephost.toml", &config), ("test_a.py", test)]);
    project.write("change.diff", CHANGE);
    let mut words = wrapper.iter().copied().chain([gephost().as_os_str()]);
    let mut command = env.command(words.next().unwrap(), project.root());
    Ran::of(command.args(words).args(APPLY).output().unwrap())
}

/// Words that start a program in a place where bubblewrap is not to be found, and system calls are filtered as said;
/// nothing where they do not work here.
fn hidden(filter: Option<&Path>) -> Option<Vec<OsString>> {
    let bubblewrap = gephost_runner::validate::find_bubblewrap()?;
    let mut words: Vec<OsString> = vec!["sh".into(), "-c".into()];
    let script = if filter.is_some() { "f=$1; shift; exec \"$@\" 9< \"$f\"" } else { "shift; exec \"$@\"" };
    words.extend([script.into(), "sh".into(), filter.map(Into::into).unwrap_or_default(), bubblewrap.clone().into()]);
    words.extend(["--dev-bind", "/", "/", "--bind", "/dev/null"].map(OsString::from));
    words.push(bubblewrap.into());
    if filter.is_some() {
        words.extend(["--seccomp", "9"].map(OsString::from));
    }
    words.push("--".into());
    let works = Command::new(&words[0]).args(&words[1..]).arg("true").output().is_ok_and(|ran| ran.status.success());
    works.then_some(words)
}

#[test]
fn a_level_that_is_required_and_not_there_refuses() {
    let words = match (gephost_runner::validate::find_bubblewrap(), hidden(None)) {
        (None, _) => Vec::new(),
        (Some(_), Some(words)) => words,
        (Some(_), None) => return skipped("bubblewrap is installed, and does not start here to be hidden"),
    };
    let wrapper: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    let ran = demanding("required:L2", &wrapper).expect_code(2);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("required:L2") && said.contains("bubblewrap is not installed"), "{said}");
    if has_landlock() {
        let ran = demanding("required:L1", &wrapper).expect_code(0);
        assert!(
            ran.stdout.contains("\"sandbox\":\"L1\"") || ran.stdout.contains("\"sandbox\": \"L1\""),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn without_landlock_level_1_is_refused() {
    // `landlock_create_ruleset` (444) is answered with ENOSYS, every other call is allowed: instructions of seccomp's BPF.
    let filter: [(u16, u8, u8, u32); 4] =
        [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x0005_0026), (0x06, 0, 0, 0x7fff_0000)];
    let bytes = filter
        .iter()
        .flat_map(|(code, yes, no, value)| [&code.to_ne_bytes()[..], &[*yes, *no], &value.to_ne_bytes()].concat());
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes.collect::<Vec<u8>>()).unwrap();
    let Some(words) = hidden(Some(file.path())) else {
        return skipped("no bubblewrap that starts here to filter calls");
    };
    let wrapper: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    let ran = demanding("required:L1", &wrapper).expect_code(2);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("required:L1") && said.contains("lacks Landlock"), "{said}");
}

#[test]
fn a_level_that_is_required_and_there_is_used() {
    for level in super::levels() {
        let ran = demanding(&format!("required:{level}"), &[]).expect_code(0);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(document["applied"]["sandbox"], level.as_str(), "{document:#}");
    }
}
