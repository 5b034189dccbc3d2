//! Cutting JSON documents of any size into the pieces that a format wants, without holding the document.
//!
//! A format names paths (`messages.*`: every element of the array under `messages`); each value there is handed on
//! whole, at most [`MAX_PIECE_BYTES`] long, and all else is passed over unread. The text may hold several documents one
//! after the other, as JSONL does. Only brackets and strings are looked at: whoever takes a piece parses it.
//!
//! What must stay true: no recursion, so that depth costs nothing; memory is one piece; any bytes come to an end.

use memchr::{memchr_iter, memchr2};

use super::lines::MAX_PIECE_BYTES;

/// Keys from the outside in; `*` is any element of an array. Without any: the document itself.
pub(super) type Path = &'static [&'static str];

/// Most bytes of a key that are compared.
const MAX_KEY_BYTES: usize = 64;

/// A value at one of the paths.
pub(super) struct Piece<'a> {
    /// Which path, by its index.
    pub(super) path: usize,
    /// The value's text; `None` where it is too long.
    pub(super) bytes: Option<&'a [u8]>,
    /// The line that it begins on, from 1.
    pub(super) line: u64,
}

#[derive(Debug)]
pub(super) struct Splitter {
    paths: &'static [Path],
    /// The containers around the place that is being read, as far as a path leads through them.
    around: Vec<Around>,
    at: At,
    /// What is there of a wanted value, or of a key, whose end is in a later chunk.
    begun: Vec<u8>,
    line: u64,
}

#[derive(Debug)]
struct Around {
    is_object: bool,
    /// Paths that lead through here, a bit each.
    live: u32,
    /// In an object: paths that lead through the value of the key that was read.
    next: u32,
    expects_key: bool,
}

#[derive(Debug, Clone, Copy)]
enum At {
    Between,
    Key { escaped: bool },
    Value(Value),
}

#[derive(Debug, Clone, Copy)]
struct Value {
    /// The path, where the value is wanted.
    path: Option<usize>,
    line: u64,
    kind: Kind,
    depth: usize,
    in_string: bool,
    escaped: bool,
    overlong: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    Text,
    Nested,
}

impl Splitter {
    /// At most 32 paths, none the beginning of another.
    pub(super) fn new(paths: &'static [Path]) -> Self {
        Self { paths, around: Vec::new(), at: At::Between, begun: Vec::new(), line: 1 }
    }

    /// Takes a chunk and hands on each piece that ends in it.
    pub(super) fn feed(&mut self, chunk: &[u8], take: &mut dyn FnMut(Piece<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let used = match self.at {
                At::Between => self.between(rest),
                At::Key { escaped } => self.key(rest, escaped),
                At::Value(value) => self.value(rest, value, take),
            };
            let (done, left) = rest.split_at(used.min(rest.len()));
            self.line += memchr_iter(b'\n', done).count() as u64;
            rest = left;
        }
    }

    /// Whether the text ended within a document.
    pub(super) fn is_cut(&self) -> bool {
        let open = match self.at {
            At::Between => false,
            At::Key { .. } => true,
            At::Value(value) => value.kind != Kind::Scalar,
        };
        open || !self.around.is_empty()
    }

    /// Between two values: one byte, or nothing where a value begins.
    fn between(&mut self, rest: &[u8]) -> usize {
        let Some(&byte) = rest.first() else { return 0 };
        match byte {
            b',' => self.around.last_mut().into_iter().for_each(|around| around.expects_key = around.is_object),
            b'}' | b']' => drop(self.around.pop()),
            b'"' if self.around.last().is_some_and(|around| around.expects_key) => {
                self.at = At::Key { escaped: false };
            }
            byte if byte == b':' || byte.is_ascii_whitespace() => {}
            _ => return self.begin(byte),
        }
        1
    }

