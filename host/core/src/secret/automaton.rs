//! The automaton that finds all keywords in one pass, and what a match can begin with.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::expressions::Finder;

/// Bytes of text after which the automaton is built: building it takes as long as it saves over these.
const FEW_BYTES: usize = 128 << 10;

/// Bytes of keywords of which an automaton can certainly be built: a state for each, far below its bound.
const CERTAIN_BYTES: usize = 64 << 10;

/// The keywords of many rules, and which rules have each. Searched by an automaton once much was read.
#[derive(Debug)]
pub(super) struct Keywords {
    words: Vec<String>,
    owners: Vec<Vec<usize>>,
    /// What finds them in few texts; none where a word is too short for it.
    finder: Option<Finder>,
    automaton: OnceLock<AhoCorasick>,
    /// Bytes that were read without the automaton.
    read: AtomicUsize,
}

impl Keywords {
    /// `words` are pairs of a keyword and the rule that has it; the error is a fragment.
    pub(super) fn new<'a>(words: impl Iterator<Item = (&'a str, usize)>) -> Result<Self, String> {
        let mut known = std::collections::HashMap::new();
        let mut distinct: Vec<String> = Vec::new();
        let mut owners: Vec<Vec<usize>> = Vec::new();
        for (word, rule) in words {
            let word = word.to_ascii_lowercase();
            let at = *known.entry(word.clone()).or_insert_with(|| {
                distinct.push(word);
                owners.push(Vec::new());
                owners.len() - 1
            });
            if let Some(owner) = owners.get_mut(at) {
                owner.push(rule);
            }
        }
        let automaton = OnceLock::new();
        if distinct.iter().map(String::len).sum::<usize>() > CERTAIN_BYTES {
            // Nobody else has it yet, so it is empty.
            let _ = automaton.set(built(&distinct)?);
        }
        let finder = Finder::new(distinct.iter().zip(0..));
        Ok(Self { words: distinct, owners, finder, automaton, read: AtomicUsize::new(0) })
    }

    /// Calls `hit` with start and end of each keyword in the text and each rule that has it, by end.
    pub(super) fn each(&self, text: &str, mut hit: impl FnMut(usize, usize, usize)) {
        let mut found = |start, end, word: usize| {
            let owners = self.owners.get(word).map_or(&[][..], Vec::as_slice);
            for owner in owners {
                hit(start, end, *owner);
            }
        };
        if let Some(finder) = self.finder.as_ref().filter(|_| self.is_among_the_first(text)) {
            let mut hits = Vec::new();
            finder.each(text.as_bytes(), |start, end, word| hits.push((end, start, word)));
            hits.sort_unstable();
            for (end, start, word) in hits {
                found(start, end, word);
            }
            return;
        }
        for here in self.automaton().find_overlapping_iter(text) {
            found(here.start(), here.end(), here.pattern().as_usize());
        }
    }

    /// Whether no more than [`FEW_BYTES`] have been read, with this text.
    fn is_among_the_first(&self, text: &str) -> bool {
        self.automaton.get().is_none()
            && self.read.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len()) <= FEW_BYTES
    }

    fn automaton(&self) -> &AhoCorasick {
        self.automaton.get_or_init(|| built(&self.words).expect("more keywords were built at once"))
    }
}

fn built(words: &[String]) -> Result<AhoCorasick, String> {
    let mut builder = AhoCorasick::builder();
    let built = builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words);
    built.map_err(|error| format!("the keywords are too many: {error}"))
}

/// Most beginnings that are told apart; an expression with more is searched around its keywords.
const MAX_HEADS: usize = 1024;
/// Bytes after which a beginning is told apart from every other.
const HEAD_LENGTH: usize = 24;

/// A beginning, in lower case, and whether the expression may go on after it.
type Head = (Vec<u8>, bool);

/// What the matches of an expression may begin with, in lower case. Empty where that cannot be told.
pub(super) fn heads(hir: &Hir) -> Vec<Vec<u8>> {
    let found = heads_of(hir);
    if found.len() > MAX_HEADS { Vec::new() } else { found.into_iter().map(|(head, _)| head).collect() }
}

