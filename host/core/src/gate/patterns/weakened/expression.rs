//! How the expressions of this folder are compiled.

use regex::bytes::{Regex, RegexBuilder};

/// A constant expression over ASCII.
pub(super) fn ascii(regex: &str) -> Regex {
    let built = RegexBuilder::new(regex).unicode(false).build();
    built.expect("the pattern is constant and a test uses it")
}
