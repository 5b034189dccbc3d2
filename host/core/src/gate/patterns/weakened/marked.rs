//! Marks of tests that a change brings along.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::mask::Reader;
use super::compare::is_alike;
use super::count::Helpers;
use super::expression::ascii;
use super::outline;
use super::unit::Unit;
use super::words::mentions;

/// Most lines between a mark and what it marks.
const MOST_LINES: usize = 120;

/// The new names of tests that a change renames, as far as the tests are alike; `None` if the tests of the texts cannot be read.
pub(in super::super) fn renamed(reader: Reader, before: &str, after: &str) -> Option<BTreeSet<String>> {
    /// Among more tests, each one that is new may be one that was there.
    const MOST: usize = 64;
    let read = |text: &str| outline::of(reader, text, &Helpers::new());
    let (old, new) = (read(before)?, read(after)?);
    let key = |test: &Unit| (test.name.clone(), test.place.clone());
    let (were, are): (BTreeSet<_>, BTreeSet<_>) =
        (old.tests.iter().map(key).collect(), new.tests.iter().map(key).collect());
    let gone: Vec<&Unit> = old.tests.iter().filter(|test| !are.contains(&key(test))).collect();
    let come: Vec<&Unit> = new.tests.iter().filter(|test| !were.contains(&key(test))).collect();
    let is_of_old =
        |test: &&&Unit| gone.len() > MOST || come.len() > MOST || gone.iter().any(|old| is_alike(old, test));
    Some(come.iter().filter(is_of_old).map(|test| test.name.clone()).collect())
}

/// The function or class above which the mark in a line stands, or in which the line is.
pub(in super::super) fn function(text: &str, line: u64) -> Option<&str> {
    marked(text, line).or_else(|| around(text, line))
}

/// The same if it was not there before.
pub(in super::super) fn new_function<'a>(before: &str, after: &'a str, line: u64) -> Option<&'a str> {
    function(after, line).filter(|name| !mentions(before, name))
}

/// A mark without the reason that it gives, and without the text of the failure that it expects.
pub(in super::super) fn without_reason(line: &str) -> Vec<u8> {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r#"(?:,\s*)?\breason\s*=\s*(?:"[^"]*"|'[^']*')|(\bignore)\s*=\s*"[^"]*"|(\bexpected)\s*=\s*"[^"]+"|(\b(?:skip|Skipf?|skipTest)\s*\()\s*(?:"[^"]*"|'[^']*')"#,
        )
    });
    REASON.replace_all(line.trim().as_bytes(), &b"$1$2$3"[..]).into_owned()
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
    fn a_mark_may_get_another_reason() {
        for (old, new) in [
            ("#[ignore]", "#[ignore = \"slow\"]"),
            ("#[cfg_attr(miri, ignore)]", "#[cfg_attr(miri, ignore = \"slow\")]"),
            ("#[should_panic(expected = \"a\")]", "#[should_panic(expected = \"a b\")]"),
            ("@pytest.mark.skip(reason='a')", "    @pytest.mark.skip(reason=\"b\")"),
            ("@pytest.mark.skipif(x, reason='a')", "@pytest.mark.skipif(x)"),
            ("t.Skip(\"a\")", "t.Skip(\"b\")"),
        ] {
            assert_eq!(without_reason(old), without_reason(new), "{old} {new}");
        }
        for (old, new) in [
            ("@pytest.mark.skipif(sys.platform == 'win32')", "@pytest.mark.skipif(sys.platform == 'linux')"),
            ("#[cfg_attr(miri, ignore)]", "#[ignore]"),
            ("#[should_panic(expected = \"a\")]", "#[should_panic]"),
            ("#[should_panic(expected = \"a\")]", "#[should_panic(expected = \"\")]"),
            ("@pytest.mark.skipif(x, reason='a')", "@pytest.mark.skip(reason='a')"),
        ] {
            assert_ne!(without_reason(old), without_reason(new), "{old} {new}");
        }
    }

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
