//! Which release of a package replaces one that does not compile.

use super::errors::PackageError;
use super::table;
use super::version::Version;
use crate::fix::Fix;

/// A release of a package that does not compile, and its replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Update {
    /// The package.
    pub(super) name: &'static str,
    /// The release in use.
    pub(super) broken: Version,
    /// The oldest compatible release that compiles.
    pub(super) fixed: Version,
}

impl Update {
    /// The update for an error in a package's source; `None` if the table has no fixed release.
    pub(super) fn for_error(error: &PackageError) -> Option<Self> {
        let broken = Version::read(&error.version)?;
        let (name, fixed) = table::fixed(&error.name, &error.code)?;
        (broken < fixed && broken.is_compatible(fixed)).then_some(Self { name, broken, fixed })
    }

    /// The fix with what it does, why that is right, and the message that it answers.
    pub(super) fn fix(self, fix: Fix, error: &PackageError) -> Fix {
        let Self { name, broken, fixed } = self;
        let why = format!("{name} {broken} does not compile with a newer Rust, and {fixed} does");
        let fix = Fix { what: format!("use {name} {fixed} instead of {name} {broken}"), ..fix };
        fix.because(why, format!("error[{}]: {}", error.code, error.message))
    }
}
