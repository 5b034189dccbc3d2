//! The automaton that finds all keywords in one pass, and the possible prefixes of an expression's matches.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::expressions::Finder;

/// Bytes of text after which the automaton is built. Building it takes as long as it saves on this many bytes.
const FEW_BYTES: usize = 512 << 10;

/// Bytes of keywords for which an automaton can certainly be built: one state for each is far below its limit.
const CERTAIN_BYTES: usize = 64 << 10;

/// The keywords of many rules. For each keyword, the rules that use it. Two automata search them after much was read: a
/// table has a column for each byte that some keyword has, and without the bytes beyond ASCII it is half as large.
#[derive(Debug)]
pub(super) struct Keywords {
    /// Those in ASCII come first.
    words: Vec<String>,
    rules: Vec<Vec<usize>>,
    /// How many words are in ASCII.
    plain: usize,
    /// Finds the words in the first texts; `None` if a word is too short for it.
    finder: Option<Finder>,
    automaton: OnceLock<AhoCorasick>,
    /// Finds the words that are not in ASCII.
    foreign: OnceLock<AhoCorasick>,
    /// Bytes that were read without the automaton.
    read: AtomicUsize,
}

impl Keywords {
    /// `words` are pairs of a keyword and the index of its rule. The error is a message fragment.
    pub(super) fn new<'a>(words: impl Iterator<Item = (&'a str, usize)>) -> Result<Self, String> {
        let mut all: Vec<(String, usize)> = words.map(|(word, rule)| (word.to_ascii_lowercase(), rule)).collect();
        all.sort_unstable_by(|one, other| (!one.0.is_ascii(), one).cmp(&(!other.0.is_ascii(), other)));
        let mut distinct: Vec<String> = Vec::with_capacity(all.len());
        let mut rules: Vec<Vec<usize>> = Vec::with_capacity(all.len());
        for (word, rule) in all {
            if distinct.last() == Some(&word)
                && let Some(users) = rules.last_mut()
            {
                users.push(rule);
            } else {
                distinct.push(word);
                rules.push(vec![rule]);
            }
        }
        let plain = distinct.iter().filter(|word| word.is_ascii()).count();
        let (automaton, foreign) = Default::default();
        if distinct.iter().map(String::len).sum::<usize>() > CERTAIN_BYTES {
            // Nobody else has it yet, so it is empty.
            let (in_ascii, beyond) = distinct.split_at(plain);
            let _ = (OnceLock::set(&automaton, built(in_ascii)?), OnceLock::set(&foreign, built(beyond)?));
        }
        let finder = Finder::new(distinct.iter().zip(0..));
        Ok(Self { words: distinct, rules, plain, finder, automaton, foreign, read: AtomicUsize::new(0) })
    }

    /// Calls `hit` with the start and end of each keyword in the text and the index of each rule that uses it, ordered
    /// by end.
    pub(super) fn each(&self, text: &str, mut hit: impl FnMut(usize, usize, usize)) {
        let mut found = |start, end, word: usize| {
            let rules = self.rules.get(word).map_or(&[][..], Vec::as_slice);
            for rule in rules {
                hit(start, end, *rule);
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
        let mut foreign = self.foreign(text).into_iter().peekable();
        for here in self.automaton().find_overlapping_iter(text) {
            while let Some((end, start, word)) =
                foreign.next_if(|(end, start, _)| (*end, *start) <= (here.end(), here.start()))
            {
                found(start, end, word);
            }
            found(here.start(), here.end(), here.pattern().as_usize());
        }
        foreign.for_each(|(end, start, word)| found(start, end, word));
    }

    /// Whether no more than [`FEW_BYTES`] have been read, with this text.
    fn is_among_the_first(&self, text: &str) -> bool {
        self.automaton.get().is_none()
            && self.read.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len()) <= FEW_BYTES
    }

    fn automaton(&self) -> &AhoCorasick {
        let words = self.words.get(..self.plain).unwrap_or_default();
        self.automaton.get_or_init(|| built(words).expect("more keywords were built at once"))
    }

    /// Where keywords beyond ASCII are: the end, the start and the word, ordered by end.
    fn foreign(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let words = self.words.get(self.plain..).unwrap_or_default();
        if words.is_empty() || text.is_ascii() {
            return Vec::new();
        }
        let automaton = self.foreign.get_or_init(|| built(words).expect("more keywords were built at once"));
        let mut found = Vec::new();
        for window in beyond_ascii(text.as_bytes(), words.iter().map(String::len).max().unwrap_or(0)) {
            for here in automaton.find_overlapping_iter(text.as_bytes().get(window.clone()).unwrap_or_default()) {
                let word = self.plain + here.pattern().as_usize();
                found.push((window.start + here.end(), window.start + here.start(), word));
            }
        }
        found
    }
}

