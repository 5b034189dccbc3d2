//! What a hostile folder can put in the way of a place.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use super::*;
use crate::durable::{self, Access};

/// A folder beside another one that nobody may touch.
struct Scene {
    outer: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let outer = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(outer.path().join("outside/deep")).expect("folders");
        fs::write(outer.path().join("outside/deep/file"), "theirs").expect("a file");
        fs::create_dir_all(outer.path().join("root/real")).expect("folders");
        Self { outer }
    }

    fn root(&self) -> Place {
        Place::own(&self.outer.path().join("root"))
    }

    fn outside(&self) -> String {
        let folder = self.outer.path().join("outside");
        let names: Vec<_> = fs::read_dir(folder.join("deep")).expect("a folder").flatten().collect();
        assert_eq!(names.len(), 1, "nothing is added outside");
        fs::read_to_string(folder.join("deep/file")).expect("it stays")
    }
}

/// Everything that gephost does with a file, at this place. Gives what was reached.
fn acts(place: &Place) -> Vec<&'static str> {
    let mut reached = Vec::new();
    let mut note = |what, ok: bool| reached.extend(ok.then_some(what));
    note("read", place.read(100).is_ok_and(|bytes| bytes.is_some()));
    note("append", durable::open_to_append(place, Access::Private).is_ok());
    note("put", place.write(b"ours").is_ok());
    note("replace", durable::replace(place, b"ours", Access::Shared).is_ok());
    note("list", place.parent().files().is_ok_and(|files| !files.is_empty()));
    note("remove", durable::remove(place).is_ok_and(|was_there| was_there));
    reached
}

#[test]
fn a_link_on_the_way_is_never_followed() {
    let scene = Scene::new();
    let root = scene.outer.path().join("root");
    symlink(scene.outer.path().join("outside"), root.join("absolute")).expect("a link");
    symlink("../outside", root.join("relative")).expect("a link");
    symlink("../../outside/deep", root.join("real/deep")).expect("a link");
    for path in ["absolute/deep/file", "relative/deep/file", "real/deep/file"] {
        assert_eq!(acts(&scene.root().join(path)), [""; 0], "{path}");
        assert!(scene.root().join(path).create().is_err(), "{path}");
    }
    assert_eq!(scene.outside(), "theirs");
}

#[test]
fn a_link_in_a_files_place_is_replaced_or_removed_itself_and_never_followed() {
    let scene = Scene::new();
    let file = scene.root().join("real/file");
    symlink("../../outside/deep/file", file.path()).expect("a link");
    assert!(file.read(100).is_err() && durable::open_to_append(&file, Access::Private).is_err());
    assert!(durable::replace(&file, b"ours", Access::Private).is_err());
    assert!(file.exists().expect("a look"), "the link itself is there");
    assert!(durable::remove(&file).expect("the link goes"));
    assert_eq!(scene.outside(), "theirs");
}

#[test]
fn names_that_climb_are_missing() {
    let scene = Scene::new();
    let outside = scene.outer.path().join("outside/deep/file");
    for path in ["../outside/deep/file", "real/../../outside/deep/file", "..", ".", &outside.to_string_lossy()] {
        let place = scene.root().join(path);
        assert_eq!(place.read(100).expect(path), None);
        assert!(place.write(b"ours").is_err(), "{path}");
    }
    assert_eq!(scene.outside(), "theirs");
}

#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let scene = Scene::new();
    let (root, real) = (scene.root(), scene.outer.path().join("root/real"));
    let file = root.join("real/file");
    assert_eq!(acts(&file), ["append", "put", "replace", "list", "remove"]);
    fs::remove_dir_all(&real).expect("ours");
    symlink("../outside/deep", &real).expect("a link");
    assert_eq!(acts(&file), [""; 0]);
    assert_eq!(scene.outside(), "theirs");
    fs::remove_file(&real).expect("ours");
    fs::write(&real, "a file in the folder's place").expect("a file");
    assert_eq!(acts(&file), [""; 0]);
}

#[test]
fn the_root_that_was_opened_stays_the_root() {
    let scene = Scene::new();
    let root = scene.root();
    root.join("real/file").write(b"ours").expect("a file");
    let moved = scene.outer.path().join("moved");
    fs::rename(root.path(), &moved).expect("ours");
    symlink(scene.outer.path().join("outside/deep"), root.path()).expect("a link");
    root.join("real/other").write(b"ours").expect("a file");
    assert!(moved.join("real/other").exists());
    assert_eq!(scene.outside(), "theirs");
}

