//! Expands `{a,b}` in a pattern, as a shell does. What must stay true: the work is bounded for every pattern.

use super::error::PatternError;

/// Most bytes of all patterns that braces expand to.
const MAX_EXPANDED: usize = 8192;
/// How deep braces may be nested.
const MAX_NESTING: usize = 8;

/// The patterns that a pattern stands for, in order. A brace after `\\` or in `[…]` is a letter.
pub(super) fn expand(pattern: &str) -> Result<Vec<String>, PatternError> {
    expand_within(pattern, 0)
}

fn expand_within(pattern: &str, depth: usize) -> Result<Vec<String>, PatternError> {
    if depth > MAX_NESTING {
        return Err(malformed(format!("braces are nested deeper than {MAX_NESTING}")));
    }
    let mut done = vec![String::new()];
    let mut rest = pattern;
    while let Some((open, _)) = signs(rest).find(|(_, sign)| matches!(sign, '{' | '}')) {
        let (before, from) = rest.split_at(open);
        let (choices, after) = choices(from)?;
        let mut inner = Vec::new();
        for choice in choices {
            inner.extend(expand_within(choice, depth + 1)?);
        }
        done = joined(done, before, &inner)?;
        rest = after;
    }
    joined(done, rest, &[String::new()])
}

/// Appends `between` and each of the choices to each of the texts.
fn joined(mut texts: Vec<String>, between: &str, choices: &[String]) -> Result<Vec<String>, PatternError> {
    if let [only] = choices {
        for text in &mut texts {
            text.push_str(between);
            text.push_str(only);
        }
    } else {
        let long = |text: &String| (text.len() + between.len()) * choices.len();
        let size = texts.iter().map(long).sum::<usize>() + texts.len() * choices.iter().map(String::len).sum::<usize>();
        bounded(size.max(texts.len() * choices.len()))?;
        texts = texts
            .iter()
            .flat_map(|text| choices.iter().map(move |choice| format!("{text}{between}{choice}")))
            .collect();
    }
    bounded(texts.iter().map(String::len).sum())?;
    Ok(texts)
}

fn bounded(size: usize) -> Result<(), PatternError> {
    let most = format!("braces expand to more than {MAX_EXPANDED} bytes");
    if size > MAX_EXPANDED { Err(malformed(most)) } else { Ok(()) }
}

/// The choices of the brace that `text` begins with, and the text after it.
fn choices(text: &str) -> Result<(Vec<&str>, &str), PatternError> {
    let (mut depth, mut begin, mut choices) = (0_usize, 1, Vec::new());
    for (at, sign) in signs(text) {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => return Err(malformed("`}` without its `{`".to_owned())),
            '}' if depth == 1 => {
                choices.push(text.get(begin..at).unwrap_or_default());
                return Ok((choices, text.get(at + 1..).unwrap_or_default()));
            }
            '}' => depth -= 1,
            ',' if depth == 1 => {
                choices.push(text.get(begin..at).unwrap_or_default());
                begin = at + 1;
            }
            _ => {}
        }
    }
    Err(malformed("`{` without its `}`".to_owned()))
}

fn malformed(what: String) -> PatternError {
    PatternError::Malformed(what)
}

/// The characters that are neither escaped nor in `[…]`, with their places.
fn signs(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let c = rest.chars().next()?;
            let begun = at;
            at += match c {
                '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
                '[' => class_length(rest),
                _ => return Some((begun, c)).inspect(|_| at += c.len_utf8()),
            };
        }
    })
}

/// The length of the class that `text` begins with; the length of the text if the class has no end.
fn class_length(text: &str) -> usize {
    let body = text.get(1..).unwrap_or_default();
    let body = body.strip_prefix(['!', '^']).unwrap_or(body);
    let body = body.strip_prefix(']').unwrap_or(body);
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix("[:").and_then(|named| named.split_once(":]"));
        rest = match (named, c) {
            (Some((_, after)), _) => after,
            (None, ']') => return text.len() - rest.len() + 1,
            (None, '\\') => rest.get(1 + rest.chars().nth(1).map_or(0, char::len_utf8)..).unwrap_or_default(),
            (None, _) => rest.get(c.len_utf8()..).unwrap_or_default(),
        };
    }
    text.len()
}
