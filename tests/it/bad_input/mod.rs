//! Bad input through the program: one clear line, the documented exit code, and nothing changed.

mod call;
mod component;
mod log;
mod system;

pub(crate) use system::mounted;

use std::fs;
use std::path::PathBuf;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::repository;

/// A refusal says one `error:` line and at most one `hint:` line on standard error, and nothing on standard output.
#[track_caller]
fn expect_refusal(ran: &Ran, code: i32, says: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let shape = match lines.as_slice() {
        [error] => error.starts_with("error: "),
        [error, hint] => error.starts_with("error: ") && hint.starts_with("hint: "),
        _ => false,
    };
    assert!(shape, "not one error line and at most one hint: {ran:?}");
    assert!(ran.stderr.contains(says), "does not say `{says}`: {ran:?}");
    assert!(!ran.stderr.chars().any(|c| c.is_control() && c != '\n'), "control characters: {ran:?}");
}

/// Runs a command that must be refused, as text and as JSON, and checks that the project is as it was.
#[track_caller]
fn refuses(env: &TestEnv, project: &TestProject, arguments: &[&str], code: i32, says: &str) {
    let before = project.fingerprint();
    expect_refusal(&env.run(project.root(), arguments), code, says);
    let (document, json_code) = env.json(project.root(), arguments);
    assert_eq!(json_code, code);
    assert_eq!(document["schema"], "gephost.error/1");
    assert_eq!(document["error"]["exit"], code);
    let message = document["error"]["message"].as_str().unwrap();
    let hint = document["error"]["hint"].as_str().unwrap_or_default();
    assert!(message.contains(says) || hint.contains(says), "{document}");
    assert!(project.fingerprint() == before, "{arguments:?} changed the project");
}

fn project(env: &TestEnv) -> TestProject {
    TestProject::new(env, &[("README.md", "a project\n"), ("gephost.toml", "[policy]\nallow = [\"src/\"]\n")])
}

/// A file outside the project.
fn file(env: &TestEnv, name: &str, bytes: &[u8]) -> PathBuf {
    let path = env.home().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The sessions of the first example.
fn quickstart_logs() -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join("examples/quickstart/logs")).unwrap();
    let files: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    assert!(!files.is_empty());
    files
}

#[test]
fn a_config_that_cannot_be_enforced_is_refused() {
    let env = TestEnv::new();
    let project = project(&env);
    for (text, says) in [
        ("dry_runn = true\n", "line 1, column 1: unknown field `dry_runn`"),
        ("\n[policy]\nallowed = []\n", "line 3, column 1: unknown field `allowed`"),
        ("[policy\n", "line 1"),
        ("[policy]\nallow = \"src/\"\n", "line 2"),
        ("[budgets]\nwall_ms = -1\n", "line 2"),
        ("[budgets]\nwall_ms = 0\n", "`budgets.wall_ms` is 0"),
        ("[genes]\ngrant = [\"network\"]\n", "line 2"),
        ("[apply]\nenabled = \"yes\"\n", "line 2"),
        ("[policy]\nallow = []\nallow = []\n", "line 3"),
    ] {
        project.write("gephost.toml", text);
        refuses(&env, &project, &["run"], 2, says);
        refuses(&env, &project, &["run"], 2, "gephost.toml: ");
        refuses(&env, &project, &["observe"], 2, says);
    }
    fs::write(project.root().join("gephost.toml"), b"dry_run = \xff\n").unwrap();
    refuses(&env, &project, &["run"], 2, "gephost.toml is not UTF-8");
    fs::write(project.root().join("gephost.toml"), vec![b'#'; 2 << 20]).unwrap();
    refuses(&env, &project, &["run"], 2, "gephost.toml has more than");
}

#[test]
fn a_folder_that_is_no_usable_repository_is_refused() {
    let env = TestEnv::new();
    let plain = TestProject::without_git(&[("README.md", "no git\n")]);
    refuses(&env, &plain, &["run"], 2, "git");
    let bare = TestProject::without_git(&[]);
    bare.git(&env, &["init", "-q", "--bare"]);
    refuses(&env, &bare, &["run"], 2, "bare");
    let unborn = TestProject::without_git(&[("README.md", "no commit\n")]);
    unborn.git(&env, &["init", "-q"]);
    refuses(&env, &unborn, &["run"], 2, "commit");
    let project = project(&env);
    refuses(&env, &project, &["run", "-C", "nowhere"], 2, "nowhere");
    refuses(&env, &project, &["run", "-C", "README.md"], 2, "README.md");
}

#[test]
fn a_checkout_in_the_middle_of_something_is_left_alone() {
    let env = TestEnv::new();
    let project = project(&env);
    project.git(&env, &["checkout", "-q", "-b", "other"]);
    project.write("README.md", "theirs\n");
    project.commit_all(&env);
    project.git(&env, &["checkout", "-q", "main"]);
    project.write("README.md", "ours\n");
    let dirty = project.fingerprint();
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains("uncommitted changes"), "{ran:?}");
    assert!(project.fingerprint() == dirty);
    project.commit_all(&env);
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.com"];
    env.command("git", project.root()).args(identity).args(["merge", "other"]).output().unwrap();
    assert!(project.root().join(".git/MERGE_HEAD").exists(), "the merge was to conflict");
    let merging = project.fingerprint();
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains("merge is in progress"), "{ran:?}");
    assert!(project.fingerprint() == merging);
}

#[test]
fn a_reader_that_is_gone_is_no_failure() {
    let env = TestEnv::new();
    let project = project(&env);
    let everything: [&[&str]; 4] = [&["observe"], &["run"], &["run", "--json"], &["help", "exit-codes"]];
    for arguments in everything {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = env.command(gephost(), project.root()).args(arguments).stdout(writer).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked") && !stderr.contains("error"), "{arguments:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_cache_folder_that_cannot_be_made_costs_time_only() {
    let env = TestEnv::cold();
    let project = project(&env);
    // A file where the folder should be stops root as well.
    fs::write(env.home().join(".cache"), "in the way").unwrap();
    let _ = env.run(project.root(), &["run"]).expect_code(0);
}

#[test]
fn a_state_folder_that_cannot_be_made_is_named() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("README.md", "a project\n")]);
    fs::create_dir_all(env.home().join(".local/state/gephost")).unwrap();
    fs::write(env.home().join(".local/state/gephost/projects"), "in the way").unwrap();
    let before = project.fingerprint();
    let ran = env.run(project.root(), &["record", "--", "false"]);
    assert!(ran.code != 0 && ran.code != 70, "{ran:?}");
    assert!(ran.stderr.contains("gephost/projects") && ran.stderr.contains("--state"), "{ran:?}");
    assert!(project.fingerprint() == before);
}

#[test]
fn a_wrong_command_line_is_json_where_json_is_asked_for() {
    let env = TestEnv::new();
    let folder = TestProject::without_git(&[]);
    for arguments in [["--json", "no-such-command"], ["--no-such-option", "--json"], ["gate", "--json"]] {
        let ran = env.run(folder.root(), &arguments).expect_code(2);
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(document["schema"], "gephost.error/1");
        assert_eq!(document["error"]["code"], "usage");
        assert_eq!(ran.stderr, "");
    }
}
