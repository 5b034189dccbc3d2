//! What makes a test fail that does not come as far as it should: a failure at a place that must not be reached, and the number
//! of checks that have to run.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance::{self, Lines};
use super::expression::ascii;
use super::phrase::Phrase;
use super::tokens::{is_number, tokens};

/// A statement that fails wherever it is reached.
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"^(?:throw\s+|await\s+)?(?:(?:\w+|\$this)\s*(?:\.|->|::)\s*)*(?:fail|Fail|FAIL|XCTFail|flunk|fail_with|ADD_FAILURE|GTEST_FAIL|fail_msg|failTest)\s*[(\s\x22']|^1\s*/\s*0;?$",
    )
});

/// A statement that failed where a test must not come, and that is gone without a check of a failure in its place.
pub(super) fn gone<'a>(removed: &[Phrase<'a>], added: &[Phrase<'_>]) -> Option<&'a str> {
    let lost: Vec<&Phrase<'a>> = removed.iter().filter(|phrase| fails(phrase)).collect();
    let is_asked = |phrase: &Phrase<'_>| phrase.expects_failure() || fails(phrase);
    if lost.len() <= added.iter().filter(|phrase| is_asked(phrase)).count() {
        return None;
    }
    // A check may fail in its place, or the whole test went.
    let asks = added.iter().any(|phrase| phrase.checks() && !removed.iter().any(|old| old.line == phrase.line));
    let is_whole = removed.iter().any(|phrase| phrase.names_of_tests() > 0);
    lost.first().map(|phrase| phrase.line).filter(|_| !asks && !is_whole)
}

/// Whether a line fails wherever it is reached.
pub(super) fn fails(phrase: &Phrase<'_>) -> bool {
    FAILS.is_match(phrase.line.as_bytes()) && !phrase.line.trim_end().ends_with('{') && !phrase.is_import()
}

/// Whether the tests say that fewer checks have to run, although the changed lines lost none.
pub(super) fn plans_fewer(lines: &Lines) -> bool {
    const PLANS: &[&str] = &["assertions", "plan"];
    let plans = |lines: &[(String, String)]| -> (usize, u64) {
        let numbers =
            lines.iter().filter(|(code, _)| PLANS.iter().any(|name| code.contains(name))).filter_map(|(_, said)| {
                let tokens = tokens(said);
                let found = tokens
                    .windows(4)
                    .find(|four| matches!(four, [name, "(", number, ")"] if PLANS.contains(name) && is_number(number)));
                found.and_then(|four| four.get(2)?.parse::<u64>().ok())
            });
        numbers.fold((0, 0), |(count, sum), number| (count + 1, sum.saturating_add(number)))
    };
    let ((count, was), (now, is)) = (plans(&lines.removed), plans(&lines.added));
    let checks = |lines: &[(String, String)]| lines.iter().filter(|(code, _)| balance::is_check(code)).count();
    count > 0 && now == count && is < was && checks(&lines.removed) <= checks(&lines.added)
}
