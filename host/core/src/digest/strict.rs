//! Strict JSON: refuses texts that programs could interpret in different ways, with the place and the reason.
//!
//! `serde_json` alone would accept duplicate keys and a nesting of 128. It refuses the rest itself. Time is linear in
//! the size, which is capped first.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// The most bytes of one asset: twice the limit of a hub for a bundle.
pub const MAX_ASSET_BYTES: usize = 1024 * 1024;

/// How deep objects and arrays may nest.
pub const MAX_DEPTH: u32 = 64;

/// Why a text is refused. Lines and columns count from 1, columns in bytes.
#[derive(Debug, thiserror::Error)]
pub enum StrictError {
    /// Over the cap that the caller set.
    #[error("{size} bytes of JSON, over the limit of {limit}")]
    TooLarge {
        /// What there is.
        size: usize,
        /// What may be.
        limit: usize,
    },
    /// An object has a key twice; programs differ in which one they keep.
    #[error("duplicate key {key:?} at line {line} column {column}: keep one of them")]
    DuplicateKey {
        /// The key, decoded.
        key: String,
        /// Where.
        line: usize,
        /// Where.
        column: usize,
    },
    /// Too many objects and arrays within one another.
    #[error("nested deeper than {limit} at line {line} column {column}")]
    TooDeep {
        /// [`MAX_DEPTH`].
        limit: u32,
        /// Where.
        line: usize,
        /// Where.
        column: usize,
    },
    /// Half of a surrogate pair: no UTF-8 text can hold it.
    #[error("lone surrogate in a string at line {line} column {column}: write the whole character")]
    LoneSurrogate {
        /// Where.
        line: usize,
        /// Where.
        column: usize,
    },
    /// No finite f64 is near it.
    #[error("number out of the range of an f64 at line {line} column {column}")]
    NumberRange {
        /// Where.
        line: usize,
        /// Where.
        column: usize,
    },
    /// It is JSON, but not an object.
    #[error("expected a JSON object, found {found}")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// It is not JSON. The message names line and column.
    #[error("not JSON: {0}")]
    Syntax(serde_json::Error),
}

/// Reads one JSON value of at most `limit` bytes.
pub fn read_value(bytes: &[u8], limit: usize) -> Result<Value, StrictError> {
    if bytes.len() > limit {
        return Err(StrictError::TooLarge { size: bytes.len(), limit });
    }
    let refusal = Cell::new(None);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = StrictValue { depth: 0, refusal: &refusal }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| explain(error, refusal.take()))
}

/// Reads one JSON object of at most `limit` bytes.
pub fn read_object(bytes: &[u8], limit: usize) -> Result<Map<String, Value>, StrictError> {
    match read_value(bytes, limit)? {
        Value::Object(members) => Ok(members),
        other => Err(StrictError::NotAnObject { found: super::kind::kind_of(&other) }),
    }
}

/// What this reader refuses itself, stored beside the serde error because that holds only text.
enum Refusal {
    DuplicateKey(String),
    TooDeep,
}

fn explain(error: serde_json::Error, refusal: Option<Refusal>) -> StrictError {
    let (line, column) = (error.line(), error.column());
    match refusal {
        Some(Refusal::DuplicateKey(key)) => return StrictError::DuplicateKey { key, line, column },
        Some(Refusal::TooDeep) => {
            return StrictError::TooDeep { limit: MAX_DEPTH, line, column };
        }
        None => {}
    }
    // serde_json tells its syntax errors apart by text alone; a test holds it to these words.
    let text = error.to_string();
    if text.contains("surrogate") || text.starts_with("unexpected end of hex escape") {
        StrictError::LoneSurrogate { line, column }
    } else if text.starts_with("number out of range") {
        StrictError::NumberRange { line, column }
    } else {
        StrictError::Syntax(error)
    }
}

