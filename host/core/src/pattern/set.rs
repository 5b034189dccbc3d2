//! Matches many patterns at once: literal ones by hash, wildcards by one search for the letters that each needs. So
//! thousands of rules cost little more than one.
//!
//! What must stay true: the result is the same as trying every pattern in order, which a test does.

use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rustc_hash::FxBuildHasher;

use super::case::{Case, fold};
use super::error::PatternError;
use super::glob::Glob;
use super::shape::{Pattern, Shape};

/// Patterns in the order in which they were written. A path matches if it, or a directory above it, does.
#[derive(Debug, Clone)]
pub(crate) struct PatternSet {
    case: Case,
    sources: Vec<String>,
    names: Literals,
    paths: Literals,
    /// Bit `n`: some pattern of [`Self::paths`] has `n` slashes.
    depths: u64,
    wild: Wild,
}

/// The first rules with the same letters. The keys are the operator's, so that nobody else can make them collide.
type Literals = HashMap<String, First, FxBuildHasher>;

/// Which rule covers a directory first, and which a file.
#[derive(Debug, Clone, Copy)]
struct First {
    directory: usize,
    file: Option<usize>,
}

/// Patterns with wildcards, found by a stretch of letters that each needs.
#[derive(Debug, Clone, Default)]
struct Wild {
    globs: Vec<WildRule>,
    /// Made when a path is first looked up: a short run asks few of its sets about any path.
    index: OnceLock<Index>,
}

/// Which globs a path could match, by the letters that it has.
#[derive(Debug, Clone, Default)]
struct Index {
    needed: Option<AhoCorasick>,
    /// For each stretch that is looked for, the globs that need it.
    by_need: Vec<Vec<usize>>,
    /// Globs without any letter.
    always: Vec<usize>,
}

#[derive(Debug, Clone)]
struct WildRule {
    glob: Glob,
    rule: usize,
    directory: bool,
}

impl PatternSet {
    /// Checks and compiles patterns; an error names the invalid one.
    pub(crate) fn new<'a>(
        sources: impl IntoIterator<Item = &'a str>,
        case: Case,
    ) -> Result<Self, (String, PatternError)> {
        let (names, paths) = (Literals::default(), Literals::default());
        let mut set = Self { case, sources: Vec::new(), names, paths, depths: 0, wild: Wild::default() };
        for source in sources {
            set.add(source).map_err(|error| (source.to_owned(), error))?;
        }
        Ok(set)
    }

    fn add(&mut self, source: &str) -> Result<(), PatternError> {
        let rule = self.sources.len();
        let Pattern { shape, directory } = Pattern::new(source, self.case)?;
        let first = First { directory: rule, file: (!directory).then_some(rule) };
        let add = |literals: &mut Literals, letters| {
            let known = literals.entry(letters).or_insert(first);
            known.file = known.file.or(first.file);
        };
        match shape {
            Shape::Name(letters) => add(&mut self.names, letters),
            Shape::Path(letters) => {
                let slashes = letters.matches('/').count();
                // No path is deeper than 64 segments, so that a deeper pattern never matches.
                self.depths |= u32::try_from(slashes).ok().and_then(|n| 1_u64.checked_shl(n)).unwrap_or_default();
                add(&mut self.paths, letters);
            }
            Shape::Wild(glob) => self.wild.globs.push(WildRule { glob, rule, directory }),
        }
        self.sources.push(source.to_owned());
        Ok(())
    }

    /// The first pattern that covers a file's path. With [`Case::Folded`], a pattern for directories covers a file of
    /// that name too: on another system it may stand for the directory.
    pub(crate) fn find(&self, path: &str) -> Option<&str> {
        self.find_rule(path).and_then(|rule| self.source(rule))
    }

    /// The number of that pattern, from 0.
    pub(crate) fn find_rule(&self, path: &str) -> Option<usize> {
        let path = fold(path, self.case);
        least(self.find_literal(&path), self.wild.find(&path, self.case))
    }

    /// A pattern as it was written.
    pub(crate) fn source(&self, rule: usize) -> Option<&str> {
        self.sources.get(rule).map(String::as_str)
    }

    fn find_literal(&self, path: &str) -> Option<usize> {
        if self.names.is_empty() && self.paths.is_empty() {
            return None;
        }
        let mut best = None;
        let mut start = 0;
        let ends = memchr::memchr_iter(b'/', path.as_bytes()).chain([path.len()]);
        for (slashes, end) in ends.enumerate() {
            let is_file = end == path.len() && self.case == Case::Exact;
            let rule = |first: &First| if is_file { first.file } else { Some(first.directory) };
            let name = path.get(start..end).unwrap_or_default();
            best = least(best, self.names.get(name).and_then(rule));
            if slashes < 64 && self.depths & (1 << slashes) != 0 {
                let whole = path.get(..end).unwrap_or_default();
                best = least(best, self.paths.get(whole).and_then(rule));
            }
            start = end + 1;
        }
        best
    }
}

impl Index {
    /// Chooses for each glob the stretch of letters that the fewest others have.
    fn of(globs: &[WildRule]) -> Self {
        let mut index = Self::default();
        let needs: Vec<Vec<String>> = globs.iter().map(|wild| wild.glob.literals().collect()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for need in needs.iter().flatten() {
            *counts.entry(need).or_default() += 1;
        }
        let mut keys: Vec<&str> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for (glob, need) in needs.iter().enumerate() {
            let rarity = |text: &&String| (counts.get(text.as_str()).copied(), std::cmp::Reverse(text.len()));
            let Some(rarest) = need.iter().min_by_key(rarity) else {
                index.always.push(glob);
                continue;
            };
            let number = *numbers.entry(rarest).or_insert_with(|| {
                keys.push(rarest);
                index.by_need.push(Vec::new());
                keys.len() - 1
            });
            index.by_need.get_mut(number).into_iter().for_each(|globs| globs.push(glob));
        }
        // A faster automaton takes longer to build than a run has paths to look up.
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(AhoCorasickKind::ContiguousNFA));
        // A set too large to compile is searched glob by glob.
        index.needed = (!keys.is_empty()).then(|| builder.build(&keys).ok()).flatten();
        if index.needed.is_none() {
            index.always = (0..globs.len()).collect();
        }
        index
    }

    /// The globs that could match, each of them at least once.
    fn possible(&self, path: &str) -> impl Iterator<Item = usize> {
        let mut needs: Vec<usize> = Vec::new();
        if let Some(needed) = &self.needed {
            needs.extend(needed.find_overlapping_iter(path).map(|hit| hit.pattern().as_usize()));
            needs.sort_unstable();
            needs.dedup();
        }
        needs.into_iter().filter_map(|need| self.by_need.get(need)).flatten().chain(&self.always).copied()
    }
}

impl Wild {
    fn find(&self, path: &str, case: Case) -> Option<usize> {
        if self.globs.is_empty() {
            return None;
        }
        let index = self.index.get_or_init(|| Index::of(&self.globs));
        let mut rules = index.possible(path).filter_map(|glob| self.globs.get(glob)).peekable();
        rules.peek()?;
        let segments: Vec<&str> = path.split('/').collect();
        rules.fold(None, |best: Option<usize>, WildRule { glob, rule, directory }| {
            let earlier = best.is_none_or(|best| *rule < best);
            let below = *directory && case == Case::Exact;
            if earlier && glob.covers(&segments, below, case) { Some(*rule) } else { best }
        })
    }
}

fn least(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).min()
}
