//! Hidden names look like missing ones: whatever a gene does with a name, it learns the same whether something hidden is
//! there or nothing.

use std::collections::BTreeMap;

use super::super::bindings::wasi::filesystem::types::NewTimestamp;
use super::*;

/// What is in every workspace.
const SHOWN: [(&str, Held); 3] =
    [("README.md", Held::File("hello")), ("dir/f", Held::File("f")), ("src/main.py", Held::File("main"))];

/// What is hidden, with its files, and the names at which a gene looks for it.
type Hidden = (&'static str, Vec<(&'static str, Held)>, Vec<&'static str>);

fn hidden() -> Vec<Hidden> {
    let denied = || Held::File("nobody reads this");
    let link = |target: &str| Held::Link(target.to_owned());
    vec![
        ("a denied file", vec![("denied", denied())], vec!["denied", "denied/x", "DENIED"]),
        ("a denied file in a folder", vec![("src/denied", denied())], vec!["src/denied", "src/denied/x", "src/Denied"]),
        ("a denied folder", vec![("denied/key", denied())], vec!["denied", "denied/key", "denied/other"]),
        ("a folder with nothing but a denied file", vec![("f/denied", denied())], vec!["f", "f/denied", "f/new", "F"]),
        ("a folder in one", vec![("f/g/denied", denied())], vec!["f", "f/g", "f/g/denied", "f/g/new"]),
        ("a denied file beside others", vec![("dir/denied", denied())], vec!["dir", "dir/denied", "dir/denied/x"]),
        ("a submodule", vec![("sub", Held::Other)], vec!["sub", "sub/x", "Sub"]),
        ("a submodule in a folder", vec![("dir/sub", Held::Other)], vec!["dir", "dir/sub", "dir/sub/x"]),
        ("a link to a denied file", vec![("denied", denied()), ("l", link("denied"))], vec!["l", "l/x"]),
        ("a link into a denied folder", vec![("denied/d/k", denied()), ("l", link("denied/d"))], vec!["l", "l/k"]),
        ("a link to nothing", vec![("l", link("nowhere"))], vec!["l", "l/x", "nowhere"]),
        ("a link to itself", vec![("l", link("l"))], vec!["l", "l/x"]),
        ("a link out", vec![("src/l", link("../../etc/passwd"))], vec!["src/l", "src/l/x"]),
        ("a link to the machine", vec![("src/l", link("/etc/passwd"))], vec!["src/l"]),
    ]
}

