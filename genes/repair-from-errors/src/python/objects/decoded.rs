//! Text that is decoded once more. In Python 2 the same value was made of bytes.

use std::ops::Range;

use super::super::calls::{Call, is_plain, receiver};
use super::super::file::File;
use super::super::tokens::Kind;
use crate::edit::Edit;

/// Encodings of text, without `-` and `_`.
const ENCODINGS: [&str; 9] =
    ["ascii", "cp1252", "iso88591", "latin1", "usascii", "utf16", "utf8", "utf8sig", "windows1252"];
/// Functions and methods that return text in every call.
const TEXTS: [&str; 8] = ["format", "getcwd", "getenv", "input", "raw_input", "repr", "str", "strftime"];

/// The source with the only `.decode()` of the failing line left out where the value is text.
pub(super) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let calls = line.filter(|it| tokens.is(*it, "decode") && tokens.follows(*it, ".") && tokens.is(it + 1, "("));
    let [index] = *calls.collect::<Vec<usize>>().as_slice() else { return None };
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    let call = Call::at(tokens, index + 1)?;
    if call.has_special(tokens) {
        return None;
    }
    let (owner_span, whole) = (file.span(owner.start, owner.end - 1)?, file.span(owner.start, call.close)?);
    let value = std::str::from_utf8(tokens.bytes.get(owner_span.clone())?).ok()?;
    let codec = call.arguments.first().and_then(|argument| literal(file, argument));
    let is_text = tokens.is_kind(owner.start, Kind::Text) && owner.len() == 1;
    if matches!(codec.as_deref(), Some("hex" | "hexcodec")) {
        return file.finish(vec![Edit::replace(whole, format!("bytes.fromhex({value})"))]);
    }
    if codec.is_some_and(|codec| !ENCODINGS.contains(&codec.as_str())) {
        return None;
    }
    let edit = if is_text || returns_text(file, &owner) {
        Edit::replace(owner_span.end..whole.end, "")
    } else if is_plain(tokens, &owner) {
        // Other callers may have bytes.
        Edit::replace(whole.clone(), {
            let decoded = std::str::from_utf8(tokens.bytes.get(whole)?).ok()?;
            format!("({value} if isinstance({value}, str) else {decoded})")
        })
    } else {
        return None;
    };
    file.finish(vec![edit])
}

/// The text of an argument that is one plain string, in lower case and without `-` and `_`.
fn literal(file: &File<'_>, argument: &Range<usize>) -> Option<String> {
    let is_string = argument.len() == 1 && file.tokens.is_kind(argument.start, Kind::Text);
    let text = std::str::from_utf8(file.tokens.text(argument.start)).ok().filter(|_| is_string)?;
    let inner = text.trim_start_matches(['u', 'U', 'r', 'R']).trim_matches(['"', '\'']);
    Some(inner.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect())
}

/// Whether an expression ends with a call of a function that returns text.
fn returns_text(file: &File<'_>, owner: &Range<usize>) -> bool {
    let tokens = &file.tokens;
    let opens = |index: &usize| Call::at(tokens, index + 1).is_some_and(|call| call.close + 1 == owner.end);
    owner.clone().any(|index| TEXTS.iter().any(|name| tokens.is(index, name)) && opens(&index))
}
