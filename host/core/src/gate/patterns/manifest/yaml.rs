//! Reads the YAML of manifests: mappings, lists and scalars. All scalars are text, whose type no rule asks for.
//!
//! What could mean something else to another reader is refused: anchors, aliases, tags, merge keys, several documents,
//! tabs, a key that is given twice. A manifest has no need of them.

use serde_json::{Map, Value};

/// Deepest nesting.
const MAX_DEPTH: usize = 32;

/// A line that says something: its indentation, its text without a comment, and its place among all lines.
#[derive(Debug, Clone)]
struct Line {
    indent: usize,
    text: String,
    at: usize,
}

struct Reader<'a> {
    raw: Vec<&'a str>,
    lines: Vec<Line>,
    next: usize,
}

/// The document; `None` if it does not parse, or uses more of YAML than manifests do.
pub(in super::super) fn read(text: &str) -> Option<Value> {
    let raw: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    let mut lines = Vec::new();
    for (at, line) in raw.iter().enumerate() {
        let bare = line.trim_start_matches(' ');
        let said = without_comment(bare).trim_end();
        if said.starts_with('\t') {
            return None;
        }
        if !said.is_empty() {
            lines.push(Line { indent: line.len() - bare.len(), text: said.to_owned(), at });
        }
    }
    if lines.first().is_some_and(|line| line.text == "---") {
        lines.remove(0);
    }
    if lines.is_empty() {
        return Some(Value::Null);
    }
    let mut reader = Reader { raw, lines, next: 0 };
    let indent = reader.peek()?.indent;
    let document = reader.block(indent, 0)?;
    reader.peek().is_none().then_some(document)
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Line> {
        self.lines.get(self.next)
    }

    fn block(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let first = self.peek().filter(|_| depth < MAX_DEPTH)?;
        if first.text.starts_with(['[', '{']) {
            let text = first.text.clone();
            self.next += 1;
            return self.value(&text, indent.saturating_sub(1));
        }
        if is_item(&first.text) { self.list(indent, depth) } else { self.mapping(indent, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent && is_item(&line.text)) {
            let rest = line.text.get(1..)?;
            let text = rest.trim_start().to_owned();
            let inner = indent + 1 + (rest.len() - text.len());
            if text.is_empty() {
                self.next += 1;
                items.push(self.below(indent, depth)?);
            } else if is_item(&text) || split_key(&text).is_some() {
                // What stands behind the dash is a block of its own.
                let line = self.lines.get_mut(self.next)?;
                (line.indent, line.text) = (inner, text);
                items.push(self.block(inner, depth + 1)?);
            } else {
                self.next += 1;
                items.push(self.value(&text, indent)?);
            }
        }
        match self.peek() {
            Some(line) if line.indent > indent || line.indent == indent && depth == 0 => None,
            _ => Some(Value::Array(items)),
        }
    }

    fn mapping(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        while let Some(line) = self.peek().filter(|line| line.indent == indent && !is_item(&line.text)) {
            let (key, rest) = split_key(&line.text)?;
            let (key, rest) = (unquoted(key)?, rest.trim().to_owned());
            self.next += 1;
            let value = if rest.is_empty() { self.below(indent, depth)? } else { self.value(&rest, indent)? };
            if key == "<<" || members.insert(key, value).is_some() {
                return None;
            }
        }
        match self.peek() {
            Some(line) if line.indent > indent || line.indent == indent && depth == 0 => None,
            _ => Some(Value::Object(members)),
        }
    }

    /// What stands below a key or a dash without a value of its own. A list may stand as far to the left as its key.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Value> {
        match self.peek() {
            Some(line) if line.indent > indent => {
                let inner = line.indent;
                self.block(inner, depth + 1)
            }
            Some(line) if line.indent == indent && is_item(&line.text) && depth < MAX_DEPTH => {
                self.list(indent, depth + 1)
            }
            _ => Some(Value::Null),
        }
    }

    /// A value that begins on the line of its key, which stands at `indent`.
    fn value(&mut self, text: &str, indent: usize) -> Option<Value> {
        match text.as_bytes().first()? {
            b'|' | b'>' => {
                let from = self.lines.get(self.next.checked_sub(1)?)?.at + 1;
                let deeper = |line: &&&str| line.trim().is_empty() || line.len() - line.trim_start().len() > indent;
                let body: Vec<&str> = self.raw.iter().skip(from).take_while(deeper).copied().collect();
                let to = from + body.len();
                while self.peek().is_some_and(|line| line.at < to) {
                    self.next += 1;
                }
                Some(Value::String(body.join("\n")))
            }
            b'[' | b'{' => {
                let (mut whole, mut open) = (text.to_owned(), Open::default());
                open.take(text);
                while open.depth > 0 {
                    let line = self.peek()?.text.clone();
                    open.take(&line);
                    whole.extend([" ", &line]);
                    self.next += 1;
                }
                let mut rest = whole.as_str();
                let value = flow(&mut rest, 0)?;
                rest.trim().is_empty().then_some(value)
            }
            _ => {
                let mut whole = text.to_owned();
                while let Some(line) = self.peek().filter(|line| line.indent > indent) {
                    whole.extend([" ", &line.text]);
                    self.next += 1;
                }
                unquoted(&whole).map(Value::String)
            }
        }
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The parts of `key: value`.
fn split_key(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') if at == 0 => quote = Some(c),
            (None, '[' | '{') if at == 0 => return None,
            (None, ':') if text.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) => {
                return Some((text.get(..at)?.trim_end(), text.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// The text of a scalar; `None` for what only begins like one.
fn unquoted(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'')?;
        return (!inner.replace("''", "").contains('\'')).then(|| inner.replace("''", "'"));
    }
    if text.starts_with('"') {
        return serde_json::from_str(text).ok();
    }
    (!text.starts_with(['&', '*', '!', '?', '%', '@', '`', '\t', ',', ']', '}'])).then(|| text.to_owned())
}

/// The text without a comment, which begins with a hash behind a blank.
fn without_comment(text: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open && before != '\\' => quote = None,
            (None, '"' | '\'') if " :[{,-".contains(before) => quote = Some(c),
            (None, '#') if before.is_whitespace() => return text.get(..at).unwrap_or_default(),
            _ => {}
        }
        before = c;
    }
    text
}

/// What is open in a text that is read line by line.
#[derive(Default)]
struct Open {
    depth: usize,
    quote: Option<char>,
}

impl Open {
    fn take(&mut self, text: &str) {
        for c in text.chars() {
            match (self.quote, c) {
                (Some(open), _) if c == open => self.quote = None,
                (None, '"' | '\'') => self.quote = Some(c),
                (None, '[' | '{') => self.depth += 1,
                (None, ']' | '}') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// A list or mapping in brackets, or a scalar within one. Takes what it reads off the text.
fn flow(text: &mut &str, depth: usize) -> Option<Value> {
    *text = text.trim_start();
    let open = text.chars().next().filter(|_| depth < MAX_DEPTH)?;
    let close = match open {
        '[' => ']',
        '{' => '}',
        _ => return scalar(text).map(Value::String),
    };
    *text = text.get(1..)?;
    let (mut items, mut members) = (Vec::new(), Map::new());
    loop {
        *text = text.trim_start();
        if let Some(rest) = text.strip_prefix(close) {
            *text = rest;
            return Some(if open == '[' { Value::Array(items) } else { Value::Object(members) });
        }
        let value = flow(text, depth + 1)?;
        *text = text.trim_start();
        if open == '{' {
            let (Value::String(key), Some(rest)) = (value, text.strip_prefix(':')) else { return None };
            *text = rest;
            let value = if rest.trim_start().starts_with([',', '}']) { Value::Null } else { flow(text, depth + 1)? };
            if members.insert(key, value).is_some() {
                return None;
            }
            *text = text.trim_start();
        } else {
            items.push(value);
        }
        match text.strip_prefix(',') {
            Some(rest) => *text = rest,
            None if text.starts_with(close) => {}
            None => return None,
        }
    }
}

/// A scalar within brackets.
fn scalar(text: &mut &str) -> Option<String> {
    let whole = *text;
    let quote = whole.chars().next().filter(|c| matches!(c, '"' | '\''));
    let end = if let Some(quote) = quote {
        whole.get(1..)?.find(quote)? + 2
    } else {
        let ends = |(at, c): (usize, char)| {
            let after = whole.get(at + 1..).unwrap_or_default();
            (",]}[{".contains(c) || c == ':' && after.starts_with([' ', ',', '}'])).then_some(at)
        };
        whole.char_indices().find_map(ends).unwrap_or(whole.len())
    };
    *text = whole.get(end..)?;
    unquoted(whole.get(..end)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn manifests_are_read() {
        let text = "---\nname: shop # its name\ndescription: >-\n  A shop,\n\n  with: a colon # and a hash\nlong: one\n  two\nenvironment:\n  sdk: '>=3.0.0 <4.0.0'\ndependencies:\n  http: ^1.0.0\n  \"own\":\n    hosted: {name: own, url: \"https://x.example\"}\n    version: ^1.0.0\n  flutter:\n    sdk: flutter\nempty:\nlist:\n- a\n- b: 1\n  c: [x, 'y, z', {k: v}]\n-\n  - deep\n";
        let expected = json!({
            "name": "shop",
            "description": "  A shop,\n\n  with: a colon # and a hash",
            "long": "one two",
            "environment": {"sdk": ">=3.0.0 <4.0.0"},
            "dependencies": {
                "http": "^1.0.0",
                "own": {"hosted": {"name": "own", "url": "https://x.example"}, "version": "^1.0.0"},
                "flutter": {"sdk": "flutter"},
            },
            "empty": null,
            "list": ["a", {"b": "1", "c": ["x", "y, z", {"k": "v"}]}, ["deep"]],
        });
        assert_eq!(read(text), Some(expected));
        assert_eq!(read("# nothing\n"), Some(Value::Null));
        assert_eq!(read("a:\n  {b: 1,\n  c: 2}\nd: 3\n"), Some(json!({"a": {"b": "1", "c": "2"}, "d": "3"})));
        assert_eq!(
            read("channels:\n  - a\ndependencies:\n  - pip:\n    - x==1\n"),
            Some(json!({"channels": ["a"], "dependencies": [{"pip": ["x==1"]}]}))
        );
        assert_eq!(
            read("a: [x,\n  y]\nb: {c: d,\n  e: f}\n"),
            Some(json!({"a": ["x", "y"], "b": {"c": "d", "e": "f"}}))
        );
    }

    #[test]
    fn what_readers_could_differ_about_is_refused() {
        for text in [
            "a: &x 1\nb: *x\n",
            "a: !!python/object x\n",
            "<<: {a: 1}\n",
            "a: 1\na: 2\n",
            "a: 1\n---\nb: 2\n",
            "a:\n\tb: 1\n",
            "a: 'x\n",
            "a: [x\n",
            "a: {b: 1, b: 2}\n",
            "just text\n",
            "a: 1\n  b: 2\nc\n",
            "? a\n: b\n",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[a\\-:#'\"\\[\\]{},|>&* \\n\u{e9}]{0,60}") {
            let _ = read(&text);
        }
    }
}
