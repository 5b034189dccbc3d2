//! What of a pattern is looked for in a signal.

use crate::expressions::words_of;
use crate::signal::Written;

/// Longest expression of which words are taken, in bytes: parsing a longer one costs too much.
const MAX_PARSED: usize = 512;

/// What a pattern is found by.
#[derive(Debug)]
pub(super) enum Form {
    /// It matches nothing.
    Nothing,
    /// One of these, in the signal in lower case.
    Parts(Vec<String>),
    /// This hash of an error signature.
    Signature(u32),
    /// The expression itself, if one of these words is in the signal.
    Words(Vec<Vec<u8>>),
    /// The expression itself.
    Always,
}

impl Form {
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Parts(_) => 1,
            Self::Signature(_) => 2,
            Self::Words(_) => 3,
            Self::Always => 4,
        }
    }
}

pub(super) fn of(pattern: &str) -> Form {
    match Written::of(pattern) {
        Written::Nothing => Form::Nothing,
        Written::Parts(parts) => Form::Parts(parts),
        Written::Signature(hash) => Form::Signature(hash),
        Written::Expression { body, flags } if body.len() <= MAX_PARSED => {
            let words = words_of(
                |parser| {
                    parser
                        .case_insensitive(flags.contains('i'))
                        .multi_line(flags.contains('m'))
                        .dot_matches_new_line(flags.contains('s'))
                        .nest_limit(64);
                },
                body,
            );
            match words {
                Ok(Some(words)) => Form::Words(words.iter().map(|word| folded(word).into_bytes()).collect()),
                Ok(None) => Form::Always,
                Err(_) => Form::Nothing,
            }
        }
        Written::Expression { .. } => Form::Always,
    }
}

/// A text with ASCII letters in lower case, and so that the two characters that equal an ASCII letter where case does not
/// count are that letter. If a text has a match of an expression, its folded form has a folded word of it.
pub(super) fn folded(text: &str) -> String {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(fold).collect()
}
