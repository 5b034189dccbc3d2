//! `gephost record -- CMD…`: the command's own output and exit code, what is kept of it, and the repair that follows.

use std::fs;

use gephost_tests::environment::{Ran, TestEnv, gephost, make_program};
use gephost_tests::project::TestProject;

use crate::scene::{on_branch, published};

#[test]
fn output_passes_through_and_the_exit_code_is_the_commands() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    for (script, code) in [
        ("echo out; echo err >&2", 0),
        ("echo out; echo err >&2; exit 1", 1),
        ("echo out; echo err >&2; exit 3", 3),
        ("echo out; echo err >&2; kill -TERM $$", 128 + 15),
        ("echo out; echo err >&2; kill -KILL $$", 128 + 9),
    ] {
        let ran = env.run(project.root(), &["record", "--", "sh", "-c", script]).expect_code(code);
        assert_eq!(ran.stdout, "out\n", "{script}");
        assert!(ran.stderr.starts_with("err\n"), "{script}: {}", ran.stderr);
        let quiet = env.run(project.root(), &["-q", "record", "--", "sh", "-c", script]).expect_code(code);
        assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("out\n", "err\n"), "{script}");
    }
    assert_eq!(project.git(&env, &["status", "--porcelain"]), "");
}

/// Whatever becomes of the recording, a script that runs a command through gephost sees how the command ended.
#[test]
fn the_exit_code_is_the_commands_even_if_nothing_can_be_recorded() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let state = project.root().join("a.txt");
    for code in [0, 3] {
        let (state, script) = (state.to_str().unwrap(), format!("echo out; exit {code}"));
        let ran = env.run(project.root(), &["--state", state, "record", "--", "sh", "-c", &script]).expect_code(code);
        assert_eq!(ran.stdout, "out\n");
        assert!(ran.stderr.contains("nothing was recorded"), "{}", ran.stderr);
    }
    project.write("gephost.toml", "no TOML");
    let (document, code) = env.json(project.root(), &["record", "--", "sh", "-c", "exit 3"]);
    assert_eq!((code, &document["exit_code"], &document["session"]), (3, &3.into(), &serde_json::Value::Null));
}

#[test]
fn on_a_terminal_the_command_has_one_too() {
    if !gephost_tests::is_installed("python3") {
        return;
    }
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let script = "test -t 1 && test -t 2 && stty size <&1; printf '\\033[31mred\\033[0m\\n'; exit 4";
    let spawn = "import os, pty, sys\nstatus = pty.spawn(sys.argv[1:])\nsys.exit(os.waitstatus_to_exitcode(status))\n";
    let mut python = env.command("python3", project.root());
    python.args(["-c", spawn]).arg(gephost()).args(["record", "--", "sh", "-c", script]);
    let ran = Ran::of(python.output().unwrap()).expect_code(4);
    assert!(ran.stdout.contains("0 0") && ran.stdout.contains("\u{1b}[31mred"), "{:?}", ran.stdout);
    // In a pipe it has none.
    let ran = env.run(project.root(), &["record", "--", "sh", "-c", "test -t 1 || exit 5"]).expect_code(5);
    assert_eq!(ran.stdout, "");
}

/// A virtual environment is two variables: the search path, and one that its tools look at.
#[test]
fn the_command_has_the_persons_environment() {
    let env = TestEnv::new();
    let tools = tempfile::tempdir().unwrap();
    make_program(&tools.path().join("own-tool"), b"#!/bin/sh\necho \"$VIRTUAL_ENV\"\n");
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let mut record = env.command(gephost(), project.root());
    record.args(["record", "--", "own-tool"]).env("VIRTUAL_ENV", "/some/where").env("PATH", tools.path());
    let ran = Ran::of(record.output().unwrap()).expect_code(0);
    assert_eq!(ran.stdout, "/some/where\n");
}

#[test]
fn what_cannot_be_started_ends_as_in_a_shell() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("plain.sh", "echo never\n")]);
    for (program, code) in [("no-such-program-here", 127), ("./no/such/file", 127), ("./plain.sh", 126)] {
        let ran = env.run(project.root(), &["record", "--", program]).expect_code(code);
        assert!(ran.stderr.contains(program), "{}", ran.stderr);
    }
}

#[test]
fn with_json_the_result_is_one_document() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let (document, code) = env.json(project.root(), &["record", "--", "sh", "-c", "echo out; exit 3"]);
    assert_eq!((code, &document["exit_code"]), (3, &3.into()), "{document}");
    assert_eq!(document["schema"], "gephost.record/1");
}

#[test]
fn secrets_of_the_output_are_kept_nowhere() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    let secret = format!("{}{}", "ghp_", "Zx81mQ4vTnB7kLr2WcY9sDf3GhJ6pA0eUiO5");
    let script = format!("echo token {secret}; echo token {secret} >&2; exit 1");
    env.run(project.root(), &["record", "--", "sh", "-c", &script]).expect_code(1);
    let (log, _) = env.json(project.root(), &["log"]);
    assert!(!log.to_string().contains(&secret));
    let (run, _) = env.json(project.root(), &["run"]);
    assert!(!run.to_string().contains(&secret));
    let mut files = 0;
    for folder in [env.state_of(project.root()), env.home().to_owned()] {
        files += assert_absent(&folder, &secret);
    }
    assert!(files >= 3, "{files} files were looked at");
}

