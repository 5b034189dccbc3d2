//! Reads the config of a runner that is a script of JavaScript: its literals as values, and the rest as text that is compared
//! as it stands. Nothing is computed.

use serde_json::{Map, Value};

/// A sign at the start of a value that is no literal.
pub(super) const OPAQUE: char = '\u{1}';

/// Deepest nesting of literals.
const MAX_DEPTH: usize = 32;

/// The objects of a script, each with its members, and what stands around them; `None` if it is written in another way.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut script = Script { text, at: 0 };
    let mut root = Map::new();
    let mut outside = String::new();
    loop {
        script.space()?;
        let Some(byte) = script.peek() else { break };
        let begins_value = outside.ends_with(['=', '(']) || outside.ends_with("default");
        if byte == b'{' && begins_value {
            let object = script.object(0)?;
            root.insert(format!("\0{}", root.len()), object);
            outside.push_str("{}");
        } else {
            outside.push_str(script.token()?);
        }
    }
    root.insert("\0outside".to_owned(), format!("{OPAQUE}{outside}").into());
    Some(Value::Object(root))
}

struct Script<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Script<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Passes space and comments.
    fn space(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start();
            self.at += rest.len() - bare.len();
            if bare.starts_with("//") {
                self.at += memchr::memchr(b'\n', bare.as_bytes()).unwrap_or(bare.len());
            } else if bare.starts_with("/*") {
                self.at += bare.find("*/")? + 2;
            } else {
                return Some(());
            }
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// One word, string or sign. A pattern between slashes is not told apart from a division, and not read.
    fn token(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        let length = match first {
            '\'' | '"' | '`' => closing(rest, first)?,
            '/' => return None,
            _ if is_of_word(first) => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        self.at += length;
        rest.get(..length)
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        self.at += 1;
        loop {
            self.space()?;
            if self.takes(b'}') {
                return Some(Value::Object(members));
            }
            let start = self.at;
            let token = self.token()?;
            let name = token.trim_matches(['"', '\'']).to_owned();
            self.space()?;
            let is_named = token.starts_with(|c: char| is_of_word(c) || c == '"' || c == '\'') && self.takes(b':');
            let (name, value) = if is_named {
                (name, self.value(depth + 1)?)
            } else {
                // A method, a name alone, or the members of something else.
                self.at = start;
                (format!("...{}", members.len()), self.opaque()?)
            };
            if members.insert(name, value).is_some() {
                return None;
            }
            self.space()?;
            if !self.takes(b',') && self.peek() != Some(b'}') {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.space()?;
            if self.takes(b']') {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.space()?;
            if !self.takes(b',') && self.peek() != Some(b']') {
                return None;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space()?;
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            _ => self.opaque(),
        }
    }

    /// A value up to the comma or bracket that ends it: a string, a number, or what is no literal.
    fn opaque(&mut self) -> Option<Value> {
        let (mut open, mut tokens) = (0_usize, Vec::new());
        loop {
            self.space()?;
            match self.peek()? {
                b',' | b'}' | b']' | b')' if open == 0 => break,
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open -= 1,
                _ => {}
            }
            tokens.push(self.token()?);
        }
        Some(match tokens.as_slice() {
            [one] if one.starts_with(['"', '\'']) => one.get(1..one.len() - 1)?.into(),
            ["true"] => true.into(),
            ["false"] => false.into(),
            [one] if one.parse::<u64>().is_ok() => Value::from(one.parse::<u64>().ok()?),
            [whole, ".", part] if [whole, part].iter().all(|digits| digits.bytes().all(|b| b.is_ascii_digit())) => {
                Value::from(format!("{whole}.{part}").parse::<f64>().ok()?)
            }
            _ => format!("{OPAQUE}{}", tokens.join(" ")).into(),
        })
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The length of a string with both its quotes.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return Some(at + 1);
        }
        if c == '\n' && quote != '`' {
            return None;
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_are_values_and_the_rest_is_text() {
        let text = "import { a } from 'a';\n// c\nexport default a({\n  test: { 'include': ['x', \"y\"], on: true, n: 2,\n  f: b(1, {c: 2}), ...d },\n});\n";
        let object = json!({"test": {"include": ["x", "y"], "on": true, "n": 2, "f": "\u{1}b ( 1 , { c : 2 } )", "...4": "\u{1}. . . d"}});
        let outside = "\u{1}import{a}from'a';exportdefaulta({});";
        assert_eq!(read(text), Some(json!({"\u{0}0": object, "\u{0}outside": outside})));
    }

    #[test]
    fn what_is_not_read_is_refused() {
        let deep = format!("module.exports = {}", "{a:".repeat(100_000));
        for text in ["x = {a: 1", "x = {a: /b/}", "x = {a: 1, a: 2}", "/* ", "x = {'a", &deep] {
            assert_eq!(read(text), None, "{}", text.get(..20).unwrap_or(text));
        }
        assert!(read("").is_some());
    }
}