/// The parts of a text that have bytes beyond ASCII, with `around` more bytes on each side, in order and apart.
fn beyond_ascii(text: &[u8], around: usize) -> Vec<Range<usize>> {
    const CHUNK: usize = 256;
    let mut windows: Vec<Range<usize>> = Vec::new();
    for (number, _) in text.chunks(CHUNK).enumerate().filter(|(_, chunk)| !chunk.is_ascii()) {
        let window = (number * CHUNK).saturating_sub(around)..((number + 1) * CHUNK + around).min(text.len());
        match windows.last_mut().filter(|last| window.start <= last.end) {
            Some(last) => last.end = window.end,
            None => windows.push(window),
        }
    }
    windows
}

fn built(words: &[String]) -> Result<AhoCorasick, String> {
    let mut builder = AhoCorasick::builder();
    let built = builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words);
    built.map_err(|error| format!("there are too many keywords: {error}"))
}

/// Most prefixes that are listed. An expression with more is searched in windows around its keywords.
const MAX_PREFIXES: usize = 1024;
/// Longest prefix, in bytes.
const MAX_PREFIX_BYTES: usize = 24;

/// A prefix in lower case, and whether it may be extended.
type Prefix = (Vec<u8>, bool);

/// The possible prefixes of an expression's matches, in lower case. Empty if there are too many to list.
pub(super) fn prefixes(hir: &Hir) -> Vec<Vec<u8>> {
    let found = prefixes_of(hir);
    if found.len() > MAX_PREFIXES { Vec::new() } else { found.into_iter().map(|(prefix, _)| prefix).collect() }
}

fn prefixes_of(hir: &Hir) -> Vec<Prefix> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![(Vec::new(), true)],
        HirKind::Literal(literal) => vec![(literal.0.to_ascii_lowercase(), true)],
        HirKind::Class(class) => of_class(class),
        HirKind::Repetition(repetition) => {
            let once = repetition.max == Some(1);
            let mut prefixes: Vec<Prefix> =
                prefixes_of(&repetition.sub).into_iter().map(|(prefix, open)| (prefix, open && once)).collect();
            if repetition.min == 0 {
                prefixes.push((Vec::new(), true));
            }
            prefixes
        }
        HirKind::Capture(capture) => prefixes_of(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().flat_map(prefixes_of).take(MAX_PREFIXES + 1).collect(),
        HirKind::Concat(parts) => of_concat(parts),
    }
}

/// The letters of a class of at most 16 ASCII characters. Any other class ends the prefix.
fn of_class(class: &Class) -> Vec<Prefix> {
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

fn of_concat(parts: &[Hir]) -> Vec<Prefix> {
    let mut prefixes: Vec<Prefix> = vec![(Vec::new(), true)];
    for part in parts {
        if prefixes.len() > MAX_PREFIXES
            || !prefixes.iter().any(|(prefix, open)| *open && prefix.len() < MAX_PREFIX_BYTES)
        {
            break;
        }
        let next = prefixes_of(part);
        let (open, mut done): (Vec<Prefix>, Vec<Prefix>) =
            prefixes.into_iter().partition(|(prefix, open)| *open && prefix.len() < MAX_PREFIX_BYTES);
        if done.len() + open.len() * next.len() > MAX_PREFIXES {
            done.extend(open.into_iter().map(|(prefix, _)| (prefix, false)));
            return done;
        }
        for (prefix, _) in open {
            done.extend(next.iter().map(|(tail, open)| ([prefix.as_slice(), tail].concat(), *open)));
        }
        prefixes = done;
    }
    prefixes
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
            words in proptest::collection::vec("[a-cA]{2,4}|[a-cñ]{2,3}", 0..8), text in "[a-cA-Cñ\u{212a}]{0,60}",
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
