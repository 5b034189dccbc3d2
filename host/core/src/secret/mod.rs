//! Finds secrets and personal data in text. One rule engine serves redaction (before anything is stored), the gate and
//! `gephost scan`.
//!
//! Invariants: the time is linear in the length of the text, for any text. One pass looks for the rules' keywords; a
//! rule's regular expression, which does not backtrack, only searches a bounded window at each keyword and never reads
//! a match twice. Private key blocks span lines and have a scanner of their own, as have numbers with a checksum. No
//! result holds the secret's value.
//!
//! A text is searched as it is, and again around escapes with those undone (`presentation`).

mod allow;
mod automaton;
mod entropy;
mod error;
mod expression;
mod file;
mod kubernetes;
mod matches;
mod opening;
mod pem;
mod personal;
mod placeholder;
mod presentation;
mod rule;
mod ruleset;
mod search;
mod streams;

pub use error::RuleError;
pub use matches::{Class, SecretMatch};
pub use ruleset::Ruleset;

pub(crate) use pem::{KIND as PRIVATE_KEY, continued as key_continued};
pub(crate) use presentation::{Plain, Survey};

/// All secrets that the bundled rules find in a text, in order and without overlap; no personal data. Linear in the
/// length.
pub fn find_secrets(text: &str) -> Vec<SecretMatch<'static>> {
    Ruleset::bundled().secrets(None, text)
}

/// The secrets that are known by their own form, such as a key that begins with the name of its vendor. For machine code and
/// the libraries in it, which are full of words and examples that only look like secrets.
pub fn find_keys(text: &str) -> Vec<SecretMatch<'static>> {
    Ruleset::of_vendors().secrets(None, text)
}

#[cfg(test)]
mod tests;
