//! The text of the main pages, over the quickstart.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use super::Transcript;
use crate::scene::{python, quickstart, validated_by};

#[test]
fn pages_that_change_nothing_read_as_reviewed() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let mut transcript = Transcript::default();
    for arguments in [
        &["status"][..],
        &["observe", "logs"],
        &["observe", "--calls", "logs"],
        &["observe"],
        &["diagnose"],
        &["select"],
        &["propose"],
        &["run"],
        &["autopilot"],
        &["status"],
        &["report"],
        &["log"],
        &["log", "verify"],
        &["log", "accept"],
        &["approve"],
        &["undo"],
        &["trust"],
        &["trust", "--revoke"],
        &["policy", "check"],
        &["policy", "explain", "inventory/stock.py", ".git/config", "../out"],
        &["policy", "command", "python3 -m unittest"],
        &["scan", "gephost.toml"],
        &["gene", "list"],
        &["help", "exit-codes"],
        &["schema"],
    ] {
        transcript.run(&env, &project, arguments).expect_code(0);
    }
    transcript.holds("quickstart", &env, &project);
}

#[test]
fn pages_of_an_applied_change_read_as_reviewed() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&validated_by("\"python3 -m unittest discover -s tests\"")));
    let mut transcript = Transcript::default();
    transcript.run(&env, &project, &["run", "--apply", "--why", "the tests fail"]).expect_code(0);
    let cycle = env.json(project.root(), &["status"]).0["last_cycle"]["cycle"].as_str().unwrap().to_owned();
    transcript.run(&env, &project, &["status"]).expect_code(0);
    transcript.run(&env, &project, &["report"]).expect_code(0);
    transcript.run(&env, &project, &["report", &cycle]).expect_code(0);
    transcript.run(&env, &project, &["undo", "--dry-run"]).expect_code(0);
    transcript.run(&env, &project, &["undo"]).expect_code(0);
    transcript.run(&env, &project, &["undo"]).expect_code(0);
    transcript.run(&env, &project, &["status"]).expect_code(0);
    transcript.holds("applied", &env, &project);
}

#[test]
fn pages_of_the_queue_read_as_reviewed() {
    let env = TestEnv::new();
    let project = waiting(&env);
    let mut transcript = Transcript::default();
    transcript.run(&env, &project, &["autopilot", "--apply"]).expect_code(8);
    transcript.run(&env, &project, &["approve"]).expect_code(0);
    let queue = env.json(project.root(), &["approve"]).0;
    let proposal = queue["waiting"][0]["proposal"].as_str().unwrap().to_owned();
    transcript.run(&env, &project, &["approve", &proposal]).expect_code(0);
    transcript.run(&env, &project, &["reject", &proposal, "--by", "ann", "--why", "not now"]).expect_code(0);
    transcript.run(&env, &project, &["status"]).expect_code(0);
    transcript.holds("queue", &env, &project);
}

/// The quickstart, with a config that lets autopilot apply nothing by itself.
pub(super) fn waiting(env: &TestEnv) -> TestProject {
    let autopilot = "[autopilot]\ncycle_delay_s = 0\nmax_risk = 0\nmax_cycles = 1\n";
    quickstart(env, Some(&format!("{}{autopilot}", validated_by("\"python3 -m unittest discover -s tests\""))))
}
