//! Which patterns match the signals.

use std::collections::HashMap;

use super::bytes::Section;
use super::forms::folded;
use super::literals::{PARTS, WORDS};
use super::{Index, MAX_EXPRESSIONS, text};
use crate::signal::{Pattern, normal_signal, signature_hash};

/// Most bytes of expressions that are kept compiled, as [`size`] estimates them.
const MAX_COMPILED: usize = 64 << 20;

/// Expressions that were compiled before.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    patterns: HashMap<u32, Pattern>,
    bytes: usize,
}

/// The patterns that match.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// Their numbers, sorted.
    pub(super) patterns: Vec<u32>,
    /// Expressions that were not asked, because there are too many.
    pub(super) unasked: usize,
}

impl Matched {
    pub(super) fn of(index: &Index, signals: &[String], compiled: &mut Compiled) -> Self {
        let sections = &index.sections;
        let mut patterns = Vec::new();
        // Expressions, each with a signal that has one of its words.
        let mut expressions: Vec<(u32, usize)> = Vec::new();
        let signatures = sections.numbers(Section::Signatures);
        for (at, signal) in signals.iter().enumerate() {
            PARTS.find(sections, signal.to_lowercase().as_bytes(), |pattern| patterns.push(pattern));
            if signal.starts_with("errsig:") {
                PARTS.find(sections, normal_signal(signal).as_bytes(), |pattern| patterns.push(pattern));
                let hash = signature_hash(signal);
                let first = first_of(signatures.len() / 2, |at| signatures.at(at * 2) < hash);
                let own = (first..).take_while(|at| at * 2 < signatures.len() && signatures.at(at * 2) == hash);
                patterns.extend(own.map(|at| signatures.at(at * 2 + 1)));
            }
            WORDS.find(sections, folded(signal).as_bytes(), |pattern| expressions.push((pattern, at)));
            expressions.extend(sections.numbers(Section::Always).iter().map(|pattern| (pattern, at)));
        }
        expressions.sort_unstable();
        expressions.dedup();
        let mut asked = 0;
        let mut unasked = 0;
        for of_one in expressions.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((pattern, _)) = of_one.first() else { continue };
            if asked == MAX_EXPRESSIONS {
                unasked += 1;
                continue;
            }
            asked += 1;
            let signals = of_one.iter().filter_map(|(_, at)| signals.get(*at));
            if compiled.matches(index, *pattern, signals) {
                patterns.push(*pattern);
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
        Self { patterns, unasked }
    }

    pub(super) fn has(&self, pattern: u32) -> bool {
        self.patterns.binary_search(&pattern).is_ok()
    }
}

impl Compiled {
    fn matches<'s>(&mut self, index: &Index, number: u32, mut signals: impl Iterator<Item = &'s String>) -> bool {
        if let Some(known) = self.patterns.get(&number) {
            return signals.any(|signal| known.matches(signal));
        }
        let written = text(index.pattern(number as usize));
        let pattern = Pattern::new(&written);
        let matches = signals.any(|signal| pattern.matches(signal));
        let bytes = self.bytes.saturating_add(size(&written));
        if bytes <= MAX_COMPILED {
            self.bytes = bytes;
            self.patterns.insert(number, pattern);
        }
        matches
    }
}

/// About how many bytes an expression takes when it is compiled: the engine does not say. Classes are large, and counted
/// repetitions may reach the limit of 2 MiB.
fn size(pattern: &str) -> usize {
    let classes = pattern.bytes().filter(|byte| matches!(byte, b'\\' | b'.' | b'[')).count();
    if pattern.contains('{') { 2 << 20 } else { (16 << 10) + classes * (24 << 10) }
}

/// The first of `count` places that is not `below`.
fn first_of(count: usize, below: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
