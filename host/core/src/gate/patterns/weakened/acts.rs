//! What a test does before it checks something.

use super::phrase::{Phrase, has};
use super::tokens::is_word;

/// Words of acts without which the thing under test is not asked at all: those of a user, and requests.
#[rustfmt::skip]
const ACTS: &[&str] = &[
    "blur", "check", "clear", "click", "dblclick", "dispatch", "drag", "drop", "emit", "enter", "fill", "fire", "focus", "hover", "keys",
    "press", "pump", "select", "submit", "swipe", "tap", "trigger", "type", "uncheck", "upload", "visit",
];

/// Words of calls that only tell, wait, collect or clean up, or that skip or fail the test.
#[rustfmt::skip]
const IDLE: &[&str] = &[
    "append", "assert", "cache", "cleanup", "clone", "close", "collect", "console", "count", "done", "error", "errorf", "expect", "fail", "fatal", "fatalf",
    "install", "plan", "push", "skip", "uninstall", "unwrap", "xfail", "debug", "debugger", "delay", "dump", "flush", "info", "log", "logger", "logging", "parallel", "pause",
    "print", "println", "printf", "puts", "screenshot", "sleep", "stop", "teardown", "trace", "wait", "warn", "write",
];

/// Words of calls that only tell something, or give back what the test took.
const TELLS: &[&str] =
    &["close", "debug", "flush", "info", "log", "print", "printf", "println", "puts", "trace", "warn"];

/// Whether a line does nothing but call such a function.
pub(super) fn only_tells(phrase: &Phrase<'_>) -> bool {
    let mut called = phrase.called().peekable();
    let is_statement = !phrase.tokens.contains(&"=") && !phrase.checks() && phrase.line.ends_with([')', ';']);
    is_statement && called.peek().is_some() && called.all(|name| has(name, TELLS))
}

/// Whether a line acts on what is tested, as a statement or a link of a chain of its own.
pub(super) fn acts(phrase: &Phrase<'_>) -> bool {
    !phrase.checks() && !names_idle(phrase) && phrase.called().any(|name| has(name, ACTS))
}

fn names_idle(phrase: &Phrase<'_>) -> bool {
    phrase.names().any(|(_, name)| has(name, IDLE))
}

/// Whether a line is a call whose result nobody takes.
pub(super) fn is_call(phrase: &Phrase<'_>) -> bool {
    let first = phrase.tokens.first().copied().unwrap_or_default();
    let is_statement = !phrase.tokens.contains(&"=")
        && !phrase.tokens.contains(&":=")
        && phrase.tokens.first().is_some_and(|first| is_word(first))
        && ![
            "def", "for", "func", "fn", "function", "if", "class", "return", "with", "@", "#", "while", "else",
            "switch", "case",
        ]
        .contains(&first);
    let ends = phrase.line.ends_with([')', ';', '?']);
    is_statement && ends && phrase.called().next().is_some() && !phrase.checks() && !names_idle(phrase)
}
