//! Reads the list in a file of assets, `{"version": 1, "<key>": [ … ]}` or a bare list, one item at a time.
//!
//! Owns no file. What must stay true: memory is bounded by one item, whatever the size of the file; and an item is handed over
//! as its bytes, so that nothing of it is lost.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Hands over the text of each item of the list that has one of these names, with the byte of the file that it begins
/// with. An item of more than `limit` bytes is an error, like a text that is not JSON; items before it were handed over.
///
/// The byte is exact for objects, lists and texts, which end with a character of their own. The parser reads one byte at a
/// time, and needs the byte after a number to know its end.
pub(super) fn read_list(
    reader: impl Read,
    keys: &[&str],
    limit: usize,
    each: &mut dyn FnMut(u64, &str),
) -> Result<(), serde_json::Error> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let Some(blank) = skip_blank(&mut reader).map_err(serde_json::Error::io)? else { return Ok(()) };
    let meter = Meter { read: Cell::new(blank), item: Cell::new(None) };
    let metered = Metered { reader, meter: &meter, limit };
    let mut json = serde_json::Deserializer::from_reader(metered);
    File { keys, meter: &meter, each }.deserialize(&mut json)?;
    json.end()
}

/// Takes white space at the beginning, and says how much there was; `None` if nothing else is left.
fn skip_blank(reader: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut all = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if buffer.is_empty() {
            return Ok(None);
        }
        let is_over = blank < buffer.len();
        reader.consume(blank);
        all += blank as u64;
        if is_over {
            return Ok(Some(all));
        }
    }
}

/// How many bytes were read.
struct Meter {
    /// Of the file.
    read: Cell<u64>,
    /// Of the current item; `None` outside of an item.
    item: Cell<Option<usize>>,
}

/// Counts the bytes of the file and of the current item, and fails if the item has too many.
struct Metered<'a, R> {
    reader: R,
    meter: &'a Meter,
    limit: usize,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.meter.read.set(self.meter.read.get() + read as u64);
        if let Some(bytes) = self.meter.item.get() {
            if bytes > self.limit {
                return Err(io::Error::other(format!("an asset has more than {} bytes", self.limit)));
            }
            self.meter.item.set(Some(bytes + read));
        }
        Ok(read)
    }
}

/// The file.
struct File<'a> {
    keys: &'a [&'a str],
    meter: &'a Meter,
    each: &'a mut dyn FnMut(u64, &str),
}

impl<'de> DeserializeSeed<'de> for File<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for File<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the list {:?}, or a list of assets", self.keys.join("` or `"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Items { meter: self.meter, each: self.each }.visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut read: Vec<String> = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            if !self.keys.contains(&name.as_str()) {
                members.next_value::<IgnoredAny>()?;
            } else if read.contains(&name) {
                return Err(A::Error::custom(format!("the list {name:?} is there twice: make it one")));
            } else {
                members.next_value_seed(Items { meter: self.meter, each: &mut *self.each })?;
                read.push(name);
            }
        }
        Ok(())
    }
}

/// The list.
struct Items<'a> {
    meter: &'a Meter,
    each: &'a mut dyn FnMut(u64, &str),
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of assets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            self.meter.item.set(Some(0));
            let item = list.next_element::<Box<RawValue>>()?;
            self.meter.item.set(None);
            match item {
                Some(item) => {
                    let start = self.meter.read.get().saturating_sub(item.get().len() as u64);
                    (self.each)(start, item.get());
                }
                None => return Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Result<Vec<String>, String> {
        let mut items = Vec::new();
        let read = read_list(text.as_bytes(), &["genes"], 20, &mut |start, item| {
            let start = usize::try_from(start).unwrap();
            if !item.starts_with(|c: char| c.is_ascii_digit()) {
                assert_eq!(text.get(start..start + item.len()), Some(item), "{text:.40} at {start}");
            }
            items.push(item.to_owned());
        });
        read.map(|()| items).map_err(|error| error.to_string())
    }

    #[test]
    fn items_are_handed_over_as_they_are_written() {
        for (text, expect) in [
            ("", vec![]),
            (" \n", vec![]),
            ("{}", vec![]),
            ("[]", vec![]),
            (
                r#"{"version":1,"x":[1,[2]],"genes":[ {"n": 1.00} , 7,"x"],"y":{}}"#,
                vec![r#"{"n": 1.00}"#, "7", r#""x""#],
            ),
            (" [ {} ,\n{\"a\":[ ]}]\n", vec!["{}", "{\"a\":[ ]}"]),
            (r#"{"\u0067enes":[1]}"#, vec!["1"]),
        ] {
            let expect: Vec<String> = expect.into_iter().map(str::to_owned).collect();
            assert_eq!(items(text), Ok(expect), "{text}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let long = format!("[\"{}\"]", "x".repeat(100_000));
        let others = format!("{{\"other\":\"{}\",\"genes\":[1]}}", "x".repeat(100_000));
        assert_eq!(items(&others).as_deref(), Ok(["1".to_owned()].as_slice()));
        for (text, expect) in [
            ("7", "invalid type"),
            ("{\"genes\":{}}", "invalid type"),
            ("{\"genes\":null}", "invalid type"),
            ("[]]", "trailing"),
            ("[1", "EOF"),
            ("{\"genes\":[],\"genes\":[]}", "is there twice"),
            (&long, "more than 20 bytes"),
        ] {
            let error = items(text).expect_err(text);
            assert!(error.contains(expect), "{text:.40}: {error}");
        }
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let deep = format!("[{}{}]", "[".repeat(200_000), "]".repeat(200_000));
        let mut count = 0;
        read_list(deep.as_bytes(), &["genes"], 1 << 20, &mut |_, _| count += 1).unwrap();
        assert_eq!(count, 1);
    }
}
