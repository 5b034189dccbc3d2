//! What the shell reads otherwise than the agent meant it.

use super::material::failed;
use crate::lesson::{Lesson, Topic};
use crate::log::{Failure, Finding};

/// Parts of messages, the line, and the words of a line that says it already.
type Row = (&'static [&'static str], &'static str, &'static [&'static [&'static str]]);

const ROWS: [Row; 3] = [
    (
        // zsh, which macOS has.
        &["no matches found: ", "unknown file attribute", "zsh: bad pattern", "zsh: parse error"],
        "Put arguments that hold `*`, `?`, `[` or `(` into single quotes: zsh refuses a pattern that matches no file.",
        &[&["zsh", "quote"], &["glob", "pattern", "bracket", "zsh", "*"]],
    ),
    (
        &[
            "unexpected EOF while looking for matching",
            "Unterminated quoted string",
            "unmatched \"",
            "unmatched '",
            "unterminated quoted",
            "dquote>",
            "unexpected end of file",
        ],
        "Write a text with quotes, backticks or `$` into a file and pass the file (`git commit -F FILE`), in place of quoting \
         it on the command line.",
        &[&["quote", "-F", "heredoc", "file"], &["command line", "commit", "message", "quot"]],
    ),
    (
        &["event not found"],
        "Put texts that hold `!` into single quotes: the shell replaces it in double quotes.",
        &[&["!"], &["quote"]],
    ),
];

pub(super) fn lessons(finding: &Finding, failures: &[&Failure]) -> Vec<Lesson> {
    let of_row = |(messages, text, words): &Row| {
        let says = |failure: &&Failure| messages.iter().any(|message| failure.output.contains(message));
        let group: Vec<&Failure> = failures.iter().copied().filter(says).collect();
        let because =
            failed(&group, "command could not be read by the shell", "commands could not be read by the shell");
        (!group.is_empty()).then(|| Lesson::of(&finding.id, &group, *text, Topic::Words(words), because))
    };
    ROWS.iter().filter_map(of_row).collect()
}
