//! Where the name of what is missing or refused stands in a message.

use crate::cause::Cause;

/// A cause, a part of a sentence that has it, and where the name stands.
pub(super) type Row = (Cause, &'static str, Name);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Nowhere.
    No,
    /// The last word before the part.
    Before,
    /// The first word after it.
    After,
    /// The first text in quotation marks after it, or else the first word after it.
    Quoted,
    /// The last word before the sentence that has the part, which a colon begins.
    Said,
    /// The last text in quotation marks before it.
    Shown,
    /// The version numbers in the line.
    Version,
}

impl Name {
    /// The name in a line, of which `part` is known, with what stands before and after it. It is empty if the place has none;
    /// `None` if it should have one.
    pub(super) fn find<'l>(self, before: &'l str, part: &str, after: &'l str) -> Option<&'l str> {
        let quotes_open = part.ends_with(['"', '\'']);
        let name = match self {
            Self::No | Self::Version => return Some(""),
            Self::Before => last_word(before),
            Self::Said => before.rsplit_once(':').map_or("", |(before, _)| last_word(before)),
            Self::Shown => last_quoted(before),
            Self::After => first_word(after),
            Self::Quoted if quotes_open => after.split(['"', '\'']).next().unwrap_or_default(),
            Self::Quoted => quoted(after),
        };
        Some(name).filter(|name| !name.is_empty())
    }
}

fn around(c: char) -> bool {
    matches!(
        c,
        '\'' | '"' | '`' | ',' | ';' | ':' | '(' | ')' | '[' | ']' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}'
    )
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default().trim_end_matches('.').trim_matches(around).trim_end_matches('.')
}

/// The last word with a letter: `bash: line 1: x: command not found`.
fn last_word(text: &str) -> &str {
    // Before a colon, French has a space that does not break.
    let words = text.rsplit([' ', ':', '\u{a0}']).map(|word| word.trim_matches(around));
    words.into_iter().find(|word| word.contains(char::is_alphabetic)).unwrap_or_default()
}

/// The last text in quotation marks.
fn last_quoted(text: &str) -> &str {
    const MARKS: [(char, char); 5] =
        [('\'', '\''), ('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{ab}', '\u{bb}'), ('\u{201e}', '\u{201d}')];
    let quoted = MARKS.iter().filter_map(|(open, close)| {
        let (before, _) = text.rsplit_once(*close)?;
        let (outside, name) = before.rsplit_once(*open)?;
        Some((outside.len(), name.trim()))
    });
    quoted.max_by_key(|(at, _)| *at).map_or("", |(_, name)| name)
}

/// The first quoted text that begins with the text's first word, or else that word.
fn quoted(text: &str) -> &str {
    let text = text.trim_start();
    let Some(mark) = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`' | '\u{2018}')) else {
        return first_word(text);
    };
    // Old tools close a backtick with an apostrophe.
    let close = if mark == '\u{2018}' { '\u{2019}' } else { mark };
    let rest = text.get(mark.len_utf8()..).unwrap_or_default();
    rest.split(|c| c == close || (mark == '`' && c == '\'')).next().unwrap_or_default()
}
