//! What a scan finds: where it is and which rule found it. The value itself is never kept.

use std::ops::Range;

/// What kind of data a match is, and how it is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Gives access to something. It is redacted, and a change that adds it is refused.
    Secret,
    /// Identifies a person. It is redacted in what is stored or shared, and reported if a change adds it.
    Personal,
    /// Looks like personal data but is reserved for documentation and tests (RFC 2606, 555-01xx). It is redacted,
    /// because its form alone does not show that it is harmless, and never reported.
    Reserved,
}

/// Where a text holds a secret or personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch<'r> {
    /// Bytes of the value itself, without a name or quotes around it.
    pub range: Range<usize>,
    /// Id of the rule, for the placeholder and the report: `aws_access_key`, `private_key`, `email` …
    pub kind: &'r str,
    /// How it is handled.
    pub class: Class,
}

impl SecretMatch<'static> {
    /// Personal data that one of the scanners found.
    pub(super) fn personal(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, class: Class::Personal }
    }
}

/// Sorts matches and removes overlaps. The match that starts first wins; if two start together, the one of the earlier
/// rule wins. A match that extends past the one before it keeps the remaining part, so that no part of a secret stays
/// readable.
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

/// What was found in a text and what was found in a view of it. Of two matches of which one contains the other, the
/// longer one stays.
pub(super) fn joined<'r>(
    mut found: Vec<(usize, SecretMatch<'r>)>,
    seen: Vec<(usize, SecretMatch<'r>)>,
) -> Vec<(usize, SecretMatch<'r>)> {
    let apart = without_overlap(seen.clone());
    found.retain(|(_, secret)| {
        let at = apart.partition_point(|other| other.range.start <= secret.range.start);
        let other = at.checked_sub(1).and_then(|at| apart.get(at));
        other.is_none_or(|other| other.range.end < secret.range.end || other.range == secret.range)
    });
    found.extend(seen);
    found
}
