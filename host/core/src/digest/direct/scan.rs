//! Scans the text of an asset: what is where, what is canonical, and in which order the members come.
//!
//! What must stay true: a text that is scanned to its end is strict JSON of at most [`MAX_DEPTH`]; and what is marked as
//! canonical is what the canonical writer would write of it.

use std::cmp::Ordering;

use memchr::memchr2;

use super::super::canonical::{is_ordered, plain};
use super::super::strict::MAX_DEPTH;
use super::number::{self, Number};

/// Where something is in a text, or in a list of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    /// Of a text whose length fits 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "a scan takes only texts whose length fits")]
    fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// This part of a whole; empty if it has no such part.
    pub(super) fn of<T>(self, whole: &[T]) -> &[T] {
        whole.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    /// Canonical as it is written.
    Raw(Span),
    /// A text, without its quotes, with an escape that canonical text does not have.
    Text(Span),
    /// A number in another spelling.
    Number(f64),
    /// A list of these items.
    List(Span),
    /// An object of these members, which are sorted.
    Object(Span),
}

/// An item of a list, or a member of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The name of a member, without its quotes. It has no escapes.
    pub(super) key: Span,
    /// The first eight bytes of the name, most significant first: compared before the name.
    prefix: u64,
    pub(super) value: Node,
}

impl Item {
    /// Whether a member has this name. `prefix` is [`prefix_of`] the name.
    pub(super) fn is_named(&self, text: &[u8], name: &str, prefix: u64) -> bool {
        self.prefix == prefix && self.key.of(text) == name.as_bytes()
    }
}

/// A scan that is under way. Its functions return `None` for what the strict reader must judge.
pub(super) struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    is_ascii: bool,
    has_controls: bool,
    open: &'a mut Vec<Item>,
    closed: &'a mut Vec<Item>,
}

/// How the items of something that was scanned came.
struct Written {
    /// No white space, and every item canonical.
    is_canonical: bool,
    /// Each member after the one before.
    is_sorted: bool,
}

impl<'a> Scan<'a> {
    /// A scan of a text of UTF-8. The items go into `open` and `closed`.
    pub(super) fn new(text: &'a [u8], open: &'a mut Vec<Item>, closed: &'a mut Vec<Item>) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        // In one pass, which the compiler makes one of vectors.
        let (high, controls) = text.iter().fold((0, 0), |(high, found), byte| (high | byte, found | is_control(*byte)));
        let has_controls = controls != 0;
        let is_ascii = high < 0x80;
        if !is_ascii {
            std::str::from_utf8(text).ok()?;
        }
        Some(Self { text, at: 0, is_ascii, has_controls, open, closed })
    }

    /// Scans the whole text as one object. Its members are then in `open`, sorted.
    pub(super) fn asset(mut self) -> Option<()> {
        self.blank();
        self.take(b'{')?;
        let written = self.members(1)?;
        self.sort(0, &written)?;
        self.blank();
        (self.at == self.text.len()).then_some(())
    }

