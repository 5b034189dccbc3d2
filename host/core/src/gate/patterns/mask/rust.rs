//! Strings and comments of Rust. Examples in documentation are tests, and stay.

use super::scan::{Scan, Step, Unsure};

/// What may stand behind the fence of an example that is compiled.
const COMPILED: &[&str] = &["", "rust", "should_panic", "no_run", "compile_fail", "test_harness"];

pub(super) fn run(scan: &mut Scan<'_>) -> usize {
    if scan.follows(b"#!") && !scan.rest().trim_ascii_start().starts_with(b"#![") {
        scan.at = scan.line_end();
    }
    // Whether the documentation that is read is within an example, and whether that is compiled.
    let mut fence: Option<bool> = None;
    scan.run(|scan, byte| {
        match byte {
            b'/' if scan.follows(b"//") => scan.rust_line_comment(&mut fence),
            b'/' if scan.follows(b"/*") => scan.rust_block_comment()?,
            b'\'' => scan.rust_quote(),
            b'"' => scan.rust_string()?,
            _ => {
                if !byte.is_ascii_whitespace() {
                    fence = None;
                }
                scan.at += 1;
            }
        }
        Ok(())
    })
}

impl Scan<'_> {
    fn rust_line_comment(&mut self, fence: &mut Option<bool>) {
        let end = self.line_end();
        let line = self.text.get(self.at..end).unwrap_or_default();
        let is_doc = line.starts_with(b"//!") || line.starts_with(b"///") && !line.starts_with(b"////");
        let text = String::from_utf8_lossy(line.get(3..).unwrap_or_default());
        let mark = text.trim_start();
        if is_doc && (mark.starts_with("```") || mark.starts_with("~~~")) {
            *fence = if fence.is_some() { None } else { Some(is_compiled(mark)) };
        }
        if !is_doc || *fence != Some(true) {
            self.blank(self.at, end);
        }
        self.at = end;
    }

    fn rust_block_comment(&mut self) -> Step {
        let end = self.block_end(true)?;
        let text = self.text.get(self.at..end).unwrap_or_default();
        let is_doc = text.starts_with(b"/**") || text.starts_with(b"/*!");
        let has_example = memchr::memmem::find(text, b"```").or(memchr::memmem::find(text, b"~~~")).is_some();
        if !is_doc || !has_example {
            self.blank(self.at, end);
        }
        self.at = end;
        Ok(())
    }

    fn rust_string(&mut self) -> Step {
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
        if let Some(length) = length {
            self.hide(self.at + 1, self.at + 1 + length);
        }
        self.at += length.map_or(1, |length| length + 2);
    }
}

fn is_compiled(fence: &str) -> bool {
    let info = fence.trim_start_matches(['`', '~']).trim();
    let mut words = info.split([',', ' ', '\t']).map(str::trim);
    words.all(|word| COMPILED.contains(&word) || word.starts_with("edition") || word.starts_with('E'))
}
