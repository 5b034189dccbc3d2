//! Changed lines that are shown to ask as much as before.
//!
//! A changed line of a test is unproved unless it is neutral or stricter. Neutral are words and values that stand elsewhere in
//! the change, names and values in the place of as many others, words of checks in the place of words that ask for as much,
//! and what only is added. Whatever else takes a word, a value or an operator from a test may weaken it. Of tests that are
//! compared by their outlines, only the values count, and the words of checks.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::acts;
use super::asked::may_be_expected;
use super::balance;
use super::changed::Changed;
use super::instead::{bounds_instead, looser_values, negates, repeats};
use super::moved::{self, Declared};
use super::pairs::Pair;
use super::phrase::{CHECKS, Phrase, has, turns_off};
use super::ranks::rank;
use super::tokens::{any_part, is_number, is_string, is_value, is_word};
use super::{unreached, verbs};

/// Words of options that allow what was not allowed.
#[rustfmt::skip]
const PERMITS: &[&str] = &[
    "allow", "allowed", "allows", "ignore", "ignored", "ignores", "ignoring", "lenient", "loose", "nice", "optional", "permissive",
    "relaxed", "tolerate",
];

/// Words of options that end in a check.
const ENFORCES: &[&str] = &[
    "autospec", "check", "enforce", "exact", "fail", "raise", "raises", "require", "required", "strict", "validate",
    "verify",
];

/// Words of functions that give only a part of what is compared.
#[rustfmt::skip]
const REDUCES: &[&str] = &["count", "keys", "len", "length", "lower", "lowercase", "size", "strip", "trim", "unordered", "upper"];

/// Words that may go without a counterpart: they say how something is declared or awaited, not what is tested.
#[rustfmt::skip]
const IDLE: &[&str] = &[
    "$this", "are", "as", "async", "auto", "await", "bool", "class", "const", "constexpr", "def", "do", "end", "export", "final", "float", "fn", "fun", "func",
    "for", "function", "given", "in", "int", "internal", "is", "it", "let", "local", "long", "make", "move", "mut", "my", "new", "of", "open", "override",
    "array", "public", "readonly", "ref", "return", "self", "static", "str", "string", "struct", "suspend", "then", "this", "to", "try", "unsafe", "usize",
    "val", "var", "void", "with",
];

/// Values that a verb may say instead, and a status that has a name.
#[rustfmt::skip]
const SAID_BY_VERBS: &[&str] =
    &["\"\"", "''", "0", "0.0", "1", "200", "False", "None", "True", "false", "nil", "null", "true", "undefined"];

/// What the changed lines of a file lose and gain together.
pub(super) struct Exchange<'a, 'f> {
    file: &'a Changed<'f>,
    added: &'a [Phrase<'a>],
    declared: &'a Declared<'a>,
    /// Of each token, how often more it is lost than gained.
    lost: BTreeMap<&'a str, usize>,
    /// Of each hunk, how many new checks ask how something fails.
    asked_failures: OnceCell<BTreeMap<usize, usize>>,
}

