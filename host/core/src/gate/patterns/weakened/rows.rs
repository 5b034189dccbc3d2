//! The rows that a test gets from a function, where it names that function: `PHPUnit`, `JUnit`, `xUnit`, `NUnit` and `MSTest`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance::{Lines, begins_test, checks, looks_like_comment};
use super::cases::elements;
use super::expression::ascii;
use super::phrase::has;
use super::tokens::{is_value, is_word, tokens};

/// Where a test names the function.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"\bDataProvider\w*\s*\(\s*(?:[\w\\]+\s*::\s*class\s*,\s*)?["'](\w+)["']|@dataProvider\s+(\w+)|@MethodSource\s*\(\s*"(\w+)"|\b(?:MemberData|DynamicData|TestCaseSource)\s*\(\s*(?:nameof\s*\(\s*|")(\w+)"#,
    )
});

/// A row that says so.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    ascii(r"\byield\s|\b(?:Arguments\s*\.\s*of|arguments|TestCaseData)\s*\(|\bnew\s+object\s*\[\s*\]")
});

/// Most functions that are looked at.
const MOST: usize = 64;

/// Fewer rows of a function that tests still name.
pub(super) fn fewer(before: &str, after: &str) -> Option<String> {
    let new = rows(after);
    let mut lost = rows(before).into_iter().filter_map(|(name, old)| Some((name, old, *new.get(name)?)));
    if let Some((name, old, new)) = lost.find(|(_, old, new)| new < old) {
        return Some(format!("`{name}` gives {new} rows, and gave {old}"));
    }
    inlined(before, after)
}

/// A function that a test no longer names, in the place of which it has fewer rows of its own.
fn inlined(before: &str, after: &str) -> Option<String> {
    static INLINE: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^\s*#\[\s*(?:\w+\\)*TestWith\w*\b|^\s*\*?\s*@testWith\b|^\s*\[\s*(?:InlineData|DataRow|TestCase)\b|^\s*@(?:\w+\s*\.\s*)*(?:CsvSource|ValueSource)\b",
        )
    });
    let rows_of_line = |line: &str| -> usize {
        let list = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')).map(|(list, _)| list);
        list.and_then(|list| elements(&format!("[{list}]"))).and_then(|count| usize::try_from(count).ok()).unwrap_or(1)
    };
    let inline = |text: &str| -> usize {
        let lines: Vec<&str> = text.lines().collect();
        let of_line = |(at, line): (usize, &&str)| {
            // A list may go over several lines.
            let is_open = line.contains('{') && !line.contains('}');
            let below = lines.iter().skip(at + 1).take(if is_open { 100 } else { 0 });
            let whole = below
                .take_while(|line| !line.trim_start().starts_with('}'))
                .fold((*line).to_owned(), |sum, line| sum + line);
            rows_of_line(&if is_open { format!("{whole}}}") } else { whole })
        };
        lines.iter().enumerate().filter(|(_, line)| INLINE.is_match(line.as_bytes())).map(of_line).sum()
    };
    let (old, new) = (sources(before), sources(after));
    let named = |text: &str| NAMED.find_iter(text.as_bytes()).count();
    let name = old.iter().find(|name| !new.contains(name))?;
    // A function that only got another name is no loss.
    if named(after) >= named(before) || new.iter().any(|name| !old.contains(name)) {
        return None;
    }
    let lost = of_function(&before.lines().collect::<Vec<_>>(), name).unwrap_or(2);
    let gained = inline(after).saturating_sub(inline(before));
    let is_kept = || begins_tests(after) > begins_tests(before);
    (gained < lost && !is_kept()).then(|| format!("a test has {gained} rows, and got {lost} from `{name}`"))
}

fn begins_tests(text: &str) -> usize {
    text.lines().filter(|line| !line.contains("TestWith") && begins_test(&((*line).to_owned(), String::new()))).count()
}

/// The functions that tests name, with their rows if the text writes them out.
fn rows(text: &str) -> BTreeMap<&str, usize> {
    let lines: Vec<&str> = text.lines().collect();
    sources(text).into_iter().filter_map(|name| Some((name, of_function(&lines, name)?))).collect()
}

