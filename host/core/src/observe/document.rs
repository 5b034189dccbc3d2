//! Splits JSON documents of any size into the pieces that a format needs, without holding the document.
//!
//! A format lists paths (`messages.*` is every element of the array `messages`). Each value at such a path is passed on
//! whole if it is at most [`MAX_PIECE_BYTES`] long; everything else is skipped. The text may hold several documents in
//! a row, as JSONL does. Only brackets and strings are recognised, so the receiver of a piece must parse it.
//!
//! Invariants: there is no recursion, so nesting can have any depth. At most one piece is held in memory. Every input
//! terminates.

use memchr::{memchr_iter, memchr2};

use super::lines::MAX_PIECE_BYTES;

/// Keys from the outside in; `*` stands for any element of an array. An empty path is the document itself.
pub(super) type Path = &'static [&'static str];

/// Most bytes of a key that are compared.
const MAX_KEY_BYTES: usize = 64;

/// A value at one of the paths.
pub(super) struct Piece<'a> {
    /// Index of the path.
    pub(super) path: usize,
    /// Text of the value; `None` if it is too long.
    pub(super) bytes: Option<&'a [u8]>,
    /// Line on which it starts, from 1.
    pub(super) line: u64,
    /// Number of its document, from 1.
    pub(super) document: u64,
}

#[derive(Debug)]
pub(super) struct DocumentSplitter {
    paths: &'static [Path],
    /// The enclosing containers, as far as a path leads through them.
    containers: Vec<Container>,
    state: State,
    /// The part that has been read of a wanted value or a key that ends in a later chunk.
    buffer: Vec<u8>,
    line: u64,
    /// How many documents have begun.
    documents: u64,
}

#[derive(Debug)]
struct Container {
    is_object: bool,
    /// Paths that lead through this container, one bit each.
    live: u32,
    /// In an object: paths that lead through the value of the last key.
    next: u32,
    expects_key: bool,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Between,
    Key { escaped: bool },
    Value(Value),
}

#[derive(Debug, Clone, Copy)]
struct Value {
    /// Index of the path, if the value is wanted.
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

impl DocumentSplitter {
    /// Takes at most 32 paths, none of which is a prefix of another.
    pub(super) fn new(paths: &'static [Path]) -> Self {
        Self { paths, containers: Vec::new(), state: State::Between, buffer: Vec::new(), line: 1, documents: 0 }
    }

    /// Reads a chunk and passes on each piece that ends in it.
    pub(super) fn feed(&mut self, chunk: &[u8], take: &mut dyn FnMut(Piece<'_>)) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let used = match self.state {
                State::Between => self.between(rest),
                State::Key { escaped } => self.key(rest, escaped),
                State::Value(value) => self.value(rest, value, take),
            };
            let (done, left) = rest.split_at(used.min(rest.len()));
            self.line += memchr_iter(b'\n', done).count() as u64;
            rest = left;
        }
    }

    /// Whether the text ended within a document.
    pub(super) fn is_cut(&self) -> bool {
        let open = match self.state {
            State::Between => false,
            State::Key { .. } => true,
            State::Value(value) => value.kind != Kind::Scalar,
        };
        open || !self.containers.is_empty()
    }

    /// Reads one byte between two values, or none if a value starts.
    fn between(&mut self, rest: &[u8]) -> usize {
        let Some(&byte) = rest.first() else { return 0 };
        match byte {
            b',' => {
                self.containers
                    .last_mut()
                    .into_iter()
                    .for_each(|container| container.expects_key = container.is_object);
            }
            b'}' | b']' => drop(self.containers.pop()),
            b'"' if self.containers.last().is_some_and(|container| container.expects_key) => {
                self.state = State::Key { escaped: false };
            }
            byte if byte == b':' || byte.is_ascii_whitespace() => {}
            _ => return self.begin(byte),
        }
        1
    }

