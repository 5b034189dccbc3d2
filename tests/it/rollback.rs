//! `gephost rollback` and `gephost undo`: what was published is taken back, with what it left in the assets, or stays with
//! the reason said. And what an apply says of who wanted it, in the log and in a signed commit.

use std::fs;
use std::process::{Child, Stdio};

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{VALUE_TEST, log_entries, logged, published, value_config, value_project, wait_for_start};

/// Applies the diff and gives the branch.
fn apply(env: &TestEnv, project: &TestProject) -> String {
    let (document, code) = env.json(project.root(), &["apply", "change.diff", "--apply", "--why", "the test says so"]);
    assert_eq!(code, 0, "{document}");
    document["applied"]["branch"].as_str().unwrap().to_owned()
}

fn capsules(project: &TestProject) -> usize {
    let text = fs::read_to_string(project.root().join(".gephost/gep/capsules.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    list["capsules"].as_array().unwrap().len()
}

#[test]
fn an_undo_takes_back_branch_and_assets_and_a_second_one_says_what_to_do() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let before = project.fingerprint();
    let branch = apply(&env, &project);
    assert_eq!(capsules(&project), 1);
    let ran = env.run(project.root(), &["undo", "--dry-run"]).expect_code(0);
    assert!(ran.stdout.contains("would be dropped"), "{}", ran.stdout);
    assert_eq!((published(&env, &project).len(), logged(&env, &project, "rollback_intent")), (1, 0));

    let (document, code) = env.json(project.root(), &["undo", "--why", "wrong"]);
    assert_eq!((code, &document["branch"], &document["way"]), (0, &branch.as_str().into(), &"drop".into()));
    assert!(published(&env, &project).is_empty() && !project.root().join(".git/refs/heads/evo").exists());
    assert_eq!(project.fingerprint(), before);
    assert_eq!(capsules(&project), 0);
    let events = fs::read_to_string(project.root().join(".gephost/gep/events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 2, "the events only grow");
    let back: Value = serde_json::from_str(events.lines().nth(1).unwrap()).unwrap();
    let first: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!((&back["parent"], &back["outcome"]["status"]), (&first["id"], &"failed".into()));
    let entries = log_entries(&env, &project);
    let kinds: Vec<_> = entries.iter().rev().take(2).map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["rolled_back", "rollback_intent"]);
    assert_eq!(entries.last().unwrap()["reason"], "wrong");
    let status = env.run(project.root(), &["status"]).expect_code(0);
    assert!(status.stdout.contains("taken back since"), "{}", status.stdout);

    let (document, code) = env.json(project.root(), &["undo"]);
    assert_eq!((code, &document["taken_back"]), (0, &false.into()));
    let again = document["undo"].as_str().unwrap().strip_prefix("gephost ").unwrap().to_owned();
    let again: Vec<&str> = again.split(' ').collect();
    env.run(project.root(), &again).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1, "the command that is named does it");
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}

#[test]
fn undo_takes_back_the_newest_first_and_rollback_the_named_one() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let first = apply(&env, &project);
    let second = apply(&env, &project);
    let refused = env.run(project.root(), &["rollback", "nothing-of-this-name"]).expect_code(2);
    assert!(refused.stderr.contains(&first) && refused.stderr.contains(&second), "{}", refused.stderr);
    env.run(project.root(), &["rollback", "gep-"]).expect_code(2);
    env.run(project.root(), &["rollback", &first]).expect_code(0);
    assert_eq!(published(&env, &project), [second.as_str()]);
    env.run(project.root(), &["undo"]).expect_code(0);
    assert!(published(&env, &project).is_empty());
}

#[test]
fn a_branch_that_somebody_needs_stays_and_the_reason_is_said() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let branch = apply(&env, &project);
    let before = project.fingerprint();
    let refused = |said: &str| {
        let ran = env.run(project.root(), &["undo"]).expect_code(6);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert_eq!(published(&env, &project).len(), 1);
    };
    let elsewhere = env.home().join("linked");
    project.git(&env, &["worktree", "add", "-q", elsewhere.to_str().unwrap(), &branch]);
    refused("checked out");
    project.git(&env, &["worktree", "remove", elsewhere.to_str().unwrap()]);
    let tree = project.git(&env, &["rev-parse", &format!("{branch}^{{tree}}")]);
    let more = project.git(&env, &["commit-tree", "-m", "more", "-p", &branch, tree.trim()]);
    let published_commit = project.git(&env, &["rev-parse", &branch]);
    project.git(&env, &["update-ref", &format!("refs/heads/{branch}"), more.trim()]);
    refused("no longer at");
    project.git(&env, &["update-ref", &format!("refs/heads/{branch}"), published_commit.trim()]);
    project.git(&env, &["update-ref", "refs/heads/theirs", more.trim()]);
    refused("refs/heads/theirs");
    project.git(&env, &["update-ref", "-d", "refs/heads/theirs"]);
    assert_eq!(project.fingerprint().len(), before.len());
    env.run(project.root(), &["undo"]).expect_code(0);
    assert_eq!(logged(&env, &project, "rollback_intent"), logged(&env, &project, "rolled_back"));
}

