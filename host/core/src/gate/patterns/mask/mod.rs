//! A file's text with comments and strings blanked: the one place that says what a comment is.
//!
//! What must stay true: code that runs is never blanked. If two parsers of the language could disagree about where a
//! string or a comment ends, the text from there on stays as it is, and the rules see all of it. For a language that is
//! not known here, everything is code.

mod hash;
mod javascript;
mod python;
mod rust;
mod shell;

use super::super::added::AddedLine;
use super::language::Language;
use crate::path::RepoPath;
use hash::Hash;

/// A text in two views. Both have the length of the text in bytes, and its lines.
pub(super) struct Masked {
    /// Without comments and the content of strings.
    pub(super) code: String,
    /// Without comments only.
    pub(super) plain: String,
    /// How many bytes from the start were read with certainty. From there on, strings and most comments stay.
    pub(super) sure: usize,
}

/// How to read a file; `None` for a language that is not known well enough, or that is mixed with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Python,
    /// Whether tags may stand between expressions.
    JavaScript {
        tags: bool,
    },
    Rust,
    Go,
    Shell,
    Hash(Hash),
}

impl Reader {
    /// The reader of a file.
    pub(super) fn of(path: &RepoPath, spoken: &[Language]) -> Option<Self> {
        let name = path.file_name().to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (spoken, extension) {
            ([Language::Any, Language::Python], "ipynb")
            | ([Language::Any, Language::JavaScript], "vue" | "svelte" | "html" | "htm" | "astro")
            // Its quotes differ.
            | (_, "fish") => None,
            ([Language::Any, Language::Python], _) => Some(Self::Python),
            ([Language::Any, Language::JavaScript], _) => {
                Some(Self::JavaScript { tags: !matches!(extension, "ts" | "mts" | "cts") })
            }
            ([Language::Any, Language::Rust], _) => Some(Self::Rust),
            ([Language::Any, Language::Go], _) => Some(Self::Go),
            ([Language::Any, Language::Yaml], _) => Some(Self::Hash(Hash::Yaml)),
            ([Language::Any, Language::Dockerfile, Language::Shell], _) => Some(Self::Hash(Hash::Docker)),
            ([Language::Any, Language::Shell], "mk") => Some(Self::Hash(Hash::Simple)),
            ([Language::Any, Language::Shell], _) => match name.as_str() {
                "makefile" | "gnumakefile" | "justfile" | "procfile" => Some(Self::Hash(Hash::Simple)),
                "jenkinsfile" => None,
                _ => Some(Self::Shell),
            },
            _ => None,
        }
    }

    /// Whether it tells strings from code, and not only comments.
    pub(super) fn tells_strings(self) -> bool {
        !matches!(self, Self::Shell | Self::Hash(_))
    }

    /// Reads a whole file.
    pub(super) fn mask(self, text: &str) -> Masked {
        let mut end = lone_return(text.as_bytes());
        if matches!(self, Self::JavaScript { .. }) {
            // They end a line there, and a comment with it.
            end = end.min(text.find(['\u{2028}', '\u{2029}']).unwrap_or(end));
        }
        let (code, plain) = (text.as_bytes().to_vec(), text.as_bytes().to_vec());
        let mut scan = Scan { text: text.as_bytes().get(..end).unwrap_or_default(), code, plain, at: 0 };
        let sure = match self {
            Self::Python => scan.run(Scan::python),
            Self::JavaScript { tags } => javascript::run(&mut scan, tags),
            Self::Rust => rust::run(&mut scan),
            Self::Go => scan.run(Scan::go),
            Self::Shell => shell::run(&mut scan),
            Self::Hash(hash) => hash::run(&mut scan, hash),
        };
        // Whole characters were replaced by blanks, so that this is text again.
        let again = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
        Masked { code: again(scan.code), plain: again(scan.plain), sure }
    }
}

/// Whether text could stand between tags, where a quote is a quote and no string.
pub(super) fn has_tags(reader: Option<Reader>, text: &str) -> bool {
    let next = |at: usize| text.get(at + 1..).and_then(|rest| rest.bytes().find(|b| !b.is_ascii_whitespace()));
    let closes = || text.match_indices('<').any(|(at, _)| matches!(next(at), Some(b'/' | b'!' | b'>')));
    let closed = || text.match_indices('/').any(|(at, _)| next(at) == Some(b'>'));
    matches!(reader, Some(Reader::JavaScript { tags: true })) && (closes() || closed())
}

/// Where the first carriage return stands that no line feed follows: some languages end the line there.
fn lone_return(text: &[u8]) -> usize {
    let lone = |&at: &usize| text.get(at + 1) != Some(&b'\n');
    memchr::memchr_iter(b'\r', text).find(lone).unwrap_or(text.len())
}

