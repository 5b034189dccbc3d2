//! What makes a test fail that does not come as far as it should: a failure at a place that must not be reached, and the number
//! of checks that have to run.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance::{self, Lines};
use super::expression::ascii;
use super::pairs::Pair;
use super::phrase::Phrase;
use super::tokens::is_number;

/// A statement that fails wherever it is reached.
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"^(?:throw\s+|await\s+)?(?:(?:\w+|\$this)\s*(?:\.|->|::)\s*)*(?:fail|Fail|FAIL|XCTFail|flunk|fail_with|ADD_FAILURE|GTEST_FAIL|fail_msg|failTest)\s*[(\s\x22']",
    )
});

/// A statement that failed where a test must not come, and that is gone without a check of a failure in its place.
pub(super) fn gone<'a>(removed: &[Phrase<'a>], added: &[Phrase<'_>]) -> Option<&'a str> {
    let fails = |phrase: &&Phrase<'_>| {
        FAILS.is_match(phrase.line.as_bytes()) && !phrase.line.trim_end().ends_with('{') && !phrase.is_import()
    };
    let lost: Vec<&Phrase<'_>> = removed.iter().filter(fails).collect();
    let is_asked = |phrase: &Phrase<'_>| phrase.expects_failure() || fails(&phrase);
    if lost.len() <= added.iter().filter(|phrase| is_asked(phrase)).count() {
        return None;
    }
    // A check may fail in its place, or the whole test went.
    let asks = added.iter().any(|phrase| phrase.checks() && !removed.iter().any(|old| old.line == phrase.line));
    let is_whole = removed.iter().any(|phrase| phrase.names_of_tests() > 0);
    let first = lost.first()?;
    removed.iter().find(|phrase| std::ptr::eq(*phrase, *first)).map(|phrase| phrase.line).filter(|_| !asks && !is_whole)
}

/// Whether a test says that fewer checks have to run, although none of the changed lines lost one.
pub(super) fn plans_fewer(pair: &Pair<'_>, lines: &Lines) -> bool {
    const PLANS: &[&str] = &["assertions", "plan"];
    let count = |tokens: &[&str]| -> Option<u64> {
        let found = tokens.windows(4).find(|four| matches!(four, [name, "(", number, ")"] if PLANS.contains(name) && is_number(number)));
        found.and_then(|four| four.get(2)?.parse().ok())
    };
    let (Some(was), Some(is)) = (count(&pair.old.tokens), count(&pair.new.tokens)) else { return false };
    let checks = |lines: &[(String, String)]| lines.iter().filter(|(code, _)| balance::is_check(code)).count();
    is < was && checks(&lines.removed) <= checks(&lines.added)
}
