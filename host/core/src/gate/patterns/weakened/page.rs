//! Tests of a page that write the page themselves.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::expression::ascii;
use super::unit::Unit;

/// A statement that writes a page. Sources: the manuals of Playwright, Puppeteer, Cypress and Selenium.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r#"\.\s*(?:setContent|set_content)\s*\(|\b(?:goto|visit|get|url|open|navigate\w*)\s*\(\s*["'`]data:text/html|\bdocument\s*\.\s*(?:body|documentElement)\s*\.\s*(?:inner|outer)HTML\s*=[^=]|\bdocument\s*\.\s*write\s*\(|\bfulfill\s*\([^<]*<\w"#,
    )
});

/// A statement that opens a page.
static OPENS: LazyLock<Regex> = LazyLock::new(|| ascii(r"\.\s*(?:goto|visit|get|url|navigate\w*)\s*\("));

/// Why a test looks at a page of its own, if it opened the page of the program before.
pub(super) fn own(before: &Unit, now: &Unit) -> Option<String> {
    let any = |unit: &Unit, what: &Regex| unit.statements.iter().any(|said| what.is_match(said.as_bytes()));
    let written = any(now, &WRITES) && !any(before, &WRITES) && any(before, &OPENS);
    written.then(|| "it writes the page that it looks at".to_owned())
}
