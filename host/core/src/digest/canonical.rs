//! Writes canonical JSON (RFC 8785): members in the order of their names' UTF-16 code units, numbers as ECMAScript
//! prints them, the fewest escapes, no white space.
//!
//! What must stay true: the bytes are those of `serde_json_canonicalizer`, which a test compares with.

use serde_json::{Map, Number, Value};

/// Writes a value.
pub(super) fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(out, nearest(number)),
        Value::String(text) => write_text(out, text),
        Value::Array(items) => write_list(out, items),
        Value::Object(members) => write_members(out, members, &[]),
    }
}

fn write_list(out: &mut Vec<u8>, items: &[Value]) {
    out.push(b'[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_value(out, item);
    }
    out.push(b']');
}

/// Writes an object without the members of these names.
pub(super) fn write_members(out: &mut Vec<u8>, members: &Map<String, Value>, without: &[&str]) {
    let is_written = |name: &str| !without.contains(&name);
    let mut sorted: Vec<(&str, &Value)> =
        members.iter().map(|(name, value)| (name.as_str(), value)).filter(|(name, _)| is_written(name)).collect();
    // Comparing bytes costs least.
    if sorted.iter().all(|(name, _)| is_ordered(name.as_bytes())) {
        sorted.sort_unstable_by_key(|(name, _)| *name);
    } else {
        sorted.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    }
    out.push(b'{');
    for (place, (name, value)) in sorted.into_iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_text(out, name);
        out.push(b':');
        write_value(out, value);
    }
    out.push(b'}');
}

/// Whether a name sorts by its bytes as by its UTF-16. From 0xee on, a byte begins a character from U+E000 on, and surrogate
/// pairs sort before those of them that are one unit long.
pub(super) fn is_ordered(name: &[u8]) -> bool {
    name.iter().all(|byte| *byte < 0xee)
}

/// The f64 that ECMAScript reads a number as. A strict reader admits only numbers that have one.
fn nearest(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Writes a finite number. A negative zero is `0`.
pub(super) fn write_number(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
}

/// Writes a text with its quotes.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_characters(out, text.as_bytes());
    out.push(b'"');
}

/// Writes decoded text without quotes.
pub(super) fn write_characters(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    loop {
        let (before, from) = rest.split_at(plain(rest));
        out.extend_from_slice(before);
        let Some((byte, after)) = from.split_first() else { return };
        write_escape(out, *byte);
        rest = after;
    }
}

/// How many bytes come before the first `"`, `\` or control character. Eight are looked at together.
pub(super) fn plain(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let (words, rest) = text.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let control = word.wrapping_sub(0x20 * ONES) & !word;
        let special = zero(word ^ (u64::from(b'"') * ONES)) | zero(word ^ (u64::from(b'\\') * ONES)) | control;
        let special = special & HIGH;
        if special != 0 {
            // Bits above a hit may be wrong, the lowest one is right.
            return place * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    words.len() * 8 + rest.iter().position(is_special).unwrap_or(rest.len())
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        // Only control characters are left, which are below 32.
        _ => {
            out.extend_from_slice(if byte < 0x10 { b"\\u000" } else { b"\\u001" });
            out.extend(HEX.get(usize::from(byte & 15)));
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn canonical(value: &Value) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn every_character_below_128_is_written_as_by_the_oracle() {
        for byte in 0..=0x80_u32 {
            let text = format!("a{}b", char::from_u32(byte).expect("a character"));
            let value = json!({ &text: text });
            assert_eq!(canonical(&value), serde_json_canonicalizer::to_string(&value).expect("canonical"), "{byte:#x}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-c]{0,2}",
            "\\PC{0,4}",
            "[\u{0}-\u{22}\\\\é\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{1f9ec}]{0,3}"
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-1e9..1e9).prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_bytes_are_those_of_the_oracle(value in value()) {
            prop_assert_eq!(canonical(&value), serde_json_canonicalizer::to_string(&value).expect("canonical"));
        }
    }
}