/// The functions that tests name.
fn sources(text: &str) -> Vec<&str> {
    let named = NAMED.captures_iter(text.as_bytes()).filter_map(|found| found.iter().skip(1).flatten().next());
    let mut sources: Vec<&str> = named.filter_map(|name| text.get(name.range())).collect();
    sources.sort_unstable();
    sources.dedup();
    sources.truncate(MOST);
    sources
}

fn of_function(lines: &[&str], name: &str) -> Option<usize> {
    let at = lines.iter().position(|line| declares(line, name))?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines.get(at)?);
    let is_inside = |line: &&&str| line.trim().is_empty() || indent(line) > own || line.trim_start().starts_with('{');
    let inside = lines.iter().skip(at + 1).take_while(is_inside).filter(|line| !looks_like_comment(line));
    let body = inside.map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let told = ROW.find_iter(body.as_bytes()).count();
    let written = || {
        let list = body.split_once("return ").map(|(_, list)| list.split("];").next().unwrap_or_default())?;
        elements(&format!("{}]", list.trim().trim_end_matches(']'))).filter(|_| list.starts_with('['))
    };
    if told > 0 { Some(told) } else { written().and_then(|count| usize::try_from(count).ok()) }
}

/// Whether a line declares the function or the property of this name.
fn declares(line: &str, name: &str) -> bool {
    let Some((before, behind)) = line.split_once(name) else { return false };
    let starts = before.ends_with(|c: char| c.is_ascii_whitespace()) && !before.trim().is_empty();
    let goes_on = behind.trim_start().starts_with(['(', '=', '{']) || behind.trim().is_empty();
    starts && goes_on && !looks_like_comment(line) && !before.contains(['(', '=', '"', '\''])
}

/// Whether the values of removed checks are rows of a test that is new: `@ValueSource(strings = {"1", "2"})`.
pub(super) fn became_rows(file: &Lines) -> bool {
    let gives = |(code, said): &(String, String)| {
        let names = tokens(code).into_iter().filter(|token| is_word(token));
        let is_mark = said.trim_start().starts_with(['@', '[', '#']);
        is_mark
            && names
                .into_iter()
                .any(|name| has(name, &["case", "data", "each", "inline", "parametrize", "row", "source", "values"]))
    };
    let rows: BTreeSet<&str> =
        file.added.iter().flat_map(|(_, said)| tokens(said)).filter(|token| is_value(token)).collect();
    let gone = || file.removed.iter().filter(|line| checks(line)).flat_map(|(_, said)| tokens(said));
    file.added.iter().any(gives)
        && gone().filter(|token| is_value(token)).all(|token| rows.contains(token))
        && file.added.iter().any(checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<usize> {
        rows(text).values().next().copied()
    }

    #[test]
    fn rows_are_counted_where_the_text_writes_them_out() {
        let php = |body: &str| {
            format!(
                "#[DataProvider('cases')]\n    public static function cases(): array\n    {{\n{body}\n    }}\n    f();\n"
            )
        };
        for (body, count) in [
            ("        return [\n            'a' => [1, 2],\n            'b' => [3, 4],\n        ];", 2),
            ("        return [[1, 2], [3, 4], [5, 6]];", 3),
            ("        return [\n            [1],\n            // [2],\n        ];", 1),
            ("        yield 'a' => [1];\n        yield [2];", 2),
        ] {
            assert_eq!(of(&php(body)), Some(count), "{body}");
        }
        assert_eq!(of(&php("        return array_map(fn($x) => [$x], range(1, 9));")), None);
        let java = "  @MethodSource(\"all\")\n  static Stream<Arguments> all() {\n    return Stream.of(\n      Arguments.of(1),\n      Arguments.of(2));\n  }\n";
        assert_eq!(of(java), Some(2));
        let sharp = "  [MemberData(nameof(All))]\n  public static IEnumerable<object[]> All()\n  {\n    yield return new object[] { 1 };\n  }\n";
        assert_eq!(of(sharp), Some(2), "a row that says it twice is two, before and after");
        assert!(fewer(&php("        yield [1];\n        yield [2];"), &php("        yield [1];")).is_some());
        assert!(fewer(&php("        yield [1];"), &php("        return make();")).is_none());
    }
}
