//! The first config of a project: shown, written, and taken back only as long as it is what was written.

use std::fs;

use gephost_app::{ErrorKind, Project};

use crate::scene::{Scene, failed, refusal};

fn scene() -> Scene {
    Scene::new(&[
        ("tests/test_a.py", "import unittest\n"),
        ("app/a.py", "a = 1\n"),
        ("pyproject.toml", "[project]\nname = \"a\"\n"),
    ])
}

fn write(project: &Project) {
    let first = project.first_config().expect("a config");
    project.write_first_config(&first).expect("written");
}

#[test]
fn the_config_that_is_shown_is_the_one_that_is_written_and_it_can_be_enforced() {
    let scene = scene();
    let project = scene.project();
    let first = project.first_config().expect("a config");
    assert_eq!(first.file, scene.environment.directory.join("gephost.toml"));
    assert!(!first.file.exists(), "to look writes nothing");
    project.write_first_config(&first).expect("written");
    assert_eq!(fs::read_to_string(&first.file).expect("a file"), first.starter.text);
    let opened = scene.project();
    assert!(!opened.config.file.policy.allow.is_empty() && !opened.config_text.is_empty());
    assert!(opened.waiting.is_empty(), "it widens nothing: {:?}", opened.waiting);
    assert!(!opened.config.file.apply.enabled, "a person enables that");
}

#[test]
fn a_config_that_is_there_is_never_written_over() {
    let scene = scene();
    scene.write("gephost.toml", "# mine\n");
    let project = scene.project();
    assert_eq!(refusal(project.first_config()), (ErrorKind::Usage, "config_exists"));
    fs::remove_file(scene.root().join("gephost.toml")).expect("removed");
    let first = project.first_config().expect("a config");
    // Somebody is faster.
    scene.write("gephost.toml", "# mine\n");
    let error = failed(project.write_first_config(&first));
    assert!(error.code == "config_exists" && error.hint.is_some(), "{error}");
    assert_eq!(fs::read_to_string(scene.root().join("gephost.toml")).expect("a file"), "# mine\n");
    // A link is not written through.
    fs::remove_file(scene.root().join("gephost.toml")).expect("removed");
    std::os::unix::fs::symlink("elsewhere.toml", scene.root().join("gephost.toml")).expect("a link");
    assert!(project.write_first_config(&first).is_err());
    assert!(!scene.root().join("elsewhere.toml").exists());
}

#[test]
fn only_what_was_written_and_not_changed_since_is_taken_back() {
    let undo = (ErrorKind::Usage, "init_undo");
    let scene = scene();
    assert_eq!(refusal(scene.project().undo_first_config()), undo, "nothing is there");
    scene.write("gephost.toml", "# mine\n");
    assert_eq!(refusal(scene.project().undo_first_config()), undo, "gephost did not write it");
    fs::remove_file(scene.root().join("gephost.toml")).expect("removed");
    write(&scene.project());
    let text = fs::read_to_string(scene.root().join("gephost.toml")).expect("a file");
    scene.write("gephost.toml", &format!("{text}\n"));
    let error = failed(scene.project().undo_first_config());
    assert!(error.message.contains("was changed since") && error.hint.is_some(), "{error}");
    scene.write("gephost.toml", &text);
    let removed = scene.project().undo_first_config().expect("taken back");
    assert!(removed.ends_with("gephost.toml") && !removed.exists());
    assert_eq!(refusal(scene.project().undo_first_config()), undo, "it is taken back once");
    // The same bytes by another hand are not what gephost wrote.
    scene.write("gephost.toml", &text);
    assert_eq!(refusal(scene.project().undo_first_config()), undo);
}

#[test]
fn a_first_config_is_remembered_for_its_own_project() {
    let (one, other) = (scene(), scene());
    write(&one.project());
    let text = fs::read_to_string(one.root().join("gephost.toml")).expect("a file");
    other.write("gephost.toml", &text);
    assert_eq!(refusal(other.project().undo_first_config()), (ErrorKind::Usage, "init_undo"));
    assert!(one.project().undo_first_config().is_ok());
}

#[test]
fn a_project_outside_of_git_gets_a_config_too() {
    let scene = Scene::without_git(&[("tests/test_a.py", "import unittest\n")]);
    let first = scene.project().first_config().expect("a config");
    assert!(first.agents.is_empty() && !first.starter.text.is_empty());
}

#[test]
fn before_the_first_commit_the_files_as_they_are_count() {
    let scene = Scene::without_git(&[("src/a.py", "a = 1\n"), ("venv/lib/b.py", ""), ("node_modules/c/d.js", "")]);
    scene.init_git();
    let first = scene.project().first_config().expect("a config");
    assert_eq!(
        (first.starter.allow.as_slice(), first.starter.languages.as_slice()),
        (&["/src/".to_owned()][..], &["Python"][..])
    );
    assert_eq!(first.starter.environments, ["venv", "node_modules"]);
    let refused = failed(scene.project().repository());
    assert!(refused.hint.is_some_and(|hint| hint.contains("git add . && git commit")), "{}", refused.message);
}