type Act = (&'static str, fn(&mut Guest, &str) -> String);

/// Everything that can be done with a name.
const ACTS: &[Act] = &[
    ("read", |guest, path| shown(guest.read(guest.workspace, path))),
    ("write", |guest, path| shown(guest.write(guest.workspace, path, "new"))),
    ("append", |guest, path| shown(guest.append(guest.workspace, path, "new"))),
    ("resize", |guest, path| shown(guest.resize(guest.workspace, path, 3))),
    ("create new", |guest, path| opened(guest, path, OpenFlags::CREATE | OpenFlags::EXCLUSIVE, DescriptorFlags::WRITE)),
    ("truncate", |guest, path| opened(guest, path, OpenFlags::TRUNCATE, DescriptorFlags::WRITE)),
    ("open a folder", |guest, path| opened(guest, path, OpenFlags::DIRECTORY, DescriptorFlags::READ)),
    ("create a folder by open", |guest, path| {
        opened(guest, path, OpenFlags::CREATE | OpenFlags::DIRECTORY, DescriptorFlags::READ)
    }),
    ("list", |guest, path| shown(guest.list(guest.workspace, path))),
    ("mkdir", |guest, path| shown(guest.mkdir(guest.workspace, path))),
    ("mkdir and a file in it", |guest, path| {
        let made = guest.mkdir(guest.workspace, path);
        shown((made, guest.write(guest.workspace, &format!("{path}/x"), "new")))
    }),
    ("rmdir", |guest, path| shown(guest.rmdir(guest.workspace, path))),
    ("empty and rmdir", |guest, path| {
        let names = guest.list(guest.workspace, path).unwrap_or_default();
        for (name, _) in names {
            guest.unlink(guest.workspace, &format!("{path}/{name}")).unwrap();
        }
        let removed = guest.rmdir(guest.workspace, path);
        shown((removed, guest.write(guest.workspace, path, "a file in its place")))
    }),
    ("unlink", |guest, path| shown(guest.unlink(guest.workspace, path))),
    ("write and unlink", |guest, path| {
        let written = guest.write(guest.workspace, path, "new");
        shown((written, guest.unlink(guest.workspace, path), guest.read(guest.workspace, path)))
    }),
    ("rename from", |guest, path| shown(guest.rename((guest.workspace, path), (guest.workspace, "moved")))),
    ("rename a file to", |guest, path| shown(guest.rename((guest.workspace, "README.md"), (guest.workspace, path)))),
    ("rename a folder to", |guest, path| {
        guest.mkdir(guest.workspace, "made").unwrap();
        shown(guest.rename((guest.workspace, "made"), (guest.workspace, path)))
    }),
    ("rename a full folder to", |guest, path| shown(guest.rename((guest.workspace, "src"), (guest.workspace, path)))),
    ("move from outside", |guest, path| {
        guest.write(guest.tmp, "x", "x").unwrap();
        shown(guest.rename((guest.tmp, "x"), (guest.workspace, path)))
    }),
    ("move the folder above", |guest, path| {
        let above = path.split('/').next().unwrap().to_owned();
        let moved = guest.rename((guest.workspace, &above), (guest.tmp, "above"));
        shown((moved, guest.walk(guest.tmp, ".")))
    }),
    ("stat", |guest, path| {
        let fd = guest.workspace;
        let stat = |flags| (flags, path.to_owned());
        let all = [PathFlags::empty(), PathFlags::SYMLINK_FOLLOW].map(stat);
        shown(all.map(|(flags, path)| said(guest.view().stat_at(at(fd), flags, path)).map(|stat| format!("{stat:?}"))))
    }),
    ("identity", |guest, path| {
        let fd = guest.workspace;
        let hash = said(guest.view().metadata_hash_at(at(fd), PathFlags::empty(), path.to_owned()));
        shown(hash.map(|hash| (hash.lower, hash.upper)))
    }),
    ("readlink", |guest, path| {
        let fd = guest.workspace;
        shown(said(guest.view().readlink_at(at(fd), path.to_owned())))
    }),
    ("set times", |guest, path| {
        let (fd, now) = (guest.workspace, || NewTimestamp::Now);
        shown(said(guest.view().set_times_at(at(fd), PathFlags::empty(), path.to_owned(), now(), now())))
    }),
    ("link to", |guest, path| {
        let fd = guest.workspace;
        let linked = guest.view().link_at(at(fd), PathFlags::empty(), "README.md".into(), at(fd), path.to_owned());
        shown(said(linked))
    }),
    ("link from", |guest, path| {
        let fd = guest.workspace;
        shown(said(guest.view().link_at(at(fd), PathFlags::empty(), path.to_owned(), at(fd), "linked".into())))
    }),
    ("symlink at", |guest, path| {
        let fd = guest.workspace;
        shown(said(guest.view().symlink_at(at(fd), "README.md".into(), path.to_owned())))
    }),
    ("by a descriptor of the folder", |guest, path| {
        let (above, name) = path.rsplit_once('/').unwrap_or((".", path));
        let open = guest.open(guest.workspace, above, OpenFlags::DIRECTORY, DescriptorFlags::READ);
        shown(open.map(|fd| (guest.read(fd, name), guest.write(fd, name, "new"), guest.list(fd, "."))))
    }),
    ("with a slash", |guest, path| {
        let path = format!("{path}/");
        shown((guest.mkdir(guest.workspace, &path), guest.list(guest.workspace, &path)))
    }),
    ("by way of it", |guest, path| shown(guest.read(guest.workspace, &format!("{path}/../README.md")))),
];

fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn opened(guest: &mut Guest, path: &str, open: OpenFlags, flags: DescriptorFlags) -> String {
    shown(guest.open(guest.workspace, path, open, flags))
}

/// What a gene learns from an act, from doing it again, and from looking around afterwards; and what it used up.
fn learned(scene: &BTreeMap<String, Held>, (_, act): Act, path: &str) -> Vec<String> {
    let mut guest = Guest::new(scene);
    let mut learned = vec![act(&mut guest, path)];
    let folders = [".", "src", "dir", "f", "f/g", "moved"];
    let fd = guest.workspace;
    learned.extend(folders.map(|folder| shown(guest.list(fd, folder))));
    for folder in folders {
        let stat = said(guest.view().stat_at(at(fd), PathFlags::empty(), folder.to_owned()));
        learned.push(shown(stat.map(|stat| format!("{stat:?}"))));
        let hash = said(guest.view().metadata_hash_at(at(fd), PathFlags::empty(), folder.to_owned()));
        learned.push(shown(hash.map(|hash| (hash.lower, hash.upper))));
    }
    learned.push(shown(guest.walk(fd, ".")));
    learned.push(act_again(&mut guest, act, path));
    let used = &guest.state.meter.usage;
    learned.push(format!("{} bytes written, {} handed over", used.output, used.host_bytes));
    learned
}

/// Acts that prepare something may find it prepared the second time.
fn act_again(guest: &mut Guest, act: fn(&mut Guest, &str) -> String, path: &str) -> String {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(guest, path))).unwrap_or_else(|_| "no more".to_owned())
}

#[test]
fn a_hidden_name_is_told_from_a_missing_one_by_no_act() {
    let shown: BTreeMap<String, Held> = SHOWN.into_iter().map(|(path, held)| (path.to_owned(), held)).collect();
    let mut differences = Vec::new();
    for (what, entries, paths) in hidden() {
        let mut hiding = shown.clone();
        hiding.extend(entries.into_iter().map(|(path, held)| (path.to_owned(), held)));
        for path in paths {
            for act in ACTS {
                let (missing, hidden) = (learned(&shown, *act, path), learned(&hiding, *act, path));
                if missing != hidden {
                    let told: Vec<_> = missing.iter().zip(&hidden).filter(|(one, other)| one != other).collect();
                    differences.push(format!("{} {path}, {what}: {told:?}", act.0));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn what_is_denied_by_name_cannot_be_made_and_the_rest_can() {
    let shown: BTreeMap<String, Held> = SHOWN.into_iter().map(|(path, held)| (path.to_owned(), held)).collect();
    for (path, expected) in [
        ("denied", Err(ErrorCode::NotPermitted)),
        ("src/denied", Err(ErrorCode::NotPermitted)),
        ("sub", Ok(())),
        ("l", Ok(())),
    ] {
        let mut guest = Guest::new(&shown);
        assert_eq!(guest.write(guest.workspace, path, "new"), expected, "{path}");
        assert_eq!(guest.difference().len(), usize::from(expected.is_ok()), "{path}");
    }
}
