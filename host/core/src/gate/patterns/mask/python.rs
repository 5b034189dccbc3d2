//! Strings and comments of Python.

use super::scan::{Scan, Step, Unsure};

impl Scan<'_> {
    pub(super) fn python(&mut self, byte: u8) -> Step {
        match byte {
            b'#' => self.line_comment(),
            b'"' | b'\'' => self.python_string(byte)?,
            _ => self.at += 1,
        }
        Ok(())
    }

    fn python_string(&mut self, quote: u8) -> Step {
        let triple = [quote; 3];
        let quotes: &[u8] = if self.follows(&triple) { &triple } else { &triple[..1] };
        let before = self.text.get(..self.at).unwrap_or_default();
        let mut prefix = before.iter().rev().take_while(|b| b.is_ascii_alphabetic()).take(3);
        let formatted = prefix.any(|b| matches!(b.to_ascii_lowercase(), b'f' | b't'));
        let Some(end) = self.closing(quotes, quotes.len() == 3)? else {
            if formatted {
                // The braces of such a string may go over lines.
                return Err(Unsure);
            }
            // A file with such a line does not run.
            self.at = self.line_end();
            return Ok(());
        };
        let start = self.at + quotes.len();
        if formatted {
            self.formatted(start, end)?;
        } else {
            self.hide_but_examples(start, end);
        }
        self.at = end + quotes.len();
        Ok(())
    }

    /// Hides a string; its examples for doctest run, and stay.
    fn hide_but_examples(&mut self, from: usize, to: usize) {
        let inside = self.text.get(from..to).unwrap_or_default();
        let mut start = from;
        for line in inside.split_inclusive(|&b| b == b'\n') {
            let text = line.trim_ascii_start();
            if !text.starts_with(b">>>") && !text.starts_with(b"...") {
                self.hide(start, start + line.len());
            }
            start += line.len();
        }
    }

    /// Hides a formatted string but for the code in its braces. Before Python 3.12 it ends at the first quote, which is
    /// at `end`. Since then, quotes may stand in its braces. It is only read if both come to the same.
    fn formatted(&mut self, start: usize, end: usize) -> Step {
        let mut at = start;
        let mut literal = start;
        let mut hidden = Vec::new();
        // Open brackets since the brace that opened the code; 0 in the literal part.
        let mut open = 0_u32;
        while at < end {
            let (byte, next) = (self.text.get(at).copied().unwrap_or_default(), self.text.get(at + 1).copied());
            let step = match byte {
                b'\\' if open > 0 || matches!(next, Some(b'{' | b'}' | b'N')) => return Err(Unsure),
                b'\\' => 2,
                b'{' if open == 0 && next == Some(b'{') => 2,
                b'}' if open == 0 && next == Some(b'}') => 2,
                b'}' if open == 0 => return Err(Unsure),
                b'{' if open == 0 => {
                    hidden.push((literal, at));
                    open = 1;
                    1
                }
                b'{' | b'[' | b'(' if open > 0 => {
                    open += 1;
                    1
                }
                b'}' | b']' | b')' if open > 0 => {
                    open -= 1;
                    literal = at + 1;
                    1
                }
                b'#' if open > 0 => return Err(Unsure),
                b'\'' | b'"' if open > 0 => {
                    let inside = self.text.get(at + 1..end).unwrap_or_default();
                    let length = inside.iter().position(|&b| b == byte).ok_or(Unsure)?;
                    let inside = inside.get(..length).unwrap_or_default();
                    let triple = length == 0 && self.text.get(at + 2) == Some(&byte);
                    if triple || inside.iter().any(|b| matches!(b, b'\\' | b'{' | b'}' | b'\n' | b'\'' | b'"')) {
                        return Err(Unsure);
                    }
                    hidden.push((at + 1, at + 1 + length));
                    length + 2
                }
                _ => 1,
            };
            at += step;
        }
        if at != end || open > 0 {
            return Err(Unsure);
        }
        hidden.push((literal, end));
        for (from, to) in hidden {
            self.hide(from, to);
        }
        Ok(())
    }
}
