//! Personal data: e-mail addresses, phone numbers, card numbers, IBANs. Scanners of their own, because what tells them
//! from other numbers is a checksum, a grouping and what stands around, not an expression.
//!
//! What must stay true: one pass over the text, each candidate bounded; times, hashes, versions and ids are not taken.

mod card;
mod digits;
mod email;
mod iban;
mod phone;

use super::SecretMatch;

/// Ids of the scanners.
pub(super) const KINDS: [&str; 4] = [email::KIND, phone::KIND, card::KIND, iban::KIND];

/// All personal data of a text; matches may overlap.
pub(super) fn find(text: &str) -> Vec<SecretMatch<'static>> {
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        found.extend(email::around(text, at));
    }
    numbers(text.as_bytes(), &mut found);
    found
}

/// Looks at each run of digits once; a number that is found is not read again.
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
