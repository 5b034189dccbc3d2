//! Lines of a test that a change puts in the place of others.

use std::collections::{BTreeMap, BTreeSet};

use super::phrase::{self, Phrase};
use super::tokens::{difference, is_number, is_string, is_word, parts, says, tokens, words_of};

/// A line, and the one in its place.
pub(super) struct Pair<'a> {
    pub(super) old: &'a Phrase<'a>,
    pub(super) new: &'a Phrase<'a>,
    gone: Vec<usize>,
    come: Vec<usize>,
}

/// Lines of one side that the other side has not, without the space around them.
pub(super) fn unmatched<'a>(lines: &'a [(String, String)], others: &[(String, String)]) -> Vec<&'a str> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, said) in others {
        *known.entry(said.trim()).or_default() += 1;
    }
    let is_new = |line: &&str| match known.get_mut::<str>(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    lines.iter().map(|(_, said)| said.trim()).filter(is_new).collect()
}

/// Pairs of lines that are alike, and what is left on both sides.
pub(super) fn pairs<'a>(
    removed: &'a [Phrase<'a>],
    added: &'a [Phrase<'a>],
) -> (Vec<Pair<'a>>, Vec<&'a Phrase<'a>>, Vec<&'a Phrase<'a>>) {
    let mut taken = BTreeSet::new();
    let (mut found, mut left) = (Vec::new(), Vec::new());
    for old in removed {
        let rate = |new: &Phrase<'_>| {
            let same_start = if old.tokens.first() == new.tokens.first() { 20 } else { 0 };
            let holds = new.line.contains(old.line.trim_end_matches(';'));
            same_start + if holds { 100 } else { likeness(&old.tokens, &new.tokens) }
        };
        let free = added.iter().enumerate().filter(|(at, _)| !taken.contains(at));
        let rated = free.map(|(at, new)| (rate(new), at)).filter(|(rate, _)| *rate >= 50);
        // Of those that are as alike, the first.
        let best = rated.max_by_key(|(rate, at)| (*rate, std::cmp::Reverse(*at)));
        let pair = best.and_then(|(_, at)| {
            let new = added.get(at)?;
            let (gone, come) = difference(&old.tokens, &new.tokens)?;
            taken.insert(at);
            Some(Pair { old, new, gone, come })
        });
        match pair {
            Some(pair) => found.push(pair),
            None => left.push(old),
        }
    }
    let rest = added.iter().enumerate().filter(|(at, _)| !taken.contains(at)).map(|(_, new)| new);
    (found, left, rest.collect())
}

