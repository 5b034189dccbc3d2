//! Random operations on the virtual file system and on a real directory have the same result, and the difference turns
//! the old state of the workspace into the new one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gephost_core::proposal::Change;
use proptest::prelude::*;

use super::{Guest, Held, is_denied, workspace};
use crate::sandbox::files::FileKind;

/// A path below `/workspace` or `/tmp`.
type At = (bool, String);

#[derive(Debug, Clone)]
enum Operation {
    Write(At, &'static str),
    Append(At, &'static str),
    Resize(At, u64),
    Make(At),
    Remove(At),
    Unlink(At),
    Rename(At, At),
}

fn path() -> impl Strategy<Value = String> + Clone {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 1..4).prop_map(|names| names.join("/"))
}

fn operation(paths: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Operation> {
    let at = (prop::bool::weighted(0.8), paths);
    let text = prop::sample::select(vec!["", "x", "longer"]);
    prop_oneof![
        (at.clone(), text.clone()).prop_map(|(at, text)| Operation::Write(at, text)),
        (at.clone(), text).prop_map(|(at, text)| Operation::Append(at, text)),
        (at.clone(), 0..9_u64).prop_map(|(at, size)| Operation::Resize(at, size)),
        at.clone().prop_map(Operation::Make),
        at.clone().prop_map(Operation::Remove),
        at.clone().prop_map(Operation::Unlink),
        (at.clone(), at).prop_map(|(from, to)| Operation::Rename(from, to)),
    ]
}

/// A base without a path that is both a file and a directory.
fn base(paths: Vec<String>) -> BTreeMap<String, Held> {
    let mut scene: BTreeMap<String, Held> = BTreeMap::new();
    for path in paths {
        let clash = |other: &String| {
            *other == path || other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"))
        };
        if !scene.keys().any(clash) {
            scene.insert(path, Held::File("base"));
        }
    }
    scene
}

impl Operation {
    fn on_the_file_system(&self, guest: &mut Guest) -> bool {
        let (workspace, tmp) = (guest.workspace, guest.tmp);
        let fd = |at: &At| if at.0 { workspace } else { tmp };
        match self {
            Self::Write(at, text) => guest.write(fd(at), &at.1, text),
            Self::Append(at, text) => guest.append(fd(at), &at.1, text),
            Self::Resize(at, size) => guest.resize(fd(at), &at.1, *size),
            Self::Make(at) => guest.mkdir(fd(at), &at.1),
            Self::Remove(at) => guest.rmdir(fd(at), &at.1),
            Self::Unlink(at) => guest.unlink(fd(at), &at.1),
            Self::Rename(from, to) => guest.rename((fd(from), &from.1), (fd(to), &to.1)),
        }
        .is_ok()
    }

    fn on_disk(&self, root: &Path) -> bool {
        let real = |at: &At| -> PathBuf { root.join(if at.0 { "workspace" } else { "tmp" }).join(&at.1) };
        let open = |at: &At| fs::OpenOptions::new().append(true).open(real(at));
        match self {
            Self::Write(at, text) => fs::write(real(at), text),
            Self::Append(at, text) => open(at).and_then(|mut file| file.write_all(text.as_bytes())),
            Self::Resize(at, size) => open(at).and_then(|file| file.set_len(*size)),
            Self::Make(at) => fs::create_dir(real(at)),
            Self::Remove(at) => fs::remove_dir(real(at)),
            Self::Unlink(at) => fs::remove_file(real(at)),
            Self::Rename(from, to) => fs::rename(real(from), real(to)),
        }
        .is_ok()
    }
}

fn real_walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            real_walk(root, &path, all);
            all.insert(name + "/", Vec::new());
        } else {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_file_system_does_what_a_disk_does(
        paths in prop::collection::vec(path(), 0..6),
        operations in prop::collection::vec(operation(path()), 1..40),
    ) {
        let scene = base(paths);
        let disk = tempfile::tempdir().unwrap();
        let root = disk.path().join("workspace");
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(disk.path().join("tmp")).unwrap();
        for path in scene.keys() {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "base").unwrap();
        }
        let mut guest = Guest::new(&scene);
        for operation in &operations {
            prop_assert_eq!(operation.on_the_file_system(&mut guest), operation.on_disk(disk.path()), "{:?}", operation);
        }
        for (fd, name) in [(guest.workspace, "workspace"), (guest.tmp, "tmp")] {
            let mut real = BTreeMap::new();
            real_walk(&disk.path().join(name), &disk.path().join(name), &mut real);
            prop_assert_eq!(guest.walk(fd, "."), real);
        }
        let mut files: BTreeMap<String, Vec<u8>> = scene.keys().map(|path| (path.clone(), b"base".to_vec())).collect();
        for change in guest.difference() {
            match change {
                Change::NewContent { path, content } => prop_assert_ne!(files.insert(path, content.clone()), Some(content)),
                Change::Delete { path } => prop_assert!(files.remove(&path).is_some()),
                Change::UnifiedDiff(diff) => panic!("nothing was executable: {diff}"),
            }
        }
        let mut real = BTreeMap::new();
        real_walk(&root, &root, &mut real);
        real.retain(|path, _| !path.ends_with('/'));
        prop_assert_eq!(files, real);
    }

