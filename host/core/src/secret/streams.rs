//! An automaton for many words, which reads a text at four places at once.
//!
//! The automaton of the keywords is larger than the processor's caches. Each of its steps needs the result of the one before,
//! so a single run spends most of its time waiting for memory. Four runs wait together.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;

/// How many places of a text are read at once.
const STREAMS: usize = 4;
/// Most bytes that are read at each of them before the words found there are reported.
const LONGEST: usize = 4 << 10;
/// Fewest bytes for which that pays: the automaton has to read what precedes a place first.
const SHORTEST: usize = 128;

/// Finds words. ASCII letters of both cases are equal.
#[derive(Debug)]
pub(super) struct Streams {
    dfa: DFA,
    start: StateID,
}

/// Where words end: the end, and the state that knows the words.
type Ends = Vec<(usize, StateID)>;

impl Streams {
    /// The error is a message fragment.
    pub(super) fn new(words: &[String]) -> Result<Self, String> {
        let built = DFA::builder().ascii_case_insensitive(true).build(words);
        let dfa = built.map_err(|error| format!("there are too many keywords: {error}"))?;
        let start = dfa.start_state(Anchored::No).map_err(|error| error.to_string())?;
        Ok(Self { dfa, start })
    }

    /// Calls `hit` with the start and end of each word in the text and its index, ordered by end. Words may overlap.
    pub(super) fn each(&self, text: &[u8], mut hit: impl FnMut(usize, usize, usize)) {
        let mut ends = <[Ends; STREAMS]>::default();
        let mut state = self.start;
        let mut read = 0;
        while read < text.len() {
            let to = text.len().min(read + STREAMS * LONGEST);
            let part = (to - read) / STREAMS;
            if part >= SHORTEST {
                state = self.read_parts(text, read, part, state, &mut ends);
                read += STREAMS * part;
            }
            let [.., last] = &mut ends;
            for (at, byte) in text.iter().enumerate().take(to).skip(read) {
                state = self.step(state, *byte);
                self.note(state, at, last);
            }
            read = to;
            for (end, state) in ends.iter_mut().flat_map(|ends| ends.drain(..)) {
                self.report(end, state, &mut hit);
            }
        }
    }

    /// Reads parts of this length, the first of which begins at `from`, in `state`. Returns the state after the last one.
    fn read_parts(&self, text: &[u8], from: usize, part: usize, state: StateID, ends: &mut [Ends; STREAMS]) -> StateID {
        let places = [from, from + part, from + 2 * part, from + 3 * part];
        let [first, second, third, fourth] = places.map(|at| text.get(at..at + part).unwrap_or_default());
        let mut states = places.map(|at| self.before(text, at));
        states[0] = state;
        for (at, (((a, b), c), d)) in first.iter().zip(second).zip(third).zip(fourth).enumerate() {
            let [one, two, three, four] = states;
            states = [self.step(one, *a), self.step(two, *b), self.step(three, *c), self.step(four, *d)];
            // Few states are special, and words end in none but those.
            if states.into_iter().fold(false, |any, state| any | self.dfa.is_special(state)) {
                for ((ends, state), place) in ends.iter_mut().zip(states).zip(places) {
                    self.note(state, place + at, ends);
                }
            }
        }
        let [.., last] = states;
        last
    }

    /// The state at a place of the text. No word that ends behind it begins before what is read here.
    fn before(&self, text: &[u8], at: usize) -> StateID {
        let near = text.get(at.saturating_sub(self.dfa.max_pattern_len())..at).unwrap_or_default();
        near.iter().fold(self.start, |state, byte| self.step(state, *byte))
    }

    fn step(&self, state: StateID, byte: u8) -> StateID {
        self.dfa.next_state(Anchored::No, state, byte)
    }

    /// Notes the words that end with the byte at `at`.
    fn note(&self, state: StateID, at: usize, ends: &mut Ends) {
        if self.dfa.is_match(state) {
            ends.push((at + 1, state));
        }
    }

    fn report(&self, end: usize, state: StateID, hit: &mut impl FnMut(usize, usize, usize)) {
        for index in 0..self.dfa.match_len(state) {
            let word = self.dfa.match_pattern(state, index);
            hit(end - self.dfa.pattern_len(word), end, word.as_usize());
        }
    }
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Texts so long that parts of them are read at once, and so short that they are not.
        #[test]
        fn finds_what_one_run_finds_in_the_same_order(
            words in proptest::collection::vec("[abAé]{1,5}", 0..6), text in "([abBé]{0,9}|[a-z ]{0,40}){0,8}", times in 0usize..400,
        ) {
            let text = text.repeat(times);
            let mut found = Vec::new();
            Streams::new(&words).unwrap().each(text.as_bytes(), |start, end, word| found.push((start, end, word)));
            let whole = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).unwrap();
            let one_run = whole.find_overlapping_iter(&text);
            let expected: Vec<_> = one_run.map(|here| (here.start(), here.end(), here.pattern().as_usize())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
