//! What the matches of an expression begin with, to rule a match out without the expression: most keywords in ordinary text
//! are followed by something else than a secret.

use regex_syntax::hir::{Class, Hir, HirKind};

/// How many places are known at most: one for each bit of a number.
const MOST: usize = u32::BITS as usize;

/// Which bytes the matches of an expression can have at their first places.
#[derive(Debug)]
pub(super) struct Opening {
    /// For each byte, a bit for each place at which a match can have it.
    bytes: Box<[u32; 256]>,
    /// How many places there are: the bytes of the shortest match, or [`MOST`].
    places: usize,
}

impl Opening {
    pub(super) fn of(hir: &Hir) -> Self {
        let mut bytes = Box::new([0; 256]);
        let ends = walk(hir, 1, &mut bytes);
        // Behind the shortest match, anything can be.
        Self { bytes, places: ends.trailing_zeros().min(u32::BITS) as usize }
    }

    /// Whether a match could begin where the text does. If not, none does.
    pub(super) fn fits(&self, text: &[u8]) -> bool {
        let can = |(place, byte): (usize, &u8)| self.bytes[usize::from(*byte)] & (1 << place) != 0;
        text.len() >= self.places && text.iter().take(self.places).enumerate().all(can)
    }
}

/// Notes the bytes of an expression that begins at any of some places, a bit for each. Returns the places behind it.
fn walk(hir: &Hir, places: u32, bytes: &mut [u32; 256]) -> u32 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => places,
        HirKind::Literal(literal) => literal.0.iter().fold(places, |places, byte| {
            bytes[usize::from(*byte)] |= places;
            places << 1
        }),
        HirKind::Class(class) => of_class(class, places, bytes),
        HirKind::Capture(capture) => walk(&capture.sub, places, bytes),
        HirKind::Concat(parts) => parts.iter().fold(places, |places, part| walk(part, places, bytes)),
        HirKind::Alternation(parts) => parts.iter().fold(0, |all, part| all | walk(part, places, bytes)),
        HirKind::Repetition(repetition) => {
            let (mut now, mut behind) = (places, 0);
            // After so many repetitions, all places that can be reached were.
            for time in 0..=MOST {
                if time >= repetition.min as usize {
                    behind |= now;
                }
                if now == 0 || repetition.max.is_some_and(|max| time >= max as usize) {
                    return behind;
                }
                now = walk(&repetition.sub, now, bytes);
            }
            behind | now
        }
    }
}

/// The same for one character.
fn of_class(class: &Class, places: u32, bytes: &mut [u32; 256]) -> u32 {
    let mut note = |from: u8, to: u8, places: u32| (from..=to).for_each(|byte| bytes[usize::from(byte)] |= places);
    match class {
        Class::Bytes(class) => {
            class.iter().for_each(|range| note(range.start(), range.end(), places));
            if class.ranges().is_empty() { 0 } else { places << 1 }
        }
        Class::Unicode(class) => {
            let mut behind = 0;
            for range in class.iter() {
                let ascii = |c: char| u8::try_from(c).unwrap_or(u8::MAX).min(0x80);
                if range.start().is_ascii() {
                    note(range.start() as u8, ascii(range.end()).min(0x7f), places);
                    behind |= places << 1;
                }
                if !range.end().is_ascii() {
                    // Up to four bytes, whichever they are.
                    let within = places | places << 1 | places << 2 | places << 3;
                    note(0x80, 0xff, within);
                    behind |= within << 1;
                }
            }
            behind
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_automata::{Anchored, Input, meta::Regex};

    use super::*;

    fn opening(source: &str) -> Opening {
        Opening::of(&regex_syntax::parse(source).unwrap())
    }

    #[test]
    fn what_begins_otherwise_does_not_fit() {
        for (source, fits, misfits) in [
            (r"pat[A-Za-z0-9]{14}\.[a-f]", "pataB3dE5gH7jK9mN.a", "path_of_the_file.md"),
            ("(?i)token *[=:]", "TOKEN  :", "token_s:"),
            ("key(?:=|: )x", "key=x", "keys"),
            ("a{2,3}b", "aab", "aac"),
            ("(?:a|bc)d", "bcd", "bad"),
            (r"a[^\n]b", "a\u{7f}b", "a\nb"),
            ("aé", "aé", "ae"),
            ("a{40}", "a", "b"),
        ] {
            let whole = if source == "a{40}" { "a".repeat(40) } else { fits.to_owned() };
            assert!(opening(source).fits(whole.as_bytes()), "{source}: {whole}");
            assert!(!opening(source).fits(misfits.as_bytes()), "{source}: {misfits}");
        }
        assert!(!opening("token=x").fits(b"token="), "it is too short");
        assert!(opening("(?:x)?").fits(b"") && opening("x*").fits(b"y"), "nothing matches too");
        assert!(!opening("[a&&b]").fits(b"a"), "nothing can match");
        assert!(opening("(?:a?){50}b").fits(b"aab") && opening("(?:a|b*){3,}c").fits(b"bbbbabc"));
    }

    proptest! {
        #[test]
        fn what_matches_fits(
            pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..4), text in "[abcABkKé\u{212a}]{0,8}",
        ) {
            let (source, text) = (pieces.concat(), format!("{text}b"));
            let regex = Regex::new(&source).unwrap();
            if regex.is_match(Input::new(&text).anchored(Anchored::Yes)) {
                prop_assert!(opening(&source).fits(text.as_bytes()), "{source} {text}");
            }
        }
    }

    const PIECES: &[&str] = &[
        "a",
        "b?",
        "(?i:k)",
        ".",
        "é*",
        "[^a]",
        "[bcé]{1,3}",
        "(?:a|bé|)",
        "(?:b|a*)+",
        "\\b",
        "(?:a?b){2}",
        "(?:b{2}|.){0,2}",
    ];
}
