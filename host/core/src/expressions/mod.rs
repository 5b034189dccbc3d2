//! Regular expressions that are compiled only when a text could match them.
//!
//! Most of a short run's time would go into compiling expressions that match nothing: a run reads a few kilobytes, and
//! has some two hundred expressions. So [`words`] lists for each expression words of which every match contains one. They
//! are looked for in one pass over a text, and an expression is compiled when one of its words is met. A process that reads
//! more compiles the whole set once, as one automaton, and uses that from then on.
//!
//! What must stay true: the answers are those of [`regex::RegexSet`], whichever way was taken.

mod beginning;
mod finder;
mod required;
mod words;

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;
use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, PatternSet, Span};
use regex_syntax::hir::Look;

use beginning::Beginning;
pub(crate) use finder::Finder;
pub(crate) use required::words_of;
#[cfg(test)]
pub(crate) use tests::agrees_with_regex;

/// Bytes of text after which the whole set is compiled: reading them expression by expression takes about as long.
const FEW_BYTES: usize = 64 << 10;
/// When more than one in so many of its expressions is compiled, the whole set is.
const FEW_COMPILED: usize = 2;
/// Most bytes that a compiled set may take, as the bound of the crate `regex` for one expression times some.
const SIZE: usize = 64 << 20;

/// The letters beyond ASCII that equal an ASCII letter where case does not count: the long s and the Kelvin sign.
const FOLD_TO_ASCII: [char; 2] = ['\u{17f}', '\u{212a}'];

/// How expressions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// As by the crate `regex` for strings.
    Unicode,
    /// ASCII classes over bytes; `^` and `$` are the ends of lines.
    AsciiLines,
}

/// Expressions that are asked together: which of them match somewhere in a text.
#[derive(Debug)]
pub(crate) struct LazySet {
    dialect: Dialect,
    expressions: Vec<Lazy>,
    finder: OnceLock<Words>,
    whole: OnceLock<Regex>,
    /// Bytes that were read expression by expression.
    read: AtomicUsize,
    compiled: AtomicUsize,
}

/// One expression, compiled when it is first needed.
#[derive(Debug)]
struct Lazy {
    source: &'static str,
    compiled: OnceLock<Regex>,
    /// For texts of ASCII only, on which it matches the same. It costs a tenth of the other, because the classes and the
    /// letter case of Unicode take most of the time. `None` if it names characters beyond ASCII.
    ascii: OnceLock<Option<Regex>>,
    /// The same with an automaton that grows while it is used, for many lines.
    often: OnceLock<Option<Regex>>,
    begins_a_line: OnceLock<bool>,
}

/// What characters a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Characters {
    Ascii,
    Any,
}

/// What is looked for before any expression is compiled.
#[derive(Debug)]
struct Words {
    finder: Finder,
    /// Finds the same words faster, once it is worth building, and whose each of them is.
    automaton: OnceLock<(AhoCorasick, Vec<usize>)>,
    /// Expressions without words, which have to be asked in any case.
    always: Vec<usize>,
    /// For each expression, how a line begins in which it matches, if that is one text.
    beginnings: Vec<Option<Beginning>>,
}

