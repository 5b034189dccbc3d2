//! A strict reader of JSON (RFC 8259) that says where a text stops being JSON. Numbers are kept as they are written.

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 100;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// In the order of the text; of equal keys the last one counts.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The member of an object, if it is a text.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The member of an object, if it is a whole number that is not negative.
    pub(crate) fn number(&self, key: &str) -> Option<usize> {
        self.get(key)?.as_number()
    }

    /// The members of a list; none if it is something else.
    pub(crate) fn list(&self, key: &str) -> &[Self] {
        match self.get(key) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }

    /// The whole number, if it is not negative.
    pub(crate) fn as_number(&self) -> Option<usize> {
        match self {
            Self::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// The value of a whole text, or the byte at which the text stops being JSON.
pub(crate) fn parse(text: &str) -> Result<Value, usize> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.at == text.len() { Ok(value) } else { Err(reader.at) }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.byte().is_some_and(|byte| b" \t\r\n".contains(&byte)) {
            self.at += 1;
        }
    }

    /// Takes a mark after any space.
    fn takes(&mut self, mark: u8) -> bool {
        self.space();
        let found = self.byte() == Some(mark);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: u8) -> Result<(), usize> {
        if self.takes(mark) { Ok(()) } else { Err(self.at) }
    }

    fn value(&mut self, depth: usize) -> Result<Value, usize> {
        self.space();
        if depth > MAX_DEPTH {
            return Err(self.at);
        }
        match self.byte().ok_or(self.at)? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::Text),
            b'-' | b'0'..=b'9' => self.digits(),
            _ => {
                let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
                let rest = &self.text[self.at..];
                let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word)).ok_or(self.at)?;
                self.at += word.len();
                Ok(value)
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, usize> {
        self.at += 1;
        let mut members = Vec::new();
        if self.takes(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.expect(b':')?;
            members.push((key, self.value(depth + 1)?));
            if !self.takes(b',') {
                break;
            }
        }
        self.expect(b'}')?;
        Ok(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Value, usize> {
        self.at += 1;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if !self.takes(b',') {
                break;
            }
        }
        self.expect(b']')?;
        Ok(Value::List(items))
    }

    fn string(&mut self) -> Result<String, usize> {
        if self.byte() != Some(b'"') {
            return Err(self.at);
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let c = rest.chars().next().ok_or(self.at)?;
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => text.push(self.escape()?),
                c if u32::from(c) < 0x20 => return Err(self.at),
                c => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, usize> {
        let start = self.at;
        let known = match self.text.as_bytes().get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode().ok_or(start),
            _ => return Err(start),
        };
        self.at += 2;
        Ok(known)
    }

    /// `\u0041`, or two of them for a character outside of the basic plane.
    fn unicode(&mut self) -> Option<char> {
        let unit = |at: usize| {
            let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            plain.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
        };
        let first = unit(self.at)?;
        let units: Vec<u16> =
            [first].into_iter().chain(unit(self.at + 6).filter(|_| (0xd800..0xdc00).contains(&first))).collect();
        let length = 6 * units.len();
        // Half of a pair is legal JSON, and no character.
        let c = char::decode_utf16(units).next()?.unwrap_or(char::REPLACEMENT_CHARACTER);
        self.at += if c == char::REPLACEMENT_CHARACTER { 6 } else { length };
        Some(c)
    }

    fn digits(&mut self) -> Result<Value, usize> {
        let start = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        let whole = self.run()?;
        if whole > 1 && self.text.as_bytes().get(self.at - whole) == Some(&b'0') {
            return Err(self.at - whole);
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.run()?;
        }
        if self.byte().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e')) {
            self.at += 1;
            self.at += usize::from(self.byte().is_some_and(|byte| b"+-".contains(&byte)));
            self.run()?;
        }
        Ok(Value::Number(self.text[start..self.at].to_owned()))
    }

    /// At least one digit.
    fn run(&mut self) -> Result<usize, usize> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(self.at - start) } else { Err(self.at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let value =
            parse(" {\"a\": [1, -2.5e3, true, null], \"b\": \"x\\n\\u00e9\\ud83d\\ude00\"} ").expect("it is JSON");
        assert_eq!(value.list("a").first().and_then(Value::as_number), Some(1));
        assert_eq!(value.text("b"), Some("x\né😀"));
        assert_eq!(parse("[\"\\ud800\"]").map(|value| matches!(value, Value::List(_))), Ok(true));
    }

    #[test]
    fn an_error_has_its_place() {
        for (text, at) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("[1 2]", 3),
            ("{a:1}", 1),
            ("[01]", 1),
            ("[1.]", 3),
            ("\"\\q\"", 1),
            ("\"\\u12\"", 1),
            ("\"a\nb\"", 2),
            ("[1] x", 4),
            ("// c", 0),
            ("\u{feff}{}", 0),
        ] {
            assert_eq!(parse(text), Err(at), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