/// Looks through every file of a folder; gives how many there are.
fn assert_absent(folder: &std::path::Path, secret: &str) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += assert_absent(&path, secret);
        } else {
            let bytes = fs::read(&path).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{}", path.display());
            files += 1;
        }
    }
    files
}

#[test]
fn a_recorded_failure_is_repaired_and_validated_by_itself() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let init = "from .deep import Table\n";
    let deep = "from collections import MutableMapping, namedtuple\n\nRow = namedtuple('Row', 'a')\n\n\n\
                class Table(dict, MutableMapping):\n    pass\n";
    let config = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";
    let files = [("pkg/__init__.py", init), ("pkg/deep.py", deep), ("gephost.toml", config)];
    let project = TestProject::new(&env, &files);
    let command = ["python3", "-B", "-c", "import pkg"];
    env.run(project.root(), &[&["record", "--"][..], &command].concat()).expect_code(1);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["applied"]["tried"][0]["decision"], "fixed", "{document}");
    assert_eq!(project.fingerprint(), before);
    let branch = &published(&env, &project)[0];
    on_branch(&env, &project, "main", &command).expect_code(1);
    on_branch(&env, &project, branch, &command).expect_code(0);
}

/// The lines that are printed are run as they are.
#[test]
fn the_printed_undo_and_redo_lines_work_and_redo_validates_with_the_recorded_command() {
    let Some((env, project)) = recorded_failure() else { return };
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let before = project.fingerprint();
    let again = env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let branch = published(&env, &project).remove(0);
    assert!(again.stdout.contains(&format!("Already published as {branch}")), "{}", again.stdout);
    assert_eq!(published(&env, &project).len(), 1);
    printed(&env, &project, &again.stdout, "undo");
    assert!(published(&env, &project).is_empty());
    let undone = env.run(project.root(), &["undo"]).expect_code(0);
    let redo = undone.stdout.split_once("apply it again: ").unwrap().1.trim().to_owned();
    let redone = run_line(&env, &project, &redo);
    assert!(redone.stdout.contains("python3 -B -c 'import pkg': before exits 1, after passes"), "{}", redone.stdout);
    assert_eq!(published(&env, &project).len(), 1);
    assert_eq!(project.fingerprint(), before);

    printed(&env, &project, &redone.stdout, "keep");
    let undone = env.run(project.root(), &["undo"]).expect_code(0);
    assert!(undone.stdout.contains("has landed"), "{}", undone.stdout);
    let status = env.run(project.root(), &["status"]).expect_code(0);
    assert!(status.stdout.contains("to land it: git merge --ff-only evo/"), "{}", status.stdout);
    let waits = env.run(project.root(), &["undo"]).expect_code(0);
    assert!(waits.stdout.contains("has not landed yet"), "{}", waits.stdout);
    printed(&env, &project, &waits.stdout, "land");
    let status = env.run(project.root(), &["status"]).expect_code(0);
    assert!(!status.stdout.contains("to land it"), "{}", status.stdout);
    on_branch(&env, &project, "main", &COMMAND).expect_code(1);
}

/// With nothing but the two locks of an apply in the config.
#[test]
fn autopilot_applies_a_small_repair_that_a_recorded_command_proves() {
    let Some((env, project)) = recorded_failure() else { return };
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(published(&env, &project).len(), 1, "{document:#}");
}

const COMMAND: [&str; 4] = ["python3", "-B", "-c", "import pkg"];

/// A project whose failing command was recorded.
fn recorded_failure() -> Option<(TestEnv, TestProject)> {
    if !crate::scene::python() {
        return None;
    }
    let env = TestEnv::new();
    let config = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";
    let files = [("pkg/__init__.py", "from collections import MutableMapping\n"), ("gephost.toml", config)];
    let project = TestProject::new(&env, &files);
    env.run(project.root(), &[&["record", "--"][..], &COMMAND].concat()).expect_code(1);
    Some((env, project))
}

/// Runs the line that a page names.
fn printed(env: &TestEnv, project: &TestProject, page: &str, name: &str) {
    let line = page.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{name}:  "))).unwrap();
    run_line(env, project, line);
}

/// Runs a line in a shell, with `gephost` as the program under test.
fn run_line(env: &TestEnv, project: &TestProject, line: &str) -> Ran {
    let line = match line.strip_prefix("gephost ") {
        Some(rest) => format!("'{}' {rest}", gephost().display()),
        None => line.to_owned(),
    };
    Ran::of(env.command("sh", project.root()).args(["-c", &line]).output().unwrap()).expect_code(0)
}
