//! Reads the top-level keys of a JSON object without parsing it. That is enough to see what a line is, so that lines
//! without an event, a third of all, are not parsed. It does not validate: a line that is needed is parsed in full
//! afterwards.

use memchr::{memchr2, memchr3};

/// The keys of the object at the start of `text`, each with the text from its value on. Ends early if the text is
/// truncated or not JSON.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

/// Starts at the first `{`, which only white space may precede.
pub(super) fn fields(text: &[u8]) -> Fields<'_> {
    let text = text.trim_ascii_start();
    Fields { rest: text.strip_prefix(b"{").unwrap_or_default() }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        let (key, rest) = string(rest)?;
        let value = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        self.rest = after_value(value).unwrap_or_default();
        Some((key, value))
    }
}

/// The raw text (with its escapes) of the string field `name` of the object at the start of `text`.
pub(super) fn string_field<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let value = value_field(text, name)?;
    string(value).map(|(inner, _)| inner)
}

/// The text from the value of the field `name` on.
pub(super) fn value_field<'a>(text: &'a [u8], name: &str) -> Option<&'a [u8]> {
    fields(text).find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| value)
}

/// Whether the text is exactly one object, judged by brackets and strings. A line that holds two objects, as after a
/// crash between two writes, is not.
pub(super) fn is_one_object(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.first() == Some(&b'{') && after_nested(text).is_some_and(<[u8]>::is_empty)
}

/// How the records of an export are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapping {
    /// Not at all: they are lines.
    Nothing,
    List,
    /// In a list under a key.
    Key,
}

/// The first record of an export. The export may be lines of objects, a list of objects, or an object with such a list
/// under one of `keys`.
pub(super) fn first_record<'a>(head: &'a [u8], keys: &[&str]) -> Option<(Wrapping, &'a [u8])> {
    let head = head.trim_ascii_start();
    if let Some(list) = head.strip_prefix(b"[") {
        return Some((Wrapping::List, list.trim_ascii_start()));
    }
    let wrapped = fields(head).find_map(|(key, value)| {
        let list =
            value.strip_prefix(b"[").filter(|_| keys.iter().any(|name| name.as_bytes() == key))?.trim_ascii_start();
        list.starts_with(b"{").then_some((Wrapping::Key, list))
    });
    wrapped.or_else(|| head.starts_with(b"{").then_some((Wrapping::Nothing, head)))
}

/// Splits a string literal from what follows it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        let found = at + memchr2(b'"', b'\\', inner.get(at..)?)?;
        if inner.get(found) == Some(&b'"') {
            return Some((inner.get(..found)?, inner.get(found + 1..)?));
        }
        at = found + 2;
    }
}

/// What follows the value at the start of `text`; `None` if the value does not end.
fn after_value(text: &[u8]) -> Option<&[u8]> {
    match text.first()? {
        b'"' => string(text).map(|(_, rest)| rest),
        b'{' | b'[' => after_nested(text),
        _ => text.get(memchr3(b',', b'}', b']', text)?..),
    }
}

fn after_nested(text: &[u8]) -> Option<&[u8]> {
    let mut depth = 0usize;
    let mut rest = text;
    loop {
        match rest.first()? {
            b'"' => {
                rest = string(rest)?.1;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        rest = rest.get(1..)?;
        if depth == 0 {
            return Some(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_own_key_and_not_a_nested_one() {
        let line = br#" {"message":{"type":"message","a":["}\"",{"type":"x"}]},"n":-1.5e3,"type" : "assistant"}"#;
        assert_eq!(string_field(line, "type"), Some(&b"assistant"[..]));
        assert_eq!(string_field(value_field(line, "message").unwrap(), "type"), Some(&b"message"[..]));
        assert_eq!(string_field(line, "n"), None);
    }

    #[test]
    fn keys_before_a_cut_are_seen() {
        let line = br#"{"parentUuid":null,"sessionId":"s","message":{"content":"cut he"#;
        let keys: Vec<_> = fields(line).map(|(key, _)| key).collect();
        assert_eq!(keys, [&b"parentUuid"[..], b"sessionId", b"message"]);
    }

    #[test]
    fn one_object_is_told_from_two_and_from_a_half() {
        assert!(is_one_object(br#" {"a":{"b":"}"}} "#));
        for text in [&b"{}{}"[..], b"{", b"", b"[]", br#"{"a":"}"#, b"{} x"] {
            assert!(!is_one_object(text));
        }
    }

    #[test]
    fn garbage_gives_nothing() {
        for text in
            [&b""[..], b"{", b"[1]", b"{\"", b"{\"a", b"{\"a\"", b"{\"a\":", b"\"x\"", b"{\"a\\", b"}{", b"\xff"]
        {
            assert_eq!(string_field(text, "type"), None);
        }
        assert_eq!(fields(b"{\"a\":]}").count(), 1);
    }
}