    /// A value begins: it is wanted, a path leads into it, or it is passed over.
    fn begin(&mut self, byte: u8) -> usize {
        let depth = self.around.len();
        let leads =
            self.around.last().map_or(u32::MAX, |around| if around.is_object { around.next } else { around.live });
        let through = |index: &usize| leads & (1 << index) != 0;
        let wanted = (0..self.paths.len())
            .find(|index| through(index) && self.paths.get(*index).is_some_and(|p| p.len() == depth));
        let nested = matches!(byte, b'{' | b'[');
        let is_object = byte == b'{';
        if wanted.is_none() && nested {
            let inside = self.leading(leads, depth, if is_object { None } else { Some("*") });
            if inside != 0 {
                self.around.push(Around { is_object, live: inside, next: 0, expects_key: is_object });
                return 1;
            }
        }
        let kind = match byte {
            b'"' => Kind::Text,
            _ if nested => Kind::Nested,
            _ => Kind::Scalar,
        };
        let line = self.line;
        self.at =
            At::Value(Value { path: wanted, line, kind, depth: 0, in_string: false, escaped: false, overlong: false });
        0
    }

    /// Those of the paths in `live` that go on with `key` at this depth; with any key but `*` where none is given.
    fn leading(&self, live: u32, depth: usize, key: Option<&str>) -> u32 {
        let goes_on = |path: &Path| path.get(depth).is_some_and(|part| key.map_or(*part != "*", |key| *part == key));
        let paths = self.paths.iter().enumerate().filter(|(index, path)| live & (1 << index) != 0 && goes_on(path));
        paths.fold(0, |found, (index, _)| found | 1 << index)
    }

    fn key(&mut self, rest: &[u8], escaped: bool) -> usize {
        if escaped {
            self.at = At::Key { escaped: false };
            return 1;
        }
        let end = memchr2(b'"', b'\\', rest);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let room = (MAX_KEY_BYTES + 1).saturating_sub(self.begun.len());
        self.begun.extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        match end {
            None => {}
            Some(end) if rest.get(end) == Some(&b'\\') => {
                // No format has a key that needs an escape: it will not be found.
                self.begun.push(b'\\');
                self.at = At::Key { escaped: true };
            }
            Some(_) => {
                let key = std::mem::take(&mut self.begun);
                let depth = self.around.len().saturating_sub(1);
                let live = self.around.last().map_or(0, |around| around.live);
                let next = std::str::from_utf8(&key).map_or(0, |key| self.leading(live, depth, Some(key)));
                if let Some(around) = self.around.last_mut() {
                    around.next = next;
                    around.expects_key = false;
                }
                self.at = At::Between;
            }
        }
        end.map_or(rest.len(), |end| end + 1)
    }

