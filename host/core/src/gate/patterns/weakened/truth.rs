//! Conditions that are constant, and checks that cannot fail.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::alike::{Values, is_alike, is_whole};
use super::expression::ascii;
use super::tree::top_level;

/// What a condition comes to, as far as its text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    Never,
    Always,
    Open,
}

impl Truth {
    fn opposite(self) -> Self {
        match self {
            Self::Never => Self::Always,
            Self::Always => Self::Never,
            Self::Open => Self::Open,
        }
    }
}

/// Most negations, parentheses and alternatives within each other that are judged.
const MAX_DEPTH: usize = 64;

/// Judges a condition.
pub(super) fn of(condition: &str) -> Truth {
    within(condition, 0)
}

/// Judges a condition at this depth of another one.
fn within(condition: &str, depth: usize) -> Truth {
    let mut text = condition.trim();
    let mut is_negated = false;
    for depth in depth..MAX_DEPTH {
        // `(a) or (b)` is no pair.
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        if let Some(inner) = inner.filter(|inner| top_level(inner).count() > 0 || !inner.contains(')')) {
            text = inner.trim();
        } else if let Some(truth) = of_parts(text, depth + 1) {
            return if is_negated { truth.opposite() } else { truth };
        } else if let Some(rest) = negated(text) {
            (is_negated, text) = (!is_negated, rest);
        } else {
            let truth = of_one(text);
            return if is_negated { truth.opposite() } else { truth };
        }
    }
    Truth::Open
}

/// Judges a condition of several parts; `None` if it has one only.
fn of_parts(text: &str, depth: usize) -> Option<Truth> {
    let any = parts(text, &[" or ", "||"]);
    if any.len() > 1 {
        return Some(either(&any, depth));
    }
    let all = parts(text, &[" and ", "&&"]);
    if all.len() < 2 {
        return None;
    }
    let truths: Vec<Truth> = all.iter().map(|part| within(part, depth)).collect();
    Some(match truths {
        truths if truths.contains(&Truth::Never) => Truth::Never,
        truths if truths.iter().all(|truth| *truth == Truth::Always) => Truth::Always,
        _ => Truth::Open,
    })
}

/// Judges a condition of one part.
fn of_one(text: &str) -> Truth {
    match text {
        "False" | "false" | "0" | "None" | "null" | "undefined" | "\"\"" | "''" | "[]" | "{}" | "()" => {
            return Truth::Never;
        }
        "True" | "true" | "1" => return Truth::Always,
        _ if text.starts_with("True if ") || text.ends_with(" else True") => return Truth::Always,
        _ => {}
    }
    match compared(text) {
        Some((left, "==" | "===" | "is", right)) if left == right => Truth::Always,
        Some((left, "!=" | "!==" | "is not", right)) if left == right => Truth::Never,
        Some((left, operator, right)) => numbers(left, operator, right),
        None => Truth::Open,
    }
}

/// Judges parts of which one is enough.
fn either(parts: &[&str], depth: usize) -> Truth {
    let opposite = |part: &str| {
        let (method, other) = [("is_ok()", "is_err()"), ("is_some()", "is_none()")]
            .into_iter()
            .find(|(method, _)| part.ends_with(method))?;
        Some(format!("{}{other}", part.strip_suffix(method)?))
    };
    let truths: Vec<Truth> = parts.iter().map(|part| within(part, depth)).collect();
    let all: BTreeSet<&str> = parts.iter().copied().collect();
    let is_sure = |part: &&str| {
        negated(part).is_some_and(|other| all.contains(other))
            || opposite(part).is_some_and(|other| all.contains(other.as_str()))
    };
    match truths {
        truths if truths.contains(&Truth::Always) || parts.iter().any(is_sure) => Truth::Always,
        truths if truths.iter().all(|truth| *truth == Truth::Never) => Truth::Never,
        _ => Truth::Open,
    }
}

