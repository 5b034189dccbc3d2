//! One quick pass that says whether a text needs more than the rules: which parts hold escapes that matter, and whether
//! there are terminal sequences.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memchr3_iter, memmem, memrchr};

use super::escape::escape_at;
use super::terminal::sequence_at;

/// Bytes before an escape in which a match can start, and after it in which one can end.
const BEFORE: usize = 512;
const AFTER: usize = 1024;
/// Most bytes by which a window is longer than that, so that it ends where a token ends.
const MORE: usize = 16 << 10;

static CONTROL: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("\u{9b}"));

/// What an escape of HTML begins with, if it may hide something.
static ENTITY: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(["&#", "&quot;", "&apos;", "&amp;#", "&amp;quot;"]).ok());

/// Where a text has escapes and terminal sequences.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Parts around escapes that matter, in order and apart from one another. Their ends are between characters.
    pub(super) windows: Vec<Range<usize>>,
    /// Whether there is a terminal sequence.
    pub(crate) terminal: bool,
}

impl Survey {
    /// Surveys a text in linear time.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut survey = Self::default();
        let mut done = 0;
        for at in memchr3_iter(0x1b, b'\\', b'%', bytes) {
            if at < done {
                continue;
            }
            done = survey.note(text, at);
        }
        let controls = survey.beside(text, CONTROL.find_iter(bytes));
        survey.terminal |= controls;
        let entity = |found: aho_corasick::Match| escape_at(bytes, found.start()).map(|_| found.start());
        survey.beside(text, ENTITY.iter().flat_map(|entities| entities.find_iter(text)).filter_map(entity));
        survey
    }

    /// Adds windows around further places, which are in order. Returns whether there are any.
    fn beside(&mut self, text: &str, places: impl Iterator<Item = usize>) -> bool {
        let (mut covered, mut windows) = (0, Vec::new());
        for at in places {
            if windows.is_empty() || covered < at + AFTER / 4 {
                let around = window(text, at..at + 2);
                covered = around.end;
                windows.push(around);
            }
        }
        if windows.is_empty() {
            return false;
        }
        windows.append(&mut self.windows);
        windows.sort_unstable_by_key(|window| window.start);
        for window in windows {
            self.add(window);
        }
        true
    }

    /// Parts around escapes that matter, in order and apart from one another.
    pub(in crate::secret) fn windows(&self) -> &[Range<usize>] {
        &self.windows
    }

    /// Notes what is at `at`. Returns up to where nothing else can begin.
    fn note(&mut self, text: &str, at: usize) -> usize {
        let bytes = text.as_bytes();
        if bytes.get(at) == Some(&0x1b) {
            self.terminal = true;
            self.around(text, at..at + 1);
            return at + 1;
        }
        // Most backslashes are those of a line end or a quote.
        if bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'n' | b'"')) {
            return at + 2;
        }
        let Some(escape) = escape_at(bytes, at) else { return at + super::escape::backslashes(bytes, at).max(1) };
        if escape.matters() || escape.is == '\u{9b}' {
            self.terminal |= !self.terminal && sequence_at(bytes, at).is_some();
            self.around(text, at..at + escape.len);
        }
        at + escape.len
    }

    fn around(&mut self, text: &str, escape: Range<usize>) {
        // Most escapes lie in the window of the one before.
        if let Some(last) = self.windows.last()
            && escape.end + AFTER / 4 <= last.end
        {
            return;
        }
        self.add(window(text, escape));
    }

    fn add(&mut self, window: Range<usize>) {
        match self.windows.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => self.windows.push(window),
        }
    }
}

/// The lines around an escape: its own, the one before and the two after it, as far as they are near.
fn window(text: &str, escape: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let near = escape.start.saturating_sub(BEFORE);
    let before = bytes.get(near..escape.start).unwrap_or_default();
    let own = memrchr(b'\n', before).unwrap_or(0);
    let start = near + memrchr(b'\n', before.get(..own).unwrap_or_default()).map_or(0, |at| at + 1);
    let after = bytes.get(escape.end..escape.end.saturating_add(AFTER + MORE).min(bytes.len())).unwrap_or_default();
    let mut end = 0;
    for _ in 0..3 {
        let rest = after.get(end..AFTER.min(after.len())).unwrap_or_default();
        end += memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    }
    let in_line = end > 0 && after.get(end - 1) != Some(&b'\n');
    let rest = after.get(end..).filter(|_| in_line).unwrap_or_default();
    end += rest.iter().position(|byte| byte.is_ascii_whitespace() || b"\"'`,;".contains(byte)).unwrap_or(rest.len());
    text.floor_char_boundary(start)..text.ceil_char_boundary(escape.end + end)
}