impl Masked {
    /// The added lines of the text `whole`, as a view of it has them. A line that is not where the change says it is
    /// stays as it is.
    pub(super) fn lines<'a>(whole: &'a str, view: &'a str, added: &[AddedLine<'a>]) -> Vec<AddedLine<'a>> {
        let lines: Vec<(&str, &str)> = whole.split('\n').zip(view.split('\n')).collect();
        let number = |line: &AddedLine<'_>| usize::try_from(line.number.saturating_sub(1)).unwrap_or(usize::MAX);
        let seen = |line: &AddedLine<'a>| match lines.get(number(line)) {
            Some((text, seen)) if *text == line.text => AddedLine { text: seen, ..*line },
            _ => *line,
        };
        added.iter().map(seen).collect()
    }
}

/// One pass over a text.
struct Scan<'a> {
    text: &'a [u8],
    code: Vec<u8>,
    plain: Vec<u8>,
    at: usize,
}

/// That what follows could be read in two ways.
struct Unsure;

type Step = Result<(), Unsure>;

impl Scan<'_> {
    /// Takes one token after another up to the end, or up to one that could be read in two ways. Returns how far it
    /// came.
    fn run(&mut self, mut token: impl FnMut(&mut Self, u8) -> Step) -> usize {
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            if token(self, byte).is_err() {
                return start;
            }
        }
        self.text.len()
    }

    fn go(&mut self, byte: u8) -> Step {
        match byte {
            b'/' if self.follows(b"//") => self.line_comment(),
            b'/' if self.follows(b"/*") => self.block_comment(false)?,
            b'`' => self.until(self.at, b"`")?,
            b'"' | b'\'' => self.string(byte, false)?,
            _ => self.at += 1,
        }
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn follows(&self, what: &[u8]) -> bool {
        self.rest().starts_with(what)
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).and_then(|at| self.text.get(at).copied())
    }

    /// Blanks a comment.
    fn blank(&mut self, from: usize, to: usize) {
        blank(&mut self.plain, from, to);
        blank(&mut self.code, from, to);
    }

    /// Blanks a part of a string.
    fn hide(&mut self, from: usize, to: usize) {
        blank(&mut self.code, from, to);
    }

    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |n| self.at + n)
    }

    /// The text of the line before `self.at`.
    fn line_before(&self) -> &[u8] {
        let before = self.text.get(..self.at).unwrap_or_default();
        memchr::memrchr(b'\n', before).map_or(before, |n| before.get(n + 1..).unwrap_or_default())
    }

    fn line_comment(&mut self) {
        let end = self.line_end();
        self.blank(self.at, end);
        self.at = end;
    }

    /// Hides what stands between the opening at `from`, one byte long, and the next `close`.
    fn until(&mut self, from: usize, close: &[u8]) -> Step {
        let rest = self.text.get(from + 1..).unwrap_or_default();
        let length = memchr::memmem::find(rest, close).ok_or(Unsure)?;
        self.hide(from + 1, from + 1 + length);
        self.at = from + 1 + length + close.len();
        Ok(())
    }

    /// Where the block comment at `self.at` ends.
    fn block_end(&self, nests: bool) -> Result<usize, Unsure> {
        let (mut at, mut depth) = (self.at + 2, 1_usize);
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            at += memchr::memchr2(b'/', b'*', rest).ok_or(Unsure)?;
            match self.text.get(at..at + 2) {
                Some(b"/*") if nests => depth += 1,
                Some(b"*/") => depth -= 1,
                Some(_) => {
                    at += 1;
                    continue;
                }
                None => return Err(Unsure),
            }
            at += 2;
            if depth == 0 {
                return Ok(at);
            }
        }
    }

    fn block_comment(&mut self, nests: bool) -> Step {
        let end = self.block_end(nests)?;
        self.blank(self.at, end);
        self.at = end;
        Ok(())
    }

    /// Where the string that opens at `self.at` with `quotes` ends: the place of its closing quotes. `None` for one
    /// that the line ends, where lines end strings.
    fn closing(&self, quotes: &[u8], over_lines: bool) -> Result<Option<usize>, Unsure> {
        let mut at = self.at + quotes.len();
        while let Some(&byte) = self.text.get(at) {
            match byte {
                // A backslash before a line feed takes a carriage return along.
                b'\\' if self.text.get(at + 1..at + 3) == Some(b"\r\n") => at += 2,
                b'\\' => at += 1,
                b'\n' if !over_lines => return Ok(None),
                _ if self.text.get(at..).is_some_and(|rest| rest.starts_with(quotes)) => return Ok(Some(at)),
                _ => {}
            }
            at += 1;
        }
        if over_lines { Err(Unsure) } else { Ok(None) }
    }

    fn string(&mut self, quote: u8, over_lines: bool) -> Step {
        match self.closing(&[quote], over_lines)? {
            Some(end) => {
                self.hide(self.at + 1, end);
                self.at = end + 1;
            }
            // A file with such a line does not run.
            None => self.at = self.line_end(),
        }
        Ok(())
    }
}

fn blank(bytes: &mut [u8], from: usize, to: usize) {
    for byte in bytes.get_mut(from..to).unwrap_or_default() {
        if !matches!(*byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests;