    /// A value at `depth`, the number of objects and lists around it.
    fn value(&mut self, depth: u32) -> Option<Node> {
        match self.text.get(self.at)? {
            b'"' => self.string(),
            b'{' | b'[' if depth >= MAX_DEPTH => None,
            b'{' => self.object(depth + 1),
            b'[' => self.list(depth + 1),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: u32) -> Option<Node> {
        let (start, base) = (self.at, self.open.len());
        self.at += 1;
        let written = self.members(depth)?;
        self.sort(base, &written)?;
        let is_canonical = written.is_canonical && written.is_sorted;
        Some(self.close(is_canonical, start, base, Node::Object))
    }

    fn list(&mut self, depth: u32) -> Option<Node> {
        let (start, base) = (self.at, self.open.len());
        self.at += 1;
        let mut is_canonical = !self.blank();
        if self.take(b']').is_none() {
            loop {
                is_canonical &= !self.blank();
                let value = self.value(depth)?;
                is_canonical &= matches!(value, Node::Raw(_));
                self.open.push(Item { key: Span { start: 0, end: 0 }, prefix: 0, value });
                is_canonical &= !self.blank();
                if self.next()? == b',' {
                    continue;
                }
                self.at -= 1;
                self.take(b']')?;
                break;
            }
        }
        Some(self.close(is_canonical, start, base, Node::List))
    }

    /// What was opened at `start` ends here: its items, from `base` on, are kept only if they must be written anew.
    fn close(&mut self, is_canonical: bool, start: usize, base: usize, node: impl FnOnce(Span) -> Node) -> Node {
        if is_canonical {
            self.open.truncate(base);
            return Node::Raw(Span::new(start, self.at));
        }
        let first = self.closed.len();
        self.closed.extend_from_slice(self.open.get(base..).unwrap_or_default());
        self.open.truncate(base);
        node(Span::new(first, self.closed.len()))
    }

    /// The members of an object, from behind its `{` to behind its `}`.
    fn members(&mut self, depth: u32) -> Option<Written> {
        let base = self.open.len();
        let mut written = Written { is_canonical: !self.blank(), is_sorted: true };
        if self.take(b'}').is_some() {
            return Some(written);
        }
        loop {
            written.is_canonical &= !self.blank();
            let key = self.key()?;
            written.is_canonical &= !self.blank();
            self.take(b':')?;
            written.is_canonical &= !self.blank();
            let value = self.value(depth)?;
            written.is_canonical &= matches!(value, Node::Raw(_)) & !self.blank();
            let item = Item { key, prefix: self.prefix(key), value };
            let last = self.open.get(base..).and_then(<[Item]>::last);
            written.is_sorted &= last.is_none_or(|last| order(self.text, last, &item) == Ordering::Less);
            self.open.push(item);
            match self.next()? {
                b',' => {}
                b'}' => return Some(written),
                _ => return None,
            }
        }
    }

    /// Sorts the members from `base` on. Two of the same name are for the strict reader.
    fn sort(&mut self, base: usize, written: &Written) -> Option<()> {
        if written.is_sorted {
            return Some(());
        }
        let (text, members) = (self.text, self.open.get_mut(base..)?);
        members.sort_unstable_by(|one, other| order(text, one, other));
        let is_strict = members.is_sorted_by(|one, other| order(text, one, other) == Ordering::Less);
        is_strict.then_some(())
    }

    /// The name of a member. Escapes, and characters that sort in another way than their bytes, are for the strict reader.
    fn key(&mut self) -> Option<Span> {
        self.take(b'"')?;
        let start = self.at;
        let end = start + plain(self.text.get(start..)?);
        self.at = end;
        self.take(b'"')?;
        (self.is_ascii || is_ordered(self.text.get(start..end)?)).then(|| Span::new(start, end))
    }

    fn prefix(&self, key: Span) -> u64 {
        let length = key.end.saturating_sub(key.start).min(8);
        let mask = u64::MAX.checked_shr(8 * length).map_or(u64::MAX, |rest| !rest);
        match self.text.get(key.start as usize..).and_then(<[u8]>::first_chunk) {
            Some(eight) => u64::from_be_bytes(*eight) & mask,
            // At the end of the text.
            None => prefix_of(key.of(self.text)),
        }
    }

    fn string(&mut self) -> Option<Node> {
        let start = self.at;
        self.at += 1;
        let mut is_canonical = true;
        loop {
            self.at += self.characters()?;
            match self.next()? {
                b'"' => break,
                b'\\' => is_canonical &= self.escape()?,
                _ => return None,
            }
        }
        let span = |from, to| Span::new(from, to);
        Some(if is_canonical { Node::Raw(span(start, self.at)) } else { Node::Text(span(start + 1, self.at - 1)) })
    }

    /// How many characters come before the next `"` or `\`.
    fn characters(&self) -> Option<usize> {
        /// Up to here, a search by words is faster than one by vectors.
        const SHORT: usize = 32;
        let rest = self.text.get(self.at..)?;
        let short = plain(rest.get(..SHORT).unwrap_or(rest));
        if short < SHORT {
            return Some(short);
        }
        let rest = rest.get(SHORT..)?;
        let length = memchr2(b'"', b'\\', rest)?;
        let is_clean = !self.has_controls || !has_controls(rest.get(..length)?);
        is_clean.then_some(SHORT + length)
    }

    /// Takes an escape behind its `\`, and says whether it is canonical.
    fn escape(&mut self) -> Option<bool> {
        match self.next()? {
            b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => Some(true),
            b'/' => Some(false),
            b'u' => {
                let unit = self.unit()?;
                if (0xd800..0xdc00).contains(&unit) {
                    self.take(b'\\')?;
                    self.take(b'u')?;
                    let low = self.unit()?;
                    return (0xdc00..0xe000).contains(&low).then_some(false);
                }
                (!(0xdc00..0xe000).contains(&unit)).then_some(false)
            }
            _ => None,
        }
    }

    /// Takes four hexadecimal digits.
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
    }

    fn number(&mut self) -> Option<Node> {
        let start = self.at;
        let (length, number) = number::read(self.text.get(start..)?)?;
        self.at += length;
        Some(match number {
            Number::Canonical => Node::Raw(Span::new(start, self.at)),
            Number::Other(number) => Node::Number(number),
        })
    }

    fn word(&mut self, word: &[u8]) -> Option<Node> {
        let start = self.at;
        self.text.get(start..)?.starts_with(word).then(|| {
            self.at += word.len();
            Node::Raw(Span::new(start, self.at))
        })
    }

    /// Takes white space, and says whether there was some.
    fn blank(&mut self) -> bool {
        let start = self.at;
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        self.at > start
    }

    /// Takes this byte.
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.text.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    /// Takes the next byte.
    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += 1;
        byte
    }
}

/// The first eight bytes of a name, most significant first, and zeros for those that it does not have.
pub(super) const fn prefix_of(name: &[u8]) -> u64 {
    let (mut prefix, mut at) = (0, 0);
    while at < 8 {
        let byte = if at < name.len() { name[at] } else { 0 };
        prefix = prefix << 8 | byte as u64;
        at += 1;
    }
    prefix
}

/// The order of two members by their names. No name of a scan has a byte that sorts otherwise than its UTF-16.
fn order(text: &[u8], one: &Item, other: &Item) -> Ordering {
    one.prefix.cmp(&other.prefix).then_with(|| one.key.of(text).cmp(other.key.of(text)))
}

fn has_controls(text: &[u8]) -> bool {
    text.iter().fold(0, |found, byte| found | is_control(*byte)) != 0
}

/// 1 for a control character of ASCII, else 0: a number, so that a loop over it has no branches.
fn is_control(byte: u8) -> u8 {
    u8::from(byte < 0x20)
}
