//! Changed lines of a test that do not show that it checks as much as before, whatever its framework.
//!
//! The other rules know frameworks by name. These ask what a line has lost and gained as words: a line that checks something
//! may be rephrased, but it must not lose its verb, its operator or a part without an equal one in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::balance::Lines;
use super::pairs::{Pair, pairs, unmatched};
use super::phrase::{self, Phrase};
use super::tokens::{is_number, is_word};

/// A test file of which lines have changed.
pub(super) struct Changed<'a> {
    pub(super) lines: &'a Lines,
    /// The stem of its name, as `queue` for `queue.spec.ts`.
    pub(super) stem: &'a str,
    pub(super) after: &'a str,
    /// Whether its tests are compared by their outlines as well.
    pub(super) is_outlined: bool,
    /// Whether its lines are sentences, in which any word may stand.
    pub(super) is_prose: bool,
    /// Whether its format is none that gephost knows: there, every line may check something.
    pub(super) is_foreign: bool,
}

/// Most changed lines that are looked at.
const MOST: usize = 400;

/// Why the tests of a file may check less.
pub(super) fn why<'a>(file: &Changed<'a>) -> Option<String> {
    let removed = unmatched(&file.lines.removed, &file.lines.added);
    let added = unmatched(&file.lines.added, &file.lines.removed);
    if removed.len() + added.len() > MOST {
        return None;
    }
    let phrases = |lines: Vec<&'a str>| lines.into_iter().map(Phrase::of).collect::<Vec<_>>();
    let (removed, added) = (phrases(removed), phrases(added));
    if same_words(&removed, &added) {
        return None;
    }
    let (pairs, only_removed, only_added) = pairs(&removed, &added);
    let words = NewWords::of(&added);
    pairs
        .iter()
        .find_map(|pair| of_pair(file, pair, &|word| words.have_beside(pair.new.line, word)))
        .or_else(|| fewer_words(file, &removed, &added))
        .or_else(|| of_removed(file, &only_removed, &only_added))
        .or_else(|| of_added(file, &only_added))
        .or_else(|| given_and_asked(&added))
        .or_else(|| asked_itself(&removed, &added))
}