/// What a negation denies.
fn negated(part: &str) -> Option<&str> {
    part.strip_prefix("not ").or_else(|| part.strip_prefix('!')).map(str::trim)
}

/// The parts of a condition between these words.
fn parts<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    if !words.iter().any(|word| text.contains(word)) {
        return vec![text.trim()];
    }
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in top_level(text) {
        let word = words.iter().find(|word| text.get(at..).is_some_and(|rest| rest.starts_with(**word)));
        if let Some(word) = word.filter(|_| at >= start) {
            parts.push(text.get(start..at).unwrap_or_default().trim());
            start = at + word.len();
        }
    }
    parts.push(text.get(start..).unwrap_or_default().trim());
    parts
}

/// The two sides of the one comparison in a condition.
pub(super) fn compared(text: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: &[&str] = &["===", "!==", "==", "!=", "<=", ">=", " is not ", " is ", "<", ">"];
    if [" and ", " or ", "&&", "||"].iter().any(|word| text.contains(word)) {
        return None;
    }
    // What an operator begins with.
    let places = top_level(text).filter(|(_, byte)| matches!(byte, b'=' | b'!' | b'<' | b'>' | b' '));
    let places: Vec<usize> = places.map(|(at, _)| at).collect();
    OPERATORS.iter().find_map(|operator| {
        let at = places.iter().copied().find(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(operator)))?;
        let (left, right) = (text.get(..at)?.trim(), text.get(at + operator.len()..)?.trim());
        (!left.is_empty() && !right.is_empty()).then_some((left, operator.trim(), right))
    })
}

fn numbers(left: &str, operator: &str, right: &str) -> Truth {
    let (Ok(left), Ok(right)) = (left.parse::<i64>(), right.parse::<i64>()) else { return Truth::Open };
    let holds = match operator {
        "==" | "===" | "is" => left == right,
        "!=" | "!==" | "is not" => left != right,
        "<" => left < right,
        ">" => left > right,
        "<=" => left <= right,
        ">=" => left >= right,
        _ => return Truth::Open,
    };
    if holds { Truth::Always } else { Truth::Never }
}

/// Words that say nothing about the code under test.
const CONSTANT: &[&str] = &[
    "False",
    "None",
    "True",
    "abs",
    "all",
    "and",
    "any",
    "bool",
    "callable",
    "dict",
    "else",
    "float",
    "if",
    "in",
    "int",
    "is",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "not",
    "object",
    "or",
    "print",
    "range",
    "set",
    "str",
    "sum",
    "tuple",
    "type",
];

