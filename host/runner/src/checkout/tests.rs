//! Tests the checkout with every kind of entry in a folder, and with entries that are swapped concurrently.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, mknodat};

use super::*;
use crate::worktree::scratch::{Scratch, path};

const SECRET: &str = "the secret of another name";

fn policy() -> IsShown {
    let policy = gephost_core::config::Config::from_toml("[policy]\ndeny = [\"private/\"]").expect("a config").policy;
    Arc::new(move |path| !policy.denies(path))
}

fn tracked(scratch: &Scratch) -> Checkout {
    let project = Project::open(&scratch.root).expect("a repository");
    Checkout::of_project(&project, policy()).expect("a checkout")
}

fn names(checkout: &Checkout) -> Vec<&str> {
    // A directory is not a file.
    let files = checkout.list().iter().filter(|(_, kind)| *kind != FileKind::Other);
    files.map(|(path, _)| path.as_str()).collect()
}

fn text(checkout: &Checkout, at: &str) -> Result<String, ReadFailure> {
    checkout.read(&path(at)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[test]
fn present_bytes_of_what_git_tracks() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "edited");
    scratch.write("untracked.txt", "x");
    scratch.write("added.txt", "y");
    scratch.git(&["add", "added.txt"]);
    fs::remove_file(scratch.root.join("sub/b.py")).expect("a file");
    let checkout = tracked(&scratch);
    let names = names(&checkout);
    assert!(names.contains(&"added.txt") && names.contains(&"link") && names.contains(&"sub/deep/c.txt"), "{names:?}");
    assert!(!names.contains(&"untracked.txt") && !names.contains(&"sub/b.py"), "{names:?}");
    assert!(names.is_sorted());
    assert_eq!(text(&checkout, "a.txt"), Ok("edited".to_owned()));
    assert_eq!(checkout.size(&path("a.txt")), Ok(6));
    assert_eq!(checkout.link_target(&path("link")), Ok("a.txt".to_owned()));
    assert_eq!(text(&checkout, "link"), Err(ReadFailure::NotFound), "a link is never followed here");
    assert_eq!(text(&checkout, "sub"), Err(ReadFailure::NotFound));
    let below = Project::open(&scratch.root.join("sub")).expect("a repository");
    let below = Checkout::of_project(&below, policy()).expect("a checkout");
    assert_eq!(text(&below, "deep/c.txt"), Ok("c\n".to_owned()));
}

#[test]
fn what_was_replaced_since_is_not_found_and_nothing_waits() {
    let scratch = Scratch::new();
    let outside = scratch.outer.path().join("outside");
    fs::create_dir_all(outside.join("deep")).expect("a folder");
    fs::write(outside.join("deep/c.txt"), SECRET).expect("a file");
    let checkout = tracked(&scratch);
    let file = scratch.root.join("a.txt");
    let make: [(&str, &dyn Fn()); 5] = [
        ("a link", &|| symlink(outside.join("deep/c.txt"), &file).expect("a link")),
        ("a pipe", &|| mknodat(CWD, &file, FileType::Fifo, 0o600.into(), 0).expect("a pipe")),
        ("a socket", &|| drop(std::os::unix::net::UnixListener::bind(&file).expect("a socket"))),
        ("a folder", &|| fs::create_dir(&file).expect("a folder")),
        ("nothing", &|| ()),
    ];
    for (what, make) in make {
        let _ = fs::remove_file(&file);
        make();
        let begun = Instant::now();
        assert_eq!(text(&checkout, "a.txt"), Err(ReadFailure::NotFound), "{what}");
        assert_eq!(checkout.size(&path("a.txt")), Err(ReadFailure::NotFound), "{what}");
        assert!(begun.elapsed() < Duration::from_secs(1), "{what}");
        assert!(what == "a link" || checkout.link_target(&path("a.txt")).is_err(), "{what}");
        let listed = tracked(&scratch);
        assert_eq!(names(&listed).contains(&"a.txt"), what == "a link", "{what}");
        let _ = fs::remove_dir(&file);
    }
    fs::remove_dir_all(scratch.root.join("sub")).expect("a folder");
    symlink(&outside, scratch.root.join("sub")).expect("a link");
    assert_eq!(text(&checkout, "sub/deep/c.txt"), Err(ReadFailure::NotFound), "through a link");
    assert!(!names(&tracked(&scratch)).contains(&"sub/deep/c.txt"));
}

