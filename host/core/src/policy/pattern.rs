//! One pattern in gitignore's syntax, checked and cut into what a path is compared with.
//!
//! A pattern that could never match, or that means something else in another tool, is an error: a deny rule that does
//! nothing is worse than none (invariant 10).

use unicode_normalization::UnicodeNormalization;

use crate::path::unicode;

/// Why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing but white space and slashes.
    #[error("empty pattern")]
    Empty,
    /// `!` at the start.
    #[error("`!` takes a rule back, and no rule can be: write narrower patterns (`\\!` for the letter)")]
    Negation,
    /// `#` at the start.
    #[error("`#` starts a comment in this syntax; write `\\#` for the letter")]
    Comment,
    /// White space at an end.
    #[error("white space at the start or the end would never match")]
    OuterSpace,
    /// A segment that no path has.
    #[error("segment `.`, `..` or an empty one: no path of a repository has it")]
    DeadSegment,
    /// A character that no path has.
    #[error("control, invisible or imitating character: no path of a repository has it")]
    DeadCharacter,
    /// Brackets or a backslash without an end.
    #[error("malformed pattern: {0}")]
    Malformed(String),
}

/// What a pattern is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scope {
    /// One segment at any depth.
    Name,
    /// The path from the root.
    Path,
}

/// A checked pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// What to compare with.
    pub(super) scope: Scope,
    /// The text to compare, without slashes around it. Literals have their escapes taken off.
    pub(super) text: String,
    /// Whether [`Self::text`] has wildcards.
    pub(super) wild: bool,
    /// Whether only directories are meant, and what is below them.
    pub(super) directory: bool,
}

impl Pattern {
    pub(super) fn new(source: &str) -> Result<Self, PatternError> {
        check(source)?;
        let directory = source.ends_with('/');
        let trimmed = source.strip_suffix('/').unwrap_or(source);
        let scope = if trimmed.contains('/') { Scope::Path } else { Scope::Name };
        let body = trimmed.strip_prefix('/').unwrap_or(trimmed);
        if body.is_empty() {
            return Err(PatternError::Empty);
        }
        if body.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(PatternError::DeadSegment);
        }
        let (text, wild) = unescape(body)?;
        Ok(Self { scope, text, wild, directory })
    }
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
    if source.trim() != source {
        return Err(PatternError::OuterSpace);
    }
    let dead = |c: char| {
        c.is_control() || unicode::is_invisible(c) || unicode::is_private_use(c) || unicode::imitates_ascii(c)
    };
    if source.contains(dead) { Err(PatternError::DeadCharacter) } else { Ok(()) }
}

/// Takes the escapes off a pattern without wildcards; one with wildcards keeps them, and gets braces escaped, which
/// are letters in this syntax and not in the glob engine's.
fn unescape(body: &str) -> Result<(String, bool), PatternError> {
    let (mut literal, mut glob, mut wild) = (String::new(), String::new(), false);
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let next = chars.next().filter(|&next| next != '/');
                let next = next.ok_or_else(|| PatternError::Malformed("`\\` escapes nothing".to_owned()))?;
                literal.push(next);
                glob.extend(['\\', next]);
            }
            '{' | '}' => {
                literal.push(c);
                glob.extend(['\\', c]);
            }
            _ => {
                wild |= matches!(c, '*' | '?' | '[');
                literal.push(c);
                glob.push(c);
            }
        }
    }
    let text = if wild { glob } else { literal };
    Ok((text.nfc().collect(), wild))
}