impl LazySet {
    /// Expressions that a test compiles. Nothing is compiled yet.
    pub(crate) fn new(dialect: Dialect, sources: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            dialect,
            expressions: sources.into_iter().map(Lazy::new).collect(),
            finder: OnceLock::new(),
            whole: OnceLock::new(),
            read: AtomicUsize::new(0),
            compiled: AtomicUsize::new(0),
        }
    }

    /// Whether any of them matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        if let Some(whole) = self.whole(text) {
            return whole.is_match(text);
        }
        let characters = Characters::of(text);
        self.candidates(text).into_iter().any(|at| self.one_matches(at, text, characters))
    }

    /// Which of them match somewhere in the text: their places, in order.
    pub(crate) fn matches(&self, text: &str) -> Vec<usize> {
        let Some(whole) = self.whole(text) else {
            let characters = Characters::of(text);
            return self.candidates(text).into_iter().filter(|at| self.one_matches(*at, text, characters)).collect();
        };
        // Most texts match none, and finding out that one does is faster than finding out which.
        if !whole.is_match(text) {
            return Vec::new();
        }
        let mut found = PatternSet::new(whole.pattern_len());
        whole.which_overlapping_matches(&Input::new(text), &mut found);
        found.iter().map(|pattern| pattern.as_usize()).collect()
    }

    /// As [`Self::matches`], but each line is a text of its own, and every expression has words. Only the expressions that
    /// `wants` asks for are tried, and `take` gets the place of each that matches, once for each line.
    ///
    /// Most lines of most texts have no word. One automaton for all expressions would be rebuilt again and again for a set
    /// of this size, so each is tried alone, at the start of the line if it can match nowhere else.
    pub(crate) fn each_in_lines(&self, text: &str, wants: impl Fn(usize) -> bool, mut take: impl FnMut(usize)) {
        let read = self.read.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len());
        let is_much = read > FEW_BYTES;
        let mut try_each = |line: &str, could: &mut dyn Iterator<Item = usize>| {
            let characters = Characters::of(line);
            could.filter(|at| wants(*at) && self.line_matches(*at, line, characters, is_much)).for_each(&mut take);
        };
        if may_fold_to_ascii(text) {
            return text.lines().for_each(|line| try_each(line, &mut (0..self.expressions.len())));
        }
        let (mut line, mut could) = (0..0, Vec::new());
        let mut end_line = |line: Range<usize>, could: &mut Vec<usize>| {
            could.sort_unstable();
            could.dedup();
            try_each(text.get(line).unwrap_or_default().trim_end_matches(['\r', '\n']), &mut could.drain(..));
        };
        self.words().each(text, is_much, |start, at| {
            if start >= line.end {
                end_line(line.clone(), &mut could);
                let first = text.get(line.end..start).and_then(|before| before.rfind('\n'));
                let len = text.get(start..).and_then(|rest| memchr::memchr(b'\n', rest.as_bytes()));
                line = first.map_or(line.end, |at| line.end + at + 1)..len.map_or(text.len(), |len| start + len + 1);
            }
            could.push(at);
        });
        end_line(line, &mut could);
    }

    fn line_matches(&self, at: usize, line: &str, characters: Characters, is_much: bool) -> bool {
        let Some(expression) = self.expressions.get(at) else { return false };
        let often = if is_much { expression.often(self.dialect, characters) } else { None };
        let anchored = if expression.begins_a_line(self.dialect) { Anchored::Yes } else { Anchored::No };
        let regex = often.or_else(|| self.one(at, characters));
        regex.is_some_and(|regex| regex.is_match(Input::new(line).anchored(anchored)))
    }

    /// The place of the first of them that matches somewhere in the text.
    pub(crate) fn first(&self, text: &str) -> Option<usize> {
        if self.whole(text).is_some() {
            return self.matches(text).first().copied();
        }
        let characters = Characters::of(text);
        self.candidates(text).into_iter().find(|at| self.one_matches(*at, text, characters))
    }

    /// The leftmost match of each that matches somewhere in the text, with its place, in the order of the places.
    pub(crate) fn find_each(&self, text: &str) -> Vec<(usize, Span)> {
        let could = if self.whole(text).is_some() { self.matches(text) } else { self.candidates(text) };
        let characters = Characters::of(text);
        let find = |at| Some((at, self.one(at, characters)?.find(text)?.span()));
        could.into_iter().filter_map(find).collect()
    }

    /// The compiled set, once it is worth it.
    fn whole(&self, text: &str) -> Option<&Regex> {
        if let Some(whole) = self.whole.get() {
            return Some(whole);
        }
        let read = self.read.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len());
        let many = self.compiled.load(Ordering::Relaxed) > self.expressions.len() / FEW_COMPILED;
        if read <= FEW_BYTES && !many {
            return None;
        }
        Some(self.whole.get_or_init(|| {
            let sources: Vec<&str> = self.expressions.iter().map(|expression| expression.source).collect();
            built(self.dialect, Config::new().match_kind(MatchKind::All), &sources)
        }))
    }

    /// The places of the expressions that could match, in order.
    fn candidates(&self, text: &str) -> Vec<usize> {
        // The words are of ASCII letters, and these two are the same letters where case does not count.
        if may_fold_to_ascii(text) {
            return (0..self.expressions.len()).collect();
        }
        let words = self.words();
        let mut could = vec![false; self.expressions.len()];
        let mut mark = |at: usize| could.get_mut(at).into_iter().for_each(|could| *could = true);
        words.always.iter().for_each(|at| mark(*at));
        words.finder.each(text.as_bytes(), |_, _, at| mark(at));
        could.iter().enumerate().filter(|(_, could)| **could).map(|(at, _)| at).collect()
    }

    fn words(&self) -> &Words {
        self.finder.get_or_init(|| Words::of(self.expressions.iter().map(|expression| expression.source)))
    }

    fn one_matches(&self, at: usize, text: &str, characters: Characters) -> bool {
        self.one(at, characters).is_some_and(|regex| regex.is_match(text))
    }

    /// The expression, compiled for a text of such characters.
    fn one(&self, at: usize, characters: Characters) -> Option<&Regex> {
        let expression = self.expressions.get(at)?;
        if !expression.is_compiled() {
            self.compiled.fetch_add(1, Ordering::Relaxed);
        }
        Some(expression.regex(self.dialect, characters))
    }
}

