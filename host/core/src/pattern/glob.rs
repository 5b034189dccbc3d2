//! gitignore's wildcards: `?`, `*` and `[…]` within a segment, `**` for whole segments.
//!
//! What must stay true: the time is linear in the number of segments, and in a segment's length times the pattern's.
//! Matching never backtracks over more than one star.

use super::case::{Case, fold};
use super::error::PatternError;

/// Most segments of a path that are compared: the bits of the set that [`Glob::reached`] returns, less one.
const MAX_SEGMENTS: usize = 127;

/// One pattern, cut into segments.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone)]
enum Segment {
    /// `**`: any number of segments.
    AnyDepth,
    /// One segment.
    One(Vec<Token>),
}

#[derive(Debug, Clone)]
enum Token {
    /// This letter, folded where the pattern is.
    Letter(char),
    /// `?`.
    Any,
    /// `*`.
    Star,
    /// `[a-z]`, as written.
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Glob {
    /// Reads a pattern without its outer slashes. `at_any_depth` is for a pattern that was written without a slash.
    pub(super) fn new(body: &str, at_any_depth: bool, case: Case) -> Result<Self, PatternError> {
        let mut segments = Vec::new();
        segments.extend(at_any_depth.then_some(Segment::AnyDepth));
        let parts: Vec<&str> = body.split('/').collect();
        for (number, part) in parts.iter().enumerate() {
            segments.push(match *part {
                // At the end it stands for everything below, and not for the folder itself.
                "**" if number + 1 < parts.len() => Segment::AnyDepth,
                part => Segment::One(tokens(part, case)?),
            });
        }
        Ok(Self { segments })
    }

    /// Whether it matches the path, or a folder above it; with `below`, a folder above it only.
    pub(super) fn covers(&self, path: &[&str], below: bool, case: Case) -> bool {
        let reached = self.reached(path, case);
        let most = path.len() - usize::from(below);
        (1..=most).any(|end| reached & (1 << end) != 0)
    }

    /// Whether it matches the path as a whole.
    pub(super) fn is_match(&self, path: &[&str], case: Case) -> bool {
        path.len() <= MAX_SEGMENTS && self.reached(path, case) & (1 << path.len()) != 0
    }

    /// How much of the path the pattern can stand for. Bit `n`: the first `n` segments.
    fn reached(&self, path: &[&str], case: Case) -> u128 {
        let mut reached: u128 = 1;
        for segment in &self.segments {
            reached = match segment {
                Segment::AnyDepth => (!0_u128).checked_shl(reached.trailing_zeros()).unwrap_or(0),
                Segment::One(tokens) => {
                    let next = path
                        .iter()
                        .enumerate()
                        .filter(|(at, name)| reached & (1 << at) != 0 && is_match(tokens, name, case));
                    next.fold(0, |bits, (at, _)| bits | (2 << at))
                }
            };
        }
        reached
    }

    /// The stretches of letters that a path must hold for the pattern to match: whichever is rarest can be looked for.
    pub(super) fn literals(&self) -> impl Iterator<Item = String> {
        let segments = self.segments.iter().filter_map(|segment| match segment {
            Segment::AnyDepth => None,
            Segment::One(tokens) => Some(tokens),
        });
        segments.flat_map(|tokens| {
            let runs = tokens.split(|token| !matches!(token, Token::Letter(_)));
            runs.filter(|run| !run.is_empty()).map(|run| {
                let letters = run.iter().filter_map(|token| match token {
                    Token::Letter(letter) => Some(*letter),
                    _ => None,
                });
                letters.collect::<String>()
            })
        })
    }
}

fn tokens(part: &str, case: Case) -> Result<Vec<Token>, PatternError> {
    let mut tokens = Vec::new();
    let mut letters = String::new();
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let token = match c {
            '?' => Token::Any,
            '*' => {
                rest = rest.trim_start_matches('*');
                Token::Star
            }
            '[' => {
                let (class, after) = class(rest)?;
                rest = after;
                class
            }
            _ => {
                let (letter, after) = if c == '\\' { escaped(rest)? } else { (c, rest) };
                rest = after;
                letters.push(letter);
                continue;
            }
        };
        flush(&mut letters, &mut tokens, case);
        tokens.push(token);
    }
    flush(&mut letters, &mut tokens, case);
    Ok(tokens)
}

/// Letters are folded together: some fold by the letters beside them.
fn flush(letters: &mut String, tokens: &mut Vec<Token>, case: Case) {
    tokens.extend(fold(letters, case).chars().map(Token::Letter));
    letters.clear();
}

fn escaped(rest: &str) -> Result<(char, &str), PatternError> {
    let next = rest.chars().next().ok_or_else(|| malformed("`\\` escapes nothing"))?;
    Ok((next, rest.get(next.len_utf8()..).unwrap_or_default()))
}

