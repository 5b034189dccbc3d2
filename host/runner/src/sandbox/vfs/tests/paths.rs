//! Every trick with a path, and the functions that no language's library calls in these ways.

use std::collections::BTreeMap;

use super::*;

fn scene(held: &[(&str, Held)]) -> BTreeMap<String, Held> {
    held.iter().map(|(path, held)| ((*path).to_owned(), held.clone())).collect()
}

fn link(target: &str) -> Held {
    Held::Link(target.to_owned())
}

fn guest() -> Guest {
    Guest::new(&scene(&[
        ("README.md", Held::File("hello")),
        ("denied/key", Held::File("denied")),
        ("src/denied", Held::File("denied")),
        ("src/main.py", Held::File("main")),
        ("src/to-root", link("../README.md")),
        ("src/to-denied", link("denied")),
        ("sub", Held::Other),
        ("dir/f", Held::File("f")),
    ]))
}

#[test]
fn paths_are_read_as_they_are_spelled_or_not_at_all() {
    let mut guest = guest();
    let fd = guest.workspace;
    let long = "a".repeat(256);
    let longer = "a/".repeat(2049);
    for (path, expected) in [
        ("README.md", Ok("hello")),
        ("./README.md", Ok("hello")),
        ("src/../README.md", Ok("hello")),
        ("src/to-root", Ok("hello")),
        ("nowhere/../README.md", Err(ErrorCode::NoEntry)),
        ("README.md/../README.md", Err(ErrorCode::NotDirectory)),
        ("README.md/", Err(ErrorCode::NotDirectory)),
        ("README.md/.", Err(ErrorCode::NotDirectory)),
        ("readme.md", Err(ErrorCode::NoEntry)),
        ("README.md.", Err(ErrorCode::NoEntry)),
        ("README.md ", Err(ErrorCode::NoEntry)),
        ("src\\main.py", Err(ErrorCode::NoEntry)),
        ("", Err(ErrorCode::NoEntry)),
        ("..", Err(ErrorCode::NotPermitted)),
        ("src/../../README.md", Err(ErrorCode::NotPermitted)),
        ("/README.md", Err(ErrorCode::NotPermitted)),
        ("/etc/passwd", Err(ErrorCode::NotPermitted)),
        ("README.md\0", Err(ErrorCode::Invalid)),
        (&*long, Err(ErrorCode::NameTooLong)),
        (&*longer, Err(ErrorCode::NameTooLong)),
        ("denied", Err(ErrorCode::NoEntry)),
        ("denied/key", Err(ErrorCode::NoEntry)),
        ("src/denied", Err(ErrorCode::NoEntry)),
        ("src/to-denied", Err(ErrorCode::NoEntry)),
        ("sub", Err(ErrorCode::NoEntry)),
        ("src", Err(ErrorCode::IsDirectory)),
    ] {
        let read = guest.read(fd, path).map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(read, expected.map(str::to_owned), "{path:?}");
    }
}

#[test]
fn nothing_is_made_where_something_is_denied() {
    let mut guest = guest();
    let fd = guest.workspace;
    for path in ["denied", "src/denied"] {
        assert_eq!(guest.write(fd, path, "x"), Err(ErrorCode::NotPermitted), "{path}");
        assert_eq!(guest.mkdir(fd, path), Err(ErrorCode::NotPermitted), "{path}");
        assert_eq!(guest.rename((fd, "README.md"), (fd, path)), Err(ErrorCode::NotPermitted), "{path}");
        assert_eq!(guest.unlink(fd, path), Err(ErrorCode::NoEntry), "{path}");
    }
    guest.mkdir(fd, "new").unwrap();
    guest.mkdir(guest.tmp, "denied").unwrap();
    assert_eq!(guest.rename((fd, "new"), (fd, "denied")), Err(ErrorCode::NotPermitted));
    guest.mkdir(guest.tmp, "x").unwrap();
    guest.write(guest.tmp, "x/denied", "text").unwrap();
    assert_eq!(
        guest.rename((guest.tmp, "x"), (fd, "x")),
        Err(ErrorCode::NotPermitted),
        "an entry below is asked for too"
    );
    assert_eq!(guest.read(guest.tmp, "x/denied").as_deref(), Ok(&b"text"[..]), "and nothing moved");
}

#[test]
fn a_descriptor_is_no_way_up_but_a_link_of_the_host_is() {
    let mut guest = guest();
    let src = guest.open(guest.workspace, "src", OpenFlags::DIRECTORY, DescriptorFlags::READ).unwrap();
    assert_eq!(guest.read(src, "../README.md"), Err(ErrorCode::NotPermitted));
    assert_eq!(guest.read(src, "to-root").as_deref(), Ok(&b"hello"[..]));
}

