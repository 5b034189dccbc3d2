//! What changed lines of tests show in languages whose tests are not read as an outline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance::{Lines, begins_test, checks};
use super::expression::ascii;
use super::spelled::extension;
use super::tree::top_level;
use super::{omits, predicates, tolerance};
use crate::path::RepoPath;

/// Why the tests of a file check less, or may not run.
pub(super) fn weaker(path: &RepoPath, file: &Lines, before: &str, after: &str) -> Option<String> {
    let said = |lines: &[(String, String)]| lines.iter().map(|(_, said)| said.trim().to_owned()).collect::<Vec<_>>();
    tolerance::grown(&said(&file.removed), &said(&file.added))
        .or_else(|| omits::a_part(&said(&file.removed), &said(&file.added)))
        .or_else(|| omits::how_it_fails(&said(&file.removed), &said(&file.added)))
        .or_else(|| agrees(file))
        .or_else(|| replaced(file))
        .or_else(|| rebased(file))
        .or_else(|| guarded(file))
        .or_else(|| fewer_values(path, file))
        .or_else(|| fewer_sources(file))
        .or_else(|| holds_back(file, after))
        .or_else(|| fewer_marks(path, before, after))
}

/// Functions of PHP that were tests by a mark in their comment, and are none any more.
fn fewer_marks(path: &RepoPath, before: &str, after: &str) -> Option<String> {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        ascii(r"(?m)^\s*(?:/\*)?\*+\s*@test\b|#\[\s*\\?(?:\w+\\)*Test\s*[\],(]|\bfunction\s+test\w*\s*\(")
    });
    if extension(path) != "php" {
        return None;
    }
    let count = |text: &str| MARK.find_iter(text.as_bytes()).count();
    (count(after) < count(before)).then(|| "a function is no test any more".to_owned())
}

/// Errors of all kinds that a handler takes which is new in a test, and which neither fails nor checks anything.
fn holds_back(file: &Lines, after: &str) -> Option<String> {
    static TAKES_ALL: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\bcatch\s*(?:\(\s*(?:final\s+|const\s+)?(?:\w+\s*:\s*)?\\?(?:std::)?(?:Exception|RuntimeException|Throwable|Error|exception|\.\.\.)\s*&?\s*\$?\w*\s*\)|\{\s*$|$|\s+_\b|\s+let\s)|^\s*rescue\s*(?:(?:StandardError|Exception|Minitest::Assertion|RSpec::\S+)\s*)?(?:=>\s*\w+\s*)?$|^\s*\}?\s*(?:except|catch)\s+(?:Exception|RuntimeException|_)\b",
        )
    });
    /// Most lines of a handler.
    const MOST: usize = 30;
    let takes =
        |lines: &[(String, String)]| lines.iter().filter(|(code, _)| TAKES_ALL.is_match(code.as_bytes())).count();
    if takes(&file.added) <= takes(&file.removed) {
        return None;
    }
    let all: Vec<&str> = after.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins: Vec<u64> = file
        .added
        .iter()
        .zip(&file.added_at)
        .filter(|(line, _)| begins_test(line))
        .map(|(_, place)| place.line)
        .collect();
    let fails = |line: &&str| {
        ["throw", "raise", "fail", "Fail", "flunk", "ssert", "expect", "should", "Should", "exit(1", "verify"]
            .iter()
            .any(|word| line.contains(word))
    };
    let lines = file.added.iter().zip(&file.added_at);
    let found = lines.filter(|((code, _), _)| TAKES_ALL.is_match(code.as_bytes())).find(|((_, said), place)| {
        let own = usize::try_from(place.line).unwrap_or(usize::MAX);
        let depth = indent(said);
        let body = all
            .iter()
            .skip(own)
            .take(MOST)
            .take_while(|line| line.trim().is_empty() || indent(line) > depth || line.trim() == "{");
        // The handler of a test that is new takes nothing from an old one.
        let is_new = begins.iter().any(|begin| *begin < place.line && place.line - begin < MOST as u64);
        let one_line = said.split_once('{').map_or("", |(_, rest)| rest);
        !is_new && !fails(&one_line) && !body.into_iter().any(&fails)
    });
    found.map(|((_, said), _)| format!("`{}` takes failures and goes on", said.trim()))
}

