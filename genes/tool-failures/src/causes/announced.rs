//! What agents write before they run a check that must fail.

use crate::output::vocabulary::Words;

/// What agents write before a check that must fail.
static ANNOUNCED: Words = Words::of(&[
    "make sure it fails",
    "ake sure the test fails",
    "verify it fails",
    "erify the test fails",
    "erify that it fails",
    "erify that the test fails",
    "onfirm it fails",
    "onfirm the test fails",
    "hould fail",
    "xpected to fail",
    "xpect it to fail",
    "e the test fail",
    "ee it fail",
    "atch it fail",
    "onfirm the failure",
    "onfirm RED",
    "xpected failure",
    "xpect failure",
    "xpect a failure",
    "xpect this to fail",
    "xpect them to fail",
    "xpect these to fail",
    "hould be failing",
    "hould be red",
    "ust fail first",
    "hould FAIL",
    "tests fail without",
    "test fails without",
]);
/// What agents write before tests that show what is wrong.
static PROBES: Words = Words::of(&[
    "failing probe",
    "rite failing test",
    "riting failing test",
    "dd failing test",
    "dding failing test",
    "rite a failing test",
    "riting a failing test",
    "eproducible failure",
    "riting the failing test",
    "rite the failing test",
    "rite the test first",
    "rite the tests first",
    "rite tests first",
    "riting tests first",
    "riting the tests first",
    "TDD",
    "est-driven",
    "est-first",
]);
/// How agents name the step of test-driven development in which the new test must fail.
static RED: Words = Words::of(&["RED phase", "red phase", "(RED)", "RED:"]);
static GREEN: Words = Words::of(&["GREEN", "reen phase"]);

/// How many words behind the verb are looked at: "confirm that all of the new tests fail".
const MAX_WORDS: usize = 9;

/// Whether a text says that it writes tests that must fail.
pub(crate) fn is_about_failing_tests(text: &str) -> bool {
    PROBES.are_in(text)
}

/// Whether a text says that the next check must fail.
pub(crate) fn says_so(text: &str) -> bool {
    let is_announced = || ANNOUNCED.are_in(text) || text.split(['.', '!', '?', ';', '\n']).any(wants_a_failure);
    (text.contains("fail") || text.contains("FAIL") || text.contains(" red")) && is_announced() || is_red(text)
}

/// Whether a sentence says that the agent wants to see a failure: "confirm they fail", "to see the new test fail". What it saw,
/// and what it asks itself, is no wish.
fn wants_a_failure(sentence: &str) -> bool {
    if !sentence.contains(" fail") || sentence.contains("because") {
        return false;
    }
    let words: Vec<&str> =
        sentence.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    (0..words.len()).any(|at| begins_a_wish(&words, at) && ends_in_failure(words.get(at + 1..).unwrap_or_default()))
}

/// Whether the word at this place is a verb of looking that says what the agent is going to do.
fn begins_a_wish(words: &[&str], at: usize) -> bool {
    const BEFORE: [&str; 8] = ["i", "we", "can", "not", "cannot", "could", "you", "they"];
    let word = |at: usize| words.get(at).map_or(String::new(), |word| word.to_lowercase());
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    match word(at).as_str() {
        "confirm" | "confirming" | "verify" | "verifying" | "ensure" | "ensuring" | "prove" | "check" => {
            before != "not"
        }
        "sure" => matches!(before.as_str(), "make" | "making" | "be"),
        "see" | "watch" => {
            !BEFORE.contains(&before.as_str())
                && matches!(word(at + 1).as_str(), "it" | "them" | "that" | "the" | "this")
        }
        _ => false,
    }
}

/// Whether the words come to "fail" or "fails", and nothing on the way asks or denies it.
fn ends_in_failure(words: &[&str]) -> bool {
    const STOPS: [&str; 26] = [
        "and", "any", "anything", "but", "cannot", "fix", "fixes", "how", "if", "neither", "never", "no", "none",
        "nor", "not", "nothing", "or", "pass", "passes", "so", "still", "what", "when", "whether", "which", "why",
    ];
    for word in words.iter().take(MAX_WORDS) {
        let word = word.to_lowercase();
        if matches!(word.as_str(), "fail" | "fails") {
            return true;
        }
        if STOPS.binary_search(&word.as_str()).is_ok() || word.ends_with("n't") {
            return false;
        }
    }
    false
}

/// Whether the agent is in the step in which the test fails, and says nothing of the one in which it passes behind that.
fn is_red(text: &str) -> bool {
    let red = RED.last_in(text);
    red.is_some() && GREEN.last_in(text) < red
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_write_before_a_check_that_must_fail() {
        for text in [
            "Now run the tests to confirm they fail.",
            "Run it and verify that all of the new tests fail.",
            "Let me make sure these fail first.",
            "Making sure the new test fails before the change.",
            "Ensure the test fails for the right reason",
            "I'll run them to see them fail",
            "Let's watch it fail.",
            "Verify tests fail as there is no code yet",
            "The tests should fail now, nothing is implemented.",
            "I expect these to fail.",
            "Check that it fails without the fix.",
            "They should be red at this point.",
            "RED: the login is missing",
        ] {
            assert!(says_so(text), "{text}");
        }
        for text in
            ["I'll follow TDD here.", "Let me write the tests first.", "Writing the failing test for the parser:"]
        {
            assert!(is_about_failing_tests(text), "{text}");
        }
    }

    #[test]
    fn what_says_nothing_of_the_kind() {
        for text in [
            "Let me check why the tests fail.",
            "Check whether it fails on main, too.",
            "Let me see which tests fail.",
            "Make sure nothing fails.",
            "Make sure that no test fails",
            "Verify the tests don't fail.",
            "I see the tests fail in CI.",
            "We can see that the build fails.",
            "I'm not sure it fails.",
            "Verify the fix for the failing tests.",
            "Check the logs and fix what fails.",
            "I check if they still fail.",
            "Ensure that the tests pass and never fail again.",
            "The tests fail because the port is taken; let me see the log.",
            "Run the tests first.",
        ] {
            assert!(!says_so(text), "{text}");
            assert!(!is_about_failing_tests(text), "{text}");
        }
    }
}
