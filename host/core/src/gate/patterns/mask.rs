//! A file's text with strings and comments blanked, so that a rule about calls does not match a word in a sentence.
//!
//! What must stay true: code that runs is never blanked. If two parsers of the language could disagree about where a
//! string or a comment ends, the text from there on stays as it is, and the rules see all of it.

use super::language::Language;

/// The text with blanks in place of comments and of the content of strings; its length in bytes stays. `None` for a
/// language whose strings and comments are not known well enough, or that is mixed with another.
pub(super) fn code_only(text: &str, spoken: &[Language], extension: &str) -> Option<String> {
    let language = match spoken {
        [Language::Any, one] => *one,
        _ => return None,
    };
    let mixed = matches!(extension, "ipynb" | "vue" | "svelte" | "html" | "htm" | "astro" | "jsx" | "tsx");
    let fit = match language {
        Language::Python | Language::Rust | Language::Go => !mixed,
        // What stands between tags is text, in which a quote is a quote and no string.
        Language::JavaScript => !mixed && !has_tags(text),
        _ => false,
    };
    fit.then(|| {
        let mut scan = Scan { text: text.as_bytes(), out: text.as_bytes().to_vec(), at: 0 };
        // Where it gives up, the rest stays as it is.
        let _ = scan.run(language);
        // Whole characters were replaced by blanks, so that this is text again.
        String::from_utf8(scan.out).unwrap_or_else(|_| text.to_owned())
    })
}

/// Whether a closing tag could stand anywhere.
fn has_tags(text: &str) -> bool {
    let next = |at: usize| text.get(at + 1..).and_then(|rest| rest.bytes().find(|b| !b.is_ascii_whitespace()));
    text.match_indices('<').any(|(at, _)| matches!(next(at), Some(b'/' | b'!' | b'>')))
        || text.match_indices('/').any(|(at, _)| next(at) == Some(b'>'))
}

/// One pass over a text.
struct Scan<'a> {
    text: &'a [u8],
    out: Vec<u8>,
    at: usize,
}

/// That what follows could be read in two ways.
struct Unsure;

