//! The states of a user's projects: listed, given to a clone that moved, removed, and missing.

use std::fs;
use std::path::PathBuf;

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::rollback::RollbackOptions;
use gephost_app::run::RunEnding;
use gephost_app::{Environment, ErrorKind, Project, list_states, remove_state};
use gephost_core::event_log::EntryBody;
use git2::Repository;
use jiff::Timestamp;

use crate::history::{append, proposed};
use crate::scene::{Scene, apply, failed, refusal};

/// A folder with clones, each with one entry in its log, by the real time: a state is not older than its clone.
fn clones(names: &[&str]) -> Scene {
    let mut scene = Scene::without_git(&[]).of_another_user();
    scene.environment.clock = Timestamp::now;
    for name in names {
        fs::create_dir(scene.root().join(name)).expect("a folder");
        Repository::init(scene.root().join(name)).expect("a repository");
        append(&open(&scene, name), &[EntryBody::Note { text: (*name).to_owned() }]);
    }
    scene
}

fn open(scene: &Scene, name: &str) -> Project {
    Project::open(&scene.below(name)).expect("a project")
}

fn rename(scene: &Scene, from: &str, to: &str) {
    fs::rename(scene.root().join(from), scene.root().join(to)).expect("renamed");
}

fn texts(project: &Project) -> Vec<String> {
    let entries = project.entries().expect("a log");
    let texts = entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::Note { text } => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn each_clone_has_one_state_which_says_whose_it_is() {
    let scene = clones(&["one", "two"]);
    let states = list_states(&scene.environment).expect("states");
    assert_eq!(states.len(), 2);
    let mut paths: Vec<PathBuf> =
        states.iter().map(|known| known.whose.as_ref().expect("known").0.path.clone()).collect();
    paths.sort();
    let root = &scene.environment.directory;
    assert_eq!(paths, [root.join("one/.git"), root.join("two/.git")]);
    for name in ["one", "two"] {
        let id = open(&scene, name).state.id().to_owned();
        assert!(states.iter().any(|known| known.id == id && known.folder.ends_with(&id)));
    }
}

#[test]
fn a_clone_that_moved_gets_its_state_back_and_only_its_own() {
    let scene = clones(&["one", "two"]);
    let former = open(&scene, "one").state.id().to_owned();
    rename(&scene, "one", "moved");
    let moved = open(&scene, "moved");
    assert_eq!(texts(&moved), Vec::<String>::new(), "nothing follows by itself");
    let told =
        |note: &String| note.contains(&format!("its state is {former}")) && note.ends_with("gephost state adopt");
    assert_eq!(scene.notes().iter().filter(|note| told(note)).count(), 1, "{:?}", scene.notes());
    let status = moved.status().expect("a status");
    assert!(status.missing[0].what.contains(&former) && status.missing[0].next == "gephost state adopt");
    assert_eq!(moved.adopt_state(None).expect("adopted"), former);
    assert_eq!(texts(&open(&scene, "moved")), ["one"]);
    assert_eq!(texts(&open(&scene, "two")), ["two"]);
    // It has one now.
    let again = failed(open(&scene, "moved").adopt_state(None));
    assert_eq!((again.kind, again.code), (ErrorKind::Usage, "state"));
    assert!(again.message.contains("no state is of a clone that was moved here"), "{}", again.message);
}

#[test]
fn a_state_is_not_taken_from_a_clone_that_is_still_there() {
    let scene = clones(&["one", "two"]);
    let id = open(&scene, "one").state.id().to_owned();
    fs::create_dir(scene.root().join("new")).expect("a folder");
    Repository::init(scene.root().join("new")).expect("a repository");
    let refused = failed(open(&scene, "new").adopt_state(Some(&id)));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "state"));
    // Nor does a clone that has a state get another one.
    rename(&scene, "one", "gone");
    let refused = failed(open(&scene, "two").adopt_state(Some(&id)));
    assert!(refused.hint.is_some_and(|hint| hint.contains("gephost state remove")), "{}", refused.message);
    let unknown = failed(open(&scene, "new").adopt_state(Some("unknown")));
    assert!(unknown.hint.is_some_and(|hint| hint.contains("gephost state list")));
    assert_eq!((texts(&open(&scene, "two")), texts(&open(&scene, "new")).len()), (vec!["two".to_owned()], 0));
    // A named state of a clone that is gone may be given to whom the user says.
    assert_eq!(open(&scene, "new").adopt_state(Some(&id)).expect("adopted"), id);
    assert_eq!(texts(&open(&scene, "new")), ["one"]);
}