    fn value(&mut self, rest: &[u8], mut value: Value, take: &mut dyn FnMut(Piece<'_>)) -> usize {
        let (used, ended) = scan(rest, &mut value);
        let part = rest.get(..used).unwrap_or_default();
        if let Some(path) = value.path {
            value.overlong |= self.begun.len() + part.len() > MAX_PIECE_BYTES;
            if value.overlong {
                self.begun = Vec::new();
            }
            if ended && (value.overlong || self.begun.is_empty()) {
                take(Piece { path, bytes: Some(part).filter(|_| !value.overlong), line: value.line });
            } else if !value.overlong {
                self.begun.extend_from_slice(part);
                if ended {
                    take(Piece { path, bytes: Some(&self.begun), line: value.line });
                }
            }
        }
        if ended {
            self.begun.clear();
            self.at = At::Between;
        } else {
            self.at = At::Value(value);
        }
        used
    }
}

/// How far the value reaches, and whether its end is there.
fn scan(rest: &[u8], value: &mut Value) -> (usize, bool) {
    if value.kind == Kind::Scalar {
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace());
        // At least one byte, so that a stray `:` or the like comes to an end.
        return end.map_or((rest.len(), false), |end| (end, true));
    }
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        if value.escaped {
            value.escaped = false;
            at += 1;
        } else if value.in_string {
            let Some(found) = rest.get(at..).and_then(|text| memchr2(b'"', b'\\', text)) else {
                return (rest.len(), false);
            };
            at += found + 1;
            value.escaped = rest.get(at - 1) == Some(&b'\\');
            value.in_string = value.escaped;
            if !value.in_string && value.kind == Kind::Text {
                return (at, true);
            }
        } else {
            at += 1;
            match byte {
                b'"' => value.in_string = true,
                b'{' | b'[' => value.depth += 1,
                b'}' | b']' => {
                    value.depth -= 1;
                    if value.depth == 0 {
                        return (at, true);
                    }
                }
                _ => {}
            }
        }
    }
    (rest.len(), false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATHS: &[Path] = &[&["id"], &["list", "*"], &["a", "*", "b", "*"]];

    fn split(text: &[u8], chunk: usize, paths: &'static [Path]) -> (Vec<(usize, String, u64)>, bool) {
        let mut found = Vec::new();
        let mut splitter = Splitter::new(paths);
        for part in text.chunks(chunk.max(1)) {
            splitter.feed(part, &mut |piece| {
                let text =
                    piece.bytes.map_or("overlong".to_owned(), |bytes| String::from_utf8_lossy(bytes).into_owned());
                found.push((piece.path, text, piece.line));
            });
        }
        (found, splitter.is_cut())
    }

    #[test]
    fn pieces_are_the_same_whatever_the_chunks() {
        let text = br#"{"x":{"id":1,"list":[9]},"id":"s\"}","list":[
 {"a":"]"}, 3,[1] ],"n":-1.5e3,"a":[{"b":[true],"c":[0]},{"b":[]},7],"list2":[5]}
{"id":2}"#;
        let piece = |path, text: &str, line| (path, text.to_owned(), line);
        let wanted = [
            piece(0, r#""s\"}""#, 1),
            piece(1, r#"{"a":"]"}"#, 2),
            piece(1, "3", 2),
            piece(1, "[1]", 2),
            piece(2, "true", 2),
            piece(0, "2", 3),
        ];
        for size in 1..text.len() {
            assert_eq!(split(text, size, PATHS), (wanted.to_vec(), false), "chunks of {size}");
        }
    }

    #[test]
    fn whole_documents_one_after_the_other() {
        let (found, cut) = split(b"{\"a\":1}\n\n[2]\n{\"b\":", 3, &[&[]]);
        assert_eq!(found.iter().map(|piece| (&*piece.1, piece.2)).collect::<Vec<_>>(), [("{\"a\":1}", 1), ("[2]", 3)]);
        assert!(cut);
    }

    #[test]
    fn depth_and_length_cost_no_memory() {
        let deep = format!("{{\"x\":{}1{},\"list\":[1]}}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(split(deep.as_bytes(), 1000, PATHS).0.len(), 1);
        let long = format!("{{\"list\":[\"{}\",2],\"id\":3}}", "x".repeat(MAX_PIECE_BYTES));
        let (found, cut) = split(long.as_bytes(), 1 << 18, PATHS);
        assert_eq!(found.iter().map(|piece| &*piece.1).collect::<Vec<_>>(), ["overlong", "2", "3"]);
        assert!(!cut);
    }

    proptest! {
        #[test]
        fn any_bytes_come_to_an_end(text in proptest::collection::vec(prop_oneof![
            Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b':'), Just(b','), Just(b'\n'),
            any::<u8>()], 0..200), size in 1usize..20) {
            prop_assert_eq!(split(&text, size, PATHS), split(&text, 200, PATHS));
            let _ = split(&text, size, &[&[]]);
        }

        #[test]
        fn elements_are_those_that_a_parser_finds(values in proptest::collection::vec("\\PC{0,9}", 0..6)) {
            let text = serde_json::json!({"pre": {"list": values}, "list": values, "post": values}).to_string();
            let found: Vec<String> = split(text.as_bytes(), 7, PATHS).0.into_iter().map(|piece| serde_json::from_str(&piece.1).unwrap()).collect();
            prop_assert_eq!(found, values);
        }
    }
}
