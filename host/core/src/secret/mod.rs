//! Finding secrets and personal data in text: one rule engine for redaction (before anything is stored), for the gate
//! and for `gephost scan`.
//!
//! What must stay true: linear in the length of the text, whatever the text. One pass looks for the rules' keywords;
//! a rule's regular expression (which has no backtracking) sees only a bounded window at each, and what it matched it
//! does not read again. Private key blocks span lines and have a scanner of their own, and so have numbers that a
//! checksum decides about. No finding ever holds the value.

mod allow;
mod automaton;
mod entropy;
mod error;
mod expression;
mod file;
mod matches;
mod pem;
mod personal;
mod placeholder;
mod rule;
mod ruleset;
mod search;

pub use error::RuleError;
pub use matches::{Class, SecretMatch};
pub use ruleset::Ruleset;

pub(crate) use pem::{KIND as PRIVATE_KEY, continued as key_continued};

/// All secrets of a text by the bundled rules, in order, without overlap; no personal data. Linear in the length.
pub fn find_secrets(text: &str) -> Vec<SecretMatch<'static>> {
    Ruleset::bundled().secrets(None, text)
}

#[cfg(test)]
mod tests;
