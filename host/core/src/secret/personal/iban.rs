//! IBANs: the length that the country prescribes, and the check digits of ISO 13616 (remainder 1 modulo 97).

use super::super::SecretMatch;
use super::digits::before;

pub(super) const KIND: &str = "iban";

/// Countries and the length of their IBANs.
const LENGTHS: [(&[u8; 2], usize); 40] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AT", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BR", 29),
    (b"CH", 21),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"EE", 20),
    (b"ES", 24),
    (b"FI", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GR", 27),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"MC", 27),
    (b"MT", 31),
    (b"NL", 18),
    (b"NO", 15),
    (b"PL", 28),
    (b"PT", 25),
    (b"RO", 24),
    (b"SA", 24),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"TR", 26),
    (b"UA", 29),
];

/// The IBAN whose check digits are at `start`, the first of a run of `run` digits.
pub(super) fn at(bytes: &[u8], start: usize, run: usize) -> Option<SecretMatch<'static>> {
    let country = [before(bytes, start, 2)?, before(bytes, start, 1)?];
    let first = start - 2;
    let edge = before(bytes, first, 1).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
    if run < 2 || !edge {
        return None;
    }
    let length = LENGTHS.iter().find(|(name, _)| **name == country)?.1;
    let (digits, end) = characters(bytes, first, length)?;
    let ends = bytes.get(end).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (ends && remainder(&digits) == 1).then(|| SecretMatch::personal(first..end, KIND))
}

/// The IBAN's characters without spaces, and where it ends.
fn characters(bytes: &[u8], first: usize, length: usize) -> Option<(Vec<u8>, usize)> {
    let mut read = Vec::with_capacity(length);
    let mut at = first;
    while read.len() < length {
        match bytes.get(at)? {
            byte if byte.is_ascii_digit() || byte.is_ascii_uppercase() => read.push(*byte),
            b' ' if read.len() % 4 == 0 => {}
            _ => return None,
        }
        at += 1;
    }
    Some((read, at))
}

/// The IBAN modulo 97, with the first four characters moved to the end and letters as 10 to 35.
fn remainder(number: &[u8]) -> u32 {
    let (head, tail) = number.split_at(number.len().min(4));
    tail.iter().chain(head).fold(0, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        letter => (sum * 100 + u32::from(letter - b'A') + 10) % 97,
    })
}
