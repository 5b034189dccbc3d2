//! Numbers in groups of digits, and the characters around them.

/// The byte `back` places before `at`.
pub(super) fn before(bytes: &[u8], at: usize, back: usize) -> Option<u8> {
    at.checked_sub(back).and_then(|at| bytes.get(at)).copied()
}

/// Whether the byte after a number makes it part of something longer: a word, a fraction, a path or a date.
pub(super) fn goes_on(bytes: &[u8], end: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    match bytes.get(end) {
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 => true,
        Some(b'-' | b'.' | b':' | b'/' | b',') => digit(end + 1),
        _ => false,
    }
}

/// Digits in groups, as people write numbers.
pub(super) struct Grouped {
    pub(super) digits: Vec<u8>,
    /// Number of digits in each group.
    pub(super) groups: Vec<usize>,
    /// The character between the groups, if it is always the same.
    pub(super) separator: Option<u8>,
    pub(super) end: usize,
}

/// Reads groups of digits from `start`, separated by single bytes of `separators`. `None` if there are more than `most`
/// digits.
pub(super) fn grouped(bytes: &[u8], start: usize, separators: &[u8], most: usize) -> Option<Grouped> {
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
