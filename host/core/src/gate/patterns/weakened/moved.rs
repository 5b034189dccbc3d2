//! What a changed line lost, and another line of the change says.

use std::collections::BTreeSet;

use super::pairs::Pair;
use super::phrase::{Phrase, has};
use super::tokens::{is_number, is_string, is_word, says};

/// Whether a mark that said which failure a test expects gave way to a check of that failure: `@Test(expected = X.class)`,
/// `[ExpectedException(typeof(X))]`.
pub(super) fn failure(old: &Phrase<'_>, added: &[Phrase<'_>]) -> bool {
    let is_mark = old.line.starts_with(['@', '[']) || old.line.starts_with("#[");
    if !is_mark || !old.names().any(|(_, name)| has(name, &["expect", "expected", "expects", "throws"])) {
        return false;
    }
    let is_kind = |name: &str| {
        name.starts_with(char::is_uppercase)
            && !has(name, &["expect", "expected", "expects", "test", "tests", "throws"])
    };
    let mut kinds = old.names().map(|(_, name)| name).filter(|name| is_kind(name)).peekable();
    let is_asked = |kind: &str| {
        let asks = |phrase: &&Phrase<'_>| phrase.expects_failure() && !phrase.is_import();
        added.iter().filter(asks).any(|phrase| phrase.tokens.contains(&kind))
    };
    kinds.peek().is_some() && kinds.all(is_asked)
}

/// Whether a line calls a function that the change declares, and what the line lost stands in what has come. Of a line that
/// checks nothing, its values are enough.
pub(super) fn into_helper(pair: &Pair<'_>, added: &[Phrase<'_>]) -> bool {
    let others = added.iter().filter(|phrase| phrase.line != pair.new.line);
    let declared: BTreeSet<&str> = others.filter_map(declares).collect();
    if !pair.come().any(|token| declared.contains(token)) {
        return false;
    }
    let has_come = |token: &str| {
        let bare = token.trim_matches(['"', '\'', '`']);
        added.iter().any(|phrase| phrase.tokens.contains(&token) || is_string(token) && phrase.line.contains(bare))
    };
    let counts = |token: &&str| says(token) && (pair.old.checks() || is_string(token) || is_number(token));
    pair.gone().filter(counts).all(has_come)
}

/// The name of the function or the value that a line declares.
pub(super) fn declares<'a>(phrase: &Phrase<'a>) -> Option<&'a str> {
    const BEFORE: &[&str] = &[
        "const", "def", "defp", "fn", "fun", "func", "function", "let", "sub", "val", "var", "void", "auto", "int",
        "bool", "string", "String",
    ];
    let tokens = phrase.tokens.as_slice();
    let word = tokens.windows(2).find_map(|two| match two {
        [before, name] if BEFORE.contains(before) && is_word(name) => Some(*name),
        _ => None,
    });
    let of_shell = || match tokens {
        [name, "(", ")", "{", ..] if is_word(name) => Some(*name),
        _ => None,
    };
    // A method of Java or C#: `private static Cart oneTea() {`.
    let of_type = || {
        const OTHER: &[&str] = &[
            "assert", "await", "case", "catch", "do", "elif", "else", "expect", "for", "if", "it", "match", "new",
            "return", "switch", "test", "throw", "try", "unless", "when", "while", "with", "yield",
        ];
        let at = tokens.iter().position(|token| *token == "(")?;
        let is_declared = tokens.last() == Some(&"{") && tokens.first().is_some_and(|first| !OTHER.contains(first));
        let before = tokens.get(..at)?;
        let is_plain = before.len() > 1 && before.iter().all(|token| is_word(token) || ["<", ">"].contains(token));
        before.last().copied().filter(|_| is_declared && is_plain)
    };
    word.or_else(of_shell).or_else(of_type)
}
