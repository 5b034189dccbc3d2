//! New lines of tests that were there before: they may end a test, hold its failures back, or replace what it asks.

use std::collections::BTreeSet;

use super::answered::{checks_part, is_asked};
use super::changed::Changed;
use super::phrase::{self, Phrase, TESTS, has};
use super::text::Text;
use super::tokens::{is_string, is_word};

/// Whether a word of a call turns a test off, in a language whose tests are not read.
fn turns_off(phrase: &Phrase<'_>) -> bool {
    const CALLS: &[&str] = &[
        "broken",
        "disable",
        "disabled",
        "fixme",
        "flaky",
        "pending",
        "quarantine",
        "skip",
        "skipped",
        "todo",
        "xfail",
    ];
    let skips = |name: &str| name.starts_with("skip_on_") || name.starts_with("skip_if");
    phrase.called().any(|name| CALLS.contains(&name.to_ascii_lowercase().as_str()) || skips(name))
}

/// New lines of tests that were there before: in each stretch of lines, those up to the first one that begins a test.
pub(super) fn why(
    file: &Changed<'_>,
    removed: &[Phrase<'_>],
    added: &[&Phrase<'_>],
    old_words: &BTreeSet<String>,
) -> Option<String> {
    let leaves = |tokens: &[&str]| matches!(tokens, ["return"] | ["return", ";"]);
    let old_failures =
        if added.iter().any(|phrase| phrase.raises()) { failures(&file.before) } else { BTreeSet::new() };
    let mut new_test = None;
    for phrase in added {
        let run = Some(phrase.place.run);
        if phrase.names_of_tests() > 0 {
            new_test = run;
        }
        if new_test == run {
            continue;
        }
        let line = phrase.line;
        if phrase.fakes_module(file.stem)
            && !["importOriginal", "importActual", "requireActual"].iter().any(|word| file.after.whole.contains(word))
        {
            return Some(format!("`{line}` replaces the module that is tested"));
        }
        if phrase::swallows(line) {
            return Some(format!("`{line}` holds failures back"));
        }
        if phrase::hides(line) {
            return Some(format!("`{line}` hides the functions below it, which may be tests"));
        }
        if phrase::narrows(line) {
            return Some(format!("`{line}` leaves cases out"));
        }
        if file.is_foreign
            && phrase
                .words()
                .iter()
                .any(|word| !old_words.contains(word) && (phrase::is_fake(word) || phrase::turns_off(word)))
        {
            return Some(format!("`{line}` may replace what is tested, or turn it off"));
        }
        if file.is_prose && phrase.line.starts_with('@') && phrase.words().iter().any(|word| phrase::turns_off(word)) {
            return Some(format!("`{line}` may turn a test off"));
        }
        if !file.is_outlined && turns_off(phrase) {
            return Some(format!("`{line}` may turn a test off"));
        }
        if file.is_outlined && leaves(&phrase.tokens) && !removed.iter().any(|old| leaves(&old.tokens)) {
            return Some("the test may end before its checks".to_owned());
        }
        if phrase.is_mark_off() {
            return Some(format!("`{line}` may turn a test off"));
        }
        if phrase.finds_fakes() {
            return Some(format!("`{line}` puts fakes before what is tested"));
        }
        if phrase.raises()
            && phrase.tokens.iter().any(|token| old_failures.contains(*token))
            && !removed.iter().any(Phrase::raises)
        {
            return Some(format!("`{line}` raises what the test expects"));
        }
        if phrase.tries_again_on_failure() {
            return Some(format!("`{line}` lets the test fail several times"));
        }
        if phrase.answers(&file.after) {
            return Some(format!("`{line}` answers what the test asks the program"));
        }
        if let Some(part) = phrase.sets().filter(|part| checks_part(&file.after, part)) {
            return Some(format!("`{line}` sets `{part}`, which is checked"));
        }
        if let Some(name) = phrase.faked().find(|name| is_asked(&file.after, name)) {
            return Some(format!("`{line}` replaces a part of `{name}`, which is tested"));
        }
    }
    None
}

/// The names of failures that the checks of a text expect.
fn failures(text: &Text<'_>) -> BTreeSet<String> {
    let expects =
        |line: &&Phrase<'_>| line.expects_failure() || line.names().any(|(_, name)| has(name, &["expect", "expected"]));
    let of_failures = text.phrases().filter(expects);
    let is_kind = |token: &str| {
        (token.ends_with("Error") || token.ends_with("Exception")) && !["Error", "Exception"].contains(&token)
    };
    of_failures
        .flat_map(|line| {
            line.tokens.iter().filter(|token| is_kind(token)).map(|token| (*token).to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether a word says that a test may run again if it fails.
pub(super) fn tries_again(token: &str) -> bool {
    is_word(token) && has(token, &["attempts", "flake", "flaky", "rerun", "reruns", "retries", "retry", "retrying"])
}

impl Phrase<'_> {
    /// Whether it answers a request of a page that the test itself sends elsewhere.
    fn answers(&self, text: &Text<'_>) -> bool {
        let fulfills = self.names().any(|(_, name)| name == "fulfill");
        let asked = |path: &str| {
            let ends = [format!("{path}'"), format!("{path}\""), format!("{path}`")];
            let sends = |line: &Phrase<'_>| {
                let asks = ["request.", "fetch(", "axios"].iter().any(|word| line.line.contains(word));
                asks && !line.line.contains("fulfill")
            };
            ends.iter().any(|end| text.with(end).any(sends))
        };
        fulfills
            && self.tokens.iter().filter(|token| is_string(token)).any(|token| {
                let path = token.trim_matches(['"', '\'', '`', '*']);
                path.len() > 2 && path.starts_with('/') && asked(path)
            })
    }

    /// Whether it is a mark whose value says that runs leave the test out: `@Tag("manual")`.
    fn is_mark_off(&self) -> bool {
        let says_off = |token: &&&str| {
            let text = token.trim_matches(['"', '\'']);
            is_string(token)
                && ["disabled", "flaky", "ignore", "ignored", "manual", "quarantine", "skip", "wip"]
                    .contains(&text.to_ascii_lowercase().as_str())
        };
        self.is_mark() && self.tokens.iter().find(says_off).is_some()
    }

    /// Whether it raises an error by itself, as a statement.
    fn raises(&self) -> bool {
        self.tokens.first().is_some_and(|first| ["raise", "throw"].contains(first))
    }

    /// Whether it lets a shell find fakes before the commands that are tested.
    fn finds_fakes(&self) -> bool {
        let sets = self.tokens.windows(2).any(|two| matches!(two, ["PATH", "="]));
        sets && ["stub", "fake", "mock", "shim"].iter().any(|word| self.line.to_ascii_lowercase().contains(word))
    }

    /// Whether it lets the tests around it run again if they fail: `this.retries(3)`, `@Retry(3)`.
    fn tries_again_on_failure(&self) -> bool {
        const RUNNERS: &[&str] = &["Cypress", "configure", "jest", "mocha", "test", "this", "vi"];
        let names_runner = self.tokens.first().is_some_and(|first| RUNNERS.contains(first));
        let is_of_tests = |name: &str| has(name, TESTS) && self.tokens.iter().any(|token| ["=", ":"].contains(token));
        self.names().any(|(_, name)| {
            tries_again(name) && (names_runner || self.is_mark() && name != "retry" || is_of_tests(name))
        })
    }
}