impl<'a, 'f> Exchange<'a, 'f> {
    pub(super) fn of(
        file: &'a Changed<'f>,
        removed: &'a [Phrase<'a>],
        added: &'a [Phrase<'a>],
        declared: &'a Declared<'a>,
    ) -> Self {
        let mut lost: BTreeMap<&str, usize> = BTreeMap::new();
        for token in removed.iter().flat_map(|phrase| &phrase.tokens) {
            *lost.entry(token).or_default() += 1;
        }
        for token in added.iter().flat_map(|phrase| &phrase.tokens) {
            lost.entry(token).and_modify(|count| *count = count.saturating_sub(1));
        }
        Self { file, added, declared, lost, asked_failures: OnceCell::new() }
    }

    /// Why the lines may ask for less.
    pub(super) fn unproved(
        &self,
        pairs: &[Pair<'_>],
        only_removed: &[&Phrase<'_>],
        only_added: &[&Phrase<'_>],
    ) -> Option<String> {
        pairs
            .iter()
            .find_map(|pair| self.of_pair(pair))
            .or_else(|| self.of_rewritten(only_removed, only_added))
            .or_else(|| self.of_added(only_added))
    }

    fn is_lost(&self, token: &str) -> bool {
        self.lost.get(token).is_some_and(|count| *count > 0)
    }

    fn of_pair(&self, pair: &Pair<'_>) -> Option<String> {
        if pair.old.is_import()
            || pair.no_longer_says_once()
            || moved::failure(pair.old, self.added)
            || self.declared.holds(pair)
            || self.is_counted_at_its_end(pair.old)
        {
            return None;
        }
        let about = |why: &str| Some(format!("`{}` {why}", pair.new.line));
        let checks = pair.old.checks() || self.file.is_foreign;
        if pair.gone().all(|token| !matters(token)) {
            return self.of_addition(pair).and_then(|why| about(&why));
        }
        if let Some(why) = looser_values(pair, checks, self.file.is_outlined) {
            return about(why);
        }
        if let Some(name) = no_longer_enforced(pair) {
            return about(&format!("no longer sets `{name}`"));
        }
        if self.file.is_prose && pair.gone().chain(pair.come()).all(|token| rank(token).is_none()) {
            return None;
        }
        if bounds_instead(pair, self.file.is_outlined)
            && (checks || !self.file.is_outlined || pair.old.tokens.contains(&"=>"))
        {
            return about("no longer compares for equality");
        }
        if checks && negates(pair) {
            return about("asks for anything but a value, and asked for a value");
        }
        if repeats(&pair.new.tokens) && !repeats(&pair.old.tokens) {
            return about("compares a thing with itself");
        }
        let no = |token: &str| ["false", "False"].contains(&token);
        if checks
            && pair.gone().filter(|token| is_yes(token)).count() > 1
            && pair.come().all(|token| no(token) || !matters(token))
        {
            return about("asks for several things less");
        }
        if self.file.calls_helper(pair.new) {
            return None;
        }
        if !moved::is_head(pair.old) && self.asks_for_less(pair) {
            return about("may ask for less than before");
        }
        self.loses(pair, checks).and_then(|token| about(&format!("no longer says `{token}`")))
    }

    /// What a line that only gains something may gain without asking for less.
    fn of_addition(&self, pair: &Pair<'_>) -> Option<String> {
        let come: Vec<&str> = pair.come().collect();
        let had = |word: &str| pair.old.words().contains(word);
        // `cmp.AllowUnexported(…)` lets more be compared.
        let is_called = |token: &str| pair.new.called().any(|name| name == token) && has(token, &["allow"]);
        let permits = |token: &&&str| {
            is_word(token)
                && !is_called(token)
                && any_part(token, |part| PERMITS.contains(&part) && !had(part) && pair.says_of_test(part))
        };
        if let Some(word) = come.iter().find(permits) {
            return Some(format!("says `{word}`"));
        }
        if let Some(word) = expects_failure(&come) {
            return Some(format!("says `{word}`: it may be expected to fail"));
        }
        let checks = pair.old.checks() || self.file.is_foreign;
        let compares =
            pair.old.tokens.iter().any(|token| ["==", "===", "!=", "~="].contains(token) || rank(token) == Some(4));
        let reduces = |token: &&&str| is_word(token) && has(token, REDUCES);
        if let Some(word) = come.iter().find(reduces).filter(|_| checks && compares && !come.contains(&"0")) {
            return Some(format!("asks for less of it by `{word}`"));
        }
        let implies = come.windows(2).any(|two| two == ["==", ">"]);
        (implies && !self.file.is_outlined).then(|| "only asks under a further condition".to_owned())
    }

    /// Whether the words of a check gave way to words that ask for less, or to none.
    fn asks_for_less(&self, pair: &Pair<'_>) -> bool {
        let (old, new) = (pair.old, pair.new);
        let asks = |phrase: &Phrase<'_>| phrase.words_of_checks() > 0;
        if self.file.is_outlined && !(asks(old) && asks(new)) {
            return false;
        }
        // In Rust, a pattern is as exact as what stands in it.
        if new.tokens.windows(2).any(|two| two == ["matches", "!"]) {
            return false;
        }
        let was = pair.ranked(&|token| self.is_lost(token), self.file.is_outlined);
        let is = pair.come().filter_map(rank).max();
        let is = if pair.come().any(|token| ["==", "===", "is", "≈"].contains(&token)) { Some(4) } else { is };
        // `assertNull(x)` says the value that `assertEquals(null, x)` has.
        let mut gone = pair.gone().filter(|token| is_operand(token)).peekable();
        let is_said = is.is_none() && gone.peek().is_some() && gone.all(|token| SAID_BY_VERBS.contains(&token));
        // That something is missing may be said by a negation.
        let was_absent = pair.gone().any(|token| has(token, &["empty", "false", "nil", "none", "null", "undefined"]));
        let is_absent = was_absent && pair.new.names().any(|(_, name)| verbs::negates(name));
        was.is_some_and(|was| was > 1 && is.unwrap_or(0) < was) && !is_absent && (!is_said || pair.come().any(is_value))
    }

    /// A word or a value that is gone from a line, with nothing in its place.
    fn loses<'p>(&self, pair: &'p Pair<'_>, checks: bool) -> Option<&'p str> {
        let outlined = self.file.is_outlined;
        let kept = |token: &str| {
            let bare = token.trim_matches(['"', '\'', '`']);
            pair.new.tokens.contains(&token) || pair.come().any(|new| is_string(new) && new.contains(bare))
        };
        let is_verb = pair.come().any(|token| is_word(token) && (rank(token).is_some() || has(token, CHECKS)));
        let is_gone = |token: &&str| {
            let counts = if outlined { is_value(token) } else { is_operand(token) };
            counts && self.is_lost(token) && !kept(token) && !(SAID_BY_VERBS.contains(token) && (is_verb || outlined))
        };
        let gone: Vec<&str> = pair.gone_but_owners().filter(is_gone).collect();
        let come = pair.come().filter(|token| (is_operand(token) || may_be_expected(token)) && *token != "_").count();
        let declares = pair.come().any(|token| ["auto", "const", "let", "val", "var"].contains(&token));
        let is_fewer = if checks || !outlined { gone.len() > come } else { come == 0 };
        let is_message =
            || gone.iter().all(|token| is_string(token) && token.contains(' ')) && !pair.new.line.contains("()");
        let is_whole = pair.is_whole() || !outlined;
        let waits = || {
            gone.iter().all(|token| is_number(token))
                && pair.old.names().any(|(_, name)| has(name, &["eventually", "receive", "timeout", "wait", "within"]))
        };
        gone.first().copied().filter(|_| is_fewer && is_whole && !declares && !is_message() && !waits())
    }

    /// Lines that are gone, in the place of which others may have come.
    fn of_rewritten(&self, removed: &[&Phrase<'_>], added: &[&Phrase<'_>]) -> Option<String> {
        let mut hunks: BTreeMap<usize, (Vec<&Phrase<'_>>, Vec<&Phrase<'_>>)> = BTreeMap::new();
        for phrase in removed {
            hunks.entry(phrase.place.hunk).or_default().0.push(phrase);
        }
        for phrase in added {
            hunks.entry(phrase.place.hunk).and_modify(|hunk| hunk.1.push(phrase));
        }
        hunks.values().find_map(|(gone, come)| match (gone.as_slice(), come.as_slice()) {
            ([old], [new]) if !self.file.is_outlined => Pair::of(old, new).and_then(|pair| self.of_pair(&pair)),
            _ => self.of_hunk(gone, come),
        })
    }

    /// How many new checks in the hunk of a line ask how something fails.
    fn asked_failures(&self, line: &Phrase<'_>) -> usize {
        let counts = self.asked_failures.get_or_init(|| {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for phrase in self.added.iter().filter(|phrase| phrase.expects_failure() && phrase.checks()) {
                *counts.entry(phrase.place.hunk).or_default() += 1;
            }
            counts
        });
        counts.get(&line.place.hunk).copied().unwrap_or(0)
    }

    /// Whether a line says how many checks there are in a file of Perl, which says at its end now that all have run.
    fn is_counted_at_its_end(&self, line: &Phrase<'_>) -> bool {
        let counts = line.tokens.windows(3).any(|three| matches!(three, ["tests", "=>", number] if is_number(number)));
        counts && self.added.iter().any(|added| added.tokens.first() == Some(&"done_testing"))
    }

    fn of_hunk(&self, gone: &[&Phrase<'_>], come: &[&Phrase<'_>]) -> Option<String> {
        let is_lost = |token: &&str| matters(token) && self.is_lost(token);
        // `assertThrows(…)` for `try { …; fail(); } catch (…) {}`.
        let fails = gone.iter().filter(|phrase| unreached::fails(phrase)).count();
        let asks_how_it_fails = fails > 0 && gone.first().is_some_and(|first| self.asked_failures(first) >= fails);
        let is_off = |phrase: &Phrase<'_>| phrase.words().iter().any(|word| turns_off(word));
        let says = |phrase: &&&Phrase<'_>| {
            let is_said = unreached::fails(phrase) && asks_how_it_fails
                || moved::failure(phrase, self.added)
                || self.is_counted_at_its_end(phrase);
            phrase.tokens.iter().any(&is_lost) && !asks_nothing(phrase) && !is_off(phrase) && !is_said
        };
        let lines: Vec<&Phrase<'_>> = gone.iter().filter(says).copied().collect();
        let line = lines.first()?.line;
        if come.is_empty() {
            let acts = |phrase: &&Phrase<'_>| {
                phrase.tokens.iter().any(|token| is_value(token)) || phrase.called().next().is_some()
            };
            // What the outline does not read as a check: `checks: ['rate>0.99']`.
            let unread = |phrase: &&Phrase<'_>| {
                phrase.words_of_checks() > 0 && !balance::is_check(phrase.line) && !unreached::fails(phrase)
            };
            let is_told = |phrase: &&Phrase<'_>| acts(phrase) && (!self.file.is_outlined || unread(phrase));
            if let Some(act) = lines.iter().find(|phrase| acts::acts(phrase)) {
                return Some(format!("`{}` is gone: the test no longer does it", act.line));
            }
            if let Some(act) = lines.iter().find(|phrase| acts::is_call(phrase)) {
                return Some(format!("`{}` is gone: the test no longer does it", act.line));
            }
            let told = lines.iter().copied().find(is_told)?;
            return Some(format!("`{}` is gone, and nothing is in its place", told.line));
        }
        let asks = |phrase: &&&Phrase<'_>| phrase.checks() || self.file.is_foreign;
        let asking = |phrases: &[&Phrase<'_>]| phrases.iter().filter(asks).count();
        // A verb may say a value that is usual.
        let is_said = |token: &str| {
            asking(come) >= asking(&lines) && (SAID_BY_VERBS.contains(&token) || token.starts_with("\"$"))
        };
        let values = |phrases: &[&Phrase<'_>]| -> usize {
            let tokens = phrases.iter().filter(asks).flat_map(|phrase| &phrase.tokens);
            tokens.filter(|token| is_value(token) && !is_said(token)).count()
        };
        (!self.file.is_outlined && values(&lines) > values(come))
            .then(|| format!("`{line}` is gone, with a value that was checked"))
    }

    /// Lines that let old tests fail.
    fn of_added(&self, added: &[&Phrase<'_>]) -> Option<String> {
        if self.file.is_outlined {
            return None;
        }
        let permits = |phrase: &&&Phrase<'_>| {
            let mut named = phrase.tokens.windows(3);
            expects_failure(&phrase.tokens).is_some()
                || phrase.tokens.first().is_some_and(|first| {
                    ["pending", "skip", "todo", "xfail"].contains(&first.to_ascii_lowercase().as_str())
                })
                || named.any(|three| {
                    let [name, sign, value] = three else { return false };
                    is_word(name) && has(name, PERMITS) && [":", "="].contains(sign) && is_yes(value)
                })
        };
        let line = added.iter().find(permits)?.line;
        Some(format!("`{line}` lets tests fail"))
    }
}

