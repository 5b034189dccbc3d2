//! `gephost apply FILE`: a proposal that was saved, or that a person wrote as a bare diff.

use gephost_tests::environment::TestEnv;

use crate::scene::{logged, published, quickstart, validated_by};

const WRONG: &str = "--- a/gephost.toml\n+++ b/gephost.toml\n@@ -1 +1,2 @@\n # What gephost may do in this project. \
                     Everything that is not said here is refused.\n+# more\n";

#[test]
fn a_dry_run_of_a_saved_proposal_shows_it_and_is_never_counted() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let (document, _) = env.json(project.root(), &["run"]);
    let id = document["candidates"][0]["proposal"]["id"].as_str().unwrap();
    let file = env.state_of(project.root()).join(format!("proposals/{id}.json"));
    let file = file.to_str().unwrap();
    let before = project.fingerprint();
    let (applied, code) = env.json(project.root(), &["apply", file]);
    assert_eq!((code, &applied["ok"], applied["applied"].is_null()), (0, &true.into(), true), "{applied}");
    assert_eq!(applied["diff"], document["candidates"][0]["diff"]);
    assert_eq!(project.fingerprint(), before);
    for kind in ["apply_intent", "applied", "apply_failed", "validation_finished"] {
        assert_eq!(logged(&env, &project, kind), 0, "{kind}");
    }
    assert!(!project.root().join(".gephost/gep").exists());

    let (applied, code) = env.json(project.root(), &["apply", file, "--apply"]);
    assert_eq!(code, 0, "{applied}");
    assert_eq!(published(&env, &project), [applied["applied"]["branch"].as_str().unwrap()]);
    assert_eq!(project.fingerprint(), before);
    assert_eq!(logged(&env, &project, "applied"), 1);
}

#[test]
fn what_the_gate_refuses_is_not_applied_with_every_lock_open() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("wrong.diff", WRONG);
    let before = project.fingerprint();
    for command in [vec!["apply", "wrong.diff"], vec!["apply", "wrong.diff", "--apply"], vec!["gate", "wrong.diff"]] {
        let ran = env.run(project.root(), &command).expect_code(3);
        assert!(ran.stdout.contains("gephost.toml"), "{}", ran.stdout);
    }
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
    assert_eq!(logged(&env, &project, "apply_intent"), 0);
}

#[test]
fn what_is_no_proposal_is_an_error_of_usage() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("cut.json", "{\"unified_diff\": \"");
    for file in ["cut.json", "absent.json", "inventory"] {
        let ran = env.run(project.root(), &["apply", file, "--apply"]);
        assert!([1, 2].contains(&ran.code), "{file}: {} {}", ran.code, ran.stderr);
        assert!(ran.stderr.contains(file), "{}", ran.stderr);
    }
    assert!(published(&env, &project).is_empty());
}

#[test]
fn where_nothing_was_executed_nothing_is_published() {
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&validated_by("")));
    project.write("new.diff", "--- /dev/null\n+++ b/inventory/new.py\n@@ -0,0 +1 @@\n+NEW = 1\n");
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["apply", "new.diff", "--apply"]);
    assert_eq!(code, 5, "{document}");
    assert_eq!(document["applied"]["decision"], "nothing_executed", "{document}");
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
}
