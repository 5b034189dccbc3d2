//! The host's side of `glob` and `search`: it runs a gene's pattern over the files that the gene may see.
//!
//! The work is done outside of the guest, where neither fuel nor the epoch stops it. So what must stay true: every
//! pattern is bounded before it is compiled, matching takes time linear in the text, and the wall budget is checked
//! between pieces that even the worst pattern searches quickly.

use std::io;
use std::time::Duration;

use gephost_core::pattern::PathGlob;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::bindings::gephost::gene::types::HostError;
use super::bindings::gephost::gene::workspace::Found;
use crate::monotonic;

/// Most results of `glob` and `search`.
pub(super) const MAX_ANSWERS: u32 = 10_000;
/// Longest line that `search` shows, in bytes.
pub(super) const MAX_LINE: usize = 500;
/// Longest glob or regular expression, in bytes.
pub(super) const MAX_PATTERN: usize = 4096;
/// The number of positions of a regular expression, and how many bytes of one line are searched with it. The first row
/// that the expression fits into applies. In the worst case, the engine takes steps for each byte that grow with the
/// positions. So the product of both numbers bounds the work between two checks of the clock.
const SIZES: [(usize, usize); 3] = [(160, 128 << 10), (640, 32 << 10), (5000, 4 << 10)];
/// Largest compiled regular expression, in bytes, which bounds the time of compiling. A class such as `\w` has hundreds
/// of ranges in Unicode and takes about 30,000 bytes, although it is one character.
const MAX_COMPILED: usize = 4 << 20;
/// Largest cache of its automaton, in bytes.
const MAX_AUTOMATON: usize = 4 << 20;
/// Bytes that are searched before the first check of the clock, and at most between two.
const PIECE: (usize, usize) = (4 << 10, 1 << 20);
/// The time that a piece should take. The size of the next piece is adjusted to it.
const PIECE_TIME: Duration = Duration::from_millis(2);
/// Deepest nesting of a regular expression.
const MAX_NESTING: u32 = 100;

/// Compiles a gene's pattern for paths.
pub(super) fn compile_glob(pattern: &str) -> Result<PathGlob, HostError> {
    if pattern.len() > MAX_PATTERN {
        return Err(HostError::Invalid(format!("a glob of more than {MAX_PATTERN} bytes")));
    }
    PathGlob::new(pattern).map_err(|error| HostError::Invalid(error.to_string()))
}

/// A search through files, one after another, until there are enough results.
#[derive(Debug)]
pub(super) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    /// Bytes of one line that are searched.
    longest_line: usize,
    piece: usize,
    limit: usize,
    found: Vec<Found>,
}

impl Search {
    /// A search for lines that match a regular expression. `^` and `$` are the ends of a line, which ends in `\n` or
    /// `\r\n`.
    pub(super) fn new(pattern: &str, limit: u32) -> Result<Self, HostError> {
        if pattern.len() > MAX_PATTERN {
            return Err(HostError::Invalid(format!("a regular expression of more than {MAX_PATTERN} bytes")));
        }
        let (matcher, longest_line) = compile_regex(pattern)?;
        let mut searcher = SearcherBuilder::new();
        searcher.line_number(true).line_terminator(LineTerminator::byte(b'\n')).bom_sniffing(false);
        searcher.binary_detection(BinaryDetection::none());
        let limit = limit.min(MAX_ANSWERS) as usize;
        Ok(Self { matcher, searcher: searcher.build(), longest_line, piece: PIECE.0, limit, found: Vec::new() })
    }

    /// Whether it has as many results as were asked for.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    /// The results, in the order of files and lines.
    pub(super) fn into_found(self) -> Vec<Found> {
        self.found
    }

