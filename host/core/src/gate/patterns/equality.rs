//! Objects that are equal to everything: every comparison with one holds.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::super::Violation;
use super::super::added::AddedLine;

static EQUALS: LazyLock<Regex> = LazyLock::new(|| {
    let regex = r"\bdef\s+__eq__\s*\([^)]*\)[^:]*:\s*return\s+(?:True|1)\s*(?:#|$)|\b__eq__\s*=\s*lambda\b[^:]*:\s*(?:True|1)\b";
    RegexBuilder::new(regex).unicode(false).build().expect("the pattern is constant and a test uses it")
});

/// Looks at each line with the one behind it.
pub(super) fn check(added: &[AddedLine<'_>]) -> Option<Violation> {
    let written = added.iter().enumerate().filter(|(_, line)| line.text.contains("__eq__"));
    let all = written.filter(|(at, line)| {
        let next = added.get(at + 1).map_or("", |next| next.text.trim());
        EQUALS.is_match(line.text.as_bytes()) || EQUALS.is_match(format!("{} {next}", line.text.trim_end()).as_bytes())
    });
    let (_, line) = all.into_iter().next()?;
    let message = "an object is made that equals everything";
    let hint = "compare what matters";
    Some(Violation::flag("test-equals-everything", message, hint).on_line(line.number))
}