/// Checks that hold whatever the code does, and expectations of any error at all.
static VAIN: LazyLock<Regex> = LazyLock::new(|| {
    ascii(concat!(
        r"\b(?:raises|assertRaises\w*)\s*\(\s*\(?[^()=]*\b(?:AssertionError|Exception|BaseException)\s*[,)]",
        r"|\blen\s*\([^()]*\)\s*>=\s*0\b|\.\s*(?:len|count|size|length)\s*(?:\(\s*\))?\s*>=\s*0\b|\)\s*\.\s*toBeGreaterThanOrEqual\s*\(\s*0\s*\)$",
        r"|\bany\s*\(\s*\[.*\bTrue\s*[,\]]|\ball\s*\(.*\bin\s*(?:\[\s*\]|\(\s*\))\s*\)|\b(?:in|assertIn\s*\(.*,)\s*[(\[{]\s*(?:True\s*,\s*False|False\s*,\s*True)\b|\bverify\s*\(.*\batLeast\s*\(\s*0\s*\)|\bTimes\s*\.\s*AtLeast\s*\(\s*0\s*\)|\bexpect\s*\(.*,\s*anything\s*\)|\bassertIsInstance\s*\(.*,\s*object\s*\)$",
        r"|^console\s*\.|\.\s*toMatchObject\s*\(\s*\{\s*\}\s*\)|\bErr\s*\(\s*_\s*\)\s*\|\s*Ok\s*\(\s*_\s*\)",
        // What it expects is what it raises by itself.
        r"|\b(?:throws|rejects|assertThrows\w*|Throws\w*|toThrow\w*|raise_error|assert_raises|expectException)\b.*(?:=>|->|\{)\s*\{?\s*(?:throw|raise)\b|\bexpect\s*[({]\s*(?:(?:\(\)\s*=>|->)\s*)?\{?\s*(?:throw|raise)\b",
        r"|\bmatches\s*!\s*\(.*,\s*_\s*\)",
        r"|^assert\s+lambda\b|\bisinstance\s*\([^()]*,\s*object\s*\)",
        r"|^(?:false|0)\s*&&|\.\s*Should\s*\(\s*\)\s*;|^assertThat\s*\((?:[^()]|\([^()]*\))*\)\s*;",
        r"|\bassertThrows\w*\s*(?:\(\s*(?:Throwable|AssertionError|Error|Exception)\s*\.\s*class|<\s*(?:Throwable|Error|Exception)\s*>)|\bexpectException\s*\(\s*\\?(?:Throwable|Exception)\s*::",
        r"|\bThrowsAny(?:Async)?\s*<\s*Exception\s*>|\braise_error\s*$|\bassert_raises\s*\(?\s*(?:StandardError|Exception)\b",
        r"|^assert\s+(?:(?:str|repr)\s*\((?:[^()]|\([^()]*\))*\)|\[(?:[^\[\]]|\[[^\[\]]*\])*\])\s*(?:,|$)|\.\s*to\s+(?:eq\s*\(?\s*)?anything\b",
        r#"|^\[\s+"?\$\{?status\}?"?\s+-ge\s+0\s+\]"#,
        r"|\bassertIsNotNone\s*\(\s*(?:self|True|1|''|\x22\x22)\s*\)",
    ))
});

/// Patterns that every text has.
static ANYTHING: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"\b(?:[cC]ontains|includes|[sS]tartsWith|toContain|assertStringStartsWith|assertStringContainsString|ContainSubstring)\s*\(\s*(?:""|'')\s*[,)]|\bmatch\s*=\s*r?(?:"(?:\.\*)?"|'(?:\.\*)?')|\(\s*/\.\*/\w*\s*\)|\bassert_match\W+/\.\*/|\b(?:Error|Panic)?Matches\s*,\s*"(?:\.\*)?"|\bassertRegex\s*\(.*,\s*r?(?:"(?:\.\*)?"|'(?:\.\*)?')\s*\)"#,
    )
});

/// The call of a check with its arguments.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    ascii(r"\b(?:([aA]ssert\w*|prop_assert\w*|debug_assert\w*|require|t)\s*(?:\.\s*(\w+)\s*)?!?|expect\w*)\s*\(")
});

/// What is compared with an expectation, behind `expect(…)`.
static MATCHER: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"^\s*(?:\.\s*(?:to|be|resolves|rejects|deep)\s*)*(?:\.|\.\s*to\s)\s*(toBe|toEqual|toStrictEqual|toBeTruthy|toBeDefined|equal|equals|eql|eq|true|ok|exist|Equal|To)\b\s*",
    )
});

