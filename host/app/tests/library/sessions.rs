//! The project's own sessions in the agents' folders: found by their heads, read only after the user's yes.

use std::fs;
use std::path::PathBuf;

use gephost_app::cycle::CycleOptions;
use gephost_app::observe::{LogOptions, ReadingState};
use gephost_app::sessions::Consent;

use crate::scene::Scene;
use crate::trust::one_event;

/// A repository without logs in its config, and a home with these sessions: the name of each, and the folder in which its
/// agent worked.
fn scene(sessions: &[(&str, Option<&str>)]) -> Scene {
    let scene = Scene::new(&[("gephost.toml", "[policy]\nallow = [\"a.txt\"]\n"), ("a.txt", "a\n")]).of_another_user();
    let root = scene.environment.directory.to_str().expect("UTF-8").to_owned();
    for (name, folder) in sessions {
        let folder = folder.map_or_else(|| root.clone(), str::to_owned);
        let path = scene.environment.machine.home.join(".claude/projects/x").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, one_event().replace("\"/w\"", &format!("{folder:?}"))).expect("a log");
    }
    scene
}

fn own(scene: &Scene) -> usize {
    scene.project().discover().iter().map(|found| usize::try_from(found.own.count).expect("few")).sum()
}

fn read(scene: &Scene) -> usize {
    scene.project().observe(&LogOptions::default()).expect("an observation").files.len()
}

#[test]
fn only_sessions_of_this_project_are_found() {
    let scene = scene(&[("own.jsonl", None), ("other.jsonl", Some("/somewhere/else")), ("none.txt", None)]);
    assert_eq!(own(&scene), 1);
    let status = scene.project().status().expect("a status");
    assert_eq!(status.consent, Consent::Unasked);
    assert_eq!(status.sessions.iter().map(|found| found.own.count).sum::<u64>(), 1);
}

#[test]
fn nothing_is_read_before_the_users_yes() {
    let scene = scene(&[("own.jsonl", None), ("other.jsonl", Some("/somewhere/else"))]);
    assert_eq!(read(&scene), 0);
    scene.project().say_consent(true);
    assert_eq!(read(&scene), 1);
    let found = scene.project().diagnose(&CycleOptions::default()).expect("a diagnosis");
    assert_eq!((found.reading.state, found.reading.events), (ReadingState::Read, 2));
    scene.project().say_consent(false);
    assert_eq!(read(&scene), 0);
}

#[test]
fn what_the_user_says_is_remembered_and_can_be_forgotten() {
    let scene = scene(&[]);
    for (said, expected) in [(true, Consent::Given), (false, Consent::Refused)] {
        assert_eq!(scene.project().consent(), Consent::Unasked);
        scene.project().say_consent(said);
        assert_eq!(scene.project().consent(), expected);
        assert!(scene.project().forget_consent().expect("forgotten"));
        assert!(!scene.project().forget_consent().expect("nothing there"));
    }
}

#[test]
fn the_first_word_of_a_process_holds_for_that_process() {
    let scene = scene(&[]);
    let project = scene.project();
    project.say_consent(false);
    scene.project().say_consent(true);
    assert_eq!((project.consent(), scene.project().consent()), (Consent::Refused, Consent::Given));
}

#[test]
fn an_answer_that_cannot_be_remembered_holds_for_this_process_and_is_noted() {
    let scene = scene(&[("own.jsonl", None)]);
    let project = scene.project();
    // A file where the states of the user would be.
    fs::write(&scene.environment.state, "").expect("a file");
    project.say_consent(true);
    assert_eq!(project.consent(), Consent::Given);
    assert!(scene.noted("your answer is not remembered"), "{:?}", scene.notes());
}

#[test]
fn named_logs_and_those_of_the_config_come_instead_of_the_sessions() {
    let scene = scene(&[("own.jsonl", None)]);
    let project = scene.project();
    project.say_consent(true);
    assert!(project.takes_own_sessions(&[]));
    assert!(!project.takes_own_sessions(&[PathBuf::from("a.jsonl")]));
    scene.write("logs/b.jsonl", one_event());
    let options = LogOptions { logs: vec!["logs/b.jsonl".into()], ..LogOptions::default() };
    let files = project.observe(&options).expect("an observation").files;
    assert!(files.len() == 1 && files[0].path.ends_with("logs/b.jsonl"), "{files:?}");
    scene.write("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n");
    let project = scene.project();
    assert!(!project.takes_own_sessions(&[]));
    assert!(project.observe(&LogOptions::default()).expect("an observation").files[0].path.ends_with("b.jsonl"));
    assert!(project.status().expect("a status").sessions.is_empty(), "they are not looked for");
}

#[test]
fn outside_of_a_repository_no_session_is_the_projects_own() {
    let scene = Scene::without_git(&[("a.txt", "a\n")]).of_another_user();
    scene.project().say_consent(true);
    assert!(!scene.project().takes_own_sessions(&[]));
    assert_eq!(read(&scene), 0);
}
