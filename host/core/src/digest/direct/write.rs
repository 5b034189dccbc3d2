//! Writes the canonical text of an asset that was scanned.

use super::super::UNHASHED;
use super::super::canonical::{write_characters, write_number};
use super::scan::{Item, Node, Span, prefix_of};

/// Writes an asset of these members, without those that are not hashed.
pub(super) fn asset(out: &mut Vec<u8>, text: &[u8], members: &[Item], closed: &[Item]) {
    let unhashed = UNHASHED.map(|name| (name, prefix_of(name.as_bytes())));
    let is_hashed = |member: &&Item| !unhashed.iter().any(|(name, prefix)| member.is_named(text, name, *prefix));
    Write { out, text, closed }.object(members.iter().filter(is_hashed));
}

struct Write<'a> {
    out: &'a mut Vec<u8>,
    text: &'a [u8],
    /// The items of lists and objects.
    closed: &'a [Item],
}

impl<'a> Write<'a> {
    fn object(&mut self, members: impl Iterator<Item = &'a Item>) {
        self.out.push(b'{');
        for (place, member) in members.enumerate() {
            self.member(member, place > 0);
        }
        self.out.push(b'}');
    }

    /// Writes a member, and before it a comma if it follows another one. What stands so in the text is one copy.
    fn member(&mut self, member: &Item, follows: bool) {
        let (mut start, end) = (member.key.start.saturating_sub(1), member.key.end + 1);
        if follows {
            let before = start.saturating_sub(1);
            if self.text.get(before as usize) == Some(&b',') {
                start = before;
            } else {
                self.out.push(b',');
            }
        }
        if let Node::Raw(value) = member.value
            && value.start == end + 1
        {
            // Only the colon is between them.
            return self.raw(Span { start, end: value.end });
        }
        self.raw(Span { start, end });
        self.out.push(b':');
        self.value(member.value);
    }

    fn value(&mut self, value: Node) {
        match value {
            Node::Raw(span) => self.raw(span),
            Node::Number(number) => write_number(self.out, number),
            Node::Text(span) => self.string(span.of(self.text)),
            Node::List(span) => self.list(span.of(self.closed)),
            Node::Object(span) => self.object(span.of(self.closed).iter()),
        }
    }

    fn list(&mut self, items: &[Item]) {
        self.out.push(b'[');
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.out.push(b',');
            }
            self.value(item.value);
        }
        self.out.push(b']');
    }

    fn raw(&mut self, span: Span) {
        self.out.extend_from_slice(span.of(self.text));
    }

    /// Writes a text that has escapes. The scan has checked all of them.
    fn string(&mut self, written: &[u8]) {
        self.out.push(b'"');
        let mut rest = written;
        while let Some(before) = memchr::memchr(b'\\', rest) {
            let (plain, escape) = rest.split_at(before);
            self.out.extend_from_slice(plain);
            rest = self.escape(escape);
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'"');
    }

    /// Writes the escape that `text` begins with, and returns what follows it.
    fn escape<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let Some((escape, rest)) = text.split_at_checked(2) else { return &[] };
        match escape {
            b"\\/" => self.out.push(b'/'),
            b"\\u" => return self.unit(rest),
            short => self.out.extend_from_slice(short),
        }
        rest
    }

    /// Writes the character whose digits `text` begins with, and returns what follows it.
    fn unit<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let unit = |digits: &[u8]| digits.iter().fold(0, |all, digit| all << 4 | hex(*digit));
        let Some((digits, rest)) = text.split_at_checked(4) else { return &[] };
        let (mut code, mut rest) = (unit(digits), rest);
        if (0xd800..0xdc00).contains(&code)
            && let Some((low, after)) = rest.split_at_checked(6)
        {
            let low = unit(low.get(2..).unwrap_or_default());
            code = 0x1_0000 + ((code - 0xd800) << 10) + low.saturating_sub(0xdc00);
            rest = after;
        }
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        write_characters(self.out, character.encode_utf8(&mut [0; 4]).as_bytes());
        rest
    }
}

fn hex(digit: u8) -> u32 {
    char::from(digit).to_digit(16).unwrap_or_default()
}
