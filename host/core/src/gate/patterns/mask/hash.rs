//! Comments of files in which `#` begins one: YAML, Dockerfiles, Makefiles.

use super::scan::{Scan, Step, Unsure};

/// Longest line of YAML that is read.
const MAX_LINE: usize = 4096;

/// Which file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Hash {
    /// Lines that are a comment for whatever reads them.
    Simple,
    Yaml,
    Docker,
}

pub(super) fn run(scan: &mut Scan<'_>, hash: Hash) -> usize {
    match hash {
        Hash::Simple => {
            simple_lines(scan, 0);
            scan.text.len()
        }
        Hash::Docker => docker(scan),
        Hash::Yaml => {
            let mut yaml = Yaml::default();
            let sure = scan.run(|scan, _| yaml.line(scan));
            simple_lines(scan, sure);
            sure
        }
    }
}

/// Blanks, from this place on, the lines that are a comment or a part of a text for every reader of `#`: nothing in
/// them could end a quoted text, be expanded, or go on from the line before.
pub(super) fn simple_lines(scan: &mut Scan<'_>, from: usize) {
    let mut continued = scan.text.get(..from).is_some_and(|before| before.ends_with(b"\\\n"));
    scan.at = from;
    while scan.at < scan.text.len() {
        let end = scan.line_end();
        let line = scan.text.get(scan.at..end).unwrap_or_default().trim_ascii();
        if !continued && is_simple(line) && scan.line_before().trim_ascii().is_empty() {
            scan.blank(scan.at, end);
        }
        continued = line.ends_with(b"\\");
        scan.at = end + 1;
    }
}

fn is_simple(line: &[u8]) -> bool {
    let opens = line.starts_with(b"#") && matches!(line.get(1), None | Some(b' ' | b'#' | b'\t'));
    opens && !line.iter().any(|b| matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\'))
}

/// A line of a Dockerfile that begins with `#` is a comment, also between the lines of one instruction. A text behind
/// `<<` is given to another program.
fn docker(scan: &mut Scan<'_>) -> usize {
    let sure = memchr::memmem::find(scan.text, b"<<").unwrap_or(scan.text.len());
    while scan.at < sure {
        let end = scan.line_end();
        let line = scan.text.get(scan.at..end).unwrap_or_default();
        if end <= sure && line.trim_ascii_start().starts_with(b"#") {
            scan.blank(scan.at, end);
        }
        scan.at = end + 1;
    }
    simple_lines(scan, sure);
    sure
}

/// YAML, line by line.
#[derive(Default)]
struct Yaml {
    /// The indentation of the line that opened a block of text.
    block: Option<usize>,
    continued: bool,
}

impl Yaml {
    fn line(&mut self, scan: &mut Scan<'_>) -> Step {
        let (start, end) = (scan.at, scan.line_end());
        let text = scan.text.get(start..end).unwrap_or_default();
        let line = text.trim_ascii_end();
        let content = line.trim_ascii_start();
        let indent = line.len() - content.len();
        if self.block.is_some_and(|opened| !content.is_empty() && indent <= opened) {
            self.block = None;
        }
        let next = (end + 1).min(scan.text.len());
        if self.block.is_some() {
            // A program may read it, in a language that is not told here.
            if !self.continued && is_simple(content) {
                scan.blank(start, end);
            }
        } else {
            let comment = comment_start(line)?;
            if let Some(at) = comment {
                scan.blank(start + at, end);
            }
            let value = line.get(..comment.unwrap_or(line.len())).unwrap_or_default().trim_ascii_end();
            if opens_block(value) {
                self.block = Some(indent);
            }
        }
        self.continued = line.ends_with(b"\\");
        scan.at = next;
        Ok(())
    }
}

/// Where the comment of a line begins.
fn comment_start(line: &[u8]) -> Result<Option<usize>, Unsure> {
    // Such a line is made to be slow.
    if line.len() > MAX_LINE {
        return Err(Unsure);
    }
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let before = line.get(..at).unwrap_or_default();
        let spaced = before.last().is_none_or(u8::is_ascii_whitespace);
        match byte {
            b'#' if spaced => return Ok(Some(at)),
            b'"' | b'\'' if opens_value(before) => {
                let inside = line.get(at + 1..).unwrap_or_default();
                if byte == b'"' && inside.contains(&b'\\') {
                    return Err(Unsure);
                }
                at += inside.iter().position(|&b| b == byte).ok_or(Unsure)? + 1;
            }
            _ => {}
        }
        at += 1;
    }
    Ok(None)
}

/// Whether a quote here opens a quoted value: within a plain one, it is a letter.
fn opens_value(before: &[u8]) -> bool {
    let trimmed = before.trim_ascii_end();
    matches!(trimmed.last(), None | Some(b':' | b'-' | b'[' | b'{' | b',' | b'?' | b'"' | b'\''))
        || trimmed.rsplit(u8::is_ascii_whitespace).next().is_some_and(|word| matches!(word.first(), Some(b'!' | b'&')))
}

/// Whether the value is the mark of a block of text: `|`, `>-`, `|2+`.
fn opens_block(value: &[u8]) -> bool {
    let mark = value.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let block = matches!(mark.first(), Some(b'|' | b'>'));
    block && mark.iter().skip(1).all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
}
