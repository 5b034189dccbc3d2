//! Text that is decoded once more. In Python 2 the same value was made of bytes.

use std::ops::Range;

use super::super::calls::{Call, is_plain, receiver};
use super::super::file::File;
use super::super::insert::import_module;
use super::super::tokens::Kind;
use crate::edit::Edit;

/// Encodings of text, without `-` and `_`.
const ENCODINGS: [&str; 9] =
    ["ascii", "cp1252", "iso88591", "latin1", "usascii", "utf16", "utf8", "utf8sig", "windows1252"];
/// Functions and methods that return text in every call.
const TEXTS: [&str; 8] = ["format", "getcwd", "getenv", "input", "raw_input", "repr", "str", "strftime"];

/// The source with the first `.decode()` of the failing line left out where the value is text, or with the function of the
/// codec if that is none of text. Then all other texts that the file decodes in this way change as well.
pub(super) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let calls = line.filter(|it| tokens.is(*it, "decode") && tokens.follows(*it, ".") && tokens.is(it + 1, "("));
    let calls: Vec<usize> = calls.collect();
    let index = *calls.first()?;
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    // What is decoded may be decoded again, and the error is that of the first time.
    if calls.get(1..)?.iter().any(|next| receiver(tokens, next - 2) != Some(owner.start)) {
        return None;
    }
    if let Some((modules, edit)) = unpacked(file, index) {
        let mut edits = vec![edit];
        for other in (0..tokens.list.len()).filter(|it| tokens.is(*it, "decode") && !calls.contains(it)) {
            let is_text = other.checked_sub(2).is_some_and(|it| tokens.is_kind(it, Kind::Text));
            let more = unpacked(file, other).filter(|(needed, _)| is_text && *needed == modules);
            edits.extend(more.map(|(_, edit)| edit));
        }
        for module in modules {
            edits.extend(import_module(file, module)?);
        }
        return file.finish(edits);
    }
    let call = Call::at(tokens, index + 1)?;
    if call.has_special(tokens) {
        return None;
    }
    let (owner_span, whole) = (file.span(owner.start, owner.end - 1)?, file.span(owner.start, call.close)?);
    let value = std::str::from_utf8(tokens.bytes.get(owner_span.clone())?).ok()?;
    let codec = call.arguments.first().and_then(|argument| literal(file, argument));
    if calls.len() > 1 || codec.is_some_and(|codec| !ENCODINGS.contains(&codec.as_str())) {
        return None;
    }
    let is_text = tokens.is_kind(owner.start, Kind::Text) && owner.len() == 1;
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

/// The functions for `x.decode('hex')` and `x.decode('base64')`, and for a `.decode('zlib')` after it, with the modules that
/// they need. The result is bytes.
fn unpacked(file: &File<'_>, index: usize) -> Option<(Vec<&'static str>, Edit)> {
    let tokens = &file.tokens;
    let first = receiver(tokens, index.checked_sub(2)?)?;
    let value = std::str::from_utf8(tokens.bytes.get(file.span(first, index.checked_sub(2)?)?)?).ok()?;
    let codec = |call: &Call| literal(file, call.arguments.first().filter(|_| call.arguments.len() == 1)?);
    let call = Call::at(tokens, index + 1)?;
    let (mut now, mut modules) = match codec(&call)?.as_str() {
        "hex" | "hexcodec" => (format!("bytes.fromhex({value})"), Vec::new()),
        "base64" | "base64codec" => (format!("base64.b64decode({value})"), vec!["base64"]),
        _ => return None,
    };
    let mut close = call.close;
    if tokens.is(close + 1, ".") && tokens.is(close + 2, "decode") {
        let next = Call::at(tokens, close + 3)?;
        let module = match codec(&next)?.as_str() {
            "zip" | "zlib" | "zlibcodec" => "zlib",
            "bz2" | "bz2codec" => "bz2",
            _ => return None,
        };
        now = format!("{module}.decompress({now})");
        modules.push(module);
        close = next.close;
    }
    Some((modules, Edit::replace(file.span(first, close)?, now)))
}

/// The text of an argument that is one plain string, in lower case and without `-` and `_`.
pub(super) fn literal(file: &File<'_>, argument: &Range<usize>) -> Option<String> {
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
