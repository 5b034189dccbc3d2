//! Carrying out one file's hunks on the bytes of the base, in memory.
//!
//! What must stay true: every old line matches the base byte for byte, and a hunk without context after it reaches the
//! end of the file (as in `git apply`), so that nothing is inserted unanchored. A hunk that does not fit where it says
//! is moved only to the one place nearby where it does. Nearby is within [`MAX_OFFSET`] lines of where it says, which
//! is where git searches from, and of where the hunk before it was moved to, which is where GNU patch does; so both
//! find the place that is found here.

use super::text::{encoded, is_foreign, latin_1};
use super::{Hunk, Line, LineKind};

/// How many lines a hunk may be moved.
pub const MAX_OFFSET: usize = 50;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The bytes of the file after the patch.
    pub content: Vec<u8>,
    /// Lines that each hunk was moved, down counted positive; all 0 for a patch made against this base.
    pub offsets: Vec<i64>,
}

/// Why hunks cannot be carried out. Hunks count from 1, lines are those of the hunk's header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The base has other lines there.
    #[error("hunk {hunk} (line {line}) does not match the file, nor within {MAX_OFFSET} lines of there")]
    Mismatch {
        /// Which hunk.
        hunk: usize,
        /// Where it should have matched.
        line: u32,
    },
    /// It fits in more than one place nearby, and readers differ in which they take.
    #[error("hunk {hunk} (line {line}) was moved, or a hunk before it, and matches in more than one place nearby")]
    Ambiguous {
        /// Which hunk.
        hunk: usize,
        /// Where it should have matched.
        line: u32,
    },
    /// Nothing after the change ties it to the file.
    #[error("hunk {hunk} (line {line}) has no context after its change and does not reach the end of the file")]
    NoContext {
        /// Which hunk.
        hunk: usize,
        /// Where it starts.
        line: u32,
    },
    /// A line without line feed would stand in the middle of the file.
    #[error("hunk {hunk} (line {line}) says that the file ends, and it goes on")]
    NotTheEnd {
        /// Which hunk.
        hunk: usize,
        /// Where it starts.
        line: u32,
    },
    /// The file is not UTF-8, and Latin-1 lacks a character of a new line.
    #[error("the file is not UTF-8 and is read as Latin-1, which lacks a character that the change adds")]
    NotLatin1,
}

/// Carries out the hunks on the bytes of a file; an absent file is an empty one. If the file is not UTF-8, the hunks show
/// it as Latin-1.
pub fn apply(hunks: &[Hunk], base: &[u8]) -> Result<Applied, ApplyError> {
    let Some(text) = is_foreign(base).then(|| latin_1(base)).flatten() else { return on_bytes(hunks, base) };
    let applied = on_bytes(hunks, text.as_bytes())?;
    let content = std::str::from_utf8(&applied.content).ok().and_then(encoded).ok_or(ApplyError::NotLatin1)?;
    Ok(Applied { content, ..applied })
}

fn on_bytes(hunks: &[Hunk], base: &[u8]) -> Result<Applied, ApplyError> {
    let lines: Vec<&[u8]> = base.split_inclusive(|&b| b == b'\n').collect();
    let mut applied = Applied { content: Vec::with_capacity(base.len()), offsets: Vec::with_capacity(hunks.len()) };
    let (mut done, mut drift) = (0_usize, 0_i64);
    for (number, hunk) in hunks.iter().enumerate() {
        let site = Site::new(number + 1, hunk, &lines, done);
        let (at, offset) = site.locate(drift)?;
        copy(&mut applied.content, &lines, done, at);
        add_lines(&mut applied.content, hunk);
        done = at + site.old.len();
        if hunk.lines.iter().any(|line| line.is_new() && line.no_newline) && done < lines.len() {
            return Err(ApplyError::NotTheEnd { hunk: number + 1, line: hunk.old_start });
        }
        drift = offset;
        applied.offsets.push(offset);
    }
    copy(&mut applied.content, &lines, done, lines.len());
    Ok(applied)
}

fn copy(content: &mut Vec<u8>, lines: &[&[u8]], from: usize, to: usize) {
    for line in lines.iter().take(to).skip(from) {
        content.extend_from_slice(line);
    }
}

