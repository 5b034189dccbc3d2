//! Comments of shell scripts. Strings of a shell can hold commands, so nothing else is blanked.

use super::hash;
use super::scan::{Scan, Step, Unsure};

/// What a shell is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Quotes,
    Parentheses,
    Braces,
    Ticks,
}

/// Longest line before the mark of a text, and deepest nesting, that are read.
const MAX_LINE: usize = 4096;
const MAX_DEPTH: usize = 64;

#[derive(Default)]
struct Reading {
    within: Vec<Within>,
    /// The texts that follow the line, each up to its mark; whether tabs before the mark count.
    documents: Vec<(Vec<u8>, bool)>,
}

pub(super) fn run(scan: &mut Scan<'_>) -> usize {
    let mut reading = Reading::default();
    let sure = scan.run(|scan, byte| reading.token(scan, byte));
    hash::simple_lines(scan, sure);
    sure
}

impl Reading {
    fn token(&mut self, scan: &mut Scan<'_>, byte: u8) -> Step {
        if self.within.len() > MAX_DEPTH {
            return Err(Unsure);
        }
        let within = self.within.last().copied();
        let quoted = within == Some(Within::Quotes);
        match byte {
            b'\\' if within == Some(Within::Ticks) => return Err(Unsure),
            b'\\' if scan.follows(b"\\\r\n") => scan.at += 3,
            b'\\' => scan.at += 2,
            b'`' if within == Some(Within::Ticks) => self.leave(scan),
            b'`' if self.within.contains(&Within::Ticks) => return Err(Unsure),
            b'`' => self.enter(scan, Within::Ticks, 1),
            b'"' if quoted => self.leave(scan),
            // Shells differ in what quotes within quotes are.
            b'"' if self.within.contains(&Within::Quotes) && within != Some(Within::Parentheses) => {
                return Err(Unsure);
            }
            b'"' => self.enter(scan, Within::Quotes, 1),
            b'$' if scan.follows(b"$(") => self.enter(scan, Within::Parentheses, 2),
            b'$' if scan.follows(b"${") => self.enter(scan, Within::Braces, 2),
            b'$' if !quoted && scan.follows(b"$'") => return Err(Unsure),
            b'}' if within == Some(Within::Braces) => self.leave(scan),
            b'\'' if within == Some(Within::Braces) => return Err(Unsure),
            b'\n' if quoted && !self.documents.is_empty() => return Err(Unsure),
            _ if quoted || within == Some(Within::Braces) => scan.at += 1,
            b'(' => self.enter(scan, Within::Parentheses, 1),
            b')' if within == Some(Within::Parentheses) => self.leave(scan),
            b'\'' => self.single(scan)?,
            b'<' if scan.follows(b"<<<") => scan.at += 3,
            b'<' if scan.follows(b"<<") => self.document(scan)?,
            b'#' => self.perhaps_comment(scan)?,
            b'\n' => self.bodies(scan)?,
            // The patterns of `case` close parentheses that were never opened.
            b'c' if !self.within.is_empty() && begins_case(scan) => return Err(Unsure),
            _ => scan.at += 1,
        }
        Ok(())
    }

    fn enter(&mut self, scan: &mut Scan<'_>, what: Within, length: usize) {
        self.within.push(what);
        scan.at += length;
    }

    fn leave(&mut self, scan: &mut Scan<'_>) {
        self.within.pop();
        scan.at += 1;
    }

    fn single(&self, scan: &mut Scan<'_>) -> Step {
        let inside = scan.rest().get(1..).unwrap_or_default();
        let length = memchr::memchr(b'\'', inside).ok_or(Unsure)?;
        // Within old-style quotes, some shells look for the closing tick first.
        if self.within.contains(&Within::Ticks) && inside.get(..length).unwrap_or_default().contains(&b'`') {
            return Err(Unsure);
        }
        scan.at += length + 2;
        Ok(())
    }

    fn perhaps_comment(&self, scan: &mut Scan<'_>) -> Step {
        let before = scan.text.get(..scan.at).unwrap_or_default();
        match before.last() {
            // Whether a word goes on here depends on the line before.
            Some(b'\n') if before.ends_with(b"\\\n") || before.ends_with(b"\\\r\n") => return Err(Unsure),
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b';') => {}
            Some(b'(' | b'|' | b'&' | b'<' | b'>' | b'`') => return Err(Unsure),
            Some(_) => {
                scan.at += 1;
                return Ok(());
            }
        }
        let end = scan.line_end();
        let comment = scan.text.get(scan.at..end).unwrap_or_default();
        if !self.within.is_empty() && comment.iter().any(|b| matches!(b, b')' | b'}' | b'\'' | b'"' | b'`')) {
            return Err(Unsure);
        }
        scan.line_comment();
        Ok(())
    }

    /// The mark of a text that follows the line.
    fn document(&mut self, scan: &mut Scan<'_>) -> Step {
        let line = scan.line_before();
        // Such a line is made to be slow.
        if line.len() > MAX_LINE {
            return Err(Unsure);
        }
        let shifts = [&b"(("[..], b"let ", b"[["].iter().any(|mark| memchr::memmem::find(line, mark).is_some());
        let mut rest = scan.rest().get(2..).unwrap_or_default();
        let tabs = rest.first() == Some(&b'-');
        rest = rest.get(usize::from(tabs)..).unwrap_or_default();
        rest = rest.trim_ascii_start();
        let quote = rest.first().copied().filter(|b| matches!(b, b'\'' | b'"'));
        let word = rest.get(usize::from(quote.is_some())..).unwrap_or_default();
        let length = word.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let after = word.get(length).copied();
        let ends = match quote {
            Some(quote) => after == Some(quote),
            None => after.is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b')' | b'>')),
        };
        if shifts
            || length == 0
            || !ends
            || self.within.contains(&Within::Quotes)
            || self.within.contains(&Within::Ticks)
        {
            return Err(Unsure);
        }
        self.documents.push((word.get(..length).unwrap_or_default().to_vec(), tabs));
        let left = word.len() - length - usize::from(quote.is_some());
        scan.at = scan.text.len() - left;
        Ok(())
    }

    /// Goes over the texts that begin on the next line. What stands in them can be commands, and stays.
    fn bodies(&mut self, scan: &mut Scan<'_>) -> Step {
        scan.at += 1;
        for (mark, tabs) in std::mem::take(&mut self.documents) {
            loop {
                if scan.at >= scan.text.len() {
                    return Err(Unsure);
                }
                let end = scan.line_end();
                let line = scan.text.get(scan.at..end).unwrap_or_default();
                let own = if tabs { line.trim_ascii_start() } else { line };
                let closes = own.strip_suffix(b"\r").unwrap_or(own) == mark;
                scan.at = (end + 1).min(scan.text.len());
                if closes {
                    break;
                }
            }
        }
        Ok(())
    }
}

fn begins_case(scan: &Scan<'_>) -> bool {
    let alone = scan.before().is_none_or(|b| !b.is_ascii_alphanumeric() && b != b'_');
    alone && (scan.follows(b"case ") || scan.follows(b"case\t"))
}
