//! Where state lies: the user's folders, another folder that is named, a clone that moved, a state that is removed.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{log_entries, published, value_project};

#[test]
fn a_repository_gets_nothing_but_assets() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), &["run"]).expect_code(0);
    env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    assert!(!project.root().join(".gephost").exists(), "a dry run writes nothing into the project");
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    let mut names: Vec<_> =
        fs::read_dir(project.root().join(".gephost")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".gitignore", "gep"]);
    assert_eq!(project.git(&env, &["status", "--porcelain", "--ignored=no"]).matches(".gephost").count(), 0);
    let (status, _) = env.json(project.root(), &["status"]);
    assert_eq!(status["state"]["folder"].as_str(), env.state_of(project.root()).to_str());
}

#[test]
fn state_lies_in_the_folder_that_is_named() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let named = env.home().join("ci state");
    let options = ["--state", named.to_str().unwrap()];
    env.run(project.root(), &[&options[..], &["record", "--", "true"]].concat()).expect_code(0);
    assert!(!env.state_of(project.root()).exists());
    let (log, _) = env.json(project.root(), &[&options[..], &["log"]].concat());
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
    assert_eq!(log_entries(&env, &project).len(), 0, "the user's own folder has another state");
}

#[test]
fn a_state_that_the_repository_brings_is_refused() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let options = ["--state", "ci/state"];
    env.run(project.root(), &[&options[..], &["record", "--", "true"]].concat()).expect_code(0);
    let (log, _) = env.json(project.root(), &[&options[..], &["log"]].concat());
    assert_eq!(log["entries"].as_array().unwrap().len(), 1, "a folder of the project that git does not track");
    project.git(&env, &["add", "-f", "ci"]);
    std::os::unix::fs::symlink("ci", project.root().join("link")).unwrap();
    for state in ["ci/state", "./ci/../ci/state", "ci", "link/state"] {
        for command in [&["log"][..], &["status"], &["run"], &["apply", "a.txt", "--apply"]] {
            let ran = env.run(project.root(), &[&["--state", state], command].concat()).expect_code(2);
            assert!(ran.stderr.contains("git tracks files in"), "{state} {command:?}: {ran:?}");
        }
    }
}

fn states(env: &TestEnv) -> Vec<Value> {
    let (list, code) = env.json(env.home(), &["state", "list"]);
    assert_eq!(code, 0, "{list}");
    list["states"].as_array().unwrap().clone()
}

#[test]
fn a_moved_clone_is_adopted_and_a_state_is_removed() {
    let env = TestEnv::new();
    let outer = TestProject::without_git(&[]);
    let (old, new) = (outer.root().join("old"), outer.root().join("new"));
    fs::create_dir(&old).unwrap();
    outer.git(&env, &["init", "-q", "old"]);
    env.run(&old, &["record", "--", "true"]).expect_code(0);
    assert_eq!(states(&env)[0]["there"], true);
    fs::rename(&old, &new).unwrap();
    assert_eq!(states(&env)[0]["there"], false);
    assert_eq!(env.json(&new, &["log"]).0["entries"].as_array().unwrap().len(), 0);
    let (adopted, code) = env.json(&new, &["state", "adopt"]);
    assert_eq!((code, &adopted["schema"]), (0, &"gephost.state-adopt/1".into()), "{adopted}");
    assert_eq!(env.json(&new, &["log"]).0["entries"].as_array().unwrap().len(), 1);
    env.run(&new, &["log", "verify"]).expect_code(0);
    env.run(&new, &["state", "adopt"]).expect_code(2);
    let list = states(&env);
    let id = list[0]["id"].as_str().unwrap();
    assert_eq!((list.len(), &list[0]["there"]), (1, &Value::Bool(true)));
    env.run(&new, &["state", "remove", "unknown"]).expect_code(2);
    env.run(&new, &["state", "remove", id]).expect_code(0);
    assert!(states(&env).is_empty());
    assert_eq!(env.json(&new, &["log"]).0["entries"].as_array().unwrap().len(), 0);
}

#[test]
fn worktrees_share_one_state() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let tree = env.home().join("tree");
    project.git(&env, &["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "other"]);
    env.run(&tree, &["record", "--", "true"]).expect_code(0);
    assert_eq!(log_entries(&env, &project).len(), 1);
    assert_eq!(env.state_of(&tree), env.state_of(project.root()));
    // The kill switch is the worktree's own.
    project.write(".gephost/STOP", "");
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(2);
    fs::write(tree.join("change.diff"), fs::read(project.root().join("change.diff")).unwrap()).unwrap();
    env.run(&tree, &["apply", "change.diff", "--apply"]).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn a_dry_run_needs_no_write_access_to_the_project() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let script = "mount --bind \"$2\" \"$2\" && mount -o remount,ro,bind \"$2\" && cd \"$2\" && \"$1\" apply change.diff && \"$1\" record -- true";
    let Some(ran) = crate::bad_input::mounted(&env, &project, script) else { return };
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(log_entries(&env, &project).len(), 1, "what was recorded lies outside of the project");
}

#[test]
fn a_home_without_a_cache_folder_gets_one_or_a_line() {
    let env = TestEnv::cold();
    let Some(project) = value_project(&env, "") else { return };
    assert!(!env.home().join(".cache").exists());
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    assert!(fs::read_dir(env.work_of(project.root())).unwrap().all(|entry| !entry.unwrap().path().is_dir()));
    let other = TestEnv::cold();
    fs::write(other.home().join(".cache"), "in the way").unwrap();
    let ran = other.run(project.root(), &["apply", "change.diff", "--apply"]);
    assert!(ran.code == 1 && ran.stderr.contains(".cache/gephost"), "{ran:?}");
}
