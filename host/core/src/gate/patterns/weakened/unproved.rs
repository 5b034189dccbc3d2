//! Changed lines of a test that do not show that it checks as much as before, whatever its framework.
//!
//! The other rules know frameworks by name. These ask what a line has lost and gained as words: a line that checks something
//! may be rephrased, but it must not lose its verb, its operator or a part without an equal one in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::changed::Changed;
use super::instead::accepts_more;
use super::moved::Declared;
use super::neutral::Exchange;
use super::pairs::{Pair, pairs, unmatched};
use super::phrase::{self, Phrase};
use super::tokens::{is_number, is_word};
use super::ways::{self, Edit};
use super::{answered, arrived, asked, hollow, inputs, moved, unreached};

/// Why the tests of a file may check less.
pub(super) fn why(file: &Changed<'_>) -> Option<String> {
    let lines = file.lines;
    let removed = unmatched(&lines.removed, &lines.removed_at, &lines.added);
    let added = unmatched(&lines.added, &lines.added_at, &lines.removed);
    if same_words(&removed, &added) {
        return ways::marks(file);
    }
    if let Some(line) = unreached::gone(&removed, &added) {
        return Some(format!("`{line}` is gone: the test goes on where it must not"));
    }
    if unreached::plans_fewer(file.lines) {
        return Some("it says that there are fewer checks, and none is gone".to_owned());
    }
    let (pairs, only_removed, only_added) = pairs(&removed, &added);
    let declared = Declared::of(&added);
    let words = Words {
        old: words_of_lines(&removed),
        new: NewWords::of(&added),
        continued: continued(file, &removed),
        added: &added,
        declared: &declared,
    };
    pairs
        .iter()
        .find_map(|pair| of_pair(file, pair, &words))
        .or_else(|| hollow::why(file, &pairs, &removed, &added))
        .or_else(|| fewer_words(file, &removed, &added))
        .or_else(|| of_removed(file, &only_removed, &only_added))
        .or_else(|| arrived::why(file, &removed, &only_added, &words.old))
        .or_else(|| answered::by_itself(file, &removed, &added))
        .or_else(|| Exchange::of(file, &removed, &added, &declared).unproved(&pairs, &only_removed, &only_added))
        .or_else(|| ways::why(&Edit::of(file, &pairs, [&removed, &added], [&only_removed, &only_added])))
        .or_else(|| ways::marks(file))
}

/// What the changed lines say, apart from the pair that is looked at.
struct Words<'a> {
    old: BTreeSet<String>,
    new: NewWords<'a>,
    added: &'a [Phrase<'a>],
    declared: &'a Declared<'a>,
    /// The removed lines that go on with a check of a line above them.
    continued: BTreeSet<&'a str>,
}

