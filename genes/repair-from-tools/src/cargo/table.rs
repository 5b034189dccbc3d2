//! A table of packages whose older releases a newer Rust does not compile, with the code of the error and the oldest
//! compatible release that compiles. Each line was tried with Rust 1.95: the release before it failed with that code.

use super::version::Version;

/// name, codes, oldest release that compiles.
const FIXED: &[(&str, &[&str], Version)] = &[
    ("lexical-core", &["E0277", "E0308"], Version(0, 7, 5)),
    ("rustc-serialize", &["E0310"], Version(0, 3, 25)),
    ("time", &["E0282"], Version(0, 3, 35)),
    ("traitobject", &["E0119"], Version(0, 1, 1)),
];

/// The package, and the first release without this error.
pub(super) fn fixed(name: &str, code: &str) -> Option<(&'static str, Version)> {
    let entry = FIXED.iter().find(|entry| entry.0 == name && entry.1.contains(&code))?;
    Some((entry.0, entry.2))
}
