//! Repairs of published packages, which are fetched from their registries: the failing command is recorded, gephost repairs
//! the failure, and the command succeeds on the branch. Without a network or the necessary tools these tests are skipped.

mod cargo;
mod node;
mod python;

use std::process::Command;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::registry::Archive;
use gephost_tests::skipped;

use crate::scene::{on_branch, published};

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

/// The archive that a registry's client downloads. If there is none, prints why.
fn fetched(command: &mut Command) -> Option<Archive> {
    Archive::by(command).map_err(|why| skipped(&format!("offline: {why}"))).ok()
}

/// Repairs a package as it was published.
fn repair(fetched: &Archive, command: &[&str], reason: &str) {
    repair_with(fetched, &[], command, reason);
}

/// Repairs a package with these additional files.
fn repair_with(fetched: &Archive, files: &[(&str, &str)], command: &[&str], reason: &str) {
    let env = TestEnv::new();
    let project = fetched.project(&env, &[&[("gephost.toml", CONFIG)], files].concat());
    settle(&env, &project, command, 1, reason);
}

/// Records the command that fails with this exit code, lets gephost repair the project, and runs the command again.
fn settle(env: &TestEnv, project: &TestProject, command: &[&str], fails_with: i32, reason: &str) {
    let recorded = env.run(project.root(), &[&["record", "--"][..], command].concat()).expect_code(fails_with);
    assert!(recorded.stderr.contains(reason), "{}", recorded.stderr);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    let tried = document["applied"]["tried"].as_array().unwrap();
    assert!(tried.iter().any(|trial| trial["decision"] == "fixed"), "{document}");
    assert_eq!(project.fingerprint(), before);
    let branch = &published(env, project)[0];
    on_branch(env, project, "main", command).expect_code(fails_with);
    on_branch(env, project, branch, command).expect_code(0);
}
