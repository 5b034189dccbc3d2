//! Calls and attributes of Python 2 that one other expression replaces, wherever it stands on the failing line.

use std::ops::Range;

use super::super::calls::{Call, is_plain, receiver};
use super::super::file::File;
use super::super::insert::import_module;
use super::super::tokens::Kind;
use super::place::{failing, text};
use crate::edit::{Edit, apply};

/// `list(x)` for `map(None, x)`, and what `itertools.zip_longest` gives for more.
pub(crate) fn maps(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    let mut is_zip = false;
    for index in 0..tokens.list.len() {
        let opens = tokens.is(index, "map") && tokens.is(index + 1, "(") && tokens.is(index + 2, "None");
        let is_own = tokens.follows(index, ".") || !file.is_open(file.line_of(index));
        if !opens || is_own || !tokens.is(index + 3, ",") {
            continue;
        }
        let call = Call::at(tokens, index + 1).filter(|call| !call.has_special(tokens))?;
        let many = call.arguments.len() > 2;
        let is_list = tokens.follows(index, "(") && index.checked_sub(2).is_some_and(|it| tokens.is(it, "list"));
        let (start, end) = match (many, is_list) {
            (true, true) => ("itertools.zip_longest(", ")"),
            (true, false) => ("list(itertools.zip_longest(", "))"),
            (false, _) => ("list(", ")"),
        };
        is_zip |= many;
        let first = call.arguments.get(1)?.start;
        edits.push(Edit::replace(tokens.list.get(index)?.start..tokens.list.get(first)?.start, start));
        edits.push(Edit::replace(file.span(call.close, call.close)?, end));
    }
    if edits.is_empty() {
        return None;
    }
    if is_zip {
        edits.extend(import_module(file, "itertools")?);
    }
    apply(tokens.bytes, edits)
}

/// The tables of `text.translate(table, deleted)` in one.
pub(super) fn translated(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> =
        failing(file)?.filter(|it| tokens.is(*it, "translate") && tokens.follows(*it, ".")).collect();
    let [index] = *calls.as_slice() else { return None };
    let call = Call::at(tokens, index + 1).filter(|call| !call.has_special(tokens))?;
    let [table, deleted] = call.arguments.as_slice() else { return None };
    let gone = format!("str.maketrans('', '', {})", text(file, deleted)?);
    let is_none = table.len() == 1 && tokens.is(table.start, "None");
    let now = if is_none { gone } else { format!("{{**{}, **{gone}}}", text(file, table)?) };
    file.finish(vec![Edit::replace(file.span(table.start, deleted.end - 1)?, now)])
}

/// What `x.im_func`, `x.im_self` and `x.im_class` were. The message is the same for a method of an object and for one that is
/// taken from its class, which is a plain function now.
pub(super) fn method_parts(file: &File<'_>) -> Option<Vec<u8>> {
    const NAMES: [&str; 4] = ["im_func", "__func__", "im_self", "im_class"];
    let tokens = &file.tokens;
    let is_part = |index: &usize| NAMES.iter().any(|name| tokens.is(*index, name)) && tokens.follows(*index, ".");
    let found: Vec<usize> = failing(file)?.filter(is_part).collect();
    let [index] = *found.as_slice() else { return None };
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    let value = is_plain(tokens, &owner).then(|| text(file, &owner))??;
    let now = match tokens.text(index) {
        b"im_self" => format!("getattr({value}, '__self__', None)"),
        b"im_class" if !value.starts_with(char::is_uppercase) => format!("{value}.__self__.__class__"),
        b"im_class" => return None,
        _ => format!("getattr({value}, '__func__', {value})"),
    };
    file.finish(vec![Edit::replace(file.span(owner.start, index)?, now)])
}