fn add_lines(content: &mut Vec<u8>, hunk: &Hunk) {
    for line in hunk.lines.iter().filter(|line| line.is_new()) {
        content.extend_from_slice(line.text.as_bytes());
        if !line.no_newline {
            content.push(b'\n');
        }
    }
}

/// One hunk before its file.
struct Site<'a> {
    number: usize,
    hunk: &'a Hunk,
    old: Vec<&'a Line>,
    lines: &'a [&'a [u8]],
    /// Lines that the hunks before have used up.
    done: usize,
}

impl<'a> Site<'a> {
    fn new(number: usize, hunk: &'a Hunk, lines: &'a [&'a [u8]], done: usize) -> Self {
        Self { number, hunk, old: hunk.lines.iter().filter(|line| line.is_old()).collect(), lines, done }
    }

    /// Where the hunk fits, as an index and as the distance from where it said; `drift` is the distance of the hunk
    /// before it.
    fn locate(&self, drift: i64) -> Result<(usize, i64), ApplyError> {
        let stated = i64::from(self.hunk.old_start) - i64::from(self.hunk.old_count > 0);
        let at = self.search(stated, drift)?;
        Ok((at, i64::try_from(at).unwrap_or(i64::MAX).saturating_sub(stated)))
    }

    /// The stated place, where the hunks before stood where they said; else the only place nearby.
    fn search(&self, stated: i64, drift: i64) -> Result<usize, ApplyError> {
        let (hunk, line) = (self.number, self.hunk.old_start);
        let index = |place: i64| usize::try_from(place).unwrap_or(0);
        let expected = index(stated);
        if drift == 0 && expected >= self.done && self.fits(expected) {
            return Ok(expected);
        }
        let reach = i64::try_from(MAX_OFFSET).unwrap_or(i64::MAX);
        let nearby = index(stated + drift.min(0) - reach)..=index(stated + drift.max(0) + reach);
        let mut places = nearby.filter(|&at| self.may_fit(at));
        match (places.next(), places.next()) {
            (Some(at), None) if at >= self.done && at.abs_diff(expected) <= MAX_OFFSET && self.fits(at) => Ok(at),
            (Some(_), Some(_)) => Err(ApplyError::Ambiguous { hunk, line }),
            (None, _) if expected >= self.done && self.matches(expected) => Err(ApplyError::NoContext { hunk, line }),
            _ => Err(ApplyError::Mismatch { hunk, line }),
        }
    }

    /// Whether the hunk belongs at an index: its lines match, and it is tied to the file.
    fn fits(&self, at: usize) -> bool {
        self.is_anchored(at) && self.matches(at)
    }

    /// Whether a reader may take an index for the hunk's place. Git overlooks a line feed, and white space before it,
    /// where the hunk says that the file ends.
    fn may_fit(&self, at: usize) -> bool {
        self.is_anchored(at) && self.matches_by(at, is_line_or_begins_it)
    }

    fn is_anchored(&self, at: usize) -> bool {
        let tied = self.old.is_empty() && self.lines.is_empty()
            || !self.old.is_empty() && (self.has_context_after() || at + self.old.len() == self.lines.len());
        // A hunk that says it starts at the first line means the start of the file, as in git.
        tied && (at == 0 || self.hunk.old_start > 1)
    }

    fn has_context_after(&self) -> bool {
        self.hunk.lines.last().is_some_and(|line| line.kind == LineKind::Context)
    }

    fn matches(&self, at: usize) -> bool {
        self.matches_by(at, is_line)
    }

    fn matches_by(&self, at: usize, is_same: fn(&Line, &[u8]) -> bool) -> bool {
        let there = self.lines.get(at..).unwrap_or_default();
        there.len() >= self.old.len() && self.old.iter().zip(there).all(|(line, bytes)| is_same(line, bytes))
    }
}

/// Whether a line of the file is the one that the hunk names, its line feed included.
fn is_line(line: &Line, bytes: &[u8]) -> bool {
    let text = if line.no_newline { Some(bytes) } else { bytes.strip_suffix(b"\n") };
    text == Some(line.text.as_bytes())
}

/// The same as git sees it where it looks for a hunk's place.
fn is_line_or_begins_it(line: &Line, bytes: &[u8]) -> bool {
    let begins = || bytes.strip_prefix(line.text.as_bytes()).is_some_and(|rest| rest.trim_ascii().is_empty());
    is_line(line, bytes) || line.no_newline && begins()
}