fn words_of_lines(lines: &[Phrase<'_>]) -> BTreeSet<String> {
    lines.iter().flat_map(Phrase::words).collect()
}

/// The removed lines that go on with a statement above them, if that one checks something: `.code(2)` below `.assert()`.
fn continued<'a>(file: &Changed<'a>, removed: &[Phrase<'_>]) -> BTreeSet<&'a str> {
    let goes_on = |line: &str| [".", "|>", "->", "?."].iter().any(|sign| line.starts_with(sign));
    let mut found = BTreeSet::new();
    if !removed.iter().any(|phrase| goes_on(phrase.line)) {
        return found;
    }
    let mut checks = false;
    for phrase in file.before.phrases() {
        let line = phrase.line;
        checks = phrase.checks() || checks && (goes_on(line) || line.starts_with([')', '}', ']']));
        if checks && goes_on(line) {
            found.insert(line);
        }
    }
    found
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

fn of_pair(file: &Changed<'_>, pair: &Pair<'_>, words: &Words<'_>) -> Option<String> {
    let (old, new) = (pair.old, pair.new);
    let others_have = &|word: &str| words.new.have_beside(new.line, word);
    let about = |why: &str| Some(format!("`{}` {why}", new.line));
    if pair.exposes_less(others_have) {
        return about("no longer shows all tests to their runner");
    }
    if old.is_import() || pair.no_longer_says_once() || moved::failure(old, words.added) || words.declared.holds(pair) {
        return None;
    }
    let continues = words.continued.contains(old.line);
    let checks = old.checks() && !moved::is_head(old) || continues || file.is_foreign;
    let (gone, come) = pair.words();
    let was_said = |word: &String| gone.contains(word) || words.old.contains(word);
    if let Some(word) = come.iter().find(|word| phrase::turns_off(word) && !was_said(word) && pair.says_of_test(word)) {
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
    if pair.no_longer_fails() {
        return about("goes on where it failed before");
    }
    if answered::gives_fake(pair) {
        return about("gives a fake, and gave the real thing");
    }
    if checks && answered::falls_back(pair) {
        return about("falls back to the value that it asks for");
    }
    if checks && answered::gives_expected(pair) {
        return about("compares with what it sets itself");
    }
    if old.names_of_tests() > 0 && pair.come().any(arrived::tries_again) && !pair.gone().any(arrived::tries_again) {
        return about("lets the test fail several times");
    }
    if let Some(why) = accepts_more(pair).filter(|_| checks || new.checks() || !file.is_outlined) {
        return about(why);
    }
    if let Some(why) = inputs::less(pair, others_have) {
        return about(&why);
    }
    if !file.is_outlined && pair.unlists(&file.after) {
        return about("no longer lists a test that the file still has");
    }
    if pair.is_lenient() {
        return about("makes a fake accept what it refused");
    }
    if asked::any_argument(pair) {
        return about("takes any value where it asked for one");
    }
    if pair.has_no_plan() {
        return about("no longer says how many checks there are");
    }
    if pair.loses_status() {
        return about("no longer checks the status of the command");
    }
    if pair.takes_values() {
        return about("takes a value, which its runner does not give it");
    }
    if pair.catches() && !passes_on(file, new) {
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
    if !checks
        && old.called().any(phrase::names_failure)
        && let Some(why) = asked::less(pair, others_have)
    {
        return about(why);
    }
    if !checks {
        return pair.fails_for_less().then(|| about("fails for fewer values")).flatten();
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
    if file.calls_helper(new) {
        return None;
    }
    if let Some(verb) = old.weaker_verb(new).filter(|_| !file.is_prose && !pair.names_the_kind_better()) {
        return about(&format!("asks `{verb}`, which may be less than before"));
    }
    if !pair.is_whole() || !(new.checks() || continues || file.is_foreign) {
        return None;
    }
    if let Some(why) = asked::less(pair, others_have).filter(|_| !file.is_prose) {
        return about(why);
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

/// How many names of a line say that something is checked. The name of a function says nothing.
fn words_of_checks(line: &Phrase<'_>) -> usize {
    if moved::is_head(line) { 0 } else { line.words_of_checks() }
}

/// Whether what catches a failure hands it on: `catch (error) { reject(error); }`.
fn passes_on(file: &Changed<'_>, catch: &Phrase<'_>) -> bool {
    const HANDS_ON: &[&str] = &["callback", "cb", "die", "done", "fail", "next", "raise", "reject", "throw"];
    /// Most lines of a handler.
    const MOST: usize = 4;
    let Some(caught) = catch.tokens.iter().copied().rfind(|token| is_word(token)) else { return false };
    let inside = file.after.below(catch.place.line, MOST).take_while(|line| !line.line.starts_with('}'));
    let hands = |line: &Phrase<'_>| {
        let first = line.tokens.iter().find(|token| is_word(token) && !["return", "t"].contains(token));
        first.is_some_and(|first| HANDS_ON.contains(first)) && line.tokens.contains(&caught)
    };
    inside.into_iter().any(hands)
}

/// Words of tests and of checks that stood there more often.
fn fewer_words<'a>(file: &Changed<'_>, removed: &[Phrase<'a>], added: &[Phrase<'a>]) -> Option<String> {
    let count = |lines: &[Phrase<'a>], what: fn(&Phrase<'a>) -> usize| -> usize { lines.iter().map(what).sum() };
    let loses = |what: fn(&Phrase<'a>) -> usize| count(removed, what) > count(added, what);
    let registers = loses(Phrase::registrations);
    let is_of_macro = |line: &&Phrase<'_>| {
        line.tokens == ["#", "[", "test", "]"]
            && file.before.below(line.place.line, 1).any(|line| line.line.contains("fn $"))
    };
    if removed.iter().filter(is_of_macro).count() > added.iter().filter(|line| line.line == "#[test]").count() {
        return Some("a macro makes no tests any more".to_owned());
    }
    if file.is_outlined {
        return registers.then(|| "tests are not handed to their runner any more".to_owned());
    }
    let why = if file.is_prose && loses(Phrase::steps) {
        "steps are gone"
    } else if registers || loses(Phrase::names_of_tests) {
        "names that mark a test, or hand it to its runner, are gone"
    } else if loses(words_of_checks) || loses(Phrase::checks_of_tap) {
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
    let seeds = |lines: &[&Phrase<'_>]| lines.iter().filter(|line| line.line.starts_with("f.Add(")).count();
    if seeds(removed) > seeds(added) {
        return Some("fewer values are given to a fuzz test".to_owned());
    }
    let line = removed.iter().find(is_said).filter(|_| file.is_foreign)?.line;
    Some(format!("`{line}` is gone, and nothing shows that it did not matter"))
}
