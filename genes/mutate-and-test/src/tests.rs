//! The order of edits on programs with one bug: how many are tried before the one that fixes it.

use std::collections::BTreeSet;

use crate::lexer::Language;
use crate::plan::{Draft, Suspect, drafts};

/// A program of the twins, with what stands in it and what should stand there.
macro_rules! twin {
    ($name:literal, $file:literal, $before:literal, $after:literal) => {
        ($name, $file, include_str!(concat!("../../../tests/fixtures/mutate/", $name, "/", $file)), $before, $after)
    };
}

const TWINS: &[(&str, &str, &str, &str, &str)] = &[
    twin!("bitcount", "program.py", "value ^= value - 1", "value &= value - 1"),
    twin!("breadth_first_search", "program.py", "while True:", "while waiting:"),
    twin!("bucketsort", "program.py", "enumerate(values)", "enumerate(tally)"),
    twin!("depth_first_search", "program.py", "        return any(", "        visited.add(place)\n        return any("),
    twin!("detect_cycle", "program.py", "if fast.after is None", "if fast is None or fast.after is None"),
    twin!("find_first_in_sorted", "program.py", "left <= right", "left < right"),
    twin!("find_in_sorted", "program.py", "within(half, high)", "within(half + 1, high)"),
    twin!("flatten", "program.py", "yield leaves(branch)", "yield branch"),
    twin!("gcd", "program.py", "divisor(first % second, second)", "divisor(second, first % second)"),
    twin!("get_factors", "program.py", "+= 1\n    return []", "+= 1\n    return [number]"),
    twin!("hanoi", "program.py", "append((source, spare))", "append((source, target))"),
    twin!("is_valid_parenthesization", "program.py", "return True", "return depth == 0"),
    twin!("kheapsort", "program.py", "for value in values:", "for value in values[distance:]:"),
    twin!("knapsack", "program.py", "weight < room", "weight <= room"),
    twin!("kth", "program.py", "nth_smallest(larger, rank)", "nth_smallest(larger, rank - up_to)"),
    twin!("js_binary_search", "program.js", "low < high", "low <= high"),
    twin!("js_running_maximum", "program.js", "Math.min(number", "Math.max(number"),
    twin!("js_greatest_divisor", "program.js", "divisor(first % second, second)", "divisor(second, first % second)"),
    twin!("js_leap_year", "program.js", "year % 100 === 0", "year % 100 !== 0"),
];

/// The edits of a whole file, each line as suspicious as every other.
fn all(path: &str, text: &str) -> Vec<Draft> {
    let suspects = (1..=text.lines().count()).map(|line| Suspect { path: path.to_owned(), line, failed: 1, passed: 0 });
    drafts(suspects.collect(), 1, |path| Some((text.to_owned(), Language::of(path)?)))
}

#[test]
fn the_edit_that_fixes_a_program_is_listed_early() {
    let mut late = Vec::new();
    for (name, file, text, before, after) in TWINS {
        assert_eq!(text.matches(before).count(), 1, "{name}");
        let fixed = text.replace(before, after);
        let diff = crate::diff::unified(file, text, &fixed).unwrap();
        let drafts = all(file, text);
        let rank = drafts.iter().position(|draft| draft.diff == diff);
        if rank.is_none_or(|rank| rank >= 150) {
            late.push(*name);
        }
    }
    assert_eq!(late, <[&str; 0]>::default());
}

#[test]
fn nothing_is_listed_twice_and_nothing_only_silences() {
    for (name, file, text, ..) in TWINS {
        let drafts = all(file, text);
        let distinct: BTreeSet<&str> = drafts.iter().map(|draft| draft.diff.as_str()).collect();
        assert_eq!(distinct.len(), drafts.len(), "{name}");
        assert_eq!(drafts, all(file, text), "{name}");
    }
}

#[test]
fn lines_that_passing_tests_execute_come_later() {
    let text = "def f(a, b):\n    if a < b:\n        return a - b\n    return a + b\n";
    let suspect = |line, failed, passed| Suspect { path: "a.py".to_owned(), line, failed, passed };
    let suspects = vec![suspect(2, 1, 50), suspect(3, 1, 0), suspect(4, 0, 5)];
    let drafts = drafts(suspects, 1, |_| Some((text.to_owned(), Language::Python)));
    assert_eq!(drafts[0].line, 3, "{:?}", drafts[0]);
    assert!(drafts.iter().any(|draft| draft.line == 2) && drafts.iter().all(|draft| draft.line != 4));
}

#[test]
fn texts_comments_and_definitions_are_left_alone() {
    let text = "LIMIT = 3\n\ndef f(a):\n    # a < 1\n    return g('a < 1' \"\"\"\n1 + 1\n\"\"\")\n";
    let drafts = all("a.py", text);
    assert!(drafts.iter().all(|draft| draft.line == 5 || draft.line == 3), "{drafts:?}");
    assert!(drafts.iter().all(|draft| draft.diff.contains("a < 1") && draft.diff.contains(" 1 + 1\n")), "{drafts:?}");
    for text in [
        "def f(:\n  )))\n",
        "]]]",
        "function (",
        "if",
        "return",
        "def f(a):\n    return a[",
        "\\",
        "`${",
        "x\u{1F600}y = <",
    ] {
        let _ = (all("a.py", text), all("a.js", text));
    }
}