#[test]
fn a_removed_state_takes_the_log_with_it_and_no_other_one() {
    let scene = clones(&["one", "two"]);
    let id = open(&scene, "one").state.id().to_owned();
    remove_state(&scene.environment, &id).expect("removed");
    assert_eq!(refusal(remove_state(&scene.environment, &id)), (ErrorKind::Usage, "state"));
    for wrong in ["", ".", "..", "../projects", "/"] {
        assert_eq!(refusal(remove_state(&scene.environment, wrong)), (ErrorKind::Usage, "state"), "{wrong}");
    }
    assert_eq!((texts(&open(&scene, "one")).len(), texts(&open(&scene, "two")).len()), (0, 1));
    assert_eq!(list_states(&scene.environment).expect("states").len(), 1);
}

#[test]
fn a_folder_that_this_installation_did_not_make_is_not_removed() {
    let scene = clones(&["one"]);
    let project = open(&scene, "one");
    let root = project.state.root().path();
    let beside = root.with_file_name("own-notes");
    fs::create_dir(&beside).expect("a folder");
    fs::write(beside.join("notes.txt"), "mine\n").expect("a file");
    let refused = failed(remove_state(&scene.environment, "own-notes"));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "state"));
    assert_eq!(fs::read_to_string(beside.join("notes.txt")).expect("a file"), "mine\n");
}

#[test]
fn another_folder_in_the_place_of_a_clone_keeps_the_state_and_loses_the_trust() {
    let scene = clones(&["one"]);
    let config = "[apply]\nenabled = true\n";
    scene.write("one/gephost.toml", config);
    open(&scene, "one").grant_trust().expect("trusted");
    open(&scene, "one").say_consent(true);
    assert!(open(&scene, "one").waiting.is_empty());
    rename(&scene, "one", "elsewhere");
    fs::create_dir(scene.root().join("one")).expect("a folder");
    Repository::init(scene.root().join("one")).expect("a repository");
    scene.write("one/gephost.toml", config);
    let replaced = open(&scene, "one");
    assert!(scene.noted("is another folder than before"), "{:?}", scene.notes());
    assert_eq!(replaced.waiting.len(), 1, "who put it there may have written the config");
    assert_eq!(replaced.consent(), gephost_app::sessions::Consent::Unasked);
    assert_eq!(texts(&replaced), ["one"]);
    let noted = scene.notes().iter().filter(|note| note.contains("is another folder")).count();
    open(&scene, "one");
    let again = scene.notes().iter().filter(|note| note.contains("is another folder")).count();
    assert_eq!((noted, again), (1, 1), "it is said once");
}

#[test]
fn a_state_in_which_git_tracks_a_file_is_not_the_users_own() {
    let scene = Scene::new(&[("state/projects/x/log.jsonl", "{}\n"), ("a.txt", "a\n")]);
    let environment = Environment { state: scene.environment.directory.join("state"), ..scene.environment.clone() };
    let refused = failed(Project::open(&environment));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "state_tracked"));
    assert!(refused.hint.is_some_and(|hint| hint.contains("--state DIR")));
    // A folder beside it that git does not track is fine, also within the project.
    let environment = Environment { state: scene.environment.directory.join("other"), ..environment };
    assert!(Project::open(&environment).is_ok());
    // A link to the tracked one is not.
    std::os::unix::fs::symlink("state", scene.root().join("link")).expect("a link");
    let environment = Environment { state: scene.environment.directory.join("link"), ..environment };
    assert_eq!(refusal(Project::open(&environment)).1, "state_tracked");
}

