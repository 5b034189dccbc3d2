//! The automaton that finds all keywords in one pass, and what a match can begin with.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_syntax::hir::{Class, Hir, HirKind};

/// The keywords of many rules, and which rules have each.
#[derive(Debug)]
pub(super) struct Keywords {
    finder: AhoCorasick,
    owners: Vec<Vec<usize>>,
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
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&distinct)
            .map_err(|error| format!("the keywords are too many: {error}"))?;
        Ok(Self { finder, owners })
    }

    /// Calls `hit` with start and end of each keyword in the text and each rule that has it, by end.
    pub(super) fn each(&self, text: &str, mut hit: impl FnMut(usize, usize, usize)) {
        for found in self.finder.find_overlapping_iter(text) {
            let owners = self.owners.get(found.pattern().as_usize()).map_or(&[][..], Vec::as_slice);
            for owner in owners {
                hit(found.start(), found.end(), *owner);
            }
        }
    }
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
