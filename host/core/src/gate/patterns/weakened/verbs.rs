//! The verbs of a check: what stands beside the thing under test, and how much it asks for.

use std::collections::BTreeSet;

use super::phrase::{CHECKS, Phrase, has};
use super::tokens::parts;

/// Words of verbs that ask for one value.
#[rustfmt::skip]
const STRONG: &[&str] = &[
    "be", "calls", "code", "count", "eq", "eql", "equal", "equals", "equivalent", "exact", "exactly", "have", "identical", "is",
    "length", "match", "matches", "ok", "once", "same", "size", "status", "strict", "text", "thrice", "twice", "value", "with",
];

/// Words of verbs that many values satisfy.
#[rustfmt::skip]
const LOOSE: &[&str] = &[
    "any", "anything", "can", "defined", "exist", "exists", "falsy", "greater", "instance", "instanceof", "isa",
    "isinstance", "isnt", "kind", "least", "less", "most", "never", "not", "nothing", "optional", "partial", "pass", "respond",
    "soft", "some", "structure", "throwable", "truthy", "type", "typeof", "unlike",
];

/// Words that take the looseness from such a verb: `containsExactlyInAnyOrder`, `TypeError`.
const NOT_LOOSE: &[&str] = &["error", "exactly", "exception", "strict"];

pub(super) fn is_strong(name: &str) -> bool {
    !["be", "have", "is"].contains(&name)
        && (has(name, STRONG) || has_part(name))
        && !has(name, LOOSE)
        && !has(name, &["dies", "lives"])
}

/// Whether a name says that something is not so. That nothing fails says nothing of a value: `assertDoesNotThrow`.
pub(super) fn negates(name: &str) -> bool {
    has(name, &["never", "not"]) && !has(name, &["fail", "fails", "raise", "raises", "throw", "throws"])
}

/// Whether a name asks for a part of a thing: `hasMessage`.
fn has_part(name: &str) -> bool {
    name.strip_prefix("has").is_some_and(|part| part.starts_with(char::is_uppercase))
}

impl<'a> Phrase<'a> {
    /// Whether it checks something that many values satisfy.
    pub(super) fn is_loose(&self) -> bool {
        let is_loose = |verb: &str| has(verb, LOOSE) && !has(verb, NOT_LOOSE) && !has(verb, &["never", "not"]);
        self.checks() && self.verbs().any(|verb| is_loose(verb) && !self.asks_what_is_thrown(verb))
    }

    /// Whether a verb asks for the kind of what is thrown, which is all that such a check can ask for.
    fn asks_what_is_thrown(&self, verb: &str) -> bool {
        has(verb, &["instance"]) && self.tokens.iter().any(|token| has(token, &["thrown"]))
    }

    /// One if it checks something that few values satisfy.
    pub(super) fn asks_much(&self) -> usize {
        usize::from(self.checks() && !self.is_loose())
    }

    /// The tokens of the thing under test: what stands in `expect(…)`, or before `should`.
    fn subject(&self) -> (usize, usize) {
        const HOLDS: &[&str] = &["assertThat", "assert_that", "expect", "expectThat", "that"];
        let close = |from: usize, stops_at_comma: bool| {
            let mut depth = 0_usize;
            let behind = self.tokens.iter().enumerate().skip(from);
            for (at, token) in behind {
                match *token {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" if depth <= 1 => return at,
                    ")" | "]" | "}" => depth -= 1,
                    "," if depth == 1 && stops_at_comma => return at,
                    _ => {}
                }
            }
            self.tokens.len()
        };
        let mut names = self.names();
        match names.find(|(_, name)| HOLDS.contains(name) || has(name, CHECKS)) {
            Some((at, name)) if HOLDS.contains(&name) => (at + 1, close(at + 1, true)),
            Some((at, name)) if has(name, &["should"]) => (0, at),
            // Of `assertEquals(a, b)`, the arguments are the things under test.
            Some((at, _)) if self.tokens.get(at + 1) == Some(&"(") => (at + 1, close(at + 1, false)),
            // A macro of Rust.
            Some((at, _)) if self.tokens.get(at + 1) == Some(&"!") => (at + 2, close(at + 2, false)),
            _ => (usize::MAX, usize::MAX),
        }
    }