fn heads_of(hir: &Hir) -> Vec<Head> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![(Vec::new(), true)],
        HirKind::Literal(literal) => vec![(literal.0.to_ascii_lowercase(), true)],
        HirKind::Class(class) => of_class(class),
        HirKind::Repetition(repetition) => {
            let once = repetition.max == Some(1);
            let mut heads: Vec<Head> =
                heads_of(&repetition.sub).into_iter().map(|(head, open)| (head, open && once)).collect();
            if repetition.min == 0 {
                heads.push((Vec::new(), true));
            }
            heads
        }
        HirKind::Capture(capture) => heads_of(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().flat_map(heads_of).take(MAX_HEADS + 1).collect(),
        HirKind::Concat(parts) => of_concat(parts),
    }
}

/// One letter in both cases, or very few characters; others end the beginning.
fn of_class(class: &Class) -> Vec<Head> {
    let bytes: Vec<u8> = match class {
        Class::Bytes(class) => class.iter().flat_map(|range| range.start()..=range.end()).take(17).collect(),
        Class::Unicode(class) => {
            let chars = class.iter().flat_map(|range| range.start()..=range.end()).take(17);
            chars.map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(0)).collect()
        }
    };
    let mut letters: Vec<u8> = bytes.iter().map(u8::to_ascii_lowercase).collect();
    letters.sort_unstable();
    letters.dedup();
    if bytes.len() > 16 || letters.contains(&0) {
        return vec![(Vec::new(), false)];
    }
    letters.into_iter().map(|letter| (vec![letter], true)).collect()
}

fn of_concat(parts: &[Hir]) -> Vec<Head> {
    let mut heads: Vec<Head> = vec![(Vec::new(), true)];
    for part in parts {
        if heads.len() > MAX_HEADS || !heads.iter().any(|(head, open)| *open && head.len() < HEAD_LENGTH) {
            break;
        }
        let next = heads_of(part);
        let (open, mut done): (Vec<Head>, Vec<Head>) =
            heads.into_iter().partition(|(head, open)| *open && head.len() < HEAD_LENGTH);
        if done.len() + open.len() * next.len() > MAX_HEADS {
            done.extend(open.into_iter().map(|(head, _)| (head, false)));
            return done;
        }
        for (head, _) in open {
            done.extend(next.iter().map(|(tail, open)| ([head.as_slice(), tail].concat(), *open)));
        }
        heads = done;
    }
    heads
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(keywords: &Keywords, text: &str) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        keywords.each(text, |start, end, owner| found.push((start, end, owner)));
        found
    }

    /// The automaton is asked for whatever was read.
    fn after_much(keywords: &Keywords) -> &Keywords {
        keywords.automaton();
        keywords
    }

    proptest! {
        #[test]
        fn both_ways_find_the_same_in_the_same_order(
            words in proptest::collection::vec("[a-cA]{2,4}", 0..8), text in "[a-cA-C\u{212a}]{0,60}",
        ) {
            let keywords = || Keywords::new(words.iter().map(String::as_str).chain(["key", "abc"]).zip(0..)).unwrap();
            let few = keywords();
            prop_assert_eq!(found(&few, &text), found(after_much(&keywords()), &text));
            prop_assert!(few.automaton.get().is_none());
        }
    }

    #[test]
    fn much_text_and_short_keywords_take_the_automaton() {
        let keywords = |words: &[&'static str]| Keywords::new(words.iter().copied().zip(0..)).unwrap();
        let many = keywords(&["key", "api_key"]);
        assert!(found(&many, &" ".repeat(FEW_BYTES)).is_empty() && many.automaton.get().is_none());
        assert_eq!(found(&many, "API_KEY"), [(0, 7, 1), (4, 7, 0)]);
        assert!(many.automaton.get().is_some());
        let short = keywords(&["k", "key"]);
        assert_eq!(found(&short, "key"), [(0, 1, 0), (0, 3, 1)]);
        assert!(short.automaton.get().is_some());
    }

    #[test]
    fn what_might_be_too_many_is_built_at_once() {
        let words: Vec<String> = (0..CERTAIN_BYTES / 8).map(|number| format!("key{number:06}")).collect();
        let keywords = Keywords::new(words.iter().map(String::as_str).zip(0..)).unwrap();
        assert!(keywords.automaton.get().is_some());
        assert_eq!(found(&keywords, "a KEY000007"), [(2, 11, 7)]);
    }
}
