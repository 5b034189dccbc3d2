//! Words of which every match of an expression contains one, read off its parse. [`super::words`] lists them for the
//! expressions of gephost itself; those of genes are read when an index is made.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

#[cfg(test)]
use super::Dialect;

/// Most words of one expression.
const MAX_WORDS: usize = 64;
/// Most words that are made by joining parts.
const MAX_JOINED: usize = 16;
/// Bytes at which a word is cut: a longer one tells no more.
const MAX_LENGTH: usize = 24;
/// Most repetitions that are written out.
const MAX_REPEATED: u32 = 64;
/// Most characters of a class that count as so many words.
const MAX_CLASS: usize = 8;

/// What is known of the matches of a part of an expression.
struct Part {
    /// All texts that it matches, if they are few.
    exact: Option<Vec<Vec<u8>>>,
    /// Words of which each match has one.
    words: Option<Vec<Vec<u8>>>,
}

/// Words of which every match of an expression contains one, if ASCII letters of any case are equal, and if the two
/// characters beyond ASCII that equal an ASCII letter where case does not count are that letter. `None` if there are none.
pub(crate) fn words_of(
    options: impl FnOnce(&mut ParserBuilder),
    source: &str,
) -> Result<Option<Vec<String>>, Box<regex_syntax::Error>> {
    let mut parser = ParserBuilder::new();
    options(&mut parser);
    let words = part(&parser.build().parse(source)?).best();
    let texts = |words: Vec<Vec<u8>>| words.into_iter().map(String::from_utf8).collect::<Result<Vec<_>, _>>().ok();
    Ok(words.and_then(texts))
}

/// The words of an expression, sorted; `None` if it can match without any, or with one that is too short to look for.
#[cfg(test)]
pub(super) fn of(dialect: Dialect, source: &str) -> Option<Vec<String>> {
    let best = part(&regex_automata::util::syntax::parse_with(source, &dialect.syntax()).unwrap()).best()?;
    // A word with another one in it tells nothing more.
    let has_another =
        |word: &[u8]| best.iter().any(|other| other != word && memchr::memmem::find(word, other).is_some());
    let mut words: Vec<String> = best.iter().filter(|word| !has_another(word)).map(|word| text(word)).collect();
    words.sort();
    words.iter().all(|word| word.len() > 1).then_some(words)
}

#[cfg(test)]
fn text(word: &[u8]) -> String {
    String::from_utf8(word.to_vec()).expect("words are cut at characters")
}