#[test]
fn a_directory_that_is_open_moves_with_its_name() {
    let mut guest = guest();
    let fd = guest.workspace;
    let open = guest.open(fd, "dir", OpenFlags::DIRECTORY, DescriptorFlags::READ).unwrap();
    guest.rename((fd, "dir"), (guest.tmp, "moved")).unwrap();
    assert_eq!(guest.read(open, "f").as_deref(), Ok(&b"f"[..]));
    guest.write(open, "g", "g").unwrap();
    assert_eq!(guest.read(guest.tmp, "moved/g").as_deref(), Ok(&b"g"[..]));
    guest.unlink(open, "f").unwrap();
    guest.unlink(open, "g").unwrap();
    guest.rmdir(guest.tmp, "moved").unwrap();
    assert_eq!(guest.write(open, "h", "h"), Err(ErrorCode::NoEntry), "its directory is gone");
    assert_eq!(guest.list(open, "."), Err(ErrorCode::NoEntry));
}

#[test]
fn a_listing_that_is_open_goes_on_while_names_come_and_go() {
    let mut guest = Guest::new(&BTreeMap::new());
    for name in ["a", "b", "c", "d"] {
        guest.write(guest.tmp, name, "").unwrap();
    }
    let tmp = guest.tmp;
    let stream = said(guest.view().read_directory(at(tmp))).unwrap().rep();
    let next = |guest: &mut Guest| {
        said(guest.view().read_directory_entry(Resource::new_borrow(stream))).unwrap().map(|entry| entry.name)
    };
    assert_eq!(next(&mut guest).as_deref(), Some("a"));
    guest.unlink(tmp, "a").unwrap();
    guest.unlink(tmp, "b").unwrap();
    guest.write(tmp, "cc", "").unwrap();
    for expected in [Some("c"), Some("cc"), Some("d"), None, None] {
        assert_eq!(next(&mut guest).as_deref(), expected);
    }
}

#[test]
fn identities_tell_files_apart_and_nothing_of_hidden_ones() {
    let with = |held: &[(&str, Held)]| {
        let mut guest = Guest::new(&scene(held));
        let fd = guest.workspace;
        let mut hash = |path: &str| {
            let hash = said(guest.view().metadata_hash_at(at(fd), PathFlags::empty(), path.to_owned())).unwrap();
            (hash.lower, hash.upper)
        };
        [hash("a"), hash("z"), hash(".")]
    };
    let plain = with(&[("a", Held::File("")), ("z", Held::File(""))]);
    let hiding =
        with(&[("a", Held::File("")), ("b/denied", Held::File("")), ("denied", Held::File("")), ("z", Held::File(""))]);
    assert_eq!(plain, hiding);
    assert!(plain[0] != plain[1] && plain[1] != plain[2] && plain[0] != plain[2]);
}

#[test]
fn identity_stays_with_the_file() {
    let mut guest = guest();
    let fd = guest.workspace;
    let hash = |guest: &mut Guest, path: &str| {
        let hash = said(guest.view().metadata_hash_at(at(fd), PathFlags::empty(), path.to_owned())).unwrap();
        (hash.lower, hash.upper)
    };
    let before = hash(&mut guest, "README.md");
    let first = guest.open(fd, "README.md", OpenFlags::empty(), DescriptorFlags::READ).unwrap();
    guest.rename((fd, "README.md"), (fd, "moved")).unwrap();
    assert_eq!(hash(&mut guest, "moved"), before);
    let second = guest.open(fd, "moved", OpenFlags::empty(), DescriptorFlags::READ).unwrap();
    let other = guest.open(fd, "src/main.py", OpenFlags::empty(), DescriptorFlags::READ).unwrap();
    assert!(guest.view().is_same_object(at(first), at(second)).unwrap());
    assert!(!guest.view().is_same_object(at(first), at(other)).unwrap());
}

#[test]
fn what_is_unlinked_or_replaced_stays_with_whoever_has_it_open() {
    let mut guest = guest();
    let fd = guest.workspace;
    let open = guest.open(fd, "README.md", OpenFlags::empty(), DescriptorFlags::READ | DescriptorFlags::WRITE).unwrap();
    guest.rename((fd, "src/main.py"), (fd, "README.md")).unwrap();
    assert_eq!(said(guest.view().read(at(open), 100, 0)), Ok((b"hello".to_vec(), true)));
    assert_eq!(said(guest.view().write(at(open), b"J".to_vec(), 0)), Ok(1));
    assert_eq!(guest.read(fd, "README.md").as_deref(), Ok(&b"main"[..]));
}

#[test]
fn a_size_is_looked_at_before_anything_is_allocated() {
    let mut guest = guest();
    let fd = guest.workspace;
    for size in [u64::MAX, 1 << 50, (16 << 20) + 1] {
        assert_eq!(guest.resize(fd, "README.md", size), Err(ErrorCode::FileTooLarge), "{size}");
        let open = guest.open(fd, "README.md", OpenFlags::empty(), DescriptorFlags::WRITE).unwrap();
        assert_eq!(said(guest.view().write(at(open), b"x".to_vec(), size)), Err(ErrorCode::FileTooLarge));
        guest.close(open);
    }
    let before = guest.state.meter.usage.output;
    guest.resize(fd, "README.md", 1 << 20).unwrap();
    assert_eq!(guest.state.meter.usage.output - before, (1 << 20) - 5, "growth is output");
}