/// Bytes for the only text that the failing line adds to something.
pub(super) fn joined(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let is_joined = |it: &usize| (tokens.follows(*it, "+") || tokens.is(it + 1, "+")) && !tokens.is(it + 1, "%");
    let texts: Vec<usize> = failing(file)?.filter(|it| tokens.is_kind(*it, Kind::Text) && is_joined(it)).collect();
    let [index] = *texts.as_slice() else { return None };
    let is_plain = matches!(tokens.text(index).first(), Some(b'"' | b'\'')) && tokens.text(index).is_ascii();
    is_plain.then(|| file.finish(vec![Edit::insert(tokens.list.get(index)?.start, "b")]))?
}

/// Bytes for the texts that `struct.pack` gets.
pub(super) fn packed(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?
        .filter(|it| ["pack", "pack_into"].iter().any(|name| tokens.is(*it, name)) && tokens.is(it + 1, "("))
        .collect();
    let [index] = *calls.as_slice() else { return None };
    let call = Call::at(tokens, index + 1).filter(|call| !call.has_special(tokens))?;
    let is_number = |it: &&Range<usize>| {
        (it.start..it.end).any(|index| tokens.is_kind(index, Kind::Number) || tokens.is(index, "len"))
    };
    let is_text = |it: &&Range<usize>| it.len() == 1 && tokens.is_kind(it.start, Kind::Text);
    let values = call.arguments.get(if tokens.is(index, "pack") { 1 } else { 3 }..)?;
    let written: Vec<&Range<usize>> = values.iter().filter(is_text).collect();
    if !written.is_empty() {
        let edits = written.into_iter().map(|it| Some(Edit::insert(tokens.list.get(it.start)?.start, "b")));
        return tokens.bytes.is_ascii().then(|| file.finish(edits.collect::<Option<_>>()?))?;
    }
    let others: Vec<&Range<usize>> = values.iter().filter(|it| !is_number(it)).collect();
    let [value] = *others.as_slice() else { return None };
    let name = is_plain(tokens, value).then(|| text(file, value))??;
    let now = format!("{name} if isinstance({name}, bytes) else {name}.encode('utf-8')");
    file.finish(vec![Edit::replace(file.span(value.start, value.end - 1)?, now)])
}

/// `(x + y).encode(…)` for `x + y.encode(…)`.
pub(super) fn encoded_sum(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, "encode") && tokens.follows(*it, ".")).collect();
    let [index] = *calls.as_slice() else { return None };
    let second = receiver(tokens, index.checked_sub(2)?)?;
    let first = receiver(tokens, second.checked_sub(2).filter(|_| tokens.follows(second, "+"))?)?;
    let is_longer = ["+", "*", "%", "/"].iter().any(|sign| tokens.follows(first, sign));
    let edits =
        vec![Edit::insert(tokens.list.get(first)?.start, "("), Edit::insert(tokens.list.get(index - 1)?.start, ")")];
    (!is_longer).then(|| file.finish(edits))?
}

/// A pattern of bytes for one that names bytes beyond ASCII, where bytes are searched: on the failing line, or where the only object of its name is compiled.
pub(super) fn pattern(file: &File<'_>) -> Option<Vec<u8>> {
    const CALLS: [&str; 6] = ["findall", "finditer", "match", "search", "split", "sub"];
    let tokens = &file.tokens;
    let is_call = |it: &usize| CALLS.iter().any(|name| tokens.is(*it, name)) && tokens.is(it + 1, "(");
    let calls: Vec<usize> = failing(file)?.filter(|it| is_call(it) && tokens.follows(*it, ".")).collect();
    let [index] = *calls.as_slice() else { return None };
    let owner = index.checked_sub(2)?;
    let literal = if tokens.is(owner, "re") {
        index + 2
    } else {
        let mut made = (0..tokens.list.len()).filter(|it| {
            let is_compiled = tokens.is(*it, "compile") && tokens.is(it + 1, "(") && it.checked_sub(4).is_some();
            is_compiled && tokens.follows(it - 2, "=") && tokens.text(it - 4) == tokens.text(owner)
        });
        let (first, None) = (made.next()?, made.next()) else { return None };
        first + 2
    };
    let text = tokens.text(literal);
    // A pattern of bytes beyond ASCII is one for bytes.
    let is_of_bytes = text
        .windows(3)
        .any(|part| part.starts_with(b"\\x") && !part.get(2).is_some_and(|byte| byte.is_ascii_digit() && *byte < b'8'));
    let plain = text.iter().position(|byte| matches!(byte, b'"' | b'\''))? <= 1 && text.is_ascii();
    let alone = tokens.is_kind(literal, Kind::Text) && !tokens.is_kind(literal + 1, Kind::Text);
    let is_plain = plain && alone && is_of_bytes && matches!(text.first(), Some(b'"' | b'\'' | b'r' | b'R'));
    is_plain.then(|| apply(tokens.bytes, vec![Edit::insert(tokens.list.get(literal)?.start, "b")]))?
}

