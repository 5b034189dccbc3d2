//! Files are opened by path in few places, each with its reason; everywhere else through a [`Place`](super::Place).

use std::fs;
use std::path::{Path, PathBuf};

/// Files, and folders of them, that name files by path, and why.
const HOMES: &[(&str, &str)] = &[
    ("host/app/src/counted_config.rs", "folders that the user trusts"),
    ("host/app/src/project.rs", "where the project begins"),
    ("host/app/src/traces.rs", "the audit file that the operator names"),
    ("host/runner/src/regular_file.rs", "files that the operator or a config names, opened without waiting"),
    ("host/runner/src/place/", "folders are handed over here"),
    ("host/runner/src/state/identity.rs", "git's own pointers to a clone's shared folder"),
    ("host/runner/src/observe/", "logs that the operator or the config names"),
    ("host/runner/src/ingest/", "the same logs"),
    ("host/runner/src/watch.rs", "the same logs"),
    ("host/runner/src/checkout/open.rs", "opens the project's folder, and everything else below its handle"),
    ("host/runner/src/worktree/", "the git folder, which libgit2 names by its path"),
    ("host/runner/src/sandbox/cache/", "compiled components, in a folder that is checked, each with a seal"),
    ("host/runner/src/sandbox/code.rs", "a memory file by its descriptor"),
    ("host/runner/src/sandbox/worker/probe.rs", "tries what must be refused"),
    ("host/runner/src/doctor/", "tries what must be refused, in folders of its own"),
    ("host/runner/src/confine/support.rs", "what the kernel says of itself"),
    (
        "host/runner/src/validate/",
        "the command's own folders, toolchains, and what the kernel says of processes and memory",
    ),
];

/// What opens, lists, changes or removes by path.
const CALLS: &[&str] = &[
    "fs::read",
    "fs::write(",
    "fs::remove_",
    "fs::rename(",
    "fs::create_dir",
    "fs::copy(",
    "fs::metadata(",
    "fs::symlink_metadata(",
    "fs::canonicalize(",
    "fs::set_permissions(",
    "fs::hard_link(",
    "fs::DirBuilder",
    "fs::OpenOptions",
    "fs::open(",
    "File::open(",
    "File::create",
    "File::options(",
    "OpenOptions::new(",
    "DirBuilder::new(",
    "tempfile_in(",
    "tempdir_in(",
    "open_ambient_dir",
    ".canonicalize()",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let is_test = path.ends_with("tests") || path.ends_with("tests.rs");
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
}

/// The calls by path in the product's part of a source.
fn calls(source: &str) -> Vec<&'static str> {
    let product = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let is_called = |call: &&str| product.lines().filter(code).any(|line| line.contains(*call));
    CALLS.iter().copied().filter(is_called).collect()
}

#[test]
fn files_are_opened_by_path_only_in_the_listed_homes() {
    assert_eq!(calls("fn a() { std::fs::read_dir(path) }"), ["fs::read"]);
    assert_eq!(calls("// fs::write(\n#[cfg(test)]\nfs::write("), [""; 0]);
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let mut found = Vec::new();
    for folder in ["host/runner/src", "host/app/src"] {
        sources(&repository.join(folder), &mut found);
    }
    assert!(found.len() > 100, "only {} sources", found.len());
    let mut used = vec![false; HOMES.len()];
    for path in found {
        let name = path.strip_prefix(&repository).expect("below it").to_str().expect("UTF-8").to_owned();
        let home = HOMES.iter().position(|(home, _)| name.starts_with(home));
        let calls = calls(&fs::read_to_string(&path).expect("a source"));
        if let Some(home) = home {
            used[home] |= !calls.is_empty();
        } else {
            assert_eq!(calls, [""; 0], "{name}: reach it through a `Place`, or list it here with the reason");
        }
    }
    let idle: Vec<_> = HOMES.iter().zip(used).filter(|(_, used)| !used).map(|((home, _), _)| home).collect();
    assert!(idle.is_empty(), "nothing is opened by path any more in {idle:?}");
}
