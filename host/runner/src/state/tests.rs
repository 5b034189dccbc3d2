//! Old state that is moved or left alone, and states that are listed, adopted and removed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use gephost_core::digest::sha256_hex;
use gephost_core::event_log::EntryBody;
use jiff::Timestamp;

use super::*;
use crate::event_log::EventLog;
use crate::place::Place;
use crate::worktree::scratch::Scratch;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

struct Scene {
    scratch: Scratch,
    home: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let scratch = Scratch::new();
        let home = scratch.outer.path().join("home");
        Self { scratch, home }
    }

    fn user(&self) -> UserFolders {
        UserFolders::new(&self.home.join("state"), &self.home.join("cache"))
    }

    fn state(&self) -> StateFolder {
        self.state_in(&self.scratch.root)
    }

    fn state_in(&self, root: &Path) -> StateFolder {
        StateFolder::new(root, &self.user(), None).expect("a folder")
    }

    /// What a gephost before this one left, with its head in the home if `is_ours`.
    fn leave_earlier_state(&self, is_ours: bool) {
        let root = &self.scratch.root;
        let head = sha256_hex(root.as_os_str().as_encoded_bytes());
        let heads = if is_ours { self.user().state.join("heads") } else { Place::own(&self.home).join("elsewhere") };
        let log = EventLog::new(&Place::shared(root).join(".gephost/log.jsonl"), &heads.join(head));
        for text in ["one", "two"] {
            log.append(NOW, &EntryBody::Note { text: text.to_owned() }).expect("a log");
        }
        for file in ["runs/s/20260101.jsonl", "proposals/p.json", "recordings/blobs/b", ".gitignore", "gep/genes.json"]
        {
            self.scratch.write(&format!(".gephost/{file}"), file);
        }
    }

    fn entries(&self) -> usize {
        let state = self.state();
        EventLog::new(&state.log(), state.head()).read_all().expect("a sound log").len()
    }
}

#[test]
fn what_an_earlier_gephost_left_is_moved_once() {
    let scene = Scene::new();
    scene.leave_earlier_state(true);
    let (old, state) = (scene.scratch.root.join(".gephost"), scene.state());
    let Moved::All { from, to } = Earlier::of(&state).settle(NOW).expect("moved") else { panic!("not moved") };
    assert_eq!((from, to), (old.clone(), state.root().path()));
    assert_eq!(scene.entries(), 2);
    for file in ["runs/s/20260101.jsonl", "proposals/p.json", "recordings/blobs/b"] {
        assert_eq!(fs::read_to_string(state.root().join(file).path()).expect("a file"), file);
    }
    let mut left: Vec<_> =
        fs::read_dir(&old).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    left.sort();
    assert_eq!(left, [".gitignore", "gep"], "only the assets stay");
    assert_eq!(Earlier::of(&state).settle(NOW).expect("nothing to do"), Moved::Nothing);
    scene.scratch.write(".gephost/log.jsonl", "somebody else's");
    assert_eq!(Earlier::of(&state).settle(NOW).expect("nothing to do"), Moved::Nothing, "there is a state already");
}

#[test]
fn what_nobody_vouches_for_is_left_alone() {
    type Harm = fn(&Scene);
    let harms: [(&str, bool, Harm); 8] = [
        ("no log of yours", true, |scene| {
            fs::remove_dir_all(scene.home.join("state")).expect("ours");
            fs::remove_file(scene.scratch.root.join(".gephost/log.jsonl")).expect("ours");
        }),
        ("has no head", false, |_| {}),
        ("edited", true, |scene| {
            let log = scene.scratch.root.join(".gephost/log.jsonl");
            let text = fs::read_to_string(&log).expect("a log");
            fs::write(log, text.replace("two", "2wo")).expect("a log");
        }),
        ("truncated", true, |scene| fs::remove_file(scene.scratch.root.join(".gephost/log.jsonl")).expect("ours")),
        ("git tracks", true, |scene| drop(scene.scratch.git(&["add", "-f", ".gephost/proposals"]))),
        ("symbolic link", true, |scene| {
            let outside = scene.scratch.outer.path().join("outside");
            fs::create_dir(&outside).expect("a folder");
            fs::write(outside.join("secret.jsonl"), "theirs").expect("a file");
            symlink(outside, scene.scratch.root.join(".gephost/runs/link")).expect("a link");
        }),
        ("not a regular file", true, |scene| {
            let pipe = scene.scratch.root.join(".gephost/proposals/pipe");
            rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        }),
        ("symbolic link", true, |scene| {
            let (own, moved) = (scene.scratch.root.join(".gephost"), scene.scratch.outer.path().join("moved"));
            fs::rename(&own, &moved).expect("ours");
            symlink(moved, own).expect("a link");
        }),
    ];
    for (says, is_ours, harm) in harms {
        let scene = Scene::new();
        scene.leave_earlier_state(is_ours);
        harm(&scene);
        let before = fs::read_dir(scene.scratch.root.join(".gephost")).expect("a folder").count();
        let found = Earlier::of(&scene.state()).settle(NOW).expect(says);
        let Moved::LeftAlone { reason, .. } = found else { panic!("{says}: {found:?}") };
        assert!(reason.contains(says), "{says}: {reason}");
        assert!(!scene.state().root().exists().expect("a look"), "{says}: nothing was moved");
        let after = fs::read_dir(scene.scratch.root.join(".gephost")).expect("a folder").count();
        // The lock of the earlier gephost may be new.
        assert!(after == before || after == before + 1, "{says}");
    }
}