#[test]
fn rights_of_a_descriptor_hold() {
    let mut guest = guest();
    let fd = guest.workspace;
    let reading = guest.open(fd, "README.md", OpenFlags::empty(), DescriptorFlags::READ).unwrap();
    let writing = guest.open(fd, "README.md", OpenFlags::empty(), DescriptorFlags::WRITE).unwrap();
    assert_eq!(said(guest.view().write(at(reading), vec![1], 0)), Err(ErrorCode::BadDescriptor));
    assert_eq!(said(guest.view().set_size(at(reading), 0)), Err(ErrorCode::BadDescriptor));
    assert_eq!(said(guest.view().read(at(writing), 1, 0)), Err(ErrorCode::BadDescriptor));
    assert_eq!(said(guest.view().read(at(fd), 1, 0)), Err(ErrorCode::IsDirectory));
    assert_eq!(
        said(guest.view().stat_at(at(reading), PathFlags::empty(), "x".to_owned())).map(drop),
        Err(ErrorCode::NotDirectory)
    );
    let open = |guest: &mut Guest, open| guest.open(fd, "README.md", open, DescriptorFlags::READ).map(drop);
    assert_eq!(open(&mut guest, OpenFlags::TRUNCATE), Err(ErrorCode::Invalid));
    assert_eq!(open(&mut guest, OpenFlags::CREATE | OpenFlags::EXCLUSIVE), Err(ErrorCode::Exist));
    assert_eq!(open(&mut guest, OpenFlags::DIRECTORY), Err(ErrorCode::NotDirectory));
}

#[test]
fn a_tree_is_as_deep_as_a_path_may_be() {
    let mut guest = guest();
    let mut fd = guest.tmp;
    for _ in 0..64 {
        guest.mkdir(fd, "d").unwrap();
        fd = guest.open(fd, "d", OpenFlags::DIRECTORY, DescriptorFlags::READ).unwrap();
    }
    assert_eq!(guest.mkdir(fd, "d"), Err(ErrorCode::NameTooLong));
    guest.mkdir(guest.tmp, "other").unwrap();
    guest.mkdir(guest.tmp, "other/x").unwrap();
    assert_eq!(guest.rename((guest.tmp, "d"), (guest.tmp, "other/x/d")), Err(ErrorCode::NameTooLong));
    assert_eq!(guest.rename((guest.tmp, "d"), (guest.tmp, "d/d/e")), Err(ErrorCode::Invalid));
}

#[test]
fn a_name_may_have_255_bytes_and_no_more() {
    let (longest, too_long) = ("n".repeat(255), "n".repeat(256));
    let mut guest = Guest::new(&scene(&[(&longest, Held::File("long"))]));
    let (fd, tmp) = (guest.workspace, guest.tmp);
    assert_eq!(guest.read(fd, &longest), Ok(b"long".to_vec()));
    assert_eq!(guest.list(fd, ".").map(|names| names.len()), Ok(1));
    for fd in [fd, tmp] {
        assert_eq!(guest.write(fd, &longest, "new"), Ok(()));
        assert_eq!(guest.read(fd, &longest), Ok(b"new".to_vec()));
        assert_eq!(guest.write(fd, &too_long, "x"), Err(ErrorCode::NameTooLong));
        assert_eq!(guest.mkdir(fd, &too_long), Err(ErrorCode::NameTooLong));
        assert_eq!(guest.rename((fd, &longest), (fd, &too_long)), Err(ErrorCode::NameTooLong));
        assert_eq!(guest.read(fd, &too_long), Err(ErrorCode::NameTooLong));
    }
}

/// A gene that opens large files and reads a byte of each makes the host hold all of them: that is bounded by what may be
/// handed over, whatever little is.
#[test]
fn what_open_files_hold_is_bounded() {
    let large: &str = "x".repeat(4000).leak();
    let names = ["a", "b", "c", "d"];
    let files: Vec<_> = names.iter().map(|name| (*name, Held::File(large))).collect();
    let mut guest = Guest::within(&Budgets { host_bytes: 10_000, ..Budgets::default() }, &scene(&files));
    let fd = guest.workspace;
    let mut peek = |name: &str| {
        let file = guest.open(fd, name, OpenFlags::empty(), DescriptorFlags::READ).unwrap();
        guest.view().read(at(file), 1, 0).map(|(bytes, _)| bytes)
    };
    for name in ["a", "b", "a", "b", "a"] {
        assert_eq!(said(peek(name)), Ok(b"x".to_vec()), "{name}: what is held is held once");
    }
    let refused = peek("c");
    assert!(matches!(&refused, Err(FileError::Trap(error)) if error.to_string().contains("host calls")), "{refused:?}");
    assert_eq!(guest.state.meter.exceeded, Some(crate::sandbox::Budget::HostCalls));
    assert!(guest.state.meter.usage.host_bytes < 100, "{:?}", guest.state.meter.usage);
}
