//! Repairs for packages of the crate registry that a newer Rust does not compile: the project gets the oldest release that
//! compiles.
//!
//! A gene cannot change the sources of a package, but it can change what the project asks for: the requirement in
//! `Cargo.toml`, or the version in `Cargo.lock` if only other packages require it.

mod lock;
mod manifest;
mod table;
mod version;

use crate::fault::{Fault, package};
use version::Version;

pub(crate) use lock::repair as repair_lock;
pub(crate) use manifest::repair as repair_manifest;

/// A release of a package that does not compile, and its replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Update {
    /// The package.
    pub(crate) name: &'static str,
    /// The release in use.
    broken: Version,
    /// The oldest compatible release that compiles.
    fixed: Version,
}

impl Update {
    /// The update for an error in a package's source; `None` if the table has no fixed release.
    pub(crate) fn for_fault(fault: &Fault) -> Option<Self> {
        let (name, version) = package(&fault.frames.first()?.path)?;
        let broken = Version::read(version)?;
        let (name, fixed) = table::fixed(name, &fault.kind)?;
        (broken < fixed && broken.is_compatible(fixed)).then_some(Self { name, broken, fixed })
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(self) -> (String, String) {
        let Self { name, broken, fixed } = self;
        let why = format!("{name} {broken} does not compile with a newer Rust, and {fixed} does");
        (format!("use {name} {fixed} instead of {name} {broken}"), why)
    }
}