    /// Starts a value: it is wanted, a path leads into it, or it is skipped.
    fn begin(&mut self, byte: u8) -> usize {
        let depth = self.containers.len();
        self.documents += u64::from(depth == 0);
        let matching = self
            .containers
            .last()
            .map_or(u32::MAX, |container| if container.is_object { container.next } else { container.live });
        let through = |index: &usize| matching & (1 << index) != 0;
        let wanted = (0..self.paths.len())
            .find(|index| through(index) && self.paths.get(*index).is_some_and(|p| p.len() == depth));
        let nested = matches!(byte, b'{' | b'[');
        let is_object = byte == b'{';
        if wanted.is_none() && nested {
            let inside = self.matching_paths(matching, depth, if is_object { None } else { Some("*") });
            if inside != 0 {
                self.containers.push(Container { is_object, live: inside, next: 0, expects_key: is_object });
                return 1;
            }
        }
        let kind = match byte {
            b'"' => Kind::Text,
            _ if nested => Kind::Nested,
            _ => Kind::Scalar,
        };
        let line = self.line;
        self.state = State::Value(Value {
            path: wanted,
            line,
            kind,
            depth: 0,
            in_string: false,
            escaped: false,
            overlong: false,
        });
        0
    }

    /// Those of the paths in `live` that continue with `key` at this depth. Without a `key`: those that continue with
    /// any key but `*`.
    fn matching_paths(&self, live: u32, depth: usize, key: Option<&str>) -> u32 {
        let goes_on = |path: &Path| path.get(depth).is_some_and(|part| key.map_or(*part != "*", |key| *part == key));
        let paths = self.paths.iter().enumerate().filter(|(index, path)| live & (1 << index) != 0 && goes_on(path));
        paths.fold(0, |found, (index, _)| found | 1 << index)
    }

    fn key(&mut self, rest: &[u8], escaped: bool) -> usize {
        if escaped {
            self.state = State::Key { escaped: false };
            return 1;
        }
        let end = memchr2(b'"', b'\\', rest);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let room = (MAX_KEY_BYTES + 1).saturating_sub(self.buffer.len());
        self.buffer.extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        match end {
            None => {}
            Some(end) if rest.get(end) == Some(&b'\\') => {
                // No format has a key with an escape, so this key cannot match.
                self.buffer.push(b'\\');
                self.state = State::Key { escaped: true };
            }
            Some(_) => {
                let key = std::mem::take(&mut self.buffer);
                let depth = self.containers.len().saturating_sub(1);
                let live = self.containers.last().map_or(0, |container| container.live);
                let next = std::str::from_utf8(&key).map_or(0, |key| self.matching_paths(live, depth, Some(key)));
                if let Some(container) = self.containers.last_mut() {
                    container.next = next;
                    container.expects_key = false;
                }
                self.state = State::Between;
            }
        }
        end.map_or(rest.len(), |end| end + 1)
    }

    fn value(&mut self, rest: &[u8], mut value: Value, take: &mut dyn FnMut(Piece<'_>)) -> usize {
        let (used, ended) = scan(rest, &mut value);
        let part = rest.get(..used).unwrap_or_default();
        if let Some(path) = value.path {
            value.overlong |= self.buffer.len() + part.len() > MAX_PIECE_BYTES;
            if value.overlong {
                self.buffer = Vec::new();
            }
            let piece = Piece { path, bytes: None, line: value.line, document: self.documents };
            if ended && (value.overlong || self.buffer.is_empty()) {
                take(Piece { bytes: Some(part).filter(|_| !value.overlong), ..piece });
            } else if !value.overlong {
                self.buffer.extend_from_slice(part);
                if ended {
                    take(Piece { bytes: Some(&self.buffer), ..piece });
                }
            }
        }
        if ended {
            self.buffer.clear();
            self.state = State::Between;
        } else {
            self.state = State::Value(value);
        }
        used
    }
}

/// The number of bytes that belong to the value, and whether it ends there.
fn scan(rest: &[u8], value: &mut Value) -> (usize, bool) {
    if value.kind == Kind::Scalar {
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace());
        // The caller has seen at least one byte, so that a stray `:` terminates too.
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
        let mut splitter = DocumentSplitter::new(paths);
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