fn is_yes(token: &str) -> bool {
    ["true", "True", "TRUE", "yes"].contains(&token)
}

/// Whether a line asks nothing, whatever its words are.
fn asks_nothing(phrase: &Phrase<'_>) -> bool {
    phrase.is_import()
        || phrase.only_asks_whether_to_run()
        || acts::only_tells(phrase)
        || takes_failures(phrase)
        || moved::is_head(phrase)
}

/// Whether a line only begins what takes a failure. Without it, the failure ends the test.
fn takes_failures(phrase: &Phrase<'_>) -> bool {
    let first = phrase.tokens.iter().find(|token| **token != "}");
    first.is_some_and(|first| ["catch", "except", "rescue"].contains(first))
        && phrase.line.ends_with(['{', ':', ')'])
        && !phrase.checks()
}

/// Whether a token says something of what is tested.
fn matters(token: &str) -> bool {
    is_operand(token)
        || is_word(token) && rank(token).is_some()
        || ["==", "===", "!=", "!==", "<", ">", "<=", ">=", "=~"].contains(&token)
}

fn is_operand(token: &str) -> bool {
    is_value(token) || is_word(token) && !IDLE.contains(&token) && rank(token).is_none() && !has(token, CHECKS)
}

/// A word that says that a failure is expected.
fn expects_failure<'a>(tokens: &[&'a str]) -> Option<&'a str> {
    let fails = |token: &str| has(token, &["fail", "fails", "failed", "failing", "failure", "failures", "xfail"]);
    let may = |token: &str| has(token, &["allow", "allowed", "expect", "expected", "known", "may", "should"]);
    let both = |token: &str| may(token) && fails(token) || token == "failing";
    let is_said = |token: &&str| is_word(token) && both(token);
    let begins = |token: &str| ["allowed", "expected", "known", "may"].contains(&token.to_ascii_lowercase().as_str());
    let at = tokens.iter().position(|token| begins(token));
    let behind = at.and_then(|at| tokens.get(at + 1..(at + 6).min(tokens.len()))).unwrap_or_default();
    let two = behind.iter().copied().find(|token| is_word(token) && fails(token));
    tokens.iter().copied().find(|token| is_said(token)).or(two)
}

/// An option that ends in a check, and is turned off.
fn no_longer_enforced<'p>(pair: &'p Pair<'_>) -> Option<&'p str> {
    let (gone, come) = pair.single()?;
    let (was, is) = (pair.old.tokens.get(gone)?, pair.new.tokens.get(come)?);
    let is_off = is_yes(was) && ["false", "False", "FALSE", "no"].contains(is);
    let name = pair.new.tokens.get(..come)?.iter().rev().copied().find(|token| is_word(token))?;
    (is_off && has(name, ENFORCES)).then_some(name)
}