/// Fails unless the table says so, with what it should say.
#[cfg(test)]
#[track_caller]
pub(super) fn is_listed(dialect: Dialect, source: &'static str) {
    let words = of(dialect, source);
    let listed = super::words::of(source).map(|words| words.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(listed, words, "write in expressions/words.rs, in its place: {}", line(source, words.as_deref()));
}

#[cfg(test)]
fn line(source: &str, words: Option<&[String]>) -> String {
    words.map_or_else(|| format!("nothing for {source:?}"), |words| format!("(r#\"{source}\"#, &{words:?}),"))
}

impl Part {
    fn nothing() -> Self {
        Self { exact: None, words: None }
    }

    fn exact(texts: Vec<Vec<u8>>) -> Self {
        Self { exact: Some(texts), words: None }
    }

    /// The words that tell most: the exact texts, or those that were found within.
    fn best(self) -> Option<Vec<Vec<u8>>> {
        better(self.exact.filter(|texts| is_telling(texts)), self.words)
    }
}

fn is_telling(words: &[Vec<u8>]) -> bool {
    words.iter().all(|word| !word.is_empty())
}

/// The shorter of two lists' shortest words says how often it is met by chance.
fn better(one: Option<Vec<Vec<u8>>>, other: Option<Vec<Vec<u8>>>) -> Option<Vec<Vec<u8>>> {
    let worth = |words: &[Vec<u8>]| (words.iter().map(Vec::len).min(), std::cmp::Reverse(words.len()));
    match (one, other) {
        (Some(one), Some(other)) => Some(if worth(&one) >= worth(&other) { one } else { other }),
        (one, other) => one.or(other),
    }
}

fn part(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::exact(vec![Vec::new()]),
        HirKind::Literal(literal) => Part::exact(vec![literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => of_class(class).map_or_else(Part::nothing, Part::exact),
        HirKind::Capture(capture) => part(&capture.sub),
        HirKind::Repetition(repetition) => match (repetition.min, repetition.max) {
            (0, Some(1)) => {
                let exact = part(&repetition.sub).exact;
                Part { exact: exact.map(|texts| with(texts, vec![Vec::new()])), words: None }
            }
            (0, _) => Part::nothing(),
            (1, Some(1)) => part(&repetition.sub),
            (min, max) => of_repetition(part(&repetition.sub), min, max == Some(min)),
        },
        HirKind::Alternation(parts) => of_alternation(parts),
        HirKind::Concat(parts) => of_concat(parts),
    }
}

/// At least `min` times, or as often exactly.
fn of_repetition(once: Part, min: u32, exactly: bool) -> Part {
    let Some(texts) = &once.exact else { return Part { exact: None, words: once.words } };
    let repeated = (1..min.min(MAX_REPEATED)).try_fold(texts.clone(), |row, _| product(&row, texts));
    match repeated {
        Some(all) if exactly && min <= MAX_REPEATED => Part::exact(all),
        repeated => Part { exact: None, words: repeated.filter(|all| is_telling(all)).or_else(|| once.best()) },
    }
}

fn with(mut texts: Vec<Vec<u8>>, more: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    texts.extend(more);
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// The characters of a small class, without the two that fold to ASCII letters.
fn of_class(class: &Class) -> Option<Vec<Vec<u8>>> {
    let characters: Vec<Vec<u8>> = match class {
        Class::Bytes(class) => {
            let bytes = class.iter().flat_map(|range| range.start()..=range.end()).take(2 * MAX_CLASS + 1);
            bytes.map(|byte| vec![byte.to_ascii_lowercase()]).collect()
        }
        Class::Unicode(class) => {
            let chars = class.iter().flat_map(|range| range.start()..=range.end()).take(2 * MAX_CLASS + 1);
            let folds = |c: &char| matches!(c, '\u{17f}' | '\u{212a}');
            chars.filter(|c| !folds(c)).map(|c| c.to_ascii_lowercase().to_string().into_bytes()).collect()
        }
    };
    let characters = with(characters, Vec::new());
    (!characters.is_empty() && characters.len() <= MAX_CLASS).then_some(characters)
}

fn of_alternation(parts: &[Hir]) -> Part {
    let (mut exact, mut words) = (Some(Vec::new()), Some(Vec::new()));
    for branch in parts.iter().map(part) {
        let whole = branch.exact.clone();
        exact = exact.zip(whole).map(|(all, texts)| with(all, texts)).filter(|all| all.len() <= MAX_WORDS);
        words = words.zip(branch.best()).map(|(all, own)| with(all, own)).filter(|all| all.len() <= MAX_WORDS);
    }
    Part { exact, words }
}

fn of_concat(parts: &[Hir]) -> Part {
    let mut words = None;
    // The texts of the parts in a row that are exact, so far.
    let mut row = vec![Vec::new()];
    let mut all = true;
    for next in parts.iter().map(part) {
        let longer = next.exact.as_deref().and_then(|texts| product(&row, texts));
        let Some(longer) = longer else {
            all = false;
            words = better(words, Some(row).filter(|row| is_telling(row)));
            words = better(words, next.words);
            row = next.exact.unwrap_or_else(|| vec![Vec::new()]);
            continue;
        };
        row = longer;
    }
    if all {
        return Part::exact(row);
    }
    Part { exact: None, words: better(words, Some(row).filter(|row| is_telling(row))) }
}

/// Each text of one followed by each of the other, if they stay few and short.
fn product(heads: &[Vec<u8>], tails: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let longest = |texts: &[Vec<u8>]| texts.iter().map(Vec::len).max().unwrap_or(0);
    if heads.len() * tails.len() > MAX_JOINED || longest(heads) > 0 && longest(heads) + longest(tails) > MAX_LENGTH {
        return None;
    }
    let joined = heads.iter().flat_map(|head| tails.iter().map(move |tail| [head.as_slice(), tail].concat()));
    Some(with(joined.collect(), Vec::new()))
}