/// The two sides of which a check says that they are equal.
pub(super) fn sides<'a>(text: &str, said: &'a str) -> Option<(&'a str, &'a str)> {
    let equal = |condition: &'a str| {
        let (left, operator, right) = compared(condition)?;
        matches!(operator, "==" | "===" | "is").then_some((left, right))
    };
    let word = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, behind) = text.split_at_checked(word)?;
    if name == "assert" && behind.starts_with([' ', '(']) {
        let first = arguments_of(behind, said.get(word..)?).into_iter().next()?;
        let first = first.trim_end_matches(';');
        let inner = first.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        return equal(inner.filter(|inner| is_whole(inner)).unwrap_or(first));
    }
    // Without parentheses, as in Ruby.
    if name.starts_with("assert_") && behind.starts_with(' ') {
        let all = arguments_of(behind, said.get(word..)?);
        return name.contains("equal").then_some((*all.first()?, *all.get(1)?));
    }
    let found = CALL.captures(text.as_bytes())?;
    let (call, from) = found.get(0).map(|all| (text.get(all.range()).unwrap_or_default(), all.end()))?;
    let lower = call.to_ascii_lowercase();
    let inner = inside(text.get(from..)?);
    let all = arguments_of(inner, said.get(from..from + inner.len())?);
    if call.starts_with("expect") && found.get(1).is_none() {
        let behind = said.get(from + inner.len() + 1..)?;
        let matcher = MATCHER.captures(behind.as_bytes())?.get(0)?;
        let rest = behind.get(matcher.end()..)?.trim_start();
        let wanted = rest.strip_prefix('(').map_or(rest, |rest| inside(rest));
        return Some((*all.first()?, wanted.trim()));
    }
    let skip = usize::from(all.first() == Some(&"t") && all.len() > 2);
    match all.get(skip..)? {
        [left, right, ..]
            if !lower.contains("not") && ["eq", "same", ".is("].iter().any(|word| lower.contains(word)) =>
        {
            Some((*left, *right))
        }
        [first, ..] => equal(first),
        [] => None,
    }
}

/// Whether a check cannot fail. `text` is the statement without strings, `said` the same with them, equally long.
pub(super) fn is_vain(text: &str, said: &str) -> bool {
    is_vain_among(text, said, &[])
}