#[test]
fn an_unreadable_file_says_so_without_its_place_on_disk() {
    let scratch = Scratch::new();
    let checkout = tracked(&scratch);
    fs::write(scratch.root.join("a.txt"), vec![0; usize::try_from(MAX_BLOB_BYTES).expect("a size") + 1])
        .expect("a file");
    assert!(matches!(text(&checkout, "a.txt"), Err(ReadFailure::Failed(reason)) if reason.contains("more than the")));
    fs::set_permissions(scratch.root.join("run.sh"), PermissionsExt::from_mode(0o000)).expect("our file");
    match text(&checkout, "run.sh") {
        Err(ReadFailure::Failed(reason)) => assert!(!reason.contains('/'), "{reason}"),
        // The superuser can read everything.
        other => assert!(rustix::process::geteuid().is_root() && other.is_ok(), "{other:?}"),
    }
}

#[test]
fn a_second_name_of_a_denied_file_is_found_out() {
    let scratch = Scratch::new();
    scratch.write(".env", SECRET);
    scratch.write("private/key", SECRET);
    for (denied, name) in [(".env", "notes.txt"), ("private/key", "sub/notes.txt"), (".git/config", "config.txt")] {
        fs::hard_link(scratch.root.join(denied), scratch.root.join(name)).expect("a second name");
        scratch.git(&["add", "-f", name]);
        let checkout = tracked(&scratch);
        assert!(names(&checkout).contains(&name));
        assert_eq!(text(&checkout, name), Err(ReadFailure::NotFound), "{name} is {denied}");
        assert_eq!(checkout.size(&path(name)), Err(ReadFailure::NotFound), "{name} is {denied}");
    }
}

#[test]
fn a_second_name_made_after_the_look_is_found_out_too() {
    let scratch = Scratch::new();
    scratch.write(".env", SECRET);
    scratch.write("x", "x");
    scratch.write("y", "y");
    scratch.git(&["add", "x", "y"]);
    fs::hard_link(scratch.root.join("x"), scratch.root.join("x2")).expect("a second name");
    let checkout = tracked(&scratch);
    assert_eq!(text(&checkout, "x"), Ok("x".to_owned()), "both names are shown; the folder was looked through");
    fs::remove_file(scratch.root.join("y")).expect("a file");
    fs::hard_link(scratch.root.join(".env"), scratch.root.join("y")).expect("a second name");
    assert_eq!(text(&checkout, "y"), Err(ReadFailure::NotFound));
}

#[test]
fn a_name_outside_shows_only_what_git_has() {
    let scratch = Scratch::new();
    let backup = scratch.outer.path().join("backup");
    fs::hard_link(scratch.root.join("a.txt"), &backup).expect("a backup");
    let checkout = tracked(&scratch);
    assert_eq!(text(&checkout, "a.txt"), Ok("one\n".to_owned()), "a backup by hard links breaks nothing");
    assert_eq!(checkout.size(&path("a.txt")), Ok(4));
    fs::write(&backup, SECRET).expect("our file");
    assert_eq!(text(&tracked(&scratch), "a.txt"), Err(ReadFailure::NotFound), "it holds what git does not");
}

