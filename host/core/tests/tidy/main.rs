//! The sources keep their order: no import circles, no file, clock, network, environment or process in `core`, and no new
//! place that reaches these elsewhere ([`homes`]).
//!
//! # What counts as an import
//!
//! The test reads every source file of a crate and collects each path that its code names: `use` lines, `pub use`
//! lines, `crate::…`, `self::…`, `super::…` and `module::…` paths in code, in the arguments of macros and in attributes
//! such as `#[serde(with = "…")]`. It follows each path through re-exports to the file that defines the item. A path
//! through a facade (`crate::gate::Verdict`, defined in `gate/verdict.rs`) is therefore an import of the file behind it.
//!
//! # The rule
//!
//! Each module and the modules directly in it form one level. An import from one file to another is an edge at the one
//! level at which their ways part, between the two direct children, or between a child and the parent's own file. No
//! level may hold a circle. So:
//!
//! * top-level modules of a crate do not import each other in a circle, whatever their files do;
//! * neither do the files of one folder, nor a file and the folders beside it;
//! * a parent (`mod.rs`) either uses its children or offers them items, not both: if the parent's code calls a child,
//!   the child must not use an item that the parent's own file defines. A type that both need gets a file of its own.
//!
//! A parent that only declares and re-exports (`mod child; pub use child::Item;`) uses nothing: a re-export is an edge
//! only for those who name the item through it.
//!
//! # What it does not see
//!
//! Method calls: `value.method()` names no file. Code under `#[cfg(test)]` is left out, because a test may use whatever
//! stands above the code that it tests.

#![expect(clippy::disallowed_methods, reason = "the test reads the sources")]

mod circles;
mod homes;
mod imports;
mod modules;
mod resolve;
mod rule;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use modules::{Crate, sources};

/// What `host/core` must not name (invariant 1), as the paths that code and `use` lines begin with.
const FORBIDDEN_IN_CORE: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "net"],
    &["std", "env"],
    &["std", "process"],
    &["std", "os"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["std", "thread"],
    &["jiff", "Timestamp", "now"],
    &["jiff", "Zoned", "now"],
    &["std", "hash", "RandomState"],
    &["std", "collections", "hash_map", "RandomState"],
    &["rand"],
    &["getrandom"],
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates directly in a folder of the repository.
fn crates_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(repository().join(folder)).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut crates: Vec<String> = names.map(|name| format!("{folder}/{name}")).collect();
    crates.retain(|name| repository().join(name).join("Cargo.toml").exists());
    crates.sort();
    crates
}

#[test]
fn no_crate_has_an_import_circle() {
    let mut report = String::new();
    let crates = [crates_in("host"), crates_in("genes"), crates_in("sdk"), vec!["tests".to_owned()]].concat();
    assert!(crates.len() > 15, "{crates:?}");
    for name in crates {
        for circle in circles::circles(&Crate::read(&repository().join(&name))) {
            report += &format!("{name}: {circle}\n");
        }
    }
    assert!(report.is_empty(), "files that import each other in a circle:\n{report}");
}

#[test]
fn core_names_no_file_clock_network_environment_or_process() {
    let krate = Crate::read(&repository().join("host/core"));
    let found = imports::forbidden(&krate, FORBIDDEN_IN_CORE);
    assert!(found.is_empty(), "host/core performs no effect (invariant 1), but names:\n{}", found.join("\n"));
}

#[test]
fn what_clippy_bans_is_called_in_the_listed_files_only() {
    let mut found = BTreeSet::new();
    for name in crates_in("host") {
        let files = homes::homes(&sources(&repository().join(&name)));
        found.extend(files.into_iter().map(|file| format!("{name}/src/{file}")));
    }
    let listed: BTreeSet<String> = include_str!("homes.txt").lines().map(str::to_owned).collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    assert!(new.is_empty(), "reach it from a `Place`, or add a line to homes.txt and give a good reason: {new:#?}");
    let gone: Vec<&String> = listed.difference(&found).collect();
    assert!(gone.is_empty(), "these call nothing that is banned any more; take them out of homes.txt: {gone:#?}");
}
