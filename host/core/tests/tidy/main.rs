//! The sources keep their order: no import circles, and no file, clock, network, environment or process in `core`.
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
mod imports;
mod modules;
mod resolve;
mod rule;

use std::path::{Path, PathBuf};

use modules::Crate;

/// The crates without a circle. Every crate of the product belongs here; a crate is never taken out.
const WITHOUT_CIRCLES: &[&str] = &[
    "genes/agent-guidance",
    "genes/mutate-and-test",
    "genes/repair-from-errors",
    "genes/repair-from-tools",
    "genes/strategist",
    "genes/tool-failures",
    "host/app",
    "host/cli",
    "host/core",
    "host/model",
    "host/receiver",
    "host/runner",
    "sdk/rust",
    "tests",
];

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

#[test]
fn no_crate_has_an_import_circle() {
    let mut report = String::new();
    for name in WITHOUT_CIRCLES {
        for circle in circles::circles(&Crate::read(&repository().join(name))) {
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
