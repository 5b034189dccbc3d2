//! Marks of tests that a change brings along.

use std::collections::BTreeSet;

use super::super::mask::Reader;
use super::count::Helpers;
use super::outline;
use super::words::mentions;

/// Most lines between a mark and what it marks.
const MOST_LINES: usize = 12;

/// Whether every test of a text is there after the change. Only then a test with a new name is a new test, and not one that was
/// renamed. The tests of both texts must be readable.
pub(in super::super) fn keeps_tests(reader: Reader, before: &str, after: &str) -> bool {
    let read = |text: &str| outline::of(reader, text, &Helpers::new());
    let (Some(old), Some(new)) = (read(before), read(after)) else { return false };
    let now: BTreeSet<_> = new.tests.iter().map(|test| (&test.name, &test.place)).collect();
    old.tests.iter().all(|test| now.contains(&(&test.name, &test.place)))
}

/// Whether the mark in a line stands above a function or a class that was not there before.
pub(in super::super) fn marks_new_function(before: &str, after: &str, line: u64) -> bool {
    marked(after, line).is_some_and(|name| !mentions(before, name))
}

/// The name of the function or class below the marks in a line and after it.
fn marked(text: &str, line: u64) -> Option<&str> {
    let from = usize::try_from(line).ok()?.checked_sub(1)?;
    let below = text.lines().skip(from).take(MOST_LINES);
    let declared = below.map(str::trim).find(|line| !line.starts_with(['#', '@']) && !line.is_empty())?;
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
    }
}
