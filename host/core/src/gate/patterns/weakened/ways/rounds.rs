//! Loops and properties that try less: a loop that is left in its first round, the shorter of two lists, a generator that nothing
//! goes through, a handful of random values.

use super::super::phrase::{Phrase, has};
use super::super::tokens::is_word;
use super::edit::{Edit, about};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    shorter(edit).or_else(|| leaves_loop(edit)).or_else(|| unused(edit)).or_else(|| tries_few(edit))
}

/// A function that goes on to the end of the longer list, or fails if they are not as long, in the place of which one stops at
/// the end of the shorter list.
fn shorter(edit: &Edit<'_, '_>) -> Option<String> {
    const LONGEST: &[&str] = &["zip_longest", "izip_longest", "zipLongest", "zip_eq", "zip_equal", "zipAll", "zip_all"];
    let pair = edit.pairs.iter().find(|pair| {
        let zips = pair.new.tokens.iter().any(|token| ["zip", "izip"].contains(token));
        let was_longest =
            pair.gone().any(|token| LONGEST.contains(&token)) && pair.come().all(|token| !LONGEST.contains(&token));
        let was_strict = pair.gone().any(|token| token == "strict") && pair.come().all(|token| token == "False");
        let is_strict = pair.new.tokens.windows(3).any(|three| matches!(three, ["strict", "=", "True"]));
        zips && !is_strict && (was_longest || was_strict)
    })?;
    Some(about(pair.new.line, "stops at the end of the shorter list"))
}

/// A jump at the end of every round of a loop that was there.
fn leaves_loop(edit: &Edit<'_, '_>) -> Option<String> {
    let jumps = |line: &Phrase<'_>| matches!(line.tokens.as_slice(), ["break" | "last"] | ["break" | "last", ";"]);
    let line = edit.come.iter().find(|line| jumps(line) && ends_every_round(edit, line))?;
    Some(about(line.line, "leaves the loop in its first round"))
}

/// Whether the block around a line is a loop that the text had before.
fn ends_every_round(edit: &Edit<'_, '_>, line: &Phrase<'_>) -> bool {
    /// Longest body that is looked at.
    const MOST: u64 = 100;
    const HEADS: &[&str] = &["each", "for", "foreach", "loop", "until", "while"];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let number = line.place.line;
    let own = edit.file.after.above(number.saturating_add(1)).map_or(0, indent);
    let above = (0..MOST).map_while(|back| edit.file.after.above(number.checked_sub(back)?));
    let head = above.into_iter().find(|line| !line.trim().is_empty() && indent(line) < own);
    head.is_some_and(|head| {
        let phrase = Phrase::of(head.trim(), line.place);
        let first = phrase.tokens.iter().find(|token| is_word(token));
        let loops = first.is_some_and(|first| HEADS.contains(first)) || phrase.line.contains(".each");
        loops && edit.file.before.whole.contains(head.trim())
    })
}

/// A generator of Python that stands alone: nothing in it runs.
fn unused(edit: &Edit<'_, '_>) -> Option<String> {
    let line = edit.come.iter().find(|line| {
        let is_alone = line.line.starts_with('(') && line.line.ends_with(')');
        is_alone && line.line.contains(" for ") && line.line.contains(" in ") && edit.file.before.whole.contains("def ")
    })?;
    Some(about(line.line, "makes a generator that nothing goes through"))
}

/// A number of tries that a property did not say before, and that is small.
fn tries_few(edit: &Edit<'_, '_>) -> Option<String> {
    const TRIES: &[&str] = &["examples", "iterations", "runs", "successful", "trials", "tries"];
    const OF_ALL: &[&str] = &["max", "min", "num", "number", "trials", "tries"];
    let few = |phrase: &Phrase<'_>| {
        let number = |text: &str| text.parse::<u32>().is_ok_and(|number| number <= 5);
        phrase.tokens.windows(3).any(|three| {
            matches!(three, [name, "=" | ":" | "(", count] if has(name, TRIES) && has(name, OF_ALL) && number(count))
        })
    };
    let named = |phrase: &Phrase<'_>| phrase.tokens.iter().any(|token| has(token, TRIES));
    let of_pair = edit.pairs.iter().find(|pair| few(pair.new) && !named(pair.old)).map(|pair| pair.new);
    let line = of_pair.or_else(|| edit.come.iter().copied().find(|line| few(line) && !edit.is_of_new_test(line)))?;
    Some(about(line.line, "tries very few values"))
}
