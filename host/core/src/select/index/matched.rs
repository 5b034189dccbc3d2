//! Which patterns match the signals.

use std::collections::HashMap;

use super::bytes::Section;
use super::forms::folded;
use super::literals::{PARTS, WORDS};
use super::{Index, MAX_EXPRESSIONS, text};
use crate::signal::{Pattern, normal_signal, signature_hash};

/// Most expressions that are kept compiled. One takes at most 2 MiB.
const MAX_COMPILED: usize = 256;

/// Expressions that were compiled before.
#[derive(Debug, Default)]
pub(super) struct Compiled(HashMap<u32, Pattern>);

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
        let mut expressions: Vec<u32> = Vec::new();
        let signatures = sections.numbers(Section::Signatures);
        for signal in signals {
            PARTS.find(sections, signal.to_lowercase().as_bytes(), |pattern| patterns.push(pattern));
            if signal.starts_with("errsig:") {
                PARTS.find(sections, normal_signal(signal).as_bytes(), |pattern| patterns.push(pattern));
                let hash = signature_hash(signal);
                let first = first_of(signatures.len() / 2, |at| signatures.at(at * 2) < hash);
                let own = (first..).take_while(|at| at * 2 < signatures.len() && signatures.at(at * 2) == hash);
                patterns.extend(own.map(|at| signatures.at(at * 2 + 1)));
            }
            WORDS.find(sections, folded(signal).as_bytes(), |pattern| expressions.push(pattern));
        }
        if !signals.is_empty() {
            expressions.extend(sections.numbers(Section::Always).iter());
        }
        expressions.sort_unstable();
        expressions.dedup();
        let unasked = expressions.len().saturating_sub(MAX_EXPRESSIONS);
        expressions.truncate(MAX_EXPRESSIONS);
        patterns.extend(expressions.into_iter().filter(|pattern| compiled.matches(index, *pattern, signals)));
        patterns.sort_unstable();
        patterns.dedup();
        Self { patterns, unasked }
    }

    pub(super) fn has(&self, pattern: u32) -> bool {
        self.patterns.binary_search(&pattern).is_ok()
    }
}

impl Compiled {
    fn matches(&mut self, index: &Index, number: u32, signals: &[String]) -> bool {
        let any = |pattern: &Pattern| signals.iter().any(|signal| pattern.matches(signal));
        if let Some(known) = self.0.get(&number) {
            return any(known);
        }
        let pattern = Pattern::new(&text(index.pattern(number as usize)));
        let matches = any(&pattern);
        if self.0.len() < MAX_COMPILED {
            self.0.insert(number, pattern);
        }
        matches
    }
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
