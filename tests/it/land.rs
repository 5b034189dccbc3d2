//! `--land`: the checked-out branch moves forward to what was published, or stays with the reason said.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use crate::scene::{log_entries, logged, published, value_project};

#[test]
fn an_apply_that_lands_moves_branch_and_files_and_is_undone_by_a_commit() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("notes.txt", "mine\n");
    let first = project.git(&env, &["rev-parse", "main"]);
    let ran = env.run(project.root(), &["apply", "change.diff", "--apply", "--land"]).expect_code(0);
    let branch = published(&env, &project).pop().unwrap();
    for said in ["main has moved forward", &format!("gephost rollback {branch} --land")] {
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
    assert_eq!(read(&project), "VALUE = 2\n");
    assert_eq!(project.git(&env, &["rev-parse", "main"]), project.git(&env, &["rev-parse", &branch]));
    let clean = project.git(&env, &["status", "--porcelain"]);
    assert_eq!(clean, "?? change.diff\n?? notes.txt\n");
    let kinds: Vec<_> = log_entries(&env, &project).iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds[kinds.len() - 2..], ["land_intent", "landed"]);

    let (document, code) = env.json(project.root(), &["rollback", &branch, "--land"]);
    assert_eq!((code, &document["way"], &document["landed_into"]), (0, &"revert".into(), &"main".into()), "{document}");
    assert_eq!(read(&project), "VALUE = 1\n");
    assert_eq!(project.git(&env, &["status", "--porcelain"]), clean);
    assert_eq!(project.git(&env, &["rev-parse", "main~2"]), first, "history is added to, never taken away");
    let entries = log_entries(&env, &project);
    assert_eq!(entries.last().unwrap()["landed_into"], "main", "{:?}", entries.last());
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}

#[test]
fn where_it_would_touch_an_edit_the_branch_stays_and_the_exit_code_says_so() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("app/value.py", "VALUE = 1\n# mine\n");
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["apply", "change.diff", "--apply", "--land"]);
    assert_eq!((code, &document["ok"], &document["applied"]["success"]), (6, &true.into(), &true.into()), "{document}");
    let why = document["applied"]["not_landed"].as_str().unwrap();
    assert!(why.contains("app/value.py: it has changes that are not committed"), "{why}");
    assert_eq!(published(&env, &project).len(), 1);
    assert_eq!(project.fingerprint(), before);
    assert_eq!(logged(&env, &project, "land_intent"), 0, "nothing of it began");
    env.run(project.root(), &["undo"]).expect_code(0);
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn a_landed_change_that_later_work_depends_on_is_not_undone() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), &["apply", "change.diff", "--apply", "--land"]).expect_code(0);
    project.write("app/value.py", "VALUE = 2 + 0\n");
    project.commit_all(&env);
    let before = project.fingerprint();
    let ran = env.run(project.root(), &["undo", "--land"]).expect_code(6);
    assert!(ran.stderr.contains("app/value.py was changed later"), "{}", ran.stderr);
    assert_eq!(project.fingerprint(), before);
    assert_eq!(logged(&env, &project, "rollback_intent"), 0);
}

#[test]
fn land_without_apply_is_an_error_of_usage() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    for command in [vec!["run", "--land"], vec!["apply", "change.diff", "--land"], vec!["autopilot", "--land"]] {
        env.run(project.root(), &command).expect_code(2);
    }
    env.run(project.root(), &["undo", "--dry-run", "--land"]).expect_code(2);
}

fn read(project: &TestProject) -> String {
    std::fs::read_to_string(project.root().join("app/value.py")).unwrap()
}
