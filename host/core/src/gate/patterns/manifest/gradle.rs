//! Reads the blocks and statements of Gradle's build files, in Groovy and in Kotlin, as a table: the words before a brace
//! are names, and so is the first word of a statement.
//!
//! A build file is a program, and this does not run it: any other statement counts as one that runs when the package is
//! built. Where quotes could be read in two ways, in code within strings and in strings between slashes, it is refused.

use serde_json::{Map, Value};

/// Deepest nesting.
const MAX_DEPTH: usize = 24;

/// Most names of one statement, or before one brace.
const MAX_NAMES: usize = 8;

/// Statements that say something about the package and nothing about the build.
const PLAIN: &[&str] = &["version", "group", "description", "sourceCompatibility", "targetCompatibility"];

/// The table; `None` if brackets or strings are open at the end.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    let table = reader.block(0)?;
    (reader.at >= text.len()).then_some(Value::Object(table))
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads up to the brace that closes the block, or to the end of the text.
    fn block(&mut self, depth: usize) -> Option<Map<String, Value>> {
        let mut table = Map::new();
        let (mut said, mut brackets) = (Vec::new(), 0_usize);
        while let Some(&byte) = self.rest().first() {
            match byte {
                b'/' if self.rest().starts_with(b"//") => {
                    self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
                    continue;
                }
                b'/' if self.rest().starts_with(b"/*") => {
                    self.at += memchr::memmem::find(self.rest(), b"*/")? + 2;
                    continue;
                }
                // A string between slashes, where quotes are text.
                b'/' if said.trim_ascii_end().last().is_none_or(|byte| b"=(,[~?:+|&!<>{;".contains(byte)) => {
                    return None;
                }
                b'$' if self.rest().starts_with(b"$/") => return None,
                b'"' | b'\'' => {
                    let length = self.string(byte)?;
                    said.extend_from_slice(self.rest().get(..length)?);
                    self.at += length;
                    continue;
                }
                b'{' => {
                    self.at += 1;
                    let inner = if depth < MAX_DEPTH { self.block(depth + 1)? } else { return None };
                    put(&mut table, &names(&said), inner);
                    if brackets == 0 {
                        said.clear();
                    }
                    continue;
                }
                b'}' => {
                    statement(&mut table, &said);
                    if depth == 0 || brackets > 0 {
                        return None;
                    }
                    self.at += 1;
                    return Some(table);
                }
                b'(' | b'[' => brackets += 1,
                b')' | b']' => brackets = brackets.checked_sub(1)?,
                b'\n' | b';' if brackets == 0 && !goes_on(&said) => {
                    statement(&mut table, &said);
                    said.clear();
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            said.push(byte);
            self.at += 1;
        }
        statement(&mut table, &said);
        (depth == 0 && brackets == 0).then_some(table)
    }

    /// The length of the string that begins here; `None` if code with quotes stands in it.
    fn string(&self, quote: u8) -> Option<usize> {
        let length = self.string_length(quote)?;
        let text = self.rest().get(..length)?;
        let opens = memchr::memmem::find(text, b"${").filter(|_| quote == b'"');
        let code = opens.map(|at| text.get(at..).unwrap_or_default());
        // The code ends before the string does, and no quote stands in it.
        let plain = code.is_none_or(|code| {
            let inner = code.get(..code.len().saturating_sub(1)).unwrap_or_default();
            let closed = memchr::memchr_iter(b'{', inner).count() <= memchr::memchr_iter(b'}', inner).count();
            closed && !inner.contains(&b'\'')
        });
        plain.then_some(length)
    }

    fn string_length(&self, quote: u8) -> Option<usize> {
        let rest = self.rest();
        let triple = [quote; 3];
        if rest.starts_with(&triple) {
            return memchr::memmem::find(rest.get(3..)?, &triple).map(|at| at + 6);
        }
        let mut escaped = false;
        let end = rest.iter().skip(1).position(|&byte| {
            let closes = byte == quote && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        end.map(|at| at + 2)
    }
}

/// Whether a statement goes on behind the end of its line.
fn goes_on(said: &[u8]) -> bool {
    let end = said.trim_ascii_end();
    end.ends_with(b",") || end.ends_with(b"=") || end.ends_with(b"+") || end.ends_with(b".") || end.ends_with(b"->")
}

/// The words before a brace, in code and in strings.
fn names(said: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(said);
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '$')));
    let names: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_owned).take(MAX_NAMES).collect();
    if names.is_empty() { vec![String::new()] } else { names }
}

