//! Extracts JSON from a text that is almost JSON, as models write it.
//!
//! Only what has one meaning is repaired: surrounding prose and code fences, raw line feeds and other control
//! characters in strings, escapes that JSON does not have, trailing commas, comments, Python's constants, and brackets
//! left open after a complete value. It does not guess the end of a truncated string, nor whether a quotation mark ends
//! a string: half a diff must not become a diff. Strings keep every byte, including the final line feed of a diff.

/// Deepest nesting that is parsed.
const MAX_DEPTH: usize = 64;
/// Most positions that are tried as the start of an object.
const MAX_STARTS: usize = 8;

/// Each object in the text, repaired to strict JSON, in order of position. Linear in the length of the text.
pub(super) fn repaired_objects(text: &str) -> impl Iterator<Item = String> {
    let text = text.rsplit_once("</think>").map_or(text, |(_, answer)| answer);
    let text = text.split_once("```json").map_or(text, |(_, fenced)| fenced);
    let starts = text.match_indices('{').take(MAX_STARTS);
    starts.filter_map(|(at, _)| Repair::new(text.get(at..)?).run())
}

struct Repair<'a> {
    rest: &'a str,
    out: String,
    /// The closers of the open brackets, outermost first.
    open: Vec<char>,
    /// Position in `out` of a comma after which only white space has followed.
    comma: Option<usize>,
}

impl<'a> Repair<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, out: String::with_capacity(text.len()), open: Vec::new(), comma: None }
    }

    /// The object at the start of the text; `None` if it has no single meaning.
    fn run(mut self) -> Option<String> {
        while let Some(c) = self.rest.chars().next() {
            match c {
                '"' => self.string()?,
                '{' | '[' => self.bracket(c)?,
                '}' | ']' => {
                    self.close(c)?;
                    if self.open.is_empty() {
                        return Some(self.out);
                    }
                }
                '/' => self.comment()?,
                c if c.is_alphabetic() => self.word(),
                c => self.other(c),
            }
        }
        while let Some(&closer) = self.open.last() {
            self.close(closer)?;
        }
        Some(self.out)
    }

    fn advance(&mut self, c: char) {
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
    }

    fn bracket(&mut self, c: char) -> Option<()> {
        self.open.push(if c == '{' { '}' } else { ']' });
        self.comma = None;
        self.out.push(c);
        self.advance(c);
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn close(&mut self, c: char) -> Option<()> {
        if self.open.pop() != Some(c) {
            return None;
        }
        if let Some(comma) = self.comma.take() {
            self.out.remove(comma);
        }
        self.out.push(c);
        if self.rest.starts_with(c) {
            self.advance(c);
        }
        Some(())
    }

    fn other(&mut self, c: char) {
        if c == ',' {
            self.comma = Some(self.out.len());
        } else if !c.is_whitespace() {
            self.comma = None;
        }
        // JSON only allows four white space characters.
        self.out.push(if c.is_whitespace() { ' ' } else { c });
        self.advance(c);
    }

    fn word(&mut self) {
        let end = self.rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.comma = None;
        self.out.push_str(match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            word => word,
        });
        self.rest = rest;
    }

    fn comment(&mut self) -> Option<()> {
        let end = if self.rest.starts_with("//") {
            self.rest.find('\n').unwrap_or(self.rest.len())
        } else if self.rest.starts_with("/*") {
            self.rest.find("*/")? + 2
        } else {
            return None;
        };
        self.rest = self.rest.get(end..)?;
        Some(())
    }

    /// Reads a string to its end; `None` if it is not terminated.
    fn string(&mut self) -> Option<()> {
        self.comma = None;
        self.out.push('"');
        self.advance('"');
        loop {
            let c = self.rest.chars().next()?;
            self.advance(c);
            match c {
                '"' => break,
                '\\' => self.escape()?,
                c if c < ' ' => self.control(c),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let c = self.rest.chars().next()?;
        let digits = self.rest.get(1..5).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => self.out.extend(['\\', c]),
            'u' if digits => self.out.push_str("\\u"),
            '\'' => self.out.push('\''),
            // A regular expression such as `\d`: the backslash is kept.
            _ => {
                self.out.push_str("\\\\");
                return Some(());
            }
        }
        self.advance(c);
        Some(())
    }

    fn control(&mut self, c: char) {
        match c {
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            c => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn repaired(text: &str) -> Option<Value> {
        repaired_objects(text).find_map(|candidate| serde_json::from_str(&candidate).ok())
    }

    #[test]
    fn what_has_one_reading_is_mended() {
        for (text, meant) in [
            ("Sure! Here it is:\n```json\n{\"a\": 1}\n```\nAnything else?", json!({ "a": 1 })),
            ("```\n{\"a\": [1, 2,],}\n```", json!({ "a": [1, 2] })),
            ("<think>maybe {x}?</think>{\"a\": True, \"b\": None}", json!({ "a": true, "b": null })),
            (
                "{\"d\": \"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\"}",
                json!({ "d": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" }),
            ),
            ("{\"re\": \"\\d+\\.\\w\", \"q\": \"it\\'s\"}", json!({ "re": "\\d+\\.\\w", "q": "it's" })),
            ("{\"a\": 1, // one\n \"b\": /* two */ 2}", json!({ "a": 1, "b": 2 })),
            ("{\"a\": [{\"b\": \"c\"}", json!({ "a": [{ "b": "c" }] })),
            ("I looked at {the file}. {\"a\": \"{not a bracket]\"}", json!({ "a": "{not a bracket]" })),
            ("{\"tab\": \"a\tb\u{1}\"}", json!({ "tab": "a\tb\u{1}" })),
            ("{\"u\": \"\\u00e9\\uZZ\"}", json!({ "u": "é\\uZZ" })),
        ] {
            assert_eq!(repaired(text), Some(meant), "{text}");
        }
    }

    #[test]
    fn what_was_cut_or_could_be_read_in_two_ways_is_left() {
        for text in [
            "",
            "I cannot help with that.",
            "{\"d\": \"--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+",
            "{\"a\": \"print(\"x\")\"}",
            "{'a': 1}",
            "{\"a\": 1]",
            "{\"a\":",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
        assert_eq!(repaired(&"{\"a\":".repeat(100_000)), None, "too deep");
    }

    proptest! {
        #[test]
        fn valid_json_stays_what_it_is(text in "\\PC{0,40}", number in any::<i32>(), flag in any::<bool>()) {
            let value = json!({ "text": format!("{text}\n\t\"\\"), "list": [number, null, flag, { "n": 1.5 }] });
            let written = serde_json::to_string(&value).unwrap();
            prop_assert_eq!(repaired(&written), Some(value));
        }

        #[test]
        fn no_text_makes_it_panic(text in "(\\{|\\}|\\[|\\]|\"|\\\\|/|\\*|,|:|u|é|\n|a){0,60}") {
            let _ = repaired(&text);
        }
    }
}
