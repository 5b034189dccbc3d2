//! One repository and several states: homes do not lock each other out, and what runs in a work copy does not reach the
//! user's repository.

use std::process::Stdio;

use gephost_tests::environment::{Ran, TestEnv, gephost};

use crate::scene::{VALUE_TEST, published, value_config, value_project};

#[test]
fn another_home_is_not_locked_out() {
    let (one, other) = (TestEnv::new(), TestEnv::new());
    let Some(project) = value_project(&one, "") else { return };
    one.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    other.run(project.root(), &["log", "verify"]).expect_code(0);
    other.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    assert_eq!(published(&one, &project).len(), 2);
    one.run(project.root(), &["undo"]).expect_code(0);
    other.run(project.root(), &["undo"]).expect_code(0);
    assert!(published(&one, &project).is_empty());
}

#[test]
fn two_homes_that_apply_at_once_leave_a_sound_repository() {
    let homes: Vec<TestEnv> = (0..2).map(|_| TestEnv::new()).collect();
    for round in 0..3 {
        // Branches of the same second would be named by number, and one home could not tell whose is whose.
        let Some(project) = value_project(&homes[0], "") else { return };
        let before = project.fingerprint();
        let apply = |env: &TestEnv| {
            let mut command = env.command(gephost(), project.root());
            command.args(["apply", "change.diff", "--apply"]).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        let running: Vec<_> = homes.iter().map(apply).collect();
        let ran: Vec<Ran> = running.into_iter().map(|child| Ran::of(child.wait_with_output().unwrap())).collect();
        let applied = ran.iter().filter(|ran| ran.code == 0).count();
        assert!(applied > 0, "round {round}: {ran:?}");
        // A ref or an object that the other holds at this moment is a conflict, and nothing is left of it.
        assert!(ran.iter().all(|ran| [0, 1, 6].contains(&ran.code)), "round {round}: {ran:?}");
        assert_eq!(published(&homes[0], &project).len(), applied, "round {round}: {ran:?}");
        assert_eq!(project.fingerprint(), before, "round {round}");
        project.git(&homes[0], &["fsck", "--strict", "--no-dangling"]);
        for env in &homes {
            env.run(project.root(), &["log", "verify"]).expect_code(0);
        }
    }
}

/// A test that does to its repository whatever git lets it do, if it finds one.
const GIT_TEST: &str = "import subprocess\n\n\nclass Git(unittest.TestCase):\n    def test_git(self):\n        for words in \
                        (['branch', 'evil'], ['tag', 'evil'], ['config', 'user.name', 'evil'], ['commit', '--allow-empty', \
                        '-m', 'evil']):\n            subprocess.run(['git', *words], capture_output=True)\n        found = \
                        subprocess.run(['git', 'rev-parse', '--show-toplevel'], capture_output=True)\n        \
                        self.assertNotEqual(found.returncode, 0, found.stdout)\n";

#[test]
fn git_in_a_test_does_not_reach_the_users_repository_at_any_level() {
    for level in ["L0", "L1"] {
        let env = TestEnv::new();
        let Some(project) = value_project(&env, "") else { return };
        let config = value_config("").replace("[validation]", &format!("[validation]\nsandbox = \"{level}\""));
        project.write("gephost.toml", &config);
        project.write("test_value.py", &format!("{VALUE_TEST}\n\n{GIT_TEST}"));
        project.commit_all(&env);
        // A repository around the cache too, as of someone who keeps a home in git.
        env.command("git", env.home()).args(["init", "-q"]).status().unwrap();
        let before = (project.fingerprint(), project.git(&env, &["for-each-ref"]));
        let ran = env.run(project.root(), &["apply", "change.diff", "--apply"]);
        assert_eq!(ran.code, 0, "{level}: {}{}", ran.stdout, ran.stderr);
        env.run(project.root(), &["undo"]).expect_code(0);
        assert_eq!((project.fingerprint(), project.git(&env, &["for-each-ref"])), before, "{level}");
        let refs = env.command("git", env.home()).arg("for-each-ref").output().unwrap();
        assert_eq!(Ran::of(refs).stdout, "", "{level}");
    }
}