#[test]
fn pipes_sockets_and_folders_are_no_files() {
    let scene = Scene::new();
    let real = scene.outer.path().join("root/real");
    for (name, kind) in [("pipe", rustix::fs::FileType::Fifo), ("socket", rustix::fs::FileType::Socket)] {
        rustix::fs::mknodat(rustix::fs::CWD, real.join(name), kind, 0o600.into(), 0).expect("a special file");
    }
    fs::create_dir(real.join("folder")).expect("a folder");
    for name in ["pipe", "socket", "folder"] {
        let place = scene.root().join("real").join(name);
        assert!(place.read(100).is_err(), "{name}");
        assert!(durable::open_to_append(&place, Access::Private).is_err(), "{name}");
    }
    assert!(scene.root().join("real/pipe/below").write(b"x").is_err());
}

#[test]
fn a_file_with_a_second_name_is_read_replaced_and_removed_and_never_written_to() {
    let scene = Scene::new();
    let (root, theirs) = (scene.root(), scene.outer.path().join("outside/deep/file"));
    let file = root.join("real/file");
    let link = || fs::hard_link(&theirs, file.path()).expect("a hard link");
    link();
    assert_eq!(file.read(100).expect("it may be read").as_deref(), Some(b"theirs".as_slice()));
    let refused = durable::open_to_append(&file, Access::Private).expect_err("it has two names").to_string();
    assert!(refused.contains("second name"), "{refused}");
    assert!(file.open(OFlags::WRONLY, Mode::empty()).is_err());
    // Whatever puts a whole file in its place makes another file.
    for put in [Place::write, Place::replace] {
        put(&file, b"ours").expect("another file");
        assert_eq!(file.read(100).expect("a file").as_deref(), Some(b"ours".as_slice()));
        assert_eq!(scene.outside(), "theirs");
        durable::open_to_append(&file, Access::Private).expect("it has one name now");
        assert!(file.remove().expect("ours"));
        link();
    }
    assert!(file.remove().expect("the name goes"));
    assert_eq!(scene.outside(), "theirs");
}

#[test]
fn a_huge_file_of_holes_is_refused_and_a_small_one_is_read() {
    let scene = Scene::new();
    let file = scene.root().join("real/file");
    let with_size = |bytes| {
        let made = fs::File::create(file.path()).expect("a file");
        made.set_len(bytes).expect("a hole");
    };
    with_size(40 << 30);
    for refused in [durable::open_to_read(&file).map(drop), durable::open_to_append(&file, Access::Shared).map(drop)] {
        let refused = refused.expect_err("nobody wrote 40 GiB").to_string();
        assert!(refused.contains("42949672960 bytes") && refused.contains("holes"), "{refused}");
    }
    with_size(LARGE_BYTES);
    let opened = durable::open_to_read(&file).expect("it is no larger than others").expect("it is there");
    assert_eq!(opened.metadata().expect("a file").len(), LARGE_BYTES);
}

#[test]
fn what_another_user_owns_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give files away.
    }
    let scene = Scene::new();
    let real = scene.outer.path().join("root/real");
    fs::write(real.join("file"), "theirs").expect("a file");
    chown(real.join("file"), Some(12_345), None).expect("we are root");
    let refused = scene.root().join("real/file").read(100).expect_err("it is theirs").to_string();
    assert_eq!(refused, "it belongs to user 12345, and this is user 0");
    chown(&real, Some(12_345), None).expect("we are root");
    assert!(scene.root().join("real/new").write(b"x").is_err(), "a folder of theirs");
    chown(scene.root().path(), Some(12_345), None).expect("we are root");
    assert!(scene.root().join("new").write(b"x").is_err(), "a root of theirs");
    Place::shared(&scene.root().path()).join("real/new").write(b"x").expect("a project may be anybody's");
}

#[test]
fn a_root_is_made_for_this_user_alone_and_looking_makes_nothing() {
    let scene = Scene::new();
    let root = Place::own(&scene.outer.path().join("a/b"));
    assert!(!root.exists().unwrap_or(false) && root.join("c").read(1).expect("a look").is_none());
    assert!(!scene.outer.path().join("a").exists());
    root.join("c/d").create().expect("folders");
    let mode = |path: &Path| fs::metadata(path).expect("a folder").permissions().mode() & 0o777;
    assert_eq!((mode(&root.path()), mode(&root.join("c/d").path())), (0o700, 0o700));
}