    /// Searches one file. A file with a NUL byte is binary and has no results. An error of `in_time` ends the search.
    pub(super) fn file(
        &mut self,
        path: &str,
        bytes: &[u8],
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<()> {
        if memchr::memchr(0, bytes).is_some() {
            return Ok(());
        }
        // A byte order mark does not belong to the first line.
        let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut lines = 0;
        while !rest.is_empty() && !self.is_full() {
            in_time()?;
            let (searched, taken) = next_lines(rest, self.piece, self.longest_line);
            let begun = monotonic::now();
            self.search(path, lines, searched)?;
            // The pieces do not affect the results, because a piece ends at the end of a line.
            self.piece = if begun.elapsed() < PIECE_TIME { self.piece * 2 } else { self.piece / 2 };
            self.piece = self.piece.clamp(PIECE.0, PIECE.1);
            lines += memchr::memchr_iter(b'\n', searched).count() as u64;
            // A line that was cut still counts as one line.
            lines += u64::from(taken > searched.len());
            rest = rest.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    fn search(&mut self, path: &str, lines_before: u64, text: &[u8]) -> wasmtime::Result<()> {
        let sink = Collect { path, lines_before, limit: self.limit, found: &mut self.found };
        self.searcher.search_slice(&self.matcher, text, sink).map_err(wasmtime::Error::from)
    }
}

/// The compiled expression, and how many bytes of a line are searched with it.
fn compile_regex(pattern: &str) -> Result<(RegexMatcher, usize), HostError> {
    let invalid = |reason: String| HostError::Invalid(reason);
    let mut parser = ParserBuilder::new();
    let parsed = parser.utf8(false).multi_line(true).crlf(true).nest_limit(MAX_NESTING).build().parse(pattern);
    let positions = positions(&parsed.map_err(|error| invalid(error.to_string()))?);
    let fits = SIZES.iter().find(|(most, _)| positions <= *most);
    let (_, longest_line) = fits.ok_or_else(|| {
        let most = SIZES.iter().map(|(most, _)| *most).max().unwrap_or_default();
        invalid(format!(
            "the expression is too large: {positions} positions, but {most} are allowed: use fewer repetitions"
        ))
    })?;
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).crlf(true).line_terminator(Some(b'\n'));
    builder.size_limit(MAX_COMPILED).dfa_size_limit(MAX_AUTOMATON).nest_limit(MAX_NESTING);
    let matcher = builder.build(pattern).map_err(|error| invalid(error.to_string()))?;
    Ok((matcher, *longest_line))
}

/// Most positions of an expression that a match can be at simultaneously: the number of its characters, including
/// repetitions.
fn positions(hir: &Hir) -> usize {
    let sum = |parts: &[Hir]| parts.iter().map(positions).fold(0, usize::saturating_add);
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        // A character has one position for each of its bytes.
        HirKind::Class(class) => class.maximum_len().unwrap_or(1),
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.saturating_add(1));
            positions(&repeated.sub).saturating_mul(usize::try_from(times).unwrap_or(usize::MAX).max(1))
        }
        HirKind::Capture(capture) => positions(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// The next lines of a text, about `piece` bytes of them. Returns the bytes to search, and how many bytes they stand
/// for. The second is larger only for a line that is longer than `longest`, of which only the beginning is searched.
fn next_lines(text: &[u8], piece: usize, longest: usize) -> (&[u8], usize) {
    let mut end = 0;
    while end < text.len().min(piece) {
        let rest = text.get(end..).unwrap_or_default();
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        if line > longest {
            if end == 0 {
                return (text.get(..longest).unwrap_or(text), line);
            }
            break;
        }
        end += line;
    }
    (text.get(..end).unwrap_or(text), end)
}

/// Adds the matches of a piece.
struct Collect<'a> {
    path: &'a str,
    lines_before: u64,
    limit: usize,
    found: &'a mut Vec<Found>,
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, line: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let number = self.lines_before + line.line_number().unwrap_or(1);
        let line_number = u32::try_from(number).unwrap_or(u32::MAX);
        self.found.push(Found { path: self.path.to_owned(), line: line_number, text: shown(line.bytes()) });
        Ok(self.found.len() < self.limit)
    }
}

/// A line without its line end, clipped between two characters. Bytes that are not UTF-8 become U+FFFD.
fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let Some(clipped) = line.get(..MAX_LINE).filter(|_| line.len() > MAX_LINE) else {
        return clip(String::from_utf8_lossy(line).into_owned());
    };
    let whole = match std::str::from_utf8(clipped) {
        // The clip cut a character.
        Err(error) if error.error_len().is_none() => clipped.get(..error.valid_up_to()).unwrap_or(clipped),
        _ => clipped,
    };
    clip(String::from_utf8_lossy(whole).into_owned())
}

