//! Terminal sequences: colours, cursor movements, titles and links (ECMA-48), as bytes or spelled as an escape.

use memchr::{memchr_iter, memchr3, memmem};

use super::escape::{Escape, backslashes, escape_at};

/// Most bytes of the parameters of a control sequence.
const MOST_PARAMETERS: usize = 48;
/// Most bytes of a sequence that is spelled. A title or link has a bound of its own, the end of its line.
pub(super) const LONGEST: usize = MOST_PARAMETERS + 64;

const ESCAPE: char = '\u{1b}';
/// The one character for an escape character and `[` (C1).
const CONTROL: char = '\u{9b}';

/// How many bytes the terminal sequence at `at` has; `None` if there is none.
///
/// A real escape character is always removed, whatever follows. A spelled one only as a part of a whole sequence: alone
/// it is code that handles sequences.
pub(super) fn sequence_at(bytes: &[u8], at: usize) -> Option<usize> {
    let (intro, is) = intro_at(bytes, at)?;
    let spelled = intro.spelled;
    let after = at + intro.len;
    if is == CONTROL {
        return control(bytes, after, spelled).or((!spelled).then_some(0)).map(|len| intro.len + len);
    }
    let whole = match unit_at(bytes, after) {
        Some((len, '[')) => control(bytes, after + len, spelled).map(|more| len + more),
        Some((len, ']')) => operating(bytes, after + len, spelled).map(|more| len + more),
        Some((len, 'P' | '^' | '_' | 'X')) if !spelled => text_until_end(bytes, after + len).map(|more| len + more),
        Some((len, '(' | ')' | '*' | '+' | '#' | '%' | ' ')) if !spelled => {
            bytes.get(after + len).is_some_and(u8::is_ascii_alphanumeric).then_some(len + 1)
        }
        Some((len, '7' | '8' | '=' | '>')) if !spelled => Some(len),
        _ => None,
    };
    whole.or((!spelled).then_some(0)).map(|len| intro.len + len)
}

/// Where the next sequence or escape can start after `at`, at most the length of the text.
pub(super) fn next_escape(bytes: &[u8], at: usize) -> usize {
    let from = (at + backslashes(bytes, at).max(1)).min(bytes.len());
    let rest = bytes.get(from..).unwrap_or_default();
    let end = memchr3(0x1b, b'\\', b'%', rest).unwrap_or(rest.len());
    let end = memmem::find(rest.get(..end).unwrap_or_default(), "\u{9b}".as_bytes()).unwrap_or(end);
    let entity = memchr_iter(b'&', rest.get(..end).unwrap_or_default()).find(|at| escape_at(rest, *at).is_some());
    from + entity.unwrap_or(end)
}

/// Whether there is a sequence in the bytes.
pub(in crate::secret) fn has_sequence(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        if sequence_at(bytes, at).is_some() {
            return true;
        }
        at = next_escape(bytes, at);
    }
    false
}

struct Intro {
    len: usize,
    spelled: bool,
}

fn intro_at(bytes: &[u8], at: usize) -> Option<(Intro, char)> {
    match bytes.get(at)? {
        0x1b => Some((Intro { len: 1, spelled: false }, ESCAPE)),
        0xc2 if bytes.get(at + 1) == Some(&0x9b) => Some((Intro { len: 2, spelled: false }, CONTROL)),
        // HTML does not spell sequences.
        b'&' => None,
        _ => {
            let Escape { len, is, by_number } = escape_at(bytes, at)?;
            (by_number && matches!(is, ESCAPE | CONTROL)).then_some((Intro { len, spelled: true }, is))
        }
    }
}

/// The character at `at`, spelled or not, and its length. Nothing for what is not ASCII.
fn unit_at(bytes: &[u8], at: usize) -> Option<(usize, char)> {
    if let Some(escape) = escape_at(bytes, at).filter(|_| bytes.get(at) != Some(&b'&')) {
        return Some((escape.len, escape.is));
    }
    bytes.get(at).filter(|byte| byte.is_ascii()).map(|byte| (1, char::from(*byte)))
}

/// What follows `[`: parameters and the letter that ends the sequence. A spelled sequence has no other characters,
/// since those would be a format (`\x1b[{}m`).
fn control(bytes: &[u8], from: usize, spelled: bool) -> Option<usize> {
    if bytes.get(from - 1..).is_some_and(|rest| rest.starts_with(b"[REDACTED:")) {
        return None;
    }
    let mut at = from;
    while at - from <= MOST_PARAMETERS {
        let (len, is) = unit_at(bytes, at)?;
        at += len;
        match is {
            '0'..='?' => {}
            ' '..='/' if !spelled => {}
            'A'..='Z' | 'a'..='z' | '@' | '`' => return Some(at - from),
            '['..='~' if !spelled => return Some(at - from),
            _ => return None,
        }
    }
    None
}

/// What follows `]`: a number and a text up to a bell or a string terminator. If the text does not end, only the
/// number is a part of the sequence.
fn operating(bytes: &[u8], from: usize, spelled: bool) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    if spelled && (digits == 0 || rest.get(digits) != Some(&b';')) {
        return None;
    }
    Some(text_until_end(bytes, from).unwrap_or(digits))
}

/// A text up to a bell or a string terminator in the same line.
fn text_until_end(bytes: &[u8], from: usize) -> Option<usize> {
    const LONGEST_TEXT: usize = 4096;
    let mut at = from;
    while at - from <= LONGEST_TEXT {
        match bytes.get(at)? {
            0x07 => return Some(at + 1 - from),
            0x1b => return (bytes.get(at + 1) == Some(&b'\\')).then_some(at + 2 - from),
            b'\n' => return None,
            b'\\' | b'%' => {
                let Some(escape) = escape_at(bytes, at) else {
                    // `\e\` ends a text too; `\e` is no escape by itself, since it is a letter in many languages.
                    let run = backslashes(bytes, at).max(1);
                    let letter = bytes.get(at + run).filter(|byte| run > 0 && byte.eq_ignore_ascii_case(&b'e'));
                    if let Some(len) = letter.and_then(|_| terminator(bytes, at + run + 1)) {
                        return Some(at + run + 1 + len - from);
                    }
                    at += run;
                    continue;
                };
                match escape.is {
                    '\u{7}' => return Some(at + escape.len - from),
                    ESCAPE => return terminator(bytes, at + escape.len).map(|len| at + escape.len + len - from),
                    '\n' => return None,
                    _ => at += escape.len,
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The backslashes that end a spelled string terminator.
fn terminator(bytes: &[u8], at: usize) -> Option<usize> {
    let run = backslashes(bytes, at);
    (run > 0).then_some(run)
}
