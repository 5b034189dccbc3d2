//! The whole cycle on the quickstart: what a dry run shows, what an apply publishes, and that the person's checkout is
//! the same, byte for byte, whatever happens.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;

use crate::scene::{logged, on_branch, published, quickstart, validated_by};

const UNITTEST: [&str; 6] = ["python3", "-m", "unittest", "discover", "-s", "tests"];
/// A test that holds before the change and not after it.
const HOLDS_BEFORE_ONLY: &str = "import unittest\n\n\nclass Checks(unittest.TestCase):\n    def test_nothing_changed(self):\n        \
                            self.assertIn('import Mapping, OrderedDict', open('inventory/store.py').read())\n";

#[test]
fn a_dry_run_shows_findings_gene_diff_and_verdict_and_changes_nothing() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let before = project.fingerprint();
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    for shown in [
        "ImportError: cannot import name 'Mapping' from 'collections'",
        "gene_gep_repair_from_errors",
        "-from collections import Mapping, OrderedDict",
        "+from collections import OrderedDict",
        "+from collections.abc import Mapping",
        "Gate        pass",
        "Dry run.",
    ] {
        assert!(ran.stdout.contains(shown), "{shown} is not in:\n{}", ran.stdout);
    }
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
    assert_eq!(project.git(&env, &["status", "--porcelain"]), "");
    assert_eq!(logged(&env, &project, "apply_intent"), 0);
}

#[test]
fn two_runs_give_the_same_proposal_byte_for_byte() {
    let (first, second) = (TestEnv::new(), TestEnv::new());
    let project = quickstart(&first, None);
    let run = |env: &TestEnv| {
        let (document, code) = env.json(project.root(), &["run"]);
        assert_eq!(code, 0);
        let id = document["candidates"][0]["proposal"]["id"].as_str().unwrap().to_owned();
        let saved = fs::read(env.state_of(project.root()).join(format!("proposals/{id}.json"))).unwrap();
        (document["candidates"].to_string(), saved)
    };
    let one = run(&first);
    assert_eq!(one, run(&second));
    assert_eq!(one, run(&second));
}

#[test]
fn a_person_reads_which_patterns_hit() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let (document, _) = env.json(project.root(), &["select"]);
    let best = &document["ranked"][0];
    let patterns: Vec<_> = best["patterns"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(!patterns.is_empty(), "{document}");
    let shown = env.run(project.root(), &["select"]).expect_code(0).stdout;
    assert!(shown.contains(&format!("its patterns that match: {}", patterns.join(", "))), "{shown}");
    assert!(!shown.contains("gene.signals_match"), "{shown}");
}

#[test]
fn an_apply_publishes_exactly_what_was_approved() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let (dry, _) = env.json(project.root(), &["run"]);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    let tried = &document["applied"]["tried"][0];
    assert_eq!(tried["decision"], "fixed", "{tried}");
    assert_eq!(project.fingerprint(), before);

    let branch = tried["branch"].as_str().unwrap();
    assert_eq!(published(&env, &project), [branch]);
    let approved = dry["candidates"][0]["diff"].as_str().unwrap();
    let shown = project.git(&env, &["diff", "--no-color", "--no-ext-diff", "--no-renames", "main", branch]);
    assert_eq!(hunks(&shown), hunks(approved));
    let parent = project.git(&env, &["rev-parse", &format!("{branch}^")]);
    assert_eq!(parent, project.git(&env, &["rev-parse", "main"]));
    on_branch(&env, &project, "main", &UNITTEST).expect_code(1);
    on_branch(&env, &project, branch, &UNITTEST).expect_code(0);
    project.git(&env, &["fsck", "--strict"]);
    assert!(!work_is_left(&env, &project));
}

/// The lines of a diff that say what changes, without the object ids that only git prints.
fn hunks(diff: &str) -> Vec<&str> {
    diff.lines().filter(|line| !line.starts_with("index ")).collect()
}

fn work_is_left(env: &TestEnv, project: &TestProject) -> bool {
    let work = fs::read_dir(env.work_of(project.root()));
    work.is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
}