/// A line in the place of another one, which asks a function that agrees with everything, or which any failure satisfies.
fn agrees(file: &Lines) -> Option<String> {
    static ANY_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"\b(?:intercept|assertThrows)\s*\[\s*(?:Throwable|Exception)\s*\]|\bthrows\s*:\s*\(?\s*any\s+Error\b|\bexpectRevert\s*\(\s*\)",
        )
    });
    /// Shortest common beginning by which a line is known again.
    const SHORTEST: usize = 8;
    let weaker = |said: &str| {
        let any = ANY_FAILURE.is_match(said.as_bytes()).then(|| format!("any failure satisfies `{said}`"));
        predicates::agrees([said].into_iter()).or(any)
    };
    let removed: Vec<&str> = file.removed.iter().map(|(_, said)| said.trim()).collect();
    let is_known = |said: &&str| {
        let alike = |old: &&str| old.bytes().zip(said.bytes()).take_while(|(old, new)| old == new).count() >= SHORTEST;
        removed.iter().any(|old| alike(old) && weaker(old).is_none())
    };
    file.added.iter().map(|(_, said)| said.trim()).filter(is_known).find_map(weaker)
}

/// A variable that was the thing under test, and is a fake now.
fn replaced(file: &Lines) -> Option<String> {
    static FAKE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(concat!(
            r"^(?:\$this\s*->\s*|\w+\s*(?:\.|::|->)\s*)*(?:new\s+)?(?:[mM]ock\w*|[sS]py\w*|[sS]tub\w*|create(?:Stub|Mock|Partial|Configured)\w*|Substitute|A\s*\.\s*Fake|\w*_?double)\s*[.<(]",
            r"|^new\s+[\w<>]+\s*\([^()]*\)\s*\{|^object\s*:",
        ))
    });
    let given = |lines: &[(String, String)]| -> BTreeMap<String, String> {
        let pairs = lines.iter().filter_map(|(_, said)| {
            let at = said.find(['=', '{'])?;
            let (name, value) = (said.get(..at)?.trim(), said.get(at + 1..)?.trim());
            Some((name.to_owned(), value.to_owned())).filter(|(name, value)| !name.is_empty() && !value.is_empty())
        });
        pairs.collect()
    };
    let (old, new) = (given(&file.removed), given(&file.added));
    let is_fake = |value: &str| FAKE.is_match(value.as_bytes());
    let made = |value: &str| ["new", "(", ")"].iter().any(|word| value.contains(word)) && !is_fake(value);
    // A variable that is declared as one was a fake before.
    let is_declared = |name: &str| ["Mock<", "Spy<", "Stub<", "Fake<"].iter().any(|word| name.contains(word));
    let (name, _) = new
        .iter()
        .find(|(name, value)| is_fake(value) && !is_declared(name) && old.get(*name).is_some_and(|old| made(old)))?;
    Some(format!("`{name}` is a fake now"))
}

/// A class of tests that has another base, or another name, by which no runner finds it.
fn rebased(file: &Lines) -> Option<String> {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| {
        ascii(r"^\s*(?:[a-z]+\s+)*class\s+(\w+)(?:\s*(?:\([^()]*\))?\s*(?:\bextends\b|<|:)\s*([\w:.\\]+))?")
    });
    let classes = |lines: &[(String, String)]| -> Vec<(String, String)> {
        let found = lines.iter().filter_map(|(code, _)| CLASS.captures(code.as_bytes()));
        let part = |found: &regex::bytes::Captures<'_>, group| {
            found.get(group).map(|part| String::from_utf8_lossy(part.as_bytes()).into_owned()).unwrap_or_default()
        };
        found.map(|found| (part(&found, 1), part(&found, 2))).collect()
    };
    let of_tests = |name: &str| ["Test", "Spec", "Case", "test"].iter().any(|word| name.contains(word));
    let (old, new) = (classes(&file.removed), classes(&file.added));
    let (name, _) = old.iter().find(|(name, base)| {
        let loses = |was: &str, now: fn(&(String, String)) -> &str| {
            of_tests(was) && !new.is_empty() && !new.iter().any(|class| of_tests(now(class)))
        };
        loses(name, |(name, _)| name.as_str()) || loses(base, |(_, base)| base.as_str())
    })?;
    Some(format!("no runner finds `{name}` any more"))
}