/// The text itself for the only `x.encode(…)` that is all that the failing line writes.
pub(super) fn unencoded(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, "write") && tokens.is(it + 1, "(")).collect();
    let [index] = *calls.as_slice() else { return None };
    let call = Call::at(tokens, index + 1)?;
    let [argument] = call.arguments.as_slice() else { return None };
    let encodes: Vec<usize> =
        argument.clone().filter(|it| tokens.is(*it, "encode") && tokens.follows(*it, ".")).collect();
    let [encode] = *encodes.as_slice() else { return None };
    let close = Call::at(tokens, encode + 1)?.close;
    let is_whole = receiver(tokens, encode.checked_sub(2)?) == Some(argument.start) && close + 1 == argument.end;
    is_whole.then(|| file.finish(vec![Edit::replace(file.span(encode - 1, close)?, "")]))?
}

/// What the codecs that Python 2 had as encodings of text do, by their modules. What is encoded is text, and so is the result.
pub(super) fn encoded(file: &File<'_>) -> Option<Vec<u8>> {
    coded(file, "encode", |codec, value| match codec {
        "hex" | "hexcodec" => Some((format!("{value}.encode('latin-1').hex()"), "")),
        "base64" | "base64codec" => {
            Some((format!("base64.encodebytes({value}.encode('latin-1')).decode('ascii')"), "base64"))
        }
        "rot13" => Some((format!("codecs.encode({value}, 'rot13')"), "codecs")),
        _ => None,
    })
}

/// The same for bytes that are decoded: the result is bytes.
pub(super) fn decoded(file: &File<'_>) -> Option<Vec<u8>> {
    coded(file, "decode", |codec, value| match codec {
        "hex" | "hexcodec" => Some((format!("bytes.fromhex({value}.decode('ascii'))"), "")),
        "base64" | "base64codec" => Some((format!("base64.b64decode({value})"), "base64")),
        "zip" | "zlib" | "zlibcodec" => Some((format!("zlib.decompress({value})"), "zlib")),
        "bz2" | "bz2codec" => Some((format!("bz2.decompress({value})"), "bz2")),
        _ => None,
    })
}

/// The only call of this method on the failing line, replaced as `now` says, which gives the module that it needs as well.
fn coded(file: &File<'_>, name: &str, now: impl Fn(&str, &str) -> Option<(String, &'static str)>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let calls: Vec<usize> = failing(file)?.filter(|it| tokens.is(*it, name) && tokens.follows(*it, ".")).collect();
    let [index] = *calls.as_slice() else { return None };
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    let call = Call::at(tokens, index + 1)?;
    let codec = super::decoded::literal(file, call.arguments.first()?)?;
    let (text, module) = now(&codec, text(file, &owner)?)?;
    let mut edits = if module.is_empty() { Vec::new() } else { import_module(file, module)? };
    edits.push(Edit::replace(file.span(owner.start, call.close)?, text));
    file.finish(edits)
}