/// Reads a value `depth` objects and arrays deep.
#[derive(Clone, Copy)]
struct StrictValue<'a> {
    depth: u32,
    refusal: &'a Cell<Option<Refusal>>,
}

impl StrictValue<'_> {
    /// The reader for what lies within an object or array here.
    fn within<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            self.refusal.set(Some(Refusal::TooDeep));
            return Err(E::custom("nested too deep"));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for StrictValue<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let within = self.within()?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(within)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let within = self.within()?;
        let mut members = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            match members.entry(key) {
                Entry::Vacant(member) => {
                    member.insert(entries.next_value_seed(within)?);
                }
                Entry::Occupied(member) => {
                    self.refusal.set(Some(Refusal::DuplicateKey(member.key().clone())));
                    return Err(A::Error::custom("duplicate key"));
                }
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        read_value(text.as_bytes(), MAX_ASSET_BYTES).expect_err(text).to_string()
    }

    #[test]
    fn a_duplicate_key_is_refused_at_any_depth_and_however_it_is_spelled() {
        assert_eq!(refusal(r#"{"a":1,"a":1}"#), "duplicate key \"a\" at line 1 column 10: keep one of them");
        assert!(refusal("{\"x\":[\n{\"a\":1,\"\\u0061\":2}]}").starts_with("duplicate key \"a\" at line 2 column"));
        assert!(read_value(br#"{"a":{"a":1},"b":{"a":1}}"#, MAX_ASSET_BYTES).is_ok());
    }

    #[test]
    fn half_a_surrogate_pair_is_refused() {
        for text in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\u0041""#, r#""\ud800x""#, r#"{"\ud83e":1}"#] {
            assert!(
                refusal(text).starts_with("lone surrogate in a string at line 1 column"),
                "{text}: {}",
                refusal(text)
            );
        }
        assert_eq!(read_value(br#""\ud83e\uddec""#, 100).expect("a pair is whole"), Value::from("🧬"));
    }

    #[test]
    fn a_number_that_no_f64_holds_is_refused() {
        for text in ["1e400", "-1e309", &"9".repeat(400)] {
            assert!(
                refusal(text).starts_with("number out of the range of an f64 at line 1 column"),
                "{}",
                refusal(text)
            );
        }
        assert!(read_value(b"1.7976931348623157e308", 100).is_ok());
        assert!(read_value(b"1e-400", 100).is_ok(), "an underflow is zero, as in ECMAScript");
        for text in ["NaN", "Infinity", "-Infinity", "01", "+1", ".5", "1."] {
            assert!(refusal(text).starts_with("not JSON"), "{text}");
        }
    }

    #[test]
    fn nesting_is_capped_at_exactly_the_stated_depth() {
        let nest = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read_value(nest(64).as_bytes(), MAX_ASSET_BYTES).is_ok());
        assert!(refusal(&nest(65)).starts_with("nested deeper than 64 at line 1 column 6"));
        assert!(refusal(&"{\"a\":".repeat(100_000)).starts_with("nested deeper than 64"));
        assert!(refusal(&"[".repeat(100_000)).starts_with("nested deeper than 64"));
    }

    #[test]
    fn size_is_capped_before_anything_is_read() {
        assert_eq!(read_value(b"[1,2]", 4).expect_err("over").to_string(), "5 bytes of JSON, over the limit of 4");
        assert!(read_value(b"[12]", 4).is_ok());
    }

    #[test]
    fn what_is_not_one_json_document_is_refused() {
        for text in ["", " ", "{", "{}{}", "{} x", "{a:1}", "{'a':1}", "[1,]", "\u{feff}{}", "\"\u{1}\"", "nul"] {
            assert!(refusal(text).starts_with("not JSON"), "{text}: {}", refusal(text));
        }
        assert!(read_value(b"\"\xff\"", 100).is_err());
        assert!(matches!(read_object(b"[]", 100), Err(StrictError::NotAnObject { found: "an array" })));
    }
}
