//! Reads outputs, and bounds the texts that a log may bring into a file.

use crate::fix::Edit;
use crate::order::ordered;
use crate::shelf::Shelf;
use crate::source::Source;

/// Most lines of a replacement that a tool suggests.
const MAX_LINES: usize = 5;
/// Most characters of such a replacement.
const MAX_CHARS: usize = 500;

/// The text without escape sequences of a terminal.
pub(crate) fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if rest.clone().next() == Some('[') {
            rest.find(char::is_ascii_alphabetic);
        }
    }
    plain
}

/// Whether it is a name in the languages that are repaired here.
pub(crate) fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    starts && text.len() <= 100 && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// The part between two marks.
pub(crate) fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(part, _)| part)
}

/// Whether a suggested edit may be made. A log is not trusted, so whoever can write an output could also write a
/// suggestion. What passes is short, has no address and no control characters, and brings in no word that is not in the
/// file, in another file of its language (`glob`), or in the list of the language (`known`). So it can only combine what is there.
/// The gate and the validation command decide afterwards.
pub(crate) fn is_bounded(edit: &Edit, source: &Source, shelf: &mut Shelf<'_>, glob: &str, known: &str) -> bool {
    let new = edit.text.as_str();
    let odd = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_invisible(c);
    if new.chars().count() > MAX_CHARS
        || new.split('\n').count() > MAX_LINES
        || new.contains("://")
        || new.contains(odd)
    {
        return false;
    }
    // The words as they stand in the file afterwards: an edit may be a part of one.
    let before = source.text.get(..edit.start).unwrap_or_default();
    let before = &before[before.trim_end_matches(is_inside).len()..];
    let after = source.text.get(edit.end..).unwrap_or_default();
    let after = &after[..after.len() - after.trim_start_matches(is_inside).len()];
    let whole = format!("{before}{new}{after}");
    let words = whole.split(|c| !is_inside(c)).filter(|word| !word.is_empty());
    let mut unknown: Vec<&str> =
        words.filter(|word| !known.split(' ').any(|it| it == *word) && !has_word(&source.text, word)).collect();
    // An underscore says that a name is not used.
    unknown.retain(|word| !word.strip_prefix('_').is_some_and(|name| has_word(&source.text, name)));
    let mut unknown = ordered(unknown);
    // Digits may be grouped in another way.
    let old = source.text.get(edit.start..edit.end).unwrap_or_default();
    let digits = |text: &str| text.replace('_', "");
    let replaced = digits(&[before, old, after].concat());
    unknown.retain(|word| !(word.starts_with(|c: char| c.is_ascii_digit()) && digits(word) == replaced));
    unknown.retain(|word| !(word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit())));
    unknown.len() <= 8 && unknown.into_iter().all(|word| is_name(word) && shelf.has_word(word, glob))
}

/// Characters that a reader does not see, or that change the order in which a line is shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// Whether it is a character of a name.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a word occurs in a text as a whole.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    positions(text, word).next().is_some()
}

/// Where a word occurs in a text as a whole, in bytes.
pub(crate) fn positions<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    })
}

/// The text, at most this many characters, in one line.
pub(crate) fn clipped(text: &str, chars: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(without_colours("\u{1b}[96msrc/a.ts\u{1b}[0m:1"), "src/a.ts:1");
        assert_eq!(without_colours("a\u{1b}"), "a");
    }

    #[test]
    fn words_are_found_as_a_whole() {
        assert_eq!(positions("ab a_b b ab", "ab").collect::<Vec<_>>(), [0, 9]);
        assert!(!has_word("abc", "ab"));
    }
}
