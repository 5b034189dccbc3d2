//! A log that somebody else wrote: none of its entries is believed, whatever it claims.

use std::fs;
use std::path::Path;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use crate::scene::{log_entries, logged, published, quickstart, validated_by};

const UNITTEST: &str = "\"python3 -m unittest discover -s tests\"";

/// A repository that brings the whole state of its author, under every name that an older gephost believed.
fn brings_state(author: &TestEnv, victim: &TestEnv, project: &TestProject) {
    let state = author.state_of(project.root());
    let own = project.root().join(".gephost");
    let copied = std::process::Command::new("cp").arg("-a").arg(state.join(".")).arg(&own).status().unwrap();
    assert!(copied.success());
    project.git(victim, &["add", "-f", ".gephost"]);
    project.git(victim, &["commit", "-q", "-m", "with state"]);
}

#[test]
fn recorded_commands_history_and_approvals_of_a_foreign_log_count_for_nothing() {
    if !crate::scene::python() {
        return;
    }
    let (author, victim) = (TestEnv::new(), TestEnv::new());
    let config = format!("{}[autopilot]\nmax_risk = 5\n", validated_by(UNITTEST));
    let project = quickstart(&author, Some(&config));
    let trace = author.home().join("it-ran");
    let script = format!("touch '{}'; exit 1", trace.display());
    author.run(project.root(), &["record", "--", "sh", "-c", &script]).expect_code(1);
    let (queued, code) = author.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(code, 8, "{queued}");
    let id = queued["waiting"][0]["proposal"].as_str().unwrap().to_owned();
    let known = log_entries(&author, &project).len();
    assert!(known > 3 && logged(&author, &project, "recorded") == 1);
    fs::remove_file(&trace).unwrap();
    brings_state(&author, &victim, &project);

    let told = victim.run(project.root(), &["status"]).expect_code(0);
    assert!(told.stderr.contains(".gephost") && told.stderr.contains("left alone"), "{}", told.stderr);
    assert_eq!(log_entries(&victim, &project).len(), 0);
    // Approval: the author's queue is not the victim's.
    let refused = victim.run(project.root(), &["approve", &id, "--apply"]);
    assert!(refused.code == 2 || refused.code == 1, "{refused:?}");
    assert!(published(&victim, &project).is_empty());
    // History: what the author's log has tried is tried anew.
    let (report, code) = victim.json(project.root(), &["report"]);
    assert_eq!((code, &report["counts"]["proposed"]), (0, &0.into()), "{report}");
    // Recorded: the command of the author is nobody's.
    let (applied, code) = victim.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{applied}");
    assert!(!trace.exists(), "a command of the repository's own log ran");
    assert_eq!(logged(&victim, &project, "recorded"), 0);
}

#[test]
fn entries_without_this_users_head_count_once_the_user_accepts_them() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    let head = env.state_of(project.root()).join("head.json");
    fs::remove_file(&head).unwrap();
    for command in [&["log"][..], &["status"], &["report"], &["record", "--", "true"], &["log", "verify"]] {
        // `record` ends with the code of its command, whatever becomes of the record.
        let ran = env.run(project.root(), command).expect_code(i32::from(command[0] != "record"));
        assert!(ran.stderr.contains("has no head") && ran.stderr.contains("gephost log accept"), "{}", ran.stderr);
    }
    let ran = env.run(project.root(), &["log", "accept"]).expect_code(0);
    assert!(ran.stdout.contains("were accepted"), "{}", ran.stdout);
    assert_eq!((logged(&env, &project, "recorded"), logged(&env, &project, "note")), (1, 1));
}

#[test]
fn a_log_that_was_removed_is_reported_until_the_user_accepts_it() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let accept = |env: &TestEnv, folder: &Path| env.run(folder, &["log", "accept"]).expect_code(0).stdout;
    assert!(accept(&env, project.root()).contains("nothing to accept"));
    env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    assert!(accept(&env, project.root()).contains("nothing to accept"));
    fs::remove_file(env.state_of(project.root()).join("log.jsonl")).unwrap();
    for command in [&["log"][..], &["status"], &["record", "--", "true"], &["report"], &["log"]] {
        // `record` ends with the code of its command, whatever becomes of the record.
        let ran = env.run(project.root(), command).expect_code(i32::from(command[0] != "record"));
        assert!(ran.stderr.contains("was removed") && ran.stderr.contains("gephost log accept"), "{}", ran.stderr);
    }
    assert!(accept(&env, project.root()).contains("an earlier log of 1 entries"));
    env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    assert_eq!(log_entries(&env, &project).len(), 2);
}
