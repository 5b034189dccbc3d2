//! Finds many words in a short text without building an automaton first: at each place, the two bytes there say which few
//! words could begin, and the byte behind them whether one does.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Words to find, in ASCII lower case. Letter case does not count.
#[derive(Debug)]
pub(crate) struct Finder {
    /// A bit for each pair of bytes that a word begins with.
    pairs: Vec<u64>,
    /// A bit for the three bytes that a word begins with. Others may share it.
    triples: Vec<u64>,
    /// Sorted by their first three bytes: those, the word, and whose it is.
    words: Vec<(u32, Box<[u8]>, usize)>,
    /// The same for words of two bytes, with these in place of the word.
    short: Vec<([u8; 2], usize)>,
}

impl Finder {
    /// Words and whose each is; `None` if one is shorter than two bytes.
    pub(crate) fn new<W: AsRef<[u8]>>(words: impl Iterator<Item = (W, usize)>) -> Option<Self> {
        let mut finder =
            Self { pairs: vec![0; 1 << 10], triples: vec![0; 1 << 10], words: Vec::new(), short: Vec::new() };
        for (word, owner) in words {
            let word = word.as_ref();
            let [first, second, rest @ ..] = word else { return None };
            let pair = u16::from_be_bytes([*first, *second]);
            set(&mut finder.pairs, pair);
            match rest.first() {
                Some(third) => {
                    set(&mut finder.triples, mixed(pair, *third));
                    finder.words.push((key(pair, *third), Box::from(word), owner));
                }
                None => finder.short.push(([*first, *second], owner)),
            }
        }
        finder.words.sort_unstable();
        Some(finder)
    }

    /// Calls `hit` with start and end of each word in the text and whose it is, in the order of the starts.
    pub(crate) fn each(&self, text: &[u8], mut hit: impl FnMut(usize, usize, usize)) {
        let mut before = 0;
        for (at, byte) in text.iter().enumerate() {
            let byte = byte.to_ascii_lowercase();
            let pair = u16::from_be_bytes([before, byte]);
            before = byte;
            if !has(&self.pairs, pair) {
                continue;
            }
            let Some(start) = at.checked_sub(1) else { continue };
            for (_, owner) in self.short.iter().filter(|(word, _)| u16::from_be_bytes(*word) == pair) {
                hit(start, at + 1, *owner);
            }
            if let Some(third) = text.get(at + 1).map(u8::to_ascii_lowercase)
                && has(&self.triples, mixed(pair, third))
                && let Some(rest) = text.get(start..)
            {
                for (_, word, owner) in self.with(key(pair, third)) {
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
        let short = self.short.iter().map(|(word, owner)| (&word[..], *owner));
        let all = self.words.iter().map(|(_, word, owner)| (&**word, *owner)).chain(short);
        let (words, owners): (Vec<&[u8]>, Vec<usize>) = all.unzip();
        (builder.build(words).expect("the words are few"), owners)
    }

    fn with(&self, key: u32) -> impl Iterator<Item = &(u32, Box<[u8]>, usize)> {
        let from = self.words.partition_point(|(other, ..)| *other < key);
        self.words.iter().skip(from).take_while(move |(other, ..)| *other == key)
    }
}

fn set(bits: &mut [u64], at: u16) {
    if let Some(word) = bits.get_mut(usize::from(at >> 6)) {
        *word |= 1 << (at & 63);
    }
}

fn has(bits: &[u64], at: u16) -> bool {
    bits.get(usize::from(at >> 6)).is_some_and(|bits| bits & (1 << (at & 63)) != 0)
}

/// Three bytes as one number.
fn key(pair: u16, third: u8) -> u32 {
    (u32::from(pair) << 8) | u32::from(third)
}

/// The place of three bytes among the bits.
fn mixed(pair: u16, third: u8) -> u16 {
    pair.rotate_left(5) ^ u16::from(third).wrapping_mul(0x9e3b)
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
