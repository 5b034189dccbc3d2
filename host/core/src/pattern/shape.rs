//! One pattern in gitignore's syntax, checked and cut into what a path is compared with.
//!
//! A pattern that could never match is an error, because a deny rule without effect is worse than none (invariant 10).
//! `!` is an error too: no rule lifts a denial, and `deny` excludes paths from `allow`.

use unicode_normalization::UnicodeNormalization;

use super::case::{Case, fold};
use super::error::PatternError;
use super::glob::Glob;
use crate::path::unicode;

/// What a pattern is compared with.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// One segment at any depth, letter by letter.
    Name(String),
    /// The path from the root, letter by letter.
    Path(String),
    /// Wildcards.
    Wild(Glob),
}

/// A checked pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// What to compare with. Letters have no escapes any more.
    pub(super) shape: Shape,
    /// Whether only directories are meant, and what is below them.
    pub(super) directory: bool,
}

impl Pattern {
    pub(super) fn new(source: &str, case: Case) -> Result<Self, PatternError> {
        let source = without_trailing_spaces(source);
        check(source)?;
        let directory = source.ends_with('/');
        let trimmed = source.strip_suffix('/').unwrap_or(source);
        let anywhere = !trimmed.contains('/');
        let body: String = trimmed.strip_prefix('/').unwrap_or(trimmed).nfc().collect();
        if body.is_empty() {
            return Err(PatternError::Empty);
        }
        if body.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(PatternError::DeadSegment);
        }
        let shape = match (letters(&body)?, anywhere) {
            (None, _) => Shape::Wild(Glob::new(&body, anywhere, case)?),
            (Some(letters), true) => Shape::Name(fold(&letters, case).into_owned()),
            (Some(letters), false) => Shape::Path(fold(&letters, case).into_owned()),
        };
        Ok(Self { shape, directory })
    }
}

/// Trailing spaces mean nothing, unless a backslash says that they do.
fn without_trailing_spaces(source: &str) -> &str {
    let bare = source.trim_end_matches(' ');
    let escapes = bare.bytes().rev().take_while(|&b| b == b'\\').count();
    // An odd number of backslashes escapes the first space, which then is a letter.
    if escapes % 2 == 1 { source.get(..bare.len() + 1).unwrap_or(source) } else { bare }
}

fn check(source: &str) -> Result<(), PatternError> {
    if source.trim().is_empty() {
        return Err(PatternError::Empty);
    }
    if source.starts_with('!') {
        return Err(PatternError::Negation);
    }
    if source.starts_with('#') {
        return Err(PatternError::Comment);
    }
    if source.trim_start() != source || source.trim_end_matches('/').ends_with("\\ ") {
        return Err(PatternError::OuterSpace);
    }
    let dead = |c: char| {
        c.is_control() || unicode::is_invisible(c) || unicode::is_private_use(c) || unicode::imitates_ascii(c)
    };
    if source.contains(dead) { Err(PatternError::DeadCharacter) } else { Ok(()) }
}

/// The pattern without its escapes; `None` where it has wildcards.
fn letters(body: &str) -> Result<Option<String>, PatternError> {
    let mut letters = String::new();
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' | '[' => return Ok(None),
            '\\' => {
                let next = chars.next().filter(|&next| next != '/');
                letters.push(next.ok_or_else(|| PatternError::Malformed("`\\` escapes nothing".to_owned()))?);
            }
            c => letters.push(c),
        }
    }
    Ok(Some(letters))
}