#[test]
fn what_fails_validation_is_not_published_and_is_recorded_as_failed() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let commands = "\"python3 -m unittest discover -s tests\", \"python3 -m unittest checks\"";
    let project = quickstart(&env, Some(&validated_by(commands)));
    project.write("checks.py", HOLDS_BEFORE_ONLY);
    project.commit_all(&env);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 5, "{document}");
    assert_eq!(document["applied"]["ok"], false);
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
    assert!(!work_is_left(&env, &project));
    let failed = fs::read_to_string(project.root().join(".gephost/gep/failed_capsules.json")).unwrap();
    let failed: serde_json::Value = serde_json::from_str(&failed).unwrap();
    assert_eq!(failed["failed_capsules"][0]["outcome"]["status"], "failed", "{failed}");
    assert!(!project.root().join(".gephost/gep/capsules.json").exists());
    assert_eq!(logged(&env, &project, "apply_failed"), 1);
    assert_eq!(logged(&env, &project, "applied"), 0);
}

#[test]
fn each_lock_alone_keeps_everything_shut() {
    let closed = validated_by("\"python3 -m unittest\"").replace("enabled = true", "enabled = false");
    let dry = format!("dry_run = true\n{}", validated_by("\"python3 -m unittest\""));
    for (config, named) in [(closed, "enabled = true"), (dry, "dry_run = true")] {
        let env = TestEnv::new();
        let project = quickstart(&env, Some(&config));
        env.run(project.root(), &["run"]).expect_code(0);
        let saved =
            fs::read_dir(env.state_of(project.root()).join("proposals")).unwrap().next().unwrap().unwrap().path();
        let before = project.fingerprint();
        for command in [vec!["run", "--apply"], vec!["apply", saved.to_str().unwrap(), "--apply"]] {
            let ran = env.run(project.root(), &command).expect_code(2);
            assert!(ran.stderr.contains(named), "{}", ran.stderr);
        }
        assert_eq!(project.fingerprint(), before);
        assert!(published(&env, &project).is_empty());
        assert_eq!(logged(&env, &project, "apply_intent"), 0);
    }
}

#[test]
fn a_dirty_checkout_stays_as_it_is_and_none_of_it_is_published() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("inventory/__init__.py", "raise SystemExit('half an edit')\n");
    project.write("inventory/staged.py", "STAGED = 1\n");
    project.git(&env, &["add", "inventory/staged.py"]);
    project.write("notes.txt", "untracked\n");
    project.write(".env.local", "PORT=1\n");
    let before = project.fingerprint();
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    assert_eq!(project.fingerprint(), before);
    let branch = &published(&env, &project)[0];
    assert_eq!(project.git(&env, &["diff", "--name-only", "main", branch]), "inventory/store.py\n");
    on_branch(&env, &project, branch, &UNITTEST).expect_code(0);
}

#[test]
fn hooks_of_the_repository_are_never_run() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let marker = project.root().join(".gephost-hook-ran");
    for hook in ["pre-commit", "commit-msg", "post-commit", "post-checkout", "reference-transaction"] {
        let path = project.root().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", marker.display())).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    assert!(!marker.exists());
    fs::remove_dir_all(project.root().join(".git/hooks")).unwrap();
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn where_no_test_ran_nothing_is_published() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("tests/test_store.py", "");
    project.commit_all(&env);
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 5, "{document}");
    assert_eq!(document["applied"]["tried"][0]["decision"], "no_tests", "{document}");
    assert!(published(&env, &project).is_empty());
}

#[test]
fn a_second_apply_of_the_same_change_says_where_the_first_is() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let branches = published(&env, &project);
    let [branch] = &branches[..] else { panic!("{branches:?}") };
    let main = project.git(&env, &["rev-parse", "main"]);
    assert_eq!(project.git(&env, &["rev-parse", &format!("{branch}^")]), main);
    let again = env.run(project.root(), &["run", "--apply"]).expect_code(0).stdout;
    assert!(again.contains("Already published") && again.contains(branch.as_str()), "{again}");
    assert_eq!(published(&env, &project), branches);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    assert_eq!(logged(&env, &project, "applied"), 1);
}