fn statement(table: &mut Map<String, Value>, said: &[u8]) {
    let text = String::from_utf8_lossy(said);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$'))).unwrap_or(text.len());
    let (head, value) = text.split_at(end);
    if text.is_empty() || PLAIN.contains(&head) {
        return;
    }
    let path: Vec<String> = head.split('.').map(str::to_owned).take(MAX_NAMES).collect();
    let value = Value::String(value.trim().to_owned());
    let Some((last, above)) = path.split_last() else { return };
    let Some(table) = below(table, above) else { return };
    match table.entry(last.clone()).or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(values) => values.push(value),
        Value::Object(members) => put_text(members, value),
        _ => {}
    }
}

/// A statement whose name is also that of a block.
fn put_text(members: &mut Map<String, Value>, value: Value) {
    if let Value::Array(values) = members.entry(String::new()).or_insert_with(|| Value::Array(Vec::new())) {
        values.push(value);
    }
}

/// The table at these names, which is made if it is missing.
fn below<'a>(table: &'a mut Map<String, Value>, names: &[String]) -> Option<&'a mut Map<String, Value>> {
    let mut table = table;
    for name in names {
        let entry = table.entry(name.clone()).or_insert_with(|| Value::Object(Map::new()));
        if !entry.is_object() {
            let values = std::mem::replace(entry, Value::Object(Map::new()));
            if let Value::Object(members) = entry {
                members.insert(String::new(), values);
            }
        }
        table = entry.as_object_mut()?;
    }
    Some(table)
}

fn put(table: &mut Map<String, Value>, names: &[String], inner: Map<String, Value>) {
    let Some(table) = below(table, names) else { return };
    if inner.is_empty() {
        put_text(table, Value::Null);
    }
    for (name, value) in inner {
        match (table.get_mut(&name), value) {
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(Value::Object(_)), Value::Object(more)) => put(table, &[name], more),
            (Some(Value::Object(known)), Value::Array(more)) => {
                for value in more {
                    put_text(known, value);
                }
            }
            (_, value) => {
                table.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_and_statements_are_read() {
        let text = "plugins {\n  id 'java' // a plugin\n  id(\"x\") version \"1\"\n}\nversion = '1.0'\nrepositories { mavenCentral(); maven { url 'https://x.example' } }\ndependencies {\n  implementation(\n    'a:b:1',\n  )\n  testImplementation 'c:d:2'\n}\ntasks.named('test') {\n  useJUnitPlatform()\n}\ntest.enabled = false\n/* } */\n";
        let expected = json!({
            "plugins": {"id": ["'java'", "(\"x\") version \"1\""]},
            "repositories": {"mavenCentral": ["()"], "maven": {"url": ["'https://x.example'"]}},
            "dependencies": {"implementation": ["( 'a:b:1', )"], "testImplementation": ["'c:d:2'"]},
            "tasks": {"named": {"test": {"useJUnitPlatform": ["()"]}}},
            "test": {"enabled": ["= false"]},
        });
        assert_eq!(read(text), Some(expected));
        assert_eq!(
            read("test {}\ntest { enabled = false }\n"),
            Some(json!({"test": {"": [null], "enabled": ["= false"]}}))
        );
        assert_eq!(read(""), Some(json!({})));
    }

    #[test]
    fn what_is_open_at_the_end_or_could_be_read_in_two_ways_is_refused() {
        for text in [
            "test {",
            "}",
            "a(",
            "a = 'x",
            "/* a",
            "a = \"\"\"x\"\"",
            "a)",
            "a = /'/; test { enabled = false } // '",
            "a = $/'/$",
            "a = \"${'\"'}\"",
            "a = \"${b(\"c\")}\"",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[a.{}()\\['\"/*;= \\n\u{e9}]{0,60}") {
            let _ = read(&text);
        }
    }
}
