//! Cuts a command's text into words by quotes alone, and joins words into text. No shell reads the text. Everything
//! that a shell would act on is refused, so that a reader of the command does not expect more than gephost does.

use std::str::Chars;

use super::error::{CommandError, MAX_COMMAND_BYTES};
use crate::path::unicode;

/// Cuts a command into words, as a POSIX shell does with quotes: single quotes keep everything, double quotes know
/// `\"` and `\\`. An empty text has no words.
pub fn words(text: &str) -> Result<Vec<String>, CommandError> {
    check_text(text)?;
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => single_quoted(&mut chars, word.get_or_insert_default())?,
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => return Err(CommandError::Backslash),
            ';' | '&' | '|' | '<' | '>' => return Err(CommandError::Operator(c)),
            // A comment to a shell.
            '#' if word.is_none() => return Err(CommandError::Operator(c)),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Refuses characters that a command may not contain anywhere, quoted or not.
fn check_text(text: &str) -> Result<(), CommandError> {
    if text.len() > MAX_COMMAND_BYTES {
        return Err(CommandError::TooLong(text.len()));
    }
    if let Some(c) = text.chars().find(|&c| is_hidden(c)) {
        return Err(CommandError::Hidden(c.into()));
    }
    match ["`", "$(", "${"].into_iter().find(|spelling| text.contains(spelling)) {
        Some(spelling) => Err(CommandError::Substitution(spelling)),
        None => Ok(()),
    }
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || unicode::is_invisible(c)
        || unicode::is_private_use(c)
        || is_false_dash(c)
}

/// Reads as `-` and is none, so that an option with it would be a file's name.
fn is_false_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

fn single_quoted(chars: &mut Chars<'_>, word: &mut String) -> Result<(), CommandError> {
    for c in chars {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err(CommandError::OpenQuote)
}

fn double_quoted(chars: &mut Chars<'_>, word: &mut String) -> Result<(), CommandError> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some(escaped @ ('"' | '\\')) => word.push(escaped),
                Some('$') => return Err(CommandError::Backslash),
                Some(plain) => word.extend(['\\', plain]),
                None => return Err(CommandError::OpenQuote),
            },
            _ => word.push(c),
        }
    }
    Err(CommandError::OpenQuote)
}

/// Joins words into one line. It uses single quotes, and double ones around a single quote, so that a shell interprets
/// nothing within them.
pub fn quote(argv: &[String]) -> String {
    argv.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" ")
}

fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r#"'"'"'"#))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_cut_as_a_posix_shell_cuts_them() {
        // Checked against `sh -c 'printf "[%s]" …'`.
        for (text, expected) in [
            ("", vec![]),
            ("   ", vec![]),
            ("a  b", vec!["a", "b"]),
            ("'a b' c", vec!["a b", "c"]),
            (r#"a"b c"'d e'f"#, vec!["ab cd ef"]),
            (r#""" ''"#, vec!["", ""]),
            (r#""a\"b\\c\d""#, vec![r#"a"b\c\d"#]),
            (r"'a\b'", vec![r"a\b"]),
            (r#""a;b|c" 'd&e<f>g'"#, vec!["a;b|c", "d&e<f>g"]),
            ("a#b", vec!["a#b"]),
            ("'^T$'", vec!["^T$"]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_shell_would_act_on_is_refused() {
        for (text, expected) in [
            ("'a", CommandError::OpenQuote),
            ("\"a", CommandError::OpenQuote),
            ("\"a\\", CommandError::OpenQuote),
            (r"a\b", CommandError::Backslash),
            (r#""a\$b""#, CommandError::Backslash),
            ("a;b", CommandError::Operator(';')),
            ("a #b", CommandError::Operator('#')),
            ("'a`b'", CommandError::Substitution("`")),
            ("\"$(a)\"", CommandError::Substitution("$(")),
            ("'${a}'", CommandError::Substitution("${")),
            ("a\nb", CommandError::Hidden(10)),
            ("a\tb", CommandError::Hidden(9)),
            ("'a\0'", CommandError::Hidden(0)),
            ("a\u{a0}b", CommandError::Hidden(0xa0)),
            ("a\u{202e}b", CommandError::Hidden(0x202e)),
        ] {
            assert_eq!(words(text).unwrap_err(), expected, "{text:?}");
        }
    }

    #[test]
    fn length_is_capped_at_exactly_the_stated_limit() {
        assert!(words(&"a".repeat(MAX_COMMAND_BYTES)).is_ok());
        assert_eq!(words(&"a".repeat(MAX_COMMAND_BYTES + 1)), Err(CommandError::TooLong(MAX_COMMAND_BYTES + 1)));
    }

    proptest! {
        #[test]
        fn quoted_words_come_back(argv in prop::collection::vec("[ -_a-~é\u{4e2d}🧬]{0,12}", 0..8)) {
            let sayable = |word: &String| !["$(", "${"].iter().any(|spelling| word.contains(spelling));
            prop_assume!(argv.iter().all(sayable));
            prop_assert_eq!(words(&quote(&argv)).unwrap(), argv);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = words(&text);
        }
    }
}
