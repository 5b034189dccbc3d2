//! Edits that the agent's tool refuses, and files that are too large for it.

use super::material::failed;
use crate::lesson::{LEAST_GENERAL, Lesson, Topic};
use crate::log::{Failure, Finding};

/// A kind of finding, the line, what happened, and the words of a line that says it already.
const ROWS: [(&str, &str, &str, &[&[&str]]); 9] = [
    (
        "edit_text_missing",
        "Read the lines that an edit replaces again right before the edit, and copy the old text from there.",
        "edits expected text that was not in the file",
        &[&["edit", "replace", "old text", "old_string"], &["read", "copy", "exact"]],
    ),
    (
        "edit_unread",
        "Read a file before its first edit in a session, also after the context was compacted.",
        "edits of files that had not been read were refused",
        &[&["read"], &["edit", "chang", "modif", "writ"]],
    ),
    (
        "edit_stale",
        "Read a file again before the next edit if a formatter, a hook or a command may have changed it.",
        "edits of files that had changed since they were read were refused",
        &[&["read", "re-read"], &["again", "changed", "formatter", "stale"]],
    ),
    (
        "edit_ambiguous",
        "Include the lines around the place in the old text of an edit, so that it matches only once.",
        "edits matched more than one place",
        &[&["edit", "old text", "old_string", "replace"], &["unique", "context", "once", "around"]],
    ),
    (
        "edit_changes_nothing",
        "Look at the file before you repeat an edit: the change may be there already.",
        "edits changed nothing",
        &[&["edit"], &["repeat", "twice", "already"]],
    ),
    (
        "edit_breaks_syntax",
        "Look at the lines around an edit first, and keep their indentation and brackets.",
        "edits were refused because of a syntax error",
        &[&["edit", "chang"], &["indent", "bracket", "syntax"]],
    ),
    (
        "patch_lines_missing",
        "Copy the lines of a patch from the file as it is now, and keep them in the order of the file.",
        "patches had lines that were not found in the file",
        &[&["patch", "hunk"], &["read", "copy", "order", "context"]],
    ),
    (
        "patch_twice",
        "Use one operation for each file in a patch: do not delete and add a file in the same one.",
        "patches had several operations on one file",
        &[&["patch"], &["operation", "delete", "once"]],
    ),
    (
        "input_too_large",
        "Search a large file first, and read only the part that you need (offset and limit).",
        "files or outputs were too large to be read at once",
        &[&["large", "big", "long", "offset", "limit"], &["file", "read", "output"]],
    ),
];

pub(super) fn lesson(finding: &Finding, failures: &[&Failure]) -> Option<Lesson> {
    if failures.len() < LEAST_GENERAL {
        return None;
    }
    let (_, text, what, words) = ROWS.iter().find(|row| row.0 == finding.kind)?;
    Some(Lesson::of(&finding.id, failures, *text, Topic::Words(words), failed(failures, what, what)))
}
