//! Marks of tests that a change brings along.

use std::collections::BTreeSet;

use super::super::mask::Reader;
use super::count::Helpers;
use super::outline;
use super::words::mentions;

/// Most lines between a mark and what it marks.
const MOST_LINES: usize = 120;

/// Whether every test of a text is there after the change. Only then a test with a new name is a new test, and not one that was
/// renamed. The tests of both texts must be readable.
pub(in super::super) fn keeps_tests(reader: Reader, before: &str, after: &str) -> bool {
    let read = |text: &str| outline::of(reader, text, &Helpers::new());
    let (Some(old), Some(new)) = (read(before), read(after)) else { return false };
    let now: BTreeSet<_> = new.tests.iter().map(|test| (&test.name, &test.place)).collect();
    old.tests.iter().all(|test| now.contains(&(&test.name, &test.place)))
}

/// Whether the mark in a line stands above a function or a class that was not there before, or a line in such a function.
pub(in super::super) fn marks_new_function(before: &str, after: &str, line: u64) -> bool {
    marked(after, line).or_else(|| around(after, line)).is_some_and(|name| !mentions(before, name))
}

/// The name of the function of Python in which a line stands.
fn around(text: &str, line: u64) -> Option<&str> {
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().take(at + 1).collect();
    let own = indent(lines.last()?);
    let is_around = |line: &&&str| !line.trim().is_empty() && indent(line) < own;
    let heads = lines
        .iter()
        .rev()
        .filter(is_around)
        .map(|line| line.trim())
        .map(|line| line.strip_prefix("async ").unwrap_or(line));
    let name = heads.filter_map(|line| line.strip_prefix("def ")).find(|rest| rest.starts_with("test"))?;
    name.split('(').next().map(str::trim)
}

/// The name of the function or class below the marks in a line and after it.
fn marked(text: &str, line: u64) -> Option<&str> {
    let from = usize::try_from(line).ok()?.checked_sub(1)?;
    let mut depth = 0_i64;
    // What a mark is given may go over several lines.
    let mut is_of_mark = |line: &&str| {
        let is_mark = depth > 0 || line.starts_with(['#', '@']) || line.is_empty();
        let opens = |open: [char; 3]| i64::try_from(line.matches(open).count()).unwrap_or(i64::MAX);
        depth += if is_mark { opens(['(', '[', '{']) - opens([')', ']', '}']) } else { 0 };
        is_mark
    };
    let declared = text.lines().skip(from).take(MOST_LINES).map(str::trim).find(|line| !is_of_mark(line))?;
    let words = declared.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut rest = words.skip_while(|word| matches!(*word, "pub" | "async" | "unsafe" | "const"));
    matches!(rest.next(), Some("fn" | "def" | "class")).then(|| rest.next()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_belongs_to_the_function_below_it() {
        let text = "#[test]\n#[should_panic(expected = \"x\")]\n// why\nfn breaks() {\n}\n";
        assert_eq!(marked(text, 2), None, "a comment ends the marks");
        let text = text.replace("// why\n", "");
        assert_eq!((marked(&text, 1), marked(&text, 2), marked(&text, 4)), (Some("breaks"), Some("breaks"), None));
        assert_eq!(marked("@pytest.mark.skip\nasync def test_a():\n", 1), Some("test_a"));
        assert_eq!(marked("@unittest.skipIf(x, 'y')\nclass TestA:\n", 1), Some("TestA"));
        assert_eq!(marked("pytestmark = pytest.mark.skip\n\ndef test_a():\n", 1), None);
        let long = "@pytest.mark.skipif(\n    x,\n    reason=\"y\",\n)\n@pytest.mark.parametrize(\n    \"x\",\n    [1],\n)\ndef test_a(x):\n    if x:\n        pytest.skip()\n";
        assert_eq!((marked(long, 1), around(long, 11), around(long, 9)), (Some("test_a"), Some("test_a"), None));
    }
}