    /// With denied files, links and submodules about, nothing denied is read, and no change touches a link that is shown.
    /// What is hidden looks missing, so a change may take its place; the gate refuses that.
    #[test]
    fn nothing_hidden_is_read_or_changed(
        scene in prop::collection::btree_map(hostile_path(), held(), 0..8),
        operations in prop::collection::vec(operation(hostile_path()), 1..40),
    ) {
        let clash = |path: &String| scene.keys().any(|other| path.starts_with(&format!("{other}/")));
        let scene: BTreeMap<String, Held> =
            scene.iter().filter(|(path, _)| !clash(path)).map(|(path, held)| (path.clone(), secret(path, held))).collect();
        let mut guest = Guest::new(&scene);
        let shown = guest.walk(guest.workspace, ".");
        for operation in &operations {
            operation.on_the_file_system(&mut guest);
        }
        // In `/tmp` any name is free, and the bytes of a denied file are as hidden there.
        let made = guest.walk(guest.tmp, ".").into_iter().map(|(path, bytes)| (format!("/tmp/{path}"), bytes));
        for (path, bytes) in guest.walk(guest.workspace, ".").into_iter().chain(shown).chain(made) {
            prop_assert!(path.starts_with("/tmp/") || !is_denied(&path), "{}", path);
            prop_assert_ne!(bytes, b"denied", "{}", path);
        }
        let whole = workspace(&scene);
        let links: BTreeSet<&str> =
            whole.listing().filter(|(_, kind, _)| *kind == FileKind::Symlink).map(|(path, ..)| path).collect();
        for change in guest.difference() {
            let (Change::NewContent { path, .. } | Change::Delete { path }) = change else { panic!("{change:?}") };
            let at_or_above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path.as_str()]);
            let links = at_or_above.filter(|path| links.contains(*path)).count();
            prop_assert!(!is_denied(&path) && links == 0, "{}", path);
        }
    }
}

/// What is held at a path; a denied file holds what nobody may read.
fn secret(path: &str, held: &Held) -> Held {
    match held {
        Held::File(_) if is_denied(path) => Held::File("denied"),
        held => held.clone(),
    }
}

fn hostile_path() -> impl Strategy<Value = String> + Clone {
    let name = prop::sample::select(vec!["a", "b", "denied", "l"]);
    prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"))
}

fn held() -> impl Strategy<Value = Held> + Clone {
    let target = prop::collection::vec(prop::sample::select(vec!["a", "b", "denied", "l", "..", "."]), 1..4);
    prop_oneof![
        4 => Just(Held::File("base")),
        3 => target.prop_map(|names| Held::Link(names.join("/"))),
        1 => Just(Held::Other),
    ]
}
