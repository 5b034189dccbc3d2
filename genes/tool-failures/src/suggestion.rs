//! What a failing tool itself suggests.

use crate::known::{MAX_LINE_BYTES, SEARCHED_LINES};

/// Texts before what a tool suggests.
const SUGGESTIONS: [&str; 15] = [
    "help: ",
    "hint: ",
    "HINT: ",
    "Hint: ",
    "tip: ",
    "Did you mean ",
    "did you mean ",
    "Perhaps you meant ",
    "Maybe you meant ",
    "The most similar command is",
    "To fix this, run ",
    "Try: ",
    "Try running ",
    "Run `",
    "Please run ",
];

/// What the failing tool itself suggests, or else how it says that it is used.
pub(crate) fn suggestion(output: &str) -> Option<&str> {
    // What ends in a colon goes on below.
    let is_short = |text: &&str| text.len() <= 160 && text.len() > 12 && !text.ends_with(':');
    let lines = || output.lines().take(SEARCHED_LINES).map(|line| line.trim_start_matches([' ', '=', '|']));
    // What pytest says of each module that it cannot import.
    let is_of_all = |text: &&str| text.ends_with("have valid Python names.");
    let suggests = |text: &&str| !is_of_all(text) && SUGGESTIONS.iter().any(|words| text.starts_with(words));
    let usage = |text: &'_ str| text.find("Usage: ").or_else(|| text.find("usage: ")).map(|at| at..text.len());
    // `Usage: x [COMMAND]` says nothing.
    let says_how =
        |text: &&str| !text.contains("[COMMAND]") && !text.contains("<COMMAND>") && !text.contains("[OPTIONS]");
    let used = || lines().find_map(|text| text.get(usage(text)?)).filter(|text| is_short(text) && says_how(text));
    let meant = || lines().find_map(|text| text.get(text.find("Did you mean ")?..)).filter(is_short);
    let again = || meant().or_else(|| lines().find_map(asks_again).filter(is_short));
    lines().find(|text| is_short(text) && suggests(text)).or_else(again).or_else(used)
}

/// The part of a message that says how the command would work: `… make it explicit by running this command again with -W`.
fn asks_again(text: &str) -> Option<&str> {
    const WORDS: [&str; 12] = [
        "this command again with",
        "e-run with ",
        "erun with ",
        "ry again with ",
        "se --",
        "ass --",
        "Use `",
        "use `",
        "Set `",
        "set `",
        "Consider ",
        "lease use ",
    ];
    if text.len() > MAX_LINE_BYTES {
        return None;
    }
    let at = WORDS.iter().find_map(|words| text.find(words))?;
    let before = text.get(..at)?;
    let start =
        [", ", ". ", ": ", "; ", " - "].iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max();
    text.get(start.unwrap_or_default()..)
}
