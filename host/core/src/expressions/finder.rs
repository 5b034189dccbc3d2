//! Finds many words in a short text without building an automaton first: at each place, the two bytes there say which few
//! words could begin.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Words to find, in ASCII lower case. Letter case does not count.
#[derive(Debug)]
pub(crate) struct Finder {
    /// A bit for each pair of bytes that a word begins with.
    pairs: Vec<u64>,
    /// Sorted by their first two bytes: those, the word, and whose it is.
    words: Vec<(u16, Box<[u8]>, usize)>,
}

impl Finder {
    /// Words and whose each is; `None` if one is shorter than two bytes.
    pub(crate) fn new<W: AsRef<[u8]>>(words: impl Iterator<Item = (W, usize)>) -> Option<Self> {
        let mut pairs = vec![0; 1 << 10];
        let mut sorted = Vec::new();
        for (word, owner) in words {
            let word = word.as_ref();
            let [first, second, ..] = word else { return None };
            let pair = u16::from_be_bytes([*first, *second]);
            *bit(&mut pairs, pair)? |= 1 << (pair & 63);
            sorted.push((pair, Box::from(word), owner));
        }
        sorted.sort_unstable();
        Some(Self { pairs, words: sorted })
    }

    /// Calls `hit` with start and end of each word in the text and whose it is, in the order of the starts.
    pub(crate) fn each(&self, text: &[u8], mut hit: impl FnMut(usize, usize, usize)) {
        let mut before = 0;
        for (at, byte) in text.iter().enumerate() {
            let byte = byte.to_ascii_lowercase();
            let pair = u16::from_be_bytes([before, byte]);
            before = byte;
            if self.begins(pair)
                && let Some(start) = at.checked_sub(1)
                && let Some(rest) = text.get(start..)
            {
                for (_, word, owner) in self.with(pair) {
                    if rest.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word)) {
                        hit(start, start + word.len(), *owner);
                    }
                }
            }
        }
    }

    /// An automaton for the same words, and whose each of them is. Building it takes as long as this finder takes for
    /// some ten thousand bytes.
    pub(crate) fn automaton(&self) -> (AhoCorasick, Vec<usize>) {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        let automaton = builder.build(self.words.iter().map(|(_, word, _)| word)).expect("the words are few");
        (automaton, self.words.iter().map(|(_, _, owner)| *owner).collect())
    }

    fn begins(&self, pair: u16) -> bool {
        self.pairs.get(usize::from(pair >> 6)).is_some_and(|bits| bits & (1 << (pair & 63)) != 0)
    }

    fn with(&self, pair: u16) -> impl Iterator<Item = &(u16, Box<[u8]>, usize)> {
        let from = self.words.partition_point(|(other, ..)| *other < pair);
        self.words.iter().skip(from).take_while(move |(other, ..)| *other == pair)
    }
}

fn bit(pairs: &mut [u64], pair: u16) -> Option<&mut u64> {
    pairs.get_mut(usize::from(pair >> 6))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_an_automaton_finds(
            words in proptest::collection::vec("[a-cé\\]]{2,4}", 1..8), text in "[a-cA-CéÉ\\]\\[]{0,60}",
        ) {
            let words: Vec<String> = words.into_iter().filter(|word| word.len() > 1).collect();
            let finder = Finder::new(words.iter().zip(0..)).unwrap();
            let mut found = Vec::new();
            finder.each(text.as_bytes(), |start, end, owner| found.push((start, end, owner)));
            let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).unwrap();
            let expected = automaton.find_overlapping_iter(&text);
            let mut expected: Vec<_> =
                expected.map(|found| (found.start(), found.end(), found.pattern().as_usize())).collect();
            prop_assert!(found.is_sorted_by_key(|(start, ..)| start));
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn short_words_are_refused() {
        assert!(Finder::new([("ab", 0), ("c", 1)].into_iter()).is_none());
        assert!(Finder::new(std::iter::empty::<(&str, usize)>()).is_some());
    }
}
