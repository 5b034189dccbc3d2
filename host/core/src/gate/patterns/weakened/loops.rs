//! Loops around checks that go through nothing.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

use super::changed::Changed;
use super::expression::ascii;
use super::pairs::Pair;
use super::phrase::{Phrase, has};
use super::tokens::is_word;
use super::tree::top_level;

/// Words that begin a loop, or that hand each of several values to a function.
#[rustfmt::skip]
pub(super) const LOOPS: &[&str] = &[
    "cases", "doseq", "dotimes", "each", "enumerate", "for", "foreach", "ipairs", "map", "pairs", "parametrize", "range",
    "repeat", "seq", "step", "times", "until", "upto", "with", "while",
];

/// Whether a loop ends where it begins, or before.
pub(super) fn goes_through_nothing(line: &str) -> bool {
    static COUNTS: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"\bfor\s*\(*[^;=]*?:?=\s*([^;]+);\s*\$?\w+\s*(<=|>=|<|>|!=|-lt|-le)\s*([^;]+);"));
    static RANGE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\bfor(?:each)?\s*(\()?.*\bin\s+\(?([\w$][\w$.()]*?)\s*(\.\.<|\.\.=|\.\.\.|\.\.|\suntil\s)\s*([\w$][\w$.()]*?)\)?\s*(?:\{|\bdo\b|\)|$)",
        )
    });
    static LIST: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"\bin\s+(?:\w+\s*\.\s*)?a?range\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)"));
    static UP: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"(\d+)\s*\.\s*(?:upto|to)\s*\(?\s*(-?\d+)\b|\bseq\s+(\d+)\s+(\d+)\s*[;)`]|\bin\s*\(?\s*(\d+)\s*\.\.\.?\s*(\d+)\b",
        )
    });
    let part = |found: &Captures<'_>, group| {
        found.get(group).and_then(|part| line.get(part.range())).unwrap_or_default().trim().to_owned()
    };
    if let Some(found) = COUNTS.captures(line.as_bytes()) {
        let (start, end) = (part(&found, 1), part(&found, 3));
        return match part(&found, 2).as_str() {
            "<" | "-lt" => start == end || numbers(&start, &end).is_some_and(|(start, end)| start >= end),
            "<=" | "-le" => numbers(&start, &end).is_some_and(|(start, end)| start > end),
            ">" => start == end || numbers(&start, &end).is_some_and(|(start, end)| start <= end),
            ">=" => numbers(&start, &end).is_some_and(|(start, end)| start < end),
            _ => start == end,
        };
    }
    if let Some(found) = UP.captures(line.as_bytes()) {
        let mut both = found.iter().skip(1).flatten().filter_map(|number| line.get(number.range()));
        if let (Some(start), Some(end)) = (both.next(), both.next())
            && numbers(start, end).is_some_and(|(start, end)| start > end)
        {
            return true;
        }
    }
    if let Some(found) = LIST.captures(line.as_bytes()) {
        let all = part(&found, 1);
        let commas: Vec<usize> = top_level(&all).filter(|(_, byte)| *byte == b',').map(|(at, _)| at).collect();
        return match commas.as_slice() {
            [] => all == "0",
            [at] => {
                let (start, end) =
                    (all.get(..*at).unwrap_or_default().trim(), all.get(at + 1..).unwrap_or_default().trim());
                start == end || numbers(start, end).is_some_and(|(start, end)| start >= end)
            }
            _ => false,
        };
    }
    RANGE.captures(line.as_bytes()).is_some_and(|found| {
        let (start, sign, end) = (part(&found, 2), part(&found, 3), part(&found, 4));
        // Two dots leave the end out in Rust, three do in Ruby; Kotlin has parentheses, and Swift a block.
        let is_open = match sign.as_str() {
            "..<" | "until" => true,
            ".." => found.get(1).is_none() && line.trim_end().ends_with('{'),
            "..." => line.trim_end().ends_with("do") || !line.contains('{'),
            _ => false,
        };
        is_open && start == end
            || numbers(&start, &end).is_some_and(|(start, end)| start > end || is_open && start == end)
    })
}

fn numbers(start: &str, end: &str) -> Option<(i64, i64)> {
    start.parse().ok().zip(end.parse().ok())
}

/// The name of a bound of a loop, if the change of one value makes it zero.
pub(super) fn bounds_nothing<'a>(file: &Changed<'_>, pair: &Pair<'a>) -> Option<&'a str> {
    let (gone, come) = pair.single()?;
    let (old, new) = (&pair.old.tokens, &pair.new.tokens);
    if new.get(come) != Some(&"0") || old.get(gone) == Some(&"0") {
        return None;
    }
    let at = new.iter().position(|token| ["=", ":="].contains(token)).filter(|at| *at < come)?;
    let typed = new.get(..at)?.iter().position(|token| *token == ":").unwrap_or(at);
    let name = new.get(..typed)?.iter().rev().find(|token| is_word(token)).copied()?;
    let is_bound = |line: &Phrase<'_>| {
        let all = &line.tokens;
        all.iter().any(|token| is_word(token) && has(token, LOOPS))
            && all.iter().enumerate().any(|(at, token)| {
                let before = at.checked_sub(1).and_then(|at| all.get(at)).copied().unwrap_or_default();
                let behind = all.get(at + 1).copied().unwrap_or_default();
                *token == name
                    && (["<", "<=", "to", "until", "upto", "..", "..<", "..=", "..."].contains(&before)
                        || before == "." && behind != "."
                        || ["(", ","].contains(&before) && behind == ")"
                        || ["range", "seq", "$"].contains(&before)
                        || behind == "." && all.get(at + 2) == Some(&"times"))
            })
    };
    file.after.with(name).any(is_bound).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_over_nothing() {
        for line in [
            "for (int i = n; i < n; i++) {",
            "for (let i = 3; i < 3; i += 1) {",
            "for i := len(all); i < len(all); i++ {",
            "for ((i = 5; i < 5; i++)); do",
            "for i in 5..5 {",
            "for i in n..n {",
            "for (i in n until n) {",
            "for (i in 5..1) {",
            "for i in 3..<3 {",
            "for i in range(n, n):",
            "for i in range(0):",
            "for i in range(9, 3):",
            "1.upto(0) do |i|",
            "for i in $(seq 1 0); do",
        ] {
            assert!(goes_through_nothing(line), "{line}");
        }
        for line in [
            "for (int i = 0; i < n; i++) {",
            "for (let i = 3; i >= 0; i -= 1) {",
            "for (int i = n; i <= n; i++) {",
            "for i in 0..5 {",
            "for i in 1..=1 {",
            "for (i in 1..1) {",
            "for i in 1...1 {",
            "for i in range(9, 3, -1):",
            "for i in range(n):",
            "for i in {5..1}; do",
            "1.upto(9) do |i|",
            "for i in $(seq 1 3); do",
        ] {
            assert!(!goes_through_nothing(line), "{line}");
        }
    }
}
