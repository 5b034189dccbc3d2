//! Reads the list in a file of assets, `{"version": 1, "<key>": [ … ]}` or a bare list, one item at a time.
//!
//! Owns no file. What must stay true: memory is bounded by one item, or by one member beside the list, whatever the size of the
//! file; and an item is handed over as its bytes, so that nothing of it is lost.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The largest name or value of a member beside the list, in bytes.
const MAX_OTHER_BYTES: usize = 64 << 20;

/// Where the list is in a file, in bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// From its `[` to behind its `]`; `None` if there is none.
    pub(super) list: Option<Range<u64>>,
    /// The end of the object's last member; `None` if it has none, or if the file is a bare list.
    pub(super) last_member: Option<u64>,
}

/// Hands over the text of each item of the list that has one of these names, with the byte of the file that it begins
/// with. An item of more than `limit` bytes is an error, like a text that is not JSON; items before it were handed over.
pub(super) fn read_list(
    reader: impl Read,
    keys: &[&str],
    limit: usize,
    each: &mut dyn FnMut(u64, &str),
) -> Result<Layout, serde_json::Error> {
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let Some(blank) = skip_blank(&mut reader).map_err(serde_json::Error::io)? else { return Ok(Layout::default()) };
    let meter = Meter { read: Cell::new(blank), part: Cell::new(None) };
    let metered = Metered { reader, meter: &meter };
    let mut json = serde_json::Deserializer::from_reader(metered);
    let layout = File { keys, limit, meter: &meter, each }.deserialize(&mut json)?;
    json.end()?;
    Ok(layout)
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
    /// The part that is being read, if it has a bound.
    part: Cell<Option<Part>>,
}

/// A part of a file that is kept in memory while it is read.
#[derive(Clone, Copy)]
struct Part {
    what: &'static str,
    read: usize,
    limit: usize,
}

impl Meter {
    /// Reads a part of at most `limit` bytes.
    fn part<T>(&self, what: &'static str, limit: usize, read: impl FnOnce() -> T) -> T {
        self.part.set(Some(Part { what, read: 0, limit }));
        let done = read();
        self.part.set(None);
        done
    }

    /// The bytes of a value that was just read. The parser reads one byte at a time, and needs the byte after a number to
    /// know its end.
    fn range(&self, value: &str) -> Range<u64> {
        let is_number = value.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let end = self.read.get().saturating_sub(u64::from(is_number));
        end.saturating_sub(value.len() as u64)..end
    }
}

/// Counts the bytes of the file and of the current part, and fails if the part has too many.
struct Metered<'a, R> {
    reader: R,
    meter: &'a Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.meter.read.set(self.meter.read.get() + read as u64);
        if let Some(part) = self.meter.part.get() {
            if part.read > part.limit {
                return Err(io::Error::other(format!("{} has more than {} bytes", part.what, part.limit)));
            }
            self.meter.part.set(Some(Part { read: part.read + read, ..part }));
        }
        Ok(read)
    }
}

struct File<'a> {
    keys: &'a [&'a str],
    limit: usize,
    meter: &'a Meter,
    each: &'a mut dyn FnMut(u64, &str),
}

impl<'de> DeserializeSeed<'de> for File<'_> {
    type Value = Layout;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Layout, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for File<'_> {
    type Value = Layout;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with the list {:?}, or a list of assets", self.keys.join("` or `"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Layout, A::Error> {
        let list = Items { limit: self.limit, meter: self.meter, each: self.each }.visit_seq(list)?;
        Ok(Layout { list: Some(list), last_member: None })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Layout, A::Error> {
        let (limit, meter) = (self.limit, self.meter);
        let mut read: Vec<String> = Vec::new();
        let mut layout = Layout::default();
        while let Some(name) = meter.part("the name of a member", MAX_OTHER_BYTES, || members.next_key::<String>())? {
            if !self.keys.contains(&name.as_str()) {
                let value = meter
                    .part("a member beside the list", MAX_OTHER_BYTES, || members.next_value::<Box<RawValue>>())?;
                layout.last_member = Some(meter.range(value.get()).end);
            } else if read.contains(&name) {
                return Err(A::Error::custom(format!("the list {name:?} is there twice: make it one")));
            } else {
                let list = members.next_value_seed(Items { limit, meter, each: &mut *self.each })?;
                layout = Layout { last_member: Some(list.end), list: Some(list) };
                read.push(name);
            }
        }
        Ok(layout)
    }
}

