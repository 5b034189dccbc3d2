//! Packages of a registry that the compiler no longer takes: the oldest release that it takes is asked for.
//!
//! Pure. Sources of a package are not the project's to change, but what the project asks for is: its requirement in a
//! `Cargo.toml`, or, where only other packages require it, the version that `Cargo.lock` holds it at.

mod lock;
mod manifest;
mod table;
mod version;

use crate::fault::{Fault, package};
use version::Version;

pub(crate) use lock::repair as repair_lock;
pub(crate) use manifest::repair as repair_manifest;

/// A package's release that does not compile, and the one to go to.
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
    /// What an error in a package's source asks for; nothing where no table knows the cure.
    pub(crate) fn wanted(fault: &Fault) -> Option<Self> {
        let (name, version) = package(&fault.frames.first()?.path)?;
        let broken = Version::read(version)?;
        let (name, fixed) = table::fixed(name, &fault.kind)?;
        (broken < fixed && broken.is_compatible(fixed)).then_some(Self { name, broken, fixed })
    }

    /// What changes, in words.
    pub(crate) fn describe(self) -> (String, String) {
        let Self { name, broken, fixed } = self;
        let why = format!("{name} {broken} does not compile with a newer Rust, {fixed} does");
        (format!("use {name} {fixed} for {name} {broken}"), why)
    }
}