impl Scan<'_> {
    fn run(&mut self, language: Language) -> Result<(), Unsure> {
        while let Some(&byte) = self.text.get(self.at) {
            match (language, byte) {
                (Language::Python, b'#') => self.line_comment(),
                (Language::Python, b'"' | b'\'') => self.python_string(byte)?,
                (Language::Python, _) => self.at += 1,
                (_, b'/') if self.follows(b"//") => self.line_comment(),
                (_, b'/') if self.follows(b"/*") => self.block_comment(language == Language::Rust)?,
                (Language::JavaScript, b'/') => self.perhaps_regex()?,
                (Language::JavaScript, b'`') => return Err(Unsure),
                (Language::Go, b'`') => self.until(self.at, b"`")?,
                (Language::Rust, b'\'') => self.rust_quote(),
                (Language::Rust, b'"') => self.rust_string()?,
                (_, b'"' | b'\'') => self.string(byte, false)?,
                _ => self.at += 1,
            }
        }
        Ok(())
    }

    fn follows(&self, what: &[u8]) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(what))
    }

    fn blank(&mut self, from: usize, to: usize) {
        for byte in self.out.get_mut(from..to).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }

    fn line_end(&self) -> usize {
        self.text.get(self.at..).and_then(|rest| memchr::memchr(b'\n', rest)).map_or(self.text.len(), |n| self.at + n)
    }

    fn line_comment(&mut self) {
        let end = self.line_end();
        self.blank(self.at, end);
        self.at = end;
    }

    /// Blanks what stands between the opening at `from`, one byte long, and the next `close`.
    fn until(&mut self, from: usize, close: &[u8]) -> Result<(), Unsure> {
        let rest = self.text.get(from + 1..).unwrap_or_default();
        let length = memchr::memmem::find(rest, close).ok_or(Unsure)?;
        self.blank(from + 1, from + 1 + length);
        self.at = from + 1 + length + close.len();
        Ok(())
    }

    fn block_comment(&mut self, nests: bool) -> Result<(), Unsure> {
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            if self.follows(b"/*") && (nests || depth == 0) {
                depth += 1;
                self.at += 2;
            } else if self.follows(b"*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    self.blank(start, self.at);
                    return Ok(());
                }
            } else if self.at >= self.text.len() {
                return Err(Unsure);
            } else {
                self.at += 1;
            }
        }
    }

    /// Where the string that opens at `self.at` with `quotes` ends: the place of its closing quotes. `None` for one
    /// that the line ends, where lines end strings.
    fn closing(&self, quotes: &[u8], over_lines: bool) -> Result<Option<usize>, Unsure> {
        let mut at = self.at + quotes.len();
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' if !over_lines => return Ok(None),
                _ if self.text.get(at..).is_some_and(|rest| rest.starts_with(quotes)) => return Ok(Some(at)),
                _ => {}
            }
            at += 1;
        }
        if over_lines { Err(Unsure) } else { Ok(None) }
    }

    fn string(&mut self, quote: u8, over_lines: bool) -> Result<(), Unsure> {
        match self.closing(&[quote], over_lines)? {
            Some(end) => {
                self.blank(self.at + 1, end);
                self.at = end + 1;
            }
            // Such a line runs nowhere.
            None => self.at = self.line_end(),
        }
        Ok(())
    }

    /// A division or the start of a regular expression: the rest of the line stays. What it could open must not reach
    /// into the next line.
    fn perhaps_regex(&mut self) -> Result<(), Unsure> {
        let end = self.line_end();
        let rest = self.text.get(self.at..end).unwrap_or_default();
        let opens = rest.contains(&b'`') || rest.ends_with(b"\\") || memchr::memmem::find(rest, b"/*").is_some();
        self.at = end;
        if opens { Err(Unsure) } else { Ok(()) }
    }

    fn python_string(&mut self, quote: u8) -> Result<(), Unsure> {
        let triple = [quote; 3];
        let quotes: &[u8] = if self.follows(&triple) { &triple } else { &triple[..1] };
        let before = self.text.get(..self.at).unwrap_or_default();
        let prefix = before.iter().rev().take_while(|b| b.is_ascii_alphabetic()).take(3);
        let formatted = prefix.clone().any(|b| matches!(b.to_ascii_lowercase(), b'f' | b't'));
        let Some(end) = self.closing(quotes, quotes.len() == 3)? else {
            self.at = self.line_end();
            return Ok(());
        };
        let inside = self.text.get(self.at + quotes.len()..end).unwrap_or_default();
        if formatted {
            // Its braces hold code, and from one version of Python to the next quotes within them end it or do not.
            if !is_plain_format(inside) {
                return Err(Unsure);
            }
        } else {
            self.blank_but_examples(self.at + quotes.len(), end);
        }
        self.at = end + quotes.len();
        Ok(())
    }

    /// Blanks a string; its examples for doctest run, and stay.
    fn blank_but_examples(&mut self, from: usize, to: usize) {
        let inside = self.text.get(from..to).unwrap_or_default();
        let mut start = from;
        for line in inside.split_inclusive(|&b| b == b'\n') {
            let text = line.trim_ascii_start();
            if !text.starts_with(b">>>") && !text.starts_with(b"...") {
                self.blank(start, start + line.len());
            }
            start += line.len();
        }
    }

    fn rust_string(&mut self) -> Result<(), Unsure> {
        let before = self.text.get(..self.at).unwrap_or_default();
        let hashes = before.iter().rev().take_while(|&&b| b == b'#').count();
        let word = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_' || !b.is_ascii();
        let prefix: Vec<u8> = before.iter().rev().skip(hashes).take_while(word).take(4).copied().collect();
        match prefix.as_slice() {
            b"r" | b"rb" | b"rc" => {
                let close = [&b"\""[..], &b"#".repeat(hashes)].concat();
                self.until(self.at, &close)
            }
            b"" | b"b" | b"c" => self.string(b'"', true),
            _ => Err(Unsure),
        }
    }

    /// A letter in quotes, or the mark of a lifetime.
    fn rust_quote(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let first = std::str::from_utf8(rest.get(..rest.len().min(12)).unwrap_or_default());
        let length = match rest.first() {
            Some(b'\\') => rest.iter().skip(2).take(10).position(|&b| b == b'\'').map(|n| n + 2),
            // The first character of what may end within another one.
            Some(_) => first
                .or_else(|error| std::str::from_utf8(rest.get(..error.valid_up_to()).unwrap_or_default()))
                .ok()
                .and_then(|text| text.chars().next())
                .map(char::len_utf8)
                .filter(|&length| rest.get(length) == Some(&b'\'')),
            None => None,
        };
        self.at += length.map_or(1, |length| length + 2);
    }
}