#[test]
fn a_state_behind_a_link_that_git_tracks_is_not_the_users_own() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let home = scene.environment.directory.clone();
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(elsewhere.path(), home.join(".local")).expect("a link");
    let environment = Environment { state: home.join(".local/state/gephost"), ..scene.environment.clone() };
    assert!(Project::open(&environment).is_ok(), "a link of the user's own");
    scene.commit();
    assert_eq!(refusal(Project::open(&environment)).1, "state_tracked");
}

#[test]
fn a_config_that_the_repository_brings_is_not_the_users_own() {
    let trusting = "[trust]\nfolders = [\"/\"]\n";
    let files = [("gephost.toml", "[apply]\nenabled = true\n"), (".config/gephost/config.toml", trusting)];
    let scene = Scene::new(&files);
    let home = scene.environment.directory.clone();
    let environment = Environment { user_config: home.join(files[1].0), ..scene.environment.clone() };
    let refused = failed(Project::open(&environment));
    assert_eq!((refused.kind, refused.code), (ErrorKind::Usage, "config_tracked"));
    assert!(refused.hint.is_some_and(|hint| hint.contains("XDG_CONFIG_HOME")));
    // A repository below that of the user's dotfiles is another one.
    let below = home.join("below");
    Repository::init(&below).expect("a repository");
    std::fs::write(below.join("gephost.toml"), files[0].1).expect("a config");
    let project = Project::open(&Environment { directory: below, ..environment.clone() }).expect("opened");
    assert_eq!(project.waiting.len(), 0, "the user's config trusts it");
    // One that git does not track is the user's.
    scene.write("own/config.toml", trusting);
    let environment = Environment { user_config: home.join("own/config.toml"), ..environment };
    assert_eq!(Project::open(&environment).expect("opened").waiting.len(), 0);
}

/// Opens the project of another user, and then puts a file where the states of that user would be.
fn without_states(scene: Scene) -> (Scene, Project) {
    let scene = scene.of_another_user();
    let project = scene.project();
    fs::create_dir_all(&scene.environment.state).expect("a folder");
    fs::write(scene.environment.state.join("projects"), "").expect("a file");
    (scene, project)
}

#[test]
fn a_state_that_cannot_be_written_fails_whatever_must_be_remembered() {
    let config = "[apply]\nenabled = true\n";
    let (scene, project) = without_states(Scene::new(&[("gephost.toml", config), ("a.txt", "a\n")]));
    for error in [
        failed(Project::open(&scene.environment)),
        failed(project.create_state()),
        failed(project.append(&proposed("gep-x", "a title"))),
        failed(project.grant_trust()),
        failed(project.undo(&RollbackOptions::default())),
    ] {
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "io"), "{error}");
        assert!(error.message.contains("/state/projects/"), "{error}");
    }
}

#[test]
fn a_dry_run_goes_on_and_says_what_of_it_is_not_kept() {
    let scene = Scene::quickstart(&[]).of_another_user();
    scene.user_config(&format!("[trust]\nfolders = [{:?}]\n", scene.environment.directory.to_str().expect("UTF-8")));
    let project = scene.project();
    project.create_state().expect("a state");
    // Files where the folders of proposals and recordings would be.
    for place in [project.state.proposals(), project.state.recordings()] {
        fs::write(place.path(), "").expect("a file");
    }
    let ran = project.run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    assert!(matches!(ran.ending, RunEnding::DryRun(None)), "{:?}", ran.ending);
    assert!(ran.proposals.proposed.passed().is_some());
    assert!(scene.noted("no proposal is saved") && scene.noted("no recording is kept"), "{:?}", scene.notes());
    // What must be kept is not lost silently.
    let error = failed(project.run(&CycleOptions::default(), &apply()));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "io"), "{error}");
    assert_eq!(scene.published(), Vec::<String>::new());
}
