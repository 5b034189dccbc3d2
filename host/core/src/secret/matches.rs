//! What a scan finds: where it is and which rule found it, never the value.

use std::ops::Range;

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

impl SecretMatch<'static> {
    /// Personal data that one of the scanners found.
    pub(super) fn personal(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, class: Class::Personal }
    }
}

/// Sorted; of two that overlap the one that starts first stays, and of two that start together the one whose rule
/// stands first. What reaches beyond the one before it is cut to what is left, so that no part of it stays readable.
pub(super) fn without_overlap(mut found: Vec<(usize, SecretMatch<'_>)>) -> Vec<SecretMatch<'_>> {
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
