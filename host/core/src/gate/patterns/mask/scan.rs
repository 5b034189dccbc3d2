//! One pass over a text: what readers of several languages share.

/// One pass over a text.
pub(super) struct Scan<'a> {
    pub(super) text: &'a [u8],
    /// Without comments and the content of strings.
    pub(super) code: Vec<u8>,
    /// Without comments.
    pub(super) plain: Vec<u8>,
    pub(super) at: usize,
}

/// That what follows could be read in two ways.
pub(super) struct Unsure;

pub(super) type Step = Result<(), Unsure>;

impl Scan<'_> {
    /// Takes one token after another up to the end, or up to one that could be read in two ways. Returns how far it
    /// came.
    pub(super) fn run(&mut self, mut token: impl FnMut(&mut Self, u8) -> Step) -> usize {
        while let Some(&byte) = self.text.get(self.at) {
            let start = self.at;
            if token(self, byte).is_err() {
                return start;
            }
        }
        self.text.len()
    }

    pub(super) fn go(&mut self, byte: u8) -> Step {
        match byte {
            b'/' if self.follows(b"//") => self.line_comment(),
            b'/' if self.follows(b"/*") => self.block_comment(false)?,
            b'`' => self.until(self.at, b"`")?,
            b'"' | b'\'' => self.string(byte, false)?,
            _ => self.at += 1,
        }
        Ok(())
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn follows(&self, what: &[u8]) -> bool {
        self.rest().starts_with(what)
    }

    pub(super) fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).and_then(|at| self.text.get(at).copied())
    }

    /// Blanks a comment.
    pub(super) fn blank(&mut self, from: usize, to: usize) {
        blank(&mut self.plain, from, to);
        blank(&mut self.code, from, to);
    }

    /// Blanks a part of a string.
    pub(super) fn hide(&mut self, from: usize, to: usize) {
        blank(&mut self.code, from, to);
    }

    pub(super) fn line_end(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |n| self.at + n)
    }

    /// The text of the line before `self.at`.
    pub(super) fn line_before(&self) -> &[u8] {
        let before = self.text.get(..self.at).unwrap_or_default();
        memchr::memrchr(b'\n', before).map_or(before, |n| before.get(n + 1..).unwrap_or_default())
    }

    pub(super) fn line_comment(&mut self) {
        let end = self.line_end();
        self.blank(self.at, end);
        self.at = end;
    }

    /// Hides the text between the opening at `from`, one byte long, and the next `close`.
    pub(super) fn until(&mut self, from: usize, close: &[u8]) -> Step {
        let rest = self.text.get(from + 1..).unwrap_or_default();
        let length = memchr::memmem::find(rest, close).ok_or(Unsure)?;
        self.hide(from + 1, from + 1 + length);
        self.at = from + 1 + length + close.len();
        Ok(())
    }

    /// Where the block comment at `self.at` ends.
    pub(super) fn block_end(&self, nests: bool) -> Result<usize, Unsure> {
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

    pub(super) fn block_comment(&mut self, nests: bool) -> Step {
        let end = self.block_end(nests)?;
        self.blank(self.at, end);
        self.at = end;
        Ok(())
    }

    /// Where the string that opens at `self.at` with `quotes` ends: the place of its closing quotes. `None` for one
    /// that the line ends, where lines end strings.
    pub(super) fn closing(&self, quotes: &[u8], over_lines: bool) -> Result<Option<usize>, Unsure> {
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

    pub(super) fn string(&mut self, quote: u8, over_lines: bool) -> Step {
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