/// The list. Its value is where it is.
struct Items<'a> {
    limit: usize,
    meter: &'a Meter,
    each: &'a mut dyn FnMut(u64, &str),
}

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = Range<u64>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Range<u64>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = Range<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of assets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Range<u64>, A::Error> {
        // The parser has read the bracket and nothing behind it, here and at the end.
        let start = self.meter.read.get().saturating_sub(1);
        while let Some(item) = self.meter.part("an asset", self.limit, || list.next_element::<Box<RawValue>>())? {
            (self.each)(self.meter.range(item.get()).start, item.get());
        }
        Ok(start..self.meter.read.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Result<Vec<String>, String> {
        let mut items = Vec::new();
        let read = read_list(text.as_bytes(), &["genes"], 20, &mut |start, item| {
            let start = usize::try_from(start).unwrap();
            // Where a file is cut within a number, its byte is not exact.
            if !text.ends_with(item) {
                assert_eq!(text.get(start..start + item.len()), Some(item), "{text:.40} at {start}");
            }
            items.push(item.to_owned());
        });
        read.map(|_| items).map_err(|error| error.to_string())
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
    fn the_list_and_the_last_member_are_found() {
        let layout = |text: &str| {
            let layout = read_list(text.as_bytes(), &["genes"], 20, &mut |_, _| {}).unwrap();
            let at = |place: u64| usize::try_from(place).unwrap();
            let slice = |range: Range<u64>| text[at(range.start)..at(range.end)].to_owned();
            (layout.list.map(slice), layout.last_member.map(|end| text[..at(end)].to_owned()))
        };
        for (text, list, until) in [
            ("", None, None),
            (" {} ", None, None),
            (" [ ] ", Some("[ ]"), None),
            ("[1,22]", Some("[1,22]"), None),
            (r#"{"a":1 }"#, None, Some(r#"{"a":1"#)),
            (r#"{"a":1}"#, None, Some(r#"{"a":1"#)),
            (r#"{"a":-1.5e3,"b":"x"}"#, None, Some(r#"{"a":-1.5e3,"b":"x""#)),
            (r#"{"a":null, "b":{} }"#, None, Some(r#"{"a":null, "b":{}"#)),
            (r#"{"genes" : [7] ,"b":false}"#, Some("[7]"), Some(r#"{"genes" : [7] ,"b":false"#)),
            ("{\"b\":[],\"genes\":\n[7 ]\n}", Some("[7 ]"), Some("{\"b\":[],\"genes\":\n[7 ]")),
        ] {
            assert_eq!(layout(text), (list.map(str::to_owned), until.map(str::to_owned)), "{text}");
        }
    }

    /// A file that does not end. Reading it must end before memory does.
    struct Endless<'a>(&'a [u8], u8);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                buffer.fill(self.1);
                return Ok(buffer.len());
            }
            self.0.read(buffer)
        }
    }

    #[test]
    fn a_part_without_an_end_is_refused() {
        for (start, rest, expect) in [
            ("[{\"a\":\"", b'x', "an asset has more than 20 bytes"),
            ("[", b'[', "an asset has more than 20 bytes"),
            ("{\"", b'x', "the name of a member has more than"),
            ("{\"a\":\"", b'x', "a member beside the list has more than"),
            ("{\"a\":", b'[', "a member beside the list has more than"),
            ("{\"a\":", b'1', "a member beside the list has more than"),
        ] {
            let read = read_list(Endless(start.as_bytes(), rest), &["genes"], 20, &mut |_, _| {});
            let error = read.unwrap_err().to_string();
            assert!(error.contains(expect), "{start}: {error}");
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
