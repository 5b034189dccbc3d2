//! What a changed line lost, and another line of the change says.

use std::collections::{BTreeMap, BTreeSet};

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

/// What the lines of a change declare, and all that they say.
pub(super) struct Declared<'a> {
    lines: &'a [Phrase<'a>],
    /// Of each name, the line that declares it.
    names: BTreeMap<&'a str, &'a str>,
    tokens: BTreeSet<&'a str>,
}

impl<'a> Declared<'a> {
    pub(super) fn of(lines: &'a [Phrase<'a>]) -> Self {
        let names: BTreeMap<&str, &str> = lines.iter().filter_map(|line| Some((declares(line)?, line.line))).collect();
        let said = lines.iter().filter(|_| !names.is_empty()).flat_map(|line| line.tokens.iter().copied());
        Self { lines, tokens: said.collect(), names }
    }

    /// Whether a line calls a function that another one declares, and what the line lost stands in what has come. Of a line that
    /// checks nothing, its values are enough.
    pub(super) fn holds(&self, pair: &Pair<'_>) -> bool {
        /// In so many lines, a text is looked for that stands among others.
        const MOST: usize = 256;
        if !pair.come().any(|token| self.names.get(token).is_some_and(|line| *line != pair.new.line)) {
            return false;
        }
        let has_come = |token: &str| {
            let bare = token.trim_matches(['"', '\'', '`']);
            let stands_in_line = || self.lines.iter().take(MOST).any(|phrase| phrase.line.contains(bare));
            self.tokens.contains(token) || is_string(token) && stands_in_line()
        };
        let counts = |token: &&str| says(token) && (pair.old.checks() || is_string(token) || is_number(token));
        pair.gone().filter(counts).all(has_come)
    }
}

/// Whether a line is the head of a function, whose name asks nothing: `public void itemsShouldFit() {`.
pub(super) fn is_head(phrase: &Phrase<'_>) -> bool {
    const FIRST: &[&str] = &[
        "async",
        "def",
        "fn",
        "fun",
        "func",
        "function",
        "internal",
        "override",
        "private",
        "protected",
        "public",
        "static",
        "void",
    ];
    let opens = phrase.line.ends_with(['{', ':']) && phrase.tokens.first().is_some_and(|first| FIRST.contains(first));
    opens && declares(phrase).is_some()
}

/// The name of the function or the value that a line declares.
fn declares<'a>(phrase: &Phrase<'a>) -> Option<&'a str> {
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
