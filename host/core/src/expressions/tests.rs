//! The answers are those of the crate `regex`, and what could not match is not compiled.

use std::collections::BTreeSet;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use regex_syntax::hir::{Hir, HirKind};

use super::*;

/// What the crate `regex` says: the places of the expressions that match a text.
type Answers = Box<dyn Fn(&str) -> Vec<usize>>;

/// Texts made for each expression.
const TEXTS: usize = 12;

/// Asserts that a set of these expressions answers like `regex`, in both ways, for texts that are made to match each of
/// them, alone and among others; and that its words are listed. Gives how many of the expressions have words.
#[track_caller]
pub(crate) fn agrees_with_regex(dialect: Dialect, sources: &[&'static str]) -> usize {
    for source in sources {
        required::is_listed(dialect, source);
    }
    let texts: Vec<String> = sources.iter().flat_map(|source| matching(dialect, source)).collect();
    let few = LazySet::new(dialect, sources.iter().copied());
    let many = LazySet::new(dialect, sources.iter().copied());
    assert!(many.whole(&" ".repeat(FEW_BYTES + 1)).is_some());
    let regex = of_the_crate(dialect, sources);
    let mut matched = vec![false; sources.len()];
    for text in &texts {
        let expected = regex(text);
        assert_eq!(as_a_first_text(&few).matches(text), expected, "one by one: {text:?}");
        assert_eq!(as_a_first_text(&few).is_match(text), !expected.is_empty(), "one by one: {text:?}");
        assert_eq!(as_a_first_text(&few).first(text), expected.first().copied(), "one by one: {text:?}");
        let found = as_a_first_text(&few).find_each(text);
        assert!(found.iter().map(|(at, _)| at).eq(&expected), "one by one: {text:?}");
        assert_eq!(found, many.find_each(text), "{text:?}");
        assert_eq!(many.matches(text), expected, "as a whole: {text:?}");
        assert_eq!(many.first(text), expected.first().copied(), "as a whole: {text:?}");
        assert_eq!(many.is_match(text), !expected.is_empty(), "as a whole: {text:?}");
        if sources.iter().all(|source| words::of(source).is_some()) {
            let by_line: BTreeSet<usize> = text.lines().flat_map(&regex).collect();
            for set in [as_a_first_text(&few), &many] {
                let mut found = BTreeSet::new();
                set.each_in_lines(
                    text,
                    |_| true,
                    |at| {
                        found.insert(at);
                    },
                );
                assert_eq!(found, by_line, "line by line: {text:?}");
            }
        }
        for at in expected {
            matched[at] = true;
        }
    }
    assert!(few.whole.get().is_none());
    let never: Vec<_> = sources.iter().zip(matched).filter(|(_, matched)| !matched).collect();
    assert!(never.is_empty(), "no text matches {never:?}");
    sources.iter().filter(|source| words::of(source).is_some()).count()
}

/// The set as if nothing had been read yet.
fn as_a_first_text(set: &LazySet) -> &LazySet {
    set.read.store(0, Ordering::Relaxed);
    set.compiled.store(0, Ordering::Relaxed);
    set
}

fn of_the_crate(dialect: Dialect, sources: &[&str]) -> Answers {
    match dialect {
        Dialect::Unicode => {
            let set = regex::RegexSet::new(sources).unwrap();
            Box::new(move |text| set.matches(text).into_iter().collect())
        }
        Dialect::AsciiLines => {
            let mut builder = regex::bytes::RegexSetBuilder::new(sources);
            let set = builder.unicode(false).multi_line(true).size_limit(SIZE).build().unwrap();
            Box::new(move |text| set.matches(text.as_bytes()).into_iter().collect())
        }
    }
}

/// Texts that the expression would match but for its edges, with what may be beside them.
fn matching(dialect: Dialect, source: &str) -> Vec<String> {
    let hir = without_edges(&syntax::parse_with(source, &dialect.syntax()).unwrap());
    let strategy = proptest::string::bytes_regex_parsed(&hir).unwrap();
    let mut runner = TestRunner::deterministic();
    let mut texts = Vec::new();
    for _ in 0..TEXTS {
        let bytes = strategy.new_tree(&mut runner).unwrap().current();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // ASCII alone is read by an expression of its own.
        let ascii: String = text.chars().filter(char::is_ascii).collect();
        texts.extend([format!("x\n{text}\ny"), format!("a {text}b"), text.to_uppercase(), ascii, text]);
    }
    texts
}

fn without_edges(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_edges).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_edges).collect()),
        HirKind::Capture(capture) => without_edges(&capture.sub),
        HirKind::Repetition(repetition) => {
            let max = repetition.max.unwrap_or(repetition.min + 8).min(repetition.min + 8);
            let sub = Box::new(without_edges(&repetition.sub));
            Hir::repetition(regex_syntax::hir::Repetition { max: Some(max), sub, ..repetition.clone() })
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

#[test]
fn words_are_what_every_match_has() {
    for (source, expected) in [
        ("timed out", Some(vec!["timed out"])),
        ("(?i)Timed Out|ETIMEDOUT", Some(vec!["etimedout", "timed out"])),
        (
            r"exit code:? (?:124|143)\b",
            Some(vec!["exit code 124", "exit code 143", "exit code: 124", "exit code: 143"]),
        ),
        (r"(?m)^\s{0,8}[1-9]\d* fail$", Some(vec![" fail"])),
        (r"\d+ (?:passed|failed)", Some(vec![" failed", " passed"])),
        (r"(?:ab)+c", Some(vec!["ab"])),
        (r"a\s+bc", Some(vec!["bc"])),
        ("(?i)状态|STÄRKE", Some(vec!["st\u{e4}rke", "st\u{c4}rke", "状态"])),
        ("a{3,}b?", Some(vec!["aaa"])),
        (r"\w+", None),
        ("a|", None),
        ("(?:abc)?", None),
        ("", None),
        (r"abc|\d", None),
        ("abc|d", None),
    ] {
        let mut expected = expected.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
        if let Some(words) = &mut expected {
            words.sort();
        }
        assert_eq!(required::of(Dialect::Unicode, source), expected, "{source}");
    }
}

/// The table is sorted, so that it can be searched, and its words can be found.
#[test]
fn the_table_of_words_can_be_used() {
    assert!(words::WORDS.is_sorted_by(|(one, _), (other, _)| one < other));
    let all = words::WORDS.iter().flat_map(|(_, words)| *words);
    assert!(all.clone().all(|word| word.chars().all(|c| !c.is_ascii_uppercase())));
    assert!(Finder::new(all.map(|word| (*word, 0))).is_some());
}

#[test]
fn what_has_none_of_the_words_is_not_compiled() {
    let set = LazySet::new(Dialect::Unicode, LISTED);
    assert!(!set.is_match("all is well"));
    assert!(set.expressions.iter().all(|expression| !expression.is_compiled()));
    assert_eq!(set.matches("test result: ok, 3 passed"), [2]);
    let compiled: Vec<bool> = set.expressions.iter().map(Lazy::is_compiled).collect();
    assert_eq!(compiled, [false, false, true, false]);
}

/// Expressions that have words, and a text of each.
const LISTED: [&str; 4] = [r"(?m)^BUILD SUCCESS", r"(?m)^CONFLICT \(", r"(?m)^test result: ok", r"(?m)^curl: \(\d+\) "];
const TEXTS_OF: [&str; 4] = ["BUILD SUCCESS", "CONFLICT (", "test result: ok", "curl: (6) "];

#[test]
fn who_reads_much_or_compiles_most_gets_the_whole_set() {
    let set = LazySet::new(Dialect::Unicode, LISTED);
    for (at, text) in TEXTS_OF.iter().enumerate().take(3) {
        assert_eq!(set.matches(text), [at]);
        assert!(set.whole.get().is_none());
    }
    assert_eq!(set.matches(TEXTS_OF[3]), [3]);
    assert!(set.whole.get().is_some(), "three of four were compiled");
    let set = LazySet::new(Dialect::Unicode, LISTED);
    assert!(!set.is_match(&" ".repeat(FEW_BYTES)) && set.whole.get().is_none());
    assert!(!set.is_match(" ") && set.whole.get().is_some());
}

#[test]
fn letters_that_fold_to_ascii_are_no_way_around_the_words() {
    let set = LazySet::new(Dialect::Unicode, LISTED);
    assert_eq!(set.candidates("nothing"), [0; 0]);
    for letter in FOLD_TO_ASCII {
        assert_eq!(set.candidates(&format!("nothing {letter}")), [0, 1, 2, 3]);
    }
}

#[test]
fn what_is_not_listed_is_asked_in_any_case() {
    let set = LazySet::new(Dialect::Unicode, ["(?i)ta+sk", "b{2}"]);
    assert_eq!(set.matches("TAAA\u{17f}K"), [0]);
    assert_eq!(set.find_each("abbtask"), [(0, Span { start: 3, end: 7 }), (1, Span { start: 1, end: 3 })]);
    assert_eq!(set.first("abbtask"), Some(0));
}

/// Where a text has only ASCII, the classes, the letter case and the ends of words of Unicode are those of ASCII.
#[test]
fn texts_of_ascii_are_read_the_same_by_the_cheaper_expression() {
    let sources = [
        r"(?i)\bTask\s+[^k]{2}",
        r"\w+é|plain",
        r"[^\S\n]*[^\s✓]x",
        "(?-u:\\b)né?e",
        r"(?i)ſtop|\d{2}\W\D",
        "^$",
        r"(?m)^.\pL$",
    ];
    let set = LazySet::new(Dialect::Unicode, sources);
    let texts =
        ["task  ab", "TASK\tkk", "plain", "a x", "nee ne", "STOP 12-a", "", "1a\nbc", "\u{b}\u{c} x\u{1c}x\u{7f}"];
    for (at, source) in sources.iter().enumerate() {
        let regex = regex::Regex::new(source).unwrap();
        for text in texts {
            let expected = regex.find(text).map(|found| found.range());
            let found = set.one(at, Characters::of(text)).unwrap().find(text).map(|found| found.range());
            assert_eq!(found, expected, "{source} in {text:?}");
        }
    }
    // Those with a letter that would be lost have no cheaper one.
    let as_told = |expression: &Lazy| {
        expression.ascii.get().is_some_and(|cheaper| cheaper.is_none() || !may_fold_to_ascii(expression.source))
    };
    assert!(set.expressions.iter().all(as_told));
    assert!(set.expressions.iter().any(|expression| matches!(expression.ascii.get(), Some(Some(_)))));
}