#[test]
fn an_earlier_gephost_at_work_is_not_disturbed() {
    let scene = Scene::new();
    scene.leave_earlier_state(true);
    let lock = Place::shared(&scene.scratch.root).join(".gephost/lock");
    let _held = crate::instance::Instance::take(&lock, "autopilot", NOW).expect("free");
    assert!(matches!(Earlier::of(&scene.state()).settle(NOW), Err(EarlierError::Busy(_))));
    assert!(scene.scratch.root.join(".gephost/log.jsonl").exists());
}

#[test]
fn a_moved_clone_gets_its_state_back() {
    let scene = Scene::new();
    scene.state().create(Timestamp::now()).expect("a state");
    let (from, moved) = (scene.state(), scene.scratch.root.with_file_name("moved"));
    let user = scene.user();
    let projects = Projects::new(&user);
    fs::create_dir(&moved).expect("a folder");
    let early = projects.adopt(from.id(), &scene.state_in(&moved), NOW);
    assert!(matches!(early, Err(ProjectsError::StillThere { .. })), "{early:?}");
    fs::remove_dir(&moved).expect("ours");
    fs::rename(&scene.scratch.root, &moved).expect("ours");
    let to = scene.state_in(&moved);
    let found = projects.of_moved(to.identity()).expect("a list");
    assert_eq!(found.iter().map(|known| known.id.as_str()).collect::<Vec<_>>(), [from.id()]);
    fs::write(from.root().join("mine").path(), "mine").expect("a file");
    projects.adopt(from.id(), &to, NOW).expect("adopted");
    assert!(!from.root().exists().expect("a look"));
    assert_eq!(fs::read_to_string(to.root().join("mine").path()).expect("a file"), "mine");
    let list = projects.list().expect("a list");
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].whose.as_ref().expect("ours").0, *to.identity());
    assert!(matches!(projects.adopt(to.id(), &to, NOW), Err(ProjectsError::HasOne(_))));
    assert!(matches!(projects.adopt("unknown", &scene.state_in(&scene.home), NOW), Err(ProjectsError::Unknown(_))));
}

#[test]
fn only_a_state_with_the_mark_of_this_installation_is_removed() {
    let scene = Scene::new();
    let (state, user) = (scene.state(), scene.user());
    state.create(NOW).expect("a state");
    let projects = Projects::new(&user);
    let file = state.root().join("project.json").path();
    let whole = fs::read_to_string(&file).expect("a file");
    let mark = whole.split('"').nth(5).expect("the mark");
    for text in [whole.replace(mark, "0123456789abcdef"), "{}".to_owned(), String::new()] {
        fs::write(&file, text).expect("a file");
        assert!(matches!(projects.remove(state.id(), NOW), Err(ProjectsError::NotMarked(_))));
    }
    // A copy of a marked state under another name is not marked.
    let copy = state.root().parent().join("copy");
    copy.create().expect("a folder");
    fs::write(copy.join("project.json").path(), &whole).expect("a file");
    assert!(matches!(projects.remove("copy", NOW), Err(ProjectsError::NotMarked(_))));
    assert!(matches!(projects.remove("../projects", NOW), Err(ProjectsError::Unknown(_))));
    fs::write(&file, whole).expect("a file");
    projects.remove(state.id(), NOW).expect("removed");
    assert!(!state.root().exists().expect("a look") && copy.exists().expect("a look"));
}

#[test]
fn a_clone_in_the_place_of_another_is_noted_once() {
    let scene = Scene::new();
    scene.state().create(NOW).expect("a state");
    assert!(!scene.state().note_replaced(NOW).expect("a look"));
    let git = scene.scratch.root.join(".git");
    fs::rename(&git, scene.scratch.root.join("old")).expect("ours");
    fs::create_dir(&git).expect("a folder");
    assert!(scene.state().note_replaced(NOW).expect("a look"));
    assert!(!scene.state().note_replaced(NOW).expect("a look"));
}

#[test]
fn assets_lie_in_the_project_and_state_does_not() {
    let scene = Scene::new();
    let root = &scene.scratch.root;
    assert_eq!(scene.state().assets().path(), root.join(".gephost/gep"));
    fs::create_dir_all(root.join("assets/gep")).expect("folders");
    assert_eq!(scene.state().assets().path(), root.join("assets/gep"));
    let named = StateFolder::new(root, &scene.user(), Some(Path::new("/named"))).expect("a folder");
    assert_eq!(named.assets().path(), Path::new("/named"));
    scene.state().create(NOW).expect("a state");
    assert!(!root.join(".gephost").exists());
    assert_eq!(scene.state().stop().path(), root.join(".gephost/STOP"));
}
