//! Card numbers: an issuer's prefix with the length that belongs to it, the check digit of ISO/IEC 7812 (Luhn), and a
//! grouping that cards use. One in ten other numbers has a valid check digit too, so prefix, length and context must
//! also fit.

use super::super::SecretMatch;
use super::digits::{before, goes_on, grouped};

pub(super) const KIND: &str = "card";

/// The card number at `start`, the first digit of a run of `run` digits.
pub(super) fn at(bytes: &[u8], start: usize, run: usize) -> Option<SecretMatch<'static>> {
    // Nineteen digits without groups are an id or a time far more often than a card number.
    let plain = (14..=16).contains(&run);
    if !(plain || run == 4) || !matches!(bytes.get(start), Some(b'2'..=b'6')) || is_part(bytes, start) {
        return None;
    }
    let separators: &[u8] = if plain { b"" } else { b" -" };
    let number = grouped(bytes, start, separators, 19)?;
    let as_card = plain || (number.separator.is_some() && is_card_grouping(&number.groups));
    let taken = as_card
        && is_issuers(&number.digits)
        && luhn(&number.digits)
        && number.digits.iter().any(|digit| Some(digit) != number.digits.first())
        && !goes_on(bytes, number.end)
        && !(plain && is_named_id(bytes, start));
    taken.then(|| SecretMatch::personal(start..number.end, KIND))
}

/// Whether the number is part of a word, a fraction or a longer number.
fn is_part(bytes: &[u8], start: usize) -> bool {
    match before(bytes, start, 1) {
        Some(byte) if byte.is_ascii_alphanumeric() || b"_.-+/$#\\%".contains(&byte) || byte >= 0x80 => {
            !(matches!(byte, b'n' | b't' | b'r') && before(bytes, start, 2) == Some(b'\\'))
        }
        Some(b' ' | b',' | b':') => {
            before(bytes, start, 2).is_some_and(|byte| byte.is_ascii_digit()) && follows_group(bytes, start)
        }
        _ => false,
    }
}

/// Whether four digits directly precede: then the groups are part of a table, not of a card number.
fn follows_group(bytes: &[u8], start: usize) -> bool {
    (2..=5).all(|back| before(bytes, start, back).is_some_and(|byte| byte.is_ascii_digit()))
}

fn is_card_grouping(groups: &[usize]) -> bool {
    matches!(groups, [4, 4, 4, 4] | [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4, 3] | [4, 4, 4, 1])
}

/// Whether an issuer with this prefix uses numbers of this length.
fn is_issuers(digits: &[u8]) -> bool {
    let prefix = |length: usize| digits.iter().take(length).fold(0u32, |sum, digit| sum * 10 + u32::from(*digit));
    let (two, three, four) = (prefix(2), prefix(3), prefix(4));
    match digits.len() {
        14 => (300..=305).contains(&three) || matches!(two, 36 | 38 | 39),
        15 => matches!(two, 34 | 37),
        16 => {
            prefix(1) == 4
                || (51..=55).contains(&two)
                || (2221..=2720).contains(&four)
                || four == 6011
                || matches!(two, 62 | 65)
                || (644..=649).contains(&three)
                || (3528..=3589).contains(&four)
        }
        19 => prefix(1) == 4 || two == 62,
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u8| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let values = digits.iter().rev().enumerate();
    let sum: u32 = values.map(|(at, digit)| u32::from(if at % 2 == 1 { doubled(*digit) } else { *digit })).sum();
    sum.is_multiple_of(10)
}

/// Whether the name before the number says that it is an id: `"user_id": 4…`, `id=4…`, `ts: 4…`.
fn is_named_id(bytes: &[u8], start: usize) -> bool {
    let name = bytes.get(start.saturating_sub(24)..start).unwrap_or_default();
    let end = name.iter().rposition(|byte| !b" \t\"'`:=[(\\".contains(byte)).map_or(0, |at| at + 1);
    let name = name.get(..end).unwrap_or_default();
    let ends = |word: &[u8]| {
        name.get(name.len().saturating_sub(word.len())..).is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    end < 24
        && [&b"id"[..], b"ids", b"_ts", b"time", b"timestamp", b"seed", b"nonce", b"hash"].iter().any(|word| ends(word))
}
