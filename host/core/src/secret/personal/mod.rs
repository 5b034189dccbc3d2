//! Personal data: e-mail addresses, phone numbers, card numbers, IBANs. Scanners of their own, because what tells them
//! from other numbers is a checksum, a grouping and what stands around, not an expression.
//!
//! What must stay true: one pass over the text, each candidate bounded; times, hashes, versions and ids are not taken.

mod card;
mod email;
mod iban;
mod phone;

use super::{Class, SecretMatch};

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

/// The byte `back` places before `at`.
fn before(bytes: &[u8], at: usize, back: usize) -> Option<u8> {
    at.checked_sub(back).and_then(|at| bytes.get(at)).copied()
}

/// Whether a number that ends before this byte is a part of something longer: a word, a fraction, a path, a date.
fn goes_on(bytes: &[u8], end: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    match bytes.get(end) {
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 => true,
        Some(b'-' | b'.' | b':' | b'/' | b',') => digit(end + 1),
        _ => false,
    }
}

/// Digits in groups, as numbers are written for people.
struct Grouped {
    digits: Vec<u8>,
    /// Lengths of the groups.
    groups: Vec<usize>,
    /// What stands between them, if it is always the same.
    separator: Option<u8>,
    end: usize,
}

/// Reads groups of digits from `start`, with one of `separators` between two of them, to at most `most` digits. Stops
/// before a digit too many: then the number is none.
fn grouped(bytes: &[u8], start: usize, separators: &[u8], most: usize) -> Option<Grouped> {
    let mut number = Grouped { digits: Vec::with_capacity(most), groups: vec![0], separator: None, end: start };
    let mut same = true;
    while let Some(byte) = bytes.get(number.end) {
        if byte.is_ascii_digit() {
            if number.digits.len() == most {
                return None;
            }
            number.digits.push(byte - b'0');
            if let Some(group) = number.groups.last_mut() {
                *group += 1;
            }
        } else if separators.contains(byte) && bytes.get(number.end + 1).is_some_and(u8::is_ascii_digit) {
            same &= number.separator.is_none_or(|separator| separator == *byte);
            number.separator = Some(*byte);
            number.groups.push(0);
        } else {
            break;
        }
        number.end += 1;
    }
    if !same {
        number.separator = None;
    }
    Some(number)
}

fn personal(range: std::ops::Range<usize>, kind: &'static str) -> SecretMatch<'static> {
    SecretMatch { range, kind, class: Class::Personal }
}

#[cfg(test)]
mod tests;