/// Whether every parser agrees on where a formatted string ends: no quote, escape or comment in it, braces in pairs.
fn is_plain_format(inside: &[u8]) -> bool {
    let mut open = 0_i32;
    for byte in inside {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return false,
            b'}' => open -= 1,
            b'"' | b'\'' | b'\\' | b'#' | b'\n' => return false,
            _ => {}
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, language: Language, extension: &str) -> Option<String> {
        code_only(text, &[Language::Any, language], extension)
    }

    #[test]
    fn what_is_said_is_blank_and_what_runs_is_not() {
        for (language, extension, text, expected) in [
            (Language::Python, "py", "f('eval(x)') # eval(x)", "f('       ')          "),
            (Language::Python, "py", "\"\"\"Never\neval(x)\"\"\"\neval(x)", "\"\"\"     \n       \"\"\"\neval(x)"),
            (Language::Python, "py", "f'{eval(x)}' + 'eval(x)'", "f'{eval(x)}' + '       '"),
            (Language::Python, "py", "f\"{x['\"\"\"\neval(x)", "f\"{x['\"\"\"\neval(x)"),
            (Language::Python, "py", "'a\\'eval(x)'", "'          '"),
            (Language::Python, "py", "'open\neval(x)'", "'open\neval(x)'"),
            (Language::Python, "py", "'''\n>>> eval(x)\n'''", "'''\n>>> eval(x)\n'''"),
            (Language::JavaScript, "js", "a('eval(x)') // eval(x)", "a('       ')           "),
            (Language::JavaScript, "js", "/** eval(x) */ eval(x)", "               eval(x)"),
            (Language::JavaScript, "js", "/\"/; eval(x); /\"/", "/\"/; eval(x); /\"/"),
            (Language::JavaScript, "js", "`${eval(x)}` + 'eval(x)'", "`${eval(x)}` + 'eval(x)'"),
            (Language::JavaScript, "js", "a / b /* c\n\" */ eval(x) //\"", "a / b /* c\n\" */ eval(x) //\""),
            (Language::JavaScript, "js", "a / \"\\\n\" + eval(x) + \"", "a / \"\\\n\" + eval(x) + \""),
            (Language::Rust, "rs", "r#\"a\"b\"# + 'x' + '\"' + \"y\" // z", "r#\"   \"# + 'x' + '\"' + \" \"     "),
            (Language::Rust, "rs", "fn f<'a>(x: &'a str) { \"s\" }", "fn f<'a>(x: &'a str) { \" \" }"),
            (Language::Rust, "rs", "/* /* a */ b */ c", "                c"),
            (Language::Go, "go", "`a\nb` + \"c\" + '\"' // d", "` \n ` + \" \" + ' '     "),
        ] {
            assert_eq!(code(text, language, extension).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn tags_and_mixed_files_are_left_alone() {
        for text in ["<p>Don't {eval(x)} won't</p>", "< p>'< / p>", "<a b='c' / >"] {
            assert_eq!(code(text, Language::JavaScript, "js"), None, "{text}");
        }
        assert_eq!(code("'a'", Language::JavaScript, "tsx"), None);
        assert_eq!(code_only("'a'", &[Language::Any, Language::Python, Language::Shell], ""), None);
    }

    proptest::proptest! {
        #[test]
        fn nothing_makes_it_panic_and_lines_stay(text in "[a'\"`/*#\\\\{}rfé\n<>]{0,40}") {
            for language in [Language::Python, Language::JavaScript, Language::Rust, Language::Go] {
                if let Some(masked) = code(&text, language, "x") {
                    proptest::prop_assert_eq!(masked.len(), text.len());
                    proptest::prop_assert_eq!(masked.lines().count(), text.lines().count());
                }
            }
        }
    }
}