/// U+FFFD is longer than the bytes that it replaces.
fn clip(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_LINE));
    text
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn search(pattern: &str, text: &[u8]) -> Vec<(u32, String)> {
        let mut search = Search::new(pattern, 100).expect("a pattern");
        search.file("f", text, || Ok(())).expect("no clock");
        search.into_found().into_iter().map(|found| (found.line, found.text)).collect()
    }

    #[test]
    fn lines_are_found_by_number_and_text() {
        let check = |pattern: &str, text: &[u8], expect: &[(u32, &str)]| {
            let found = search(pattern, text);
            let found: Vec<(u32, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expect, "{pattern:?} in {:?}", String::from_utf8_lossy(text));
        };
        check("b", b"a\nb\nab", &[(2, "b"), (3, "ab")]);
        check("^b$", b"b\r\nab\r\nb", &[(1, "b"), (3, "b")]);
        check("^$", b"\n\na\n", &[(1, ""), (2, "")]);
        check("\\Aa", b"b\na\n", &[(2, "a")]);
        check("a\\s+b", b"a\nb\na b", &[(3, "a b")]);
        check("caf\u{e9}", "x\nle caf\u{e9}\n".as_bytes(), &[(2, "le caf\u{e9}")]);
        check("(?i)CAF\u{c9}", "caf\u{e9}".as_bytes(), &[(1, "caf\u{e9}")]);
        check("^import", b"\xef\xbb\xbfimport x\n", &[(1, "import x")]);
        check("a", b"a\xffb\n", &[(1, "a\u{fffd}b")]);
        check("a", b"a\0b\n", &[]);
        check("a", b"", &[]);
    }

    #[test]
    fn lines_are_counted_over_pieces_and_cut_lines() {
        let mut text = Vec::new();
        for number in 1..=40_000 {
            text.extend_from_slice(format!("line {number}\n").as_bytes());
        }
        text.extend_from_slice(&vec![b'x'; SIZES[0].1 + 1]);
        text.extend_from_slice(b"needle\nneedle\n");
        assert_eq!(search("^line 39999$", &text), [(39_999, "line 39999".to_owned())]);
        // The first one is past what is searched of a line.
        assert_eq!(search("needle", &text), [(40_002, "needle".to_owned())]);
        assert_eq!(search("^xxx", &text).len(), 1);
    }

    #[test]
    fn a_line_is_clipped_between_characters() {
        let mut long = vec![b'a'; MAX_LINE - 1];
        long.extend_from_slice("\u{e9}\u{e9}".as_bytes());
        let found = search("a", &long);
        assert_eq!(found[0].1.len(), MAX_LINE - 1);
        let found = search("a", &[b"a".as_slice(), &[0xff; 400]].concat());
        assert!(found[0].1.len() <= MAX_LINE && found[0].1.ends_with('\u{fffd}'), "{found:?}");
    }

    #[test]
    fn harmless_classes_of_unicode_are_searched() {
        let long = format!("{}naïve_façade", " ".repeat(3000));
        let patterns =
            [r"\w{1,30}", r"\p{L}+", r"^\s*\w{3,64}", r"[\p{Greek}\p{Cyrillic}\w]{2,20}\b", r"(?i)FAÇADE", r".{3,80}"];
        for pattern in patterns {
            assert_eq!(search(pattern, long.as_bytes()).len(), 1, "{pattern}");
        }
        assert_eq!(search(r"(?:\w+\s+){0,3}\w+ç\w{2,}", long.as_bytes()).len(), 1);
    }

    #[test]
    fn patterns_are_bounded_and_their_errors_are_reported() {
        for pattern in ["(", "a\\nb", &"(".repeat(200), &"a".repeat(MAX_PATTERN + 1), "(?:a{1000}){1000}", "\\w{5000}"]
        {
            let refused = Search::new(pattern, 1).expect_err("a refusal");
            assert!(matches!(&refused, HostError::Invalid(reason) if !reason.is_empty()), "{refused:?}");
        }
        assert!(matches!(compile_glob("{a,b"), Err(HostError::Invalid(_))));
        assert!(matches!(compile_glob(&"*".repeat(MAX_PATTERN + 1)), Err(HostError::Invalid(_))));
    }

    #[test]
    fn the_search_ends_with_its_limit_and_with_the_time() {
        let text = b"a\n".repeat(10_000);
        let mut search = Search::new("a", 7).expect("a pattern");
        search.file("f", &text, || Ok(())).expect("no clock");
        assert!(search.is_full() && search.into_found().len() == 7);
        let mut search = Search::new("b", 7).expect("a pattern");
        let mut looks = 0;
        let ended = search.file("f", &b"a\n".repeat(PIECE.1), || {
            looks += 1;
            if looks > 1 { Err(wasmtime::Error::msg("over")) } else { Ok(()) }
        });
        assert!(ended.is_err() && looks == 2);
    }

    /// The longest time between two looks at the clock, in a search that is ended after a second.
    fn worst_wait(search: &mut Search, text: &[u8]) -> Duration {
        let begun = Instant::now();
        let (mut worst, mut last) = (Duration::ZERO, begun);
        let ended = search.file("f", text, || {
            worst = worst.max(last.elapsed());
            last = Instant::now();
            if begun.elapsed().as_secs() < 1 { Ok(()) } else { Err(wasmtime::Error::msg("over")) }
        });
        drop(ended);
        worst.max(last.elapsed())
    }

    #[test]
    fn between_two_looks_at_the_clock_not_even_the_worst_takes_long() {
        // States that no cache holds, in one line without an end and in many.
        let mut seed = 7_u32;
        let text: Vec<u8> = (0..1 << 20)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if seed >> 31 == 0 { b'a' } else { b'b' }
            })
            .collect();
        let wide = String::from_utf8(text.clone()).expect("letters").replace('a', "é").into_bytes();
        let lines: Vec<u8> = text.chunks(200).flat_map(|line| [line, b"\n"].concat()).collect();
        let patterns = [
            "(?:(?:a|b)*a(?:a|b){40}){5}c",
            "(?:[ab]*a[ab]{60}){3}c",
            "(?:.*a.{40}){3}\\d",
            "[ab]*a[ab]{20}c",
            "\\w*a\\w{2}c",
            "(?:\\w*é\\w{20}){3}\\d",
            "(?:.*é.{100}){3}c",
            "(?:\\pL*é\\pL{10}){2}c",
        ];
        for pattern in patterns {
            let mut search = Search::new(pattern, 1).unwrap_or_else(|error| panic!("{pattern}: {error:?}"));
            for text in [&text, &wide, &lines] {
                // What else runs on the machine only ever adds: the best of three is the search's own.
                let worst = (0..3).map(|_| worst_wait(&mut search, text)).min().expect("three");
                // A tenth of a second on a machine that does nothing else.
                assert!(worst.as_secs_f64() < 1.0, "{pattern}: {worst:?} between looks");
            }
        }
    }
}
