//! The forms in which agents write texts: a string, a list of blocks, or an object. The text of each is extracted. A
//! form without a text (images, numbers) is empty instead of an error, so that one unusual block does not lose its
//! whole line.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What a member that tells of an error holds.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) message: Text<'a>,
}

/// Text, in a field that may be a string or blocks that contain strings.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A field that is `None` if it does not have the expected type, so that one unusual field does not lose its line.
pub(super) fn lenient<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// A list of which the first [`MAX_LIST`] elements are kept. Two bytes of a log can encode an element that takes a
/// hundred bytes in memory, and real lists have a few dozen elements.
#[derive(Debug)]
pub(super) struct BoundedList<T>(Vec<T>);

/// Most elements of a [`BoundedList`].
const MAX_LIST: usize = 4096;

impl<T> Default for BoundedList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> std::ops::Deref for BoundedList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BoundedList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundedListVisitor(std::marker::PhantomData))
    }
}

struct BoundedListVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedListVisitor<T> {
    type Value = BoundedList<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(BoundedList::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut few = Vec::new();
        while few.len() < MAX_LIST {
            let Some(element) = seq.next_element()? else { return Ok(BoundedList(few)) };
            few.push(element);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(BoundedList(few))
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut joined = Cow::Borrowed("");
        while let Some(Text(part)) = seq.next_element::<Text<'de>>()? {
            if part.is_empty() {
                continue;
            }
            if joined.is_empty() {
                joined = part;
            } else {
                let all = joined.to_mut();
                all.push('\n');
                all.push_str(&part);
            }
        }
        Ok(Text(joined))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Text::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if matches!(&*key, "text" | "content" | "output" | "message") && found.0.is_empty() {
                found = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> String {
        serde_json::from_str::<Text<'_>>(json).unwrap().0.into_owned()
    }

    #[test]
    fn every_shape_gives_its_text() {
        assert_eq!(read(r#""a\n""#), "a\n");
        assert_eq!(read(r#"[{"type":"text","text":"a"},{"type":"image","source":{"data":"x"}},"b",3,null]"#), "a\nb");
        assert_eq!(read(r#"{"content":[{"text":"x"}],"success":false}"#), "x");
        assert_eq!(read("null"), "");
        assert_eq!(read("true"), "");
        assert_eq!(read("-1.5"), "");
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(serde_json::from_str::<Text<'_>>(&deep).is_err());
    }

    #[test]
    fn a_list_is_kept_as_far_as_is_sensible_and_read_to_its_end() {
        let many = format!("[{}0]", "1,".repeat(MAX_LIST + 5));
        let few: BoundedList<u8> = serde_json::from_str(&many).unwrap();
        assert_eq!((few.len(), few.iter().all(|one| *one == 1)), (MAX_LIST, true));
        assert!(serde_json::from_str::<BoundedList<u8>>("null").unwrap().is_empty());
        for bad in ["[1,", "[1 2]", "{}", &format!("[{}x]", "1,".repeat(MAX_LIST))] {
            assert!(serde_json::from_str::<BoundedList<u8>>(bad).is_err(), "{bad:.9}");
        }
    }
}
