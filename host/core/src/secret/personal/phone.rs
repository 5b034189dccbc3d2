//! Phone numbers: international ones with `+`, North American ones in their grouping, and any other grouping after a
//! word such as `phone`. A number that could be a date, a version, an address or an offset is not reported.

use super::super::{Class, SecretMatch};
use super::digits::{Grouped, before, goes_on, grouped};

pub(super) const KIND: &str = "phone";

/// Fewest and most digits of a number (ITU-T E.164).
const FEWEST: usize = 8;
const MOST: usize = 15;

/// The phone number at `start`, the first digit of a run of `run` digits.
pub(super) fn at(bytes: &[u8], start: usize, run: usize) -> Option<SecretMatch<'static>> {
    if before(bytes, start, 1) == Some(b'+') {
        return international(bytes, start);
    }
    if run > 12 || !can_start(bytes, start) {
        return None;
    }
    american(bytes, start, run).or_else(|| after_phone_word(bytes, start))
}

fn international(bytes: &[u8], start: usize) -> Option<SecretMatch<'static>> {
    let first = start - 1;
    let free = before(bytes, first, 1).is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"+-_)]/.".contains(&byte));
    if !free || bytes.get(start) == Some(&b'0') {
        return None;
    }
    let number = with_area(bytes, start)?;
    let count = number.digits.len();
    // A signed number has no groups, and a phone number without groups has all its digits.
    let shape = if number.groups.len() == 1 { (10..=MOST).contains(&count) } else { (FEWEST..=MOST).contains(&count) };
    (shape && !goes_on(bytes, number.end)).then(|| found(first, &number))
}

/// Reads groups with one area code in brackets: `1 (415) 555 2671`.
fn with_area(bytes: &[u8], start: usize) -> Option<Grouped> {
    let head = grouped(bytes, start, b" -.", MOST)?;
    let opens = match (bytes.get(head.end), bytes.get(head.end + 1)) {
        (Some(b'('), _) => head.end + 1,
        (Some(b' '), Some(b'(')) => head.end + 2,
        _ => return Some(head),
    };
    let area = grouped(bytes, opens, b"", 5).filter(|area| !area.digits.is_empty())?;
    if bytes.get(area.end) != Some(&b')') {
        return Some(head);
    }
    let rest = area.end + 1 + usize::from(matches!(bytes.get(area.end + 1), Some(b' ' | b'-')));
    let tail = grouped(bytes, rest, b" -.", MOST)?;
    let digits = [head.digits, area.digits, tail.digits].concat();
    let groups = [head.groups, area.groups, tail.groups].concat();
    Some(Grouped { digits, groups, separator: None, end: tail.end })
}

/// `415-555-2671`, `(415) 555-2671`, `1-415-555-2671`, `415.555.2671`.
fn american(bytes: &[u8], start: usize, run: usize) -> Option<SecretMatch<'static>> {
    if run == 3 && before(bytes, start, 1) == Some(b'(') && bytes.get(start + 3) == Some(&b')') {
        let rest = start + 4 + usize::from(bytes.get(start + 4) == Some(&b' '));
        let tail = grouped(bytes, rest, b"-.", 7).filter(|tail| tail.groups == [3, 4] && !goes_on(bytes, tail.end))?;
        let area = grouped(bytes, start, b"", 3)?;
        let digits = [area.digits, tail.digits].concat();
        return Some(found(start - 1, &Grouped { digits, groups: vec![3, 3, 4], separator: None, end: tail.end }));
    }
    if !matches!(run, 1 | 3) || !matches!(bytes.get(start + run), Some(b'-' | b'.')) {
        return None;
    }
    let number = grouped(bytes, start, b"-.", 11)?;
    let (([3, 3, 4], local) | ([1, 3, 3, 4], [1, local @ ..])) = (number.groups.as_slice(), number.digits.as_slice())
    else {
        return None;
    };
    // Nothing else is grouped like this with dashes only. Dots are also used in versions and addresses.
    let valid = matches!(local, [2..=9, _, _, 2..=9, ..]);
    let grouping = number.separator == Some(b'-') || number.separator == Some(b'.') && valid;
    (grouping && !goes_on(bytes, number.end)).then(|| found(start, &number))
}

/// A number in any grouping that follows a word for a phone.
fn after_phone_word(bytes: &[u8], start: usize) -> Option<SecretMatch<'static>> {
    const WORDS: [&[u8]; 10] =
        [b"phone", b"tel", b"telephone", b"mobile", b"cell", b"fax", b"call", b"whatsapp", b"phone_number", b"telefon"];
    let context = bytes.get(start.saturating_sub(28)..start).unwrap_or_default();
    let end = context.iter().rposition(|byte| !b" \t\"'`:=.(\\".contains(byte)).map_or(0, |at| at + 1);
    let word_start = context.get(..end)?.iter().rposition(|byte| !byte.is_ascii_alphabetic() && *byte != b'_');
    let word = context.get(word_start.map_or(0, |at| at + 1)..end)?;
    let last = word.rsplit(|byte| *byte == b'_').next().unwrap_or(word);
    let names = |word: &[u8]| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    let is_number = last.eq_ignore_ascii_case(b"number") && ends_with_phone(word);
    if !(names(word) || names(last) || is_number || ends_with_phone(word)) {
        return None;
    }
    let number = with_area(bytes, start)?;
    let shape = (FEWEST..=MOST).contains(&number.digits.len()) && number.groups.len() <= 6;
    (shape && !goes_on(bytes, number.end)).then(|| found(start, &number))
}

/// `homePhone`, `phoneNumber`.
fn ends_with_phone(word: &[u8]) -> bool {
    let ends = |end: &[u8]| {
        word.len()
            .checked_sub(end.len())
            .and_then(|at| word.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    [&b"phone"[..], b"phonenumber", b"phone_number", b"mobilenumber"].into_iter().any(ends)
}

/// Whether a number can start here.
fn can_start(bytes: &[u8], start: usize) -> bool {
    match before(bytes, start, 1) {
        Some(b'n' | b't' | b'r') => before(bytes, start, 2) == Some(b'\\'),
        Some(byte) if byte.is_ascii_alphanumeric() || b"_-.+/$#%@".contains(&byte) || byte >= 0x80 => false,
        Some(b',' | b':') => before(bytes, start, 2).is_none_or(|byte| !byte.is_ascii_digit()),
        _ => true,
    }
}

/// Numbers 555-0100 to 555-0199 are reserved for fiction in North America.
fn found(start: usize, number: &Grouped) -> SecretMatch<'static> {
    let tail = number.digits.get(number.digits.len().saturating_sub(7)..).unwrap_or_default();
    let reserved = tail.starts_with(&[5, 5, 5, 0, 1]);
    let class = if reserved { Class::Reserved } else { Class::Personal };
    SecretMatch { range: start..number.end, kind: KIND, class }
}