/// The same where these variables have these values.
pub(super) fn is_vain_among(text: &str, said: &str, values: &[&Values<'_>]) -> bool {
    if VAIN.is_match(text.as_bytes()) || ANYTHING.is_match(said.as_bytes()) {
        return true;
    }
    if sides(text, said).is_some_and(|(left, right)| is_alike(left, right, values)) {
        return true;
    }
    if text.starts_with("assert ") || text.starts_with("assert(") {
        let condition = |view: &str| view.get("assert".len()..).unwrap_or_default().to_owned();
        return !text.contains(['{', ';', '`']) && is_vain_assert(&condition(text), &condition(said));
    }
    if let Some(inner) = said.strip_prefix("[ ").and_then(|rest| rest.strip_suffix(" ]")) {
        return inner.split_once(" = ").or_else(|| inner.split_once(" == ")).is_some_and(|(left, right)| left == right);
    }
    let Some(found) = CALL.captures(text.as_bytes()) else { return false };
    let Some(from) = found.get(0).map(|all| all.end()) else { return false };
    let word =
        |group: usize| found.get(group).and_then(|word| std::str::from_utf8(word.as_bytes()).ok()).unwrap_or_default();
    let (name, member) = (word(1), word(2));
    let to = from + inside(text.get(from..).unwrap_or_default()).len();
    let mut arguments = arguments_of(text.get(from..to).unwrap_or_default(), said.get(from..to).unwrap_or_default());
    // The test itself comes first in Go.
    if !member.is_empty() && arguments.len() > 1 && arguments.first() == Some(&"t") {
        arguments.remove(0);
    }
    let first = arguments.first().copied().unwrap_or_default();
    // In Zig, nothing stands behind it.
    if name.is_empty() && text.get(..from).is_some_and(|call| call.ends_with("testing.expect(")) {
        return of(first) == Truth::Always;
    }
    if name.is_empty() && text.get(..from).is_some_and(|call| call.ends_with("expect(")) {
        // In Swift, it is a macro whose argument is the condition.
        if text.get(..from).is_some_and(|call| call.ends_with("#expect(")) {
            return of(first) == Truth::Always;
        }
        let behind = said.get(to + 1..).unwrap_or_default();
        let of_php = behind.trim_start().strip_prefix("->").map(|rest| format!(".{rest}"));
        let behind = of_php.as_deref().unwrap_or(behind);
        // In Dart, the second argument is what is expected; elsewhere, it is a message.
        if let Some(wanted) = arguments.get(1)
            && !behind.trim_start().starts_with('.')
            && !wanted.starts_with(['"', '\'', '`'])
        {
            return *wanted == first;
        }
        return is_vain_expectation(first, behind);
    }
    let (whole, negative) = (format!("{name}.{member}").to_ascii_lowercase(), |text: &str| text.contains("not"));
    let compares = whole.trim_matches('.');
    let equal = ["equal", "equals", "_eq", ".is", "same", "assertis"].iter().any(|end| compares.ends_with(end));
    if equal && !negative(compares) {
        return arguments.len() >= 2 && arguments.first() == arguments.get(1) && !first.contains("{}");
    }
    match (name, member) {
        ("assert" | "assertTrue" | "assert_" | "debug_assert" | "prop_assert", "")
        | (_, "ok" | "True" | "isTrue" | "true" | "truthy") => of(first) == Truth::Always,
        ("assertFalse", "") | (_, "False" | "isFalse") => of(first) == Truth::Never,
        _ => false,
    }
}

/// Judges `expect(first)` by the text after it.
fn is_vain_expectation(first: &str, behind: &str) -> bool {
    let Some(matcher) = MATCHER.captures(behind.as_bytes()) else {
        // Nothing is compared.
        return !behind.trim_start().starts_with(['.', '=', '!', '<', '>', '≈']);
    };
    let wanted = matcher.get(0).and_then(|all| behind.get(all.end()..)).and_then(|rest| rest.strip_prefix('('));
    let wanted = wanted.map(|rest| inside(rest).trim()).unwrap_or_default();
    // A block that is left out may be anything.
    if first.contains("{}") {
        return false;
    }
    let for_all = matches!(
        matcher.get(1).map(|name| name.as_bytes()),
        Some(b"toBeTruthy" | b"toBeDefined" | b"true" | b"ok" | b"exist")
    );
    match wanted {
        "" => for_all && is_constant(first),
        "true" => wanted == first || of(first) == Truth::Always,
        _ => wanted == first,
    }
}

fn is_vain_assert(condition: &str, said: &str) -> bool {
    let text = condition.trim_ascii();
    // A pair is true, whatever it holds.
    if is_pair(text) {
        return true;
    }
    let arguments = arguments_of(condition, said);
    let first = arguments.first().copied().unwrap_or_default();
    let only_constants = || {
        let words = condition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        names.all(|word| CONSTANT.contains(&word))
    };
    match of(first) {
        Truth::Always => true,
        // Such a check always fails.
        Truth::Never => false,
        Truth::Open => !first.is_empty() && condition.is_ascii() && only_constants(),
    }
}

/// Whether several values stand in one pair of parentheses.
fn is_pair(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| arguments_of(inner, inner).len() > 1 && inside(inner).len() == inner.len())
}

/// Whether a check is a call with a message, as in Scala; in Python, the same text asks a pair.
pub(super) fn has_message(text: &str) -> bool {
    text.strip_prefix("assert").is_some_and(is_pair)
}

fn is_constant(text: &str) -> bool {
    of(text) == Truth::Always || text.parse::<f64>().is_ok() || text.starts_with(['"', '\'', '`'])
}

/// The text up to the bracket that closes one which opened before it; all of it, if none does.
fn inside(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth == 0 => return text.get(..at).unwrap_or_default(),
            b')' | b']' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The arguments of a call as they are said, parted at the commas of the view without strings.
fn arguments_of<'a>(text: &str, said: &'a str) -> Vec<&'a str> {
    let commas = top_level(text).filter(|(_, byte)| *byte == b',').map(|(at, _)| at);
    let mut start = 0;
    let mut parts = Vec::new();
    for end in commas.chain([text.len()]) {
        parts.push(said.get(start..end).unwrap_or_default().trim());
        start = end + 1;
    }
    parts.retain(|part| !part.is_empty());
    parts
}