fn malformed(what: &str) -> PatternError {
    PatternError::Malformed(what.to_owned())
}

/// What stands after `[`, up to its `]`.
fn class(rest: &str) -> Result<(Token, &str), PatternError> {
    let open = || malformed("`[` without its `]`");
    let inner = rest.strip_prefix(['!', '^']);
    let negated = inner.is_some();
    let mut rest = inner.unwrap_or(rest);
    let mut ranges = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix(']').filter(|_| !ranges.is_empty()) {
            return Ok((Token::Class { negated, ranges }, after));
        }
        if let Some(named) = rest.strip_prefix("[:") {
            let (name, after) = named.split_once(":]").ok_or_else(open)?;
            ranges.extend_from_slice(named_class(name)?);
            rest = after;
            continue;
        }
        let (first, after) = class_letter(rest).ok_or_else(open)??;
        let range = after.strip_prefix('-').filter(|end| !end.starts_with(']'));
        let (last, after) = match range {
            Some(end) => class_letter(end).ok_or_else(open)??,
            None => (first, after),
        };
        if first > last {
            return Err(malformed("a range whose end is before its start"));
        }
        ranges.push((first, last));
        rest = after;
    }
}

fn class_letter(rest: &str) -> Option<Result<(char, &str), PatternError>> {
    let c = rest.chars().next()?;
    let after = rest.get(c.len_utf8()..).unwrap_or_default();
    Some(if c == '\\' { escaped(after) } else { Ok((c, after)) })
}

/// The classes of POSIX that git knows.
fn named_class(name: &str) -> Result<&'static [(char, char)], PatternError> {
    Ok(match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return Err(malformed("a class `[:…:]` that git does not know")),
    })
}

/// One segment against its tokens: on a mismatch the last star takes one letter more.
fn is_match(tokens: &[Token], name: &str, case: Case) -> bool {
    let (mut tokens, mut name) = (tokens, name);
    let mut star: Option<(&[Token], &str)> = None;
    loop {
        let letter = name.chars().next();
        let after = |name: &'_ str| letter.map_or(0, char::len_utf8).min(name.len());
        match (tokens.split_first(), letter) {
            (Some((Token::Star, more)), _) => {
                star = Some((more, name));
                tokens = more;
                continue;
            }
            (Some((token, more)), Some(c)) if token_matches(token, c, case) => {
                name = name.get(after(name)..).unwrap_or_default();
                tokens = more;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((more, from)) = star else { return false };
        let Some(taken) = from.chars().next() else { return false };
        name = from.get(taken.len_utf8()..).unwrap_or_default();
        star = Some((more, name));
        tokens = more;
    }
}

fn token_matches(token: &Token, c: char, case: Case) -> bool {
    match token {
        Token::Letter(letter) => *letter == c,
        Token::Any => true,
        Token::Star => false,
        Token::Class { negated, ranges } => {
            let holds = |c: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *negated;
            // A folded letter stands for each of its cases, and one that matches is enough: only what is denied is
            // folded.
            holds(c) || case == Case::Folded && c.to_uppercase().any(holds)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(pattern: &str, name: &str) -> bool {
        is_match(&tokens(pattern, Case::Exact).unwrap(), name, Case::Exact)
    }

    #[test]
    fn segments_match_as_git_says() {
        for (pattern, yes, no) in [
            ("a*c", &["ac", "abc", "abcc", "aXbYc"][..], &["a", "acb", "bac"][..]),
            ("*a*b*", &["ab", "xaxbx", "aab"], &["ba", "", "xx"]),
            ("a?c", &["abc", "aéc"], &["ac", "abbc"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]", &["d", "-"], &["a"]),
            ("[^a]", &["b"], &["a"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("[!]a]", &["b"], &["]", "a"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[-a]", &["a", "-"], &["b"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[[:digit:]_]*", &["1", "_x"], &["a"]),
            ("a**b", &["ab", "axb"], &["a"]),
            ("\\*x", &["*x"], &["ax"]),
        ] {
            assert!(yes.iter().all(|name| is(pattern, name)), "{pattern}");
            assert!(no.iter().all(|name| !is(pattern, name)), "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_a_class_is_refused() {
        for pattern in ["[", "[]", "[a", "[!", "[z-a]", "[[:nope:]]", "[[:digit:", "x\\", "[\\"] {
            assert!(tokens(pattern, Case::Exact).is_err(), "{pattern}");
        }
    }

    #[test]
    fn many_stars_take_no_more_than_length_times_length() {
        let pattern = "*a".repeat(100) + "b";
        assert!(!is(&pattern, &"a".repeat(255)));
    }
}