/// Whether only the layout differs.
fn same_words(removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> bool {
    fn words<'a>(lines: &'a [Phrase<'a>]) -> impl Iterator<Item = &'a str> {
        lines.iter().flat_map(|line| line.tokens.iter().copied()).filter(|token| *token != ",")
    }
    words(removed).eq(words(added))
}

/// The words, numbers and texts of the new lines.
struct NewWords<'a> {
    of_lines: BTreeMap<&'a str, BTreeSet<String>>,
    /// How many of the lines have a word. Lines that are the same count once.
    counts: BTreeMap<String, usize>,
}

impl<'a> NewWords<'a> {
    fn of(added: &[Phrase<'a>]) -> Self {
        let of_line = |line: &Phrase<'a>| {
            let values = line.tokens.iter().filter(|token| !is_word(token)).map(|token| (*token).to_owned());
            (line.line, line.words().into_iter().chain(values).collect())
        };
        let of_lines: BTreeMap<&str, BTreeSet<String>> = added.iter().map(of_line).collect();
        let mut counts = BTreeMap::new();
        for word in of_lines.values().flatten() {
            *counts.entry(word.clone()).or_default() += 1;
        }
        Self { of_lines, counts }
    }

    /// Whether a line other than this one has a word.
    fn have_beside(&self, line: &str, word: &str) -> bool {
        let own = self.of_lines.get(line).is_some_and(|words| words.contains(word));
        self.counts.get(word).is_some_and(|count| *count > usize::from(own))
    }
}

fn of_pair(file: &Changed<'_>, pair: &Pair<'_>, others_have: &dyn Fn(&str) -> bool) -> Option<String> {
    let (old, new) = (pair.old, pair.new);
    let about = |why: &str| Some(format!("`{}` {why}", new.line));
    if old.is_import() {
        return None;
    }
    let checks = old.checks() || file.is_foreign;
    let (gone, come) = pair.words();
    if let Some(word) = come.iter().find(|word| phrase::turns_off(word) && !gone.contains(*word)) {
        return about(&format!("says `{word}`: it may not count any more"));
    }
    if old.is_renamed_off(new) {
        return about("has a name that its runner may pass over");
    }
    if phrase::is_settled(&new.tokens) && !phrase::is_settled(&old.tokens) {
        return about("holds whatever the code does");
    }
    if pair.adds_condition(checks) {
        return about("only asks under a further condition, or for one of several");
    }
    if let Some(name) = pair.emptied() {
        return about(&format!("goes through nothing after `{name}`"));
    }
    if let Some(name) = pair.runs_less() {
        return about(&format!("asks for less by `{name}`"));
    }
    if pair.catches() {
        return about("catches what failed");
    }
    if let Some(kind) = pair.any_kind().filter(|_| checks || old.expects_failure()) {
        return about(&format!("accepts every `{kind}`"));
    }
    if old.marks_tests()
        && gone.is_empty()
        && pair.settings().iter().any(|word| phrase::changes_mark(word))
        && !file.is_outlined
    {
        return about("marks the test with something new");
    }
    if !file.is_outlined && pair.loses_rows(others_have) {
        return about("has fewer values");
    }
    if !file.is_outlined && pair.is_struck_out() {
        return about("begins with a sign that may turn it off");
    }
    if !file.is_outlined && old.names_of_tests() > 0 && pair.only_loses(others_have) {
        return about("is a test that lost a part of what it tries");
    }
    if old.is_of_source() && come.iter().any(|word| phrase::is_narrow(word) && !gone.contains(word)) {
        return about("tries one value only");
    }
    if !checks {
        return None;
    }
    if phrase::compares_itself(new.line) && !phrase::compares_itself(old.line) {
        return about("compares a thing with itself, or two constants");
    }
    if pair.raises_itself() {
        return about("raises what it expects");
    }
    if let Some(wrapper) = pair.wrapped() {
        return about(&format!("stands in `{wrapper}`, which may hold its failure back"));
    }
    if pair.weaker_text() || pair.has_no_bound() {
        return about("is satisfied by almost everything");
    }
    if let Some(verb) = old.weaker_verb(new).filter(|_| !file.is_prose) {
        return about(&format!("asks `{verb}`, which may be less than before"));
    }
    if !pair.is_whole() || !(new.checks() || file.is_foreign) {
        return None;
    }
    if old.head() == new.head() && pair.loses_operator() {
        return about("no longer compares for equality");
    }
    if pair.loses_exactness() {
        return about("no longer compares for equality");
    }
    ((!file.is_outlined || old.expects_failure()) && pair.only_loses(others_have))
        .then(|| about("asks for a part of what it asked"))
        .flatten()
}

/// Words of tests and of checks that stood there more often.
fn fewer_words<'a>(file: &Changed<'_>, removed: &[Phrase<'a>], added: &[Phrase<'a>]) -> Option<String> {
    let count = |lines: &[Phrase<'a>], what: fn(&Phrase<'a>) -> usize| -> usize { lines.iter().map(what).sum() };
    let loses = |what: fn(&Phrase<'a>) -> usize| count(removed, what) > count(added, what);
    let registers = loses(Phrase::registrations);
    if file.is_outlined {
        return registers.then(|| "tests are not handed to their runner any more".to_owned());
    }
    let why = if registers || loses(Phrase::names_of_tests) {
        "names that mark a test, or hand it to its runner, are gone"
    } else if loses(Phrase::words_of_checks) {
        "words that check something are gone"
    } else if !file.is_prose && loses(Phrase::asks_much) && added.iter().any(Phrase::is_loose) {
        "a check that many values satisfy is in the place of another one"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// Rows that are gone. In a format that gephost does not know, each line counts.
fn of_removed(file: &Changed<'_>, removed: &[&Phrase<'_>], added: &[&Phrase<'_>]) -> Option<String> {
    let is_said = |line: &&&Phrase<'_>| line.tokens.iter().any(|token| is_word(token) || is_number(token));
    let rows = |lines: &[&Phrase<'_>]| lines.iter().filter(|line| phrase::is_row(line.line)).count();
    if !file.is_outlined && rows(removed) > rows(added) {
        return Some("it has fewer rows of values".to_owned());
    }
    let line = removed.iter().find(is_said).filter(|_| file.is_foreign)?.line;
    Some(format!("`{line}` is gone, and nothing shows that it did not matter"))
}

/// Whether a word of a call turns a test off, in a language whose tests are not read.
fn turns_off(phrase: &Phrase<'_>) -> bool {
    const CALLS: &[&str] = &[
        "broken",
        "disable",
        "disabled",
        "fixme",
        "flaky",
        "pending",
        "quarantine",
        "skip",
        "skipped",
        "todo",
        "xfail",
    ];
    phrase.called().any(|name| CALLS.contains(&name.to_ascii_lowercase().as_str()))
}

/// New lines of tests that were there before: those up to the first one that begins a test.
fn of_added(file: &Changed<'_>, added: &[&Phrase<'_>]) -> Option<String> {
    for phrase in added.iter().take_while(|line| line.names_of_tests() == 0) {
        let line = phrase.line;
        if phrase.fakes_module(file.stem)
            && !["importOriginal", "importActual", "requireActual"].iter().any(|word| file.after.contains(word))
        {
            return Some(format!("`{line}` replaces the module that is tested"));
        }
        if phrase::swallows(line) {
            return Some(format!("`{line}` holds failures back"));
        }
        if phrase::narrows(line) {
            return Some(format!("`{line}` leaves cases out"));
        }
        if file.is_foreign && phrase.words().iter().any(|word| phrase::is_fake(word) || phrase::turns_off(word)) {
            return Some(format!("`{line}` may replace what is tested, or turn it off"));
        }
        if !file.is_outlined && turns_off(phrase) {
            return Some(format!("`{line}` may turn a test off"));
        }
        if phrase.answers(file.after) {
            return Some(format!("`{line}` answers what the test asks the program"));
        }
        if let Some(part) = phrase.sets().filter(|part| file.after.lines().any(|line| checks_part(line.trim(), part))) {
            return Some(format!("`{line}` sets `{part}`, which is checked"));
        }
        if let Some(name) = phrase.faked().find(|name| is_asked(file.after, name)) {
            return Some(format!("`{line}` replaces a part of `{name}`, which is tested"));
        }
    }
    None
}

/// Whether a check asks something of this name, and not only whether it was called.
fn is_asked(text: &str, name: &str) -> bool {
    text.lines().any(|line| line.contains(name) && Phrase::of(line.trim()).asks(name))
}

/// Whether a check compares this part of a thing.
fn checks_part(line: &str, part: &str) -> bool {
    line.contains(&format!("{part} ==")) && Phrase::of(line).checks()
}

/// A variable that is given what the check then compares it with.
fn given_and_asked(added: &[Phrase<'_>]) -> Option<String> {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    for line in added {
        if let Some((name, value)) = phrase::given(line.line) {
            given.insert(value, name);
        }
    }
    let compares = |line: &&str| {
        let sides: BTreeSet<&str> = phrase::compared(line).into_iter().collect();
        given.iter().any(|(value, name)| sides.contains(value) && sides.contains(name))
    };
    added.iter().map(|line| line.line).find(compares).map(|line| format!("`{line}` compares what it got with itself"))
}

/// A new check of a thing against itself, or of two constants.
fn asked_itself(removed: &[Phrase<'_>], added: &[Phrase<'_>]) -> Option<String> {
    let compares = |line: &Phrase<'_>| phrase::compares_itself(line.line);
    if removed.is_empty() || removed.iter().any(compares) {
        return None;
    }
    let line = added.iter().find(|line| compares(line))?.line;
    Some(format!("`{line}` compares a thing with itself, or two constants"))
}