/// Checks that stand under a condition now.
fn guarded(file: &Lines) -> Option<String> {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| ascii(r"^\s*(?:if|unless|switch|case|do)\b"));
    /// A function that is kept in a variable, and that nobody may call.
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"=\s*(?:\[[^\]]*\]\s*)?(?:\([^()]*\)|\w+|->|lambda|proc|function\s*\([^()]*\))?\s*(?:[-=]>)?\s*(?:\{|\bdo)\s*$",
        )
    });
    static CHECK: LazyLock<Regex> =
        LazyLock::new(|| ascii(r"(?:\$this\s*->\s*|self::)?\b(?:Assert\s*\.|assert|expect|refute)\w*"));
    let opens = |(code, _): &(String, String)| {
        CONDITION.is_match(code.as_bytes()) || FUNCTION.is_match(code.trim_end().as_bytes())
    };
    if !file.added.iter().any(opens) {
        return None;
    }
    let indent = |said: &str| said.len() - said.trim_start().len();
    let old: BTreeMap<&str, usize> =
        file.removed.iter().filter(|line| checks(line)).map(|(_, said)| (said.trim(), indent(said))).collect();
    let is_deeper = |said: &str| {
        let bare = said.trim();
        // The check may stand on the line of its condition.
        let from = CONDITION.is_match(bare.as_bytes()).then(|| CHECK.find(bare.as_bytes()).map(|check| check.start()));
        match from.flatten().and_then(|from| bare.get(from..)) {
            Some(check) => old.contains_key(check.trim_end_matches([' ', '}'])),
            None => old.get(bare).is_some_and(|depth| indent(said) > *depth),
        }
    };
    let mut new = file.added.iter().filter(|line| checks(line));
    new.any(|(_, said)| is_deeper(said))
        .then(|| "a check stands under a condition now, or in a function that may not be called".to_owned())
}

/// Values that a test runs with, where both texts write them out.
fn fewer_values(path: &RepoPath, file: &Lines) -> Option<String> {
    static SOURCE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^\s*\[(.*)\]\s*\.\s*(?:each|forEach|map)\b|\b(?:listOf|arrayOf|setOf|sequenceOf|List\s*\.\s*of|Arrays\s*\.\s*asList|Stream\s*\.\s*of)\s*\((.*)\)\s*\.\s*(?:forEach|each|map)\b|\bfor\s*\(.*\bin\s+(?:listOf|arrayOf|setOf)\s*\((.*)\)\s*\)|\bforeach\s*\(\s*\[(.*)\]\s+as\b|\b(?:foreach|for)\s*\([^{]*\{(.*)\}\s*\)|@(?:Value|Csv)Source\s*\((.*)\)|@EnumSource\s*\((.*\{.*\}.*)\)|\bwhere\b.*<<\s*\[(.*)\]|^\s*\w+\s*<<\s*\[(.*)\]\s*$|->\s*with\s*\(\s*\[(.*)\]\s*\)|@Test\s*\(.*\barguments\s*:\s*\[(.*)\]|^\s*(?:List|Seq|Vector)\s*\((.*)\)\s*\.\s*(?:foreach|map)\b",
        )
    });
    let is_spock = path.as_str().ends_with(".groovy");
    let count = |lines: &[(String, String)]| -> Option<usize> {
        let found = lines.iter().filter_map(|(_, said)| SOURCE.captures(said.as_bytes()));
        let lists = found.filter(|found| is_spock || found.get(9).is_none());
        let values = lists.filter_map(|found| {
            Some(values(&String::from_utf8_lossy(found.iter().skip(1).flatten().next()?.as_bytes())))
        });
        values.reduce(|sum, count| sum + count)
    };
    let (old, new) = (count(&file.removed)?, count(&file.added)?);
    (new < old).then(|| format!("it runs with {new} values, and ran with {old}"))
}

/// The number of different values in a list.
fn values(list: &str) -> usize {
    let inner = list.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map_or(list, |(inner, _)| inner);
    let commas: Vec<usize> = top_level(inner).filter(|(_, byte)| *byte == b',').map(|(at, _)| at).collect();
    let (mut all, mut start) = (BTreeSet::new(), 0);
    for end in commas.into_iter().chain([inner.len()]) {
        all.insert(inner.get(start..end).unwrap_or_default().trim());
        start = end + 1;
    }
    all.remove("");
    all.len()
}

/// Sources of cases that no test has any more.
fn fewer_sources(file: &Lines) -> Option<String> {
    static SOURCE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"#\[\s*(?:\w+\\)*(?:DataProvider\w*|TestWith\w*)\b|@\w+Source\b|\[\s*(?:MemberData|ClassData|DynamicData|TestCaseSource)\b",
        )
    });
    let count = |lines: &[(String, String)], what: &dyn Fn(&(String, String)) -> bool| {
        lines.iter().filter(|line| what(line)).count()
    };
    let is_source = |line: &(String, String)| SOURCE.is_match(line.0.as_bytes());
    let lost = count(&file.removed, &is_source) > count(&file.added, &is_source);
    // Its cases may have become tests.
    let grows = count(&file.added, &begins_test) > count(&file.removed, &begins_test);
    (lost && !grows).then(|| "it no longer gets its cases".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parted_at_their_commas() {
        assert_eq!(values("{\"1, 2.50\", \"2, 5.00\"}"), 2);
        assert_eq!(values("ints = {1, 2, 3}"), 3);
        assert_eq!(values("ints = 1"), 1);
        assert_eq!(values("1, 1, 2"), 2);
        assert_eq!(values(""), 0);
    }
}
