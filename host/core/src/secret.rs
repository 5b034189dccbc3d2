//! Finding secrets in text: one rule engine for redaction (before anything is stored) and for the gate.
//!
//! What must stay true: linear in the length of the text, whatever the text. One pass looks for the rules' keywords;
//! a rule's regular expression (which has no backtracking) runs only over the lines that hold one of its keywords,
//! and over each line once. Private key blocks span lines and have a scanner of their own.

mod pem;
mod placeholder;
mod rules;

use std::ops::Range;

use memchr::{memchr, memrchr};

/// A stretch of text that is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    /// Bytes of the text that are the secret itself, without the name or quotes around it.
    pub range: Range<usize>,
    /// What it is, for the placeholder and the report: `aws_access_key`, `private_key`, `bearer` …
    pub kind: &'static str,
}

/// All secrets of a text, in order, without overlap. Linear in the length of the text.
pub fn find_secrets(text: &str) -> Vec<SecretMatch> {
    let set = rules::rules();
    let mut found = Vec::new();
    // Where, for each rule, the lines that it has read end.
    let mut read_to = vec![0; set.list.len()];
    for hit in set.keywords.find_overlapping_iter(text) {
        let Some(owners) = set.owners.get(hit.pattern().as_usize()) else {
            continue;
        };
        for owner in owners {
            let (Some(rule), Some(read_to)) = (set.list.get(*owner), read_to.get_mut(*owner)) else {
                continue;
            };
            if hit.start() >= *read_to {
                let line = line_around(text, hit.start());
                *read_to = line.end + 1;
                found.extend(rule.find(text, line).map(|secret| (*owner, secret)));
            }
        }
    }
    found.extend(pem::find(text).into_iter().map(|secret| (0, secret)));
    without_overlap(found)
}

/// The line that holds byte `at`, without its end.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = bytes.get(..at).and_then(|before| memrchr(b'\n', before)).map_or(0, |end| end + 1);
    let end = bytes.get(at..).and_then(|after| memchr(b'\n', after)).map_or(text.len(), |length| at + length);
    start..end
}

/// Sorted; of two that overlap the one that starts first stays, and of two that start together the one whose rule
/// stands first. What reaches beyond the one before it is cut to what is left, so that no part of it stays readable.
fn without_overlap(mut found: Vec<(usize, SecretMatch)>) -> Vec<SecretMatch> {
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