#[test]
fn a_folder_without_git_shows_plain_names_only() {
    let outer = tempfile::tempdir().expect("a folder");
    let root = outer.path();
    for (name, text) in [
        ("a.txt", "a"),
        ("dir/b.txt", "b"),
        (".ssh/id", SECRET),
        (".netrc", SECRET),
        ("private/key", SECRET),
        ("dir/.hidden", "x"),
    ] {
        fs::create_dir_all(root.join(name).parent().expect("a parent")).expect("a folder");
        fs::write(root.join(name), text).expect("a file");
    }
    symlink("/etc", root.join("etc")).expect("a link");
    mknodat(CWD, root.join("pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff.txt");
    fs::write(root.join::<&std::ffi::OsStr>(odd), "x").expect("a file");
    let checkout = Checkout::of_folder(root, policy()).expect("a checkout");
    assert_eq!(names(&checkout), ["a.txt", "dir/b.txt", "etc"]);
    assert_eq!(text(&checkout, "dir/b.txt"), Ok("b".to_owned()));
    assert_eq!(text(&checkout, "etc/passwd"), Err(ReadFailure::NotFound));
    fs::hard_link(root.join(".netrc"), root.join("dir/c.txt")).expect("a second name");
    fs::hard_link(root.join("a.txt"), outer.path().join("dir/d.txt")).expect("a second name");
    assert_eq!(text(&checkout, "a.txt"), Ok("a".to_owned()), "two shown names");
    let checkout = Checkout::of_folder(root, policy()).expect("a checkout");
    assert_eq!(text(&checkout, "dir/c.txt"), Err(ReadFailure::NotFound), "the other name starts with a dot");
}

#[test]
fn folders_that_are_deep_or_huge_are_bounded() {
    let outer = tempfile::tempdir().expect("a folder");
    let mut deep = outer.path().to_owned();
    for _ in 0..1000 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).expect("a deep folder");
    fs::write(deep.join("x"), "x").expect("a file");
    fs::write(outer.path().join("n".repeat(255)), "x").expect("a file");
    fs::write(outer.path().join("top"), "x").expect("a file");
    let checkout = Checkout::of_folder(outer.path(), policy()).expect("a checkout");
    assert_eq!(checkout.list().len(), 2, "no path deeper than a path may be");
    let root = Root::open(outer.path()).expect("a folder");
    for number in 0..50 {
        mknodat(CWD, outer.path().join(number.to_string()), FileType::RegularFile, 0o600.into(), 0).expect("a file");
    }
    // Hidden names count too, so that a folder full of them cannot keep the host busy.
    let refused = list::everything(&root, &|_| false, 50).expect_err("too many");
    assert!(refused.to_string().contains("-C"), "{refused}");
    assert!(list::everything(&root, &|_| false, 60).expect("not too many").is_empty());
}

/// Ends the other thread of a test however the test ends.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps names until told to stop.
fn swap(root: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        for (name, other) in [("sub", "sub.other"), ("a.txt", "a.link"), ("run.sh", "run.pipe")] {
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            // If the file system does not support it, the names stay, and the test covers less.
            let _ = rustix::fs::renameat_with(CWD, root.join(name), CWD, root.join(other), flags);
        }
    }
}

#[test]
fn whoever_swaps_names_meanwhile_gets_nothing_out_and_nothing_stuck() {
    let scratch = Scratch::new();
    let outside = scratch.outer.path().join("outside");
    fs::create_dir_all(outside.join("deep")).expect("a folder");
    fs::write(outside.join("deep/c.txt"), SECRET).expect("a file");
    symlink(&outside, scratch.root.join("sub.other")).expect("a link");
    symlink(outside.join("deep/c.txt"), scratch.root.join("a.link")).expect("a link");
    let checkout = tracked(&scratch);
    mknodat(CWD, scratch.root.join("run.pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let (mut found, mut gone) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| swap(&scratch.root, &stop));
        let _stop = Stop(&stop);
        while begun.elapsed() < Duration::from_secs(2) {
            for name in ["sub/deep/c.txt", "a.txt", "run.sh"] {
                match text(&checkout, name) {
                    Ok(text) => {
                        found += 1;
                        assert_ne!(text, SECRET, "{name} led outside");
                    }
                    Err(ReadFailure::NotFound) => gone += 1,
                    Err(other) => panic!("{name}: {other}"),
                }
            }
        }
    });
    assert!(begun.elapsed() < Duration::from_secs(4), "a read waited");
    assert!(found > 0 && gone > 0, "the swapping did nothing: {found} {gone}");
}

