//! Personal data: e-mail addresses, phone numbers, card numbers and IBANs. They have scanners of their own, because a
//! checksum, a grouping or the context distinguishes them from other numbers, not a regular expression.
//!
//! Invariants: one pass over the text, and bounded work for each possible match. Times, hashes, versions and ids are
//! not reported.

mod card;
mod digits;
mod email;
mod iban;
mod phone;

use super::SecretMatch;

/// Rule ids of the scanners.
pub(super) const KINDS: [&str; 4] = [email::KIND, phone::KIND, card::KIND, iban::KIND];

/// All personal data in a text. Matches may overlap.
pub(super) fn find(text: &str) -> Vec<SecretMatch<'static>> {
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        found.extend(email::around(text, at));
    }
    numbers(text.as_bytes(), &mut found);
    found
}

/// Reads each run of digits once. A number that was found is not read again.
fn numbers(bytes: &[u8], found: &mut Vec<SecretMatch<'static>>) {
    let mut at = 0;
    while let Some(start) = next_digit(bytes, at) {
        let run = bytes.iter().skip(start).take_while(|byte| byte.is_ascii_digit()).count();
        let number = card::at(bytes, start, run).or_else(|| phone::at(bytes, start, run));
        let number = number.or_else(|| iban::at(bytes, start, run));
        at = number.as_ref().map_or(start + run, |number| number.range.end);
        found.extend(number);
    }
}

fn next_digit(bytes: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.iter().position(u8::is_ascii_digit).map(|at| from + at)
}

#[cfg(test)]
mod tests;