    /// The names of what it asks, without those of the thing under test.
    fn verbs(&self) -> impl Iterator<Item = &'a str> {
        let (from, to) = self.subject();
        self.names().filter(move |(at, _)| *at < from || *at > to).map(|(_, name)| name)
    }

    /// A verb that is new and not known to ask for one value, where one that asked for more is gone.
    pub(super) fn weaker_verb(&self, new: &Self) -> Option<&'a str> {
        let (old, now): (BTreeSet<&str>, BTreeSet<&str>) = (self.verbs().collect(), new.verbs().collect());
        let gone: Vec<&str> = old.iter().copied().filter(|verb| !now.contains(verb)).collect();
        let come: Vec<&str> = now.iter().copied().filter(|verb| !old.contains(verb)).collect();
        // In Rust, a pattern is as exact as what stands in it.
        if new.tokens.windows(2).any(|two| two == ["matches", "!"]) {
            return None;
        }
        let was_loose = gone.iter().any(|verb| has(verb, LOOSE));
        if new.tokens.contains(&"==") && !self.tokens.contains(&"==") {
            return None;
        }
        // That something is missing may be said by a negation.
        let was_absent = gone.iter().any(|verb| has(verb, &["empty", "false", "nil", "none", "null", "undefined"]));
        let negates = |verb: &str| negates(verb) && (gone.is_empty() || was_absent);
        let is_loose = |verb: &str| has(verb, LOOSE) && !has(verb, NOT_LOOSE) && !negates(verb) && new.may_ask(verb);
        // Beside an operator, a name is what is compared, if it asks for no kind.
        let is_compared = new.head() == Some("assert") && new.tokens.contains(&"==");
        let is_loose = |verb: &str| !new.asks_what_is_thrown(verb) && is_loose(verb);
        let is_loose = |verb: &str| {
            is_loose(verb) && (!is_compared || has(verb, &["any", "instance", "kind", "not", "type", "typeof"]))
        };
        if let Some(verb) = come.iter().find(|verb| is_loose(verb) && !was_loose) {
            return Some(*verb);
        }
        // Where the thing under test stands apart, every other name is a verb.
        let (from, to) = self.subject();
        let is_apart = to > from
            && self
                .names()
                .any(|(at, name)| at + 1 == from && !has(name, &["assert"]) || at == to && has(name, &["should"]));
        let checking = |verb: &&&str| is_apart || has(verb, CHECKS);
        if come.iter().any(|verb| is_strong(verb)) {
            return None;
        }
        let lost = gone.iter().filter(checking).find(|verb| is_strong(verb));
        // `assertAll` only groups checks.
        let replaced = come.iter().find(checking).filter(|verb| !is_strong(verb) && **verb != "assertAll");
        lost.and(replaced).copied()
    }

    /// Whether a name of several words asks something: it is called, or it begins with a word that asks.
    fn may_ask(&self, name: &str) -> bool {
        const BEGINS: &[&str] =
            &["assert", "be", "check", "does", "expect", "has", "have", "is", "must", "not", "should", "to"];
        let first = parts(name)
            .first()
            .is_some_and(|first| BEGINS.contains(&first.as_str()) || LOOSE.contains(&first.as_str()));
        let mut around = self.tokens.windows(3);
        // A variable, and a failure that is made.
        let is_given = around.any(|three| match three {
            [before, own, after] if *own == name => {
                *before == "new" || ["(", ","].contains(before) && [")", ","].contains(after)
            }
            _ => false,
        });
        let called = self.tokens.windows(2).any(|two| matches!(two, [own, "("] if *own == name));
        (first || called) && !(is_given && name.contains('_'))
    }
}