/// How many tokens two lines share, in percent.
fn likeness(old: &[&str], new: &[&str]) -> usize {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for token in new {
        *known.entry(token).or_default() += 1;
    }
    let mut shared = 0;
    for token in old {
        if let Some(count) = known.get_mut(token).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared * 200 / (old.len() + new.len()).max(1)
}

impl Pair<'_> {
    fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().filter_map(|at| self.old.tokens.get(*at).copied())
    }

    fn come(&self) -> impl Iterator<Item = &str> {
        self.come.iter().filter_map(|at| self.new.tokens.get(*at).copied())
    }

    /// The words that are gone, and those that have come.
    pub(super) fn words(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        (words_of(self.gone()), words_of(self.come()))
    }

    /// A check that asks for one of several things now, or a condition that holds less often.
    pub(super) fn adds_condition(&self, checks: bool) -> bool {
        let adds = |signs: &[&str]| self.come().any(|token| signs.contains(&token)) && !self.gone().any(says);
        let is_condition = self.old.tokens.first().is_some_and(|first| ["if", "unless", "when"].contains(first));
        checks && adds(&["||", "or", "orelse"]) || is_condition && adds(&["&&", "and", "andalso"])
    }

    /// A loop or a list of cases that is empty now; the word before it.
    pub(super) fn emptied(&self) -> Option<&str> {
        const GOES_THROUGH: &[&str] = &[
            "argnames",
            "arguments",
            "cases",
            "each",
            "enumerate",
            "for",
            "foreach",
            "in",
            "map",
            "of",
            "parametrize",
            "with",
            "zip",
        ];
        let through = self
            .old
            .tokens
            .iter()
            .find(|token| parts(token).iter().any(|part| GOES_THROUGH.contains(&part.as_str())))?;
        let empty = |tokens: &[&str]| {
            let pair = |pair: &[&str]| matches!(pair, ["[", "]"] | ["{", "}"] | [",", "(", ..] | ["in", "("]);
            let lists = tokens.windows(2).filter(|two| pair(two) && matches!(two, ["[", "]"] | ["{", "}"])).count();
            lists + tokens.windows(3).filter(|three| matches!(three, ["in", "(", ")"] | [":", "0", "]"])).count()
        };
        let is_less = empty(&self.new.tokens) > empty(&self.old.tokens) && self.come().count() > 0;
        is_less.then_some(*through)
    }

    /// A number of runs that is much smaller, or a time limit or a tolerance that is much larger; the name beside it.
    pub(super) fn runs_less(&self) -> Option<&str> {
        const RUNS: &[&str] =
            &["count", "examples", "iterations", "repeat", "repetitions", "runs", "samples", "trials"];
        const ALLOWS: &[&str] = &[
            "absolute",
            "accuracy",
            "deadline",
            "delta",
            "eps",
            "epsilon",
            "margin",
            "relative",
            "timeout",
            "tolerance",
            "within",
        ];
        let ([gone], [come]) = (self.gone.as_slice(), self.come.as_slice()) else { return None };
        let number = |token: Option<&&str>| token.and_then(|token| token.replace('_', "").parse::<f64>().ok());
        let (was, is) = (number(self.old.tokens.get(*gone))?, number(self.new.tokens.get(*come))?);
        let before = self.new.tokens.get(come.saturating_sub(2)..*come)?;
        let name = before.iter().rev().find(|token| is_word(token))?;
        let set = before.last().is_some_and(|sign| ["=", ":", "("].contains(sign) || is_word(sign));
        let has = |list: &[&str]| parts(name).iter().any(|part| list.contains(&part.as_str()));
        (set && (has(RUNS) && is * 2.0 <= was || has(ALLOWS) && is >= was * 10.0 && was > 0.0)).then_some(*name)
    }

    /// A number that gave way to the largest one there is.
    pub(super) fn has_no_bound(&self) -> bool {
        let (_, come) = self.words();
        self.gone().any(is_number) && ["inf", "infinity", "max"].iter().any(|word| come.contains(*word))
    }

    /// A text that every other one contains, or a text that negates, in the place of another text.
    pub(super) fn weaker_text(&self) -> bool {
        let content = |token: &str| token.trim_matches(['"', '\'', '`']).to_owned();
        let texts = |mut tokens: Box<dyn Iterator<Item = &str> + '_>, what: &dyn Fn(&str) -> bool| {
            tokens.any(|token| is_string(token) && what(&content(token)))
        };
        let negates = |text: &str| text.starts_with("not.");
        let (is_not, was_not) = (texts(Box::new(self.come()), &negates), texts(Box::new(self.gone()), &negates));
        let searches = || {
            let all = words_of(self.new.tokens.iter().copied());
            ["contain", "contains", "include", "includes", "like", "match", "matches", "starts", "ends"]
                .iter()
                .any(|word| all.contains(*word))
        };
        let empty = |text: &str| text.is_empty();
        is_not && !was_not && texts(Box::new(self.gone()), &|_| true)
            || texts(Box::new(self.come()), &empty)
                && texts(Box::new(self.gone()), &|text| !text.is_empty())
                && searches()
    }

    /// A kind of failure or of value that includes all others, in the place of one.
    pub(super) fn any_kind(&self) -> Option<&str> {
        const ALL: &[&str] = &[
            "Any",
            "AnyError",
            "BaseException",
            "CatchableError",
            "Error",
            "Exception",
            "NSError",
            "Object",
            "StandardError",
            "Throwable",
            "object",
        ];
        let was = self.gone().any(|token| is_word(token) && !ALL.contains(&token));
        self.come().find(|token| ALL.contains(token)).filter(|_| was)
    }

    /// A call that catches failures and is put behind what was there.
    pub(super) fn catches(&self) -> bool {
        let (_, come) = self.words();
        !self.gone().any(says) && ["catch", "rescue", "recover"].iter().any(|word| come.contains(*word))
    }

    /// Rows or elements that are gone from a list.
    pub(super) fn loses_rows(&self, others_have: &dyn Fn(&str) -> bool) -> bool {
        let is = |signs: &[&str]| self.gone().any(|token| signs.contains(&token));
        !self.come().any(says)
            && is(&["{", "["])
            && is(&["}", "]"])
            && is(&[",", ";"])
            && self.gone().any(|token| (is_number(token) || is_string(token)) && !others_have(token))
    }

    /// A name that compares exactly is gone, and no other one has come.
    pub(super) fn loses_exactness(&self) -> bool {
        const EXACT: &[&str] = &["equal", "equals", "exactly", "identical"];
        const ALSO: &[&str] = &["empty", "false", "nil", "none", "null", "ok", "true", "zero"];
        let (gone, come) = self.words();
        let has = |words: &BTreeSet<String>, list: &[&str]| list.iter().any(|word| words.contains(*word));
        let now = words_of(self.new.tokens.iter().copied());
        has(&gone, EXACT)
            && !has(&now, EXACT)
            && (come.contains("not") || !has(&come, ALSO))
            && !self.come().any(|token| phrase::is_strong(token) || token == "==")
            && self.come().any(is_word)
    }

    /// Whether the new line opens and closes as much as the old one did.
    pub(super) fn is_whole(&self) -> bool {
        let open = |tokens: &[&str]| {
            let count = |signs: &[&str]| tokens.iter().filter(|token| signs.contains(token)).count();
            (count(&["(", "[", "{"]) + tokens.len()).saturating_sub(count(&[")", "]", "}"]))
        };
        open(&self.new.tokens) + self.old.tokens.len() == open(&self.old.tokens) + self.new.tokens.len()
    }

    /// A sign that is put before a line, as one that turns it off.
    pub(super) fn is_struck_out(&self) -> bool {
        let signs = ["#", "-", "/", ";", "~"];
        self.come.first() == Some(&0) && self.gone.is_empty() && self.come().all(|token| signs.contains(&token))
    }

    /// Words with a value of their own that have come: `enabled = false`, `skip(…)`.
    pub(super) fn settings(&self) -> BTreeSet<String> {
        let set = |at: &&usize| self.new.tokens.get(**at + 1).is_some_and(|next| ["(", "=", ":"].contains(next));
        words_of(self.come.iter().filter(set).filter_map(|at| self.new.tokens.get(*at).copied()))
    }

    /// A check that something fails, in which the test itself fails now.
    pub(super) fn raises_itself(&self) -> bool {
        self.old.expects_failure()
            && self.come().any(|token| ["throw", "raise", "panic", "error", "fail"].contains(&token))
    }

    /// A call that is put around a check, and is none that only waits for it or groups it.
    pub(super) fn wrapped(&self) -> Option<&str> {
        let (before, behind) = self.new.line.split_once(self.old.line.trim_end_matches(';'))?;
        let is_around = before.trim_end().ends_with(['(', '{', '>', '}']) && behind.contains([')', '}'])
            || before.contains("pcall");
        let call = tokens(before).into_iter().find(|token| is_word(token)).filter(|_| is_around)?;
        (!phrase::only_groups(call)).then(|| before.trim())
    }

    /// An operator for equality that is gone, with none in its place.
    pub(super) fn loses_operator(&self) -> bool {
        const EQUAL: &[&str] = &["==", "===", "eq", "is"];
        let has = |mut tokens: Box<dyn Iterator<Item = &str> + '_>| tokens.any(|token| EQUAL.contains(&token));
        let has_verb = || self.come().filter(|token| is_word(token)).any(phrase::is_strong);
        has(Box::new(self.gone())) && !has(Box::new(self.come())) && !has_verb()
    }

    /// A check that only loses something: not a message, nor what had turned it off.
    pub(super) fn only_loses(&self, others_have: &dyn Fn(&str) -> bool) -> bool {
        const IDLE: &[&str] =
            &["async", "await", "const", "final", "let", "mut", "new", "public", "static", "this", "self"];
        let adds = self.come().any(says);
        let (gone, _) = self.words();
        let matters = self.gone().any(|token| (is_word(token) || is_number(token)) && !IDLE.contains(&token));
        let is_text = !self.gone().any(|token| is_word(token) || is_number(token)) && self.gone().any(is_string);
        let is_elsewhere = !gone.is_empty() && gone.iter().all(|word| others_have(word));
        !adds && matters && !is_elsewhere && !is_text && !gone.iter().any(|word| phrase::turns_off(word))
    }
}