#[test]
fn a_landed_change_is_undone_by_a_commit_unless_later_work_depends_on_it() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let branch = apply(&env, &project);
    project.git(&env, &["merge", "-q", "--ff-only", &branch]);
    project.write("app/value.py", "VALUE = 3\n");
    project.commit_all(&env);
    let ran = env.run(project.root(), &["undo"]).expect_code(6);
    assert!(ran.stderr.contains("app/value.py was changed later"), "{}", ran.stderr);
    assert_eq!(logged(&env, &project, "rollback_intent"), 0);

    project.write("app/value.py", "VALUE = 2\n");
    project.commit_all(&env);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["rollback", &branch]);
    assert_eq!((code, &document["way"]), (0, &"revert".into()), "{document}");
    assert_eq!(project.fingerprint(), before);
    let revert = document["revert_branch"].as_str().unwrap();
    assert_eq!(project.git(&env, &["show", &format!("{revert}:app/value.py")]), "VALUE = 1\n");
    assert_eq!(project.git(&env, &["diff", "--name-only", "main", revert]), "app/value.py\n");
    assert_eq!(capsules(&project), 0);
}

#[test]
fn dry_run_in_the_config_blocks_a_rollback_too() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    apply(&env, &project);
    project.write("gephost.toml", &format!("dry_run = true\n{}", value_config("")));
    env.run(project.root(), &["undo"]).expect_code(2);
    assert_eq!(published(&env, &project).len(), 1);
    env.run(project.root(), &["undo", "--dry-run"]).expect_code(0);
}

#[test]
fn the_log_says_who_why_and_what_before_the_effect() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    apply(&env, &project);
    let entries = log_entries(&env, &project);
    let intent = entries.iter().find(|entry| entry["kind"] == "apply_intent").unwrap();
    assert!(intent["operator"].as_str().unwrap().starts_with("tester@"), "{intent}");
    assert_eq!((&intent["why"], &intent["files"][0]), (&"the test says so".into(), &"app/value.py".into()));
}

#[test]
fn a_commit_is_signed_by_the_operators_own_key_and_git_verifies_it() {
    let env = TestEnv::new();
    let key = env.home().join("key");
    let mut made = env.command("ssh-keygen", env.home());
    if !made
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "x", "-f"])
        .arg(&key)
        .status()
        .is_ok_and(|status| status.success())
    {
        return gephost_tests::skipped("ssh-keygen is not installed");
    }
    let sign = format!("author_name = \"Evo\"\nauthor_email = \"evo@example.org\"\nsign = \"ssh:{}\"\n", key.display());
    let Some(project) = value_project(&env, &sign) else { return };
    let branch = apply(&env, &project);
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    let signers = env.home().join("signers");
    fs::write(&signers, format!("evo@example.org {public}")).unwrap();
    let allowed = format!("gpg.ssh.allowedSignersFile={}", signers.display());
    project.git(&env, &["-c", &allowed, "verify-commit", &branch]);
    assert_eq!(project.git(&env, &["log", "-1", "--format=%an <%ae>", &branch]), "Evo <evo@example.org>\n");
    let trailers = project.git(&env, &["log", "-1", "--format=%(trailers:only)", &branch]);
    for key in ["Proposal: ", "Event: evt_", "Risk: ", "Test: python3 -m unittest", "Approver: tester@"] {
        assert!(trailers.contains(&format!("Gephost-{key}")), "{trailers}");
    }
    // A key that is gone stops it, and nothing is left.
    fs::remove_file(&key).unwrap();
    let ran = env.run(project.root(), &["apply", "change.diff", "--apply"]);
    assert_eq!((ran.code, published(&env, &project).len()), (1, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("ssh-keygen"), "{}", ran.stderr);
}

/// An apply whose validation has begun and takes three seconds more.
fn at_work(env: &TestEnv, project: &TestProject) -> Child {
    let slow = format!("import time\nopen('started', 'w').close()\ntime.sleep(3)\n{VALUE_TEST}");
    project.write("test_value.py", &slow);
    project.commit_all(env);
    let mut command = env.command(gephost(), project.root());
    command.args(["apply", "change.diff", "--apply", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    wait_for_start(env, project);
    child
}

#[test]
fn two_at_once_are_one_after_the_other_and_the_second_is_told_who_is_at_work() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let first = at_work(&env, &project);
    let second = env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(6);
    for said in ["another gephost", &format!("process {}", first.id()), "apply"] {
        assert!(second.stderr.contains(said), "{}", second.stderr);
    }
    assert!(first.wait_with_output().unwrap().status.success());
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn a_base_that_moves_during_validation_ends_with_exit_code_6() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let apply = at_work(&env, &project);
    project
        .git(&env, &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "meanwhile"]);
    let ran = Ran::of(apply.wait_with_output().unwrap()).expect_code(6);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["error"]["code"], "base_moved", "{document}");
    assert!(published(&env, &project).is_empty());
    assert_eq!(logged(&env, &project, "apply_failed"), 1);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}