#[test]
fn a_hundred_thousand_files_are_listed_and_read_soon() {
    let outer = tempfile::tempdir().expect("a folder");
    for number in 0..MAX_NAMES {
        let name = outer.path().join(format!("file-{number}.txt"));
        mknodat(CWD, name, FileType::RegularFile, 0o600.into(), 0).expect("a file");
    }
    let begun = Instant::now();
    let checkout = Checkout::of_folder(outer.path(), policy()).expect("as many as there may be");
    assert_eq!(checkout.list().len(), MAX_NAMES);
    fs::write(outer.path().join("file-7.txt"), "seven").expect("a file");
    assert_eq!(text(&checkout, "file-7.txt"), Ok("seven".to_owned()));
    // A second name makes the whole folder be searched, once.
    fs::hard_link(outer.path().join("file-7.txt"), outer.path().join("file-8.link")).expect("a second name");
    for _ in 0..1000 {
        assert_eq!(text(&checkout, "file-7.txt"), Ok("seven".to_owned()));
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    fs::write(outer.path().join("one-more.txt"), "").expect("a file");
    assert!(matches!(Checkout::of_folder(outer.path(), policy()), Err(CheckoutError::TooManyFiles)));
}

#[test]
fn names_that_look_alike_are_files_of_their_own_or_none() {
    let scratch = Scratch::new();
    let (composed, decomposed) = ("caf\u{e9}.txt", "cafe\u{301}.txt");
    for (name, content) in [("Name.txt", "upper"), ("name.txt", "lower"), (composed, "one"), (decomposed, "two")] {
        fs::write(scratch.root.join(name), content).expect("a file");
    }
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"caf\xe9.txt");
    fs::write(scratch.root.join(odd), "latin").expect("a file");
    let folds_case = fs::read(scratch.root.join("Name.txt")).is_ok_and(|bytes| bytes == b"lower");
    scratch.git(&["-c", "core.precomposeUnicode=false", "add", "-A"]);
    let without_git = Checkout::of_folder(&scratch.root, policy()).expect("a checkout");
    for checkout in [tracked(&scratch), without_git] {
        let listed = names(&checkout);
        assert!(!listed.iter().any(|name| *name == decomposed || name.contains('\u{fffd}')), "{listed:?}");
        assert_eq!(text(&checkout, composed), Ok("one".to_owned()), "not the other spelling's");
        if !folds_case {
            assert_eq!(text(&checkout, "Name.txt"), Ok("upper".to_owned()));
            assert_eq!(text(&checkout, "name.txt"), Ok("lower".to_owned()));
        }
    }
}

#[test]
fn a_device_is_no_file() {
    let outer = tempfile::tempdir().expect("a folder");
    let device = rustix::fs::makedev(1, 5);
    // Creating one needs the superuser's rights, and a file system that allows it.
    if mknodat(CWD, outer.path().join("zero"), FileType::CharacterDevice, 0o666.into(), device).is_err() {
        return;
    }
    let checkout = Checkout::of_folder(outer.path(), policy()).expect("a checkout");
    assert!(names(&checkout).is_empty());
    assert_eq!(text(&checkout, "zero"), Err(ReadFailure::NotFound), "reading it would never end");
}

/// Makes a file too long to read, empty, short, missing and present again, until told to stop.
fn resize(file: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let _ = fs::write(file, "short");
        if let Ok(open) = fs::File::options().write(true).open(file) {
            let _ = open.set_len(MAX_BLOB_BYTES + 1);
            let _ = open.set_len(0);
        }
        let _ = fs::remove_file(file);
    }
}

#[test]
fn a_file_that_grows_shrinks_and_goes_while_it_is_read_is_what_it_was_at_one_time() {
    let outer = tempfile::tempdir().expect("a folder");
    let file = outer.path().join("a.txt");
    fs::write(&file, "short").expect("a file");
    let checkout = Checkout::of_folder(outer.path(), policy()).expect("a checkout");
    let stop = AtomicBool::new(false);
    let (begun, mut read, mut others) = (Instant::now(), 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| resize(&file, &stop));
        let _stop = Stop(&stop);
        while begun.elapsed() < Duration::from_secs(1) {
            match checkout.read_at_most(&path("a.txt"), 1024) {
                Ok(bytes) => {
                    // A file that was extended contains zeros.
                    let zeroes = bytes.iter().rev().take_while(|byte| **byte == 0).count();
                    let written = bytes.get(..bytes.len() - zeroes).unwrap_or_default();
                    assert!(bytes.len() <= 1024 && matches!(written, b"" | b"short"), "{bytes:?}");
                    read += 1;
                }
                Err(ContentError::TooLarge(size)) => assert!(size > 1024),
                Err(ContentError::Source(ReadFailure::NotFound)) => others += 1,
                Err(ContentError::Source(other)) => panic!("{other}"),
            }
        }
    });
    assert!(read > 0 && others > 0, "the file stood still: {read} {others}");
}
