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
mod pem;
mod personal;
mod placeholder;
mod rule;
mod ruleset;
mod search;

use std::ops::Range;

pub use error::RuleError;
pub use ruleset::Ruleset;

pub(crate) use pem::{KIND as PRIVATE_KEY, continued as key_continued};

/// What kind of thing a match is, and so what is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// It opens something. Redacted, and never let into a change.
    Secret,
    /// It belongs to a person: redacted in what is stored or shared, reported in a change.
    Personal,
    /// It has the form of personal data and is set aside for documents and tests (RFC 2606, 555-01xx). Redacted,
    /// because a reader of the form alone cannot tell, and never reported.
    Reserved,
}

/// A stretch of text that is a secret or personal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch<'r> {
    /// Bytes of the text that are the secret itself, without the name or quotes around it.
    pub range: Range<usize>,
    /// Id of the rule, for the placeholder and the report: `aws_access_key`, `private_key`, `email` …
    pub kind: &'r str,
    /// What is done about it.
    pub class: Class,
}

/// All secrets of a text by the bundled rules, in order, without overlap; no personal data. Linear in the length.
pub fn find_secrets(text: &str) -> Vec<SecretMatch<'static>> {
    Ruleset::bundled().secrets(None, text)
}

/// Sorted; of two that overlap the one that starts first stays, and of two that start together the one whose rule
/// stands first. What reaches beyond the one before it is cut to what is left, so that no part of it stays readable.
fn without_overlap(mut found: Vec<(usize, SecretMatch<'_>)>) -> Vec<SecretMatch<'_>> {
    found.sort_by_key(|(rule, secret)| (secret.range.start, *rule, secret.range.end));
    let mut end = 0;
    let mut apart = Vec::with_capacity(found.len());
    for (_, mut secret) in found {
        secret.range.start = secret.range.start.max(end);
        if secret.range.start < secret.range.end {
            end = secret.range.end;
            apart.push(secret);
        }
    }
    apart
}

#[cfg(test)]
mod tests;