impl Lazy {
    fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
            ascii: OnceLock::new(),
            often: OnceLock::new(),
            begins_a_line: OnceLock::new(),
        }
    }

    fn is_compiled(&self) -> bool {
        self.compiled.get().is_some() || self.ascii.get().is_some()
    }

    /// Whether every match begins where a line does.
    fn begins_a_line(&self, dialect: Dialect) -> bool {
        *self.begins_a_line.get_or_init(|| {
            let begins = |syntax: syntax::Config| {
                let parsed = syntax::parse_with(self.source, &syntax).ok()?;
                Some(parsed.properties().look_set_prefix().contains(Look::StartLF))
            };
            // Classes and letter case do not count here.
            begins(ascii_syntax(dialect)).or_else(|| begins(dialect.syntax())).unwrap_or_default()
        })
    }

    /// The expression for a text of such characters.
    fn regex(&self, dialect: Dialect, characters: Characters) -> &Regex {
        if dialect == Dialect::Unicode
            && characters == Characters::Ascii
            && let Some(regex) = self.ascii.get_or_init(|| self.for_ascii(dialect, few_searches()))
        {
            return regex;
        }
        self.compiled.get_or_init(|| built(dialect, few_searches(), &[self.source]))
    }

    fn often(&self, dialect: Dialect, characters: Characters) -> Option<&Regex> {
        let config = || Config::new().dfa(false).onepass(false);
        let regex = || self.often.get_or_init(|| self.for_ascii(dialect, config())).as_ref();
        (dialect == Dialect::Unicode && characters == Characters::Ascii).then(regex)?
    }

    fn for_ascii(&self, dialect: Dialect, config: Config) -> Option<Regex> {
        // A letter that equals one of ASCII only where case counts as Unicode has it would be lost.
        if may_fold_to_ascii(self.source) {
            return None;
        }
        try_built(ascii_syntax(dialect), config.utf8_empty(false), &[self.source]).ok()
    }
}

/// For an expression that is asked of few short texts, which needs no automaton but the simplest.
pub(crate) fn few_searches() -> Config {
    Config::new().hybrid(false).dfa(false).onepass(false).auto_prefilter(false)
}

impl Characters {
    fn of(text: &str) -> Self {
        if text.is_ascii() { Self::Ascii } else { Self::Any }
    }
}

fn may_fold_to_ascii(text: &str) -> bool {
    !text.is_ascii() && text.contains(FOLD_TO_ASCII)
}

fn built(dialect: Dialect, config: Config, sources: &[&str]) -> Regex {
    let built = try_built(dialect.syntax(), config.utf8_empty(dialect == Dialect::Unicode), sources);
    built.expect("a test compiles every expression")
}

fn try_built(syntax: syntax::Config, config: Config, sources: &[&str]) -> Result<Regex, Box<BuildError>> {
    let config = config.nfa_size_limit(Some(SIZE));
    Regex::builder().configure(config).syntax(syntax).build_many(sources).map_err(Box::new)
}

/// How an expression is read for a text of ASCII only. Classes that name other characters are refused; a word with one
/// matches nothing there.
fn ascii_syntax(dialect: Dialect) -> syntax::Config {
    dialect.syntax().unicode(false).utf8(false)
}

impl Dialect {
    fn syntax(self) -> syntax::Config {
        match self {
            Self::Unicode => syntax::Config::new(),
            Self::AsciiLines => syntax::Config::new().unicode(false).utf8(false).multi_line(true),
        }
    }
}

impl Words {
    fn of(sources: impl Iterator<Item = &'static str>) -> Self {
        let (mut all, mut always, mut beginnings) = (Vec::new(), Vec::new(), Vec::new());
        for (at, source) in sources.enumerate() {
            let words = words::of(source);
            match words {
                Some(words) => all.extend(words.iter().map(|word| (*word, at))),
                None => always.push(at),
            }
            beginnings.push(Beginning::of(source, words.unwrap_or_default()));
        }
        let finder = Finder::new(all.into_iter()).expect("a test reads the table of words");
        Self { finder, automaton: OnceLock::new(), always, beginnings }
    }

    /// Calls `hit` with the start of each word in the text and the expression that could match there, line by line. A word
    /// of a beginning counts only where its line begins so.
    fn each(&self, text: &str, is_much: bool, mut hit: impl FnMut(usize, usize)) {
        let mut meet = |start: usize, at: usize| {
            if self
                .beginnings
                .get(at)
                .is_none_or(|begins| begins.as_ref().is_none_or(|begins| begins.is_at(text, start)))
            {
                hit(start, at);
            }
        };
        if !is_much {
            return self.finder.each(text.as_bytes(), |start, _, at| meet(start, at));
        }
        let (automaton, owners) = self.automaton.get_or_init(|| self.finder.automaton());
        for word in automaton.find_overlapping_iter(text) {
            owners.get(word.pattern().as_usize()).into_iter().for_each(|at| meet(word.start(), *at));
        }
    }
}

#[cfg(test)]
mod tests;
